"""All words of a result for its page: numbers as whole numbers of few bytes, gzipped, in base64.

A page of 200,000 words stays below 5 MB that way. What the page shows has four significant digits at the median of its
column; counts are exact, and the tables beside the page hold everything as it is.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpustab.report.json_text import plain
from gpustab.report.svg.colours import series
from gpustab.results import Content, Table

_DIGITS = 4
_LARGEST = 2**32 - 1

Packed = dict[str, Any]


def browser(result: Content, columns: Mapping[str, Mapping[str, str]]) -> Packed | None:
    """Return what the page's table of all words is made from, or ``None`` where there is no such table.

    Args:
        result: what is shown.
        columns: by table the titles of its columns; the first table that is there with words is taken, and sorted by
            its first column at first. A table ``nearest`` of groups, words, neighbours and the runs that have them is
            shown where a word is opened.
    """
    for name, titles in columns.items():
        table = result.tables.get(name)
        if table and table.height and "word" in table:
            there = {column: title for column, title in titles.items() if _numeric(table.get(column))}
            groups = _groups(table, list(there))
            if nearest := result.tables.get("nearest"):
                runs = {group.get("name"): group.get("runs") for group in result.groups}
                for group, (of, part) in zip(groups, table.split("group"), strict=True):
                    group["runs"] = plain(runs.get(of) or [])
                    group["near"] = _neighbours(nearest.where(group=of), part["word"])
            first = 0 if there and next(iter(titles)) in there else -1  # else by word: no number is put first unasked
            return {"table": name, "columns": list(there.values()), "first": first, "groups": groups}
    return None


def _groups(table: Table, columns: Sequence[str]) -> list[Packed]:
    parts = table.split("group") if "group" in table else [("", table)]
    styles = series(name for name, _ in parts)
    before: list[list[str]] = []
    found = []
    for name, part in parts:
        words = plain(list(part["word"]))
        same = before.index(words) if words in before else -1
        before.append(words)
        found.append(
            {
                "name": name,
                "style": styles[name].style,
                "size": len(words),
                "same": same,  # the group whose words these are too
                "words": "" if same >= 0 else packed(json.dumps(words, ensure_ascii=False).encode()),
                "numbers": [numbers(part[column]) for column in columns],
            }
        )
    return found


def _neighbours(nearest: Table, words: Sequence[str]) -> str:
    """The neighbours of each word of a group: pairs of a word's place and the runs in whose lists it is."""
    place = {word: k for k, word in enumerate(words)}
    lists: list[list[Any]] = [[] for _ in words]
    for row in nearest.records():
        if row["word"] in place and row["neighbour"] in place:
            lists[place[row["word"]]] += [place[row["neighbour"]], row["runs"]]
    return packed(json.dumps(lists, separators=(",", ":")).encode())


def numbers(column: Any) -> Packed:
    """Return a column as whole numbers: ``value = (number + low) / scale``, the largest number is no value.

    Bytes of like weight stand together, the lowest first, which gzip likes.

    >>> made = numbers([0.0204, 0.0438, float("nan")])
    >>> made["scale"], made["low"], made["bytes"]
    (100000, 2040, 2)
    """
    values = np.asarray([np.nan if x is None else x for x in column], np.float64)
    known = np.isfinite(values)
    scale = _scale(values[known])
    whole = np.round(values[known] * scale)
    low = float(whole.min()) if len(whole) else 0.0
    shifted = np.full(len(values), -1.0)
    shifted[known] = whole - low
    span = shifted.max(initial=0.0)
    width = next(k for k in (1, 2, 3, 4) if span < 256**k - 1)
    codes = np.where(known, shifted, 256**width - 1).astype("<u4")
    planes = codes.view(np.uint8).reshape(-1, 4).T[:width]
    return {"scale": scale, "low": int(low), "bytes": width, "data": packed(planes.tobytes())}


def packed(content: bytes) -> str:
    """Return bytes gzipped and in base64; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def _scale(values: np.ndarray[Any, Any]) -> float:
    """A power of ten that leaves four digits at the median; whole numbers stay as they are."""
    if not len(values) or bool((values == np.round(values)).all()):
        return 1
    middle, span = float(np.median(np.abs(values[values != 0]))), float(np.ptp(values))
    power = max(0, _DIGITS - 1 - int(np.floor(np.log10(middle))))
    while span * 10.0**power >= _LARGEST:  # a few huge values leave fewer digits
        power -= 1
    scale: float = 10**power
    return scale


def _numeric(column: Any) -> bool:
    """Whether a column has a number: of counts that no run has there is none."""
    if column is None:
        return False
    return any(isinstance(x, int | float | np.number) and x == x for x in column[: 10**4])
