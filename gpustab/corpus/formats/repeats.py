"""XML that says a text at two levels, as OCR writes it: whole, and again by its lines or words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from gpustab.corpus.formats.tei import name_of

_NEARLY, _TWICE = 0.9, 2
"""Of the elements of one name and depth, how many say a text twice, and elements from which that is no accident."""


class Repeats(NamedTuple):
    """What stands twice or more often in a tree.

    Attributes:
        again: elements that say once more what one beside them says whole.
        within: names of those that hold both, the outermost first.
        words: in each element, each said once.
    """

    again: list[Any]
    within: list[str]
    words: dict[Any, int]


def find_repeats(root: Any) -> Repeats:
    """Return what the elements of a tree say twice, by the words of their children, from the deepest upwards.

    An element says a text twice where one of its children has all words of the others, in their order, once or several
    times. It is no refrain where nearly all elements of that name and depth do so, two at least; or one, if deeper ones
    have their whole texts in children of the same name.
    """
    levels = list[list[Any]]()
    level = [root]
    while level:
        levels.append(level)
        level = [child for element in level if len(element) for child in element.iterchildren("{*}*")]
    again, within, held = list[Any](), list[str](), set[str]()
    sizes, wholes = dict[Any, int](), dict[Any, Any]()
    for level in reversed(levels):
        named: dict[str, dict[Any, list[Any]]] = defaultdict(dict)
        for element in level:
            sizes[element] = _count(element.text)
            if len(element):
                sizes[element] += sum(sizes.get(one, 0) + _count(one.tail) for one in element)
                if len(children := _parts(element, sizes)) > 1:
                    named[name_of(element)][element] = children
        for name, parts in named.items():
            found = {element: _whole(children, sizes, wholes) for element, children in parts.items()}
            often = Counter(name_of(one) for one in found.values() if one is not None).most_common(1)
            kept, times = often[0] if often else ("", 0)
            if times < _NEARLY * len(parts) or not (times >= _TWICE or (kept in held and times)):
                continue
            held.add(kept)
            within.append(name)
            for element, whole in found.items():
                if whole is not None and name_of(whole) == kept:
                    again += [child for child in element.iterchildren("{*}*") if child is not whole]
                    wholes[element], sizes[element] = whole, sizes[whole]
    return Repeats(again, list(dict.fromkeys(reversed(within))), sizes)


def _count(text: str | None) -> int:
    return len(text.split()) if text else 0


def _parts(element: Any, sizes: Mapping[Any, int]) -> list[Any]:
    """Return the children that have words; none where words stand beside them, which are running text."""
    children = [child for child in element.iterchildren("{*}*") if sizes[child]]
    return children if sizes[element] == sum(sizes[child] for child in children) else []


def _whole(children: Sequence[Any], sizes: Mapping[Any, int], wholes: Mapping[Any, Any]) -> Any:
    """Return the child that has all words of the others."""
    size = sum(sizes[child] for child in children)
    for one in (children[-1], children[0]):
        if size % sizes[one] == 0:
            others = (word for child in children if child is not one for word in _words(child, wholes))
            own = list(_words(one, wholes))
            if all(word == said for word, said in zip(others, cycle(own), strict=False)):
                return one
    return None


def _words(element: Any, wholes: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the words of an element, each said once; without recursion, as trees may be deep."""
    left = [element]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield from one.split()
            continue
        while one in wholes:
            one = wholes[one]
        if len(one):
            left += [part for child in reversed(one) for part in (child.tail, child) if part is not None]
        left += [one.text] * bool(one.text)
