"""Predicted p@n from the means and standard deviations of cosines over the runs, and how well it meets the measured.

Three models of a target's cosines with all words (Rettenmeier 2020, §2.2.2): independent normals with the measured
SDs (plain); the same with ``σ √(1 − ρ̄)``, ρ̄ the mean correlation among the target's top neighbours, whose common part
moves no rank (corrected); one constant γ for all SDs, so that only the means speak (the structure factor ρ@n).

The words stream past in tiles, all runs of a tile at a time. Beyond a tile ``(t, c)`` of cosines only the targets' own
rows ``(R, t, d)``, the highest means and the candidates that a proven bound keeps are held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.cosines import TargetCosines, Tiles, cosine_tiles, target_cosines
from gpustab.errors import ComputationError, InputError
from gpustab.kernels import prediction
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.machine.threads import side_by_side, workers
from gpustab.runs.runs import Runs

_AT_ONCE = 16
"""Fewest targets that a thread works on at a time: of fewer, torch spends its time on calls."""
_PIECES = 4
"""Pieces of work for every thread, so that none waits long for the last one."""
_CHUNK = 1024
"""Words beside which the targets of one block are counted; a tile of words then takes what is left."""


class OverlapPrediction(NamedTuple):
    """Predicted p@n of T targets at N list lengths.

    Attributes:
        lengths: the values of n.
        plain: ``(N, T)`` in [0, 1], independent normals.
        corrected: ``(N, T)``, with SDs ``σ √(1 − ρ̄)``.
        structure: ``(N, T)``, the structure factor: with all SDs γ.
        correlation: ``(T,)`` ρ̄; 0 where no two of the top neighbours vary.
        gamma: mean SD over all pairs of a target and another word.
        candidates: ``(3, T)`` int64, how many words entered into the three models.
    """

    lengths: tuple[int, ...]
    plain: Tensor
    corrected: Tensor
    structure: Tensor
    correlation: Tensor
    gamma: float
    candidates: Tensor


class Agreement(NamedTuple):
    """How a prediction meets the measured, over targets: every field ``(N,)``, at N list lengths.

    Attributes:
        pearson: correlation; NaN where one side is constant.
        bias: mean of predicted − measured.
        rmse: root mean square of predicted − measured.
    """

    pearson: Tensor
    bias: Tensor
    rmse: Tensor


def agreement(predicted: Tensor, measured: Tensor) -> Agreement:
    """Compare predicted with measured p@n, both ``(N, T)``.

    >>> [x.item() for x in agreement(torch.tensor([[0.25, 0.75]]), torch.tensor([[0.5, 1.0]]))]
    [1.0, -0.25, 0.25]
    """
    error = predicted - measured
    a, b = (x - x.mean(1, keepdim=True) for x in (predicted, measured))
    pearson = (a * b).sum(1) / (a.square().sum(1) * b.square().sum(1)).sqrt()
    return Agreement(pearson, error.mean(1), error.square().mean(1).sqrt())


@telling_memory
def predict_pass(
    runs: Runs, targets: Tensor, lengths: Sequence[int], compute: Compute = DEFAULT, *, epsilon: float = 1e-6
) -> OverlapPrediction:
    """Predict p@n of the targets by all three models; compare with ``overlap_pass(...).p_word``.

    Means and SDs (``ddof = 1``) are estimates: with R runs the means scatter by σ/√R, which by itself spreads the
    words and raises the prediction.

    Args:
        runs: at least 3 runs that all have all words.
        targets: ``(T,)`` row numbers.
        lengths: values of n, each in ``1 .. v − 1``.
        compute: how to compute.
        epsilon: words are left out as long as that changes p@n by no more than twice this.

    Raises:
        InputError: for fewer than 3 runs, a word that a run lacks, or a length out of range.
        ComputationError: if probabilities do not add up, see :func:`top_n_probabilities`.
    """
    _check(runs, targets, lengths)
    runs, targets = replace(runs, unit=True), targets.to(runs.device)
    block = compute.tile(8 * (len(runs) * runs.dimension + 8 * _CHUNK), len(targets))

    def work(tile: int) -> OverlapPrediction:
        parts = targets.split(tile)
        tiles = [cosine_tiles(runs, part, compute, keep=len(parts) == 1) for part in parts]
        heads = [target_cosines(runs, part, max(lengths), compute, its) for part, its in zip(parts, tiles, strict=True)]
        gamma = float(torch.cat([head.total for head in heads]).sum()) / (len(targets) * (runs.words - 1))
        found = [
            _predict(runs, its, head, gamma, lengths, compute, epsilon) for its, head in zip(tiles, heads, strict=True)
        ]
        p, candidates = (torch.cat(field, -1) for field in zip(*found, strict=True))
        correlation = torch.cat([head.correlation for head in heads])
        return OverlapPrediction(tuple(lengths), p[0], p[1], p[2], correlation, gamma, candidates)

    return with_smaller_tiles(work, block)


def _check(runs: Runs, targets: Tensor, lengths: Sequence[int]) -> None:
    if len(runs) < 3:
        raise InputError(f"{len(runs)} runs were given; a prediction wants at least 3 for means and SDs")
    if lacking := int((~runs.joint).sum()):
        raise InputError(
            f"{lacking} words are not in all runs; the prediction wants runs joined with vocabulary='joint'"
        )
    if not len(targets) or not 0 <= int(targets.min()) <= int(targets.max()) < runs.words:
        wrong = [t for t in targets.tolist() if not 0 <= t < runs.words]
        raise InputError(f"target {wrong[0]} is not a row of 0 .. {runs.words - 1}" if wrong else "no target was given")
    if not lengths or min(lengths) < 1 or max(lengths) >= runs.words:
        raise InputError(f"list lengths {list(lengths)} must lie in 1 .. {runs.words - 1}, the other words")


def _predict(
    runs: Runs,
    tiles: Tiles,
    head: TargetCosines,
    gamma: float,
    lengths: Sequence[int],
    compute: Compute,
    epsilon: float,
) -> tuple[Tensor, Tensor]:
    """Predicted p@n by the three models, ``(3, N, t)``, and their numbers of candidates, ``(3, t)``."""
    factor = (1 - head.correlation).clamp(min=0).sqrt()[:, None]
    models: list[Callable[[Tensor], Tensor]] = [
        lambda sd: sd,
        lambda sd: sd * factor,
        lambda sd: torch.full_like(sd, gamma),
    ]
    limits = [prediction.top_n_threshold(head.mean, model(head.sd), max(lengths), epsilon) for model in models]
    kept: list[list[Tensor]] = [[], [], []]
    for _, mean, sd in tiles():
        for model, limit, parts in zip(models, limits, kept, strict=True):
            spread = model(sd)
            near = prediction.reaches(mean, spread, limit, epsilon / (2 * runs.words))
            parts.append(_packed(near, mean, spread))
    p, candidates = [], []
    numbers = compute.tile(16, 2**32)
    for parts in kept:
        mean, sd = torch.cat(parts, 2)
        mean, sd = _packed(mean > -torch.inf, mean, sd)
        found = top_n_probabilities(mean, sd, lengths, numbers=numbers)
        p.append(prediction.predicted_overlap(found, lengths))
        candidates.append((mean > -torch.inf).sum(1))
    return torch.stack(p), torch.stack(candidates)


def top_n_probabilities(mean: Tensor, sd: Tensor, lengths: Sequence[int], *, numbers: int = 2**22) -> Tensor:
    """Return :func:`gpustab.kernels.prediction.top_n_probabilities`; on a CPU every thread of torch works on targets.

    Raises:
        ComputationError: if the probabilities do not add up.
    """
    jobs = workers(mean.device)
    tile = len(mean) if jobs == 1 else max(_AT_ONCE, -(-len(mean) // (_PIECES * jobs)))

    def work(part: tuple[Tensor, Tensor]) -> Tensor:
        return prediction.top_n_probabilities(*part, lengths, numbers=max(1, numbers // jobs))

    try:
        parts = list(zip(mean.split(tile), sd.split(tile), strict=True))
        return torch.cat(list(side_by_side(work, parts, mean.device)), 1)
    except ArithmeticError as error:
        raise ComputationError(str(error)) from error


def _packed(near: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
    """Move the marked columns of every row to the left, in their order, and fill up with −∞ and 0: ``(2, t, K)``."""
    order = (~near).byte().argsort(dim=1, stable=True)[:, : int(near.sum(1).max())]
    marked = near.gather(1, order)
    return torch.stack([x.gather(1, order).where(marked, gap) for x, gap in ((mean, -torch.inf), (sd, 0.0))])
