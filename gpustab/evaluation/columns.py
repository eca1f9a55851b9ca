"""Which columns of a test are the words and which is the score, told by what stands in them; else it is asked.

A column of numbers holds no words, nor does one of ids (``p001``, ``p002``), one of few values that come again and
again (parts of speech, categories, languages), or one of whole sentences. Of several columns of numbers the score is
the one that is the mean of others, the raters; else the one that is called a score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpustab.errors import InputError, option
from gpustab.spaces.words import show

_OFTEN, _FEW = 4, 12
"""A value of a column of tags stands in so many rows on average, and there are at most so many of them."""
_LONG = 3
"""Words are no texts: the cells of a column of these have more words on average."""
_FLAGS = 5
_RATERS = 100
_ID = re.compile(rb"([^\W\d_]*[-_.:#]?)\d+")
_CALLED_SCORE = re.compile(r"score|mean|average|avg|human|gold|rating|related|sim(?!ple)")
_CALLED_ERROR = re.compile(r"\b(?:sd|std|stdev|se|var|n|num|count|freq\w*)\b")
_SHOWN = 3


class Choice(NamedTuple):
    """Columns by number, from 0: the words, the score, and others that may be words."""

    words: tuple[int, int]
    score: int
    rivals: tuple[int, ...]


class Columns:
    """The columns of a table whose rows may differ in length.

    Args:
        rows: their cells, without a header.
        names: of the columns; none where there is no header.
    """

    def __init__(self, rows: Sequence[Sequence[bytes]], names: Sequence[str]) -> None:
        self.rows = rows
        self.names = names
        width = max(map(len, rows))
        cells = [[row[k] for row in rows if len(row) > k and row[k]] for k in range(width)]
        # What stands in few rows only is a slip in these.
        self.cells = {k: own for k, own in enumerate(cells) if 2 * len(own) >= len(rows)}

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The columns most of whose cells are numbers."""
        return tuple(k for k, own in self.cells.items() if 2 * sum(number(cell) is not None for cell in own) > len(own))

    @cached_property
    def texts(self) -> tuple[int, ...]:
        """The others."""
        return tuple(k for k in self.cells if k not in self.numbers)

    def named(self, k: int) -> str:
        """Return a column for people: its number, from 1, and its name or how its cells begin."""
        if k < len(self.names) and self.names[k]:
            return f"{k + 1} '{self.names[k][:30]}'"
        return f"{k + 1} ({', '.join(show(cell[:12]) for cell in self.cells.get(k, [])[:_SHOWN])})"

    def words(self) -> tuple[tuple[int, int] | None, tuple[int, ...]]:
        """Return the two columns of words, ``None`` where that is not clear, and all that may be words."""
        may = self.texts
        if len(may) > 2:
            may = tuple(k for k in may if not (self._is_long(k) or self._are_ids(k)))
        if len(may) > 2:
            may = tuple(k for k in may if not self._are_tags(k))
        if len(may) == 2:
            return (may[0], may[1]), may
        if len(may) < 2 and self._are_numbered_words():
            return (0, 1), (0, 1)
        return None, may if len(may) > 2 else self.texts

    def score(self, words: tuple[int, int]) -> tuple[int | None, tuple[int, ...]]:
        """Return the column of the score, ``None`` where that is not clear, and all that may be it."""
        may = tuple(k for k in self.numbers if k not in words)
        for rule in (self._no_index, self._mean_of_others, self._no_flags, self._called_score):
            if len(may) > 1:
                may = rule(may) or may
        return (may[0] if len(may) == 1 else None), may

    def _is_long(self, k: int) -> bool:
        return sum(len(cell.split()) for cell in self.cells[k]) > _LONG * len(self.cells[k])

    def _are_ids(self, k: int) -> bool:
        found = [_ID.fullmatch(cell) for cell in self.cells[k]]
        return len({own[1] for own in found if own}) == 1 and all(found) and len(set(self.cells[k])) == len(found) > 1

    def _are_tags(self, k: int) -> bool:
        return len(self.cells[k]) > 1 and (len(set(self.cells[k])) == 1 or are_few(self.cells[k]))

    def _are_numbered_words(self) -> bool:
        """Whether the first two of three columns are words that look like numbers: the first counts no rows."""
        return len(self.cells) == 3 and not (self.texts and self._is_index(0))

    def _is_index(self, k: int) -> bool:
        values = [number(cell) for cell in self.cells[k]]
        steps = {b - a for a, b in pairwise(values) if a is not None and b is not None}
        return len(values) > 1 and steps == {1.0} and values[0] in (0, 1)

    def _no_index(self, may: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(k for k in may if not self._is_index(k))

    def _no_flags(self, may: tuple[int, ...]) -> tuple[int, ...]:
        few = {
            k
            for k in may
            if len(self.cells[k]) >= _OFTEN * len(set(self.cells[k])) and len(set(self.cells[k])) <= _FLAGS
        }
        return tuple(k for k in may if k not in few)

    def _called_score(self, may: tuple[int, ...]) -> tuple[int, ...]:
        names = {k: self.names[k].casefold() for k in may if k < len(self.names)}
        return tuple(k for k, name in names.items() if _CALLED_SCORE.search(name) and not _CALLED_ERROR.search(name))

    def _mean_of_others(self, may: tuple[int, ...]) -> tuple[int, ...]:
        """Return the columns each of which is the mean of two or more others that stand side by side, as rounded."""
        if len(may) < 3 or len(self.rows) < 2:
            return ()
        rows = self.rows[:_RATERS]
        table = np.array([[_value(row, k) for k in may] for row in rows])
        known = np.isfinite(table)
        sums, sizes = (np.insert(np.cumsum(x, 1), 0, 0, 1) for x in (np.where(known, table, 0), known))
        found = []
        for place, k in enumerate(may):
            decimals = max(_decimals(cell) for cell in self.cells[k][:_RATERS])
            tolerance = 1.01 * 10.0**-decimals if decimals else 0.51  # some cut what others round
            blocks = [
                (first, last)
                for first in range(len(may))
                for last in range(first + 2, len(may) + 1)
                if not first <= place < last
            ]
            if any(_fits(table[:, place], sums, sizes, block, tolerance) for block in blocks):
                found.append(k)
        return tuple(found)


def _fits(own: np.ndarray, sums: np.ndarray, sizes: np.ndarray, block: tuple[int, int], tolerance: float) -> bool:
    first, last = block
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (sums[:, last] - sums[:, first]) / (sizes[:, last] - sizes[:, first])
    return bool(np.nanstd(own) > 0 and (np.abs(means - own) <= tolerance + 1e-9 * np.abs(own)).all())


def _value(row: Sequence[bytes], k: int) -> float:
    value = number(row[k]) if len(row) > k else None
    return math.nan if value is None else value


def _decimals(cell: bytes) -> int:
    return len(cell.partition(b".")[2])


def are_few(values: Sequence[bytes]) -> bool:
    """Whether values are a few that come again and again, as tags do."""
    return len(set(values)) <= _FEW and len(values) >= _OFTEN * len(set(values))


def number(cell: bytes) -> float | None:
    """Return a cell as a number; ``None`` for what is none, or not finite."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def choose(
    columns: Columns, place: object, word_columns: str | Sequence[int | str] | None, score_column: int | str | None
) -> Choice:
    """Return the columns that were asked for, or that can only be meant.

    Args:
        columns: what there is.
        place: the file, for errors.
        word_columns: two numbers from 1 upwards, or names, as a list or with a comma between.
        score_column: one.

    Raises:
        InputError: with the columns that there are, and how to name them, if that is not clear.
    """
    if word_columns is None:
        words, may = columns.words()
    else:
        words, may = _asked(columns, place, word_columns), columns.words()[1]
    if words is None:
        raise InputError(f"{place}: {_which_words(columns, may)}")
    if score_column is not None:
        return Choice(words, _column(columns, place, "score_column", score_column), may)
    score, scores = columns.score(words)
    if score is None:
        there = ", ".join(map(columns.named, scores))
        if not scores:
            raise InputError(f"{place}: no column holds numbers, wanted two words (or sentences) and a score a line")
        way = option("score_column", scores[0] + 1)
        raise InputError(f"{place}: which column is the score? numbers are in {there}; say {way} for the first")
    return Choice(words, score, may)


def _asked(columns: Columns, place: object, asked: str | Sequence[int | str]) -> tuple[int, int]:
    names = [name.strip() for name in asked.split(",")] if isinstance(asked, str) else list(asked)
    if len(names) != 2:
        raise InputError(f"{option('word_columns', asked)}: wanted two columns, as numbers from 1 or by name: 3,4")
    first, second = (_column(columns, place, "word_columns", name) for name in names)
    return first, second


def _column(columns: Columns, place: object, what: str, asked: int | str) -> int:
    if str(asked) in columns.names:
        return columns.names.index(str(asked))
    if str(asked).isdecimal() and int(asked) - 1 in columns.cells:
        return int(asked) - 1
    there = ", ".join(map(columns.named, columns.cells))
    raise InputError(f"{place}: there is no column for {option(what, asked)}; columns are {there}")


def _which_words(columns: Columns, may: Sequence[int]) -> str:
    if len(may) < 2:
        there = ", ".join(map(columns.named, columns.cells))
        found = f"wanted two columns of words, and found {len(may)}: columns are {there}"
        return f"{found}; name them by {option('word_columns', '1,2')}"
    there = ", ".join(map(columns.named, may))
    return (
        f"which columns are the words? They may be in {there}; say "
        f"{option('word_columns', f'{may[0] + 1},{may[1] + 1}')} for the first two"
    )
