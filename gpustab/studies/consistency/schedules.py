"""What Nonce2Vec trains on: for every sample its (context word, rate) steps in order, as one padded array.

Sentences are subsampled more, and read with a smaller window, the later they come; the learning rate falls with every
pair of a word and a target. The public code's rules; where the paper (§5) says otherwise the notes of the study tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.consistency.contexts import Instances, chances, instances
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.text import Ids, Text

_KEEP, _NEGATIVES = 4, 5
"""Streams of the seed."""

_LEAST_WINDOW = 3
_LEAST_RATE = 1e-4


class Pairs(NamedTuple):
    """Pairs of a word to be predicted and a target, in the order of training.

    Attributes:
        problem: ``(n,)`` sample of the pair.
        sentence: ``(n,)`` number of its sentence within the sample.
        time: ``(n,)`` number of the pair within the sample, from 1; pairs of two targets, which are not trained, count.
        row: ``(n,)`` background row of the word to be predicted.
    """

    problem: Ids
    sentence: Ids
    time: Ids
    row: Ids


def window_of(sentence: int, first: int, decay: int) -> int:
    """Return the window in a sentence of a sample, counted from 0.

    It falls by ``decay`` as long as it is 4 or more: from 15 by 5 it is 15, 10, 5, 0, so that nothing is trained after
    the third sentence.

    >>> [window_of(s, 15, 5) for s in range(5)], [window_of(s, 15, 3) for s in range(6)]
    ([15, 10, 5, 0, 0], [15, 12, 9, 6, 3, 3])
    """
    window = first
    for _ in range(sentence):
        if window - 1 < _LEAST_WINDOW:
            break
        window -= decay
    return max(window, 0)


def first_chances(text: Text, samples: Samples, found: Instances, counts: Ids, threshold: float) -> NDArray[np.float64]:
    """Return the probability of every instance to be kept in a first sentence, ``(n,)``.

    word2vec's, with the word's count in the background and in its sample, and a threshold that is no rate: it
    multiplies the tokens of the sample.
    """
    owner = samples.owner[found.member]
    sizes = np.bincount(owner, minlength=len(samples.term))
    words = text.tokens[found.place]
    _, inverse, times = np.unique(owner * len(text.words) + words, return_inverse=True, return_counts=True)
    count = np.maximum(counts[words], 0) + times[inverse]
    return chances(count, sizes[owner], threshold)


def training_pairs(text: Text, samples: Samples, rows: Ids, counts: Ids, options: ConsistencyOptions) -> Pairs:
    """Return all pairs of all samples in order; words that the background lacks are not seen.

    Args:
        text: of n tokens.
        samples: P of them, their sentences in the order in which they are read.
        rows: background row of every word of the text, −1 for none.
        counts: of every word of the text in the background.
        options: subsampling and window, and how they decay.
    """
    found = instances(text, samples)
    found = found.take(found.target | (rows[text.tokens[found.place]] >= 0))
    number = np.arange(len(samples.members)) - np.repeat(samples.starts[:-1], samples.sizes)
    chance = first_chances(text, samples, found, counts, options.sample)
    chance = chance / options.sample_decay ** number[found.member].astype(np.float64)
    uniform = np.random.default_rng([options.seed, _KEEP]).random(len(chance))
    found = found.take((uniform < chance) | found.target)
    windows = np.array([window_of(s, options.nonce_window, options.window_decay) for s in range(number.max() + 1)])
    return _pairs(text, samples, rows, found, number, windows)


def _pairs(text: Text, samples: Samples, rows: Ids, found: Instances, number: Ids, windows: Ids) -> Pairs:
    """Pairs (p, q) of two places of a sentence, q a target, at most a window apart; by sentence, p, q."""
    targets = np.flatnonzero(found.target)
    reach = windows[number[found.member[targets]]]
    bounds = (
        np.searchsorted(found.member, found.member[targets], "left"),
        np.searchsorted(found.member, found.member[targets], "right"),
    )
    low, high = np.maximum(targets - reach, bounds[0]), np.minimum(targets + reach + 1, bounds[1])
    lengths = high - low
    q = np.repeat(targets, lengths)
    p = np.arange(lengths.sum()) + np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
    p, q = p[p != q], q[p != q]
    order = np.lexsort((q, p))
    p = p[order]
    owner = samples.owner[found.member[p]]
    first = np.searchsorted(owner, np.arange(len(samples.term)))
    time = np.arange(len(p)) - first[owner] + 1
    trained = ~found.target[p]
    row = rows[text.tokens[found.place[p]]]
    return Pairs(*(part[trained] for part in (owner, number[found.member[p]], time, row)))


def rates_of(time: Ids, alpha: float, decay: float) -> NDArray[np.float64]:
    """Return the learning rate at a pair, ``max(α exp(−(t − 1) / λ), 10⁻⁴)``."""
    return np.maximum(alpha * np.exp(-(time - 1) / decay), _LEAST_RATE)


def draw_negatives(context: Ids, counts: Ids, number: int, seed: int) -> Ids:
    """Draw words in proportion to their count^0.75, none the context word itself, ``(n, K)``.

    Args:
        context: ``(n,)`` words to be predicted.
        counts: ``(v,)`` of the background's words.
        number: K.
        seed: of the draw.
    """
    total = np.cumsum(counts.astype(np.float64) ** 0.75)
    generator = np.random.default_rng([seed, _NEGATIVES])
    found = np.full((len(context), number), -1)
    again = np.ones(found.shape, dtype=np.bool_)
    while again.any():
        found[again] = np.searchsorted(total, generator.random(int(again.sum())) * total[-1], "right")
        again = found == context[:, None]
    return found


def padded(pairs: Pairs, negatives: Ids, problems: int, alpha: float, decay: float) -> tuple[Ids, NDArray[np.float64]]:
    """Return the steps as arrays: ids ``(P, S, K + 1)`` and rates ``(P, S)``, 0 where a problem has no step."""
    first = np.searchsorted(pairs.problem, np.arange(problems))
    step = np.arange(len(pairs.problem)) - first[pairs.problem]
    longest = int(step.max()) + 1 if len(step) else 0
    ids = np.zeros((problems, longest, negatives.shape[1] + 1), dtype=np.int64)
    rates = np.zeros((problems, longest))
    ids[pairs.problem, step] = np.concatenate([pairs.row[:, None], negatives], 1)
    rates[pairs.problem, step] = rates_of(pairs.time, alpha, decay)
    return ids, rates
