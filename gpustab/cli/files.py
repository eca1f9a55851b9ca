"""The command ``info``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Reading, Showing, takes
from gpustab.cli.session import as_typed, session, show
from gpustab.errors import InputError


@app.command()
@takes(Reading, Showing)
def info(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Vector files or run sets.", show_default=False)],
    reading: Reading,
    showing: Showing,
) -> None:
    """Tell what files of vectors hold: format, words, dimensions, duplicates, and all that is odd about them."""
    from gpustab import studies

    with session(showing) as progress:
        result = studies.info(files, reading.options(), progress)
        for group in result.groups:
            group |= {"error": as_typed(group["error"])} if "error" in group else {}
        show(result, showing, reading)
        if refused := [group for group in result.groups if "error" in group]:
            raise InputError(f"{len(refused)} of {len(result.groups)} files cannot be read")
