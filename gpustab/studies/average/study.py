"""The tree average of many runs as one space, and the reduced PIP loss between averages at every level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError, option
from gpustab.kernels import gram
from gpustab.kernels.averaging import Average
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import telling_memory
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.report.origin import in_words
from gpustab.results import Column, Sheet
from gpustab.results.page import number
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space
from gpustab.statistics.intervals import Estimate
from gpustab.studies.average.claims import GAINS, TOO_FEW, Gain
from gpustab.studies.average.options import AverageOptions
from gpustab.studies.shared.frame import answering, join_ways
from gpustab.studies.shared.spaces import look_at, of_spaces
from gpustab.studies.shared.wording import capital, of_list, word


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
        there = answer.take(group)
        runs, result, again = engine.place(there, answer.compute), answer.result, options.renormalise
        engine.joint_words(runs)
        top, rows = _tree(runs, again, answer.compute)
        if problem := engine.undetermined(runs, top):
            if not options.allow_undetermined:
                joint, open_ = option("vocabulary", "joint"), option("allow_undetermined")
                raise InputError(
                    f"{problem}; average the words of all runs ({joint}), or accept one of many averages by {open_}"
                )
            result.notes.append(f"The average is one of many: {problem}.")
        backwards = _tree(runs.take(list(range(len(runs)))[::-1]), again)[0]
        pip = engine.pip_pass(replace(runs, unit=True), answer.compute)
        chance = math.nan if pip.scale is None else float(pip.scale.chance.square().mean().sqrt())
        result.groups = [
            {
                "name": runs.name,
                "runs": len(runs),
                "words": runs.words,
                "targets": len(_targets(runs)),
                "dimension": runs.dimension,
                "loss_between_runs": float(pip.reduced.mean()),
                "loss_by_chance": chance,
                "loss_between_orders": float(_losses([top, backwards], runs.joint)[0]),
                "names": list(runs.names),
            }
        ]
        levels = [_level(runs.name, 1, pip.reduced, _shared(runs, answer.compute)), *rows]
        result.tables[LEVELS.name] = LEVELS.table(levels)
        gain = gain_of(levels, chance)
        result.verdict = [TOO_FEW]
        if gain is not None:
            result.verdict = [GAINS.sentence(gain), in_neighbours(levels, runs.words)]
        flaws = of_spaces(runs, pip) if runs.unit else look_at(runs, answer.compute)
        answer.warn(runs.name, flaws, runs.notes)
        space = Space(
            runs.vocabulary,
            top.vectors.float().cpu(),
            runs.counts,
            f"average of {len(runs)} runs",
            {"average_of": list(runs.names), "renormalise": again, "centre": runs.centre, "unit": runs.unit},
        )
    return space, result


@telling_memory
def _losses(averages: list[Average], joint: Tensor) -> Tensor:
    """Reduced PIP loss of all pairs of averages, rows scaled to unit length, over the joint words, some at a time."""
    first = averages[0].vectors
    total = gram.empty_moments(len(averages), first.shape[1], first.device)
    for words in joint.nonzero().flatten().split(gram.ROWS_PER_MATMUL):
        rows = torch.stack([torch.nn.functional.normalize(node.vectors[words], dim=1) for node in averages])
        gram.add_(total, rows)
    return reduced(pip_from_gram(total.gram).total, int(total.words))


class Level(NamedTuple):
    """How many averages of how many runs, and the loss between those of equally many runs."""

    group: str
    runs_beneath: Annotated[int, Column(about="how many runs an average is of")]
    averages: Annotated[int, Column(about="how many averages of so many runs there are")]
    reduced_pip: Annotated[float, Column(about="mean reduced PIP loss of two of them, 0 to 1")]
    sd: Annotated[float, Column(about="over pairs of averages, ddof = 1")]
    se: Annotated[float, Column(about="of the mean, by leaving out one average after the other; of three or more")]
    p: Annotated[
        float,
        Column(about="share of its ten nearest neighbours (or all, if fewer) that a word keeps in another of them"),
    ]
    p_se: Annotated[float, Column(about="its error, likewise")]

    @property
    def shared(self) -> Estimate:
        """The share of neighbours with its error."""
        return Estimate.of_runs(self.p, self.p_se, self.averages)

    @property
    def loss(self) -> Estimate:
        """The mean loss with its error."""
        return Estimate.of_runs(self.reduced_pip, self.se, self.averages)


LEVELS = Sheet("levels", Level, "one row a group and level of the tree")
_JUDGED = 3
"""Averages of a level that has an error."""

NEIGHBOURS = 10
_ALL = 5_000
"""Neighbours of all words are compared up to so many, else of 1,000 drawn: of all, they would take the longest."""


def gain_of(levels: Sequence[Level], chance: float = math.nan) -> Gain | None:
    """Return what averaging gains, of one group, by its largest averages with an error, else by its smallest ones.

    Args:
        levels: from the runs upwards.
        chance: loss of two unrelated spaces, where the gain is to be judged.

    Returns:
        ``None`` where no two averages are of equally many runs.
    """
    runs, *averages = levels
    level = decisive(averages)
    return level and Gain(level.runs_beneath, level.loss, runs.loss, chance)


def decisive(averages: Sequence[Level]) -> Level | None:
    """Return the largest averages that have an error, else the smallest ones; ``None`` where there are no two."""
    judged = [level for level in averages if level.averages >= _JUDGED]
    return judged[-1] if judged else next(iter(averages), None)


def in_neighbours(levels: Sequence[Level], words: int) -> str:
    """Return what averaging gains in neighbours, in sentences.

    Args:
        levels: from the runs upwards, with averages.
        words: how many there are.
    """
    runs, *averages = levels
    level = decisive(averages)
    assert level  # noqa: S101  # where averages gain something there are some
    n = min(NEIGHBOURS, words - 1)
    of, single = (f"{number(n * x.p, 2)} ({of_list(x.shared, n)})" for x in (level, runs))
    top = averages[-1]
    largest = f" Averages of {top.runs_beneath} runs share {number(n * top.p, 2)}." if top is not level else ""
    return (
        f"Of {word(n)} nearest neighbours, two averages of {level.runs_beneath} runs share {of}, two single runs "
        f"{single}.{largest}"
    )


@telling_memory
def _tree(runs: Runs, renormalise: bool, compute: Compute | None = None) -> tuple[Average, list[Level]]:
    """Return the average of all runs, and, if measured, every level above the runs and below it."""
    rows: list[Level] = []
    for nodes in engine.average_levels(runs, renormalise=renormalise):
        top = nodes[0]
        most = max(len(node.runs) for node in nodes)
        equal = [node for node in nodes if len(node.runs) == most]
        if compute and len(equal) > 1:
            rows.append(_level(runs.name, most, _losses(equal, runs.joint), _shared(_as_runs(runs, equal), compute)))
        del equal
    return top, rows


def _level(group: str, beneath: int, losses: Tensor, shared: Tensor) -> Level:
    averages = len(shared)
    loss, p = pair_statistics(pair_matrix(losses, averages)), pair_statistics(shared)
    return Level(group, beneath, averages, loss.mean, loss.sd, loss.se, p.mean, p.se)


def _shared(runs: Runs, compute: Compute) -> Tensor:
    """Return p@10 of all pairs ``(R, R)``, over all words or those that are drawn."""
    lists = engine.neighbour_pass(runs, _targets(runs), NEIGHBOURS, compute)
    return engine.overlap_pass(lists, [lists.k], compute).p[0].cpu()


def _targets(runs: Runs) -> Tensor:
    return engine.draw_targets(runs, all_up_to=_ALL)


def _as_runs(runs: Runs, averages: Sequence[Average]) -> Runs:
    """Return averages as runs of their own, over the words of the runs that they are of."""
    lengths = torch.stack([torch.linalg.vector_norm(node.vectors, dim=1, dtype=torch.float64) for node in averages])
    return replace(
        runs,
        rows=tuple(node.vectors for node in averages),
        names=tuple(f"average {k}" for k in range(len(averages))),
        present=lengths > 0,
        lengths=lengths.where(lengths > 0, 1.0),
        means=runs.means[: len(averages)] * 0,
        centre=False,
        unit=True,
        seeds=(),
    )


def together(results: Sequence[Result]) -> Result:
    """Return the answers for several groups as one; each keeps its own group and levels, bootstrap first."""
    first, *others = sorted(results, key=lambda result: not result.groups[0]["name"].endswith("bootstrap"))
    for result in results if others else ():
        name = capital(in_words(result.groups[0]["name"]))
        result.verdict = [f"{name}: {sentence}" for sentence in result.verdict]
    for other in others:
        first.add(other)
        for way in other.environment.get("trained", []):
            join_ways(first.environment["trained"], way)
    return first
