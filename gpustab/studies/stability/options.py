"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.formats.options import read_word_list
from gpustab.options import LENGTHS, SIMILARITIES, Option, Options, Seed
from gpustab.spaces.words import as_word

Targets = Literal["all"] | int | None


@dataclass(frozen=True)
class StabilityOptions(Options):
    """What is measured in every group.

    Attributes:
        neighbours: list lengths n of p@n and j@n.
        targets: whose neighbours are compared: ``"all"``, or a number of words to draw. Default: all while there are at
            most 20,000, else a draw of 1,000.
        words: target words besides, which the page lists (a file of them, one a line); the library takes text or bytes.
        proxy: compare each word with so many words drawn at random instead of all (thesis §2.2.3.3), never needed.
        metrics: metrics of pairs of spaces beside the PIP loss.

    Raises:
        InputError: for a metric that there is not, or a seed where nothing is drawn.
    """

    neighbours: Annotated[Sequence[int], Option(metavar="N,N,...", low=1)] = LENGTHS
    targets: Annotated[Targets, Option(metavar="all|N", low=1)] = None
    words: Annotated[Iterable[str | bytes] | None, Option(metavar="FILE", parse=read_word_list)] = None
    proxy: Annotated[int | None, Option(low=2)] = None
    metrics: Annotated[Sequence[str] | None, Option(metavar="NAME,NAME,...", names=tuple(SIMILARITIES))] = None
    seed: Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "neighbours", tuple(sorted(set(self.neighbours))))
        if self.words is not None:
            object.__setattr__(self, "words", tuple(dict.fromkeys(map(as_word, self.words))))
        for name in self.metrics or ():
            if name not in SIMILARITIES:
                raise InputError(f"{option('metrics')}: '{name}' is none of {', '.join(SIMILARITIES)}")
        object.__setattr__(self, "metrics", tuple(dict.fromkeys(self.metrics or ())))
        if self.seed and self.proxy is None and self.targets == "all":
            raise InputError(f"{option('seed', self.seed)} has no effect: nothing is drawn")

    @property
    def wanted(self) -> tuple[bytes, ...]:
        """The words that were named."""
        return self.words if isinstance(self.words, tuple) else ()
