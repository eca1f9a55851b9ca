"""Sentences as a page shows them: units stay with their numbers, and an alarm begins in bold."""

from __future__ import annotations

import re

_TIGHT = re.compile(r" (?=[%±×])|(?<=[±×]) (?=\d)")
_RANGE = re.compile(r"(?<=[\d%])\u2013(?=\d)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FIRST = re.compile(r"(.+?[.:!?])\s+(.+)", re.DOTALL)


def keep(text: str) -> str:
    """Return a sentence whose numbers are not parted from their units, nor ranges within.

    >>> keep("52 % ± 2").count(" ")
    0
    """
    return _RANGE.sub("\u2060\u2013\u2060", _TIGHT.sub("\u00a0", text))


def visible(page: str) -> str:
    r"""Return a page whose control characters are written out, those that turn the direction of reading among them.

    >>> print(visible("esc\x1b[31m"))
    esc\x1b[31m
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), page)


def parted(text: str) -> tuple[str, str]:
    """Return what leads a paragraph, up to its first full stop or colon, and the rest.

    >>> parted("Run 2 is collapsed: its loss of 0.3 % means nothing.")
    ('Run 2 is collapsed:', 'its loss of 0.3 % means nothing.')
    """
    found = _FIRST.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")
