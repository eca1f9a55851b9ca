"""The PIP loss of every pair, read from one pass over all rows, in the form that resolves it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass, centred_pass, gram_pass
from gpustab.kernels import centred, pip_loss
from gpustab.machine.device import DEFAULT, Compute, log, telling_memory
from gpustab.runs.runs import Runs

_FLOAT32_TOTAL = 4e-9
"""Relative error of a float32 PIP loss per unit of condition number, measured on real spaces."""
_FLOAT32_WORD = 2e-7
"""The same for the word-wise loss, at worst."""
_FLOAT64 = 2.0**-52
_FAST_TOTAL = 5e-3
"""Relative error of a PIP loss from bfloat16 deviations, per 1/√v; measured 4e-4 to 4e-3, see `gpustab.engine.gram`."""
_WANTED = 1e-3
"""Relative error that no PIP loss may exceed, while the vectors themselves resolve it."""


class PipPass(NamedTuple):
    """Reduced PIP loss of every pair, with what it must be read against.

    Attributes:
        reduced: ``(R(R-1)/2,)`` in [0, 1] for unit rows.
        scale: mean cosines and chance levels; ``None`` for rows that are not unit.
        basis: the Gram it was read from.
        precision: ``"fp64"``, ``"fp32"`` or ``"fast"``, what the products really were.
        error: bound on the relative error of the losses.
    """

    reduced: Tensor
    scale: pip_loss.Scale | None
    basis: GramPass
    precision: str
    error: float


@telling_memory
def pip_pass(runs: Runs, compute: Compute = DEFAULT, proxy: Tensor | None = None) -> PipPass:
    """Return the reduced PIP loss of every pair of runs, exactly: over all joint words, unless a proxy is given.

    A loss that the products asked for cannot resolve to 1e-3 is computed again with float64 products, and one that
    plain float64 products cannot resolve either, of deviations in one frame.
    """
    if compute.precision == "fast":
        basis = centred_pass(runs, compute, torch.bfloat16, proxy)
        loss = _centred_loss(basis)
        # An infinite condition says that rounding made two runs equal, and they may be.
        error = float(loss.condition.nan_to_num(torch.inf).clamp(min=1).max()) * _FAST_TOTAL / basis.words**0.5
        if error <= _WANTED:
            return _pip_pass(runs, basis, loss, "fast", error)
        log.warning("group '%s': bfloat16 cannot resolve the losses to 1e-3; computed in float64", runs.name)
    basis = gram_pass(runs, compute, None if compute.precision != "fast" else torch.float64, proxy)
    loss = pip_loss.pip_from_gram(basis.gram)
    if basis.dtype != torch.float64 and worst_condition(loss.condition) * _FLOAT32_WORD > _WANTED:
        basis = gram_pass(runs, compute, torch.float64, proxy)
        loss = pip_loss.pip_from_gram(basis.gram)
    if basis.dtype != torch.float64:
        return _pip_pass(runs, basis, loss, "fp32", worst_condition(loss.condition) * _FLOAT32_TOTAL)
    error = float(loss.condition.max()) * _FLOAT64
    if error <= _WANTED:
        return _pip_pass(runs, basis, loss, "fp64", error)
    basis = centred_pass(runs, compute, torch.float64, proxy)
    loss = _centred_loss(basis)
    return _pip_pass(runs, basis, loss, "fp64", _centred_error(basis, loss))


def _centred_loss(basis: GramPass) -> pip_loss.PipLoss:
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    return centred.centred_pip_loss(basis.centred.gram)


def _centred_error(basis: GramPass, loss: pip_loss.PipLoss) -> float:
    """Relative error of losses from float64 deviations: these err by the last digit of the rows they are formed of."""
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    amplified = loss.condition * (2 * basis.words) ** 0.5 / centred.distances(basis.centred.gram)
    return worst_condition(amplified) * _FLOAT64


def _pip_pass(runs: Runs, basis: GramPass, loss: pip_loss.PipLoss, precision: str, error: float) -> PipPass:
    scale = pip_loss.scale(basis.gram, basis.moments.sums, basis.words) if runs.unit else None
    return PipPass(pip_loss.reduced(loss.total, basis.words), scale, basis, precision, error)


def worst_condition(condition: Tensor) -> float:
    """Return the largest condition number; equal runs (infinite) have no relative error to speak of."""
    finite = condition[condition.isfinite()]
    return float(finite.max()) if len(finite) else 0.0
