"""Similarity of representations between all pairs of runs, read from the block Gram that the PIP loss is read from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from gpustab.engine.gram import gram_pass, lengths_pass, place
from gpustab.engine.measures import MEASURES, Spaces
from gpustab.engine.pip import PipPass, pip_pass
from gpustab.errors import InputError, near
from gpustab.kernels import similarity
from gpustab.kernels.gram import Moments, block_positions, run_pairs
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.out_of_memory import telling_memory
from gpustab.options import SIMILARITIES
from gpustab.runs.join import join
from gpustab.runs.runs import Runs, want_runs
from gpustab.spaces.space import Space
from gpustab.statistics.unrelated import unrelated

_DRAWS = 16
"""Pairs, each of one draw, that a level by chance is the mean of: single draws differ by a few per cent."""


def similarity_matrix(runs: Runs, metric: str = "pip", *, compute: Compute | None = None) -> Tensor:
    """Return how similar, or how far apart, all pairs of runs are, over the joint words; exactly.

    ========================== ================================================ ======== ======== ============
    metric                     what                                             range    equal is same under
    ========================== ================================================ ======== ======== ============
    ``pip``                    reduced PIP loss, ``‖V_iV_iᵀ − V_jV_jᵀ‖ / (2v)`` [0, 1]   0        turns
    ``procrustes``             ``min_A ‖V_i A − V_j‖ / √v``, A orthogonal       [0, √2]  0        turns
    ``angular``                ``arccos (max_A ⟨V_i A, V_j⟩ / (‖V_i‖ ‖V_j‖))``  [0, π/2] 0        turns, scale
    ``eigenspace_instability`` strong directions that the other lacks           [0, 1]   0        turns
    ``eigenspace_overlap``     directions in common, ``‖U_iᵀU_j‖² / d``         [0, 1]   1        linear maps
    ``cka``                    ``‖C_ij‖² / (‖C_ii‖ ‖C_jj‖)`` of centred columns [0, 1]   1        turns, scale
    ``debiased_cka``           the same of unbiased HSICs                       [−1, 1]  1        turns, scale
    ``cca``                    mean canonical correlation                       [0, 1]   1        linear maps
    ``svcca``                  the same of 99 % of the variance                 [0, 1]   1        turns, scale
    ``rdm``                    correlation of the cosines of all pairs of words [−1, 1]  1        turns
    ``pwcca``                  projection-weighted, mean of both directions     [0, 1]   1        scale
    ========================== ================================================ ======== ======== ============

    Read a value beside what unrelated runs of the same shape have, :func:`similarity_by_chance`: with few words to a
    dimension ``cka`` and the canonical correlations of noise are near 1.

    Ranges are those of unit rows. ``cka`` and the canonical correlations centre columns themselves and so are the same
    for shifted runs; the others do so only for runs loaded with ``centre=True``. Distances by Procrustes below 1e-8 are
    rounding; a canonical direction whose variance is less than 1e-10 of the largest is none.

    Args:
        runs: from :func:`gpustab.load_runs`.
        metric: one of these names.
        compute: how to compute; default: where the runs lie.

    Returns:
        ``(R, R)`` float64, symmetric; what equal runs have on the diagonal.

    Raises:
        InputError: for another name, or a run whose rows are all equal.

    Example:
        >>> import numpy as np
        >>> from gpustab import load_runs
        >>> words, space = ["a", "b", "c", "d"], np.random.default_rng(0).normal(size=(4, 2))
        >>> runs = load_runs([(words, space), (words, space[:, ::-1])])  # a mirrored copy
        >>> [[round(x, 6) for x in row] for row in similarity_matrix(runs, "cka").tolist()]
        [[1.0, 1.0], [1.0, 1.0]]
    """
    want_runs(runs)
    compute = compute or Compute(runs.device)
    _known(metric)
    placed = place(runs, compute)
    values = similarity_pass(placed, pip_pass(placed, compute), [metric], compute)[metric]
    return pair_matrix(values, len(runs)).fill_diagonal_(SIMILARITIES[metric])


@telling_memory
def similarity_pass(
    runs: Runs, pip: PipPass, metrics: Sequence[str], compute: Compute = DEFAULT, proxy: Tensor | None = None
) -> dict[str, Tensor]:
    """Return some metrics of all pairs of runs, each ``(R(R-1)/2,)`` float64; see :func:`similarity_matrix`.

    Args:
        runs: the runs.
        pip: their PIP losses, with the Gram that they were read from.
        metrics: names of metrics. Those that share work share it.
        compute: how to compute what the losses leave open.
        proxy: ``(v,)`` mask of the words to take instead of all joint ones, as for the losses.

    Raises:
        InputError: for another name, a run whose rows are all equal, or two that share no direction.
    """
    for metric in metrics:
        _known(metric)
    if not metrics:
        return {}
    spaces = _spaces(runs, pip, metrics, compute, proxy)
    try:
        return {metric: MEASURES[metric](spaces) for metric in metrics}
    except ValueError as error:
        raise InputError(f"group '{runs.name}': {error}") from error


def _spaces(runs: Runs, pip: PipPass, metrics: Sequence[str], compute: Compute, proxy: Tensor | None) -> Spaces:
    """What some metrics are made of, in float64 for all but the PIP loss."""
    basis = pip.basis
    if set(metrics) - {"pip"} and (basis.moments is None or basis.dtype != torch.float64):
        # Canonical correlations divide by variances as small as 1e-10 of the largest, which only float64 resolves.
        basis = gram_pass(runs, compute, torch.float64, proxy)
    spaces = Spaces(runs.names, runs.unit, basis.words, basis.moments, pip.reduced)
    if "debiased_cka" not in metrics:
        return spaces
    return replace(spaces, with_lengths=lengths_pass(runs, basis, compute, proxy))


def similarity_by_chance(runs: Runs, metric: str = "pip", *, seed: int = 0, compute: Compute | None = None) -> float:
    """Return the mean of a metric over pairs of runs whose words are permuted against each other at random.

    It is the level beside which :func:`similarity_matrix` is to be read. In closed form for ``cka``, for
    ``debiased_cka`` and ``rdm`` (0), and for ``pip`` of unit rows; else from 16 seeded draws of unrelated
    cross-Grams, see :mod:`gpustab.statistics.unrelated`.

    Args:
        runs: from :func:`gpustab.load_runs`.
        metric: see :func:`similarity_matrix`.
        seed: of the draws.
        compute: how to compute; default: where the runs lie.

    Raises:
        InputError: as :func:`similarity_matrix`.

    Example:
        >>> import numpy as np
        >>> from gpustab import load_runs
        >>> rng, words = np.random.default_rng(0), [f"w{k}" for k in range(50)]
        >>> runs = load_runs([(words, rng.normal(size=(50, 200))) for _ in range(2)])  # noise
        >>> round(similarity_matrix(runs, "cka")[0, 1].item(), 1), round(similarity_by_chance(runs, "cka"), 1)
        (0.8, 0.8)
    """
    want_runs(runs)
    compute = compute or Compute(runs.device)
    placed = place(runs, compute)
    return chance_pass(placed, pip_pass(placed, compute), [metric], compute, seed=seed)[metric]


@telling_memory
def chance_pass(
    runs: Runs,
    pip: PipPass,
    metrics: Sequence[str],
    compute: Compute = DEFAULT,
    proxy: Tensor | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """Return the levels of some metrics by chance; arguments as :func:`similarity_pass`, see there."""
    for metric in metrics:
        _known(metric)
    if not metrics:
        return {}
    spaces = _spaces(runs, pip, metrics, compute, proxy)
    if spaces.kept is None:
        spaces = replace(spaces, kept=gram_pass(runs, compute, torch.float64, proxy).moments)
    try:
        found = {metric: _closed_form(metric, spaces, pip) for metric in metrics}
        return _drawn(spaces, found, seed)
    except ValueError as error:
        raise InputError(f"group '{runs.name}': {error}") from error


def _drawn(spaces: Spaces, found: dict[str, float | None], seed: int) -> dict[str, float]:
    """Levels of which those that have no closed form are drawn."""
    names, moments = spaces.names, spaces.moments
    drawn = [metric for metric, level in found.items() if level is None]
    rng, several = np.random.default_rng(seed), itertools.cycle(zip(*run_pairs(len(names)).tolist(), strict=True))
    levels: dict[str, list[float]] = {metric: [] for metric in drawn}
    for i, j in itertools.islice(several, _DRAWS if drawn else 0):
        table = block_positions(len(names), moments.gram.device)[[i, i, j], [i, j, j]]
        pair = unrelated(Moments(moments.gram[table], moments.sums[[i, j]], moments.words), rng)
        loss = reduced(pip_from_gram(pair.gram).total, spaces.words)
        of_pair = Spaces([names[i], names[j]], spaces.unit, spaces.words, pair, loss)
        for metric in drawn:
            levels[metric].append(float(MEASURES[metric](of_pair)))
    return {metric: float(np.mean(levels[metric])) if level is None else level for metric, level in found.items()}


def _closed_form(metric: str, spaces: Spaces, pip: PipPass) -> float | None:
    """The level of a metric by chance, ``None`` where it has to be drawn.

    Raises:
        ValueError: where the metric itself is not defined.
    """
    if metric in ("debiased_cka", "rdm"):
        _ = spaces.hsics if metric == "debiased_cka" else MEASURES["rdm"](spaces)
        return 0.0  # a permutation leaves no covariance on the average
    if metric == "pip" and pip.scale is not None and not bool(pip.scale.chance.isnan().any()):
        return float(pip.scale.chance.mean())
    own = spaces.own if metric in ("cka", "cca", "svcca", "pwcca") else None
    if metric != "cka" or own is None:
        return None
    i, j = run_pairs(len(own), own.device)
    return float(similarity.chance_of_linear_cka(own[i], own[j], spaces.words).mean())


def _known(metric: str) -> None:
    if metric not in SIMILARITIES:
        wanted = f"wanted one of {', '.join(SIMILARITIES)}"
        raise InputError(f"metric is '{metric}', {wanted}{near(metric, SIMILARITIES)}")


def compare_layers(
    first: Sequence[Space], second: Sequence[Space], metric: str = "cka", *, compute: Compute | None = None
) -> Tensor:
    """Return how similar every layer of one model is to every layer of another, over the same texts.

    Args:
        first: from :func:`gpustab.layer_outputs`.
        second: the same of the other model, or of the same one trained again.
        metric: see :func:`gpustab.similarity_matrix`; vectors are taken as they are, not scaled to unit length.
        compute: how to compute.

    Returns:
        ``(L1, L2)`` float64.

    Raises:
        InputError: as :func:`gpustab.similarity_matrix`, or if a model has no layers.
    """
    if not (first and second):
        raise InputError(f"the models have {len(first)} and {len(second)} layers, wanted one at least of each")
    together = similarity_matrix(join([*first, *second], unit=False), metric, compute=compute)
    return together[: len(first), len(first) :]
