"""Words of a test among those of the runs, and one score per run."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpustab.errors import InputError
from gpustab.evaluation.columns import number
from gpustab.results.page import counted
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_cp1252, show, some_words


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
OF_ONE_LANGUAGE = 0.02
"""Of the words of runs: so many are words of a test in their language; fewer are of one in another."""
FEW = 0.1
"""Of the pairs of a test: fewer in the vocabulary, and the test is hardly one of these runs."""
_SAMPLE = 1000
_SIGNS, _KINDS, _LONGEST_TAG = "-_#/.|", 12, 5

Pair = tuple[bytes, bytes]


class Tails(NamedTuple):
    """What every word of a test ends in, such as the parts of speech in MEN's ``sun-n``.

    Attributes:
        sign: that stands before.
        kinds: which there are.
    """

    sign: bytes
    kinds: tuple[bytes, ...]

    def bare(self, word: bytes) -> bytes:
        """Return a word without its tail."""
        return word.rpartition(self.sign)[0]


def tails_of(words: Iterable[bytes]) -> Tails | None:
    """Return the tails of words that all have one of a few.

    >>> tails_of([b"sun-n", b"red-j", b"x-ray-n", b"sea-n"]), tails_of([b"x-ray", b"t-shirt"])
    (Tails(sign=b'-', kinds=(b'j', b'n')), None)
    """
    every = set(words)
    for sign in _SIGNS.encode():
        cut = [word.rpartition(bytes([sign])) for word in every]
        kinds = {tail for _, _, tail in cut}
        if not cut or not all(bare and 0 < len(tail) <= _LONGEST_TAG and tail.isalpha() for bare, _, tail in cut):
            continue
        if len(kinds) <= _KINDS and 2 * len(kinds) <= len(every):
            return Tails(bytes([sign]), tuple(sorted(kinds)))
    return None


class Lookup:
    """Finds the words that every run has, so that all runs are judged by the same questions.

    Args:
        runs: the runs.
        restrict: look only among so many words: the most frequent where the runs have counts, else the first in file
            order; ``None`` for all.
        ignore_case: compare words in upper case on both sides, as gensim's ``case_insensitive``; of several variants
            of a word the first in the order of the vocabulary is taken. ``None``: nobody may choose that.

    Attributes:
        words: how many words are looked at.
        notes: a sentence on the cut, if there is one.

    Raises:
        InputError: if ``restrict`` is below 1.
    """

    def __init__(self, runs: Runs, restrict: int | None, ignore_case: bool | None) -> None:
        if restrict is not None and restrict < 1:
            raise InputError(f"restrict is {restrict}, wanted at least 1, or None for all words")
        self.words = runs.words if restrict is None else min(restrict, runs.words)
        self.notes = _cut_note(runs, self.words)
        self._ignore_case = ignore_case
        self._way = ": write them as the runs do" if ignore_case is None else " (ignore_case)"
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
        found = {self.key(word): self.rows(word) for word in dict.fromkeys(words)}
        several = [rows for rows in found.values() if len(rows) > 1]
        if not several:
            return ()
        shown = "; ".join("/".join(self._vocabulary.text(row) for row in rows[:3]) for rows in several[:_SHOWN])
        more = " ..." * (len(several) > _SHOWN)
        return (
            f"Letter case is ignored: {len(several):,} words of the test merge {sum(map(len, several)):,} words of the "
            f"runs, the first of which is taken: {shown}{more}",
        )

    def known(self, pairs: Sequence[Pair], rivals: Sequence[str] = ()) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
        """Return pairs as they are looked up, and what is to be said of that.

        A tail is left out of a word (``sun`` for ``sun-n``) only where all words have one, and the vectors lack the
        word as it stands and have it without. Few pairs in the vocabulary have a likely reason.

        Args:
            pairs: of a test.
            rivals: other columns of it that may be the words.
        """
        words = dict.fromkeys(word for pair in pairs for word in pair)
        tails = tails_of(words)
        bare = {}
        if tails is not None:
            lacking = [word for word in words if self.row(word) is None]
            bare = {word: tails.bare(word) for word in lacking if self.row(tails.bare(word)) is not None}
        notes = []
        if tails is not None and bare:
            shown = ", ".join(f"{show(word)} as {show(own)}" for word, own in list(bare.items())[:2])
            kinds = some_words([tails.sign + kind for kind in tails.kinds])
            what = counted(len(bare), "word", "is/are", of=len(words))
            notes.append(f"{what} looked up without a tail ({kinds}), which the runs do not have: {shown}.")
        if other := [own for word in words if self.row(word) is None and self.row(own := as_cp1252(word)) is not None]:
            what = counted(len(other), "word", of=len(words))
            notes.append(f"Read as cp1252, {what} more would be there ({some_words(other)}): save the file as UTF-8.")
        found = tuple((bare.get(a, a), bare.get(b, b)) for a, b in pairs)
        there = sum(self.row(a) is not None and self.row(b) is not None for a, b in found)
        if there < FEW * len(pairs):
            what = counted(there, "pair", "is/are", of=len(pairs))
            notes.append(f"{what} in the vocabulary: {self._reason(list(words), tails, rivals)}")
        return found, tuple(notes)

    def _reason(self, words: Sequence[bytes], tails: Tails | None, rivals: Sequence[str]) -> str:
        """Say why so few words of a test are known, by what would find more of them."""
        now = sum(self.row(word) is not None for word in words)
        folded = {word.decode("utf-8", "replace").casefold() for word in self._vocabulary}
        cased = sum(word.decode("utf-8", "replace").casefold() in folded for word in words)
        if cased > 2 * now + 1:
            return f"{cased:,} of its {len(words):,} words are there in other letter case{self._way}."
        ends = tails_of(list(self._vocabulary)[:_SAMPLE])
        if tails is None and ends is not None:
            return f"the words of the runs have tails ({some_words([ends.sign + kind for kind in ends.kinds])})."
        if 2 * sum(number(word) is not None for word in words) > len(words):
            return "most of its words are numbers: other columns may be the words (word_columns)."
        if rivals:
            return f"other columns may be the words: {', '.join(rivals)} (word_columns)."
        if now >= OF_ONE_LANGUAGE * len(self._vocabulary):
            return f"the runs have only {len(self._vocabulary):,} words, {now:,} of which are among its {len(words):,}."
        shown, own = some_words(words, 3), some_words(list(self._vocabulary)[:3], 3)
        return f"it may be of another language, or other columns are its words: it has {shown}, the runs {own}"

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
