"""How many runs are enough? The standard error of three numbers against R, by the jackknife and by subsampling."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.gram import block_positions, run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import ratio

SUBSETS = 300
WORDS = 20
LENGTH = 10


class Error(NamedTuple):
    """Relative standard error of a quantity from so many runs, and how many would give 1 %."""

    technique: str
    quantity: str
    runs: int
    jackknife: float
    subsampling: float
    for_1_percent: int | None


def how_many_table(name: str, runs: Runs, seed: int, compute: Compute, same: Tensor | None = None) -> Table:
    """Return the standard error of the mean over pairs of R runs, for every R up to what there are.

    For the reduced PIP loss, p@10, and the PIP loss of single words (root mean square error over 20 drawn words).
    ``jackknife`` is the root mean square over subsets of R runs of what these runs would state themselves;
    ``subsampling`` is the SD of the estimates of all the subsets (or 300 drawn ones), divided by √(1 − R/runs) for
    runs that subsets share; both as a part of the value, and undefined where that is 0. ``for_1_percent`` extrapolates
    by 1/√R. The losses of pairs in ``same``, one space twice, are 0 and no rounding.
    """
    copies = torch.zeros(len(runs), len(runs), dtype=torch.bool) if same is None else same
    losses = pair_matrix(engine.pip_pass(runs, compute).reduced.cpu(), len(runs))
    matrices = {"reduced PIP loss": [losses.masked_fill(copies, 0)]}
    k = min(LENGTH, int(runs.present.sum(1).min()) - 1)
    found = engine.neighbour_pass(runs, engine.draw_targets(runs, seed=seed), k, compute)
    matrices[f"p@{k}"] = [engine.overlap_pass(found, [k], compute).p[0].cpu()]
    joint = runs.joint.nonzero().flatten()
    drawn = joint[torch.randperm(len(joint), generator=torch.Generator().manual_seed(seed))[:WORDS]]
    matrices["one word's PIP loss"] = list(word_matrices(runs, drawn, compute).masked_fill(copies, 0))
    rows = []
    for quantity, group in matrices.items():
        for size in range(2, len(runs) + 1):
            jackknife, subsampling = (_rms(x) for x in zip(*(errors(m, size, seed) for m in group), strict=True))
            last = size == len(runs) and not math.isnan(jackknife)
            needed = max(2, math.ceil(size * (jackknife / 0.01) ** 2)) if last else None
            rows.append(Error(name, quantity, size, jackknife, subsampling, needed))
    return Table.of(rows)


def errors(matrix: Tensor, size: int, seed: int) -> tuple[float, float]:
    """Return the relative standard error at so many of R runs, by the jackknife and by subsampling.

    Args:
        matrix: ``(R, R)`` pair matrix, zero diagonal.
        size: of the subsets, 2 to R; the jackknife wants 3, subsampling fewer than R, and are NaN otherwise.
        seed: of the drawn subsets.
    """
    runs = len(matrix)
    value = pair_statistics(matrix).mean
    parts = [matrix[subset][:, subset] for subset in _subsets(runs, size, seed)]
    estimates = [pair_statistics(part) for part in parts]
    jackknife = _rms([found.se for found in estimates])
    if size == runs:
        return ratio(jackknife, value), math.nan
    means = torch.tensor([found.mean for found in estimates], dtype=torch.float64)
    # All subsets of a finite set of runs scatter about its mean by 1 − size/runs of the variance of new runs.
    return ratio(jackknife, value), ratio(float(means.std(correction=0)) / math.sqrt(1 - size / runs), value)


def word_matrices(runs: Runs, rows: Tensor, compute: Compute, basis: engine.GramPass | None = None) -> Tensor:
    """Return the pair matrices ``(w, R, R)`` of the word-wise reduced PIP loss of some words.

    Args:
        runs: the runs.
        rows: ``(w,)`` row numbers.
        compute: how to compute.
        basis: float64 Gram of the runs, where it is at hand.
    """
    basis = basis or engine.gram_pass(runs, compute, torch.float64)
    positions = block_positions(len(runs), basis.gram.device)
    chunk = torch.stack([runs.select(r, rows) for r in range(len(runs))])  # (R, w, d)
    own = row_dot(product(chunk, basis.gram[positions.diagonal()]), chunk)  # (R, w)
    result = torch.zeros(len(rows), len(runs), len(runs), dtype=torch.float64)
    for i, j in run_pairs(len(runs)).T.tolist():
        both = row_dot(product(chunk[i], basis.gram[positions[i, j]]), chunk[j])
        square = (own[i] + own[j] - 2 * both).clamp(min=0)
        result[:, i, j] = result[:, j, i] = (square.sqrt() / (2 * math.sqrt(basis.words))).cpu()
    return result


def _subsets(runs: int, size: int, seed: int) -> list[list[int]]:
    if math.comb(runs, size) <= SUBSETS:
        return [list(subset) for subset in itertools.combinations(range(runs), size)]
    generator = torch.Generator().manual_seed(seed)
    return [torch.randperm(runs, generator=generator)[:size].tolist() for _ in range(SUBSETS)]


def _rms(values: list[float] | tuple[float, ...]) -> float:
    return math.sqrt(sum(value**2 for value in values) / len(values))
