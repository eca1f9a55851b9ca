"""What averaging does to distances and cosines, level by level of the tree. Rettenmeier 2020, §3.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.averaging import Average
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.pip_loss import pip_from_norms, reduced
from gpustab.machine.device import DEFAULT, Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.instability.cosine_ratios import Values, cosine_ratios
from gpustab.studies.instability.cosines import draw_words
from gpustab.studies.instability.trees import Level, levels_of, orders_of, spaces_of
from gpustab.studies.shared.spaces import are_one, as_copies


def matrix_losses(norms: Tensor, groups: list[list[int]], words: int) -> Tensor:
    """Return the reduced losses between means of cosine matrices of disjoint groups of runs, ``(pairs,)``.

    What averages would reach if aligning cost nothing: the mean of n cosine matrices is that of the concatenation,
    divided by √n, and its loss falls as 1/√n in root mean square.

    Args:
        norms: ``(R, R)``, ``‖C_ij‖²``.
        groups: the runs of each mean.
        words: of the vocabulary.
    """
    inner = torch.stack([torch.stack([norms[a][:, b].mean() for b in groups]) for a in groups])
    i, j = run_pairs(len(groups))
    square: Tensor = (inner[i, i] + inner[j, j] - 2 * inner[i, j]).clamp(min=0)
    return square.sqrt() / (2 * words)


def averaging_tables(
    name: str, runs: Runs, pairs: int, seed: int, same: Tensor | None = None, compute: Compute = DEFAULT
) -> dict[str, Table]:
    """Measure averages of n runs at every level of the tree, with and without renormalising the levels.

    Losses are root mean squares over pairs of averages of disjoint runs and over several orders of the runs, as a part
    of that of the runs. Means and SDs are over averages, of random word pairs' cosines; ⟨σ⟩ is freed of the bias of an
    SD of few values, which differs between levels. Parts of what is 0, between runs that are all equal, are undefined.

    Args:
        name: of the technique.
        runs: the runs.
        pairs: how many word pairs are drawn.
        seed: of that draw and of the orders.
        same: ``(R, R)`` bool, pairs of runs that are one space twice.
        compute: how to compute.

    Returns:
        ``figure_3_5`` (losses), ``cosine_ratios`` (eq. 3.6) and ``figure_3_2`` (histograms of runs and averages).
    """
    joint = runs.joint.nonzero().flatten()
    words = joint[draw_words(len(joint), pairs, seed)[:, :2].to(joint.device)].T
    norms = engine.norms_pass(runs, compute)
    orders = orders_of(len(runs), seed)
    losses, ratios = [], []
    histogram = Table.of([], Bin._fields, long=True)
    measure = partial(_measured, runs, words, norms, compute)
    for renormalise in (False, True):
        # A level is measured as soon as it is formed, and let go.
        trees = [list(map(measure, levels_of(runs, order, renormalise=renormalise))) for order in orders]
        dots, cosines = (as_copies(x, same) for x in trees[0][0].values)
        single = dots, cosines
        base = trees[0][0].squares * (not are_one(same))
        for levels in zip(*trees, strict=True):
            losses.append(_level_loss(name, renormalise, levels, base))
            values = [(level.runs, level.values) for level in levels]
            ratios.append(cosine_ratios(name, renormalise, levels[0].beneath, values, single))
        if not renormalise and len(trees[0]) > 1:
            histogram = Table.of(_histograms(name, trees[0][:2]), long=True)
    return {"figure_3_5": Table.of(losses), "cosine_ratios": Table.of(ratios), "figure_3_2": histogram}


class _Measured(NamedTuple):
    """What is asked of a level: the runs beneath its averages, mean squared losses (3,), values of word pairs."""

    beneath: int
    runs: list[list[int]]
    squares: Tensor
    values: Values


def _measured(runs: Runs, words: Tensor, norms: Tensor, compute: Compute, level: Level) -> _Measured:
    squares = _squares(runs, norms, compute, level)
    return _Measured(level.beneath, level.runs, squares, _values(level.averages, *words))


class LevelLoss(NamedTuple):
    """Figure 3.5: the loss between averages of n runs, as a part of that between runs; SD over orders of the runs."""

    technique: str
    renormalised: bool
    runs_beneath: int
    averages: int
    orders: int
    ratio_dot: float
    ratio_cosine: float
    cosine_sd: float
    ratio_cosine_matrices: float
    one_over_root_n: float


class Bin(NamedTuple):
    """Figure 3.2: one bar of a histogram of cosines."""

    technique: str
    panel: str
    runs_beneath: int
    cosine: float
    density: float


def _level_loss(name: str, renormalise: bool, levels: Sequence[_Measured], base: Tensor) -> LevelLoss:
    by_order = torch.stack([level.squares for level in levels])  # (orders, 3)
    dot, cosine, matrices = (by_order.mean(0) / base).sqrt().nan_to_num(torch.nan, torch.nan).tolist()
    sd = float((by_order[:, 1] / base[1]).sqrt().std()) if len(levels) > 1 else math.nan
    n, averages = levels[0].beneath, len(levels[0].runs)
    return LevelLoss(name, renormalise, n, averages, len(levels), dot, cosine, sd, matrices, 1 / math.sqrt(n))


def _squares(runs: Runs, norms: Tensor, compute: Compute, level: Level) -> Tensor:
    """Mean squared losses between the averages of a level by dot products, by cosines, and of cosine matrices, (3,)."""
    spaces, words = spaces_of(runs, level), int(runs.joint.sum())
    unscaled = spaces if level.beneath == 1 else replace(spaces, unit=False)
    found = [engine.norms_pass(x, compute, runs.joint) for x in (unscaled, replace(spaces, unit=True))]
    measured = [reduced(pip_from_norms(x).total, words) for x in found]
    measured.append(matrix_losses(norms, level.runs, words))
    return torch.stack([x.square().mean() for x in measured])


def _values(averages: Sequence[Average], first: Tensor, second: Tensor) -> Values:
    """Dot products and cosines of word pairs in every average, each ``(pairs, k)``."""
    dots, cosines = [], []
    for node in averages:
        x, y = node.vectors[first], node.vectors[second]
        dots.append((x * y).sum(1))
        cosines.append(dots[-1] / (torch.linalg.vector_norm(x, dim=1) * torch.linalg.vector_norm(y, dim=1)))
    return torch.stack(dots, 1), torch.stack(cosines, 1)


def _histograms(name: str, levels: Sequence[_Measured], bins: int = 60) -> Iterator[Bin]:
    """Figure 3.2: deviations of cosines from their pair's mean, and these means, of runs and of averages of two."""
    cosines = [level.values[1] for level in levels]
    # Deviations from a mean of k values are too small by √(1 − 1/k).
    centred = [(x - x.mean(1, keepdim=True)) / math.sqrt(1 - 1 / x.shape[1]) for x in cosines]
    reach = float(centred[0].abs().quantile(0.999)) if centred[0].numel() < 2**24 else float(centred[0].abs().max())
    means = [x.mean(1) for x in cosines]
    low, high = (float(f(torch.cat(means))) for f in (torch.min, torch.max))
    for panel, values, span in (("deviation", centred, (-reach, reach)), ("mean", means, (low, high))):
        if span[0] == span[1]:  # runs that do not differ have no deviations to be drawn
            continue
        width = (span[1] - span[0]) / bins
        for level, x in zip(levels, values, strict=True):
            density = torch.histc(x.cpu(), bins, *span) / x.numel() / width
            for k, value in enumerate(density.tolist()):
                yield Bin(name, panel, level.beneath, span[0] + (k + 0.5) * width, value)
