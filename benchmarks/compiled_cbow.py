"""CBOW of one run by the plain loop of :mod:`gpustab.kernels.training.word2vec`, compiled by numba.

It reads, draws and moves the same, step by step, some thousand times as fast: for groups of runs on a CPU.
"""

from __future__ import annotations

import numpy as np

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise
from gpustab.kernels.training.reading import Reading

try:
    from numba import njit
except ImportError:
    raise ImportError("benchmarks.compiled_cbow needs numba: pip install numba") from None

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
LARGEST, SCALE, SHIFT = word2vec.LARGEST, word2vec.SCALE, word2vec.SHIFT


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
def _draw(targets, word, t, epoch, seed, threshold, alias):
    """Write the word and its noise words."""
    targets[0] = word
    for k in range(len(targets) - 1):
        product = random_word(t, epoch, 0, 1 + k, seed) * np.uint64(len(alias))
        cell, part = np.int64(product >> _HALF), np.int64((product & _LOW) >> np.uint64(1))
        targets[1 + k] = cell if part < threshold[cell] else alias[cell]


@njit(cache=True, fastmath=True)
def _move(x, outputs, targets, rate, step):
    """Move output rows, and add up what moves the input rows."""
    step[:] = 0
    for k in range(len(targets)):
        if k and targets[k] == targets[0]:
            continue
        y = outputs[targets[k]]
        product = np.float32(0)
        for i in range(len(x)):
            product += x[i] * y[i]
        if abs(product) < LARGEST:
            g = np.float32(rate * ((k == 0) - 1 / (1 + np.exp(-SCALE * product - SHIFT))))
            for i in range(len(x)):
                step[i] += g * y[i]
                y[i] += g * x[i]


@njit(cache=True, fastmath=True)
def _train(inputs, outputs, tokens, texts, threshold, alias, seed, epoch, window, negative, rates):
    x, step = np.empty(inputs.shape[1], np.float32), np.empty(inputs.shape[1], np.float32)
    targets = np.empty(negative + 1, np.int64)
    for text in range(len(texts) - 1):
        begin, end = texts[text], texts[text + 1]
        for t in range(begin, end):
            width = 1 + np.int64(random_word(t, epoch, 0, 0, seed) * np.uint64(window) >> _HALF)
            first, stop = max(begin, t - width), min(end, t + width + 1)
            if stop - first < 2:
                continue
            x[:] = 0
            for q in range(first, stop):
                if q != t:
                    x += inputs[tokens[q]]
            x *= np.float32(1 / (stop - first - 1))
            _draw(targets, tokens[t], t, epoch, seed, threshold, alias)
            _move(x, outputs, targets, rates[t], step)
            for q in range(first, stop):
                if q != t:
                    inputs[tokens[q]] += step


def train_cbow(
    reading: Reading, noise: Noise, model: word2vec.Model, seed: int, epoch: int, recipe: word2vec.Recipe
) -> None:
    """Train one run for one epoch, in place, see :func:`gpustab.kernels.training.word2vec.train_epoch`."""
    tokens, texts = reading.tokens.numpy().astype(np.int64), reading.texts.numpy()
    tables = (part[0].numpy() for part in (*model, noise.threshold, noise.alias))
    inputs, outputs, threshold, alias = tables
    done = (epoch + np.arange(len(tokens)) / len(tokens)) / recipe.epochs
    rates = np.maximum(recipe.last_rate, recipe.rate - (recipe.rate - recipe.last_rate) * done)
    window, negative = recipe.window, recipe.negative
    _train(inputs, outputs, tokens, texts, threshold, alias, seed, epoch, window, negative, rates)
