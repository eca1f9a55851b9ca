"""Metrics that are functions of sums over the rows, whose size does not grow with them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.errors import InputError
from gpustab.kernels import similarity
from gpustab.kernels.gram import Moments, empty_moments, merge, moments, pair_blocks
from gpustab.kernels.pair_rows import pair_rows, refuse_unmeasurable
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.kernels.procrustes import procrustes, residuals
from gpustab.kernels.shapes import want_count
from gpustab.metrics.base import PairMetric

__all__ = ["CanonicalCorrelation", "DebiasedCKA", "LinearCKA", "PIPDistance", "ProcrustesDistance"]

_Mean = Literal["mean", "svcca", "pwcca"]

_RESOLVED = {False: 1e-10, True: 1e-4}
"""Part of their squared lengths by which rows must vary, without and with sums of these: others lose 1e-6 and more."""


class _OfMoments(PairMetric):
    """A metric that is a function of the moments of two matrices.

    Args:
        dimension: the largest d that is taken; default: any. Narrower rows are padded with zeros, which changes
            nothing.
        normalize: scale rows to unit length first.
        **kwargs: of ``torchmetrics.Metric``.
    """

    is_differentiable = True
    with_lengths = False
    degree = 4
    gram: Tensor
    sums: Tensor
    words: Tensor

    def __init__(self, dimension: int | None = None, *, normalize: bool = True, **kwargs: Any) -> None:
        super().__init__(normalize=normalize, kind=1 + self.with_lengths, **kwargs)
        if dimension is not None:
            want_count("dimension", dimension)
        self.dimension = dimension
        for name, zeros in empty_moments(2, 0, self.device)._asdict().items():
            self.add_state(name, zeros, dist_reduce_fx="sum")

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        return super().extra_repr() if self.dimension is None else f"{self.dimension}, {super().extra_repr()}"

    def update(self, x: Tensor, y: Tensor, ids: Tensor | None = None) -> None:
        """Add rows, row k of both being the same word.

        Args:
            x: ``(c, d1)``.
            y: ``(c, d2)``.
            ids: ``(c,)`` whole numbers that tell the rows apart: all rows are kept then, and what comes twice counts
                once. All rows have one, or none.
        """
        rows = pair_rows(x, y, None, self.normalize)
        refuse_unmeasurable(rows, self.degree)
        for name, matrix in (("x", x), ("y", y)):
            if self.dimension is not None and matrix.shape[1] > self.dimension:
                raise InputError(f"{name} has shape {tuple(matrix.shape)}, wanted (c, d) with d up to {self.dimension}")
        if (ids is None and len(self.ids)) or (ids is not None and bool(self.words)):
            raise InputError("some rows have ids, and others not: wanted all or none")
        if ids is not None:
            self._keep(x, y, ids, self.normalize)
            return
        self.columns = self._with_columns(x, y)
        self._become(_sum(self._moments(), self._of(x, y)))

    def _of(self, x: Tensor, y: Tensor) -> Moments:
        """The moments of some rows, with their squared lengths as a first column if they are wanted."""
        found = None
        for part in pair_rows(x, y, None, self.normalize).parts():
            stack = torch.stack(part.prepared(torch.float64))
            if self.with_lengths:
                stack = torch.cat([stack.square().sum(-1, keepdim=True), stack], -1)
            found = moments(stack) if found is None else merge(found, moments(stack))
        assert found is not None  # noqa: S101  # no matrix is empty
        return found

    def _moments(self) -> Moments:
        return Moments(self.gram, self.sums, self.words)

    def _become(self, found: Moments) -> None:
        self.gram, self.sums, self.words = found

    def _found(self) -> Moments | None:
        """The moments of all rows, each counted once; ``None`` of none."""
        x, y = self._rows()
        if len(x) and bool(self.words):
            raise InputError("some rows have ids, and others not: wanted all or none")
        found = self._of(x, y) if len(x) else self._moments()
        return found if bool(found.words) else None

    def _form(self) -> list[int]:
        return [*super()._form(), self.gram.shape[1]]

    def _take_form(self, form: list[int]) -> None:
        super()._take_form(form)
        self._become(_widened(self._moments(), form[-1]))

    def _reduce_states(self, incoming_state: dict[str, Any]) -> None:
        names = ("gram", "sums", "words")
        other = Moments(*(incoming_state[name] for name in names))
        width = max(self.gram.shape[1], other.gram.shape[1])
        self._become(_widened(self._moments(), width))
        widened = dict(zip(names, _widened(other, width), strict=True))
        super()._reduce_states(incoming_state | widened)


def _widened(some: Moments, width: int) -> Moments:
    more = width - some.gram.shape[1]
    return some._replace(gram=pad(some.gram, (0, more, 0, more)), sums=pad(some.sums, (0, more)))


def _sum(a: Moments, b: Moments) -> Moments:
    width = max(a.gram.shape[1], b.gram.shape[1])
    return merge(_widened(a, width), _widened(b, width))


def _centred(some: Moments, with_lengths: bool = False) -> Tensor:
    """``C_xx``, ``C_xy``, ``C_yy`` of centred columns, ``(3, d, d)``."""
    first, second = some.sums[[0, 0, 1]], some.sums[[0, 1, 1]]
    grams = similarity.centred(some.gram, first, second, int(some.words))
    sizes = [part.diagonal(dim1=1, dim2=2).sum(1)[0::2] for part in (grams, some.gram)]
    resolved = _RESOLVED[with_lengths]
    for name, lost in zip("xy", (sizes[0] <= resolved * sizes[1]).tolist(), strict=True):
        if lost:
            share = f"less than {resolved**0.5:.0e} of their length"
            raise InputError(f"rows of {name} differ by {share}, which sums lose: subtract one row from all of them")
    return grams


class PIPDistance(_OfMoments):
    """The reduced PIP loss ``‖XXᵀ − YYᵀ‖ / (2v)``, in [0, 1] for unit rows (Rettenmeier 2020, eq. 2.28).

    Invariances are those of :func:`gpustab.functional.pip_loss`; losses down to 1e-7 are right to 1e-3, since sums are
    float64.

    Args:
        dimension: the largest d that is taken; default: any.
        normalize: scale rows to unit length first.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)``, ``(c, d2)``, and ids ``(c,)``.
        - compute: ``()``.

    Example:
        >>> metric = PIPDistance()
        >>> metric.update(torch.eye(2)[:1], torch.tensor([[1.0]]))
        >>> metric.update(torch.eye(2)[1:], torch.tensor([[1.0]]))
        >>> round(metric.compute().item(), 6)
        0.353553
    """

    higher_is_better = False
    plot_lower_bound = 0.0

    def compute(self) -> Tensor:
        """Return the loss, ``()`` float64."""
        found = self._found()
        return self._nan() if found is None else reduced(pip_from_gram(found.gram).total[0], 1) / found.words


class ProcrustesDistance(_OfMoments):
    """The root mean square distance of aligned rows, ``min_A ‖XA − Y‖ / √v``; in [0, √2] for unit rows.

    Invariances are those of :func:`gpustab.functional.procrustes`; below 1e-8 it is rounding. Narrower rows are padded
    with zeros. Arguments and shapes are those of :class:`PIPDistance`.
    """

    higher_is_better = False
    plot_lower_bound = 0.0
    degree = 2

    def compute(self) -> Tensor:
        """Return the distance, ``()`` float64.

        Raises:
            ValueError: where ``XᵀY`` is zero, so that every alignment is as good.
        """
        found = self._found()
        if found is None:
            return self._nan()
        if not bool(found.gram[1].any()):
            raise InputError("x and y share no direction: XᵀY is zero, so that every map is as good as every other")
        return residuals(found.gram, procrustes(pair_blocks(found.gram)).maps)[0] / found.words.double().sqrt()


class _CKA(_OfMoments):
    """A metric of centred columns, whose rows stay as long as they are unless asked."""

    higher_is_better = True

    def __init__(self, dimension: int | None = None, *, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(dimension, normalize=normalize, **kwargs)


class LinearCKA(_CKA):
    """Linear CKA of centred columns, in [0, 1] (Kornblith et al. 2019); see :func:`gpustab.functional.linear_cka`.

    Where d is not small beside v it is high for unrelated rows, too: :class:`DebiasedCKA` is not.

    Args:
        dimension: the largest d that is taken; default: any.
        normalize: scale rows to unit length first; as published it is off.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)``, ``(c, d2)``, and ids ``(c,)``.
        - compute: ``()``.
    """

    plot_lower_bound, plot_upper_bound = 0.0, 1.0

    def compute(self) -> Tensor:
        """Return CKA, ``()`` float64; NaN before the second row.

        Raises:
            ValueError: if all rows of a matrix are equal, or nearly so beside their length.
        """
        found = self._found()
        if found is None or int(found.words) < 2:
            return self._nan()
        xx, xy, yy = _centred(found)[:, None]
        return similarity.linear_cka(xx, xy, yy)[0]


class DebiasedCKA(_CKA):
    """Linear CKA of unbiased HSICs over all rows, in [−1, 1]; 0 on the average for unrelated rows.

    See :func:`gpustab.functional.debiased_cka`: it is that number however the rows are cut into batches, and needs no
    array of rows by rows. Arguments and shapes are those of :class:`LinearCKA`.
    """

    plot_lower_bound, plot_upper_bound = -1.0, 1.0
    with_lengths = True

    def compute(self) -> Tensor:
        """Return debiased CKA, ``()`` float64; NaN before the fourth row.

        Raises:
            ValueError: if all rows of a matrix are equal, or nearly so beside their length.
        """
        found = self._found()
        if found is None or int(found.words) < 4:
            return self._nan()
        _centred(Moments(found.gram[:, 1:, 1:], found.sums[:, 1:], found.words), with_lengths=True)  # or refuses
        gram, sums = found.gram.roll((-1, -1), (1, 2)), found.sums.roll(-1, 1)
        hsics = similarity.unbiased_hsic(gram, sums[[0, 0, 1]], sums[[0, 1, 1]], int(found.words))
        return similarity.debiased_cka(*hsics[:, None])[0]


class CanonicalCorrelation(_OfMoments):
    """Mean CCA, SVCCA or PWCCA, in [0, 1]; see :func:`gpustab.functional.cca`.

    Args:
        of: ``"mean"`` of all directions, ``"svcca"`` of those that explain most of the variance, or ``"pwcca"``,
            weighted by x.
        explained: part of the variance that SVCCA keeps.
        dimension: the largest d that is taken; default: any.
        normalize: scale rows to unit length first; as published it is off.
        **kwargs: of ``torchmetrics.Metric``.

    Shape:
        - update: ``(c, d1)``, ``(c, d2)``, and ids ``(c,)``.
        - compute: ``()``.
    """

    higher_is_better = True
    plot_lower_bound, plot_upper_bound = 0.0, 1.0
    is_differentiable = False

    def __init__(
        self,
        of: _Mean = "mean",
        *,
        explained: float = 0.99,
        dimension: int | None = None,
        normalize: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(dimension, normalize=normalize, **kwargs)
        if of not in get_args(_Mean):
            raise InputError(f"of is {of!r}, wanted one of {', '.join(get_args(_Mean))}")
        if not 0 < explained <= 1:
            raise InputError(f"explained is {explained}, wanted a part of the variance above 0, up to 1")
        self.of, self.explained = of, explained

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        explained = f", explained={self.explained}" if self.of == "svcca" else ""
        return f"{self.of!r}{explained}, {super().extra_repr()}"

    def compute(self) -> Tensor:
        """Return the mean, ``()`` float64; NaN before the second row.

        Raises:
            ValueError: if all rows of a matrix are equal, or nearly so beside their length.
        """
        found = self._found()
        if found is None or int(found.words) < 2:
            return self._nan()
        grams = _centred(found)
        part = self.explained if self.of == "svcca" else 1.0
        floors = similarity.resolved(found.gram, grams, int(found.words))
        x, y = (similarity.whitening(grams[at, None], part, floors[at, None]) for at in (0, 2))
        canonical = similarity.canonical_correlations(x, grams[1, None], y)
        return canonical.projection_weighted[0, 0] if self.of == "pwcca" else canonical.mean[0]
