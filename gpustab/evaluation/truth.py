"""What people say of target words, in a table of several columns: how much each word changed, or how little.

RuShiftEval (2021) has a word and three means of relatedness in a line, without a heading. DWUG's tables of statistics
have a heading (``lemma``, ``change_binary``, ``change_graded``, ``COMPARE`` and more). SemEval-2020 has a word and a
number. Some of these numbers are high where a word changed, others (``COMPARE``, relatedness across periods) where it
did not; no file tells which, so whoever reads one does.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, near, option
from gpustab.evaluation.files import read_lines

_UNDEFINED = {"", "-", "–", "nan", "na", "n/a", "none", "null"}
_SPECIFIED = re.compile(r"(?P<name>.+?)(?::(?P<high>changed|unchanged)(?::(?P<period>.+))?)?", re.S)
FEWEST = 4
"""Below so many targets a correlation has no interval."""


class Truth(NamedTuple):
    """One column of such a table.

    Attributes:
        name: of the column, or its number.
        sign: 1 where a high value says that a word changed, −1 where it says that it did not.
        period: the earlier one of the two periods that it is about; empty: of the only two.
        values: by word, as in the file.
        undefined: words without a value.
    """

    name: str
    sign: int
    period: str
    values: dict[str, float]
    undefined: list[str]

    @property
    def changes(self) -> dict[str, float]:
        """How much every word changed: high is much."""
        return {word: self.sign * value for word, value in self.values.items()}


def read_truth(path: str | Path, columns: Sequence[str]) -> list[Truth]:
    """Read columns of a table whose cells are parted by tabs, or else by commas; words stand in the first.

    Args:
        path: of the file.
        columns: ``NAME:changed`` or ``NAME:unchanged``, which is what a high value says of the word, and if need be
            ``:PERIOD`` after it. The name is that of the heading, or the column's number, from 1.

    Raises:
        InputError: if the file is no such table, a column is not there, or it is not said what its values mean.
    """
    place = Path(path)
    numbers, rows = _cells(place)
    heading = None if _is_data(rows[0]) else rows[0]
    if heading is not None:
        numbers, rows = numbers[1:], rows[1:]
    if not columns:
        raise InputError(
            f"{place}: name columns, as {option('truth_columns', 'NAME:changed')}; {_there(heading, rows)}"
        )
    _check(place, numbers, rows, heading)
    return [_column(place, asked, numbers, rows, heading) for asked in dict.fromkeys(columns)]


def _cells(place: Path) -> tuple[list[int], list[list[str]]]:
    """Numbers of the lines that are not blank, and their cells."""
    lines = read_lines(place)
    texts = [line.text(place) for line in lines]
    tabs = "\t" in texts[0]
    if not tabs and "," not in texts[0]:
        raise InputError(f"{place}: line {lines[0].number} has one cell, wanted a word and numbers with tabs between")
    parted = [text.split("\t") for text in texts] if tabs else list(csv.reader(texts))
    return [line.number for line in lines], [[cell.strip() for cell in row] for row in parted]


def _is_data(row: Sequence[str]) -> bool:
    values = row[1:]
    return any(_number(cell) is not None for cell in values) or all(cell.lower() in _UNDEFINED for cell in values)


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _there(heading: Sequence[str] | None, rows: Sequence[Sequence[str]]) -> str:
    if heading is not None:
        return f"its columns are {', '.join(heading[1:])}"
    return f"it has no heading, so its columns are 2 to {len(rows[0])}"


def _check(place: Path, numbers: Sequence[int], rows: Sequence[Sequence[str]], heading: Sequence[str] | None) -> None:
    """Refuse lines of another length, and words that are none or stand twice."""
    if not rows:
        raise InputError(f"{place}: has a heading and no word")
    wide, seen = len(heading or rows[0]), dict[str, int]()
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != wide:
            raise InputError(f"{place}: line {number} has {len(row)} cells, the first has {wide}")
        if not row[0] or _number(row[0]) is not None:
            raise InputError(f"{place}: line {number} begins with '{row[0]}', wanted a word in the first column")
        if row[0] in seen:
            raise InputError(
                f"{place}: '{row[0]}' stands in lines {seen[row[0]]} and {number}; keep one line a word (of tables "
                "with several groupings, the lines of one)"
            )
        seen[row[0]] = number


def _column(
    place: Path, asked: str, numbers: Sequence[int], rows: Sequence[Sequence[str]], heading: Sequence[str] | None
) -> Truth:
    parts = _SPECIFIED.fullmatch(asked)
    if parts is None:
        raise InputError(f"{option('truth_columns', asked)}: wanted NAME:changed or NAME:unchanged")
    name = parts["name"]
    if parts["high"] is None and name not in (heading or ()):
        name = name.partition(":")[0]  # what stands after it is no sign
    k = _position(place, name, rows, heading)
    if parts["high"] is None:
        raise InputError(
            f"{option('truth_columns', asked)}: does a high value say that a word changed or that it did not? Give "
            f"{name}:changed (as of change_graded) or {name}:unchanged (as of COMPARE, which is relatedness)"
        )
    values, undefined = dict[str, float](), []
    for number, row in zip(numbers, rows, strict=True):
        value = _number(row[k])
        if row[k].lower() in _UNDEFINED:
            undefined.append(row[0])
        elif value is None:
            raise InputError(f"{place}: line {number}: column {name} of '{row[0]}' is '{row[k]}', wanted a number")
        else:
            values[row[0]] = value
    if len(values) < FEWEST:
        raise InputError(f"{place}: column {name} has {len(values)} values, wanted at least {FEWEST}")
    if len(set(values.values())) == 1:
        raise InputError(f"{place}: all values of column {name} are equal, so they rank no word")
    return Truth(name, 1 if parts["high"] == "changed" else -1, parts["period"] or "", values, undefined)


def _position(place: Path, name: str, rows: Sequence[Sequence[str]], heading: Sequence[str] | None) -> int:
    names = list(heading or [])
    if names.count(name) > 1:
        raise InputError(f"{place}: there are {names.count(name)} columns '{name}'; give the number of one")
    if name in names[1:]:
        return names.index(name)
    if name.isdecimal() and 2 <= int(name) <= len(rows[0]):
        return int(name) - 1
    raise InputError(f"{place}: there is no column '{name}'{near(name, names[1:])}; {_there(heading, rows)}")
