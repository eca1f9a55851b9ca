"""The long tables of the stability study: one row per pair of runs, one row per word."""

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
