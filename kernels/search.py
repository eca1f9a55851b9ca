"""Searches in float32 that propose neighbours: by torch, and by FAISS on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import Held, product

_BLAS_FROM = 20

_FAISS_GPU_LIMIT = 2048
"""A larger k aborts the whole process in FAISS-GPU builds without cuVS: torch's top-k answers there."""

Backend = Literal["torch", "faiss"]
Search = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]


def searcher(backend: Backend, device: torch.device, search_scores: int) -> Search:
    """Return what finds the m highest inner products of rows with all rows: ``(single, own, m)`` to rows and scores."""

    def by_torch(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        tile = max(1, search_scores // len(single))
        parts = [product(single[part], single.mT).topk(m, dim=1) for part in own.split(tile)]
        return torch.cat([p.indices for p in parts]), torch.cat([p.values for p in parts])

    def by_faiss(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
        if device.type == "cpu":
            return _faiss_cpu(single, own, m)
        return _faiss_gpu(single, own, m) if m <= _FAISS_GPU_LIMIT else by_torch(single, own, m)

    return by_torch if backend == "torch" else by_faiss


def _prefer_blas() -> Callable[[], None]:
    """Below a limit of queries FAISS leaves BLAS for loops that take five times as long (1.15.1, v = 20,000, d = 100).

    Its own limit grows as d falls: 1,280 queries at d = 100.
    """
    import faiss

    usual, faiss.cvar.distance_compute_blas_threshold = faiss.cvar.distance_compute_blas_threshold, _BLAS_FROM

    def undo() -> None:
        faiss.cvar.distance_compute_blas_threshold = usual

    return undo


_BLAS_FOR_FEW = Held(_prefer_blas)


def _faiss_cpu(single: Tensor, own: Tensor, m: int) -> tuple[Tensor, Tensor]:
    import faiss

    with _BLAS_FOR_FEW:
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
