"""The steps that are timed: each is the engine's own pass over synthetic runs, with its check and its cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.bench import checks, costs
from gpustab.bench.bed import LONGEST, Arithmetic, Bed
from gpustab.bench.costs import Cost
from gpustab.engine.integers import WANTED, WANTED_OF_WORDS, takes_integers
from gpustab.engine.wordwise import TERMS, takes_fused
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.gram import pair_blocks
from gpustab.options import LENGTHS
from gpustab.runs.runs import Runs


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
        lambda: engine.pip_pass(runs, compute),
        lambda found: checks.losses(runs, found.reduced),
        WANTED["auto"] if whole else {"fp64": 1e-9, "fp32": 1e-3, "bf16": 1e-4}[arithmetic],
        costs.gram(len(runs), runs.words, runs.dimension),
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
        costs.wordwise(len(runs), runs.words, runs.dimension, TERMS[compute.precision] if fused else 1),
        arithmetic,
        note,
    )


def _procrustes(bed: Bed, _: Arithmetic) -> Job:
    runs, basis = bed.runs, bed.basis("auto")
    return Job(
        lambda: engine.procrustes_pass(runs, basis)[0].maps,
        lambda found: checks.maps(pair_blocks(basis.gram), found),
        1e-6,
        costs.procrustes(len(runs), runs.dimension),
        "fp64",
    )


def _average(bed: Bed, _: Arithmetic) -> Job:
    # The rows as they lie there: with copies of them all levels of 128 runs would not fit 80 GB.
    rows = [space[0 : bed.runs.words] for space in bed.runs.rows]
    cost = costs.average(len(rows), bed.runs.words, bed.runs.dimension)
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
        costs.search(len(runs), runs.words, runs.dimension, len(targets)),
        "fp32",
    )


def _overlap(bed: Bed, _: Arithmetic) -> Job:
    found, compute = bed.lists, bed.compute("exact")
    lengths = sorted({min(n, found.k) for n in LENGTHS})
    return Job(
        lambda: engine.overlap_pass(found, lengths, compute),
        lambda shared: checks.overlaps(found, shared, lengths),
        1e-12,
        costs.overlap(len(bed.runs), len(found.targets), lengths),
        "fp32",
    )


def _cosines(bed: Bed, _: Arithmetic) -> Job:
    runs, queries = bed.runs, bed.targets[:20]
    return Job(
        lambda: engine.query_cosines(runs, queries),
        partial(checks.cosines, runs, queries),
        1e-9,
        costs.search(len(runs), runs.words, runs.dimension, len(queries)),
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
