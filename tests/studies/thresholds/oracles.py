"""The study's formulas as naively as the paper writes them: Python loops over word pairs, in float64."""

import math
from collections import defaultdict

import numpy as np

from tests.oracles import unit


def group(cosine):
    """k for k − 0.01 < cosine ≤ k, in hundredths; what lies on an edge up to rounding lies on it."""
    return math.ceil(round(cosine * 100, 7))


def groups_by_value(x, values):
    """For every group, ``(i, j, value)`` of its unordered pairs; ``values`` is a dictionary of pairs."""
    x = unit(x)
    found = defaultdict(list)
    for (i, j), value in values.items():
        found[group(float(x[i] @ x[j]))].append((i, j, value))
    return found


def groups_by_place(x, words, value):
    """For every place, ``(word, neighbour, value)`` of the words' lists; places of unknown neighbours stay empty."""
    x = unit(x)
    found = defaultdict(list)
    for i in words:
        cosines = x @ x[i]
        order = sorted((k for k in range(len(x)) if k != i), key=lambda k: (-cosines[k], k))
        for j, k in enumerate(order, 1):
            if k in words:
                found[j].append((i, k, value(i, k)))
    return found


def dyadic_variance(first, second):
    """Variance of the difference of two means: every two pairs that share a word are correlated, no others.

    Σ over ordered couples (p, q) that share a word of c_p c_q e_p e_q, with e the residuals and c = ±1/n; a couple of
    equal pairs counts once.
    """
    terms = []
    for pairs, sign in ((first, 1), (second, -1)):
        mean = np.mean([value for *_, value in pairs])
        terms += [({i, j}, sign * (value - mean) / len(pairs)) for i, j, value in pairs]
    return sum(a * b for words, a in terms for others, b in terms if words & others)


def kolmogorov_smirnov(x, y):
    x, y = np.sort(x), np.sort(y)
    both = np.concatenate([x, y])
    return np.max(np.abs(np.searchsorted(x, both, "right") / len(x) - np.searchsorted(y, both, "right") / len(y)))
