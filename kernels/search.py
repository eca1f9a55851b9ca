"""Searches in float32 and float16 that propose neighbours: by torch, and by FAISS on a CPU or a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

__all__ = ["Backend", "Search", "half_bound", "halves_pay", "highest", "rounding_bound", "searcher"]

_NARROWEST = 4
"""Blocks of fewer columns save nothing."""

_FAISS_GPU_LIMIT = 2048
"""A larger k aborts the whole process in FAISS-GPU builds without cuVS: torch's top-k answers there."""

_HALVES_FROM = 1e10
"""Operations of a search from which on float16 comes first: a float32 product takes some 0.4 ms then. Not measured; on
an H200 float16 scores of 200,000 words with each other took 0.15 s where float32 took 0.50 s."""

Backend = Literal["torch", "faiss"]
Search = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]


def searcher(backend: Backend, device: torch.device, search_scores: int) -> Search:
    """Return what finds the m highest inner products of rows with all rows: ``(single, own, m)`` to rows and scores."""

    def by_torch(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        tile = max(1, search_scores // len(single))
        parts = [highest(product(single[part], single.mT), m) for part in own.split(tile)]
        found, scores = (torch.cat(both) for both in zip(*parts, strict=True))
        return found, scores

    def by_faiss(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        if device.type == "cpu":
            return _faiss_cpu(single, own, m)
        return _faiss_gpu(single, own, m) if m <= _FAISS_GPU_LIMIT else by_torch(single, own, m)

    return by_torch if backend == "torch" else by_faiss


def rounding_bound(dimension: int, unit: float = 2.0**-24) -> float:
    """Return a bound on |float32 score − cosine| of unit rows.

    Rounding two unit vectors changes their product by at most ``2u + u²``, and summing d products in any order by at
    most ``d u / (1 − d u)`` (Higham 2002, §3.1).

    Args:
        dimension: d.
        unit: u, the unit roundoff; that of float64 is ``2⁻⁵³``.
    """
    return 2.1 * unit + dimension * unit / (1 - dimension * unit) * (1 + 2.1 * unit)


def half_bound(dimension: int) -> float:
    """Return a bound on |score − cosine| of unit rows that are rounded to float16 and multiplied by tensor cores.

    Rounding changes an entry by ``2⁻¹¹`` of itself or, below ``2⁻¹⁴``, by ``2⁻²⁵``; so the product of two rows by
    ``2u + u²`` and ``2 √d 2⁻²⁵`` at most. Products of float16 are exact in float32; tensor cores add them up in any
    order and truncate, by a unit of ``2⁻²³`` at every one of d sums or, as they may keep fewer bits on the way, four.

    Args:
        dimension: d.
    """
    unit, sums = 2.0**-11, dimension * 2.0**-21
    return 2.1 * unit + 2.1 * math.sqrt(dimension) * 2.0**-25 + sums * (1 + 2.1 * unit)


def halves_pay(device: torch.device, work: float) -> bool:
    """Tell whether a search in float16 comes first: on cards with tensor cores, where there is enough to multiply.

    Args:
        device: of the rows.
        work: queries × rows × dimensions.
    """
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0) and work >= _HALVES_FROM


def highest(scores: Tensor, m: int) -> tuple[Tensor, Tensor]:
    """Return places and values of the m highest scores of every row, in no order.

    They lie in the m blocks of columns with the highest maxima: were one outside, each of the m blocks would hold a
    higher one. So two short selections do, of ``√(v m)`` numbers each instead of v: on a GPU a fraction of the time, on
    a CPU 0.75 to 0.95 of it. Where scores are equal, others as high may be left out.

    Args:
        scores: ``(q, v)``.
        m: at most v.

    Example:
        >>> places, values = highest(torch.arange(100.0).flip(0)[None], 2)
        >>> places.sort().values.tolist(), values.sort().values.tolist()
        ([[0, 1]], [[98.0, 99.0]])
    """
    queries, v = scores.shape
    width = math.isqrt(v // m)
    if width < _NARROWEST:
        values, places = scores.topk(m, dim=1, sorted=False)
        return places, values
    count = v // width
    # Columns that lie apart make a block: maxima of whole vectors, not within them.
    maxima = scores[:, : count * width].unflatten(1, (width, count)).amax(1)
    best = maxima.topk(m, dim=1, sorted=False).indices[:, :, None]  # (q, m, 1)
    columns = torch.arange(v, device=scores.device)
    places = torch.cat([(best + columns[:width] * count).flatten(1), columns[count * width :].expand(queries, -1)], 1)
    values, at = scores.gather(1, places).topk(m, dim=1, sorted=False)
    return places.gather(1, at), values


def _faiss_cpu(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
    import faiss

    scores, found = faiss.knn(single[own].numpy(), single.numpy(), m, metric=faiss.METRIC_INNER_PRODUCT)
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
