"""A Result as a folder: summary.json, tables as Parquet and CSV, figures, report.html."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from gpustab.errors import InputError, option
from gpustab.formats.atomic import check_can_make, replacing, write_text
from gpustab.options import FigureFormat
from gpustab.report.describe import draw, figures_of
from gpustab.report.html import to_html
from gpustab.report.json_text import plain, to_json
from gpustab.report.svg.standalone import check_formats, written_as
from gpustab.results import Content
from gpustab.spaces.words import guarded, printable

if TYPE_CHECKING:
    import pandas as pd

_SUMMARY, _PAGE = "summary.json", "report.html"
_TABLE = re.compile(r"[A-Za-z0-9_]{1,80}")
"""What a table of ours is called."""


def check_folder(folder: Path, *, force: bool = False, figures: Sequence[FigureFormat] = ("svg",)) -> None:
    """See that a result can be written, before hours of work; nothing is made yet.

    Args:
        folder: where it shall be.
        force: whether a result that is there already may be replaced.
        figures: what figures are written as.

    Raises:
        InputError: if the extra ``report`` is missing, or what such figures need; if the folder could not be made or
            written to, or holds another result, or tables and figures that this one would be mixed up with.
    """
    missing = [name for name in ("pandas", "pyarrow", "jinja2") if find_spec(name) is None]
    if missing:
        raise InputError(f"writing a result needs {', '.join(missing)}: pip install 'gpustab[report]'")
    check_formats(figures)
    check_can_make(folder)
    if not force and (there := _occupant(folder)):
        raise InputError(f"{folder}: holds {there}; give another folder, or {option('force', True)} to replace it")
    _old_files(folder)


def write_files(
    result: Content, folder: Path, *, force: bool = False, figures: Sequence[FigureFormat] = ("svg",)
) -> list[Path]:
    """Write tables as Parquet and CSV, ``summary.json``, figures and ``report.html``; each appears whole or not.

    Args:
        result: what is written.
        folder: where; made if it is not there.
        force: replace the result that is there; what it has and this one has not is removed.
        figures: what they are written as; a PDF or PNG has the size of a journal's column.

    Returns:
        The files written.

    Raises:
        InputError: see :func:`check_folder`.
    """
    check_folder(folder, force=force, figures=figures)
    old = _old_files(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = list(_write(result, folder, figures))
    for path in old - set(written):
        path.unlink(missing_ok=True)
    return written


def _write(result: Content, folder: Path, formats: Sequence[FigureFormat]) -> Iterator[Path]:
    """Write numbers first, then what is drawn of them, so that nothing that fails in a figure costs a number."""
    import pandas as pd

    for name in result.tables:
        for suffix, write in (("parquet", pd.DataFrame.to_parquet), ("csv", write_csv)):
            path = folder / f"{name}.{suffix}"
            with replacing(path) as temporary:
                write(result.frame(name), temporary)
            yield path
    write_text(folder / _SUMMARY, to_json(result) + "\n")
    yield folder / _SUMMARY
    figures = draw(result)
    for name, picture in figures.items():
        for suffix, content in written_as(plain(picture.svg), formats) if picture.panels else ():
            path = folder / f"{name}.{suffix}"
            with replacing(path) as temporary:
                temporary.write_bytes(content)
            yield path
    write_text(folder / _PAGE, to_html(result, figures))
    yield folder / _PAGE


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV that spreadsheets open: every digit, an undefined number is empty, no cell is a formula.

    It is UTF-8 with the mark by which Excel tells it. Words that begin like a formula get an apostrophe before them,
    which spreadsheets take for "this is text"; where words are read, it is taken off again.
    """
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
    return guarded(printable(plain(value)))


def _names(summary: dict[str, Any], key: str) -> list[str]:
    """The names that a list, or the keys of an object, hold, as text."""
    found = summary.get(key)
    return list(map(str, found)) if isinstance(found, dict | list) else [f"{key}: {found}"]


def _occupant(folder: Path) -> str:
    """Say what a folder holds that a result would be mixed up with; empty where there is nothing."""
    if not folder.is_dir():
        return ""
    if (folder / _SUMMARY).exists():
        name = _summary(folder).get("schema")
        return f"the result of {_command(name)}" if name else f"a {_SUMMARY} of something else"
    others = sorted(path.name for path in folder.iterdir() if path.suffix in (".parquet", ".svg") or path.name == _PAGE)
    return ", ".join(others[:3]) + " ..." * (len(others) > 3)


def _command(schema: Any) -> str:
    return f"gpustab {str(schema).removeprefix('gpustab.').partition('/')[0]}"


def _summary(folder: Path) -> dict[str, Any]:
    """What the summary of a result says; nothing where it is none of ours."""
    try:
        content = json.loads((folder / _SUMMARY).read_text(encoding="utf-8"))
        return content if str(content["schema"]).startswith("gpustab.") else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _old_files(folder: Path) -> set[Path]:
    """The files of the result that a folder holds; a summary that does not tell them is refused.

    They are going to be removed, so what the summary says is taken for an enemy's: a name with a folder in it could be
    a file of somebody else.
    """
    there = _summary(folder)
    if there and "long_tables" not in there:
        raise InputError(
            f"{folder}: holds {_command(there['schema'])}'s result of an older gpustab, which does not tell its files; "
            "remove it, or give another folder"
        )
    if not there:
        return set()
    tables = [*_names(there, "tables"), *_names(there, "long_tables")]
    if bad := [name for name in tables if not _TABLE.fullmatch(name)]:
        raise InputError(f"{folder / _SUMMARY}: '{bad[0]}' is no name of a table; remove it, or give another folder")
    figures = figures_of(Content(_command(there["schema"]).removeprefix("gpustab ")))
    names = [f"{table}.{suffix}" for table in tables for suffix in ("parquet", "csv")]
    drawn = [f"{figure}.{suffix}" for figure in figures for suffix in get_args(FigureFormat)]
    return {folder / name for name in (*names, *drawn, _PAGE, _SUMMARY)}
