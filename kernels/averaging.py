"""Averages of aligned runs: of two (Rettenmeier 2020, eq. 3.2) and of many in a binary tree (§3.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.gram import ROWS_PER_MATMUL
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.shapes import want

__all__ = [
    "AlignmentError",
    "Average",
    "Undetermined",
    "aligned_average",
    "aligned_averages",
    "cross_gram",
    "leaf",
    "levels_above",
    "tree_average",
]

_TURNED = 1e-6
"""Share of a row outside the directions that a map determines from which on it counts: float32 resolves no less."""


class AlignmentError(ValueError):
    """Two averages cannot be aligned.

    Attributes:
        first: the runs beneath the one.
        second: the runs beneath the other.
        why: the end of a sentence about them.
    """

    def __init__(self, first: tuple[int, ...], second: tuple[int, ...], why: str) -> None:
        one, other = (
            f"run {runs[0]}" if len(runs) == 1 else f"the average of runs {', '.join(map(str, runs))}"
            for runs in (first, second)
        )
        super().__init__(f"{one} and {other} {why}")
        self.first, self.second, self.why = first, second, why


class Undetermined(NamedTuple):
    """An alignment that turned rows by a part of its map that nothing determines.

    Attributes:
        first: the runs beneath what was turned.
        second: the runs beneath what it was turned onto.
        common: how many words both have.
        rank: how many directions these determine.
        words: ``(n,)`` the rows that have a part outside of these.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    common: int
    rank: int
    words: Tensor


class Average(NamedTuple):
    """An average space and what stands beneath it.

    Attributes:
        vectors: ``(v, d)``; zero for a word that no run has.
        weights: ``(v,)`` int64, how many runs have the word.
        runs: the numbers of the runs beneath.
        undetermined: the alignments beneath without which this would be another space.
    """

    vectors: Tensor
    weights: Tensor
    runs: tuple[int, ...]
    undetermined: tuple[Undetermined, ...] = ()


def leaf(vectors: Tensor, run: int, present: Tensor | None = None) -> Average:
    """Return one run as an average of itself.

    Args:
        vectors: ``(v, d)``.
        run: its number.
        present: ``(v,)`` bool, the words that the run has; default: all.
    """
    want("vectors", vectors, "(v, d)")
    weights = torch.ones(len(vectors), dtype=torch.long, device=vectors.device)
    if present is not None:
        weights, vectors = present.long(), vectors if present.all() else vectors * present[:, None]
    return Average(vectors, weights, (run,))


def aligned_average(a: Average, b: Average, *, renormalise: bool = False, turned: bool = True) -> Average:
    """Return ``M = (n_a U A + n_b W) / (n_a + n_b)``, eq. 3.2 weighted by the runs beneath, word by word.

    A is the orthogonal Procrustes map of a onto b over the words that both have (eq. 3.1). A word that only one has
    keeps that one's vector (thesis, chapter 4, footnote 2), turned into the common frame. Few common words determine
    the map in the directions that they span only. Where both averages have rows with a part outside of these, how the
    parts lie to each other is anybody's choice, and the result says so.

    Args:
        a: the average that is turned.
        b: the average onto which it is turned, over the same rows.
        renormalise: scale every row of the result to unit length. Off by default: the mean of two unit vectors is
            shorter than 1, and scaling it up biases the cosines upwards (thesis §3.2.1.1).
        turned: off for runs that have one frame: A is then the identity.

    Raises:
        AlignmentError: if a and b share no word or no direction, or hold values that are not finite.
    """
    return aligned_averages([(a, b)], renormalise=renormalise, turned=turned)[0]


def aligned_averages(
    pairs: Sequence[tuple[Average, Average]], *, renormalise: bool = False, turned: bool = True
) -> list[Average]:
    """Return :func:`aligned_average` of several pairs, whose maps are solved for at once."""
    cross = torch.stack([_cross(a, b) for a, b in pairs])
    # Of the identity as a cross-Gram the map is the identity, and nothing is left open.
    solution = procrustes(cross if turned else torch.eye(cross.shape[1], device="cpu").to(cross).expand_as(cross))
    merged = []
    for (a, b), rotation, unique, products in zip(pairs, solution.maps, solution.unique.tolist(), cross, strict=True):
        common = int(((a.weights > 0) & (b.weights > 0)).sum())
        undetermined = () if unique else _undetermined(a, b, products, common)
        n_a, n_b = (x.weights[:, None].to(a.vectors.dtype) for x in (a, b))
        total = (n_a + n_b).clamp(min=1)
        mean = (product(a.vectors, rotation.to(a.vectors.dtype)) * (n_a / total)).addcmul(b.vectors, n_b / total)
        if renormalise:
            mean = torch.nn.functional.normalize(mean, dim=1, eps=torch.finfo(mean.dtype).tiny)
        beneath = (*a.undetermined, *b.undetermined, *undetermined)
        merged.append(Average(mean, a.weights + b.weights, a.runs + b.runs, beneath))
    return merged


def _cross(a: Average, b: Average) -> Tensor:
    """The cross-Gram over the words that both averages have."""
    both = (a.weights > 0) & (b.weights > 0)
    if not both.any():
        raise AlignmentError(a.runs, b.runs, "share no word, so they cannot be aligned")
    cross = cross_gram(a.vectors if both.all() else a.vectors * both[:, None], b.vectors)
    if not cross.isfinite().all():
        raise AlignmentError(a.runs, b.runs, "hold values that are not finite")
    if not cross.any():
        raise AlignmentError(a.runs, b.runs, "share no direction, so every alignment is as good as every other")
    return cross


def _undetermined(a: Average, b: Average, cross: Tensor, common: int) -> tuple[Undetermined, ...]:
    """Return what a cross-Gram of less than full rank leaves open: nothing, where one side has no part there."""
    left, values, right = torch.linalg.svd(cross)
    rank = int((values > len(cross) * torch.finfo(cross.dtype).eps * values[0]).sum())
    turned, fixed = _outside(a.vectors, left[:, :rank]), _outside(b.vectors, right[:rank].mT)
    if not (turned.any() and fixed.any()):
        return ()
    return (Undetermined(a.runs, b.runs, common, rank, turned.nonzero().flatten()),)


def _outside(vectors: Tensor, directions: Tensor) -> Tensor:
    """Tell which rows have a part outside the span of orthonormal columns, ``(v,)`` bool."""
    within = directions.to(vectors.dtype)
    rest = vectors - product(product(vectors, within), within.mT)
    outside: Tensor = torch.linalg.vector_norm(rest, dim=1) > _TURNED * torch.linalg.vector_norm(vectors, dim=1)
    return outside


def cross_gram(x: Tensor, y: Tensor) -> Tensor:
    """Return ``Xᵀ Y``, ``(d, d)`` float64, in short accumulations."""
    total = torch.zeros(x.shape[1], y.shape[1], dtype=torch.float64, device=x.device)
    for rows, others in zip(x.split(ROWS_PER_MATMUL), y.split(ROWS_PER_MATMUL), strict=True):
        total += product(rows.mT, others)
    return total


def tree_average(
    stack: Sequence[Tensor] | Tensor, *, present: Tensor | None = None, renormalise: bool = False, turned: bool = True
) -> list[list[Average]]:
    """Return all levels of the tree of averages: the runs, averages of two, of four, ..., the average of all.

    Neighbouring averages are averaged two by two; where their number is odd, the last one rises a level unchanged.
    Averages count by the runs beneath, so every run has equal weight for any R. The result depends a little on the
    order of the runs.

    Args:
        stack: ``(R, v, d)``, or R tensors ``(v, d)``; unit rows for the thesis' averages.
        present: ``(R, v)`` bool, which run has which word; default: all.
        renormalise: scale the rows to unit length at every level.
        turned: off for runs that have one frame, whose averages are plain means.

    Returns:
        The levels; the last holds one average. ``levels[0]`` are the runs themselves.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
        >>> quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
        >>> average = tree_average(torch.stack([x, x @ quarter_turn, x]))[-1][0]
        >>> torch.allclose(average.vectors @ average.vectors.T, x @ x.T, atol=1e-6), average.runs
        (True, (0, 1, 2))
    """
    masks = [None] * len(stack) if present is None else list(present)
    leaves = [leaf(vectors, run, mask) for run, (vectors, mask) in enumerate(zip(stack, masks, strict=True))]
    if len(leaves) == 1:
        return [leaves]
    return [leaves, *(list(level) for level in levels_above(leaves, renormalise=renormalise, turned=turned))]


_TOGETHER = 16
"""Pairs of a level that are merged at once; their maps fill a GPU."""


def levels_above(
    below: Iterable[Average], *, renormalise: bool = False, turned: bool = True
) -> Iterator[list[Average]]:
    """Yield the levels of :func:`tree_average` above the runs, one by one.

    What was yielded is taken out of its list as it is merged, so that who keeps nothing holds a level and what is at
    hand of the next one.

    Args:
        below: the runs, as averages of themselves; taken two by two, and not kept.
        renormalise: see :func:`tree_average`.
        turned: see there.
    """
    level = _merged(iter(below), renormalise, turned)
    while True:
        last = len(level) == 1
        yield level
        if last:
            return
        level = _merged(_taken(level), renormalise, turned)


def _merged(below: Iterator[Average], renormalise: bool, turned: bool) -> list[Average]:
    """Average neighbours two by two; a last one alone rises unchanged."""
    level: list[Average] = []
    while True:
        few = list(islice(below, 2 * _TOGETHER if _on_gpu(level) else 2))
        pairs = list(zip(few[::2], few[1::2], strict=False))
        if pairs:
            level += aligned_averages(pairs, renormalise=renormalise, turned=turned)
        if len(few) % 2:
            level.append(few[-1])
        if not pairs:
            return level


def _taken(level: list[Average]) -> Iterator[Average]:
    while level:
        yield level.pop(0)


def _on_gpu(level: list[Average]) -> bool:
    return bool(level) and level[0].vectors.is_cuda
