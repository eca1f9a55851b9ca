"""The passes over R runs: they stream row chunks through the kernels and never hold more than a tile.

Rows come from memory or from a packed leaf on disk; the numbers are the same. Global numbers are over the words that
all runs have; word by word, and for neighbours, every run takes part that has the word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.device import Compute, with_smaller_tiles
from gpustab.errors import InputError
from gpustab.kernels import averaging, gram, neighbours, overlap, pip_loss, procrustes
from gpustab.runs import Runs

DEFAULT = Compute()

_FLOAT32_TOTAL = 4e-9
"""Relative error of a float32 PIP loss per unit of condition number, measured on real spaces."""
_FLOAT32_WORD = 2e-7
"""The same for the word-wise loss, at worst."""
_WANTED = 1e-3
"""Relative error that no PIP loss may exceed."""


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


def gram_pass(runs: Runs, compute: Compute = DEFAULT, dtype: torch.dtype | None = None) -> GramPass:
    """Accumulate the block Gram of all runs over the joint words, chunk by chunk."""
    dtype = dtype or compute.dtype
    r, d = len(runs), runs.dimension

    def work(tile: int) -> GramPass:
        total = gram.empty_gram(r, d, runs.device)
        sums = torch.zeros(r, d, dtype=torch.float64, device=runs.device)
        for start in range(0, runs.words, tile):
            chunk = runs.chunk(start, start + tile, dtype=dtype, joint=True)
            gram.add_rows(total, chunk)
            sums += chunk.sum(1, dtype=torch.float64)
        return GramPass(total, sums, int(runs.joint.sum()), dtype)

    tile = compute.tile(r * d * 24, runs.words)
    # Whole matmuls: a chunk of 4,097 rows would cost one of a single row.
    return with_smaller_tiles(work, tile // gram.ROWS_PER_MATMUL * gram.ROWS_PER_MATMUL or tile)


class PipPass(NamedTuple):
    """Reduced PIP loss of every pair, with what it must be read against.

    Attributes:
        reduced: ``(R(R-1)/2,)`` in [0, 1] for unit rows.
        scale: mean cosines and chance levels; ``None`` for rows that are not unit.
        basis: the Gram it was read from.
        precision: ``"fp64"`` or ``"fp32"``, what the products really were.
        error: bound on the relative error of the losses.
    """

    reduced: Tensor
    scale: pip_loss.Scale | None
    basis: GramPass
    precision: str
    error: float


def pip_pass(runs: Runs, compute: Compute = DEFAULT) -> PipPass:
    """Return the reduced PIP loss of every pair of runs, exactly: over all joint words.

    A loss that float32 products cannot resolve to 1e-3 is computed again with float64 products.
    """
    basis = gram_pass(runs, compute)
    loss = pip_loss.pip_loss(basis.gram)
    if basis.dtype != torch.float64 and _worst(loss.condition) * _FLOAT32_WORD > _WANTED:
        basis = gram_pass(runs, compute, torch.float64)
        loss = pip_loss.pip_loss(basis.gram)
    exact = basis.dtype == torch.float64
    return PipPass(
        pip_loss.reduced(loss.total, basis.words),
        pip_loss.scale(basis.gram, basis.row_sums, basis.words) if runs.unit else None,
        basis,
        "fp64" if exact else "fp32",
        _worst(loss.condition) * (2.0**-52 if exact else _FLOAT32_TOTAL),
    )


def _worst(condition: Tensor) -> float:
    """Largest condition number; equal runs (infinite) have no relative error to speak of."""
    finite = condition[condition.isfinite()]
    return float(finite.max()) if len(finite) else 0.0


def wordwise_pass(runs: Runs, basis: GramPass, compute: Compute = DEFAULT) -> pip_loss.WordwisePip:
    """Return mean, SD and standard error over all pairs of every word's PIP loss; every field is ``(v,)``.

    A word's cosines are compared with all joint words, over the pairs of runs that have the word.
    """
    r, d = len(runs), runs.dimension

    def work(tile: int) -> pip_loss.WordwisePip:
        parts = [
            pip_loss.wordwise_pip(
                runs.chunk(start, start + tile, dtype=basis.dtype),
                basis.gram,
                basis.words,
                runs.present[:, start : start + tile],
            )
            for start in range(0, runs.words, tile)
        ]
        return pip_loss.WordwisePip(*(torch.cat(field) for field in zip(*parts, strict=True)))

    return with_smaller_tiles(work, min(compute.tile(4 * r * d * 8, runs.words), gram.ROWS_PER_MATMUL))


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
        for start in range(0, runs.words, tile):
            chunk = pair.chunk(start, start + tile) * runs.joint[start : start + tile, None]
            gram.add_rows(total, pip_loss.aligned_difference(chunk[0], chunk[1], rotation))
        return total

    def words(tile: int) -> Tensor:
        losses = []
        for start in range(0, runs.words, tile):
            chunk = pair.chunk(start, start + tile)
            difference = pip_loss.aligned_difference(chunk[0], chunk[1], rotation)
            losses.append(pip_loss.aligned_wordwise_pip(difference, blocks, basis.words))
        return torch.cat(losses).masked_fill(~pair.present.all(0), torch.nan)

    tile = compute.tile(8 * runs.dimension * 8, runs.words)
    blocks = with_smaller_tiles(parts, tile)
    return with_smaller_tiles(words, tile)


def procrustes_pass(runs: Runs, basis: GramPass) -> tuple[procrustes.Procrustes, Tensor]:
    """Return the orthogonal maps ``V_i A_ij ≈ V_j`` of all pairs, and their residuals ``‖V_i A_ij − V_j‖``.

    Raises:
        InputError: if a pair has a zero cross-Gram; the message names the runs.
    """
    cross = gram.pair_blocks(basis.gram)
    zero = (cross == 0).all(-1).all(-1)
    if zero.any():
        i, j = gram.run_pairs(len(runs))[:, int(zero.nonzero()[0])].tolist()
        raise InputError(f"{runs.names[i]} and {runs.names[j]} share no direction: every alignment is equally good")
    solution = procrustes.procrustes(cross)
    unique = solution.unique & (basis.words >= runs.dimension)
    return solution._replace(unique=unique), procrustes.residuals(basis.gram, solution.maps)


class NeighbourPass(NamedTuple):
    """Nearest neighbours of the same targets in every run.

    Attributes:
        targets: ``(t,)`` row numbers.
        k: list length, cut to what every run can give.
        indices: ``(R, t, k)`` row numbers in the joined vocabulary; −1 where a run lacks the target.
        cosines: ``(R, t, k)`` float64; NaN where a run lacks the target.
        tied: ``(R, t, k)`` bool, see :class:`gpustab.kernels.neighbours.Neighbours`.
        present: ``(R, t)`` bool.
    """

    targets: Tensor
    k: int
    indices: Tensor
    cosines: Tensor
    tied: Tensor
    present: Tensor


def neighbour_pass(
    runs: Runs,
    targets: Tensor,
    k: int,
    compute: Compute = DEFAULT,
    progress: Callable[[int], None] | None = None,
) -> NeighbourPass:
    """Find the k nearest neighbours of the targets in every run, exactly, among all words that the run has.

    Args:
        runs: the runs.
        targets: ``(t,)`` row numbers.
        k: list length; cut to one less than the words of the smallest run.
        compute: how to compute.
        progress: called with the number of finished runs.
    """
    targets = targets.to(runs.device)
    k = min(k, int(runs.present.sum(1).min()) - 1)
    shape = (len(runs), len(targets), k)
    result = NeighbourPass(
        targets,
        k,
        torch.full(shape, -1, dtype=torch.long, device=runs.device),
        torch.full(shape, torch.nan, dtype=torch.float64, device=runs.device),
        torch.zeros(shape, dtype=torch.bool, device=runs.device),
        runs.present[:, targets],
    )
    for r in range(len(runs)):
        own_rows = runs.present[r].nonzero().flatten()  # row numbers in the joined vocabulary
        have = result.present[r]
        vectors = runs.directions(r)
        if len(own_rows) < runs.words:
            vectors = vectors[own_rows]
        own_targets = torch.searchsorted(own_rows, targets[have])

        def search(rows: int, vectors: Tensor = vectors, own_targets: Tensor = own_targets) -> neighbours.Neighbours:
            return neighbours.top_k(vectors, own_targets, k, backend=compute.backend, search_scores=rows * len(vectors))

        found = with_smaller_tiles(search, compute.tile(16 * len(vectors), max(len(targets), 1)))
        result.indices[r, have] = own_rows[found.indices]
        result.cosines[r, have] = found.cosines
        result.tied[r, have] = found.tied
        if progress:
            progress(r + 1)
    return result


def overlap_pass(found: NeighbourPass, lengths: Sequence[int], compute: Compute = DEFAULT) -> overlap.Overlap:
    """Return p@n and j@n of all pairs of runs over all targets, in tiles of targets."""
    r, targets, k = found.indices.shape

    def work(tile: int) -> overlap.Overlap:
        parts = [
            overlap.neighbour_overlap(
                found.indices[:, start : start + tile], lengths, found.present[:, start : start + tile]
            )
            for start in range(0, targets, tile)
        ]
        count = torch.stack([part.targets for part in parts]).sum(0)
        by_pair = [
            torch.stack([torch.nan_to_num(getattr(part, field)) * part.targets for part in parts]).sum(0) / count
            for field in ("p", "j")
        ]
        by_word = [torch.cat([getattr(part, field) for part in parts], dim=1) for field in ("p_word", "j_word")]
        diagonal = torch.eye(r, dtype=torch.bool, device=count.device)
        p, j = (matrix.masked_fill(diagonal, 0) for matrix in by_pair)
        return overlap.Overlap(p, j, count, by_word[0], by_word[1])

    bytes_per_target = 8 * r * (4 * len(lengths) * r + 4 * k) + 4 * r * r * k
    return with_smaller_tiles(work, compute.tile(bytes_per_target, max(targets, 1)))


def average_pass(
    runs: Runs, *, renormalise: bool = False, dtype: torch.dtype = torch.float64
) -> list[list[averaging.Average]]:
    """Return all levels of the tree of aligned averages; ``[-1][0]`` is the average of all runs.

    All runs are held at once in ``dtype``: R·v·d numbers, and as many again over all levels.
    """
    stack = [runs.run(r, dtype=dtype) for r in range(len(runs))]
    return averaging.tree_average(stack, present=runs.present, renormalise=renormalise)


def draw_targets(runs: Runs, wanted: int | None = None, seed: int = 0, *, all_up_to: int = 20_000) -> Tensor:
    """Return the target words: those that at least two runs have, all of them or a seeded draw.

    Args:
        runs: the runs.
        wanted: how many; ``None`` means all while there are at most ``all_up_to``, else 1,000 (as the thesis);
            anything not smaller than the vocabulary means all.
        seed: of the draw.
        all_up_to: largest vocabulary whose words are all taken by default.

    Returns:
        ``(t,)`` row numbers, ascending.
    """
    eligible = (runs.present.sum(0) > 1).nonzero().flatten().cpu()
    if wanted is None:
        wanted = len(eligible) if len(eligible) <= all_up_to else 1000
    if wanted >= len(eligible):
        return eligible
    generator = torch.Generator().manual_seed(seed)
    return eligible[torch.randperm(len(eligible), generator=generator)[:wanted]].sort().values
