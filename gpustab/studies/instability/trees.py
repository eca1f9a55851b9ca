"""Trees of averages level by level, and averages as runs. Rettenmeier 2020, §3.2.2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpustab import engine
from gpustab.kernels.averaging import Average, leaf
from gpustab.runs.runs import Runs

ORDERS = 4
"""Trees over that many orders of the runs; the result depends a little on the order."""
_TRIES = 50


class Leaves(Sequence[Average]):
    """The runs as averages of themselves, each read when somebody asks for it."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, r: int) -> Average:  # type: ignore[override]  # slices are not needed
        if not 0 <= r < len(self):
            raise IndexError(r)
        return leaf(self._runs.run(r), r, self._runs.present[r])


@dataclass(frozen=True)
class Level:
    """The averages of equally many runs in one tree.

    Attributes:
        beneath: runs beneath each.
        averages: two or more, over disjoint runs.
        runs: the numbers of the runs beneath each.
    """

    beneath: int
    averages: Sequence[Average]
    runs: list[list[int]]


def levels_of(runs: Runs, order: list[int], *, renormalise: bool) -> Iterator[Level]:
    """Yield the levels of the tree over the runs in some order that have two or more equal averages, any R.

    The average of all runs stands alone and is left out. Who keeps no level holds no more than one and a half.
    """
    ordered = runs.take(order)
    if len(runs) > 1:
        yield _level(Leaves(ordered), [[r] for r in range(len(runs))], order)
    for nodes in engine.average_levels(ordered, renormalise=renormalise):
        if len(_equal(nodes)) > 1:
            # No name for the averages here: the next level is formed while this one is let go.
            yield _level(_equal(nodes), [node.runs for node in _equal(nodes)], order)


def _equal(nodes: Sequence[Average]) -> list[Average]:
    """Those averages of a level that are of the most runs."""
    most = max(len(node.runs) for node in nodes)
    return [node for node in nodes if len(node.runs) == most]


def _level(averages: Sequence[Average], beneath: Sequence[Sequence[int]], order: list[int]) -> Level:
    return Level(len(beneath[0]), averages, [[order[r] for r in group] for group in beneath])


def top_of(runs: Runs) -> Average:
    """Return the average of all runs."""
    for level in engine.average_levels(runs):
        top = level[0]
    return top


def orders_of(runs: int, seed: int) -> list[list[int]]:
    """Return the given order of the runs and some drawn ones, no two of them of one tree: 3 runs have only 3 trees."""
    generator = torch.Generator().manual_seed(seed)
    orders = [list(range(runs))]
    trees = {_tree(orders[0])}
    for _ in range(_TRIES):
        order = torch.randperm(runs, generator=generator).tolist()
        if _tree(order) not in trees:
            orders.append(order)
            trees.add(_tree(order))
        if len(orders) == ORDERS:
            break
    return orders


def _tree(order: list[int]) -> Any:
    """The tree over an order of runs, as nested sets: which of two averages is turned onto the other is no matter."""
    nodes: list[Any] = list(order)
    while len(nodes) > 1:
        pairs = [frozenset(nodes[k : k + 2]) for k in range(0, len(nodes) - 1, 2)]
        nodes = pairs + nodes[2 * len(pairs) :]
    return nodes[0]


def spaces_of(runs: Runs, level: Level) -> Runs:
    """Return a level of averages of runs as runs."""
    return runs.take([r for (r,) in level.runs]) if level.beneath == 1 else as_runs(runs, level.averages)


def as_runs(runs: Runs, averages: Sequence[Average]) -> Runs:
    """Return averages as runs over the vocabulary of the runs they are made of, so that they can be measured alike."""
    vectors = [node.vectors for node in averages]
    lengths = torch.stack([torch.linalg.vector_norm(x, dim=1) for x in vectors])
    present = torch.stack([node.weights > 0 for node in averages]) & (lengths > 0)
    return replace(
        runs,
        rows=tuple(vectors),
        names=tuple(f"average of {len(node.runs)} from run {node.runs[0]}" for node in averages),
        present=present,
        means=torch.zeros(len(vectors), runs.dimension, dtype=torch.float64, device=runs.device),
        lengths=lengths.masked_fill(~present, 1),
        centre=False,
        unit=True,
    )
