"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.formats.word_list import read_word_list
from gpustab.options import LENGTHS, Option, numbers
from gpustab.spaces.words import as_word

Targets = Literal["all"] | int | None


def _targets(text: str) -> Targets:
    if text == "all":
        return "all"
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"{option('targets')} is '{text}', wanted 'all' or a number from 1")
    return int(text)


@dataclass(frozen=True)
class StabilityOptions:
    """What is measured in every group.

    Attributes:
        neighbours: list lengths n of p@n and j@n.
        targets: whose neighbours are compared: ``"all"``, a number of words to draw, or ``None``: all while there are
            at most 20,000, else a draw of 1,000.
        words: the target words themselves.
        proxy: compare each word with so many words drawn at random instead of all (thesis §2.2.3.3), never needed.
        seed: of the draws.

    Raises:
        InputError: for a value out of range, or both ``targets`` and ``words``.
    """

    neighbours: Annotated[
        Sequence[int],
        Option(
            "List lengths of p@n and j@n.", metavar="N,N,...", parse=numbers("neighbours"), default="1,2,5,10,25,50"
        ),
    ] = LENGTHS
    targets: Annotated[Targets, Option("Target words; default all up to 20,000.", metavar="all|N", parse=_targets)] = (
        None
    )
    words: Annotated[
        Iterable[str | bytes] | None, Option("Target words, one a line.", metavar="FILE", parse=read_word_list)
    ] = None
    proxy: Annotated[
        int | None, Option("Compare with N words drawn at random instead of all; never needed.", low=2)
    ] = None
    seed: Annotated[int, Option("Of every random draw.")] = 0

    def __post_init__(self) -> None:
        if not self.neighbours or min(self.neighbours) < 1:
            raise InputError(f"{option('neighbours')} are {list(self.neighbours)}, wanted whole numbers from 1")
        object.__setattr__(self, "neighbours", tuple(sorted(set(self.neighbours))))
        if self.words is not None:
            if self.targets is not None:
                raise InputError(f"{option('targets')} and {option('words')} exclude each other")
            if isinstance(self.words, str | bytes):
                raise InputError(f"{option('words')} is {self.words!r}, wanted several words")
            object.__setattr__(self, "words", tuple(dict.fromkeys(map(as_word, self.words))))
        if not (self.targets in (None, "all") or (isinstance(self.targets, int) and self.targets >= 1)):
            raise InputError(f"{option('targets')} is {self.targets!r}, wanted 'all' or a number from 1")

    @property
    def wanted(self) -> tuple[bytes, ...]:
        """The target words that were named."""
        return self.words if isinstance(self.words, tuple) else ()
