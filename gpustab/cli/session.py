"""What surrounds every command: log, progress, errors as one line with an exit code, and the printing of results."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console
from rich.logging import RichHandler

from gpustab.cli.complaints import complaining
from gpustab.cli.options import Showing
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.report.files import check_folder, write_files
from gpustab.report.json_text import to_json
from gpustab.report.terminal import print_result

log = logging.getLogger("gpustab")


@contextmanager
def session(showing: Showing) -> Iterator[Progress]:
    """Run a command's work: yields the progress callback, ends with exit code 2 for bad input, 1 for failed work."""
    errors = Console(stderr=True)
    log.setLevel(logging.ERROR if showing.quiet else logging.INFO if showing.verbose else logging.WARNING)
    handler = RichHandler(console=errors, show_time=False, show_path=False)
    log.addHandler(handler)
    try:
        with complaining():
            if showing.out is not None:
                check_folder(showing.out)
            with _progress(errors, showing.quiet) as progress:
                yield progress
    finally:
        log.removeHandler(handler)


@contextmanager
def _progress(errors: Console, quiet: bool) -> Iterator[Progress]:
    """Show progress on stderr, if a person is looking."""
    if quiet or not errors.is_terminal:
        yield no_progress
        return
    columns = (
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("reading", total=1.0)
        yield lambda work, part: bar.update(task, description=work, completed=part)


def show(result: Result, showing: Showing) -> None:
    """Print a result, and write it where ``--out`` says; call it inside the session, where its errors are caught."""
    result.environment["command"] = shlex.join(["gpustab", *sys.argv[1:]])
    if showing.out is not None:
        written = write_files(result, showing.out)
        wrote(", ".join(str(path) for path in written), showing)
    if showing.json:
        sys.stdout.buffer.write(f"{to_json(result)}\n".encode())  # JSON is UTF-8, whatever the terminal is
        return
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 100  # a file has no width
    print_result(result, console)


def wrote(what: str, showing: Showing) -> None:
    """Tell on stderr what was written, unless nobody wants to know."""
    if not showing.quiet:
        Console(stderr=True).print(f"wrote {what}", style="dim", markup=False, highlight=False, soft_wrap=True)
