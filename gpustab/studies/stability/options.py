"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.formats.word_list import read_word_list
from gpustab.options import LENGTHS, SIMILARITIES, Option, numbers
from gpustab.spaces.words import as_word

Targets = Literal["all"] | int | None


def _targets(text: str) -> Targets:
    if text == "all":
        return "all"
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"{option('targets')} is '{text}', wanted 'all' or a number from 1")
    return int(text)


def _metrics(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


@dataclass(frozen=True)
class StabilityOptions:
    """What is measured in every group.

    Attributes:
        neighbours: list lengths n of p@n and j@n.
        targets: whose neighbours are compared: ``"all"``, a number of words to draw, or ``None``: all while there are
            at most 20,000, else a draw of 1,000.
        words: target words besides, which the page lists.
        proxy: compare each word with so many words drawn at random instead of all (thesis §2.2.3.3), never needed.
        metrics: metrics of pairs of spaces beside the PIP loss, see :func:`gpustab.similarity_matrix`.
        seed: of the draws.

    Raises:
        InputError: for a value out of range, or a metric that there is not.
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
        Iterable[str | bytes] | None,
        Option("Target words besides, one a line; the page lists them.", metavar="FILE", parse=read_word_list),
    ] = None
    proxy: Annotated[
        int | None, Option("Compare with N words drawn at random instead of all; never needed.", low=2)
    ] = None
    metrics: Annotated[
        Sequence[str] | None,
        Option(f"Other metrics of pairs: {', '.join(SIMILARITIES)}.", metavar="NAME,NAME,...", parse=_metrics),
    ] = None
    seed: Annotated[int, Option("Of every random draw.")] = 0

    def __post_init__(self) -> None:
        if not self.neighbours or min(self.neighbours) < 1:
            raise InputError(f"{option('neighbours')} are {list(self.neighbours)}, wanted whole numbers from 1")
        object.__setattr__(self, "neighbours", tuple(sorted(set(self.neighbours))))
        if self.words is not None:
            if isinstance(self.words, str | bytes):
                raise InputError(f"{option('words')} is {self.words!r}, wanted several words")
            object.__setattr__(self, "words", tuple(dict.fromkeys(map(as_word, self.words))))
        if isinstance(self.metrics, str):
            raise InputError(f"{option('metrics')} is {self.metrics!r}, wanted several names")
        for name in self.metrics or ():
            if name not in SIMILARITIES:
                raise InputError(f"{option('metrics')}: '{name}' is none of {', '.join(SIMILARITIES)}")
        object.__setattr__(self, "metrics", tuple(dict.fromkeys(self.metrics or ())))
        if not (self.targets in (None, "all") or (isinstance(self.targets, int) and self.targets >= 1)):
            raise InputError(f"{option('targets')} is {self.targets!r}, wanted 'all' or a number from 1")

        if self.seed and self.proxy is None and self.targets == "all":
            raise InputError(f"{option('seed', self.seed)} has no effect: nothing is drawn")

    @property
    def wanted(self) -> tuple[bytes, ...]:
        """The words that were named."""
        return self.words if isinstance(self.words, tuple) else ()
