"""CKA from minibatches, for kernels that are no sums over rows."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels import similarity
from gpustab.kernels.pair_kernels import pair_rbf_hsics
from gpustab.kernels.pair_similarity import pair_unbiased_hsics
from gpustab.metrics.base import MatrixMetric

__all__ = ["MinibatchCKA"]

_Kernel = Literal["linear", "rbf"]


class MinibatchCKA(MatrixMetric):
    """CKA of HSICs that are averaged over minibatches (Nguyen et al. 2021), in [−1, 1].

    The HSIC of a batch is the unbiased estimate (eq. 3 there; Song et al. 2012): its mean is that of all rows,
    whatever the size of the batches. (Averages of the biased one, or of CKAs of batches, are not: they grow as batches
    shrink.) Batches weigh as many rows as they have. For linear kernels :class:`DebiasedCKA` gives the number of all
    rows itself.

    Args:
        kernel: ``"linear"``, or ``"rbf"``: Gaussian kernels, the same in all batches.
        widths: σ of the Gaussian kernels of x and y. Take a share of the median distance of many rows
            (:func:`gpustab.kernels.pair_kernels.median_distance`): that of each batch would be another kernel.
        normalize: scale rows to unit length first.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)`` and ``(c, d2)``, c at least 4.
        - compute: ``()``.

    Example:
        >>> metric, rows = MinibatchCKA(), torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
        >>> for batch in rows.split(16):
        ...     metric.update(batch, 2 * batch.flip(1))
        >>> round(metric.compute().item(), 6)
        1.0
    """

    is_differentiable = True
    higher_is_better = True
    plot_lower_bound, plot_upper_bound = -1.0, 1.0
    hsics: Tensor
    rows: Tensor

    def __init__(
        self,
        kernel: _Kernel = "linear",
        *,
        widths: tuple[float, float] | None = None,
        normalize: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(normalize=normalize, kind=3, **kwargs)
        if kernel not in ("linear", "rbf"):
            raise InputError(f"kernel is {kernel!r}, wanted 'linear' or 'rbf'")
        if (kernel == "rbf") != (widths is not None):
            raise InputError(f"widths is {widths}, wanted two numbers for 'rbf' and none for 'linear'")
        if widths is not None and not (len(widths) == 2 and all(0 < width < float("inf") for width in widths)):
            raise InputError(f"widths is {widths}, wanted two numbers above 0")
        self.kernel, self.widths = kernel, widths
        # A state, since a MetricCollection merges metrics whose states are the same after the first batch.
        sigmas = torch.tensor(widths or (0.0, 0.0), dtype=torch.float64, device=self.device)
        self.add_state("sigmas", sigmas, dist_reduce_fx="max")
        self.add_state("hsics", torch.zeros(3, dtype=torch.float64, device=self.device), dist_reduce_fx="sum")
        self.add_state("rows", torch.zeros((), dtype=torch.int64, device=self.device), dist_reduce_fx="sum")

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        widths = "" if self.widths is None else f", widths={self.widths}"
        return f"{self.kernel!r}{widths}, {super().extra_repr()}"

    def update(self, x: Tensor, y: Tensor) -> None:
        """Add a minibatch, row k of both being the same item.

        Args:
            x: ``(c, d1)``, c at least 4.
            y: ``(c, d2)``.
        """
        if self.widths is None:
            found = pair_unbiased_hsics(x, y, unit=self.normalize)
        else:
            found = pair_rbf_hsics(x, y, self.widths, unit=self.normalize)
        self.columns = self._with_columns(x, y)
        self.hsics, self.rows = self.hsics + len(x) * found, self.rows + len(x)

    def compute(self) -> Tensor:
        """Return CKA, ``()`` float64; NaN before the first batch.

        Raises:
            ValueError: if all rows of x or of y lie equally far apart in every batch.
        """
        if not bool(self.rows):
            return self._nan()
        return similarity.debiased_cka(*(self.hsics / self.rows)[:, None])[0]
