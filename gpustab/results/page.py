"""What people are shown of a result: blocks of titles, facts and small tables as text, the same for every writer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gpustab.errors import as_flags
from gpustab.results.table import Column, Table, columns_of

_NOISE = 1e-12
"""Rounding noise of float64, shown as 0."""

_NOTHING = ("", "–", "no interval")
"""Cells that say nothing."""

Shown = str | tuple[str, int] | Callable[[Any], str]
"""What a column shows of a row: the value of a name, that as a number of so many digits, or what a function says."""
Columns = Iterable[str | tuple[str, Shown] | tuple[str, Shown, str]]
"""Columns of a small table: names of declared ones, or titles, each with what it shows, and if need be what that is."""


@dataclass
class SmallTable:
    """A table of text cells; the first column is words, the others are numbers or words.

    Attributes:
        title: stands above it.
        header: names of the columns.
        rows: their cells.
        opens: numbers of the columns of words that a page opens, beside a first one that is called word or neighbour.
        key: what columns are, by their titles; those that nobody explains are not among them.
        first: so many rows belong together: a short page has these and no others, and leaves out the title, which is
            of the others.
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    opens: Sequence[int] = ()
    key: Mapping[str, str] = field(default_factory=dict)
    first: int = 0

    @classmethod
    def of(cls, title: str, rows: Iterable[Any], columns: Columns, row: type | None = None) -> SmallTable:
        """Return rows as text.

        Args:
            title: stands above.
            rows: named tuples or mappings; or a table, which gives its rows.
            columns: names, shown as the type of the rows declares them; or titles, each with what it shows.
            row: the type of the rows; default: that of the first, or of the table.

        >>> from typing import Annotated, NamedTuple
        >>> Loss = NamedTuple("Loss", [("word", str), ("loss", Annotated[float, Column("PIP loss", 2)])])
        >>> made = SmallTable.of("", [Loss("a", 0.1234)], ["word", "loss", ("less", lambda row: f"{row.loss / 2:.0%}")])
        >>> made.header, made.rows
        (['word', 'PIP loss', 'less'], [['a', '0.12', '6%']])
        """
        if isinstance(rows, Table):
            row = row or rows.row
            rows = rows.records() if rows.row is None else rows.rows()
        kept = list(rows)
        kind: Any = row or (type(kept[0]) if kept else dict)
        declared = {} if issubclass(kind, Mapping) else columns_of(kind)
        of = [_declared(column, declared) for column in columns]
        cells = [[_shown(each, what) for _, what, _ in of] for each in kept]
        key = {name: about for name, _, about in of if about}
        return cls(title, [name for name, _, _ in of], cells, key=key)

    @property
    def filled(self) -> SmallTable:
        """The table without the columns in which no row says anything.

        >>> SmallTable("", ["word", "loss", "± 95 %"], [["a", "0.1", "–"], ["b", "–", "no interval"]]).filled.header
        ['word', 'loss']
        """
        told = [any(row[k] not in _NOTHING for row in self.rows) for k in range(len(self.header))]
        kept = [k for k, some in enumerate(told) if some or not self.rows]
        header = [self.header[k] for k in kept]
        return replace(
            self,
            header=header,
            rows=[[row[k] for k in kept] for row in self.rows],
            opens=[kept.index(k) for k in self.opens if k in kept],
            key={name: about for name, about in self.key.items() if name in header},
        )

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
        tables: small tables, one below the other.
        figures: names of figures that belong here.
    """

    title: str
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    tables: list[SmallTable] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    answer: str = ""
    aside: str = ""
    folded: bool = False

    def __post_init__(self) -> None:
        """Write the options that its sentences name as they are typed."""
        self.answer, self.aside = as_flags(self.answer), as_flags(self.aside)


class Card(NamedTuple):
    """A number that a reader takes away from a page.

    Attributes:
        about: what it is, in a few words.
        value: the number, large.
        unit: what it counts, or is a part of.
        exact: its interval, and what chance would give.
        style: the class of its colour, such as that of a group.
    """

    about: str
    value: str
    unit: str = ""
    exact: str = ""
    style: str = ""


def number(value: float | None, digits: int = 4) -> str:
    """Return a number for people: significant digits, ``–`` for an undefined one.

    >>> number(0.019704968), number(float("nan")), number(-0.00007281, 2), number(1.2e-7, 2), number(-1e-13)
    ('0.01970', '–', '−0.000073', '1.2e−07', '0')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < _NOISE:
        return "0"
    if abs(value) < 1e-5:
        return minus(f"{value:.{digits - 1}e}")
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])  # after rounding: 0.000999 with two digits is 0.0010
    return minus(f"{value:.{max(digits - 1 - exponent, 0)}f}")


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign and so many digits after the point; zero has none.

    >>> signed(0.264), signed(-19.2, 0), signed(-0.001), signed(float("nan"))
    ('+0.26', '−19', '0.00', '–')
    """
    return minus(f"{value:+.{digits}f}") if math.isfinite(value) else "–"


def minus(text: str) -> str:
    """Return a written number with the sign of minus that people read; none where all its digits are 0.

    >>> minus("-0.05"), minus("-0.00"), minus("+0.0")
    ('−0.05', '0.00', '0.0')
    """
    return text.replace("-", "−") if any(digit in text for digit in "123456789") else text.lstrip("+-")


def _declared(
    column: str | tuple[str, Shown] | tuple[str, Shown, str], declared: dict[str, Column]
) -> tuple[str, Shown, str]:
    """The title of a column, what it shows, and what that is, by its declaration if it is given by its name."""
    if not isinstance(column, str):
        title, what, *about = column
        name = what[0] if isinstance(what, tuple) else what
        own = declared[name].about if isinstance(name, str) and name in declared else ""
        return title, what, about[0] if about else own
    of = declared.get(column, Column(column.replace("_", " ")))
    if of.text is not None:
        write = of.text
        return of.title, lambda row: write(_value(row, column)), of.about
    return of.title, column if of.digits is None else (column, of.digits), of.about


def _value(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, dict) else getattr(row, name)


def _shown(row: Any, what: Shown) -> str:
    if isinstance(what, str):
        return cell(_value(row, what))
    return number(_value(row, what[0]), what[1]) if isinstance(what, tuple) else what(row)


def cell(value: Any) -> str:
    """Return any value as the text of a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value, 3)
    return "–" if value is None else str(value)


def with_half(value: float | None, half: float | None, least: float = -math.inf, most: float = math.inf) -> str:
    """Return a number with half of its interval, both to the digits that the half bears; alone where there is none.

    There are at most six digits after the point. An interval that would leave the scale, ``least`` to ``most``, is
    written by its ends, which stay on it.

    >>> with_half(0.28412, 0.00112), with_half(-0.0514, 0.18), with_half(0.5, float("nan")), with_half(None, 0.1)
    ('0.2841 ± 0.0011', '−0.05 ± 0.18', '0.500', '–')
    >>> with_half(0.2841, 0.000012), with_half(-0.001, 0.18), with_half(-0.5, 0.0), with_half(0.5, 1e-9)
    ('0.284100 ± 0.000012', '0.00 ± 0.18', '−0.500 ± 0', '0.500000 ± 0.000000')
    >>> with_half(0.93, 0.21, 0, 1), with_half(0.5, 0.1, 0, 1), with_half(0.1, 0.3, 0), with_half(1.0, 0.0, 0, 1)
    ('0.93 (0.72–1)', '0.50 ± 0.10', '0.10 (0–0.40)', '1.000 ± 0')
    """
    if value is None or half is None or not math.isfinite(half) or not math.isfinite(value):
        return number(value, 3)
    if half < _NOISE:
        return f"{minus(f'{value:.3f}')} ± 0"
    digits = min(max(1 - int(f"{half:.1e}".split("e")[1]), 0), 6)
    low, high = value - half, value + half
    if low < least or high > most:
        ends = (
            f"{least:g}" if low < least else f"{low:.{digits}f}",
            f"{most:g}" if high > most else f"{high:.{digits}f}",
        )
        return minus(f"{value:.{digits}f}") + f" ({minus(ends[0])}–{minus(ends[1])})"
    return f"{minus(f'{value:.{digits}f}')} ± {half:.{digits}f}"


def counted(n: int, noun: str, verbs: str = "", *, of: int | None = None) -> str:
    """Return a number with its noun, and with the verb that agrees: of one and of many, with a stroke between.

    Args:
        n: the number.
        noun: of one.
        verbs: such as ``"is/are"``; default: none.
        of: how many there are in all.

    >>> counted(1, "pair"), counted(1200, "pair"), counted(1, "term", "stands/stand"), counted(2, "term", "is/are")
    ('1 pair', '1,200 pairs', '1 term stands', '2 terms are')
    >>> counted(1, "term", "is/are", of=14), counted(1, "run", of=1)
    ('1 of 14 terms is', '1 of 1 run')
    """
    one, _, many = verbs.partition("/")
    all_of = "" if of is None else f"of {of:,} "
    many_of = n if of is None else of
    return f"{n:,} {all_of}{noun}{'' if many_of == 1 else 's'} {one if n == 1 else many}".rstrip()


def whole(title: str, table: Table[Any], columns: Columns | None = None) -> SmallTable:
    """Return all rows of a table, or those of some of its columns, as text."""
    names = list(table) if columns is None else list(columns)
    return SmallTable.of(title, table.records(), names, table.row)


def percent(value: float | None, digits: int = 0) -> str:
    """Return a share in percent with so many digits after the point, ``–`` for an undefined one.

    >>> percent(0.123), percent(0.1234, 1), percent(-0.123), percent(float("nan"))
    ('12 %', '12.3 %', '−12 %', '–')
    """
    return "–" if value is None or math.isnan(value) else minus(f"{100 * value:.{digits}f} %")


_ALIKE = 1e-4
"""Half of an interval in percent that is none: what was measured is alike everywhere, but for rounding."""


def percent_with_ends(share: float, low: float, high: float, unit: str = " %") -> str:
    """Return a share in percent with the ends of its interval, all to one digit of half of it.

    >>> percent_with_ends(0.98, 0.967, 0.997), percent_with_ends(0.504, 0.4999, 0.5087)
    ('98 % (97–100)', '50.4 % (50.0–50.9)')
    >>> percent_with_ends(0.0259, 0.024, 0.028, ""), percent_with_ends(0.3, float("nan"), 0.4)
    ('2.6 (2.4–2.8)', '30 %, no interval')
    >>> percent_with_ends(0.0, 0.0, 0.0), percent_with_ends(1e-12, 0.0, 2e-12)
    ('0 %, all alike', '0 %, all alike')
    """
    half = 50 * (high - low)
    if math.isnan(half):
        return f"{100 * share:.0f}{unit}, no interval"
    if half < _ALIKE:
        return f"{100 * share:.0f}{unit}, all alike"
    digits = max(-math.floor(math.log10(half)), 0)
    value, *ends = (minus(f"{100 * part:.{digits}f}") for part in (share, low, high))
    return f"{value}{unit} ({'–'.join(ends)})"


def percent_with_half(share: float, half: float) -> str:
    """Return a share in percent with half of its interval, which stays between 0 and 100; alone where there is none.

    >>> percent_with_half(0.18, 0.11), percent_with_half(0.04, 0.061), percent_with_half(0.312, float("nan"))
    ('18 ± 11 %', '4.0 (0–10.1) %', '31 %')
    """
    if math.isnan(share) or math.isnan(half):
        return percent(share)
    return f"{with_half(100 * share, 100 * half, 0.0, 100.0)} %"


def thousands(value: int | None) -> str:
    """Return a count with commas, ``–`` for an unknown one; for columns.

    >>> thousands(1200), thousands(None)
    ('1,200', '–')
    """
    return "–" if value is None else f"{value:,}"
