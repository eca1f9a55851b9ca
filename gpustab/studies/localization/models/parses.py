"""Trees of sentences from bracketed parses, as the Penn Treebank writes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.trees import Merges

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

    Args:
        path: file of parses, one after the other, over lines as they like.

    Raises:
        InputError: naming the line, for brackets that do not close, what stands outside of all, or a node that is
            neither a tag with a word nor a label with nodes; or if there is no parse.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8") from None
    found: dict[Tokens, Merges] = {}
    for tree in _trees(text, str(path)):
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
