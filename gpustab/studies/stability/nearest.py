"""The neighbours of every target word, run by run, as one long table: what the page shows when a word is opened."""

from __future__ import annotations

import numpy as np

from gpustab import engine
from gpustab.results import Table
from gpustab.runs.runs import Runs

_WORDS = 10_000
"""Most frequent targets whose neighbours are kept: a page of 200,000 words stays small."""
_EACH = 20
"""Neighbours that are kept of a word, those in the most runs."""


def nearest_table(runs: Runs, found: engine.NeighbourPass, n: int) -> Table:
    """Return the words that are among the n nearest of a target in two runs or more, the most common first.

    Args:
        runs: the group.
        found: neighbours of its targets, lists of n or more.
        n: length of the lists.

    Returns:
        Columns ``group``, ``word``, ``neighbour`` and ``runs``, a text with a 1 for every run in whose list the
        neighbour is and a 0 for the others; at most 20 rows a word, of at most 10,000 words.
    """
    targets, lists = found.targets.cpu().numpy(), found.indices[:, :, :n].cpu().numpy()
    kept = _most_frequent(runs, targets)
    places = np.argwhere(lists[:, kept] >= 0)  # run, target, rank
    words = lists[:, kept][tuple(places.T)]
    keys, which = np.unique(places[:, 1] * runs.words + words, return_inverse=True)
    inside = np.zeros((len(keys), len(runs)), np.uint8)
    inside[which, places[:, 0]] = 1
    hits, target = inside.sum(1), keys // runs.words
    order = np.lexsort((keys, -hits.astype(int), target))
    order = order[hits[order] > 1]
    first = np.searchsorted(target[order], target[order])  # where the rows of the same word begin
    order = order[np.arange(len(order)) - first < _EACH]
    # Each word's text is made once, not in each of its rows; and a row of ASCII digits is a text as it lies.
    texts = np.array(runs.vocabulary.texts(), dtype=object)
    in_runs = np.ascontiguousarray(inside[order] + ord("0")).view(f"S{len(runs)}")[:, 0]
    return Table(
        {
            "group": [runs.name] * len(order),
            "word": texts[targets[kept[target[order]]]].tolist(),
            "neighbour": texts[keys[order] % runs.words].tolist(),
            "runs": in_runs.astype(str).tolist(),
        },
        long=True,
    )


def _most_frequent(
    runs: Runs, targets: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Places of the targets that occur most, in their own order; without counts the first ones."""
    if runs.counts is None or len(targets) <= _WORDS:
        return np.arange(min(len(targets), _WORDS))
    counts = runs.counts.cpu().numpy()[targets]
    return np.sort(np.argsort(-counts, kind="stable")[:_WORDS])
