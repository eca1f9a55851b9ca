"""The words that are near a word in several runs, for the page that looks any word up."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab import engine
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.neighbours.claims import HOLDS, Hits, margin

_WORDS = 10_000
"""Most frequent targets whose neighbours are kept: a page of 200,000 words stays small."""
_EACH = 20
"""Neighbours that are kept of a word, those in the most runs."""
_AT_ONCE = 500_000
"""Cosines that are held at a time."""


def nearest_table(runs: Runs, lists: engine.NeighbourPass, n: int, p: Tensor) -> Table:
    """Return the words that are among the n nearest of a target in two runs or more, the most common first.

    Args:
        runs: the group.
        lists: neighbours of its targets, lists of n or more.
        n: length of the lists.
        p: ``(t,)`` p@n of the targets.

    Returns:
        Columns ``group``, ``word``, ``neighbour``; ``runs``, a text with a 1 for every run in whose list the neighbour
        is and a 0 for the others; ``cosine``, the mean over runs; and ``verdict``, whether it holds, as ``gpustab
        neighbours`` judges it. At most 20 rows a word, of at most 10,000 words.
    """
    targets = lists.targets.cpu().numpy()
    kept = _most_frequent(runs, targets)
    keys, inside = _in_runs(lists.indices[:, kept, :n].cpu().numpy(), runs.words)
    hits, target = inside.sum(1), keys // runs.words
    order = np.lexsort((keys, -hits.astype(int), target))
    order = order[hits[order] > 1]
    first = np.searchsorted(target[order], target[order])  # where the rows of the same word begin
    rank = np.arange(len(order)) - first
    order, rank = order[rank < _EACH], rank[rank < _EACH]
    of, near = kept[target[order]], keys[order] % runs.words
    cosines, margins = _cosines(runs, lists, n, of, rank, near)
    having = lists.present.sum(0).cpu().numpy()[of]
    judged = zip(hits[order].tolist(), having.tolist(), margins, p.cpu()[of].tolist(), strict=True)
    # Each word's text is made once, not in each of its rows; and a row of ASCII digits is a text as it lies.
    texts = np.array(runs.vocabulary.texts(), dtype=object)
    in_runs = np.ascontiguousarray(inside[order] + ord("0")).view(f"S{len(runs)}")[:, 0]
    return Table(
        {
            "group": [runs.name] * len(order),
            "word": texts[targets[of]].tolist(),
            "neighbour": texts[near].tolist(),
            "runs": in_runs.astype(str).tolist(),
            "cosine": cosines,
            "verdict": [HOLDS.judge(Hits(*one)) for one in judged],
        },
        long=True,
    )


def _in_runs(lists: NDArray[np.int64], words: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Targets and neighbours of lists ``(R, t, n)``, as ``target · v + neighbour``, and which runs list each."""
    there = lists >= 0
    run, target, _ = np.ogrid[tuple(map(slice, lists.shape))]
    keys, which = np.unique((target * words + lists)[there], return_inverse=True)
    inside = np.zeros((len(keys), len(lists)), np.uint8)
    inside[which, np.broadcast_to(run, lists.shape)[there]] = 1
    return keys, inside


def _cosines(
    runs: Runs,
    lists: engine.NeighbourPass,
    n: int,
    of: NDArray[np.int64],
    rank: NDArray[np.int64],
    near: NDArray[np.int64],
) -> tuple[NDArray[np.float64], list[float]]:
    """The mean cosine of targets with neighbours, and how probably each is nearer than the first outside the list."""
    means, margins = np.empty(len(of)), []
    words = np.unique(of)
    at_once = max(1, _AT_ONCE // (len(runs) * _EACH))
    for start in range(0, len(words), at_once):
        targets = words[start : start + at_once]
        some = slice(*np.searchsorted(of, [targets[0], targets[-1] + 1]))
        place = np.searchsorted(targets, of[some]), rank[some]
        first = lists.targets.cpu()[targets]
        second = first[:, None].repeat(1, _EACH)  # a target of fewer neighbours stands beside itself
        second[place] = torch.from_numpy(near[some])
        cosines = engine.pair_values(runs, first, second).cpu()[place]  # (w, R)
        beyond = cosines - lists.cosines[:, of[some], n].T.cpu() if lists.k > n else torch.ones_like(cosines)
        beyond = torch.where(cosines.isnan(), torch.nan, beyond)  # of lists that hold all words, no word is outside
        known = ~beyond.isnan()
        count, mean = known.sum(1), beyond.nanmean(1)
        square = torch.where(known, beyond - mean[:, None], 0.0).square().sum(1) / (count - 1)
        sd = torch.where(count > 1, square.sqrt(), torch.nan)
        means[some] = cosines.nanmean(1).numpy()
        margins += [margin(*one) for one in zip(mean.tolist(), sd.tolist(), strict=True)]
    return means, margins


def _most_frequent(runs: Runs, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the targets that occur most, in their own order; without counts the first ones."""
    if runs.counts is None or len(targets) <= _WORDS:
        return np.arange(min(len(targets), _WORDS))
    counts = runs.counts.cpu().numpy()[targets]
    return np.sort(np.argsort(-counts, kind="stable")[:_WORDS])
