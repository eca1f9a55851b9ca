"""Binary trees over a sentence's words: by their number, by a parse, or as a net unfolds it best."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from gpustab.errors import InputError, near, option
from gpustab.formats.plain_text import read_utf8
from gpustab.sentences.language import Tokens

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
        levels.append((torch.tensor(sides[0], device="cpu"), torch.tensor(sides[1], device="cpu")))
        for n, node, _, _ in row:
            nodes[n][node] = free
            free += 1
    roots = [numbers[2 * len(words) - 2] for numbers, words in zip(nodes, sentences, strict=True)]
    return Forest(
        torch.tensor(leaves, dtype=torch.long, device="cpu"),
        levels,
        torch.tensor(roots, dtype=torch.long, device="cpu"),
    )


_PART = re.compile(r"[()]|[^\s()]+")
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_EMPTY = "-NONE-"


class Leaf(NamedTuple):
    """A word of a parse."""

    word: str


Node = Any
"""A leaf, two nodes that are joined, or ``None`` for what holds no word."""


def read_parses(path: str | os.PathLike[str]) -> dict[Tokens, Merges]:
    """Read parses, and return the binary tree of every sentence by its tokens; of equal sentences the first.

    Nodes of one child are that child, nodes of more than two join the last two first; empty elements are left out,
    ``-LRB-`` and its like are the brackets they stand for.

    Raises:
        InputError: naming the line, for brackets that do not close, what stands outside of all, or a node that is
            neither a tag with a word nor a label with nodes; or if there is no parse.
    """
    found: dict[Tokens, Merges] = {}
    for tree in _trees(read_utf8(path), str(path)):
        tokens, merges = merged(tree)
        found.setdefault(tokens, merges)
    if not found:
        raise InputError(f"{path}: there is no parse")
    return found


def _trees(text: str, path: str) -> Iterator[Node]:
    open_: list[list[Any]] = []
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        for part in _PART.findall(line):
            if part == "(":
                open_.append([])
            elif not open_:
                raise InputError(f"{path}: line {number} has '{part}' outside of all brackets")
            elif part != ")":
                open_[-1].append(part)
            else:
                node = _node(open_.pop(), f"{path}: line {number}")
                if open_:
                    open_[-1].append(node)
                elif node is not None:
                    yield node
    if open_:
        raise InputError(f"{path}: brackets are not closed at its end, {len(open_)} of them")


def _node(parts: list[Any], place: str) -> Node:
    """The node of a pair of brackets: a tag and a word, or a label, which a top may lack, and nodes."""
    texts = [part for part in parts if isinstance(part, str)]
    if len(parts) == len(texts) == 2:
        tag, word = texts
        return None if tag == _EMPTY else Leaf(_ESCAPED.get(word, word))
    if len(texts) > 1 or len(parts) == len(texts) or (texts and not isinstance(parts[0], str)):
        raise InputError(f"{place}: ({' '.join(texts)}) is neither a tag with a word nor a label with nodes")
    nodes = [part for part in parts if part is not None and not isinstance(part, str)]
    if not nodes:
        return None
    joined = nodes.pop()
    while nodes:
        joined = (nodes.pop(), joined)
    return joined


def merged(tree: Node) -> tuple[Tokens, Merges]:
    """Return the words of a tree and its merges, those below before those above.

    >>> merged(((Leaf("the"), Leaf("dog")), Leaf("sleeps")))
    (('the', 'dog', 'sleeps'), [(0, 1), (3, 2)])
    """
    words: list[str] = []
    order: list[Any] = []  # leaves and joins, children before their parents; no recursion, for parses may be deep
    stack = [(tree, False)]
    while stack:
        node, seen = stack.pop()
        if isinstance(node, Leaf):
            order.append(len(words))
            words.append(node.word)
        elif seen:
            order.append(None)
        else:
            stack += [(node, True), (node[1], False), (node[0], False)]
    merges: Merges = []
    numbers: list[int] = []
    for leaf in order:
        if leaf is None:
            right, left = numbers.pop(), numbers.pop()
            merges.append((left, right))
        numbers.append(len(words) + len(merges) - 1 if leaf is None else leaf)
    return tuple(words), merges


Trees = Callable[[Sequence[int]], list[Merges]]
"""Merges of some of the sentences at hand, by their places. A net's own trees change as it learns: ask when needed."""


class Net(Protocol):
    """What greedy trees are the best of: it folds two vectors into one, and unfolds one into two."""

    @property
    def fold(self) -> Callable[[Tensor], Tensor]:
        """Return what folds ``(…, 2d)`` into ``(…, d)``."""

    @property
    def unfold(self) -> Callable[[Tensor], Tensor]:
        """Return what unfolds ``(…, d)`` into ``(…, 2d)``."""


GREEDY = "greedy"


@dataclass(frozen=True)
class Shaping:
    """Trees of sentences.

    Attributes:
        tree: ``balanced``, ``right`` or ``greedy``.
        net: that greedy trees are the best of.
        words: ``(v, d)`` vectors of its words.
        parses: trees by sentence, instead.
        partly: whether sentences without a parse have those of ``tree``.

    Raises:
        InputError: for an unknown tree.
    """

    tree: str
    net: Net
    words: Tensor
    parses: Mapping[Tokens, Merges] | None = None
    partly: bool = False

    def __post_init__(self) -> None:
        if self.tree not in (*SHAPES, GREEDY):
            raise InputError(
                f"{option('tree')} is '{self.tree}'{near(self.tree, [*SHAPES, GREEDY])}; wanted balanced, right or "
                "greedy"
            )

    def trees(self, sentences: Sequence[Tokens], numbers: Sequence[Sequence[int]]) -> Trees:
        """Return what gives the trees of some of these sentences.

        Raises:
            InputError: if parses were given, and a sentence has none.
        """
        parsed = [None if self.parses is None else self.parses.get(own) for own in sentences]
        if self.parses is not None and not self.partly and None in parsed:
            lacking = dict.fromkeys(own for own, tree in zip(sentences, parsed, strict=True) if tree is None)
            raise InputError(
                f"{option('parses')}: {len(lacking):,} of {len(set(sentences)):,} sentences have no parse, the first "
                f"is: {' '.join(next(iter(lacking)))}"
            )

        def of(places: Sequence[int]) -> list[Merges]:
            free = [k for k in places if parsed[k] is None]
            if self.tree == GREEDY:
                found = dict(zip(free, greedy(self.net, [numbers[k] for k in free], self.words), strict=True))
            else:
                found = {k: SHAPES[self.tree](len(numbers[k])) for k in free}
            return [own if (own := parsed[k]) is not None else found[k] for k in places]

        return of


def greedy(net: Net, sentences: Sequence[Sequence[int]], words: Tensor) -> list[Merges]:
    """Return trees that join, time after time, the two neighbours that the net unfolds best (Socher et al. 2011, RAE).

    The error of a pair is the squared difference of its vectors and what their fold unfolds to; of equal ones the
    first is joined.
    """
    merges: list[Merges] = [[] for _ in sentences]
    longest = max((len(own) for own in sentences), default=0)
    if longest < 2:
        return merges
    rows = torch.tensor([[*own, *[0] * (longest - len(own))] for own in sentences], device="cpu")
    vectors = words[rows]  # (B, n, d): what is still to be joined, in order
    nodes = torch.arange(longest, device="cpu").repeat(len(sentences), 1)
    left = torch.tensor([len(own) for own in sentences], device="cpu")  # of every sentence: how many are to be joined
    free = left.clone()
    with torch.no_grad():
        for width in range(longest, 1, -1):
            pairs = torch.cat([vectors[:, :-1], vectors[:, 1:]], 2)  # (B, width − 1, 2d)
            folded = torch.tanh(net.fold(pairs))
            errors = (torch.tanh(net.unfold(folded)) - pairs).square().sum(2)
            errors[torch.arange(width - 1, device="cpu")[None] >= left[:, None] - 1] = torch.inf
            best, active = errors.argmin(1), left > 1
            for b in active.nonzero()[:, 0].tolist():
                k = int(best[b])
                merges[b].append((int(nodes[b, k]), int(nodes[b, k + 1])))
            vectors = _joined(
                vectors, folded.gather(1, best[:, None, None].expand(-1, 1, vectors.shape[2])), best, active
            )
            nodes = _joined(nodes[..., None], free[:, None, None], best, active)[..., 0]
            free, left = free + active, left - active.long()
    return merges


def _joined(rows: Tensor, new: Tensor, at: Tensor, active: Tensor) -> Tensor:
    """Rows ``(B, n, d)`` with a new one in the place of rows ``at`` and ``at + 1``, one less; its end cut elsewhere."""
    place = torch.arange(rows.shape[1] - 1, device="cpu")[None]
    source = torch.where(active[:, None] & (place > at[:, None]), place + 1, place)
    found = rows.gather(1, source[..., None].expand(-1, -1, rows.shape[2]))
    here = (active[:, None] & (place == at[:, None]))[..., None]
    return torch.where(here, new, found)
