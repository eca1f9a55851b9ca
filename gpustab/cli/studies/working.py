"""What all studies' commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from gpustab.cli.options import Showing
from gpustab.cli.session import require, session

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.runs.group import Group


_LONG = 60
"""Seconds from which on it is said before how long a study takes."""


def foretell(bar: Bar, groups: Sequence[Group], seconds_of: Callable[[int, int], float], quiet: bool) -> None:
    """Tell on stderr how many minutes a study of some runs takes, if it is long and the files tell how large they are.

    Args:
        bar: prints the line.
        groups: what is measured, not read yet.
        seconds_of: reckons the seconds of a processor core for the runs of a group and their words; they were measured
            on one machine, so that no more than the order is meant.
        quiet: whether nobody wants to know.
    """
    from gpustab.formats.binary.safetensors import open_rows
    from gpustab.results.page import counted

    files = [Path(group.sources[0]) for group in groups if isinstance(group.sources[0], str | Path)]
    if quiet or len(files) < len(groups) or any(file.suffix != ".safetensors" for file in files):
        return  # how many words a text file has, its reading shows
    words = []
    for file in files:
        with open_rows(file) as rows:
            words.append(len(rows))
    seconds = sum(seconds_of(len(group), size) for group, size in zip(groups, words, strict=True))
    if seconds >= _LONG:
        runs = counted(sum(map(len, groups)), "run")
        minutes = counted(round(seconds / 60), "minute")
        bar.print(f"{runs} of up to {max(words):,} words: about {minutes} on a core that is free")


@contextmanager
def working(showing: Showing, *packages: str, extra: str = "study", **reads: Any) -> Iterator[tuple[Bar, Path | None]]:
    """Run a study that a stopped call goes on with: yields its progress, and the folder of its finished parts.

    That folder is within the output, and is removed once the study is written.

    Args:
        showing: what is printed and written.
        packages: optional ones that it needs.
        extra: brings them.
        **reads: what it reads, as :func:`gpustab.cli.session.session` takes it.
    """
    with session(showing, goes_on=showing.out is not None, **reads) as progress:
        require("this study", extra, *packages)
        finished = None if showing.out is None else showing.out / ".finished"
        yield progress, finished
        if finished is not None:
            rmtree(finished, ignore_errors=True)
