"""What surrounds every command: log, progress, errors as one line with an exit code, and the printing of results."""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from gpustab.cli.complaints import complaining
from gpustab.cli.options import Showing, check_corpus, check_runs
from gpustab.errors import InputError, option
from gpustab.installing import install
from gpustab.machine.job import is_one_of_several, number
from gpustab.machine.progress import Timed, no_progress
from gpustab.runs.joining import LEAST_RUNS
from gpustab.spaces.words import printable

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.report import Result

log = logging.getLogger("gpustab")


_COMMAND = re.compile(r"\bgpustab(?= [a-z])")
_NAMED = 3
"""Of more files that are written, their number is told."""

_GOES_ON = "stopped; what is finished stays, and the same call goes on from there"
_written: list[str] = []
"""What the command has written so far: who stops it is told."""
_bars: list[Bar] = []
"""That of the command that works now: it goes before anything is printed."""


@contextmanager
def session(
    showing: Showing,
    *,
    goes_on: bool = False,
    output: Path | None = None,
    folder: Path | None = None,
    shared: bool = False,
    corpus: str | None = None,
    runs: Sequence[Path] | None = None,
    named: Sequence[str] = (),
    least: int = LEAST_RUNS,
) -> Iterator[Bar]:
    """Run a command's work: yields the callback for progress, ends with exit code 2 for bad input, 1 for failed work.

    All that was typed is checked before what works is imported; commands import that within.

    Args:
        showing: what is printed and written.
        goes_on: whether a stopped call is taken up by the next one.
        output: the file besides the result that the command writes, and refuses to replace without ``--force``.
        folder: the folder that it makes besides, or adds to.
        shared: whether several processes of one job can share the work.
        corpus: the text that it reads.
        runs: the runs that it reads, and never replaces.
        named: groups of them, ``NAME=FILES``.
        least: so many runs there must be in a group of files.
    """
    from rich.logging import RichHandler

    from gpustab.cli.bar import Bar

    errors = Console(stderr=True)
    bar = Bar(errors, shown=not showing.quiet and not number())
    _written.clear()
    _bars.append(bar)
    level = log.level
    log.setLevel(logging.ERROR if showing.quiet or number() else logging.INFO if showing.verbose else logging.WARNING)
    handler = RichHandler(console=errors, show_time=False, show_path=False)
    log.addHandler(handler)
    try:
        with complaining(lambda: _GOES_ON if goes_on else _left()), ExitStack() as held:
            try:
                if is_one_of_several() and not shared:
                    raise InputError(
                        "torchrun starts several processes, and this command shares no work: start it once"
                    )
                _check_output(showing, output, folder, runs or (), corpus, held)
                if corpus is not None:
                    check_corpus(corpus)
                if runs is not None:
                    check_runs(runs, named, least)
                yield bar
            finally:
                bar.close()
    finally:
        _bars.remove(bar)
        log.removeHandler(handler)
        log.setLevel(level)  # commands are called within other programs, too


def require(what: str, extra: str, *packages: str) -> None:
    """Refuse to go on without the optional packages that some work needs, which an extra brings."""
    if missing := [name for name in packages if find_spec(name) is None]:
        raise InputError(f"{what} needs {', '.join(missing)}: {install(extra)}")


def _check_output(
    showing: Showing,
    output: Path | None,
    folder: Path | None,
    runs: Sequence[Path],
    corpus: str | None,
    held: ExitStack,
) -> None:
    """See before the work that nothing is replaced unasked and all that is asked for has a meaning; hold the folder."""
    from gpustab.formats.atomic import check_can_make
    from gpustab.runs.manifest import is_runset
    from gpustab.runs.place import check_place, foreign, refuse_others, refuse_within

    if showing.quiet and showing.verbose:
        raise InputError(f"{option('quiet')} and {option('verbose')} exclude each other")
    if folder is not None:
        check_place(folder, corpus)
        # A finished run set, or several of a sweep, may lie on a disk that is read-only.
        if not is_runset(folder) and not any(map(is_runset, folder.glob("*/"))):
            check_can_make(folder)
    if showing.out is not None:
        from gpustab.report.files import check_folder, writing_alone

        refuse_within(showing.out, corpus)
        if not number():  # of several processes of one job, the first writes
            held.enter_context(writing_alone(showing.out))
            check_folder(showing.out, force=showing.force, figures=showing.figures)
            if not showing.force:
                refuse_others(showing.out, foreign(showing.out), f", or {option('force')} to write among them")
    elif showing.force and output is None:
        raise InputError(
            f"{option('force')} says that a result may be replaced, but none is written: name {option('out')}"
        )
    if showing.out is None and showing.figures != Showing().figures:
        raise InputError(f"{option('figures')} says what figures are written as, but none is: name {option('out')}")
    if output is not None:
        _check_file(output, showing, runs)


def _check_file(output: Path, showing: Showing, runs: Sequence[Path]) -> None:
    from gpustab.formats.atomic import check_space_path

    check_space_path(output, runs)
    if output.exists() and not showing.force:
        raise InputError(f"{output}: is there already; {option('force')} replaces it")


def _left() -> str:
    return f"stopped; written before: {', '.join(_written)}" if _written else "stopped; nothing was written"


def show(result: Result, showing: Showing) -> None:
    """Write a result where ``--out`` says, and print it; call it inside the session, where its errors are caught.

    Of several processes of one job the first does so.
    """
    for bar in _bars:
        bar.close()
    if number():
        return
    from gpustab.report.files import write_files

    result.environment["command"] = shlex.join(["gpustab", *sys.argv[1:]])
    timed = Timed(no_progress)
    written: list[Path] = []
    try:
        if showing.out is not None:
            timed("writing files", 0.0)
            written = write_files(result, showing.out, force=showing.force, figures=showing.figures)
            wrote(written, showing)
    finally:
        timed("printing", 0.0)
        _print(result, showing)  # what cannot be written is at least to be seen
    if showing.verbose:
        _print_phases(result.environment.get("phases", {}) | timed.stop())
    if not showing.quiet:
        for page in (path for path in written if path.suffix == ".html"):
            say(f"open {printable(str(page))} in a browser", "dim")


def say(line: str, style: str = "") -> None:
    """Print a line on stderr as it is; no bar is there from now on."""
    for bar in _bars:
        bar.close()
    Console(stderr=True).print(line, style=style, markup=False, highlight=False, soft_wrap=True)


def _print_phases(phases: dict[str, float]) -> None:
    whole = sum(phases.values())
    for name, seconds in phases.items():
        say(f"{seconds:9.2f} s {seconds / whole:5.0%}  {printable(name)}", "dim")


def _print(result: Result, showing: Showing) -> None:
    from gpustab.report.json_text import to_json
    from gpustab.report.terminal import print_result

    if showing.json:
        sys.stdout.buffer.write(f"{to_json(result)}\n".encode())  # JSON is UTF-8, whatever the terminal is
        return
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 100  # a file has no width
    print_result(result, console, brief=not showing.verbose)
    if showing.out is None and not showing.quiet and result.name != "train":
        names = chain(["report"], (f"report-{n}" for n in count(2)))
        folder = next(name for name in names if not Path(name).exists())
        line = f"more: {typed(result.environment['command'])} --out {folder}"
        console.print(printable(line), markup=False, highlight=False, soft_wrap=True)


def typed(command: str) -> str:
    """Return commands as they are typed where this one was: by its path, where no shell would find gpustab."""
    program = Path(sys.argv[0])
    if program.stem != "gpustab" or not program.is_file() or shutil.which("gpustab"):
        return command
    here = os.path.relpath(program)
    path = shlex.quote(str(program) if here.startswith(os.pardir) else here)
    return _COMMAND.sub(lambda _: path, command)


def wrote(paths: Sequence[Path], showing: Showing) -> None:
    """Tell on stderr what was written, unless nobody wants to know; of many files in one folder how many."""
    names = [printable(str(path)) for path in paths]
    _written.extend(names)
    if not showing.quiet:
        some = names if len(names) <= _NAMED else [f"{len(names)} files to {printable(str(paths[0].parent))}"]
        say(f"wrote {', '.join(some)}", "dim")
