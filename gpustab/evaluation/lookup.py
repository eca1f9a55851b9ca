"""Where the words of a test stand in the vocabulary of the runs, under its cut and its rule for letter case."""

from __future__ import annotations

from collections.abc import Iterable

from gpustab.errors import InputError
from gpustab.runs.runs import Runs

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
