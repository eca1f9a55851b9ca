"""Usages of words by period, and what is measured of them: rows of words, of periods, sentences, and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.slices import epoch_slices
from gpustab.errors import InputError, option, some_of
from gpustab.evaluation.truth import FEWEST as FEWEST_JUDGED
from gpustab.evaluation.truth import Truth
from gpustab.results.page import counted
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.ranks import spearman, spearman_interval
from gpustab.studies.usage.claims import FEWEST, WORD_DIFFERS, Compared, Example, Pair, Ranked, Used, leading
from gpustab.studies.usage.measures import MEASURES, Apart, Measured, Word, evened, jackknife_of_two
from gpustab.studies.usage.options import UsageOptions
from gpustab.studies.usage.usages import Counts, Usages

Numbers = NDArray[np.int64]
SHOWN = 10
"""Of so many words sentences are shown."""
_SENTENCES = 3
"""Of each period, from as many documents."""


class Text(NamedTuple):
    """The documents of the periods.

    Attributes:
        corpus: them alone.
        options: how they were read.
        names: of the periods.
        period: ``(m,)`` of every document.
    """

    corpus: Corpus
    options: CorpusOptions
    names: tuple[str, ...]
    period: Numbers

    @property
    def together(self) -> Numbers:
        """``(m,)`` a number of every document; those that are drawn together, as of one author, have one."""
        own = self.corpus.together
        return np.arange(len(self.corpus.records)) if own is None else np.asarray(own, np.int64)


def text_of(corpus: Corpus, options: CorpusOptions, epochs_by: str) -> Text:
    """Return the documents of a corpus that are in a period.

    Raises:
        InputError: if documents are not what is drawn, or fewer than two periods have words.
    """
    if corpus.unit == "sentence":
        raise InputError(
            f"{option('unit', 'sentence')}: sentences of one document are alike, so that documents are dealt out here"
        )
    slices = epoch_slices(corpus, epochs_by, unclear_dates=options.unclear_dates)
    period_of = {record.place: k for k, part in enumerate(slices) for record in part.corpus.records}
    inside = corpus.take([k for k, record in enumerate(corpus.records) if record.place in period_of])
    names = tuple(part.part[-1][1] for part in slices)
    return Text(inside, options, names, np.array([period_of[record.place] for record in inside.records], np.int64))


class Found:
    """The usages by word and period.

    Args:
        text: the documents.
        names: of the words.
        usages: that were read.
        options: of the study.
    """

    def __init__(self, text: Text, names: Sequence[str], usages: Usages, options: UsageOptions) -> None:
        self.text, self.names, self.usages, self.options = text, names, usages, options
        self._words, self._documents = usages.words, usages.documents
        self._periods = text.period[self._documents]
        self._together = text.together[self._documents]

    def of_period(self, period: int) -> int:
        """How many usages of a period there are."""
        return int((self._periods == period).sum())

    def of(self, word: int, *periods: int) -> Numbers:
        """Return the numbers of a word's usages in some periods."""
        return np.flatnonzero((self._words == word) & np.isin(self._periods, periods))

    def documents_of(self, word: int, period: int) -> int:
        """In how many documents of a period its usages stand; those that are drawn together count once."""
        return len(np.unique(self._together[self.of(word, period)]))

    def word(self, word: int, first: int, second: int) -> tuple[Word, Numbers]:
        """Return the usages of a word that two periods are compared by, and their numbers."""
        own = self.of(word, first, second)
        rng = np.random.default_rng([self.options.seed, crc32(self.names[word].encode()), first, second])
        own = own[evened(self._together[own], self._periods[own] == second, rng)]
        return Word(self.usages.vectors[own], self._together[own], self._periods[own] == second), own

    def used(self, counts: Sequence[Sequence[Counts]]) -> Iterator[Used]:
        """Yield how much was read of every word in every period."""
        for word, each in enumerate(counts):
            for period, own in enumerate(each):
                yield Used(
                    self.text.names[period],
                    self.names[word],
                    int(own.counts.sum()),
                    len(own.documents),
                    len(self.of(word, period)),
                    self.documents_of(word, period),
                )


class Tested(NamedTuple):
    """A word that was tested.

    Attributes:
        word: its number.
        measured: by each measure.
        true: the measures themselves.
        without: likewise without one document after the other.
        names: which documents these are.
        later: whether they are of the later period.
        clusters: how many its usages have.
        least: what p is at least.
        exact: what it is at least if all deals are made.
    """

    word: int
    measured: list[Measured]
    true: Apart
    without: Apart
    names: Numbers
    later: NDArray[np.bool_]
    clusters: int
    least: float
    exact: float


_NONE = Measured(math.nan, math.nan, Estimate(math.nan, math.nan, 0), math.nan, math.nan)


def compare(found: Found, first: int, second: int) -> list[Tested]:
    """Return the measures of all words that stand in enough documents of two periods."""
    tested = []
    for k, name in enumerate(found.names):
        if min(found.documents_of(k, first), found.documents_of(k, second)) < FEWEST:
            continue
        word, _ = found.word(k, first, second)
        rng = np.random.default_rng([found.options.seed, crc32(name.encode()), first])
        measured, true, without = word.measured(found.options.deals, rng)
        clusters, least = int(word.clusters.max()) + 1, word.least_p(found.options.deals)
        exact = word.least_p(word.ways)
        tested.append(Tested(k, measured, true, without, word.names, word.later, clusters, least, exact))
    return tested


def rows_of(found: Found, tested: Sequence[Tested], first: int, second: int) -> Iterator[Compared]:
    """Yield a row for every word and measure; of a word without a test, one without numbers."""
    rate = found.options.rate
    q = [false_discovery_control([one.measured[m].p for one in tested]) if tested else [] for m in range(len(MEASURES))]
    at = {one.word: k for k, one in enumerate(tested)}
    for word, name in enumerate(found.names):
        few = min(found.documents_of(word, first), found.documents_of(word, second))
        both = found.documents_of(word, first) + found.documents_of(word, second)
        where = (found.text.names[first], found.text.names[second], name)
        for m, measure in enumerate(MEASURES):
            own, of_q, clusters = _NONE, math.nan, 0
            if word in at:
                one = tested[at[word]]
                own, of_q, clusters = one.measured[m], float(q[m][at[word]]), one.clusters
            numbers = (own.value, own.expected, own.beyond.value, own.beyond.se, own.chance, own.p)
            yield Compared(*where, measure, *numbers, of_q, rate, clusters, both, few)


def pair_of(found: Found, tested: Sequence[Tested], rows: Sequence[Compared], m: int) -> Pair:
    """Return what two periods show by one measure.

    Args:
        found: the usages.
        tested: its words.
        rows: of this measure.
        m: its number.
    """
    count = sum(WORD_DIFFERS.judge(row) == "yes" for row in rows)
    where = (rows[0].first, rows[0].second, MEASURES[m], len(rows), len(tested), count, found.options.rate)
    if not tested:
        return Pair(*where, math.nan, math.nan, 0, math.nan, math.nan, found.options.centre)
    scale = float(np.mean([one.measured[m].expected for one in tested]))
    mean = float(np.mean([one.measured[m].beyond.value for one in tested]))
    names = np.unique(np.concatenate([one.names * 2 + one.later for one in tested]))
    # What both are without a document: words that do not stand there keep their values.
    without, scales = np.full(len(names), mean), np.full(len(names), scale)
    for one in tested:
        at = np.searchsorted(names, one.names * 2 + one.later)
        without[at] += (one.without.beyond[m] - one.true.beyond[m]) / len(tested)
        if MEASURES[m] == "apd":
            scales[at] += (one.without.within - one.true.within) / len(tested)
    error = jackknife_of_two(without / scales, (names % 2).astype(bool)) if scale else math.nan
    return Pair(
        *where,
        mean / scale if scale else math.nan,
        error,
        len(names),
        max(one.least for one in tested),
        max(one.exact for one in tested),
        found.options.centre,
    )


def examples(found: Found, rows: Sequence[Compared], first: int, second: int) -> Iterator[Example]:
    """Yield sentences of the words that differ, those nearest to what only one of the periods has."""
    for row in [row for row in leading(rows) if WORD_DIFFERS.judge(row) == "yes"][:SHOWN]:
        word, own = found.word(found.names.index(row.word), first, second)
        nearer = word.typical()
        for period, sign in ((first, -1), (second, 1)):
            seen = set[int]()
            for k in np.argsort(-sign * nearer, kind="stable"):
                usage = found.usages.chosen[own[k]]
                if found.text.period[usage.document] != period or usage.document in seen or len(seen) == _SENTENCES:
                    continue
                seen.add(usage.document)
                name = found.text.corpus.records[usage.document].id
                sentence = usage.before, usage.written, usage.after
                yield Example(*row[:3], found.text.names[period], name, *sentence, float(sign * nearer[k]))


def rank(truth: Truth, rows: Sequence[Compared]) -> tuple[list[Ranked], list[str]]:
    """Return how well each measure ranks the words that people judged, all of them the same words."""
    values = {(row.word, row.measure): row.value for row in rows if math.isfinite(row.value)}
    changes = truth.changes
    known = [word for word in changes if all((word, measure) in values for measure in MEASURES)]
    left = [word for word in changes if word not in known]
    name = f"{truth.name}, {rows[0].first} to {rows[0].second}"
    said = []
    if left:
        few = counted(len(left), "word", "is/are", of=len(changes))
        said = [f"{name}: {few} not ranked, without a test: {some_of(left, 5)}."]
    if len(known) < FEWEST_JUDGED or len({changes[word] for word in known}) < 2:
        return [], [*said, f"{name}: {counted(len(known), 'word', 'is left/are left')}, too few to rank."]
    people = torch.tensor([[changes[word] for word in known]], dtype=torch.float64, device="cpu")
    high = "changed" if truth.sign > 0 else "unchanged"
    found = []
    for measure in MEASURES:
        own = torch.tensor([[values[word, measure] for word in known]], dtype=torch.float64, device="cpu")
        rho = float(spearman(own, people))
        where = (rows[0].first, rows[0].second, truth.name, high, measure)
        found.append(Ranked(*where, rho, *spearman_interval(rho, len(known)), len(known)))
    return found, said
