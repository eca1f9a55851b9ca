"""Alignment of runs: the orthogonal maps of all pairs, and averages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.gram import GramPass
from gpustab.errors import InputError
from gpustab.kernels import averaging, gram, procrustes
from gpustab.machine.device import free_memory
from gpustab.machine.out_of_memory import telling_memory
from gpustab.results.page import counted
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words


@telling_memory
def procrustes_pass(runs: Runs, basis: GramPass) -> tuple[procrustes.Procrustes, Tensor]:
    """Return the orthogonal maps ``V_i A_ij ≈ V_j`` of all pairs, and their residuals ``‖V_i A_ij − V_j‖``.

    Raises:
        InputError: if a pair has a zero cross-Gram; the message names the runs.
    """
    parts = list(gram.blocks_of_pairs(basis.gram))
    zero = torch.cat([part.flatten(1).count_nonzero(1) == 0 for part in parts])
    if zero.any():
        i, j = gram.run_pairs(len(runs))[:, int(zero.nonzero()[0])].tolist()
        raise InputError(f"{runs.names[i]} and {runs.names[j]} share no direction: every alignment is equally good")
    solution = procrustes.procrustes_of_parts(parts)
    unique = solution.unique & (basis.words >= runs.dimension)
    return solution._replace(unique=unique), procrustes.residuals(basis.gram, solution.maps)


@telling_memory
def average_pass(
    runs: Runs, *, renormalise: bool = False, dtype: torch.dtype = torch.float64
) -> list[list[averaging.Average]]:
    """Return all levels of the tree of aligned averages; ``[-1][0]`` is the average of all runs.

    All runs are held at once in ``dtype``: R·v·d numbers, and as many again over all levels.

    Raises:
        InputError: if two averages share no word or no direction; the message names their runs.
    """
    stack = [runs.run(r, dtype=dtype) for r in range(len(runs))]
    with _named(runs):
        return averaging.tree_average(stack, present=runs.present, renormalise=renormalise)


def average_levels(
    runs: Runs, *, renormalise: bool = False, below: Sequence[averaging.Average] = ()
) -> Iterator[list[averaging.Average]]:
    """Yield the levels of :func:`average_pass` above the runs, one by one, and hold no more than one and a half.

    The runs are read two by two. The averages are float64 where half of the memory that is free holds those of two, and
    what becomes of them; else float32, which rounds by 6e-8 at each of log₂ R levels. Who keeps what was yielded takes
    a copy of the list: averages leave it as they are merged.

    Args:
        runs: the runs.
        renormalise: see :func:`gpustab.kernels.averaging.tree_average`.
        below: averages of them, of which the levels above are formed; default: the runs themselves.

    Raises:
        InputError: see :func:`average_pass`.
    """
    size = 6 * len(runs) * runs.words * runs.dimension  # bytes in float64, of 3/4 R averages
    dtype = torch.float64 if size <= free_memory(runs.device) // 2 else torch.float32
    leaves = (averaging.leaf(runs.run(r, dtype=dtype), r, runs.present[r]) for r in range(len(runs)))
    with _named(runs):
        yield from averaging.levels_above(below or leaves, renormalise=renormalise)


@contextmanager
def _named(runs: Runs) -> Iterator[None]:
    """Name the runs beneath averages that cannot be aligned."""
    try:
        yield
    except averaging.AlignmentError as error:
        require_finite(runs, (runs.run(r) for r in range(len(runs))))
        raise InputError(f"{_called(runs, error.first)} and {_called(runs, error.second)} {error.why}") from None


def undetermined(runs: Runs, average: averaging.Average) -> str | None:
    """Say what is open about an average, if anything is: which words, between which runs, and why."""
    if not average.undetermined:
        return None
    worst = max(average.undetermined, key=lambda alignment: len(alignment.words))
    words = [runs.vocabulary[k] for k in worst.words.tolist()]
    first, second = _called(runs, worst.first), _called(runs, worst.second)
    return (
        f"{first} and {second} have {worst.common:,} words in common, which determine {worst.rank} of "
        f"{runs.dimension} directions; in the others nothing tells how {counted(len(words), 'word')} of {first} "
        f"({some_words(words)}) lie to those of {second}"
    )


def _called(runs: Runs, numbers: tuple[int, ...]) -> str:
    """Name the runs beneath an average."""
    others = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    return f"{runs.names[numbers[0]]}{others}"
