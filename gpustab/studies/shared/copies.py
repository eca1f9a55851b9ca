"""Which runs of a group are one space twice, up to rotation and the rounding of files, and which are nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs
from gpustab.studies.shared.claims import Margin
from gpustab.studies.shared.rounding import is_rounded, rounding_of
from gpustab.studies.shared.wording import listed

_SAME = 2.0**-20
"""Root mean square distance of aligned rows, in row lengths, up to which two float32 files hold the same vectors:
turning a space in float32 moves its rows by 1e-7, and two trainings differ by 1e-5 even where they have collapsed."""


_SPARED = 1.25
"""Root mean square distance of a rounded copy, in what rounding explains: a fit only makes it less."""

NEAR = Margin(0.1, "loss of two runs by the least of theirs to any other run, below which they are nearly one run")
"""Among runs of one law no pair is: their losses to each other vary by a fifth, and where the noise of runs varies as
e^{0.3 z} by twice that. An average of runs lies half as far from its members as these lie from each other.
"""
NEAR_OF_THREE = Margin(0.3, "the same of three runs, below which nobody can tell if those are one or the third is odd")
_THREE = 3


class Copies(NamedTuple):
    """The runs of a group that are one space several times.

    Attributes:
        same: ``(R, R)`` bool, which pairs are.
        rounded: ``(R, R)`` bool, which of these are at two precisions.
    """

    same: Tensor
    rounded: Tensor

    def kept(self) -> list[int]:
        """Return the runs that are no copy of an earlier one."""
        return [r for r in range(len(self.same)) if not bool(self.same[r, :r].any())]

    def among(self, some: Sequence[int]) -> Copies:
        """Return the same of some runs, in their order."""
        return Copies(self.same[some][:, some], self.rounded[some][:, some])

    def classes(self, some: Sequence[int] | None = None) -> list[list[int]]:
        """Return which of some runs, of all unless given, are one space several times, in their order."""
        left = range(len(self.same)) if some is None else some
        classes = ([r, *(k for k in left if k != r and bool(self.same[r, k]))] for r in left)
        return [several for several in classes if len(several) > 1 and several[0] == min(several)]

    def nearly_one(self, losses: Tensor, times: float = 1) -> list[tuple[int, int, float]]:
        """Return :func:`nearly_one` of runs that are no copies, by their numbers among all."""
        kept = self.kept()
        return [(kept[a], kept[b], nearer) for a, b, nearer in nearly_one(losses[kept][:, kept], times)]


def same_pairs(runs: Runs, pip: engine.PipPass) -> Copies:
    """Return which pairs of runs are one space twice: equal up to rotation and rounding, of float32 or of their files.

    A tiny loss does not say so: cosines of a collapsed space hardly vary, though its runs differ. The aligned rows do:
    ``‖V_i A − V_j‖² = tr C_ii + tr C_jj − 2 ⟨A, C_ij⟩``. Rounded files have a grid, and nearly every value of a copy
    lies within half a step of the other's: see :mod:`gpustab.studies.shared.rounding`.
    """
    total = pair_matrix(2 * pip.basis.words * pip.reduced, len(runs))
    same = _same(runs, pip.squares, total, lambda a, b: engine.cross_gram(runs, pip.basis, a, b))
    assert same is not None  # noqa: S101  # as nothing bounds the pairs
    return same


def find_copies(runs: Runs, compute: Compute) -> Copies:
    """Return :func:`same_pairs` of runs; none where fewer than two words are joint."""
    if int(runs.joint.sum()) < 2:
        none = torch.zeros(len(runs), len(runs), dtype=torch.bool, device="cpu")
        return Copies(none, none)
    same = same_by_sketch(runs, engine.sketch_pass(runs, compute), compute)
    return same_pairs(runs, engine.pip_pass(runs, compute)) if same is None else same


def same_by_sketch(runs: Runs, sketch: engine.Sketch, compute: Compute) -> Copies | None:
    """Return :func:`same_pairs`: no sketch says that copies differ, and the rows of those that it leaves are aligned.

    ``None`` where that takes more pairs than there are runs: each is a pass over two of them, and one over all is
    faster then.

    Its own rounding, some 1e-15 of ``v²``, is far below what is allowed, 4e-12 of it.
    """

    def cross(a: int, b: int) -> Tensor:
        return engine.gram_pass(runs.take([a, b]), compute, torch.float64, runs.joint).gram[1]

    return _same(runs, sketch.squares, (sketch.distances.mean(0) / sketch.stretch).sqrt(), cross, len(runs))


def _same(
    runs: Runs, squares: Tensor, least: Tensor, cross: Callable[[int, int], Tensor], most: float = math.inf
) -> Copies | None:
    """Return the pairs whose aligned rows are equal; ``None`` where that takes the blocks of too many pairs.

    Args:
        runs: the runs.
        squares: ``(R,)``, ``tr C_ii``.
        least: ``(R, R)``, what their PIP losses are at least.
        cross: returns ``C_ij`` of a pair.
        most: of how many pairs it is asked.
    """
    size = ((squares[:, None] + squares) / 2).cpu()
    found = rounding_of(runs)
    explained = _SPARED * torch.hypot(found.errors[:, None], found.errors).where(_may_be_rounded(runs), 0)
    # Half of the loss is at most the distance of the aligned rows times their lengths: others need no alignment.
    distance = least.cpu() / 2 / size
    allowed = explained.clamp(min=_SAME)
    near = (distance <= allowed).triu(1).nonzero()
    one, other = near.unbind(1)
    near = near[(distance[one, other] / allowed[one, other]).argsort(stable=True)]
    same, rounded = (torch.eye(len(squares), dtype=torch.bool, device="cpu") for _ in range(2))
    refused = 0
    for a, b in near.tolist():
        # Where grids are so coarse that all pairs are asked for, copies come first.
        if same[a, b] or (distance[a, b] > _SAME and refused > len(squares)):
            continue
        if (most := most - 1) < 0:
            return None
        block = cross(a, b)
        turn = procrustes(block[None]).maps[0]
        square = float(2 * size[a, b] - 2 * (turn * block).sum()) / float(size[a, b])
        exact = square <= _SAME**2
        if not exact and not (square <= float(explained[a, b]) ** 2 and is_rounded(runs, found, a, b, turn)):
            refused += 1
            continue
        both = same[a] | same[b]
        same[both] |= both
        if not exact:
            rounded[a, b] = rounded[b, a] = True
    return Copies(same.fill_diagonal_(False), rounded.fill_diagonal_(False))


def _may_be_rounded(runs: Runs) -> Tensor:
    """Return for which pairs ``(R, R)`` no two training seeds say that they are two trainings."""
    seeds = runs.seeds or (None,) * len(runs)
    table = [[a is None or b is None or a == b for b in seeds] for a in seeds]
    return torch.tensor(table, dtype=torch.bool, device="cpu")


def said_of_copies(names: Sequence[str], copies: Copies, several: Sequence[int]) -> str:
    """Return that some runs are one space, for a sentence: the same vectors, or also the same at another precision."""
    which = listed([names[r] for r in several])
    if copies.rounded[several][:, several].any():
        return f"{which} are the same run at another precision"
    return f"{which} are the same vectors"


def nearly_one(losses: Tensor, times: float = 1) -> list[tuple[int, int, float]]:
    """Return pairs of runs that lie far nearer to each other than either lies to any other, with how many times.

    Trained on, centred, or rounded and turned: which it is, and whether it is not the others that failed, losses do
    not say. Of three runs the third then lies far, but no more than the two lie near.

    Args:
        losses: ``(R, R)`` symmetric pair matrix, without copies, R ≥ 3; fewer runs have no others.
        times: of the margin, :data:`NEAR`, of three runs :data:`NEAR_OF_THREE`.

    Example:
        >>> nearly_one(torch.tensor([[0.0, 0.03125, 0.5], [0.03125, 0.0, 0.5], [0.5, 0.5, 0.0]]))
        [(0, 1, 16.0)]
    """
    if len(losses) < _THREE:
        return []
    margin = times * (NEAR_OF_THREE if len(losses) == _THREE else NEAR)
    values = losses.double().cpu().clone().fill_diagonal_(torch.inf)
    two = values.topk(2, dim=1, largest=False)
    mate, others = two.indices[:, 0].tolist(), two.values[:, 1]
    pairs = []
    for a, b in enumerate(mate):
        other = float(torch.minimum(others[a], others[b]))
        if a < b and mate[b] == a and 0 < float(values[a, b]) < margin * other:
            pairs.append((a, b, other / float(values[a, b])))
    return pairs


def said_of_near(first: str, second: str, times: float, third: str = "") -> str:
    """Return the fact that two runs are nearly one, and what that leaves open; of three runs, also of the third."""
    nearer = f"{first} and {second} lie {times:,.0f} times nearer to each other than to {third or 'any other run'}."
    if third:
        return (
            f"{nearer} Either {third} is of another kind, or its training failed; or the two are one training: one is "
            "the other, trained on, centred, or rounded and turned. Of three runs nobody can tell."
        )
    return (
        f"{nearer} Is one the other, trained on, centred, or rounded and turned? Then leave one out. Or did the others "
        "fail, or are they of another kind?"
    )


def or_others(times: float) -> str:
    """Return what else runs may mean that lie so many times as far from the others as these from each other, if much.

    From :data:`NEAR_OF_THREE` on these lie so near that they may be one training, of more runs as of three.
    """
    if times * NEAR_OF_THREE <= 1:
        return ""
    return " Or are the others made of one another, as by training on? Then keep only one of them."


def said_of_all_near(near: Sequence[tuple[int, int, float]], names: Sequence[str], kept: Sequence[int]) -> list[str]:
    """Return what is said of all pairs that are nearly one.

    Args:
        near: see :func:`nearly_one`, by the runs' numbers.
        names: of all runs.
        kept: those that are no copies.
    """
    of_three = len(kept) == _THREE
    others = [[names[r] for r in kept if r not in (a, b)] for a, b, _ in near]
    return [
        said_of_near(names[a], names[b], times, other[0] if of_three else "")
        for (a, b, times), other in zip(near, others, strict=True)
    ]


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
