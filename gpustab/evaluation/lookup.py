"""Words of a test among those of the runs, and one score per run."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from gpustab.errors import InputError
from gpustab.runs.runs import Runs


@dataclass(frozen=True)
class RunScores:
    """The scores of R runs on one test. A single number hides their spread (Rettenmeier 2020, tables 1.4 and 2.1).

    Attributes:
        values: one per run, in the order of the runs; ``None`` where the score is undefined.

    Example:
        >>> scores = RunScores((0.25, 0.5, None, 0.75))
        >>> scores.n, scores.mean, scores.sd, scores.best, scores.worst
        (3, 0.5, 0.25, 0.75, 0.25)
    """

    values: tuple[float | None, ...]

    @property
    def defined(self) -> tuple[float, ...]:
        """The scores of the runs that have one."""
        return tuple(value for value in self.values if value is not None)

    @property
    def n(self) -> int:
        """In how many runs the score is defined."""
        return len(self.defined)

    @property
    def mean(self) -> float | None:
        """Mean over the runs that have a score."""
        return statistics.fmean(self.defined) if self.n else None

    @property
    def sd(self) -> float | None:
        """Standard deviation over the runs with ``ddof = 1``; ``None`` for fewer than two."""
        return statistics.stdev(self.defined) if self.n > 1 else None

    @property
    def best(self) -> float | None:
        """Highest score."""
        return max(self.defined, default=None)

    @property
    def worst(self) -> float | None:
        """Lowest score."""
        return min(self.defined, default=None)


_SHOWN = 5


class Lookup:
    """Finds the words that every run has, so that all runs are judged by the same questions.

    Args:
        runs: the runs.
        restrict: look only among so many words: the most frequent where the runs have counts, else the first in file
            order; ``None`` for all.
        ignore_case: compare words in upper case on both sides, as gensim's ``case_insensitive``; of several variants
            of a word the first in the order of the vocabulary is taken.

    Attributes:
        words: how many words are looked at.
        notes: a sentence on the cut, if there is one.

    Raises:
        InputError: if ``restrict`` is below 1.
    """

    def __init__(self, runs: Runs, restrict: int | None, ignore_case: bool) -> None:
        if restrict is not None and restrict < 1:
            raise InputError(f"restrict is {restrict}, wanted at least 1, or None for all words")
        self.words = runs.words if restrict is None else min(restrict, runs.words)
        self.notes = _cut_note(runs, self.words)
        self._ignore_case = ignore_case
        self._vocabulary = runs.vocabulary
        self._joint = runs.joint.tolist()
        self._rows: dict[str | bytes, list[int]] = {}
        for row in range(self.words):
            self._rows.setdefault(self.key(runs.vocabulary[row]), []).append(row)

    def key(self, word: bytes) -> str | bytes:
        """Return what two words must have in common to count as the same."""
        return word.decode("utf-8", "surrogateescape").upper() if self._ignore_case else word

    def rows(self, word: bytes) -> list[int]:
        """Return the rows of a word and of its variants, ascending; some may be absent from some runs."""
        return self._rows.get(self.key(word), [])

    def merged(self, words: Iterable[bytes]) -> tuple[str, ...]:
        """Say of which words of a test the vocabulary has several variants in letter case, of which one is taken."""
        found = {self.key(word): self.rows(word) for word in words}
        several = [rows for rows in found.values() if len(rows) > 1]
        if not several:
            return ()
        shown = "; ".join("/".join(self._vocabulary.text(row) for row in rows[:3]) for rows in several[:_SHOWN])
        more = " ..." * (len(several) > _SHOWN)
        return (
            f"Letter case is ignored: {len(several):,} words of the test merge {sum(map(len, several)):,} words of the "
            f"runs, the first of which is taken: {shown}{more}",
        )

    def row(self, word: bytes) -> int | None:
        """Return the first row of a word that every run has, or ``None``."""
        return next((row for row in self.rows(word) if self._joint[row]), None)


def _cut_note(runs: Runs, words: int) -> tuple[str, ...]:
    if words == runs.words:
        return ()
    if runs.counts is not None:
        return (f"Only the {words:,} most frequent of {runs.words:,} words take part, by their counts.",)
    return (
        f"Only the first {words:,} of {runs.words:,} words take part, in the order of the files: "
        "the runs have no counts, so these need not be the most frequent.",
    )
