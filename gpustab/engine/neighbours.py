"""Passes for nearest neighbours: which words are compared, their lists in every run, and how much these share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.proofs import HALVES, proved
from gpustab.errors import InputError, first_line
from gpustab.kernels import neighbours, overlap
from gpustab.kernels.common_neighbours import common_neighbours
from gpustab.kernels.overlap import WordOverlap
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.log import log
from gpustab.machine.out_of_memory import is_out_of_memory, telling_memory, with_smaller_tiles
from gpustab.machine.ranks import Ranks
from gpustab.runs.runs import Runs

_PAIRS_ON_CPU = 1 << 19
"""Pairs of runs and targets whose overlaps are formed at a time."""
_PLACES_ON_CPU = 1 << 17
"""Places of lists that are counted at a time: a fifth less time than all at once, and a megabyte for each copy."""


def draw_targets(runs: Runs, wanted: int | None = None, seed: int = 0, *, all_up_to: int = 20_000) -> Tensor:
    """Return the target words: those that at least two runs have, all of them or a seeded draw.

    Words are drawn by a hash of their bytes, so that groups of runs are asked of the same words where both have them.

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
    lots = [_lot(runs.vocabulary[row], seed) for row in eligible.tolist()]
    return (
        eligible[torch.tensor(np.argsort(np.array(lots, dtype=np.uint64), kind="stable")[:wanted], device="cpu")]
        .sort()
        .values
    )


def _lot(word: bytes, seed: int) -> int:
    """Return a number that a word draws, the same wherever it occurs."""
    return int.from_bytes(blake2b(word, digest_size=8, key=seed.to_bytes(16, "little", signed=True)).digest(), "little")


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


@telling_memory
def neighbour_pass(
    runs: Runs, targets: Tensor, k: int, compute: Compute = DEFAULT, progress: Callable[[int], None] | None = None
) -> NeighbourPass:
    """Find the k nearest neighbours of the targets in every run, exactly, among all words that the run has.

    Args:
        runs: the runs.
        targets: ``(t,)`` row numbers.
        k: list length; cut to one less than the words of the smallest run.
        compute: how to compute.
        progress: called with the number of finished runs.

    Raises:
        InputError: if a vector has become zero, or a value not finite, since the runs were loaded.
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
    mine = compute.ranks.mine(len(targets), runs.device)
    unproven: Counter[str] = Counter()
    halves = proved(HALVES, runs.device).works

    def tell(search: str, queries: int) -> None:
        unproven[search] += queries

    for r in range(len(runs)):
        own_rows = runs.present[r].nonzero().flatten()  # row numbers in the joined vocabulary
        have = result.present[r] & mine
        vectors = runs.directions(r)
        if len(own_rows) < runs.words:
            vectors = vectors[own_rows]
        own_targets = torch.searchsorted(own_rows, targets[have])

        def search(rows: int, vectors: Tensor = vectors, own_targets: Tensor = own_targets) -> neighbours.Neighbours:
            scores = rows * len(vectors)
            find = partial(neighbours.top_k, vectors, own_targets, k, search_scores=scores, halves=halves, tell=tell)
            return _found(find, compute, runs.device)

        try:
            found = with_smaller_tiles(search, compute.tile(16 * len(vectors), max(len(targets), 1)))
        except ValueError as error:  # a vector is no longer what it was when it was loaded
            require_finite(runs, [vectors])
            raise InputError(f"{runs.names[r]}: {error}") from None
        result.indices[r, have] = own_rows[found.indices]
        result.cosines[r, have] = found.cosines
        result.tied[r, have] = found.tied
        if progress:
            progress(r + 1)
    asked = int((result.present & mine).sum())
    for name, count in unproven.items():
        if count:
            log.info("group '%s': %d of %d lists are not proven by %s", runs.name, count, asked, name)
    return _of_all(result, mine, compute.ranks)


def _found(find: Callable[..., neighbours.Neighbours], compute: Compute, device: torch.device) -> neighbours.Neighbours:
    """Search; where FAISS gives no answer torch does, and the log says so."""
    try:
        return find(backend=compute.backend)
    except Exception as error:  # FAISS raises whatever its parts do
        if compute.backend == "torch" or isinstance(error, ValueError) or is_out_of_memory(error):
            raise
        log.warning("FAISS gave no answer (%s); torch searches on %s", first_line(error), device)
    return find(backend="torch")


def _of_all(result: NeighbourPass, mine: Tensor, ranks: Ranks) -> NeighbourPass:
    """Put together what several processes found, each of its own targets."""
    if ranks.world == 1:
        return result
    indices, cosines, tied = (
        field.masked_fill(~mine[:, None], 0) for field in (result.indices, result.cosines, result.tied.long())
    )
    ranks.total_(indices, cosines, tied)
    return result._replace(indices=indices, cosines=cosines, tied=tied.bool())


@telling_memory
def overlap_pass(
    found: NeighbourPass, lengths: Sequence[int], compute: Compute = DEFAULT, *, spread: int | None = None
) -> overlap.Overlap:
    """Return p@n and j@n of all pairs of runs over all targets, in tiles of targets whose sums add up.

    Args:
        found: the lists.
        lengths: values of n, at most ``found.k``.
        compute: how to compute.
        spread: the one n of these at which the spread of every target's p@n is measured too.
    """
    r, targets, k = found.indices.shape
    device = found.indices.device

    def work(tile: int) -> overlap.Overlap:
        total = torch.zeros(2, len(lengths), r * (r - 1) // 2, dtype=torch.float64, device=device)
        by_word = torch.zeros(2, len(lengths), targets, dtype=torch.float64, device=device)
        words = torch.zeros(len(WordOverlap._fields), targets, dtype=torch.float64, device=device)
        for start in range(0, targets, tile):
            part = slice(start, start + tile)
            # Added to the totals as they are found: of many runs those of a tile are as large.
            sums = overlap.overlap_sums(found.indices[:, part], lengths, found.present[:, part], total, spread)
            by_word[0, :, part], by_word[1, :, part] = sums.p_word, sums.j_word
            for field, its in zip(words, sums.words or (), strict=False):
                field[part] = its
        spreads = None if spread is None else WordOverlap(*words)
        sums = overlap.OverlapSums(total[0], total[1], by_word[0], by_word[1], spreads)
        return overlap.as_overlap(sums, found.present)

    tile = compute.tile(8 * r * (4 * r + 4 * k) + 4 * r * r * k, max(targets, 1))
    if found.indices.device.type == "cpu":  # pairs of a few targets stay in its cache
        tile = min(tile, max(1, _PAIRS_ON_CPU // r**2))
    return with_smaller_tiles(work, tile)


class CommonOverlap(NamedTuple):
    """What all of m runs have in common of a list, mean over the targets; see :mod:`gpustab.kernels.common_neighbours`.

    Attributes:
        runs: values of m.
        share: ``(M,)`` r@n.
        se: ``(M,)`` standard errors, by the jackknife over runs; NaN where m is R.
        jaccard: of all runs, ``|∩| / |∪|``.
        left_out: the same with each run left out in turn, mean.
    """

    runs: tuple[int, ...]
    share: Tensor
    se: Tensor
    jaccard: float
    left_out: float


@telling_memory
def common_pass(found: NeighbourPass, n: int, runs: Sequence[int], compute: Compute = DEFAULT) -> CommonOverlap:
    """Return which part of a list all of m runs have in common, in tiles of targets whose sums add up.

    Args:
        found: the lists.
        n: length, at most ``found.k``.
        runs: values of m, each in ``2 .. R``.
        compute: how to compute.
    """
    count, targets, _ = found.indices.shape

    def work(tile: int) -> Tensor:
        # Sums over targets and how many these are: of all runs and without each, of every m and of both Jaccards.
        total = torch.zeros(2, count + 1, len(runs) + 1, dtype=torch.float64, device=found.indices.device)
        for start in range(0, targets, tile):
            part = slice(start, start + tile)
            own = common_neighbours(found.indices[:, part], n, runs, found.present[:, part])
            rows = [torch.cat([own.share, own.jaccard[None]])[None]]
            rows.append(torch.cat([own.share_without, own.jaccard_without[:, None]], 1))
            values = torch.cat(rows)  # (R + 1, M + 1, t)
            total += torch.stack([values.nansum(2), values.isfinite().sum(2).double()])
        return total

    tile = compute.tile(8 * count * n * (8 + 2 * len(runs)), max(targets, 1))
    if found.indices.device.type == "cpu":
        tile = min(tile, max(1, _PLACES_ON_CPU // (count * n)))
    sums, numbers = with_smaller_tiles(work, tile).cpu()
    means = sums / numbers  # 0 / 0 of no target
    left = means[1:, :-1]
    error = ((count - 1) / count * (left - left.mean(0)).square().sum(0)).sqrt()
    return CommonOverlap(tuple(runs), means[0, :-1], error, float(means[0, -1]), float(means[1:, -1].mean()))
