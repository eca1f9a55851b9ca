"""Losses as modules: keep an embedding near a reference while it trains, or make two of them agree.

    from gpustab.nn import PIPLoss
    stay = PIPLoss()
    loss = task_loss + 10 * stay(model.embedding.weight, frozen)

Losses are float64 scalars whatever the matrices are; gradients have the dtype of their matrices. All refuse the same:
rows that are not finite, rows of zeros where rows are scaled, weights that are negative, not finite or all 0, and no
targets. A wrong option is refused when the module is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from gpustab.errors import InputError
from gpustab.functional.losses import pip_loss, procrustes_loss
from gpustab.kernels.batches import Reduction, combined, refuse_reduction
from gpustab.kernels.pair_rows import refuse_weights, row_numbers
from gpustab.kernels.shapes import want, want_count, want_tensor
from gpustab.kernels.soft_neighbours import refuse_temperature, soft_disagreement

__all__ = ["NeighbourAgreementLoss", "PIPLoss", "ProcrustesLoss"]


class _PairLoss(nn.Module):
    """What the losses of two matrices over the same words have in common."""

    weights: Tensor | None

    def __init__(
        self,
        *,
        squared: bool = False,
        normalize: bool = True,
        reduced: bool = True,
        reduction: Reduction = "mean",
        weights: Tensor | None = None,
    ) -> None:
        super().__init__()
        refuse_reduction(reduction)
        self.squared, self.normalize, self.reduced = squared, normalize, reduced
        self.reduction: Reduction = reduction
        self.register_buffer("weights", None if weights is None else _weights(weights), persistent=False)

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        weighted = "" if self.weights is None else f", weights of {self.weights.shape[-1]} words"
        choices = f"squared={self.squared}, normalize={self.normalize}, reduced={self.reduced}"
        return f"{choices}, reduction={self.reduction!r}{weighted}"

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        """Move the weights with the module, but keep their digits: ``half()`` would make counts of words infinite."""
        weights = self.weights
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if weights is not None and self.weights is not None:
            self.weights = weights.to(self.weights.device)
        return self


def _weights(weights: Tensor) -> Tensor:
    want_tensor("weights", weights)
    if weights.requires_grad:
        raise InputError("weights want a gradient, and none flows to them")
    if not weights.ndim:
        raise InputError("weights have shape (), wanted (v,) or (..., v)")
    kept = weights.double().clone()
    refuse_weights(kept.sqrt())
    return kept


class PIPLoss(_PairLoss):
    """The PIP loss ``‖XXᵀ − YYᵀ‖ / (2v)``: how much the cosines of all pairs of words differ; see ``pip_loss``.

    It does not see in which frame the matrices lie, and they need not have equal dimensions. At equality loss and
    gradient are 0 (one of the subgradients of a norm), so that fine-tuning may begin with a copy; ``squared`` is smooth
    there. Forward and backward take ``O(d²)`` memory beside the gradients. ``torch.compile(fullgraph=True)`` and
    ``torch.func.vmap`` take it; autocast does not reach it.

    Args:
        squared: the square of the loss.
        normalize: scale rows to unit length first, so that the reduced loss lies in [0, 1].
        reduced: divide by ``2v``.
        reduction: of a batch: ``"mean"``, ``"sum"`` or ``"none"``.
        weights: ``(v,)`` by which the words count; 0 leaves a word out. They move with the module, stay float64
            whatever it is cast to, and are not saved.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Loss: ``()``, or ``(...)`` without a reduction.

    Example:
        >>> import torch
        >>> table = torch.eye(3, requires_grad=True)
        >>> loss = PIPLoss()(table, table.detach())
        >>> loss.backward()
        >>> loss.item(), bool(table.grad.any())
        (0.0, False)
    """

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss of ``(..., v, d1)`` and ``(..., v, d2)``, row k of both being the same word."""
        return pip_loss(
            x,
            y,
            normalize=self.normalize,
            weights=self.weights,
            squared=self.squared,
            reduced=self.reduced,
            reduction=self.reduction,
        )


class ProcrustesLoss(_PairLoss):
    """The Procrustes distance ``min_A ‖XA − Y‖ / √v`` over orthogonal A; see ``procrustes_loss``.

    At equality loss and gradient are 0 as for :class:`PIPLoss`, with the same memory and the same arguments; reduced,
    it is the root mean square distance of aligned rows, in [0, √2] for unit rows.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Loss: ``()``, or ``(...)`` without a reduction.
    """

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss of ``(..., v, d)`` twice, row k of both being the same word."""
        return procrustes_loss(
            x,
            y,
            normalize=self.normalize,
            weights=self.weights,
            squared=self.squared,
            reduced=self.reduced,
            reduction=self.reduction,
        )


class NeighbourAgreementLoss(nn.Module):
    """One minus a smooth surrogate of j@n, the Jaccard index of the lists of n nearest neighbours.

    A list is soft: word k belongs to it by ``a_k = σ((s_k − θ) / τ)``, s_k being its cosine with the target and θ such
    that ``Σ a_k = n``. This maximises ``Σ a_k s_k + τ Σ H(a_k)`` among all such sets, H being the entropy; as τ → 0 the
    list becomes the hard one. Two lists agree by ``Σ ab / (Σ a² + Σ b² − Σ ab)``, which for hard lists is the Jaccard
    index, and for soft ones 1 only where they are equal. So the loss lies in [0, 1]; it is 0 with gradient 0 where the
    lists are equal; it does not change when either space is turned or its rows are scaled. Derived in
    ``gpustab.kernels.soft_neighbours``; no published loss is known to us that is exactly this one.

    Memory is a tile of targets times all words, whatever the number of targets; backward computes each tile again,
    which neither ``torch.func.grad`` nor ``torch.func.vmap`` can follow. It has derivatives of every order by
    ``torch.autograd``.

    Args:
        n: length of the lists.
        temperature: τ in cosines. The smaller, the nearer to j@n, and the fewer words have a gradient.
        tile: cosines that are held at a time, see :func:`gpustab.kernels.soft_neighbours.soft_disagreement`.
        reduction: over the targets.

    Shape:
        - x: ``(v, d1)``, y: ``(v, d2)``, targets: ``(t,)``.
        - Loss: ``()``, or ``(t,)`` without a reduction.

    Example:
        >>> import torch
        >>> table = torch.randn(50, 8, generator=torch.Generator().manual_seed(0), requires_grad=True)
        >>> loss = NeighbourAgreementLoss(n=5)
        >>> loss(table, table.detach(), torch.arange(10)).item()
        0.0
        >>> round(loss(table, table.detach().flip(0), torch.arange(10)).item(), 1)
        0.9
    """

    def __init__(
        self, n: int = 10, temperature: float = 0.02, *, tile: int = 1 << 22, reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        for name, number in (("n", n), ("tile", tile)):
            want_count(name, number)
        refuse_temperature(temperature)
        refuse_reduction(reduction)
        self.n, self.temperature, self.tile = n, temperature, tile
        self.reduction: Reduction = reduction

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        return f"n={self.n}, temperature={self.temperature}, tile={self.tile}, reduction={self.reduction!r}"

    def forward(self, x: Tensor, y: Tensor, targets: Tensor | None = None) -> Tensor:
        """Return the loss of ``(v, d1)`` and ``(v, d2)`` over targets; default: all words.

        Args:
            x: ``(v, d1)``.
            y: ``(v, d2)``, row k being the same word.
            targets: ``(t,)`` row numbers of any whole type, or ``(v,)`` bool.
        """
        want("x", x, "(v, d1)")
        rows = row_numbers(targets, len(x), x.device)
        return combined(soft_disagreement(x, y, rows, self.n, self.temperature, numbers=self.tile), self.reduction)
