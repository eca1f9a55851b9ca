"""An independent float64 computation of the main numbers: numpy, v × v arrays, full sorts; no line of gpustab.

Usage: python tests/reference.py RUN1.txt RUN2.txt ...
"""

import itertools
import json
import sys

import numpy as np
from gensim.models import KeyedVectors

LENGTHS = (1, 2, 5, 10, 25, 50)


def load(paths):
    """(R, v, d) unit rows over the words that all files share, ordered by mean position, then by bytes."""
    models = [KeyedVectors.load_word2vec_format(path) for path in paths]
    shared = set.intersection(*(set(model.index_to_key) for model in models))
    position = {w: np.mean([model.key_to_index[w] for model in models]) for w in shared}
    words = sorted(shared, key=lambda w: (position[w], w.encode()))
    stack = np.array([[model[w] for w in words] for model in models], dtype=np.float64)
    return words, stack / np.linalg.norm(stack, axis=2, keepdims=True)


def top(cosines, k):
    """(v, k) nearest words of every word, itself left out; equal cosines in the order of the words."""
    cosines = cosines.copy()
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]


def shared(a, b, n):
    return np.array([len(set(x[:n]) & set(y[:n])) for x, y in zip(a.tolist(), b.tolist(), strict=True)])


def measure(paths):
    words, stack = load(paths)
    v = len(words)
    gram = [run @ run.T for run in stack]
    lists = [top(cosines, max(LENGTHS)) for cosines in gram]
    pairs = list(itertools.combinations(range(len(stack)), 2))
    wordwise = np.array([np.linalg.norm(gram[i] - gram[j], axis=1) / (2 * np.sqrt(v)) for i, j in pairs])
    overlap = {n: [shared(lists[i], lists[j], n) for i, j in pairs] for n in LENGTHS}
    return {
        "words": words,
        "pip": [np.linalg.norm(gram[i] - gram[j]) / (2 * v) for i, j in pairs],
        "wordwise_mean": wordwise.mean(0).tolist(),
        "wordwise_sd": wordwise.std(0, ddof=1).tolist() if len(pairs) > 1 else None,
        "mean_cosine": float(np.mean([(g.sum() - np.trace(g)) / (v * (v - 1)) for g in gram])),
        "p": {n: float(np.mean([m / n for m in overlap[n]])) for n in LENGTHS},
        "j": {n: float(np.mean([m / (2 * n - m) for m in overlap[n]])) for n in LENGTHS},
    }


if __name__ == "__main__":
    found = measure(sys.argv[1:])
    print(json.dumps({key: found[key] for key in ("pip", "mean_cosine", "p", "j")}, indent=2))
