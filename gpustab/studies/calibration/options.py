"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.errors import InputError, option
from gpustab.options import Option, Seed
from gpustab.wordnet.options import WordnetOptions


@dataclass(frozen=True)
class CalibrationOptions(WordnetOptions):
    """What cosines are compared with.

    Attributes:
        scores: a file of scored pairs: of sentences for encoders (STS: a table or lines of JSON), of words for spaces.
            Default for spaces: WordNet.
        word_columns: which two columns of that file are the sentences or words: ``3,4``, or their names; default: told
            by what stands in them.
        score_column: which column is the score.
        levels: similarities whose cosines are named; default: a quarter, a half and three quarters of the scores'
            range.
        pairs: word pairs that are drawn where a wordnet knows all, evenly over the cosines.

    Raises:
        InputError: for options of a wordnet beside a file of scores.
    """

    scores: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    word_columns: Annotated[str | None, Option(metavar="N,N")] = None
    score_column: Annotated[str | None, Option(metavar="N")] = None
    levels: tuple[float, ...] | None = None
    pairs: Annotated[int, Option(low=100)] = 5_000
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        for name in ("wordnet", "hypernyms", "lemmas", "exclude"):
            if self.scores is not None and getattr(self, name) is not None:
                raise InputError(f"{option(name, ...)} is of wordnets, and {option('scores', ...)} takes their place")
