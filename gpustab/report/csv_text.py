"""A table as CSV that spreadsheets open: UTF-8 with the mark by which Excel tells it, and no cell that is a formula.

Words that begin like a formula get an apostrophe before them, which spreadsheets take for "this is text". The Parquet
file beside it has every word as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.report.json_text import plain
from gpustab.spaces.words import printable

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@")
"""A cell that begins so is computed by some spreadsheet."""


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table: a comma between cells, a point in numbers, every digit; an undefined number is empty."""
    safe = frame.apply(lambda column: column if column.dtype.kind in "biuf" else column.map(cell))
    safe.columns = [cell(name) for name in frame.columns]
    safe.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n")


def cell(value: Any) -> Any:
    r"""Return a value that a spreadsheet takes for what it is: text in one line that is no formula, or a number.

    >>> cell("=cmd()"), cell("war"), cell("a\tb"), cell(-1.5)
    ("'=cmd()", 'war', 'a\\tb', -1.5)
    """
    if not isinstance(value, str):
        return value
    text = printable(plain(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
