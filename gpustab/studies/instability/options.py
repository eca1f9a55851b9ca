"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.errors import InputError, option
from gpustab.options import Option


@dataclass(frozen=True)
class InstabilityOptions:
    """How much is drawn.

    Attributes:
        targets: words whose p@n is predicted.
        pairs: random word pairs of the distribution tests and of the averages' cosines.
        seed: of every draw.
        word: whose neighbours are listed, tables 2.2, 2.4 and 3.5; default: no lists.
        other: whose cosine with ``word`` figure 2.2 shows; default: its nearest neighbour.

    Raises:
        InputError: for numbers below 1, an empty word, or ``other`` without a ``word`` that differs.
    """

    targets: Annotated[int, Option("Words whose shared neighbours are predicted.", low=1)] = 300
    pairs: Annotated[int, Option("Random word pairs of the distribution tests.", low=1)] = 10_000
    seed: Annotated[int, Option("Of every random draw.")] = 0
    word: Annotated[str | None, Option("List its neighbours in two runs, two averages, by means.", metavar="WORD")] = (
        None
    )
    other: Annotated[str | None, Option("Show its cosine with --word over the runs.", metavar="WORD")] = None

    def __post_init__(self) -> None:
        if self.pairs < 1 or self.targets < 1:
            raise InputError(f"pairs is {self.pairs}, targets is {self.targets}; wanted at least 1 of each")
        if self.other is not None and self.word is None:
            raise InputError(f"{option('other', self.other)} wants {option('word', ...)} beside it")
        if self.word == "":
            raise InputError(f"{option('word')} is empty")
        if self.word is not None and self.word == self.other:
            raise InputError(f"{option('word')} and {option('other')} are both '{self.word}', wanted different words")
