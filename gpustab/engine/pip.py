"""The pass over all rows for the block Gram, and the PIP loss of every pair that is read from it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.fast import fast_pass
from gpustab.errors import InputError
from gpustab.kernels import gram, pip_loss
from gpustab.machine.device import Compute, free_memory, log, with_smaller_tiles
from gpustab.runs import Runs

DEFAULT = Compute()

_FLOAT32_TOTAL = 4e-9
"""Relative error of a float32 PIP loss per unit of condition number, measured on real spaces."""
_FLOAT32_WORD = 2e-7
"""The same for the word-wise loss, at worst."""
_FAST_TOTAL = 5e-3
"""Relative error of a PIP loss from bfloat16 deviations, per 1/√v; measured 4e-4 to 4e-3, see `gpustab.engine.fast`."""
_WANTED = 1e-3
"""Relative error that no PIP loss may exceed."""


def place(runs: Runs, compute: Compute) -> Runs:
    """Return runs ready for a device: their rows too where these take at most half of its free memory.

    Rows that do not fit stay where they are and travel chunk by chunk; the numbers are the same.
    """
    size = sum(rows.shape[0] * rows.shape[1] * 4 for rows in runs.rows)
    return runs.to(compute.device, rows=size <= free_memory(compute.device) // 2)


def joint_words(runs: Runs) -> int:
    """Return how many words all runs have.

    Raises:
        InputError: if they are fewer than two, so that no PIP loss is defined.
    """
    joint = int(runs.joint.sum())
    if joint < 2:
        raise InputError(f"group '{runs.group}': {joint} words are in all runs; a PIP loss needs at least two")
    return joint


class GramPass(NamedTuple):
    """What one pass over all rows collects.

    Attributes:
        gram: ``(R(R+1)/2, d, d)`` float64 block Gram over the joint words.
        row_sums: ``(R, d)`` float64.
        words: number of joint words.
        dtype: of the products.
    """

    gram: Tensor
    row_sums: Tensor
    words: int
    dtype: torch.dtype


def draw_proxy(runs: Runs, words: int, seed: int) -> Tensor:
    """Return a mask ``(v,)`` of so many joint words, drawn at random: a sampled proxy of the vocabulary.

    Rettenmeier 2020, §2.2.3.3. A PIP loss over m of v words has ``E[D²_m] = D² (1 − 1/m) / (1 − 1/v)``. The exact loss
    over all words costs little, so a proxy serves comparisons with published numbers.

    Raises:
        InputError: for fewer than two words, or more than there are.
    """
    joint = runs.joint.cpu().nonzero().flatten()
    if not 2 <= words <= len(joint):
        raise InputError(f"proxy is {words}, wanted 2 to {len(joint)} joint words")
    mask = torch.zeros(runs.words, dtype=torch.bool)
    mask[joint[torch.randperm(len(joint), generator=torch.Generator().manual_seed(seed))[:words]]] = True
    return mask.to(runs.device)


def gram_pass(
    runs: Runs, compute: Compute = DEFAULT, dtype: torch.dtype | None = None, proxy: Tensor | None = None
) -> GramPass:
    """Accumulate the block Gram of all runs over the joint words, chunk by chunk.

    Args:
        runs: the runs.
        compute: how to compute.
        dtype: of the products; default: what ``compute`` says.
        proxy: ``(v,)`` mask of the words to take instead of all joint ones, see :func:`draw_proxy`.

    Raises:
        InputError: see :func:`joint_words`.
    """
    joint = joint_words(runs) if proxy is None else int(proxy.sum())
    dtype = dtype or compute.dtype
    r, d = len(runs), runs.dimension

    def work(tile: int) -> GramPass:
        total = gram.empty_gram(r, d, runs.device)
        sums = torch.zeros(r, d, dtype=torch.float64, device=runs.device)
        for start, chunk in runs.chunks(tile, dtype=dtype, joint=True):
            if proxy is not None:
                chunk *= proxy[start : start + tile, None]
            gram.add_rows(total, chunk)
            sums += chunk.sum(1, dtype=torch.float64)
        return GramPass(total, sums, joint, dtype)

    tile = compute.tile(r * d * 24, runs.words)
    # Whole matmuls: a chunk of 4,097 rows would cost one of a single row.
    return with_smaller_tiles(work, tile // gram.ROWS_PER_MATMUL * gram.ROWS_PER_MATMUL or tile)


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


def pip_pass(runs: Runs, compute: Compute = DEFAULT, proxy: Tensor | None = None) -> PipPass:
    """Return the reduced PIP loss of every pair of runs, exactly: over all joint words, unless a proxy is given.

    A loss that the products asked for cannot resolve to 1e-3 is computed again with float64 products.
    """
    if compute.precision == "fast":
        words = joint_words(runs) if proxy is None else int(proxy.sum())
        fast = fast_pass(runs, compute, proxy)
        # An infinite condition says that rounding made two runs equal, and they may be.
        error = float(fast.loss.condition.nan_to_num(torch.inf).clamp(min=1).max()) * _FAST_TOTAL / words**0.5
        if error <= _WANTED:
            return _pip_pass(runs, GramPass(fast.gram, fast.row_sums, words, torch.float32), fast.loss, "fast", error)
        log.warning("group '%s': bfloat16 cannot resolve the losses to 1e-3; computed in float64", runs.group)
    basis = gram_pass(runs, compute, None if compute.precision != "fast" else torch.float64, proxy)
    loss = pip_loss.pip_loss(basis.gram)
    if basis.dtype != torch.float64 and worst_condition(loss.condition) * _FLOAT32_WORD > _WANTED:
        basis = gram_pass(runs, compute, torch.float64, proxy)
        loss = pip_loss.pip_loss(basis.gram)
    exact = basis.dtype == torch.float64
    error = worst_condition(loss.condition) * (2.0**-52 if exact else _FLOAT32_TOTAL)
    return _pip_pass(runs, basis, loss, "fp64" if exact else "fp32", error)


def _pip_pass(runs: Runs, basis: GramPass, loss: pip_loss.PipLoss, precision: str, error: float) -> PipPass:
    scale = pip_loss.scale(basis.gram, basis.row_sums, basis.words) if runs.unit else None
    return PipPass(pip_loss.reduced(loss.total, basis.words), scale, basis, precision, error)


def worst_condition(condition: Tensor) -> float:
    """Return the largest condition number; equal runs (infinite) have no relative error to speak of."""
    finite = condition[condition.isfinite()]
    return float(finite.max()) if len(finite) else 0.0
