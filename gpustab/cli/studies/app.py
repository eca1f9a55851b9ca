"""What all studies' commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree

from gpustab.cli.app import App, app
from gpustab.cli.options import Showing
from gpustab.errors import InputError

study = App(no_args_is_help=True, help="Answer a research question, with tables and figures.")
app.add_typer(study, name="study")


def require(*packages: str, extra: str = "study") -> None:
    """See that optional packages are there before the work.

    Raises:
        InputError: naming those that are missing and the extra that brings them.
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise InputError(f"this study needs {', '.join(missing)}: pip install 'gpustab[{extra}]'")


@contextmanager
def kept(showing: Showing) -> Iterator[Path | None]:
    """Give the folder of a study's finished parts, within its output, and remove it once the study is written."""
    folder = None if showing.out is None else showing.out / ".finished"
    yield folder
    if folder is not None:
        rmtree(folder, ignore_errors=True)
