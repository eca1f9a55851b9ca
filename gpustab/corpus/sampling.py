"""Fixed, shuffled and bootstrap samples of a corpus (Antoniak & Mimno 2018, §4), and the seeds of a run.

A draw is determined by (seed, sampling, run) alone and is the same on every machine: it uses only the raw output of
PCG64 seeded by a SeedSequence, both of which numpy promises never to change. The training seed is a second stream, and
every sampling has one of its own: with one for all of them the fixed and the shuffled runs of a technique that sees no
order (GloVe) were the same vectors bit for bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.compact import Ids, Offsets, counts_of, stretches
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.periods import values_of
from gpustab.errors import InputError, near, option
from gpustab.options import check, check_seed
from gpustab.runs.key import SAMPLINGS as SAMPLINGS
from gpustab.runs.key import Sampling as Sampling

_SHARED_TRAINING = len(SAMPLINGS)
"""Number of the stream of training seeds that all samplings once shared, after the streams of their draws."""
_TRAINING = {sampling: len(SAMPLINGS) + 1 + number for number, sampling in enumerate(SAMPLINGS)}
"""Numbers of the streams of training seeds, one for each sampling."""
_ORDER = 2 * len(SAMPLINGS) + 1
"""Number of the stream of the order in which the documents of drawn groups stand."""


def draw_units(sampling: Sampling, units: int, seed: int, run: int) -> NDArray[np.int64]:
    """Return which units a run reads, in order.

    Args:
        sampling: ``"fixed"``: each once, in corpus order; ``"shuffled"``: each once, in random order;
            ``"bootstrap"``: as many as there are, drawn with replacement, in random order.
        units: number of units in the corpus.
        seed: of the study.
        run: number of the run.

    Raises:
        InputError: if the sampling is none of the three, or seed or run lies outside 0 to 2³² − 1.

    Example:
        >>> draw_units("fixed", 4, seed=0, run=0).tolist()
        [0, 1, 2, 3]
        >>> sorted(draw_units("shuffled", 4, seed=0, run=0).tolist())
        [0, 1, 2, 3]
    """
    if sampling == "fixed":
        return np.arange(units, dtype=np.int64)
    check("sampling", sampling, Sampling)
    random = np.random.PCG64(_stream(seed, SAMPLINGS.index(sampling), run)).random_raw(units)
    if sampling == "shuffled":
        return np.argsort(random, kind="stable").astype(np.int64)
    return (random % np.uint64(max(units, 1))).astype(np.int64)  # bias below units / 2⁶⁴


def drawn_together(corpus: Corpus, unit: str) -> Corpus:
    """Return the corpus with what its documents are drawn together by.

    Documents of one author, or of one day, say the same things: drawn one by one they are no independent draws, and
    bootstrap runs differ too little. All documents of a group are drawn or none, as clusters are (Davison & Hinkley
    1997, *Bootstrap Methods and their Application*, §3.8).

    Args:
        corpus: whose units are documents.
        unit: a column of metadata; or ``"blocks-10"``: ten documents that stand beside each other.

    Raises:
        InputError: if a document has no such column, or all have one value.
    """
    if block := re.fullmatch(r"blocks-([1-9]\d*)", unit):
        return replace(corpus, unit=unit, together=np.arange(len(corpus), dtype=np.int64) // int(block[1]))
    known = {name for record in corpus.records for name in record.metadata} | {"folder"}
    if unit not in known:
        ways = f"wanted document, sentence, blocks-N, or a column ({', '.join(sorted(known))})"
        raise InputError(f"{option('unit')} is {unit!r}, {ways}{near(unit, ['document', 'sentence', *known])}")
    values = values_of(corpus, unit)
    number = {value: k for k, value in enumerate(dict.fromkeys(values))}
    if len(number) < 2:
        raise InputError(f"{option('unit', unit)}: all documents of {corpus.name} have one {unit}, '{values[0]}'")
    return replace(corpus, unit=unit, together=np.array([number[value] for value in values], dtype=np.int64))


def draw(corpus: Corpus, sampling: Sampling, seed: int, run: int) -> NDArray[np.int64]:
    """Return which units of a corpus a run reads, in order: those of :func:`draw_units`, or groups of them.

    Of groups that are drawn together the bootstrap draws as many as there are, with replacement; the documents of all
    of them stand in random order. Shuffled and fixed runs read every document once, whatever the groups.

    Raises:
        InputError: as that function.
    """
    if corpus.together is None or sampling != "bootstrap":
        return draw_units(sampling, len(corpus), seed, run)
    groups = np.unique(corpus.together, return_inverse=True)[1]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    drawn = draw_units(sampling, len(bounds) - 1, seed, run)
    units = np.argsort(groups, kind="stable")[ranges(bounds[drawn], bounds[drawn + 1])]
    order = np.random.PCG64(_stream(seed, _ORDER, run)).random_raw(len(units))
    return units[np.argsort(order, kind="stable")].astype(np.int64)


def training_seed(seed: int, sampling: Sampling, run: int) -> int:
    """Return the seed of a run's training, 1 to 2³¹ − 1, from a stream that only this sampling's trainings use.

    >>> len({training_seed(0, sampling, run) for sampling in SAMPLINGS for run in range(3)})
    9
    """
    check("sampling", sampling, Sampling)
    return _training_seed(seed, _TRAINING[sampling], run)


def shared_training_seed(seed: int, run: int) -> int:
    """Return the seed that run number ``run`` of every sampling once had; run sets begun so are finished so."""
    return _training_seed(seed, _SHARED_TRAINING, run)


def _training_seed(seed: int, number: int, run: int) -> int:
    state = _stream(seed, number, run).generate_state(1)
    return int(state[0]) % (2**31 - 1) + 1


def _stream(seed: int, number: int, run: int) -> np.random.SeedSequence:
    # A larger number takes two of the sequence's 32-bit words, and two streams could become the same.
    check_seed(seed)
    check_seed(run, "run")
    return np.random.SeedSequence([seed, number, run])


@dataclass(frozen=True, eq=False)
class Sample:
    """The part of a corpus that one run trains on.

    Attributes:
        corpus: the whole.
        draw: ``(n,)`` int64, the units in reading order.
        tokens: ``(m,)`` int32 word ids of the corpus vocabulary.
        texts: ``(s + 1,)`` int64 offsets into ``tokens``; empty texts are left out.
    """

    corpus: Corpus
    draw: NDArray[np.int64]
    tokens: Ids
    texts: Offsets

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """``(v,)`` counts in the sample of every word of the corpus vocabulary."""
        return counts_of(self.tokens, len(self.corpus.vocabulary))

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Ids of the words that the sample holds, ascending: most frequent in the corpus first."""
        return np.flatnonzero(self.counts)

    @cached_property
    def local(self) -> Ids:
        """``(m,)`` the tokens as positions in :attr:`words`."""
        if len(self.words) == len(self.counts):
            return self.tokens
        position = np.zeros(len(self.counts), dtype=np.int32)
        position[self.words] = np.arange(len(self.words), dtype=np.int32)
        return position[self.tokens]

    def pieces(self, longest: int) -> Iterator[Ids]:
        """Yield the texts in order, cut into pieces of at most ``longest`` tokens; together they are all tokens."""
        for start, stop in zip(self.texts[:-1].tolist(), self.texts[1:].tolist(), strict=True):
            for begin in range(start, stop, longest):
                yield self.tokens[begin : min(begin + longest, stop)]


def sample(corpus: Corpus, draw: NDArray[np.int64]) -> Sample:
    """Return the sample that a draw of units makes of a corpus."""
    texts = ranges(corpus.units[draw], corpus.units[draw + 1])
    starts, stops = corpus.texts[texts], corpus.texts[texts + 1]
    full = stops > starts
    starts, stops = starts[full], stops[full]
    offsets = np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64)
    return Sample(corpus, draw, _gathered(corpus.tokens, starts, stops, offsets), offsets)


def _gathered(tokens: Ids, starts: NDArray[np.int64], stops: NDArray[np.int64], offsets: Offsets) -> Ids:
    """Return the tokens of all ranges, one after the other: the corpus' own where these follow each other.

    Some ranges at a time: the places of all tokens would take six times their room.
    """
    if not len(starts) or bool((starts[1:] == stops[:-1]).all()):
        return tokens[starts[0] : stops[-1]] if len(starts) else tokens[:0]
    found = np.empty(offsets[-1], tokens.dtype)
    for first, last in stretches(offsets):
        found[offsets[first] : offsets[last]] = tokens[ranges(starts[first:last], stops[first:last])]
    return found


def unit_names(corpus: Corpus, units: NDArray[np.int64]) -> list[bytes]:
    """Return what some units are called: documents by their ids, sentences by ``<document>:<number from 1>``.

    Documents whose ids are not one each, and units of a corpus without records, are called by their numbers.
    """
    ids = Counter(record.id for record in corpus.records)
    if not ids or max(ids.values()) > 1:
        return [str(unit).encode() for unit in units.tolist()]
    document = np.searchsorted(corpus.documents, corpus.units[units], side="right") - 1
    called = [corpus.records[k].id.encode("utf-8", "surrogateescape") for k in document.tolist()]
    if corpus.unit == "document":
        return called
    number = corpus.units[units] - corpus.documents[document] + 1
    return [b"%b:%d" % (name, n) for name, n in zip(called, number.tolist(), strict=True)]


def ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``start, start + 1, ... stop - 1`` of all ranges, one after the other, without a loop."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    shifts: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + shifts
