"""The steps that are timed: each is the engine's own pass over synthetic runs, with its check and its cost.

The cost is what every step needs at least, for R runs of v words in d dimensions, ``P = R(R−1)/2`` pairs. An operation
is one addition or multiplication. Bytes are those that any method must move: the float32 rows read once, float64 Grams
and maps read or written once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.bench import checks
from gpustab.bench.bed import LONGEST, Arithmetic, Bed
from gpustab.engine.integers import WANTED, WANTED_OF_WORDS, takes_integers
from gpustab.engine.wordwise import TERMS, takes_fused
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.gram import pair_blocks
from gpustab.options import LENGTHS
from gpustab.runs.runs import Runs

POLAR_STEPS = 19
"""Steps of two products that the scaled polar iteration takes for the synthetic runs (300 dimensions, condition 6e3).
A CPU takes another way; its share of the ceiling is of the same work all the same."""


class Cost(NamedTuple):
    """Operations and bytes of one step."""

    flop: float
    bytes: float


def gram(runs: int, words: int, dimension: int) -> Cost:
    """``R(R+1)/2`` products of ``d × v`` and ``v × d``: ``2vd²`` each. Reads the rows, writes the blocks.

    >>> f"{gram(128, 200_000, 300).flop:.2e}"
    '2.97e+14'
    """
    blocks = runs * (runs + 1) // 2
    return Cost(2.0 * blocks * words * dimension**2, 4.0 * runs * words * dimension + 8.0 * blocks * dimension**2)


def wordwise(runs: int, words: int, dimension: int, terms: int = 1) -> Cost:
    """``v_ik C_ij`` of all words and pairs, and of every run with itself: ``2vd²`` for each term of a row.

    Reads rows and blocks.
    """
    cost = gram(runs, words, dimension)
    return cost._replace(flop=terms * cost.flop)


def procrustes(runs: int, dimension: int) -> Cost:
    """:data:`POLAR_STEPS` of two ``d × d`` products for every pair: ``4d³`` each. Reads blocks, writes maps."""
    pairs = runs * (runs - 1) // 2
    return Cost(4.0 * POLAR_STEPS * pairs * dimension**3, 16.0 * pairs * dimension**2)


def average(runs: int, words: int, dimension: int) -> Cost:
    """``R − 1`` merges: a cross-Gram and a turned space, ``2vd²`` each, and a map. Reads two spaces, writes one."""
    merge = 4.0 * words * dimension**2 + 4.0 * POLAR_STEPS * dimension**3
    return Cost((runs - 1) * merge, (runs - 1) * 12.0 * words * dimension)


def search(runs: int, words: int, dimension: int, targets: int) -> Cost:
    """Every target's product with every word, ``2d``. Reads the rows."""
    return Cost(2.0 * runs * targets * words * dimension, 4.0 * runs * words * dimension)


def overlap(runs: int, targets: int, lengths: Sequence[int]) -> Cost:
    """One product of ``R × w`` and ``w × R`` for every target and n, w being at least the longest n.

    Reads the lists, writes p@n and j@n of pairs and targets.
    """
    k = max(lengths)
    written = 16.0 * len(lengths) * (runs**2 + targets)
    return Cost(2.0 * targets * len(lengths) * runs**2 * k, 8.0 * runs * targets * k + written)


class Job(NamedTuple):
    """One step made ready.

    Attributes:
        call: what is timed.
        check: gives the error of what the call returned.
        tolerance: an error above it, or NaN, is refused.
        cost: operations and bytes.
        arithmetic: the format whose matrix rate is its ceiling.
        note: what a reader of its time must know.
    """

    call: Callable[[], Any]
    check: Callable[[Any], float]
    tolerance: float
    cost: Cost
    arithmetic: str
    note: str = ""


def _gram(bed: Bed, precision: Arithmetic) -> Job:
    runs, compute = bed.runs, bed.compute(precision)
    arithmetic = "bf16" if precision == "fast" else "fp64" if compute.dtype == torch.float64 else "fp32"
    whole = takes_integers(compute)
    return Job(
        lambda: engine.pip_pass(runs, compute, gram=True),
        lambda found: checks.losses(runs, found.reduced),
        WANTED["auto"] if whole else {"fp64": 1e-9, "fp32": 1e-3, "bf16": 1e-4}[arithmetic],
        gram(len(runs), runs.words, runs.dimension),
        arithmetic,
        "in whole numbers where their bound allows it: faster than float64 can be" if whole else "",
    )


def _words(bed: Bed, precision: Arithmetic) -> Job:
    runs, compute, basis = bed.runs, bed.compute(precision), bed.basis(precision)
    exact = basis.dtype == torch.float64
    fused, reason = takes_fused(runs, basis, compute)
    arithmetic = "bf16" if fused else "fp64" if exact else "fp32"  # float16 has the rate of bfloat16
    note = "" if fused or precision != "fast" else f"by the plain kernel, as {reason}"
    return Job(
        lambda: engine.wordwise_pass(runs, basis, compute),
        lambda found: checks.word_means(runs, found.mean),
        (WANTED_OF_WORDS if takes_integers(compute) else 1e-9) if exact else 1e-3,
        wordwise(len(runs), runs.words, runs.dimension, TERMS[compute.precision] if fused else 1),
        arithmetic,
        note,
    )


def _procrustes(bed: Bed, _: Arithmetic) -> Job:
    runs, basis = bed.runs, bed.basis("auto")
    return Job(
        lambda: engine.procrustes_pass(runs, basis)[0].maps,
        lambda found: checks.maps(pair_blocks(basis.gram), found),
        1e-6,
        procrustes(len(runs), runs.dimension),
        "fp64",
    )


def _average(bed: Bed, _: Arithmetic) -> Job:
    # The rows as they lie there: with copies of them all levels of 128 runs would not fit 80 GB.
    rows = [space[0 : bed.runs.words] for space in bed.runs.rows]
    cost = average(len(rows), bed.runs.words, bed.runs.dimension)
    return Job(lambda: tree_average(rows), checks.levels, 1e-4, cost, "fp32")


def _neighbours(bed: Bed, _: Arithmetic) -> Job:
    return _search(bed, bed.runs, bed.targets, LONGEST)


def _all_neighbours(bed: Bed, _: Arithmetic) -> Job:
    return _search(bed, bed.runs.take([0]), torch.arange(bed.runs.words, device=bed.runs.device), 10)


def _search(bed: Bed, runs: Runs, targets: Tensor, k: int) -> Job:
    compute = bed.compute("exact")
    return Job(
        lambda: engine.neighbour_pass(runs, targets, k, compute),
        partial(checks.neighbours, runs),
        1e-11,
        search(len(runs), runs.words, runs.dimension, len(targets)),
        "fp32",
    )


def _overlap(bed: Bed, _: Arithmetic) -> Job:
    found, compute = bed.lists, bed.compute("exact")
    lengths = sorted({min(n, found.k) for n in LENGTHS})
    return Job(
        lambda: engine.overlap_pass(found, lengths, compute),
        lambda shared: checks.overlaps(found, shared, lengths),
        1e-12,
        overlap(len(bed.runs), len(found.targets), lengths),
        "fp32",
    )


def _cosines(bed: Bed, _: Arithmetic) -> Job:
    runs, queries = bed.runs, bed.targets[:20]
    return Job(
        lambda: engine.query_cosines(runs, queries),
        partial(checks.cosines, runs, queries),
        1e-9,
        search(len(runs), runs.words, runs.dimension, len(queries)),
        "fp64",
    )


class Step(NamedTuple):
    """One line of the table.

    Attributes:
        what: in words.
        prepare: makes it ready, untimed.
        kinds: the arithmetic that there is to choose from.
        uses_basis: whether the block Gram may stay in memory.
    """

    what: str
    prepare: Callable[[Bed, Arithmetic], Job]
    kinds: tuple[Arithmetic, ...] = ("exact",)
    uses_basis: bool = False


STEPS: dict[str, Step] = {
    "gram": Step("block Gram and reduced PIP loss of all pairs", _gram, ("auto", "fast")),
    "words": Step("every word's PIP loss, mean and SD over all pairs", _words, ("auto", "fast"), True),
    "procrustes": Step("orthogonal maps of all pairs, from the Gram", _procrustes, uses_basis=True),
    "average": Step("tree average of all runs with its levels", _average),
    "neighbours": Step("50 nearest neighbours of 1,000 words in every run", _neighbours),
    "overlap": Step("p@n and j@n of these lists, all pairs, 6 lengths", _overlap),
    "all-neighbours": Step("10 nearest neighbours of all words of one run", _all_neighbours),
    "cosines": Step("mean and SD over the runs of 20 words' cosines with all", _cosines),
}
