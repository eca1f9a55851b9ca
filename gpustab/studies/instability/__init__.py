"""How unstable are word embeddings, why, and does averaging help? Rettenmeier 2020, chapters 2 and 3.

One module per section; each returns plain tables, :func:`instability` collects them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.errors import InputError, option
from gpustab.options import Option, Options, Seed


@dataclass(frozen=True)
class InstabilityOptions(Options):
    """How much is drawn.

    Attributes:
        targets: words whose p@n is predicted.
        pairs: random word pairs of the distribution tests and of the averages' cosines.
        word: list its neighbours in two runs, in two averages and by means, tables 2.2, 2.4 and 3.5; default: no lists.
        other: word whose cosine with ``word`` figure 2.2 shows over the runs; default: its nearest neighbour.

    Raises:
        InputError: for an empty word, or ``other`` without a ``word`` that differs.
    """

    targets: Annotated[int, Option(low=1)] = 300
    pairs: Annotated[int, Option(low=1)] = 10_000
    seed: Seed = 0
    word: Annotated[str | None, Option(metavar="WORD")] = None
    other: Annotated[str | None, Option(metavar="WORD")] = None

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.other is not None and self.word is None:
            raise InputError(f"{option('other', self.other)} wants {option('word', ...)} beside it")
        if self.word == "":
            raise InputError(f"{option('word')} is empty")
        if self.word is not None and self.word == self.other:
            raise InputError(f"{option('word')} and {option('other')} are both '{self.word}', wanted different words")
