"""Settings and environment as a list that people read, instead of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.report.json_text import plain
from gpustab.spaces.words import printable

_MOST = 40
"""So many values of a list are shown."""

Lines = list[tuple[str, str]]


def listed(values: Mapping[str, Any]) -> Lines:
    """Return names and values as text; what is nested has the names of what it is in before its own.

    >>> listed({"seed": 0, "words": None, "loading": {"min_runs": [1, 2], "centre": False}})
    [('seed', '0'), ('words', 'not given'), ('loading: min runs', '1, 2'), ('loading: centre', 'no')]
    """
    return [(name.replace("_", " "), value) for name, value in _lines(plain(dict(values)), "")]


def size(count: int) -> str:
    """Return a number of bytes for people.

    >>> size(812), size(2_400_000), size(3 * 10**9)
    ('812 B', '2.4 MB', '3.0 GB')
    """
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if count >= 10**power:
            return f"{count / 10**power:.1f} {unit}"
    return f"{count} B"


def _lines(values: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            if value:
                yield from _lines(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", _text(value)


def _text(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        more = f" … ({len(value):,} in all)" if len(value) > _MOST else ""
        return ", ".join(map(_text, value[:_MOST])) + more if value else "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    return printable(f"{value:.6g}" if isinstance(value, float) else str(value))
