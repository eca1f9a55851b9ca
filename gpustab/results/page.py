"""What people are shown of a result: blocks of titles, facts and small tables as text, the same for every writer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gpustab.results.table import Table

_NOISE = 1e-12
"""Rounding noise of float64, shown as 0."""


@dataclass
class SmallTable:
    """A table of text cells; the first column is words, the others are numbers or words."""

    title: str
    header: list[str]
    rows: list[list[str]]

    @property
    def words(self) -> list[bool]:
        """Which columns are read as words: they stand to the left, and fold where the page is narrow.

        >>> SmallTable("", ["word", "loss", "agrees"], [["a", "0.1", "yes"], ["b", "–", "no"]]).words
        [True, False, True]
        """
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.header)
        return [k == 0 or not all(cell[:1] in "0123456789+-−–" for cell in column) for k, column in enumerate(columns)]


@dataclass
class Block:
    """One block of a page.

    Attributes:
        title: its heading, a question where it can be one.
        answer: the answer to it in plain sentences, chosen by a tested rule.
        aside: what stands in the margin, such as the numbers of a paper.
        folded: whether it is opened only by who asks for it.
        facts: ``(name, value, explanation)`` lines.
        tables: small tables.
        layout: which tables stand beside each other, by number; one inner list per line. Default: one below the other.
        figures: names of figures that belong here.
    """

    title: str
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    tables: list[SmallTable] = field(default_factory=list)
    layout: list[list[int]] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    answer: str = ""
    aside: str = ""
    folded: bool = False

    def __post_init__(self) -> None:
        self.layout = self.layout or [[k] for k in range(len(self.tables))]


def number(value: float | None, digits: int = 4) -> str:
    """Return a number for people: significant digits, ``–`` for an undefined one.

    >>> number(0.019704968), number(float("nan")), number(0.00007281, 2), number(1.2e-7, 2)
    ('0.01970', '–', '0.000073', '1.2e-07')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < _NOISE:
        return "0"
    if abs(value) < 1e-5:
        return f"{value:.{digits - 1}e}"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])  # after rounding: 0.000999 with two digits is 0.0010
    return f"{value:.{max(digits - 1 - exponent, 0)}f}"


def cell(value: Any) -> str:
    """Return any value as the text of a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value, 3)
    return "–" if value is None else str(value)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "pair"), counted(1200, "pair")
    ('1 pair', '1,200 pairs')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def whole(title: str, table: Table, columns: Iterable[str] | None = None) -> SmallTable:
    """Return all rows of a table, or those of some of its columns, as text."""
    names = list(table if columns is None else columns)
    rows = [[cell(row[name]) for name in names] for row in table.rows()]
    return SmallTable(title, [name.replace("_", " ") for name in names], rows)
