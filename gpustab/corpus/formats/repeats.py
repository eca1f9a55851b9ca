"""XML that says a text at two levels, as OCR writes it: whole, and again by its lines or words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpustab.corpus.formats.tei import name_of

_NEARLY, _TWICE = 0.9, 2
"""Of the elements of one name and depth, how many say a text twice, and elements from which that is no accident."""


class Repeats(NamedTuple):
    """What stands twice or more often below some elements.

    Attributes:
        again: elements that say once more what one beside them says whole.
        within: names of those that hold both, the outermost first.
        words: below them all, each said once.
    """

    again: list[Any]
    within: list[str]
    words: int


def find_repeats(roots: Sequence[Any]) -> Repeats:
    """Return what some elements of a tree say twice, by the words of their children, from the deepest upwards.

    An element says a text twice where one of its children has all words of the others, in their order, once or several
    times. It is no refrain where nearly all elements of that name and depth do so, two at least; or one, if deeper ones
    have their whole texts in children of the same name.
    """
    levels = list[list[Any]]()
    level = list(roots)
    while level:
        levels.append(level)
        level = [child for element in level for child in element.iterchildren("{*}*")]
    again, within, held, once = list[Any](), list[str](), set[str](), dict[Any, list[str]]()
    for level in reversed(levels):
        below, once = once, {}
        named: dict[str, list[Any]] = defaultdict(list)
        for element in level:
            named[name_of(element)].append(element)
        for name, elements in named.items():
            wholes = {element: _whole(element, below) for element in elements if _parts(element, below) > 1}
            often = Counter(name_of(one) for one in wholes.values() if one is not None).most_common(1)
            kept, times = often[0] if often else ("", 0)
            holds = times >= _NEARLY * len(wholes) and (times >= _TWICE or (kept in held and bool(times)))
            held |= {kept} if holds else set()
            within += [name] * holds
            for element in elements:
                whole = wholes.get(element)
                if holds and whole is not None and name_of(whole) == kept:
                    again += [child for child in element.iterchildren("{*}*") if child is not whole]
                    once[element] = below[whole]
                else:
                    once[element] = _words(element, below)
    return Repeats(again, list(dict.fromkeys(reversed(within))), sum(len(once[root]) for root in roots))


def _parts(element: Any, once: dict[Any, list[str]]) -> int:
    """How many children have words; none where words stand beside them, which are running text."""
    beside = [element.text, *(child.tail for child in element)]
    if any(text and text.strip() for text in beside):
        return 0
    return sum(bool(once[child]) for child in element.iterchildren("{*}*"))


def _whole(element: Any, once: dict[Any, list[str]]) -> Any:
    """Return the child that has all words of the others."""
    children = [child for child in element.iterchildren("{*}*") if once[child]]
    size = sum(len(once[child]) for child in children)
    for one in (children[-1], children[0]):
        own = once[one]
        others = [word for child in children if child is not one for word in once[child]]
        if size % len(own) == 0 and others == own * (size // len(own) - 1):
            return one
    return None


def _words(element: Any, once: dict[Any, list[str]]) -> list[str]:
    words = (element.text or "").split()
    for child in element:
        words += once.get(child, []) + (child.tail or "").split()
    return words
