"""TorchMetrics of two matrices over the same words, given in chunks of rows; needs the extra ``metrics``.

    from torchmetrics import MetricCollection
    from gpustab.metrics import LinearCKA, PIPDistance
    metrics = MetricCollection([PIPDistance(300), LinearCKA(300)])
    for x, y in chunks_of_rows:
        metrics.update(x, y)
    metrics.compute()

Distances and CKA keep the sums of :class:`gpustab.kernels.gram.Moments`, ``O(d²)`` numbers that add up over chunks,
processes and machines. Word-wise losses and neighbours need all rows, and keep them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

try:
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("gpustab.metrics needs TorchMetrics: pip install 'gpustab[metrics]'") from error

from gpustab.functional.losses import wordwise_pip_loss
from gpustab.functional.similarity import neighbour_overlap
from gpustab.kernels.batches import Reduction
from gpustab.kernels.gram import Moments, empty_moments, merge, moments, pair_blocks
from gpustab.kernels.pair_rows import pair_rows, refuse_unmeasurable
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.kernels.procrustes import procrustes, residuals
from gpustab.kernels.similarity import centred, linear_cka


class _Plotted(Metric):
    full_state_update = False

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one value, or several as a line; needs matplotlib.

        Args:
            val: what ``compute`` or ``forward`` returned, or a list of these; default: the value now.
            ax: axes of matplotlib to draw on.
        """
        return self._plot(val, ax)


class _OfMoments(_Plotted):
    """A metric that is a function of the moments of two matrices.

    Args:
        dimension: the larger d of the two; rows of the other are padded with zeros, which changes nothing.
        normalize: scale rows to unit length first.
        **kwargs: of ``torchmetrics.Metric``.
    """

    is_differentiable = True
    gram: Tensor
    sums: Tensor
    words: Tensor

    def __init__(self, dimension: int, *, normalize: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if dimension < 1:
            raise ValueError(f"dimension is {dimension}, wanted a number from 1")
        self.dimension, self.normalize = dimension, normalize
        for name, zeros in empty_moments(2, dimension)._asdict().items():
            self.add_state(name, zeros, dist_reduce_fx="sum")

    def update(self, x: Tensor, y: Tensor) -> None:
        """Add rows ``(c, d1)`` and ``(c, d2)``, row k of both being the same word; every word comes once."""
        rows = pair_rows(x, y, None, self.normalize)
        refuse_unmeasurable(rows)
        for name, matrix in (("x", x), ("y", y)):
            if matrix.shape[1] > self.dimension:
                raise ValueError(f"{name} has shape {tuple(matrix.shape)}, wanted (c, d) with d up to {self.dimension}")
        found = self._moments()
        for part in rows.parts():
            stack = torch.stack(part.prepared(torch.float64))
            found = merge(found, moments(torch.nn.functional.pad(stack, (0, self.dimension - stack.shape[2]))))
        self.gram, self.sums, self.words = found

    def _moments(self) -> Moments:
        return Moments(self.gram, self.sums, self.words)


class PIPDistance(_OfMoments):
    """The reduced PIP loss ``‖XXᵀ − YYᵀ‖ / (2v)``, in [0, 1] for unit rows (Rettenmeier 2020, eq. 2.28).

    Invariances are those of :func:`gpustab.functional.pip_loss`; losses down to 1e-7 are right to 1e-3, since sums are
    float64. NaN before the first row.

    Example:
        >>> metric = PIPDistance(2)
        >>> metric.update(torch.eye(2)[:1], torch.tensor([[1.0]]))
        >>> metric.update(torch.eye(2)[1:], torch.tensor([[1.0]]))
        >>> round(metric.compute().item(), 6)
        0.353553
    """

    higher_is_better = False
    plot_lower_bound = 0.0

    def compute(self) -> Tensor:
        """Return the loss, ``()`` float64."""
        return reduced(pip_from_gram(self.gram).total[0], 1) / self.words


class ProcrustesDistance(_OfMoments):
    """The root mean square distance of aligned rows, ``min_A ‖XA − Y‖ / √v``; in [0, √2] for unit rows.

    Invariances are those of :func:`gpustab.functional.procrustes`; below 1e-8 it is rounding. NaN before the first row.
    """

    higher_is_better = False
    plot_lower_bound = 0.0

    def compute(self) -> Tensor:
        """Return the distance, ``()`` float64.

        Raises:
            ValueError: where ``XᵀY`` is zero, so that every alignment is as good.
        """
        if not bool(self.words):
            return self.gram.new_tensor(torch.nan)
        return residuals(self.gram, procrustes(pair_blocks(self.gram)).maps)[0] / self.words.double().sqrt()


class LinearCKA(_OfMoments):
    """Linear CKA of centred columns, in [0, 1] (Kornblith et al. 2019); see :func:`gpustab.functional.linear_cka`.

    Args:
        dimension: the larger d of the two.
        normalize: scale rows to unit length first; as published it is off.
        **kwargs: of ``torchmetrics.Metric``.
    """

    higher_is_better = True
    plot_lower_bound, plot_upper_bound = 0.0, 1.0

    def __init__(self, dimension: int, *, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(dimension, normalize=normalize, **kwargs)

    def compute(self) -> Tensor:
        """Return CKA, ``()`` float64; NaN before the second row.

        Raises:
            ValueError: if all rows of a matrix are equal.
        """
        if self.words < 2:
            return self.gram.new_tensor(torch.nan)
        first, second = self.sums[[0, 0, 1]], self.sums[[0, 1, 1]]
        xx, xy, yy = centred(self.gram, first, second, int(self.words))[:, None]
        return linear_cka(xx, xy, yy)[0]


class _OfRows(_Plotted):
    """A metric that needs all rows: it keeps them, ``2 v d`` numbers, and gathers them from all processes."""

    is_differentiable = False
    x: list[Tensor]
    y: list[Tensor]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.add_state("x", [], dist_reduce_fx="cat")
        self.add_state("y", [], dist_reduce_fx="cat")

    def update(self, x: Tensor, y: Tensor) -> None:
        """Keep rows ``(c, d1)`` and ``(c, d2)``, row k of both being the same word; every word comes once."""
        pair_rows(x, y)
        self.x.append(x.detach())
        self.y.append(y.detach())

    def _rows(self) -> tuple[Tensor, Tensor]:
        return dim_zero_cat(self.x), dim_zero_cat(self.y)


class WordwisePIPDistance(_OfRows):
    """The PIP loss of every word, ``(v,)`` in the order of the rows; see ``gpustab.functional.wordwise_pip_loss``.

    Keeps all rows: a word is compared with all others. Over several processes the rows stand in the order of the ranks.

    Args:
        normalize: scale rows to unit length first.
        reduction: ``"none"``: of every word; ``"mean"`` or ``"sum"`` over them.
        **kwargs: of ``torchmetrics.Metric``.
    """

    higher_is_better = False
    plot_lower_bound = 0.0

    def __init__(self, *, normalize: bool = True, reduction: Reduction = "none", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.normalize = normalize
        self.reduction: Reduction = reduction

    def compute(self) -> Tensor:
        """Return the losses, float64."""
        return wordwise_pip_loss(*self._rows(), normalize=self.normalize, reduction=self.reduction)


class NeighbourOverlap(_OfRows):
    """p@k or j@k, the mean part of the k nearest neighbours that are shared; exact, over all words.

    Keeps all rows: any word may be a neighbour. See :func:`gpustab.functional.neighbour_overlap`.

    Args:
        k: length of the lists.
        jaccard: j@k instead of p@k.
        **kwargs: of ``torchmetrics.Metric``.
    """

    higher_is_better = True
    plot_lower_bound, plot_upper_bound = 0.0, 1.0

    def __init__(self, k: int = 10, *, jaccard: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.k, self.jaccard = k, jaccard

    def compute(self) -> Tensor:
        """Return the overlap, ``()`` float64 in [0, 1]."""
        return neighbour_overlap(*self._rows(), self.k, jaccard=self.jaccard)
