"""All words of a result for its page: numbers as whole numbers of few bytes, gzipped, in base64.

A page of 200,000 words stays below 5 MB that way. A column is packed with four significant digits at its median, by
which it is sorted, and shown with two, or in percent; counts are exact, and the tables beside the page hold
everything as it is.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from gpustab.report.json_text import plain
from gpustab.report.origin import in_words
from gpustab.report.svg.colours import series
from gpustab.results import Content, Table
from gpustab.statistics.intervals import Estimate

_DIGITS = 4
_LARGEST = 2**32 - 1

_LEVEL = 7
"""Of gzip: 9 takes six times as long, and lists of neighbours a tenth less."""

_LATTICE = 40
"""Of so many runs at most the page knows in which of them a neighbour is; of more it knows in how many."""

Packed = dict[str, Any]


class Browsed(NamedTuple):
    """How a column of words is shown.

    Attributes:
        title: stands above it.
        form: two digits; percent of a share; or half of the 95 % interval of a standard error over the group's runs.
        beside: a column without which it is not shown: one that says nothing where the words are not judged.
    """

    title: str
    form: Literal["number", "percent", "half"] = "number"
    beside: str = ""


Titles = Mapping[str, str | Browsed]
"""By column its title, or how it is shown."""


def browser(result: Content, columns: Mapping[str, Titles]) -> Packed | None:
    """Return what the page's table of all words is made from, or ``None`` where there is no such table.

    Args:
        result: what is shown.
        columns: by table its columns; the first table that is there with words is taken, sorted by its first column at
            first, and opened on bootstrap runs where there are any. A table ``nearest`` of groups, words, neighbours,
            their cosines and verdicts and the runs that have them is shown where a word is opened.
    """
    for name, titles in columns.items():
        table = result.tables.get(name)
        if table and table.height and "word" in table:
            shown = {column: _browsed(as_) for column, as_ in titles.items() if _numeric(table.get(column))}
            there = {column: as_ for column, as_ in shown.items() if not as_.beside or _numeric(table.get(as_.beside))}
            runs = {group.get("name"): group.get("runs") for group in result.groups}
            groups = _groups(table, there, runs)
            if nearest := result.tables.get("nearest"):
                for group, (of, part) in zip(groups, table.split("group"), strict=True):
                    names = plain(runs.get(of) or [])
                    group["runs"] = names if len(names) <= _LATTICE else len(names)
                    near = nearest.where(group=of)
                    group["near"] = _neighbours(near, part["word"], masked=len(names) <= _LATTICE)
            return {
                "table": name,
                "columns": [shown.title for shown in there.values()],
                "names": list(there),
                "percent": [shown.form == "percent" for shown in there.values()],
                "first": 0 if there and next(iter(titles)) in there else -1,  # else by word: no number is first unasked
                "open": next((k for k, group in enumerate(groups) if group["style"] == "bootstrap"), 0),
                "groups": groups,
            }
    return None


def _browsed(shown: str | Browsed) -> Browsed:
    return shown if isinstance(shown, Browsed) else Browsed(shown)


def _column(part: Table, name: str, form: str, runs: Any) -> Any:
    """The values of a column as they are shown: of a standard error half of the interval over so many runs."""
    if form != "half":
        return part[name]
    unit = Estimate.of_runs(0.0, 1.0, len(runs) if isinstance(runs, list | tuple) else 0).half
    return unit * np.asarray(part[name], np.float64)


def _groups(table: Table, columns: Mapping[str, Browsed], runs: Mapping[Any, Any]) -> list[Packed]:
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
                "name": in_words(name),
                "id": name,
                "style": styles[name].style,
                "size": len(words),
                "same": same,  # the group whose words these are too
                "words": "" if same >= 0 else packed(json.dumps(words, ensure_ascii=False).encode()),
                "numbers": [numbers(_column(part, each, as_.form, runs.get(name))) for each, as_ in columns.items()],
            }
        )
    return found


def _neighbours(nearest: Table, words: Sequence[str], *, masked: bool) -> str:
    """The neighbours of each word of a group, four values each.

    They are a word's place; the first letter of firm, passing, open or not judged; its mean cosine in hundredths; and
    the runs in whose lists it is, or how many these are.
    """
    place = {word: k for k, word in enumerate(words)}
    lists: list[list[Any]] = [[] for _ in words]
    columns = (nearest[name] for name in ("word", "neighbour", "cosine", "verdict", "runs"))
    for word, neighbour, mean, verdict, runs in zip(*columns, strict=True):
        if word in place and neighbour in place:
            cosine = round(100 * mean) if mean == mean else None
            lists[place[word]] += [place[neighbour], verdict[:1], cosine, runs if masked else runs.count("1")]
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
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode("ascii")


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
