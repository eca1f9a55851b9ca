"""Which runs of a group are one space twice, up to rotation and the rounding of files."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs

_SAME = 2.0**-20
"""Root mean square distance of aligned rows, in row lengths, up to which two float32 files hold the same vectors:
turning a space in float32 moves its rows by 1e-7, and two trainings differ by 1e-5 even where they have collapsed."""


def same_pairs(runs: Runs, pip: engine.PipPass) -> Tensor:
    """Return which pairs of runs are one space twice, ``(R, R)`` bool: equal up to rotation and float32 rounding.

    A tiny loss does not say so: cosines of a collapsed space hardly vary, though its runs differ. The aligned rows do:
    ``‖V_i A − V_j‖² = tr C_ii + tr C_jj − 2 ⟨A, C_ij⟩``.
    """
    total = pair_matrix(2 * pip.basis.words * pip.reduced, len(runs))
    same = _same(pip.squares, total, lambda a, b: engine.cross_gram(runs, pip.basis, a, b))
    assert same is not None  # noqa: S101  # as nothing bounds the pairs
    return same


def find_copies(runs: Runs, compute: Compute) -> Tensor:
    """Return :func:`same_pairs` of runs; none where fewer than two words are joint."""
    if int(runs.joint.sum()) < 2:
        return torch.zeros(len(runs), len(runs), dtype=torch.bool, device="cpu")
    same = same_by_sketch(runs, engine.sketch_pass(runs, compute), compute)
    return same_pairs(runs, engine.pip_pass(runs, compute)) if same is None else same


def same_by_sketch(runs: Runs, sketch: engine.Sketch, compute: Compute) -> Tensor | None:
    """Return :func:`same_pairs`: no sketch says that copies differ, and the rows of those that it leaves are aligned.

    ``None`` where that takes more pairs than there are runs: each is a pass over two of them, and one over all is
    faster then.

    Its own rounding, some 1e-15 of ``v²``, is far below what is allowed, 4e-12 of it.
    """

    def cross(a: int, b: int) -> Tensor:
        return engine.gram_pass(runs.take([a, b]), compute, torch.float64, runs.joint).gram[1]

    return _same(sketch.squares, (sketch.distances.mean(0) / sketch.stretch).sqrt(), cross, len(runs))


def _same(squares: Tensor, least: Tensor, cross: Callable[[int, int], Tensor], most: float = math.inf) -> Tensor | None:
    """Return the pairs whose aligned rows are equal; ``None`` where that takes the blocks of too many pairs.

    Args:
        squares: ``(R,)``, ``tr C_ii``.
        least: ``(R, R)``, what their PIP losses are at least.
        cross: returns ``C_ij`` of a pair.
        most: of how many pairs it is asked.
    """
    size = (squares[:, None] + squares) / 2
    # Half of the loss is at most the distance of the aligned rows times their lengths: others need no alignment.
    near = (least / 2 <= _SAME * size).triu(1).cpu()
    same = torch.eye(len(squares), dtype=torch.bool, device="cpu")
    for a, b in near.nonzero().tolist():
        if same[a, b]:  # of a class that is known
            continue
        if (most := most - 1) < 0:
            return None
        block = cross(a, b)
        square = float(2 * size[a, b] - 2 * (procrustes(block[None]).maps[0] * block).sum())
        if square <= _SAME**2 * float(size[a, b]):
            both = same[a] | same[b]
            same[both] |= both
    return same.fill_diagonal_(False)


def as_copies(values: Tensor, same: Tensor | None) -> Tensor:
    """Return values ``(n, R)`` with those of copies made equal to the bit: what is left of rounding is no spread.

    >>> as_copies(torch.tensor([[1.0, 2.0, 1.5]]), torch.tensor([[0, 0, 1], [0, 0, 0], [1, 0, 0]]).bool()).tolist()
    [[1.0, 2.0, 1.0]]
    """
    if same is None or not same.any():
        return values
    first = (
        (same | torch.eye(len(same), dtype=torch.bool, device="cpu")).byte().argmax(1)
    )  # the first copy of every run
    return values[:, first.to(values.device)]


def are_one(same: Tensor | None) -> bool:
    """Tell whether all runs are copies of one."""
    return same is not None and bool((same | torch.eye(len(same), dtype=torch.bool, device="cpu")).all())
