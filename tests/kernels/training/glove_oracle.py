"""GloVe entry by entry in float64, written from the paper's equations."""

from typing import NamedTuple

import numpy as np
from scipy import sparse


class Naive(NamedTuple):
    loss: float
    word: np.ndarray
    context: np.ndarray


def random_counts(v, density, seed):
    """Symmetric counts between 0.1 and 100, with entries for the first and no entry for the last word."""
    rng = np.random.default_rng(seed)
    upper = np.triu(np.where(rng.random((v, v)) < density, 10 ** rng.uniform(-1, 2, (v, v)), 0))
    upper[0, 0] = 3.0
    upper[:, v - 1] = 0
    return sparse.csr_matrix(upper + np.triu(upper, 1).T)


def entries(counts):
    found = counts.tocoo()
    return list(zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True))


def bracket(start, i, j, x):
    w, c = start
    return w[i, :-1] @ c[j, :-1] + w[i, -1] + c[j, -1] - np.log(x)


def weight(x, x_max, alpha):
    return (x / x_max) ** alpha if x < x_max else 1.0


def loss_and_gradients(entries, start, x_max, alpha):
    word, context, loss = np.zeros_like(start[0]), np.zeros_like(start[1]), 0.0
    for i, j, x in entries:
        difference, f = bracket(start, i, j, x), weight(x, x_max, alpha)
        loss += f * difference**2 / 2
        word[i] += f * difference * np.append(start[1][j, :-1], 1)
        context[j] += f * difference * np.append(start[0][i, :-1], 1)
    return Naive(loss, word, context)


def sequential(entries, start, x_max, alpha, rate, epochs, late=True):
    """AdaGrad, one entry after the other; ``late``: an entry's own square enters the sum after its step."""
    vectors = np.array(start, dtype=np.float64)
    history = np.ones_like(vectors)
    for _ in range(epochs):
        for i, j, x in entries:
            slope = rate * weight(x, x_max, alpha) * bracket(vectors, i, j, x)
            steps = slope * np.append(vectors[1, j, :-1], 1), slope * np.append(vectors[0, i, :-1], 1)
            for side, row, step in zip((0, 1), (i, j), steps, strict=True):
                history[side, row] += 0 if late else step**2
                vectors[side, row] -= step / np.sqrt(history[side, row])
                history[side, row] += step**2 if late else 0
    return vectors
