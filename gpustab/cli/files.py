"""The command ``info``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.complaints import as_typed
from gpustab.cli.options import Showing, takes
from gpustab.cli.session import session, show
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions


@app.command()
@takes(LoadOptions, Showing)
def info(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Vector files or run sets.", show_default=False)],
    load_options: LoadOptions,
    showing: Showing,
) -> None:
    """Tell what files of vectors hold: format, words, dimensions, duplicates, and all that is odd about them."""
    from gpustab.studies.info.study import info as look_at

    with session(showing) as progress:
        result = look_at(files, load_options, progress, explain=as_typed)
        show(result, showing)
        if refused := [group for group in result.groups if "error" in group]:
            raise InputError(f"{len(refused)} of {len(result.groups)} files cannot be read")
