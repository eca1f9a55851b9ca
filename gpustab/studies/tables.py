"""The long tables of the stability study: one row per pair of runs, one row per word."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.overlap import Overlap
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.results import Table
from gpustab.runs import Runs


def pair_table(runs: Runs, pip: engine.PipPass, overlaps: Overlap, lengths: list[int]) -> Table:
    """Return one row per pair of runs: reduced PIP loss, chance level, p@n and j@n."""
    i, j = run_pairs(len(runs))
    table: Table = {
        "group": [runs.group] * len(i),
        "run_i": [runs.names[k] for k in i.tolist()],
        "run_j": [runs.names[k] for k in j.tolist()],
        "reduced_pip": pip.reduced.tolist(),
        "chance_reduced_pip": [math.nan] * len(i) if pip.scale is None else pip.scale.chance.tolist(),
    }
    for m, n in enumerate(lengths):
        table[f"p@{n}"] = overlaps.p[m].cpu()[i, j].tolist()
        table[f"j@{n}"] = overlaps.j[m].cpu()[i, j].tolist()
    return table


def word_table(runs: Runs, words: WordwisePip, overlaps: Overlap, lengths: list[int], targets: Tensor) -> Table:
    """Return one row per word: its PIP loss over pairs, and for targets p@n and j@n (NaN for other words)."""
    table: Table = {
        "group": [runs.group] * runs.words,
        "word": [runs.vocabulary.text(k) for k in range(runs.words)],
        "count": [None] * runs.words if runs.counts is None else runs.counts.tolist(),
        "runs": runs.present.sum(0).tolist(),
        "pip_mean": words.mean.tolist(),
        "pip_sd": words.sd.tolist(),
        "pip_se": words.se.tolist(),
        "pairs": words.pairs.tolist(),
    }
    for m, n in enumerate(lengths):
        for name, values in (("p", overlaps.p_word[m]), ("j", overlaps.j_word[m])):
            column = torch.full((runs.words,), torch.nan, dtype=torch.float64)
            column[targets] = values.cpu()
            table[f"{name}@{n}"] = column.tolist()
    return table


def extend(table: Table, more: Table) -> None:
    """Append rows; a column that one side lacks (a list length too long for a small group) is filled with None."""
    before = len(next(iter(table.values()), []))
    rows = len(next(iter(more.values())))
    for name in {**table, **more}:
        table.setdefault(name, [None] * before).extend(more.get(name, [None] * rows))
