"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option

NONE = "none"
"""The baseline of those who ask for distributions alone."""


@dataclass(frozen=True)
class ThresholdsOptions:
    """What similarity is compared with, and by which rules.

    Attributes:
        wordnet: folder of WordNet's files; default: where Debian or nltk put them.
        senses: of a word with several: ``"all"`` (the nearest pair of senses counts) or ``"first"``.
        morphy: whether plurals and other forms count as their base form, as in nltk.
        baseline: a file of scored word pairs instead of WordNet; or ``"none"``: how similarities are distributed alone.
        exclude: a file of words, one a line, that the baseline shall not know: function words, which WordNet knows as
            chemical symbols and units.
        sample: take so many of the baseline's words, drawn; default: all, exactly.
        confidence: of Welch's tests, two-sided, and of the proven thresholds, one-sided.
        min_pairs: pairs that a group must have to take part in the paper's value threshold; 0.01 % of all pairs if that
            is more. The lowest such group is what the others are compared with.
        words: drawn for the distribution of similarity.
        places: length of the lists of the most similar words in the distribution.
        draws: pairs of samples of 1,000 values in the test of equal shapes.
        tests: names of word similarity tests with commas between them (``wordsim353``, ``simlex999``, ``rg-65``,
            ``men``, ``mturk-287``, ``rareword``), or a folder of tests beside these. Default: all that are installed.
        seed: of every draw.
        pairs: random word pairs that a function of two words, given as the baseline, is asked for.

    Raises:
        InputError: for a confidence outside 0.5 .. 1, or numbers below 1.
    """

    wordnet: Annotated[str | None, Option("Folder of WordNet's files. Default: Debian's or nltk's.", metavar="DIR")] = (
        None
    )
    senses: Annotated[Literal["all", "first"], Option("Of a word: the nearest pair of all, or the first.")] = "all"
    morphy: Annotated[bool, Option("Whether WordNet is asked for base forms too.", ("--morphy/--exact",))] = True
    baseline: Annotated[str | None, Option("Scored word pairs instead of WordNet, or 'none'.", metavar="FILE")] = None
    exclude: Annotated[str | None, Option("Words that the baseline shall not know, one a line.", metavar="FILE")] = None
    sample: Annotated[int | None, Option("Take so many of the baseline's words. Default: all.", low=3)] = None
    confidence: Annotated[float, Option("Of Welch's tests and of proven thresholds.")] = 0.99
    min_pairs: Annotated[int, Option("Pairs of a group that takes part in the paper's threshold.", low=2)] = 10_000
    words: Annotated[int, Option("Words drawn for the distribution of similarity.", low=1)] = 10_000
    places: Annotated[int, Option("Length of the lists in the distribution.", low=1)] = 1_000
    draws: Annotated[int, Option("Pairs of samples in the test of equal shapes.", low=1)] = 200
    tests: Annotated[
        str | None,
        Option("Word similarity tests by name, or a folder of more. Default: those installed.", metavar="NAME,...|DIR"),
    ] = None
    seed: Annotated[int, Option("Of every random draw.")] = 0
    pairs: int = 100_000

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise InputError(f"{option('confidence')} is {self.confidence}, wanted above 0.5 and below 1")
        lowest = {"min_pairs": 2, "words": 1, "places": 1, "draws": 1, "sample": 3, "pairs": 1}
        for name, low in lowest.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise InputError(f"{option(name)} is {value}, wanted at least {low}")
