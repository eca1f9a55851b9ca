"""The pass for the PIP loss word by word, over all pairs of runs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass
from gpustab.engine.precision import worst_condition
from gpustab.engine.tiles import tile_pass
from gpustab.kernels import centred, gram, pip_loss
from gpustab.kernels.dispatch import use_triton
from gpustab.machine.device import DEFAULT, Compute, log, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_FUSED_CONDITION = 1000
"""Up to here float16 of two terms keeps every word's mean to 1e-3 (sotu: 8e-4 at 1,028, 3e-4 at 165)."""

_Measure = Callable[[Tensor, Tensor], pip_loss.WordwisePip]
"""Of rows of all runs ``(R, c, d)`` and which run has which of them ``(R, c)``."""


@telling_memory
def wordwise_pass(runs: Runs, basis: GramPass, compute: Compute = DEFAULT) -> pip_loss.WordwisePip:
    """Return mean, SD and standard error over all pairs of every word's PIP loss; every field is ``(v,)``.

    A word's cosines are compared with all joint words, over the pairs of runs that have the word. With
    ``precision="fast"`` the fused kernel does it in float16 of two terms, as long as the condition number lets it.
    A basis of float64 deviations is read in that form, which resolves what made it necessary.
    """
    if basis.moments is None:
        return basis.wordwise or _by_tiles(runs, basis, compute)
    r, d = len(runs), runs.dimension
    fused = _fused(runs, basis, compute)
    measure = fused or _centred(basis) or _plain(basis)

    def work(tile: int) -> pip_loss.WordwisePip:
        found = torch.zeros(len(pip_loss.WordwisePip._fields), runs.words, dtype=torch.float64, device=runs.device)
        dtype = torch.float32 if fused else basis.arithmetic or basis.dtype
        for start, chunk in runs.chunks(tile, dtype=dtype, share=compute.ranks.share):
            some = measure(chunk, runs.present[:, start : start + tile])
            found[:, start : start + tile] = torch.stack([field.double() for field in some])
        compute.ranks.total_(found)  # what another process measured is 0 here
        words = pip_loss.WordwisePip(*found)
        return words._replace(pairs=words.pairs.long())

    tile = compute.tile(4 * r * d * 8, runs.words)
    most = gram.ROWS_PER_MATMUL
    if runs.device.type == "cpu":
        most //= 2  # of 4,096 rows, what is formed of two runs leaves the processor's cache: 20.9 ms to 13.2 in float64
    return with_smaller_tiles(work, tile if fused else min(tile, most), compute.ranks)


def _by_tiles(runs: Runs, basis: GramPass, compute: Compute) -> pip_loss.WordwisePip:
    """Form the tiles of a Gram that was not kept once more, where nobody said before that words would be asked for."""
    assert basis.counted is not None  # noqa: S101  # where no moments are
    arithmetic = basis.arithmetic or basis.dtype
    found = tile_pass(runs, compute, basis.counted, basis.dtype, arithmetic).wordwise
    assert found is not None  # noqa: S101  # it was asked for
    return found


def _plain(basis: GramPass) -> _Measure:
    return lambda chunk, present: pip_loss.wordwise_pip(chunk, basis.gram, basis.words, present)


def _centred(basis: GramPass) -> _Measure | None:
    """Return the measure by deviations in one frame, if the basis holds them in float64."""
    if basis.centred is None or basis.dtype != torch.float64:
        return None
    maps, frame_gram = basis.centred

    def measure(chunk: Tensor, present: Tensor) -> pip_loss.WordwisePip:
        return centred.centred_wordwise_pip(centred.centred_rows(chunk, maps), frame_gram, basis.words, present)

    return measure


def _fused(runs: Runs, basis: GramPass, compute: Compute) -> _Measure | None:
    """Return the fused kernel where it was asked for, can run, and resolves the losses; else say why it does not."""
    if compute.precision != "fast" or basis.dtype == torch.float64:
        return None
    able, reason = use_triton(torch.empty(0, runs.dimension, dtype=torch.float16, device=basis.gram.device))
    worst = worst_condition(pip_loss.pip_from_gram(basis.gram).condition)
    if able and worst > _FUSED_CONDITION:
        able, reason = False, f"condition {worst:.0f} is more than float16 resolves"
    if not able:
        log.info("words are measured by the plain kernel: %s", reason)
        return None
    from gpustab.kernels.triton.packed_gram import pack_gram
    from gpustab.kernels.triton.wordwise import packed_wordwise

    packed = pack_gram(basis.gram, basis.words, "fp16", terms=2)
    return lambda chunk, present: packed_wordwise(chunk, packed, present)
