"""Doubts about what stands on every page of a print: running heads with the number of the page."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_PAGES = 8
"""Lines that are one up to a number, from which it is no accident."""
_WORDS = 2
"""Words of such a line, at least: chapters and paragraphs have one before their number, which is text as well."""
_SLIGHT = 0.005
"""Of the words, how many stand in such lines: a page has some hundreds, and its head a few."""
_STEPS, _RISING = 2, 0.7
"""By so much the number grows from one to the next, as heads of left pages alone do; and how many times it does."""
_FIGURES = 7
"""Digits of a number of a page, at most: a longer one is a code."""
_DIGITS, _LETTER = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


def running_heads(look: Look) -> Doubt | None:
    """Doubt lines that come again with the next number each: ``THE ANNALS OF THE SOCIETY   12``."""
    if look.options.cut != "words":
        return None
    held, forms = list[str](), dict[str, None]()
    for lines in look.stretches:
        numbered: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            if len(found := _DIGITS.findall(line)) == 1 and len(found[0]) <= _FIGURES:
                numbered[" ".join(_DIGITS.sub("0", line).split())].append(line)
        for form, own in numbered.items():
            if _are_heads(own):
                held += own
                forms[form] = None
    share = look.share_of(held)
    if len(held) < _PAGES or share < _SLIGHT:
        return None
    says = f"running heads: {share:.1%} of the words stand in lines that come again with the next number"
    ways = "|".join(re.escape(form).replace(r"\ ", r"\s+").replace("0", r"\d+") for form in forms)
    pattern = rf"^[ \t]*(?:{ways})[ \t]*$"
    return Doubt("pages", share, shown(held), False, says, f"say {option('drop', pattern)} to leave them out")


def _are_heads(lines: list[str]) -> bool:
    """Tell lines of some words whose numbers go on by one, or by two where every other page has another head."""
    if len(lines) < _PAGES or len(_LETTER.findall(lines[0])) < _WORDS:
        return False
    numbers = [int(_DIGITS.findall(line)[0]) for line in lines]
    return sum(0 < b - a <= _STEPS for a, b in pairwise(numbers)) >= _RISING * (len(numbers) - 1)
