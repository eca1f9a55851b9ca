"""Binary trees over a sentence's words, as merges of neighbours, level by level over many sentences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

Merges = list[tuple[int, int]]
"""Of n words: n − 1 pairs of nodes. Words are 0 .. n − 1, the k-th merge makes node n + k."""


def balanced(words: int) -> Merges:
    """Return the merges of neighbours, of neighbours of these, and so on; an odd last one waits.

    >>> balanced(5)
    [(0, 1), (2, 3), (5, 6), (7, 4)]
    """
    merges: Merges = []
    row, free = list(range(words)), words
    while len(row) > 1:
        above = []
        for k in range(0, len(row) - 1, 2):
            merges.append((row[k], row[k + 1]))
            above.append(free)
            free += 1
        row = above + row[len(row) - len(row) % 2 :]
    return merges


def right_branching(words: int) -> Merges:
    """Return the merges from the right end on.

    >>> right_branching(4)
    [(2, 3), (1, 4), (0, 5)]
    """
    return [(words - 2 - k, words - 1 + k if k else words - 1) for k in range(words - 1)]


SHAPES: dict[str, Callable[[int], Merges]] = {"balanced": balanced, "right": right_branching}
"""Trees that depend on the number of words alone, by name."""


class Forest(NamedTuple):
    """Trees of many sentences.

    Attributes:
        leaves: ``(L,)`` word of every leaf; nodes 0 .. L − 1 are the leaves.
        levels: by height ``(left, right)``, each ``(m,)``: the nodes that are merged; new nodes are numbered on.
        roots: ``(n,)`` node of every sentence.
    """

    leaves: Tensor
    levels: list[tuple[Tensor, Tensor]]
    roots: Tensor


def plant(sentences: Sequence[Sequence[int]], merges: Sequence[Merges]) -> Forest:
    """Return the trees of some sentences, given as numbers of words, at least one each, with the merges of each."""
    leaves = [word for words in sentences for word in words]
    nodes: list[dict[int, int]] = []  # of every sentence: its own numbers of nodes, and those of the forest
    rows: list[list[tuple[int, int, int, int]]] = []  # by height: sentence, own node, left, right
    start = 0
    for n, (words, own) in enumerate(zip(sentences, merges, strict=True)):
        nodes.append({k: start + k for k in range(len(words))})
        start += len(words)
        height = [0] * len(words)
        for k, (left, right) in enumerate(own):
            height.append(1 + max(height[left], height[right]))
            rows += [[] for _ in range(height[-1] - len(rows))]
            rows[height[-1] - 1].append((n, len(words) + k, left, right))
    levels, free = [], start
    for row in rows:
        sides = [[nodes[each[0]][each[side]] for each in row] for side in (2, 3)]
        levels.append((torch.tensor(sides[0]), torch.tensor(sides[1])))
        for n, node, _, _ in row:
            nodes[n][node] = free
            free += 1
    roots = [numbers[2 * len(words) - 2] for numbers, words in zip(nodes, sentences, strict=True)]
    return Forest(torch.tensor(leaves, dtype=torch.long), levels, torch.tensor(roots, dtype=torch.long))
