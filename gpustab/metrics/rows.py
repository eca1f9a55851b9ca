"""Metrics that need all rows: they keep them, ``2 v d`` numbers, and gather them from all processes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gpustab.functional.losses import wordwise_pip_loss
from gpustab.functional.similarity import neighbour_overlap
from gpustab.kernels.batches import Reduction, refuse_reduction
from gpustab.kernels.shapes import want_count
from gpustab.metrics.base import PairMetric

__all__ = ["NeighbourOverlap", "WordwisePIPDistance"]


class _OfRows(PairMetric):
    is_differentiable = False

    def update(self, x: Tensor, y: Tensor, ids: Tensor | None = None) -> None:
        """Keep rows, row k of both being the same word.

        Args:
            x: ``(c, d1)``.
            y: ``(c, d2)``.
            ids: ``(c,)`` whole numbers that tell the rows apart; what comes twice counts once. All rows have one, or
                none.
        """
        self._keep(x, y, ids, self.normalize)


class WordwisePIPDistance(_OfRows):
    """The PIP loss of every word, ``(v,)`` in the order of the rows; see ``gpustab.functional.wordwise_pip_loss``.

    Keeps all rows: a word is compared with all others. Over several processes the rows stand in the order of the ranks.

    Args:
        normalize: scale rows to unit length first.
        reduction: ``"none"``: of every word; ``"mean"`` or ``"sum"`` over them.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)``, ``(c, d2)``, and ids ``(c,)``.
        - compute: ``(v,)``, or ``()`` with a reduction.
    """

    higher_is_better = False
    plot_lower_bound = 0.0

    def __init__(self, *, normalize: bool = True, reduction: Reduction = "none", **kwargs: Any) -> None:
        super().__init__(normalize=normalize, **kwargs)
        refuse_reduction(reduction)
        self.reduction: Reduction = reduction

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        return f"{super().extra_repr()}, reduction={self.reduction!r}"

    def compute(self) -> Tensor:
        """Return the losses, float64; without a row NaN, or none."""
        x, y = self._rows()
        if not len(x):
            return torch.full(
                (0,) if self.reduction == "none" else (), torch.nan, dtype=torch.float64, device=self.device
            )
        return wordwise_pip_loss(x, y, normalize=self.normalize, reduction=self.reduction)


class NeighbourOverlap(_OfRows):
    """p@k or j@k, the mean part of the k nearest neighbours that are shared; exact, over all words.

    Keeps all rows: any word may be a neighbour. See :func:`gpustab.functional.neighbour_overlap`.

    Args:
        k: length of the lists.
        jaccard: j@k instead of p@k.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)``, ``(c, d2)``, and ids ``(c,)``.
        - compute: ``()``.
    """

    higher_is_better = True
    plot_lower_bound, plot_upper_bound = 0.0, 1.0

    def __init__(self, k: int = 10, *, jaccard: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        want_count("k", k)
        self.k, self.jaccard = k, jaccard

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        return f"k={self.k}, jaccard={self.jaccard}"

    def compute(self) -> Tensor:
        """Return the overlap, ``()`` float64 in [0, 1]; NaN without a row."""
        x, y = self._rows()
        if not len(x):
            return torch.full((), torch.nan, dtype=torch.float64, device=self.device)
        return neighbour_overlap(x, y, self.k, jaccard=self.jaccard)
