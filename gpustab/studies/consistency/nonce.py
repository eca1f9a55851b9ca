"""Nonce2Vec over all samples: what it needs, one setting, and the paper's grid (Bloem et al. 2019, §7)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.training.nonce import train_nonce
from gpustab.studies.consistency.finished import Kept
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.outputs import Output
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.consistency.schedules import Pairs, draw_negatives, padded, training_pairs

Told = Callable[[float], None]

GRID = {
    "alpha": (0.1, 0.5, 1.0, 1.5),
    "negatives": (1, 3, 5),
    "sample": (100.0, 3000.0, 5000.0, 10_000.0, 20_000.0),
    "alpha_decay": (30.0, 70.0, 100.0, 180.0),
    "sample_decay": (1.0, 1.3, 1.9, 2.5),
    "window_decay": (1, 3, 5),
}
"""The settings of the paper's grid search, 2,880 in all; the window is 15 in each."""

_OF_TRAINING = ("alpha", "negatives", "alpha_decay")
"""Those that leave the schedule as it is: 36 trainings have one."""

_AT_ONCE = 1024
"""Samples whose steps lie in memory at once: 150 steps of six words each take 7 MB."""


def pairs_of(prepared: Prepared, output: Output, options: ConsistencyOptions) -> Pairs:
    """Return all that is to be trained, in order."""
    rows = prepared.found.rows
    counts = np.where(rows >= 0, output.counts[rows], 0)
    return training_pairs(prepared.text, prepared.samples, rows, counts, options)


def trained(start: Tensor, output: Output, pairs: Pairs, options: ConsistencyOptions) -> Tensor:
    """Return the vectors of all samples, trained from their sums, ``(P, d)``.

    Args:
        start: ``(P, d)`` sums of the additive model.
        output: output vectors and counts.
        pairs: what is trained.
        options: rate, negatives, and whether output vectors are trained too.
    """
    negatives = draw_negatives(pairs.row, output.counts, options.negatives, options.seed)
    updated, found = options.output == "updated", []
    for first in range(0, len(start), _AT_ONCE):
        x = start[first : first + _AT_ONCE]
        own = slice(*np.searchsorted(pairs.problem, [first, first + len(x)]).tolist())
        part = Pairs(pairs.problem[own] - first, *(column[own] for column in pairs[1:]))
        steps, rates = padded(part, negatives[own], len(x), options.alpha, options.alpha_decay)
        ids, alpha = torch.from_numpy(steps).to(x.device), torch.from_numpy(rates).to(x.device)
        found.append(train_nonce(x, output.vectors, ids, alpha, update_output=updated))
    return torch.cat(found)


def updates(prepared: Prepared, pairs: Pairs) -> list[dict[str, Any]]:
    """Return how many updates the sentences of a sample give, the first, the second, ...: means over the samples."""
    sizes = prepared.samples.sizes
    found = []
    for s in range(int(sizes.max())):
        samples = int((sizes > s).sum())
        mean = int((pairs.sentence == s).sum()) / samples
        found.append({"sentence": s + 1, "samples": samples, "updates": mean})
    return found


def grid(
    start: Tensor, prepared: Prepared, output: Output, options: ConsistencyOptions, kept: Kept, report: Told
) -> list[dict[str, Any]]:
    """Return cosine, null level and AUC of every setting of the paper's grid.

    Args:
        start: ``(P, d)`` sums of the additive model.
        prepared: the samples.
        output: output vectors and counts.
        options: what the grid does not vary.
        kept: settings of one schedule are a part of the study that may be finished.
        report: told the finished part.
    """
    names = ("sample", "sample_decay", "window_decay")
    schedules = list(itertools.product(*(GRID[name] for name in names)))
    found = []
    for k, values in enumerate(schedules):
        report(k / len(schedules))
        settings: dict[str, Any] = dict(zip(names, values, strict=True))
        own = replace(options, **settings)
        found += kept.part(f"grid {values}", partial(_of_schedule, start, prepared, output, own))
    return found


def _of_schedule(
    start: Tensor, prepared: Prepared, output: Output, options: ConsistencyOptions
) -> list[dict[str, Any]]:
    pairs, found = pairs_of(prepared, output, options), []
    for values in itertools.product(*(GRID[name] for name in _OF_TRAINING)):
        settings: dict[str, Any] = dict(zip(_OF_TRAINING, values, strict=True))
        own = replace(options, **settings)
        vectors, numbers = trained(start, output, pairs, own), dict.fromkeys(("same", "null", "auc"))
        if bool(torch.isfinite(vectors).all()):
            measured = consistency_of(vectors, prepared.samples, prepared.allowed).numbers
            numbers = {name: measured[name].value for name in numbers}
        found.append({name: getattr(own, name) for name in GRID} | numbers)
    return found
