"""The PIP loss of every pair, read from one pass over all rows, in the form that resolves it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.gram import (
    GramPass,
    centred_errors,
    centred_loss,
    centred_pass,
    counted_words,
    gram_fits,
    gram_pass,
    measure_alone_,
    unresolved,
)
from gpustab.engine.integers import next_slices, slices_to_try, takes_integers, whole_number_pass
from gpustab.engine.precision import (
    FLOAT64,
    WANTED,
    dtype_of_products,
    largest_condition,
    rounding_error,
    tolerated,
    worst_condition,
)
from gpustab.engine.proofs import BFLOAT16, works
from gpustab.engine.rows import fewer_products, rows_pass
from gpustab.engine.tiles import TilePass, UnresolvedError, tile_pass
from gpustab.errors import OutOfMemoryError, first_line
from gpustab.kernels import gram, pip_loss
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.log import log
from gpustab.machine.out_of_memory import is_out_of_memory, telling_memory
from gpustab.runs.runs import Runs

_FAST_TOTAL = 5e-3
"""Relative error of a PIP loss from bfloat16 deviations, per 1/√v; measured 4e-4 to 4e-3, see `gpustab.engine.gram`."""


class PipPass(NamedTuple):
    """Reduced PIP loss of every pair, with what it must be read against.

    Attributes:
        reduced: ``(R(R-1)/2,)`` in [0, 1] for unit rows.
        scale: mean cosines and chance levels; ``None`` for rows that are not unit.
        basis: the Gram it was read from.
        precision: ``"fp64"``, ``"fp32"``, ``"int22"``, ``"int15"`` or ``"fast"``, what the products really were.
        error: bound on the relative error of the losses.
        squares: ``(R,)``, the sum of the squared lengths of each run's rows.
    """

    reduced: Tensor
    scale: pip_loss.Scale | None
    basis: GramPass
    precision: str
    error: float
    squares: Tensor

    def without_sums(self) -> PipPass:
        """Let go of the sums that the losses were read from: of a thousand runs they are the most that is held."""
        return self._replace(basis=self.basis._replace(moments=None, centred=None))


@telling_memory
def pip_pass(
    runs: Runs,
    compute: Compute = DEFAULT,
    proxy: Tensor | None = None,
    *,
    wordwise: bool = False,
    nearest: int = 0,
    inner: bool = False,
    gram: bool = False,
) -> PipPass:
    """Return the reduced PIP loss of every pair of runs, exactly: over all joint words, unless a proxy is given.

    A loss that the products asked for cannot resolve to 1e-3 is computed again with float64 products, and one that
    plain float64 products cannot resolve either, of deviations in one frame. Where the block Gram is larger than memory
    should be, it is formed and read tile by tile; for many runs of few words it is not formed at all.

    Args:
        runs: the runs.
        compute: how to compute.
        proxy: see :func:`gpustab.engine.gram_pass`.
        wordwise: whether the words' losses will be asked for, so that no tile need be formed twice.
        nearest: how many neighbours of every word will be asked for too: those that come with the losses are kept.
        inner: whether the words' inner products will be: those that come with the losses are kept.
        gram: whether the block Gram will be; else it is formed only where it is the soonest way.
    """
    counted = counted_words(runs, proxy)
    by_rows = not gram and fewer_products(runs, compute, wordwise=wordwise)
    if by_rows and (found := rows_pass(runs, compute, counted, nearest, inner=inner)):
        return _without_gram(runs, counted, torch.float64, torch.float64, found)
    if not gram_fits(runs, compute):
        return _by_tiles(runs, compute, counted, wordwise)
    try:
        return _of_whole_gram(runs, compute, counted)
    except OutOfMemoryError as error:
        if compute.ranks.world > 1:  # the others go on with the whole
            raise
        log.info("group '%s': %s; the block Gram is measured tile by tile", runs.name, error)
    return _by_tiles(runs, compute, counted, wordwise)


def _of_whole_gram(runs: Runs, compute: Compute, counted: Tensor) -> PipPass:
    if compute.precision == "fast" and works(BFLOAT16, compute):
        basis = centred_pass(runs, compute, torch.bfloat16, counted)
        loss = centred_loss(basis)
        # An infinite condition says that rounding made two runs equal, and they may be.
        error = float(loss.condition.nan_to_num(torch.inf).clamp(min=1).max()) * _FAST_TOTAL / basis.words**0.5
        if error <= WANTED:
            return _pip_pass(runs, basis, loss, "fast", error)
        log.warning("group '%s': bfloat16 cannot resolve the losses to 1e-3; computed in float64", runs.name)
    if takes_integers(compute) and (found := _of_whole_numbers(runs, compute, counted)):
        return found
    dtype = dtype_of_products(runs, compute, counted)
    basis = gram_pass(runs, compute, dtype, counted)
    loss = pip_loss.pip_from_gram(basis.gram)
    if dtype != torch.float64 and worst_condition(loss.condition) > largest_condition(compute, runs.dimension):
        dtype = torch.float64
        basis = gram_pass(runs, compute, dtype, counted)
        loss = pip_loss.pip_from_gram(basis.gram)
    if dtype != torch.float64:
        basis = basis._replace(arithmetic=compute.dtype, counted=counted)
        return _pip_pass(runs, basis, loss, "fp32", worst_condition(rounding_error(loss.condition, dtype)))
    error = float(loss.condition.max()) * FLOAT64
    if error <= tolerated(compute):
        return _pip_pass(runs, basis, loss, "fp64", error)
    basis = centred_pass(runs, compute, torch.float64, counted)
    loss = centred_loss(basis)
    errors = centred_errors(basis, loss)
    for at in unresolved(basis, loss, tolerated(compute)):
        measure_alone_(runs, compute, counted, at, loss, errors)
    return _pip_pass(runs, basis, loss, "fp64", worst_condition(errors))


def _of_whole_numbers(runs: Runs, compute: Compute, counted: Tensor) -> PipPass | None:
    """Measure in whole numbers, of as many digits as the error that is allowed takes; ``None``: float64 it is."""
    slices = slices_to_try(runs, compute, counted)
    while slices:
        try:
            found = whole_number_pass(runs, compute, counted, slices)
        except RuntimeError as error:  # of these sizes; others may do
            if is_out_of_memory(error) or compute.ranks.world > 1:  # the others would not know
                raise
            log.warning("group '%s': no whole numbers (%s); computed in float64", runs.name, first_line(error))
            return None
        if found.resolves(compute):
            return _pip_pass(runs, found.basis, found.loss, found.precision, found.error)
        log.info(
            "group '%s': %d digits may err by %.0e (words %.0e)", runs.name, slices, found.error, found.error_of_words
        )
        slices = next_slices(slices)
    return None


def _by_tiles(runs: Runs, compute: Compute, counted: Tensor, wordwise: bool) -> PipPass:
    if compute.precision == "fast":
        log.info("group '%s': its block Gram is too large for bfloat16 deviations; tiles of precision auto", runs.name)
        compute = replace(compute, precision="auto")
    dtype = dtype_of_products(runs, compute, counted)
    try:
        found = tile_pass(runs, compute, counted, dtype, compute.dtype if wordwise else None)
    except UnresolvedError:
        dtype = torch.float64
        found = tile_pass(runs, compute, counted, dtype, dtype if wordwise else None)
    arithmetic = torch.float64 if dtype == torch.float64 else compute.dtype
    return _without_gram(runs, counted, dtype, arithmetic, found)


def _without_gram(runs: Runs, counted: Tensor, dtype: torch.dtype, arithmetic: torch.dtype, found: TilePass) -> PipPass:
    words = int(counted.sum())
    basis = GramPass(
        None, words, dtype, None, arithmetic, found.wordwise, counted, found.lists, found.norms, found.inner
    )
    precision = "fp64" if dtype == torch.float64 else "fp32"
    own = found.norms.diagonal()
    scale = pip_loss.scale_from(own, found.squares, found.sums, words) if runs.unit else None
    reduced = pip_loss.reduced(found.loss.total, words)
    return PipPass(reduced, scale, basis, precision, found.error, found.squares)


def _pip_pass(runs: Runs, basis: GramPass, loss: pip_loss.PipLoss, precision: str, error: float) -> PipPass:
    assert basis.moments is not None  # noqa: S101  # of a whole Gram
    scale = pip_loss.scale(basis.gram, basis.moments.sums, basis.words) if runs.unit else None
    squares = gram.run_squares(basis.gram)
    return PipPass(pip_loss.reduced(loss.total, basis.words), scale, basis, precision, error, squares)
