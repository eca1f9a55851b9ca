"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.errors import InputError, option
from gpustab.options import Option


@dataclass(frozen=True)
class ChangeOptions:
    """Which words are looked at, and how.

    Attributes:
        min_count: occurrences that a word must have in both epochs, per run; 500 in the thesis, for corpora of millions
            of tokens an epoch. Without counts all words are taken.
        words: words whose way through the epochs is shown, with commas.
        reference: the epoch that these words are compared with; default: the first.
        n: length of their lists of neighbours.
        per_pair: whether change and frequency are standardised in every pair of epochs, as the thesis says, or over
            all pairs together, as its program does.
        resamples: draws of words with replacement behind the intervals of the laws.
        semeval: folder of one language of SemEval-2020 task 1, whose two epochs these are: scores of its targets. Of
            groups whose keys name a language, the folder of all languages.
        spread: a target changed if its change exceeds ``μ + spread · σ`` over all joint words.
        authors: column of the documents' metadata that tells their author (or source): which words' contexts differ
            beyond the sampling of authors. The text of the epochs is read again for it, as for the training.
        corpus: that text, where the run set does not tell it; epochs must then be called by their years.
        deals: how often authors are dealt out to the epochs anew.
        rate: of false discoveries among the words that are found.
        seed: of every draw.

    Raises:
        InputError: for a number below its least.
    """

    min_count: Annotated[int, Option("Occurrences that a word must have in both periods.", low=1)] = 100
    words: Annotated[str | None, Option("Words to follow through the periods, with commas.", ("--words", "-w"))] = None
    reference: Annotated[str | None, Option("Period that they are compared with. Default: the first.")] = None
    n: Annotated[int, Option("Length of their lists of neighbours.", ("-n", "--top"), low=1)] = 10
    per_pair: Annotated[bool, Option("Standardise the laws in every pair of periods.", ("--per-pair/--pooled",))] = (
        False
    )
    resamples: Annotated[int, Option("Draws of words behind the intervals of the laws.", low=0)] = 200
    semeval: Annotated[str | None, Option("Folder of SemEval-2020 task 1, or of a language.", metavar="DIR")] = None
    spread: Annotated[float, Option("A target changed if above the mean by so many SDs.")] = 0.5
    corpus: Annotated[str | None, Option("Text of the periods, if the run set does not tell.", metavar="CORPUS")] = None
    authors: Annotated[str | None, Option("Column of authors or sources: test words against their sampling.")] = None
    deals: Annotated[int, Option("How often authors are dealt out to the periods anew.", low=9)] = 99
    rate: Annotated[float, Option("Of false discoveries among the words that are found.")] = 0.05
    seed: Annotated[int, Option("Of every random draw.")] = 0

    def __post_init__(self) -> None:
        for name, low in {"min_count": 1, "n": 1, "resamples": 0, "deals": 9}.items():
            if getattr(self, name) < low:
                raise InputError(f"{option(name)} is {getattr(self, name)}, wanted at least {low}")

        if not 0 < self.rate < 1:
            raise InputError(f"{option('rate')} is {self.rate}, wanted above 0 and below 1")
        if self.corpus is not None and self.authors is None:
            raise InputError(f"{option('corpus')} is read for {option('authors')}: give that too, or neither")

    @property
    def followed(self) -> list[str]:
        """The words to follow."""
        return [word.strip() for word in (self.words or "").split(",") if word.strip()]


def names(text: str) -> tuple[str, ...]:
    """Return the names of a list with commas.

    >>> names("sgns, glove")
    ('sgns', 'glove')
    """
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


@dataclass(frozen=True)
class GridPlan:
    """What is trained on both periods of every language of SemEval-2020 task 1 where no run set is given.

    Attributes:
        technique: what to train.
        sampling: how each run's text is drawn.
        runs: per technique, sampling and period; 32 in the thesis.
        jobs: runs trained at once.

    Raises:
        InputError: for a number below its least.
    """

    technique: Annotated[
        tuple[str, ...] | None, Option("Of --semeval: train these on all languages.", metavar="T,T,...", parse=names)
    ] = None
    sampling: Annotated[
        tuple[str, ...] | None,
        Option("How they are drawn. Default shuffled,bootstrap.", metavar="S,S,...", parse=names),
    ] = None
    runs: Annotated[int | None, Option("Runs of each. Default 8; 32 in the thesis.", low=1)] = None
    jobs: Annotated[int | None, Option("Runs trained at once. Default 1.", low=1)] = None

    def __post_init__(self) -> None:
        for name in ("runs", "jobs"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise InputError(f"{option(name)} is {value}, wanted at least 1")

    @property
    def given(self) -> list[str]:
        """Names of the choices that were made; of a run set none has an effect."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name) is not None]
