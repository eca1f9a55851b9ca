"""How alike two matrices are: neighbours, CKA, canonical correlations, eigenspaces, distances of pairs.

Activations of convolutions become such matrices first.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels import overlap, similarity
from gpustab.kernels.batches import Reduction, combined, each_of_several, each_pair
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.pair_kernels import pair_rbf_hsics
from gpustab.kernels.pair_rdm import Comparison, Distance, pair_rdm
from gpustab.kernels.pair_rows import pair_rows, powers, refuse_unmeasurable, row_numbers
from gpustab.kernels.pair_similarity import (
    PairCanonical,
    pair_canonical,
    pair_debiased_cka,
    pair_eigenspaces,
    pair_linear_cka,
)
from gpustab.kernels.shapes import want_count, want_tensor

__all__ = [
    "Eigenspaces",
    "activation_rows",
    "cca",
    "debiased_cka",
    "eigenspaces",
    "linear_cka",
    "neighbour_overlap",
    "rank_similarity",
    "rbf_cka",
    "rdm",
]


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
        targets: ``(t,)`` row numbers of any whole type, or ``(v,)`` bool; default: all words.
        jaccard: j@k, shared / (2k − shared) per word, instead.
        reduction: over targets and batch; ``"none"``: ``(..., t)``.

    Returns:
        Values in [0, 1], to be read beside the chance level k / (v − 1).

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(..., t)`` without a reduction.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
        >>> neighbour_overlap(x, x.flip(1), 1).item()
        1.0
    """

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        found = overlap.neighbour_overlap(_lists(x, y, k, targets), [k])
        return (found.j_word if jaccard else found.p_word)[0]

    return combined(each_pair(one, x, y), reduction)


def rank_similarity(
    x: Tensor, y: Tensor, k: int = 10, *, targets: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """Return how far two spaces rank the k nearest neighbours alike, near ones counting most (Wang et al. 2022).

    ``Σ_w 2 / ((1 + |r_w − s_w|)(r_w + s_w))`` over the m shared neighbours w of ranks r and s, by ``Σ_{n≤m} 1/n``:
    1 where the m shared ones are the first m of both lists in one order. It is less where they stand further down, also
    at equal ranks (0.1 of one that is the tenth of both); :func:`neighbour_overlap` says how many they are. Invariances
    and arguments are those of :func:`neighbour_overlap`.

    Returns:
        Values in [0, 1]; 0 for lists that share nothing.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(..., t)`` without a reduction.
    """
    return combined(each_pair(lambda a, b, _: overlap.rank_similarity(*_lists(a, b, k, targets)), x, y), reduction)


def _lists(x: Tensor, y: Tensor, k: int, targets: Tensor | None) -> Tensor:
    """The neighbours in both spaces, ``(2, t, k)``."""
    refuse_unmeasurable(pair_rows(x, y, None, True))
    if len(x) < 2:
        raise InputError(f"x has shape {tuple(x.shape)}, wanted 2 rows at least: a word has no other as a neighbour")
    want_count("k", k)
    if k >= len(x):
        raise InputError(f"k is {k}, wanted 1 to {len(x) - 1} for {len(x)} words")
    rows = row_numbers(targets, len(x), x.device).to(x.device)
    return torch.stack([top_k(_sized(part.detach()), rows, k).indices for part in (x, y)])


def _sized(rows: Tensor) -> Tensor:
    """Rows whose largest number is about 1 each, where squares might leave the type; exact, as cosines see no size."""
    if rows.dtype != torch.float64:
        return rows
    return rows / powers(torch.linalg.vector_norm(rows, ord=torch.inf, dim=1, keepdim=True))


def linear_cka(x: Tensor, y: Tensor, *, normalize: bool = False, reduction: Reduction = "mean") -> Tensor:
    """Return linear CKA, ``‖XᵀY‖² / (‖XᵀX‖ ‖YᵀY‖)`` of centred columns (Kornblith et al. 2019, §3); in [0, 1].

    It does not change when x or y is turned, scaled as a whole or shifted, when the words of both are permuted, or when
    x and y change places. It does change under other linear maps. Where d is not small beside v it is high for
    unrelated rows too (0.8 of noise of 50 × 200): see :func:`debiased_cka` and :func:`chance_level`.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        normalize: scale rows to unit length first; as published it is off.
        reduction: of a batch.

    Raises:
        ValueError: for other shapes, or if all rows of a matrix are equal.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """
    found = each_pair(lambda a, b, _: pair_linear_cka(a, b, unit=normalize), x, y)
    return combined(found, reduction)


def debiased_cka(x: Tensor, y: Tensor, *, normalize: bool = False, reduction: Reduction = "mean") -> Tensor:
    """Return linear CKA of unbiased HSICs (Song et al. 2012; Nguyen et al. 2021, eq. 3); in [−1, 1].

    Its mean is 0 for unrelated rows, whatever v and d are, and it is 1 for equal ones. Invariances and arguments are
    those of :func:`linear_cka`. No ``v × v`` array is made.

    Raises:
        ValueError: for fewer than 4 rows, or as :func:`linear_cka`.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.

    Example:
        >>> noise = torch.randn(2, 50, 200, generator=torch.Generator().manual_seed(0))
        >>> round(linear_cka(*noise).item(), 1), abs(debiased_cka(*noise).item()) < 0.1
        (0.8, True)
    """
    return combined(each_pair(lambda a, b, _: pair_debiased_cka(a, b, unit=normalize), x, y), reduction)


def rbf_cka(
    x: Tensor,
    y: Tensor,
    *,
    share: float = 1.0,
    debiased: bool = False,
    normalize: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return CKA with Gaussian kernels (Kornblith et al. 2019, §3); in [0, 1], debiased in [−1, 1].

    It does not change when x or y is turned, scaled as a whole or shifted. Time grows with v²; kernels are made in
    tiles, also backward.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        share: width σ of the kernel as a share of the median distance of two rows (of 4,000, evenly spaced, if there
            are more); it has no gradient.
        debiased: of unbiased HSICs, see :func:`debiased_cka`.
        normalize: scale rows to unit length first.
        reduction: of a batch.

    Raises:
        ValueError: for other shapes, too few rows, or where most rows of a matrix are equal.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """
    if not share > 0:
        raise InputError(f"share is {share}, wanted a number above 0")

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        hsics = pair_rbf_hsics(x, y, share=share, unit=normalize, debiased=debiased)
        return similarity.debiased_cka(*hsics[:, None])[0]

    return combined(each_pair(one, x, y), reduction)


def cca(x: Tensor, y: Tensor, *, normalize: bool = False, explained: float = 0.99) -> PairCanonical:
    """Return the canonical correlations of x and y, and the three means of them in use; without gradients.

    All are in [0, 1] and do not change when x or y is shifted or scaled as a whole, or the words of both are permuted.
    Mean CCA does not change under any invertible linear map of x or y; SVCCA (Raghu et al. 2017) not when they are
    turned; PWCCA (Morcos et al. 2018) not under an invertible map of y, but when x is turned, or x and y change places.
    It weights by canonical variables, as the paper says; the authors' code, and copies of it, leave ``C^{−1/2}`` out of
    these, and give other numbers. With fewer words than dimensions all are 1 for anything: see :func:`chance_level`.

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

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``(..., min(d1, d2))``, and three of ``(...)``.
    """
    found = each_of_several(lambda a, b, _: pair_canonical(a, b, unit=normalize, explained=explained), x, y)
    return PairCanonical(*found)


class Eigenspaces(NamedTuple):
    """How far two matrices span the same.

    Attributes:
        overlap: ``(...)`` float64 in [0, 1]: the eigenspace overlap score.
        instability: ``(...)`` float64 in [0, 1]: the eigenspace instability measure; 0 for equal spaces.
    """

    overlap: Tensor
    instability: Tensor


def eigenspaces(x: Tensor, y: Tensor, *, normalize: bool = False, power: float = 3.0) -> Eigenspaces:
    """Return eigenspace overlap (May et al. 2019) and eigenspace instability (Leszczynski et al. 2020).

    The overlap is ``‖UᵀŨ‖² / max(d, d̃)``, U and Ũ being bases of the columns: the same under any invertible map of x
    or y, as far as no singular value falls below 1e-5 of the largest, which counts as none. The instability is
    ``tr((UUᵀ + ŨŨᵀ − 2 ŨŨᵀUUᵀ) Σ) / tr Σ`` with ``Σ = (XXᵀ)^α + (YYᵀ)^α``: x and y themselves are the
    anchors, which in the paper are larger spaces. Strong directions count most, and it is the same when x and y are
    turned. Nothing is centred, there are no gradients, and no ``v × v`` array is made.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        normalize: scale rows to unit length first; as published it is off.
        power: α, from 1; the paper has 3.

    Raises:
        ValueError: for other shapes, or a matrix of zeros.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: two of ``(...)``.

    Example:
        >>> x = torch.eye(4)[:, :2]
        >>> [part.item() for part in eigenspaces(x, x.roll(1, 0))]  # one direction of two in common
        [0.5, 0.5]
    """
    return Eigenspaces(*each_of_several(lambda a, b, _: pair_eigenspaces(a, b, unit=normalize, power=power), x, y))


def rdm(
    x: Tensor,
    y: Tensor,
    *,
    distance: Distance = "cosine",
    comparison: Comparison = "pearson",
    normalize: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return the correlation of the distances of all pairs of words, representational similarity analysis; in [−1, 1].

    Kriegeskorte et al. 2008. It does not change when x or y is turned or scaled as a whole, and is 0 on the average for
    unrelated rows. Cosines compared by Pearson's correlation need no ``v × v`` array; all else takes ``4 v²`` numbers,
    and has no second derivatives.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        distance: ``"cosine"`` (the same when rows are scaled one by one), ``"euclidean"`` (the same when x or y is
            shifted), or ``"correlation"`` (of rows that are centred each).
        comparison: ``"pearson"``, or ``"spearman"``: of ranks, without gradients. Distances that are equal but for
            rounding have different ranks.
        normalize: scale rows to unit length first; cosines do not see it.
        reduction: of a batch.

    Raises:
        ValueError: for other shapes or names, fewer than 3 rows, or distances that do not vary.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        return pair_rdm(x, y, distance=distance, comparison=comparison, unit=normalize)

    return combined(each_pair(one, x, y), reduction)


def activation_rows(activations: Tensor, items: Literal["examples", "positions"] = "examples") -> Tensor:
    """Return activations ``(n, c, ...)`` as a matrix whose rows every function here takes.

    Args:
        activations: ``(n, c, h, w)``, or with any number of places after the channels.
        items: what a row is. ``"examples"``: an example with all its numbers ``(n, c h w)``, as for CKA (Kornblith et
            al. 2019). ``"positions"``: a place of an example with its channels ``(n h w, c)``, as for SVCCA (Raghu et
            al. 2017), which so compares layers whose places are the same.

    Raises:
        ValueError: for fewer than two dimensions, or another name.

    Shape:
        - activations: ``(n, c, ...)``.
        - Output: ``(n, c h w)`` or ``(n h w, c)``.

    Example:
        >>> import torch
        >>> images = torch.zeros(8, 3, 5, 5)
        >>> activation_rows(images).shape, activation_rows(images, "positions").shape
        (torch.Size([8, 75]), torch.Size([200, 3]))
    """
    want_tensor("activations", activations)
    if activations.ndim < 2:
        raise InputError(f"activations have shape {tuple(activations.shape)}, wanted (n, c, ...)")
    if items == "examples":
        return activations.flatten(1)
    if items == "positions":
        return activations.movedim(1, -1).flatten(0, -2)
    given = repr(items) if isinstance(items, str) else f"a {type(items).__name__}"
    raise InputError(f"items is {given}, wanted 'examples' or 'positions'")
