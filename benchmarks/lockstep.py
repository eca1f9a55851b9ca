"""Skip-gram of one run by P programs that go in step: a model of the order of updates, for :mod:`benchmarks.hogwild`.

What programs of :mod:`gpustab.kernels.training.triton_word2vec` read, draw and share out is the same here. A step is
one pair of every program, trained on copies of its rows; :data:`ORDERS` are what then becomes of the rows. Compiled by
numba, which only benchmarks need.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise
from gpustab.kernels.training.reading import Reading

try:
    from numba import njit
except ImportError:
    raise ImportError("benchmarks.lockstep needs numba: pip install numba") from None

ORDERS = {"ordered": (0, 0.0), "lost": (1, 0.0), "stale": (2, 0.0), "root": (2, 0.5), "mean": (2, 1.0)}
"""How rows are written, and the power of 1/m by which m additions to one row are made smaller."""

_ORDERED, _ADDED = 0, 2
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
LARGEST, SCALE, SHIFT = word2vec.LARGEST, word2vec.SCALE, word2vec.SHIFT

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


class Pairs(NamedTuple):
    """The pairs of one run's epoch, in the order of one program.

    Attributes:
        places: ``(n,)`` of the words, in what the run reads.
        contexts: ``(n,)`` words whose input row moves.
        targets: ``(n, K + 1)`` the word and its noise words.
    """

    places: Integers
    contexts: Integers
    targets: Integers


@njit(cache=True)
def random_word(t, epoch, nth, slot, seed):
    """Return the first word of a counter, see :func:`gpustab.kernels.training.philox.philox`."""
    a, b, c, d = np.uint64(t), np.uint64(epoch), np.uint64(nth), np.uint64(slot)
    low, high = np.uint64(seed), np.uint64(word2vec.TRAIN)
    for _ in range(10):
        first, third = a * _M0, c * _M1
        a, b = (third >> _HALF) ^ b ^ low, third & _LOW
        c, d = (first >> _HALF) ^ d ^ high, first & _LOW
        low, high = (low + _W0) & _LOW, (high + _W1) & _LOW
    return a


@njit(cache=True)
def _draw(tokens, texts, threshold, alias, seed, epoch, window, negative):
    """Return the columns of :class:`Pairs` for texts of one run."""
    most = 2 * window * len(tokens)
    places, contexts = np.empty(most, np.int64), np.empty(most, np.int64)
    targets = np.empty((most, negative + 1), np.int64)
    n, words = 0, np.uint64(len(alias))
    for text in range(len(texts) - 1):
        begin, end = texts[text], texts[text + 1]
        for t in range(begin, end):
            width = 1 + np.int64(random_word(t, epoch, 0, 0, seed) * np.uint64(window) >> _HALF)
            for q in range(max(begin, t - width), min(end, t + width + 1)):
                if q == t:
                    continue
                places[n], contexts[n], targets[n, 0] = t, tokens[q], tokens[t]
                for k in range(negative):
                    product = random_word(t, epoch, 1 + q - t + window, k, seed) * words
                    cell, part = np.int64(product >> _HALF), np.int64((product & _LOW) >> np.uint64(1))
                    targets[n, 1 + k] = cell if part < threshold[cell] else alias[cell]
                n += 1
    return places[:n], contexts[:n], targets[:n]


@njit(cache=True, fastmath=True)
def _move(rows, first, targets, rate):
    """Train one pair on its own copies of rows, ``(K + 2, d)``: the context's, then the targets'."""
    dim = rows.shape[1]
    x, step = rows[0], np.zeros(dim, np.float32)
    for k in range(len(targets)):
        if k and targets[k] == targets[0]:
            continue
        y = rows[1 + first[k]]
        product = np.float32(0)
        for i in range(dim):
            product += x[i] * y[i]
        if abs(product) < LARGEST:
            g = np.float32(rate * ((k == 0) - 1 / (1 + np.exp(-SCALE * product - SHIFT))))
            for i in range(dim):
                step[i] += g * y[i]
                y[i] += g * x[i]
    for i in range(dim):
        x[i] += step[i]


@njit(cache=True, fastmath=True)
def _write(row, old, new, many, order, power):
    """Write one row of a table that ``many`` programs move in this step."""
    if order != _ADDED:
        row[:] = new
    else:
        scale = np.float32(1 if many == 1 else many**-power)
        for i in range(len(row)):
            row[i] += scale * (new[i] - old[i])


@njit(cache=True)
def _train(inputs, outputs, context, targets, rate, old, new, first):
    """Train one pair of one program on copies of its rows, as they were and as they become."""
    old[0] = inputs[context]
    for k in range(len(targets)):
        first[k] = k
        for j in range(k - 1, -1, -1):
            if targets[j] == targets[k]:
                first[k] = j
        old[1 + k] = outputs[targets[k]]
    new[:] = old
    _move(new, first, targets, rate)


@njit(cache=True)
def _count(movers, context, targets, first, more):
    """Count the programs that move rows: of the inputs, and of the outputs."""
    movers[0, context] += more
    for k in range(len(targets)):
        if first[k] == k:
            movers[1, targets[k]] += more


@njit(cache=True)
def _store(inputs, outputs, context, targets, movers, old, new, first, order, power):
    """Write the rows of one pair."""
    _write(inputs[context], old[0], new[0], movers[0, context], order, power)
    for k in range(len(targets)):
        if first[k] == k:
            row = targets[k]
            _write(outputs[row], old[1 + k], new[1 + k], movers[1, row], order, power)


@njit(cache=True)
def _lockstep(inputs, outputs, contexts, targets, rates, starts, stops, order, power):
    """Train the pairs ``starts[p]`` to ``stops[p]`` of every program; who begins, and so who ends, goes round."""
    programs, slots = len(starts), targets.shape[1]
    old = np.empty((programs, slots + 1, inputs.shape[1]), np.float32)
    new = np.empty_like(old)
    first = np.empty((programs, slots), np.int64)  # the first slot of a pair that holds the same word
    movers = np.zeros((2, len(inputs)), np.int64)
    for s in range((stops - starts).max()):
        for turn in range(3 * programs):  # all train, all write, all are forgotten
            p = (turn + s) % programs
            n = starts[p] + s
            if n >= stops[p]:
                continue
            if turn < programs:
                _train(inputs, outputs, contexts[n], targets[n], rates[n], old[p], new[p], first[p])
                _count(movers, contexts[n], targets[n], first[p], 1)
            if turn // programs == (0 if order == _ORDERED else 1):
                _store(inputs, outputs, contexts[n], targets[n], movers, old[p], new[p], first[p], order, power)
            if turn >= 2 * programs:
                _count(movers, contexts[n], targets[n], first[p], -1)


def draw_pairs(reading: Reading, noise: Noise, seed: int, epoch: int, recipe: word2vec.Recipe) -> Pairs:
    """Return the pairs of one run, those of :func:`gpustab.kernels.training.word2vec.train_epoch`."""
    tables = (part[0].numpy() for part in noise)
    tokens, texts = reading.tokens.numpy().astype(np.int64), reading.texts.numpy()
    return Pairs(*_draw(tokens, texts, *tables, seed, epoch, recipe.window, recipe.negative))


def train_pairs(
    pairs: Pairs, tokens: int, model: word2vec.Model, epoch: int, recipe: word2vec.Recipe, programs: int, order: str
) -> None:
    """Train one run for one epoch, in place.

    Args:
        pairs: of the epoch.
        tokens: that the run reads in it; every program has an equal part of them, and learning rates of its own part.
        model: its vectors, ``(1, v, d)``.
        epoch: counted from 0.
        recipe: see :class:`gpustab.kernels.training.word2vec.Recipe`.
        programs: P.
        order: one of :data:`ORDERS`.
    """
    cuts = tokens * np.arange(programs + 1) // programs
    borders = np.searchsorted(pairs.places, cuts)
    part = np.searchsorted(cuts, pairs.places, side="right") - 1
    done = (epoch + (pairs.places - cuts[part]) / (cuts[part + 1] - cuts[part])) / recipe.epochs
    rates = np.maximum(recipe.last_rate, recipe.rate - (recipe.rate - recipe.last_rate) * done)
    tables = (table[0].numpy() for table in model)
    _lockstep(*tables, pairs.contexts, pairs.targets, rates, borders[:-1], borders[1:], *ORDERS[order])
