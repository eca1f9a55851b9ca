"""Shared neighbours, CKA and canonical correlations of two matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels import overlap
from gpustab.kernels.batches import Reduction, combined, each_of_several, each_pair
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.pair_similarity import PairCanonical, pair_canonical, pair_linear_cka


def neighbour_overlap(
    x: Tensor,
    y: Tensor,
    k: int = 10,
    *,
    targets: Tensor | None = None,
    jaccard: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return p@k, the part of a word's k nearest neighbours that two spaces share (thesis eq. 2.7); exact.

    Neighbours are by cosine, without the word itself. So the overlap does not change when x or y is turned, or their
    rows are scaled, or x and y change places. It has no gradient; :class:`gpustab.nn.NeighbourAgreementLoss` has.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        k: length of the lists, 1 to v − 1.
        targets: ``(t,)`` row numbers; default: all words.
        jaccard: j@k, shared / (2k − shared) per word, instead.
        reduction: over targets and batch; ``"none"``: ``(..., t)``.

    Returns:
        Values in [0, 1], to be read beside the chance level k / (v − 1).

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
        >>> neighbour_overlap(x, x.flip(1), 1).item()
        1.0
    """

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        if not 1 <= k < len(x):
            raise InputError(f"k is {k}, wanted 1 to {len(x) - 1} for {len(x)} words")
        rows = torch.arange(len(x), device=x.device) if targets is None else targets
        lists = torch.stack([top_k(part.detach(), rows, k).indices for part in (x, y)])
        found = overlap.neighbour_overlap(lists, [k])
        return (found.j_word if jaccard else found.p_word)[0]

    return combined(each_pair(one, x, y), reduction)


def linear_cka(x: Tensor, y: Tensor, *, normalize: bool = False, reduction: Reduction = "mean") -> Tensor:
    """Return linear CKA, ``‖XᵀY‖² / (‖XᵀX‖ ‖YᵀY‖)`` of centred columns (Kornblith et al. 2019, §3); in [0, 1].

    It does not change when x or y is turned, scaled as a whole or shifted, when the words of both are permuted, or when
    x and y change places. It does change under other linear maps.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        normalize: scale rows to unit length first; as published it is off.
        reduction: of a batch.

    Raises:
        ValueError: for other shapes, or if all rows of a matrix are equal.
    """
    found = each_pair(lambda a, b, _: pair_linear_cka(a, b, unit=normalize), x, y)
    return combined(found, reduction)


def cca(x: Tensor, y: Tensor, *, normalize: bool = False, explained: float = 0.99) -> PairCanonical:
    """Return the canonical correlations of x and y, and the three means of them in use; without gradients.

    All are in [0, 1] and do not change when x or y is shifted or scaled as a whole, or the words of both are permuted.
    Mean CCA does not change under any invertible linear map of x or y; SVCCA (Raghu et al. 2017) not when they are
    turned; PWCCA (Morcos et al. 2018, eq. 2) not under an invertible map of y, but when x is turned, or x and y change
    places.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        normalize: scale rows to unit length first; as published it is off.
        explained: part of the variance that SVCCA keeps.

    Returns:
        ``correlations (..., min(d1, d2))``, ``mean``, ``svcca`` and ``pwcca`` ``(...)``. Directions whose variance is
        less than 1e-10 of the largest are none.

    Raises:
        ValueError: for other shapes, or if all rows of a matrix are equal.
    """
    found = each_of_several(lambda a, b, _: pair_canonical(a, b, unit=normalize, explained=explained), x, y)
    return PairCanonical(*found)
