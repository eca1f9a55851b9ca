"""The tree average of many runs as one space, and how much nearer averages are to each other than runs.

Rettenmeier 2020, §3.2.
"""

from __future__ import annotations

import time

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.averaging import Average
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import pip_loss, reduced
from gpustab.machine.device import Compute
from gpustab.results import Result, Table, environment
from gpustab.runs import Runs
from gpustab.spaces.space import Space


def average(runs: Runs, *, renormalise: bool = False, compute: Compute | None = None) -> tuple[Space, Result]:
    """Return the average of all runs as a space, and the reduced PIP loss between averages at every level.

    Args:
        runs: one group.
        renormalise: scale rows to unit length at every level of the tree (biases cosines upwards, thesis §3.2.1.1).
        compute: where; default: where the runs lie.

    Raises:
        InputError: if fewer than two words are in all runs.

    Returns:
        The average over the runs' vocabulary, and a result whose table ``levels`` has one row per level of the tree.
    """
    started = time.perf_counter()
    compute = compute or Compute(runs.device)
    runs = engine.place(runs, compute)
    engine.joint_words(runs)
    levels = engine.average_pass(runs, renormalise=renormalise)
    top = levels[-1][0]
    backwards = engine.average_pass(runs.take(list(range(len(runs)))[::-1]), renormalise=renormalise)[-1][0]
    joint = runs.joint
    between_orders = float(_losses([top, backwards], joint)[0])
    result = Result(
        "average", {"renormalise": renormalise, "centre": runs.centre, "unit": runs.unit, "runs": list(runs.names)}
    )
    result.groups = [
        {
            "name": runs.group,
            "runs": len(runs),
            "words": runs.words,
            "dimension": runs.dimension,
            "loss_between_runs": float(_losses(levels[0], joint).mean()),
            "loss_between_orders": between_orders,
        }
    ]
    result.tables["levels"] = _level_table(levels, joint)
    result.notes = [f"{runs.group}: {note}" for note in runs.notes]
    if not top.unique:
        result.notes.append(
            "Some alignment was not unique (fewer words than dimensions, or runs of unequal dimensions): "
            "the average is one of many."
        )
    result.environment = environment(compute.device) | {"seconds": time.perf_counter() - started}
    space = Space(
        runs.vocabulary,
        top.vectors.float().cpu(),
        runs.counts,
        f"average of {len(runs)} runs",
        {"average_of": list(runs.names), "renormalise": renormalise, "centre": runs.centre, "unit": runs.unit},
    )
    return space, result


def _losses(averages: list[Average], joint: Tensor) -> Tensor:
    """Reduced PIP loss of all pairs of averages, rows scaled to unit length, over the joint words."""
    rows = torch.stack([torch.nn.functional.normalize(node.vectors[joint], dim=1) for node in averages])
    return reduced(pip_loss(block_gram(rows)).total, int(joint.sum()))


def _level_table(levels: list[list[Average]], joint: Tensor) -> Table:
    """Per level: how many averages of how many runs, and the loss between those of equally many runs."""
    table: Table = {"runs_beneath": [], "averages": [], "reduced_pip": [], "sd": []}
    for level in levels[:-1]:
        most = max(len(node.runs) for node in level)
        equal = [node for node in level if len(node.runs) == most]
        if len(equal) < 2:
            continue
        statistics = pair_statistics(pair_matrix(_losses(equal, joint), len(equal)))
        for name, value in zip(table, (most, len(equal), statistics.mean, statistics.sd), strict=True):
            table[name].append(value)
    return table
