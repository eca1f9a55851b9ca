"""Trees of averages level by level, and averages as runs. Rettenmeier 2020, §3.2.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpustab import engine
from gpustab.kernels.averaging import Average
from gpustab.runs.runs import Runs

ORDERS = 4
"""Trees over that many orders of the runs; the result depends a little on the order."""
_TRIES = 50


@dataclass(frozen=True)
class Level:
    """The averages of equally many runs in one tree.

    Attributes:
        beneath: runs beneath each.
        averages: two or more, over disjoint runs.
        runs: the numbers of the runs beneath each.
    """

    beneath: int
    averages: list[Average]
    runs: list[list[int]]


def levels_of(runs: Runs, order: list[int], *, renormalise: bool) -> list[Level]:
    """Return the levels of the tree over the runs in some order that have two or more equal averages, any R.

    The average of all runs stands alone and is left out.
    """
    found = []
    for nodes in engine.average_pass(runs.take(order), renormalise=renormalise):
        most = max(len(node.runs) for node in nodes)
        equal = [node for node in nodes if len(node.runs) == most]
        if len(equal) > 1:
            found.append(Level(most, equal, [[order[r] for r in node.runs] for node in equal]))
    return found


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
