"""Exact nearest neighbours by cosine, with one tie rule for every back end, batch size and device.

The rule: the word itself is removed by its index; the others are ranked by float64 cosine, descending; neighbours
whose cosines follow each other within :data:`RESOLUTION` are tied and rank by row number (the canonical word order).
A float32 search (FAISS or torch) only proposes candidates; they are ranked again in float64, and a query whose
candidates are not *proven* to hold the whole answer is searched again with more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

RESOLUTION = 2.0**-40
"""Closest cosines that count as different (9e-13): far below any meaning, far above what the order of a float64 sum
changes, so that devices agree. Rounding to a grid instead would part equal cosines that straddle one of its steps."""

_BLAS_FROM = 20
_QUERIES_ON_CPU, _QUERIES = 16, 1 << 16
"""Queries re-ranked at a time: on a CPU their gathered rows stay in its cache (half the time of 512 at once)."""

_FAISS_GPU_LIMIT = 2048
"""A larger k aborts the whole process in FAISS-GPU builds without cuVS: torch's top-k answers there."""

Backend = Literal["torch", "faiss"]
_Search = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]


class Neighbours(NamedTuple):
    """The k nearest neighbours of t targets.

    Attributes:
        indices: ``(t, k)`` int64 row numbers, nearest first.
        cosines: ``(t, k)`` float64 in [−1, 1].
        tied: ``(t, k)`` bool; whether the next neighbour (rank r + 1, also beyond the k-th) is tied, so
            that a list cut here depends on the tie rule.
    """

    indices: Tensor
    cosines: Tensor
    tied: Tensor


def top_k(
    vectors: Tensor,
    targets: Tensor,
    k: int,
    *,
    backend: Backend = "torch",
    search_scores: int = 2**26,
) -> Neighbours:
    """Return the k nearest neighbours of the target rows among all rows.

    Args:
        vectors: ``(v, d)`` non-zero rows of any length and float dtype; cosines are those of these very numbers.
        targets: ``(t,)`` row numbers.
        k: number of neighbours; cut to ``v − 1``.
        backend: ``"torch"`` or ``"faiss"``; the neighbours are the same.
        search_scores: how many scores one tile of the search may hold; changes memory, never the result.

    Raises:
        ValueError: for a zero row, a target outside ``0 .. v − 1``, or k < 1.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> top_k(x, torch.tensor([0, 3]), 2).indices.tolist()
        [[2, 3], [2, 0]]
    """
    v = len(vectors)
    _check(vectors, targets, k)
    k = min(k, v - 1)
    lengths, single = _unit_float32(vectors)
    search = _searcher(backend, vectors.device, search_scores)
    margin = rounding_bound(vectors.shape[1])
    result = Neighbours(
        targets.new_empty(len(targets), k),
        lengths.new_empty(len(targets), k),
        torch.empty(len(targets), k, dtype=torch.bool, device=targets.device),
    )
    open_queries = torch.arange(len(targets), device=targets.device)
    candidates = k + 2 + max(16, k // 4)  # itself, the one after the cut, and room for near-ties
    while len(open_queries):
        candidates = min(candidates, v)
        tile = max(1, search_scores // (candidates * max(vectors.shape[1], 8)))
        open_queries = torch.cat(
            [
                _answer(vectors, lengths, single, targets, part, candidates, search, margin, result)
                for part in open_queries.split(tile)
            ]
        )
        candidates *= 4
    return result


def rounding_bound(dimension: int) -> float:
    """Return a bound on |float32 score − float64 cosine| of unit rows.

    Rounding two unit vectors to float32 changes their product by at most ``2u + u²``, and summing d products in any
    order by at most ``d u / (1 − d u)`` (Higham 2002, §3.1), ``u = 2⁻²⁴``.
    """
    u = 2.0**-24
    return 2.1 * u + dimension * u / (1 - dimension * u) * (1 + 2.1 * u)


def _check(vectors: Tensor, targets: Tensor, k: int) -> None:
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ValueError(f"vectors have shape {tuple(vectors.shape)}, wanted (v, d) with v of at least 2")
    if k < 1:
        raise ValueError(f"k is {k}, wanted at least 1")
    if len(targets) and not 0 <= int(targets.min()) <= int(targets.max()) < len(vectors):
        raise ValueError(
            f"targets reach from {int(targets.min())} to {int(targets.max())}, rows from 0 to {len(vectors) - 1}"
        )
    zero = (vectors == 0).all(1)
    if zero.any():
        raise ValueError(f"row {int(zero.nonzero()[0])} is zero: its cosine is undefined")


def _answer(
    vectors: Tensor,
    lengths: Tensor,
    single: Tensor,
    targets: Tensor,
    queries: Tensor,
    candidates: int,
    search: _Search,
    margin: float,
    result: Neighbours,
) -> Tensor:
    """Fill in the result of the queries that these candidates prove; return the others."""
    own, k = targets[queries], result.indices.shape[1]
    found, scores = search(single, own, candidates)  # (q, m)
    exact = _cosines(vectors, lengths, own, found).masked_fill(found == own[:, None], -torch.inf)
    rows, cosines, cluster = _rank(found, exact, len(vectors))
    # A row outside the list scores at most the lowest score, so its cosine is at most that plus the margin: it must
    # lie below the k-th neighbour and below everything that is tied with it.
    tied_with_last = cosines.masked_fill(cluster != cluster[:, k - 1 : k], torch.inf).amin(1)
    proven = tied_with_last - RESOLUTION > scores.amin(1).double() + margin
    if candidates == len(vectors):
        proven = torch.ones_like(proven)
    done = queries[proven]
    result.indices[done] = rows[proven, :k]
    result.cosines[done] = cosines[proven, :k]
    following = torch.nn.functional.pad(cluster[:, 1:], (0, 1), value=-1)
    result.tied[done] = (cluster == following)[proven, :k]
    return queries[~proven]


def _rank(found: Tensor, exact: Tensor, v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Sort candidates by descending cosine, tied ones by row; returns rows, cosines and the number of the tie."""
    cosines, order = exact.sort(dim=1, descending=True)
    apart = cosines[:, :-1] - cosines[:, 1:] > RESOLUTION
    cluster = torch.nn.functional.pad(apart.long().cumsum(1), (1, 0))
    rows = found.gather(1, order)
    order = (cluster * v + rows).argsort(dim=1)
    return rows.gather(1, order), cosines.gather(1, order), cluster


def _unit_float32(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Float64 lengths ``(v,)`` and contiguous float32 unit rows ``(v, d)``, piece by piece to spare memory."""
    lengths = torch.empty(len(vectors), dtype=torch.float64, device=vectors.device)
    single = torch.empty(vectors.shape, dtype=torch.float32, device=vectors.device)
    for start in range(0, len(vectors), 4096):
        part = slice(start, start + 4096)
        rows = vectors[part].double()
        lengths[part] = torch.linalg.vector_norm(rows, dim=1)
        single[part] = rows / lengths[part, None]
    return lengths, single


def _cosines(vectors: Tensor, lengths: Tensor, own: Tensor, found: Tensor) -> Tensor:
    """Float64 cosines of queries ``(q,)`` with their candidates ``(q, m)``."""
    size = _QUERIES_ON_CPU if vectors.device.type == "cpu" else _QUERIES
    parts = zip(found.split(size), own.split(size), strict=True)
    dots = torch.cat([torch.bmm(vectors[f].double(), vectors[q].double()[:, :, None]).squeeze(2) for f, q in parts])
    return (dots / (lengths[found] * lengths[own][:, None])).clamp(-1, 1)


def _searcher(backend: Backend, device: torch.device, search_scores: int) -> _Search:
    def by_torch(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        tile = max(1, search_scores // len(single))
        parts = [(single[part] @ single.mT).topk(m, dim=1) for part in own.split(tile)]
        return torch.cat([p.indices for p in parts]), torch.cat([p.values for p in parts])

    def by_faiss(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        if device.type == "cpu":
            return _faiss_cpu(single, own, m)
        return _faiss_gpu(single, own, m) if m <= _FAISS_GPU_LIMIT else by_torch(single, own, m)

    return by_torch if backend == "torch" else by_faiss


def _faiss_cpu(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
    import faiss

    # Below a limit of queries FAISS leaves BLAS for loops that take five times as long (1.15.1, v = 20,000, d = 100).
    # Its own limit grows as d falls: 1,280 queries at d = 100. The setting is the process's, so it is put back.
    usual, faiss.cvar.distance_compute_blas_threshold = faiss.cvar.distance_compute_blas_threshold, _BLAS_FROM
    try:
        scores, found = faiss.knn(single[own].numpy(), single.numpy(), m, metric=faiss.METRIC_INNER_PRODUCT)
    finally:
        faiss.cvar.distance_compute_blas_threshold = usual
    return torch.from_numpy(found), torch.from_numpy(scores)


def _faiss_gpu(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
    import faiss
    import faiss.contrib.torch_utils  # teaches FAISS torch tensors

    torch.cuda.synchronize(single.device)  # FAISS works on a stream of its own
    scores, found = faiss.knn_gpu(_gpu_resources(), single[own], single, m, metric=faiss.METRIC_INNER_PRODUCT)
    torch.cuda.synchronize(single.device)
    return found, scores


@cache
def _gpu_resources() -> Any:
    """One resource object for the process: making one costs 0.1 s and scratch memory."""
    import faiss

    return faiss.StandardGpuResources()
