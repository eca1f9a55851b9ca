"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from gpustab.corpus.options import CORPORA
from gpustab.errors import InputError, option
from gpustab.formats.options import read_word_list
from gpustab.options import Count, ListLength, Option, Options, Seed
from gpustab.runs.key import Sampling
from gpustab.trainers import NAMES, Runs, check_technique

Align = Literal["all", "anchors", "none"]

PERIODS_BY = "gpustab train FILE --date-column year --epochs-by year:1850-1949:50 -o RUNSET"
"""The command that trains a run set with periods."""


def read_anchors(path: str) -> tuple[str, ...]:
    """Return the words of a file, one a line.

    Raises:
        InputError: if it cannot be read or holds no word.
    """
    return tuple(word.decode("utf-8", "surrogateescape") for word in read_word_list(path))


@dataclass(frozen=True)
class ChangeOptions(Options):
    """Which words are looked at, and how.

    Attributes:
        min_count: occurrences that a word must have in both periods, per run; 500 in the thesis, for corpora of
            millions of tokens a period. Without counts all words are taken.
        align: by what the spaces of two periods are turned onto each other: ``"all"`` their joint words, which takes
            most of them for unmoved; ``"anchors"``, words that you hold for unmoved; or ``"none"``, for runs of both
            periods that have one frame, such as vectors that were tuned from the same ones.
        anchors: file of these words, one a line; the library takes the words. A turn needs as many of them in both
            periods as there are dimensions, and is better with several times as many.
        words: words whose way through the periods is shown, with commas between; or a file of them, one a line.
        reference: the period that these words are compared with; default: the first.
        n: length of their lists of neighbours.
        nearest: how many nearest words of a word in two periods are compared, which needs no alignment; default: a
            tenth of the tested words, from 10 to 1,000.
        per_pair: whether change and frequency are standardised in every pair of periods, as the thesis says, or over
            all pairs together, as its program does.
        resamples: draws of words with replacement behind the intervals of the laws.
        semeval: folder of one language of SemEval-2020 task 1, whose two periods these are: scores of its targets. Of
            groups whose keys name a language, the folder of all languages.
        truth: table of words that people judged, as of RuShiftEval, DWUG or SemEval: a word and numbers, with tabs
            between. How well each measure of change ranks these words.
        truth_columns: its columns by name, or by number from 1, each with what a high value says of a word:
            ``change_graded:changed``, or ``COMPARE:unchanged`` of relatedness. Of more than two periods the earlier of
            those that it is about comes after: ``COMPARE:unchanged:1850-1899``.
        spread: a target changed if its change lies above the mean of all joint words by so many SDs.
        corpus: text of the periods, where the run set does not tell it; periods must then be called by their years.
        authors: column of the documents' metadata that tells their author (or source): which words' contexts differ
            beyond the sampling of authors. The text of the periods is read again for it, as for the training.
        deals: how often authors are dealt out to the periods anew.
        rate: of false discoveries among the words that are found.

    Raises:
        InputError: for a corpus that nothing is read of, columns without their file, or anchors without
            their alignment or the other way round.
    """

    min_count: Annotated[int, Option(low=1)] = 100
    align: Align = "all"
    anchors: Annotated[tuple[str, ...], Option(metavar="FILE", parse=read_anchors)] = ()
    words: Annotated[str | None, Option(flags=("--words", "-w"))] = None
    reference: str | None = None
    n: ListLength = 10
    nearest: Annotated[int | None, Option(low=1)] = None
    per_pair: Annotated[bool, Option(flags=("--per-pair/--pooled",))] = False
    resamples: Annotated[int, Option(low=0)] = 200
    semeval: Annotated[str | None, Option(metavar="DIR", reads=True)] = None
    truth: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    truth_columns: Annotated[tuple[str, ...], Option(metavar="NAME:changed,NAME:unchanged,...")] = ()
    spread: float = 0.5
    corpus: Annotated[str | None, Option(metavar="CORPUS", reads=CORPORA)] = None
    authors: str | None = None
    deals: Annotated[int, Option(low=9)] = 99
    rate: Annotated[float, Option(above=0, below=1)] = 0.05
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.corpus is not None and self.authors is None:
            raise InputError(f"{option('corpus')} is read for {option('authors')}: give that too, or neither")
        if self.align == "anchors" and not self.anchors:
            raise InputError(
                f"{option('align', 'anchors')} needs their file: {option('anchors', ...)}, one word a line"
            )
        if self.truth_columns and self.truth is None:
            raise InputError(f"{option('truth_columns')} has no effect: give their file, {option('truth', ...)}, too")
        if self.words is not None and not self.followed:
            raise InputError(f"{option('words', self.words)} names no word: give some, with commas, or leave it out")
        if self.reference is not None and not self.followed:
            ways = f"it is for words that are followed, {option('words', ...)}"
            raise InputError(f"{option('reference', self.reference)} has no effect: {ways}")
        if self.anchors and self.align != "anchors":
            raise InputError(f"{option('anchors')} has no effect: give {option('align', 'anchors')} too")
        if self.authors is not None and self.align == "none":
            raise InputError(
                f"{option('authors')} makes spaces of its own of the text, which have no frame in common: "
                f"{option('align', 'none')} cannot be asked of them"
            )

    @property
    def followed(self) -> list[str]:
        """The words to follow: those of a file, if one is called so; a name without a suffix or folder is a word."""
        path = Path(self.words or "")
        if (path.suffix or len(path.parts) > 1) and "," not in path.name and path.is_file():
            return list(read_anchors(str(path)))
        return [word.strip() for word in (self.words or "").split(",") if word.strip()]


@dataclass(frozen=True)
class GridPlan(Options):
    """What is trained on both periods of every language of SemEval-2020 task 1 where no run set is given.

    Attributes:
        technique: train these on all languages of ``--semeval``; default sgns.
        sampling: how each run's text is drawn; default: shuffled, bootstrap.
        runs: runs per technique, sampling and period; default 8, 32 in the thesis.
        jobs: runs trained at once; default 1.
    """

    technique: Annotated[tuple[str, ...] | None, Option(metavar="T,T,...", names=NAMES, each=check_technique)] = None
    sampling: tuple[Sampling, ...] | None = None
    runs: Runs | None = None
    jobs: Count | None = None

    @property
    def given(self) -> list[str]:
        """Names of the choices that were made; of a run set none has an effect."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name) is not None]
