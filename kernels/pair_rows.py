"""Two matrices over the same words, taken few rows at a time: what losses and distances of a pair are summed from.

Rows may be scaled to unit length and weighted on the way, so that neither takes a copy of the matrices. A weight counts
a word: with ``√w`` times every row, a sum over words is weighted by w, and a sum over pairs of words by both weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.gram import ROWS_PER_MATMUL
from gpustab.kernels.run_blocks import own_block
from gpustab.kernels.shapes import want, want_tensor

__all__ = [
    "PairRows",
    "above_rounding",
    "lengths",
    "pair_rows",
    "powers",
    "refuse_unmeasurable",
    "refuse_weights",
    "row_numbers",
    "summed_products",
]


class PairRows(NamedTuple):
    """Two matrices, or some rows of them.

    Attributes:
        x: ``(c, d1)``.
        y: ``(c, d2)``, row k being the same word.
        roots: ``(c,)`` float64 square roots of the words' weights, or ``None``: every word counts once.
        unit: whether rows are scaled to unit length first.
    """

    x: Tensor
    y: Tensor
    roots: Tensor | None = None
    unit: bool = False

    @property
    def dtype(self) -> torch.dtype:
        """Dtype of the products: float64 for float64 rows, float32 for all others."""
        return torch.promote_types(torch.promote_types(self.x.dtype, self.y.dtype), torch.float32)

    def parts(self) -> Iterator[PairRows]:
        """Yield the rows in pieces short enough for one float32 accumulation."""
        xs, ys = self.x.split(ROWS_PER_MATMUL), self.y.split(ROWS_PER_MATMUL)
        roots = [None] * len(xs) if self.roots is None else self.roots.split(ROWS_PER_MATMUL)
        return (PairRows(x, y, root, self.unit) for x, y, root in zip(xs, ys, roots, strict=True))

    def prepared(self, dtype: torch.dtype | None = None) -> tuple[Tensor, Tensor]:
        """Return the rows scaled, weighted, and padded with zeros to one length, which changes no inner product."""
        d = max(self.x.shape[1], self.y.shape[1])
        dtype = dtype or self.dtype
        return self._prepared(self.x, d, dtype), self._prepared(self.y, d, dtype)

    def detached(self) -> PairRows:
        """Return the same rows, to which no gradients flow."""
        return self._replace(x=self.x.detach(), y=self.y.detach())

    def _prepared(self, rows: Tensor, d: int, dtype: torch.dtype) -> Tensor:
        raw = rows.dtype
        if self.unit or self.roots is not None:
            rows = rows.double()  # unit rows that float32 rounds differ by 1e-7 where the vectors do not
        if self.unit:
            rows = rows / lengths(rows, raw)
        if self.roots is not None:
            rows = rows * self.roots[:, None]
        return pad(rows.to(dtype), (0, d - rows.shape[1]))

    def differences_and_sums(self, frame: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return ``E = XA − Y`` and ``S = XA + Y``, formed in float64 and rounded to :attr:`dtype` only then.

        Args:
            frame: A, ``(d, d)`` float64; default: the identity.
        """
        x, y = self.prepared(torch.float64)
        x = x if frame is None else product(x, frame)
        return (x - y).to(self.dtype), (x + y).to(self.dtype)

    def of_raw(self, gradient: Tensor, rows: Tensor) -> Tensor:
        """Return the gradient by raw rows from the one by the prepared rows.

        ``u = √w x/‖x‖`` gives ``g_x = √w (g_u − û ⟨û, g_u⟩) / ‖x‖``.

        Args:
            gradient: ``(c, d)`` by the prepared rows, perhaps padded.
            rows: ``(c, d1)``, x or y.
        """
        gradient = gradient[:, : rows.shape[1]]
        if self.roots is not None:
            gradient = gradient.double() * self.roots[:, None]
        if self.unit:
            raw, gradient = rows.double(), gradient.double()
            length = lengths(raw, rows.dtype)
            unit = raw / length
            gradient = (gradient - unit * row_dot(unit, gradient)[:, None]) / length
        return gradient.to(rows.dtype)


def pair_rows(x: Tensor, y: Tensor, weights: Tensor | None = None, unit: bool = False) -> PairRows:
    """Return two matrices as a pair, checked.

    Args:
        x: ``(v, d1)`` of any float dtype; one made in inference mode is copied where gradients are recorded, since
            autograd keeps none of these.
        y: ``(v, d2)``.
        weights: ``(v,)`` weights of the words, not negative, not all 0; no gradient flows to them.
        unit: see :class:`PairRows`.

    Raises:
        ValueError: for other shapes or types, no word or no dimension, or weights that want a gradient.
    """
    want("x", x, "(v, d1)")
    want("y", y, "(v, d2)")
    if len(x) != len(y) or 0 in (*x.shape, *y.shape):
        raise ValueError(f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}, wanted (v, d1) and (v, d2), not empty")
    if not (x.is_floating_point() and y.is_floating_point()):
        raise ValueError(f"x is {x.dtype} and y {y.dtype}, wanted real floating-point numbers")
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():
        x, y = (part.clone() if part.is_inference() else part for part in (x, y))
    if weights is None:
        return PairRows(x, y, None, unit)
    want_tensor("weights", weights)
    if weights.shape != x.shape[:1]:
        raise ValueError(f"weights have shape {tuple(weights.shape)}, wanted ({len(x)},) for {len(x)} words")
    if weights.requires_grad:
        raise ValueError("weights want a gradient, and none flows to them")
    return PairRows(x, y, weights.to(x.device, torch.float64).sqrt(), unit)


def refuse_unmeasurable(rows: PairRows, degree: int = 4) -> None:
    """Refuse what has no measure: the rule of all losses, distances and metrics of two matrices.

    Rows and weights are finite; a weight is not negative, and one at least is above 0; a row that is to be scaled is
    not zero, unless its weight is 0. Rows that are not scaled are neither so large nor so small that sums of their
    products leave float64.

    Args:
        rows: the pair.
        degree: the power of the numbers that is summed: 4 for squares of inner products, 2 for squares of distances, 0
            where the sizes of x and y do not count.

    Raises:
        ValueError: names the first such row, or the numbers.
    """
    refuse_weights(rows.roots)
    for name, matrix in (("x", rows.x), ("y", rows.y)):
        size = torch.linalg.vector_norm(matrix.detach(), ord=torch.inf, dim=1)
        if not bool(size.isfinite().all()):
            raise ValueError(f"row {int((~size.isfinite()).nonzero()[0])} of {name} is not finite")
        if not rows.unit:
            _refuse_size(name, float(size.amax()), degree)
            continue
        zero = size == 0
        if rows.roots is not None:
            zero &= rows.roots > 0
        if bool(zero.any()):
            row = int(zero.nonzero()[0])
            raise ValueError(f"row {row} of {name} is zero and has no direction; give it weight 0, or leave it out")


def refuse_weights(roots: Tensor | None) -> None:
    """Refuse weights, given by their square roots, of which one is negative or not finite, or all are 0."""
    if roots is None:
        return
    wrong = ~roots.isfinite()
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        what = "is not finite" if bool(roots[row].isinf()) else "is negative or NaN"
        raise ValueError(f"the weight of row {row} {what}")
    if not bool(roots.any()):
        raise ValueError("all weights are 0, so no word counts")
    _refuse_size("weights", float(roots.square().amax()), 4)


def _refuse_size(name: str, largest: float, degree: int) -> None:
    # Sums of as many as 10²⁰ products, and products of as few as 10⁻¹⁶ of the largest, are still numbers.
    most = {0: 308, 2: 140, 4: 70}[degree]
    if largest > 10.0**most or 0 < largest < 10.0**-most:
        raise ValueError(f"{name} has numbers up to {largest:.0e}, wanted 1e-{most} to 1e{most}: scale it first")


def row_numbers(targets: Tensor | None, words: int, device: torch.device | None = None) -> Tensor:
    """Return the rows that are asked for, ``(t,)`` int64.

    Args:
        targets: ``(t,)`` row numbers of any whole type, ``(v,)`` bool, or ``None``: all rows.
        words: how many rows there are.
        device: where to make all of them.

    Raises:
        ValueError: for none, others than rows, or another shape or type.
    """
    if targets is None:
        return torch.arange(words, device=device or "cpu")
    want_tensor("targets", targets)
    if targets.dtype == torch.bool and targets.shape == (words,):
        targets = targets.nonzero().flatten()
    if targets.ndim != 1 or targets.dtype.is_floating_point or targets.dtype in (torch.bool, torch.complex64):
        raise ValueError(
            f"targets have shape {tuple(targets.shape)} and are {targets.dtype}, wanted (t,) row numbers or (v,) bool"
        )
    if not len(targets):
        raise ValueError("there are no targets, wanted one at least")
    if not 0 <= int(targets.min()) <= int(targets.max()) < words:
        raise ValueError(f"targets reach from {int(targets.min())} to {int(targets.max())}, rows from 0 to {words - 1}")
    return targets.long()


def lengths(rows: Tensor, made_of: torch.dtype = torch.float64) -> Tensor:
    """Return the lengths of rows, ``(..., c, 1)``; 1 for zero rows, which so stay zero. No square leaves float64.

    Args:
        rows: ``(..., c, d)`` float64.
        made_of: the type that their numbers had: only squares of what was float64 can leave it.
    """
    if made_of == torch.float64:
        scale = powers(torch.linalg.vector_norm(rows.detach(), ord=torch.inf, dim=-1, keepdim=True))
        length: Tensor = torch.linalg.vector_norm(rows / scale, dim=-1, keepdim=True) * scale
    else:
        length = torch.linalg.vector_norm(rows, dim=-1, keepdim=True)
    return length.masked_fill(length == 0, 1)


def above_rounding(square: Tensor, size: Tensor, dimension: int) -> Tensor:
    """Return squared distances, but 0 for those that float64 makes of a copy that is turned, or scaled row by row.

    Their root would have the gradient of rounding by rounding, and a table that lies where it should would move.

    Args:
        square: ``(...)`` float64.
        size: ``(...)`` sum of the squares that were subtracted.
        dimension: d: a turned number is a sum of as many.
    """
    return square.where(square > (4 * dimension * torch.finfo(torch.float64).eps) ** 2 * size, 0)


def powers(sizes: Tensor) -> Tensor:
    """Return the powers of 2 next below some sizes, by which one divides without rounding; 1 for 0."""
    mantissa = torch.frexp(sizes).mantissa  # 0.5 to 1
    return (sizes / (2 * mantissa)).where(sizes > 0, 1)


def summed_products(parts: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
    """Return ``AᵀA``, ``AᵀB``, ``BᵀB`` over parts of the rows, ``(3, d, d)`` float64."""
    products = (torch.stack([own_block(a), product(a.mT, b), own_block(b)]).double() for a, b in parts)
    total = next(products)
    for part in products:
        total = total + part  # not in place: gradients flow through here where they are differentiated again
    return total
