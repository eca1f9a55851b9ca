"""Runs whose cosines with the query words are chosen one by one, so that every answer of the study is known."""

from dataclasses import replace

import numpy as np

from gpustab import load_runs
from gpustab.runs.key import Key


def planted(name, cosines, absent=(), queries=("q",), seed=0):
    """Return runs in which word k has given cosines with every query word.

    Query words are unit vectors of axes of their own, all other words have what is left of their length on random axes
    that the queries do not have.

    Args:
        name: of the group.
        cosines: ``(R, q, v)``; the squares of a word's cosines with all queries sum up to at most 1.
        absent: ``(run, word)`` pairs that are left out, by name.
        queries: names of the query words; words are w0, w1, ...
        seed: of the directions beside the queries.
    """
    cosines = np.asarray(cosines, dtype=float)
    rng = np.random.default_rng(seed)
    spaces = []
    for r, own in enumerate(cosines):
        q, v = own.shape
        rest = rng.normal(size=(v, 12))
        rest *= np.sqrt(1 - (own**2).sum(0))[:, None] / np.linalg.norm(rest, axis=1, keepdims=True)
        words = {f"w{k}": np.concatenate([own[:, k], rest[k]]) for k in range(v)}
        words |= {word: np.concatenate([np.eye(q)[k], np.zeros(12)]) for k, word in enumerate(queries)}
        kept = [word for word in words if (r, word) not in absent]
        spaces.append((kept, np.stack([words[word] for word in kept])))
    runs = load_runs(spaces, vocabulary="union", min_runs=1, allow_small_overlap=True)
    return replace(runs, key=Key.of_path(name))


def drawn(name, runs, sd, *, mean=0.6, queries=3, words=40, seed=0, order=0.0, step=0.01):
    """Return runs whose cosines scatter around fixed means by independent normal values of a known SD.

    Args:
        name: of the group.
        runs: R.
        sd: of each cosine over runs.
        mean: of the nearest word; the others follow in even steps, other words for every query.
        queries: number of query words, named q0, q1, ...
        words: of each query; those of another have a cosine of 0 with it.
        seed: of the draws.
        order: how far all means are moved, in another direction for each word.
        step: between the means of a word and the next.
    """
    rng = np.random.default_rng(seed)
    means = mean - step * np.arange(words)
    values = np.zeros((runs, queries, queries * words))
    for q in range(queries):
        own = slice(q * words, (q + 1) * words)
        moved = means + order * np.where(np.arange(words) % 2, 1, -1)
        values[:, q, own] = np.clip(moved + sd * rng.normal(size=(runs, words)), -0.9999, 0.9999)
    return planted(name, values, queries=[f"q{q}" for q in range(queries)], seed=seed + 1000)
