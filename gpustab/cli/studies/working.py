"""What all studies' commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.cli.options import Showing
from gpustab.cli.session import require, session

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.runs.group import Group


_LONG = 60
"""Seconds from which on it is said before how long a study takes."""


def foretell(
    bar: Bar, groups: Sequence[Group], seconds_of: Callable[[int, int], float], quiet: bool, limit: int | None = None
) -> None:
    """Tell on stderr how many minutes a study takes, if it is long and the files tell how large its runs are.

    Of a processor core, measured on one machine, so that no more than the order is meant.
    """
    from gpustab.errors import InputError
    from gpustab.formats.binary.safetensors import open_rows
    from gpustab.results.page import counted

    files = [Path(group.sources[0]) for group in groups if isinstance(group.sources[0], str | Path)]
    if quiet or len(files) < len(groups) or any(file.suffix != ".safetensors" for file in files):
        return  # how many words a text file has, its reading shows
    words = []
    try:
        for file in files:
            with open_rows(file, or_only=True) as rows:
                words.append(min(len(rows), limit or len(rows)))
    except InputError:  # told by whoever reads it
        return
    seconds = sum(seconds_of(len(group), size) for group, size in zip(groups, words, strict=True))
    if seconds >= _LONG:
        runs = counted(sum(map(len, groups)), "run")
        minutes = counted(round(seconds / 60), "minute")
        bar.print(f"{runs} of up to {max(words):,} words: about {minutes} on a core that is free")


@contextmanager
def working(showing: Showing, *packages: str, extra: str = "study", **reads: Any) -> Iterator[tuple[Bar, Path | None]]:
    """Run a study that a stopped call goes on with: yields its progress, and the folder of its finished parts.

    That folder is within the output, and is removed once the study is written.
    """
    with session(showing, goes_on=showing.out is not None, **reads) as progress:
        require("this study", extra, *packages)
        finished = None if showing.out is None else showing.out / ".finished"
        yield progress, finished
        if finished is not None:
            from gpustab.studies.shared.finished import clear_finished  # imports torch, as the study has

            clear_finished(finished)
