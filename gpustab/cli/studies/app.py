"""What all studies' commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import Annotated, ClassVar

from gpustab.cli.app import app
from gpustab.cli.once import App
from gpustab.cli.options import Showing
from gpustab.errors import InputError
from gpustab.options import Option

study = App(no_args_is_help=True, help="Answer a research question, with tables and figures.")
app.add_typer(study, name="study")


@dataclass(frozen=True)
class Writing(Showing):
    """What is printed and written, the folder as ``-o`` too."""

    folder: ClassVar[str] = "output"

    out: Annotated[
        Path | None,
        Option("Write report.html, summary.json, figures and tables.", ("--output", "-o"), "DIR"),
    ] = None


def require(*packages: str, extra: str = "study") -> None:
    """See that optional packages are there before the work.

    Raises:
        InputError: naming those that are missing and the extra that brings them.
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise InputError(f"this study needs {', '.join(missing)}: pip install 'gpustab[{extra}]'")


@contextmanager
def kept(writing: Writing) -> Iterator[Path | None]:
    """Give the folder of a study's finished parts, within its output, and remove it once the study is written."""
    folder = None if writing.out is None else writing.out / ".finished"
    yield folder
    if folder is not None:
        rmtree(folder, ignore_errors=True)
