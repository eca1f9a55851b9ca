"""The tree average of many runs as one space, and the reduced PIP loss between averages at every level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError, option
from gpustab.kernels.averaging import Average
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.machine.device import Compute, telling_memory
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.group import Group, loaded
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space
from gpustab.studies.average.options import AverageOptions
from gpustab.studies.frame import answering
from gpustab.studies.shared.spaces import look_at


def average(
    group: Runs | Group, options: AverageOptions | None = None, *, compute: Compute | None = None, **choices: Any
) -> tuple[Space, Result]:
    """Return the average of all runs as a space, and the reduced PIP loss between averages at every level.

    Args:
        group: one group.
        options: how runs are averaged.
        compute: where; default: where the runs lie.
        **choices: options one by one, see :class:`AverageOptions`.

    Raises:
        InputError: if fewer than two words are in all runs, or the average is one of many.

    Returns:
        The average over the runs' vocabulary, and a result whose table ``levels`` has one row per level of the tree.
    """
    options = chosen(AverageOptions, options, choices)
    with answering("average", options, group, compute) as answer:
        there = loaded(group)
        runs, result, again = engine.place(there, answer.compute), answer.result, options.renormalise
        engine.joint_words(runs)
        levels = engine.average_pass(runs, renormalise=again)
        top = levels[-1][0]
        if problem := engine.undetermined(runs, top):
            _accept(problem, options, result)
        backwards = engine.average_pass(runs.take(list(range(len(runs)))[::-1]), renormalise=again)[-1][0]
        result.groups = [
            {
                "name": runs.name,
                "runs": len(runs),
                "words": runs.words,
                "dimension": runs.dimension,
                "loss_between_runs": float(_losses(levels[0], runs.joint).mean()),
                "loss_between_orders": float(_losses([top, backwards], runs.joint)[0]),
                "names": list(runs.names),
            }
        ]
        result.tables["levels"] = Table.of(_levels(levels, runs.joint), _Level._fields)
        answer.notes[runs.name] = [*look_at(runs, answer.compute), *runs.notes]
        space = Space(
            runs.vocabulary,
            top.vectors.float().cpu(),
            runs.counts,
            f"average of {len(runs)} runs",
            {"average_of": list(runs.names), "renormalise": again, "centre": runs.centre, "unit": runs.unit},
        )
    return space, result


def _accept(problem: str, options: AverageOptions, result: Result) -> None:
    """Note what is open about the average, where that is allowed."""
    if not options.allow_undetermined:
        raise InputError(
            f"{problem}; average the words of all runs ({option('vocabulary', 'joint')}), or accept one of many "
            f"averages by {option('allow_undetermined')}"
        )
    result.notes.append(f"The average is one of many: {problem}.")


@telling_memory
def _losses(averages: list[Average], joint: Tensor) -> Tensor:
    """Reduced PIP loss of all pairs of averages, rows scaled to unit length, over the joint words."""
    rows = torch.stack([torch.nn.functional.normalize(node.vectors[joint], dim=1) for node in averages])
    return reduced(pip_from_gram(block_gram(rows)).total, int(joint.sum()))


class _Level(NamedTuple):
    """How many averages of how many runs, and the loss between those of equally many runs."""

    runs_beneath: int
    averages: int
    reduced_pip: float
    sd: float


def _levels(levels: list[list[Average]], joint: Tensor) -> Iterator[_Level]:
    for level in levels[:-1]:
        most = max(len(node.runs) for node in level)
        equal = [node for node in level if len(node.runs) == most]
        if len(equal) > 1:
            statistics = pair_statistics(pair_matrix(_losses(equal, joint), len(equal)))
            yield _Level(most, len(equal), statistics.mean, statistics.sd)
