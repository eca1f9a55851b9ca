"""The long tables of the stability study: one row per pair of runs, per word, and per word and near neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.overlap import Overlap
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.stability.words import Words

_WORDS = 10_000
"""Most frequent targets whose neighbours are kept: a page of 200,000 words stays small."""
_EACH = 20
"""Neighbours that are kept of a word, those in the most runs."""


def pair_table(runs: Runs, pip: engine.PipPass, overlaps: Overlap, lengths: list[int]) -> Table:
    """Return one row per pair of runs: reduced PIP loss, chance level, p@n and j@n."""
    i, j = run_pairs(len(runs))
    columns: dict[str, Any] = {
        "group": [runs.name] * len(i),
        "run_i": [runs.names[k] for k in i.tolist()],
        "run_j": [runs.names[k] for k in j.tolist()],
        "reduced_pip": pip.reduced.cpu().numpy(),
        "chance_reduced_pip": np.full(len(i), np.nan) if pip.scale is None else pip.scale.chance.cpu().numpy(),
    }
    for m, n in enumerate(lengths):
        columns[f"p@{n}"] = overlaps.p[m].cpu()[i, j].numpy()
        columns[f"j@{n}"] = overlaps.j[m].cpu()[i, j].numpy()
    return Table(columns, long=True)


def word_table(
    runs: Runs, words: WordwisePip, looked_at: Words, overlaps: Overlap, lengths: list[int], targets: Tensor
) -> Table:
    """Return one row per word: its PIP loss over pairs, and for targets p@n and j@n (NaN for other words).

    ``count`` is what one run read, the mean over those that have the word. ``pip_se`` and ``p_se`` are pooled over
    words of like frequency, ``pip_place`` and ``p_place`` say which part of these is more stable, ``least`` how
    probably the word is in the least stable tenth of them.
    """
    columns: dict[str, Any] = {
        "group": [runs.name] * runs.words,
        "word": runs.vocabulary.texts(),
        "count": runs.counts_in_a_run(),
        "runs": runs.present.sum(0).cpu().numpy(),
        "pip_mean": words.mean.cpu().numpy(),
        "pip_sd": words.sd.cpu().numpy(),
        "pip_se": looked_at.pip_se.numpy(),
        "pip_place": looked_at.pip_place.numpy(),
        "pairs": words.pairs.cpu().numpy(),
    }
    for m, n in enumerate(lengths):
        for name, values in (("p", overlaps.p_word[m]), ("j", overlaps.j_word[m])):
            column = torch.full((runs.words,), torch.nan, dtype=torch.float64)
            column[targets.cpu()] = values.cpu()
            columns[f"{name}@{n}"] = column.numpy()
    names = {f"p@{looked_at.n}_se": "p_se", f"p@{looked_at.n}_place": "p_place", "least": "least"}
    columns |= {name: getattr(looked_at, field).numpy() for name, field in names.items()}
    return Table(columns, long=True)


def nearest_table(runs: Runs, lists: engine.NeighbourPass, n: int) -> Table:
    """Return the words that are among the n nearest of a target in two runs or more, the most common first.

    Args:
        runs: the group.
        lists: neighbours of its targets, lists of n or more.
        n: length of the lists.

    Returns:
        Columns ``group``, ``word``, ``neighbour`` and ``runs``, a text with a 1 for every run in whose list the
        neighbour is and a 0 for the others; at most 20 rows a word, of at most 10,000 words.
    """
    targets, rows = lists.targets.cpu().numpy(), lists.indices[:, :, :n].cpu().numpy()
    kept = _most_frequent(runs, targets)
    places = np.argwhere(rows[:, kept] >= 0)  # run, target, rank
    words = rows[:, kept][tuple(places.T)]
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
