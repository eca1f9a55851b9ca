"""A Result as a folder: summary.json, tables as Parquet and CSV, figures, report.html."""

from __future__ import annotations

import csv
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from threading import get_ident
from typing import Any, BinaryIO, get_args

import numpy as np

from gpustab.errors import ComputationError, InputError, option
from gpustab.formats.atomic import check_can_make, make_folder, remove, replacing, told, write_text
from gpustab.formats.parsed import read_json
from gpustab.formats.plain_text import DamagedError
from gpustab.installing import install
from gpustab.machine.memory import let_go
from gpustab.options import FigureFormat
from gpustab.report.describe import draw, figures_of
from gpustab.report.html import to_html
from gpustab.report.json_text import json_pieces, plain
from gpustab.report.svg.standalone import check_formats, written_as
from gpustab.results import Content
from gpustab.results.table import Table, Values
from gpustab.runs.lock import alone
from gpustab.runs.place import keep_aside
from gpustab.spaces.words import guarded, printable

_SUMMARY, _PAGE = "summary.json", "report.html"
_NEW, _WHOLE, _MOVING = ".result.tmp", ".result.whole", ".result.moving"
"""Folders of a result on its way: it is being written; it is whole, and what was there goes; it takes its place."""
_TABLE = re.compile(r"[A-Za-z0-9_]{1,80}")
"""What a table of ours is called."""
_ROWS, _LINES = 1 << 16, 1 << 12
"""Of a table, written at a time as Parquet and as CSV: the pairs of a thousand runs are half a million rows."""


def check_folder(folder: Path, *, force: bool = False, figures: Sequence[FigureFormat] = ("svg",)) -> None:
    """See that a result can be written, before hours of work; nothing is made yet.

    A result that a killed call had written, but not put into its place, is put there.

    Args:
        folder: where it shall be.
        force: whether a result that is there already may be replaced.
        figures: what figures are written as.

    Raises:
        InputError: if the extra ``report`` is missing, or what such figures need; if the folder could not be made or
            written to, or holds another result, or tables and figures that this one would be mixed up with.
    """
    missing = [name for name in ("pyarrow", "jinja2") if find_spec(name) is None]
    if missing:
        raise InputError(f"writing a result needs {', '.join(missing)}: {install('report')}")
    check_formats(figures)
    check_can_make(folder)
    if any((folder / name).exists() for name in (_NEW, _WHOLE, _MOVING)):
        with writing_alone(folder):
            _take_over(folder)
    if not force and (there := _occupant(folder)):
        raise InputError(f"{folder}: holds {there}; give another folder, or {option('force', True)} to replace it")
    _old_files(folder)


def write_files(
    result: Content, folder: Path, *, force: bool = False, figures: Sequence[FigureFormat] = ("svg",)
) -> list[Path]:
    """Write tables as Parquet and CSV, ``summary.json``, figures and ``report.html``, all of them or none.

    They are written into a folder within, and take their places when all are on the disk. A call that is killed while
    they do leaves some there; whoever looks into the folder next by :func:`check_folder` or this function ends it.

    Args:
        result: what is written.
        folder: where; made if it is not there.
        force: replace the result that is there; what it has and this one has not is removed. Files of others that have
            a name of this result's are kept under another one, which a warning tells.
        figures: what they are written as; a PDF or PNG has the size of a journal's column.

    Returns:
        The files written.

    Raises:
        InputError: see :func:`check_folder`.
    """
    with writing_alone(folder):
        check_folder(folder, force=force, figures=figures)
        new, failure = folder / _NEW, None
        try:
            make_folder(new)
            written = list(_write_numbers(result, new, figures))
            try:
                written += _write_drawn(result, new, figures)
            except (InputError, ComputationError):  # of the disk
                raise
            except Exception as error:  # of a figure: it costs no number
                failure = error
            if not force:
                _refuse_to_replace(folder, new)
            with told(folder):
                new.replace(folder / _WHOLE)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        _take_over(folder)
        if failure:
            raise failure
    return [folder / path.name for path in written]


_HELD: set[tuple[str, int]] = set()
"""Folders that this process holds, each with the thread that does."""


@contextmanager
def writing_alone(folder: Path) -> Iterator[None]:
    """Hold the folder of a result from before the work until it is written; who holds it may hold it once more.

    Raises:
        InputError: if another call holds it, or it cannot be made.
    """
    place = os.path.realpath(folder), get_ident()  # of links in a circle resolve() makes an error of its own
    if place in _HELD:
        yield
        return
    made = [path for path in (folder, *folder.absolute().parents) if not path.exists()]
    check_can_make(folder)
    make_folder(folder)
    try:
        with alone(folder, "result", "writing its result"):
            _HELD.add(place)
            try:
                yield
            finally:
                _HELD.discard(place)
    finally:
        with suppress(OSError):  # what holds something stays
            for path in made:
                path.rmdir()


def _refuse_to_replace(folder: Path, new: Path) -> None:
    """Refuse a result whose files would take the places of others."""
    if there := sorted(path.name for path in new.iterdir() if (folder / path.name).exists()):
        raise InputError(
            f"{folder}: holds {', '.join(there[:3])}{' ...' * (len(there) > 3)}, which this result would replace; give "
            f"another folder, or {option('force', True)}, which keeps what is not gpustab's under another name"
        )


def _take_over(folder: Path) -> None:
    """Put a result that is whole into its place, and let go what is no part of it; of none, clear half of one away.

    What was there goes first, and a folder's name says that it has gone: so a call that is killed anywhere here can be
    ended by the next one, which need not know what had been moved.
    """
    new, whole, moving = folder / _NEW, folder / _WHOLE, folder / _MOVING
    if any(path.is_symlink() for path in (new, whole, moving)):
        raise InputError(f"{folder}: {_NEW}, {_WHOLE} or {_MOVING} in it is a link; remove it, or give another folder")
    if new.is_dir():
        with told(new, "removed"):
            shutil.rmtree(new)
    if whole.is_dir():
        old = _old_files(folder)
        for name in sorted(path.name for path in whole.iterdir()):
            if folder / name not in old and os.path.lexists(folder / name):
                keep_aside(folder / name)
        for path in old:
            if not (whole / path.name).exists():
                remove(path)
        with told(folder):
            whole.replace(moving)
    if moving.is_dir():
        # The summary comes last: it tells what is there.
        for path in sorted(moving.iterdir(), key=lambda path: (path.name == _SUMMARY, path.name)):
            with told(folder / path.name):
                path.replace(folder / path.name)
        with told(moving, "removed"):
            moving.rmdir()


def _write_numbers(result: Content, folder: Path, formats: Sequence[FigureFormat]) -> Iterator[Path]:
    for name, table in result.tables.items():
        for suffix, write in (("parquet", write_parquet), ("csv", write_csv)):
            path = folder / f"{name}.{suffix}"
            with replacing(path) as file:
                write(table, file)
            yield path
    let_go()
    for name, text in result.files.items():
        write_text(folder / name, text)
        yield folder / name
    with replacing(folder / _SUMMARY) as file:
        for piece in json_pieces(result, formats):
            file.write(piece.encode())
    yield folder / _SUMMARY


def _write_drawn(result: Content, folder: Path, formats: Sequence[FigureFormat]) -> Iterator[Path]:
    let_go()
    figures = draw(result)
    for name, picture in figures.items():
        for suffix, content in written_as(plain(picture.svg), formats) if picture.panels else ():
            path = folder / f"{name}.{suffix}"
            with replacing(path) as file:
                file.write(content)
            yield path
    write_text(folder / _PAGE, to_html(result, figures))
    yield folder / _PAGE


def write_parquet(table: Table, file: BinaryIO) -> None:
    """Write a table as Parquet; undefined numbers are null."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns = {str(name): _arrow(_column(values)) for name, values in table.items()}
    write_table(pa.table(columns), file, row_group_size=_ROWS)
    del columns
    pa.default_memory_pool().release_unused()


def _arrow(values: Values) -> Any:
    """Return a column as an Arrow array, in which NaN is null.

    Texts and numbers are handed over as Arrow holds them: ``pa.array`` imports pandas to ask whether they are of it,
    which takes 0.35 s of the processor and 50 MB.
    """
    import pyarrow as pa

    if isinstance(values, list):
        kinds = set(map(type, values))
        if kinds <= {type(None)}:
            return pa.nulls(len(values))
        if all(issubclass(kind, str | type(None)) for kind in kinds):
            texts = pa.lib.StringBuilder()
            texts.append_values(values)
            return texts.finish()
        values = np.array(values) if kinds in ({int}, {bool}) else values
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        return pa.array(values, from_pandas=True)
    known = values == values
    bits = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    numbers = np.packbits(values, bitorder="little") if values.dtype == bool else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bits, pa.py_buffer(numbers)])


def write_csv(table: Table, file: BinaryIO) -> None:
    """Write a table as CSV that spreadsheets open: every digit, an undefined number is empty, no cell is a formula.

    It is UTF-8 with the mark by which Excel tells it. Words that begin like a formula get an apostrophe before them,
    which spreadsheets take for "this is text"; where words are read, it is taken off again.
    """
    text = TextIOWrapper(file, "utf-8-sig", newline="", write_through=True)
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(map(cell, table))
    columns = [_column(values) for values in table.values()]
    for start in range(0, table.height, _LINES):
        lines.writerows(zip(*(_cells(column[start : start + _LINES]) for column in columns), strict=True))
    text.detach()


def _column(values: Values) -> Values:
    """Return a column in one type: whole numbers beside others, or beside undefined ones, are floats."""
    kinds = set(map(type, values)) - {type(None)} if isinstance(values, list) else set()
    numbers = kinds and all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds)
    whole = numbers and None not in values and not any(issubclass(kind, float | np.floating) for kind in kinds)
    return np.array(values, np.float64) if numbers and not whole else values


def _cells(values: Values) -> list[Any]:
    """Return a column's cells; texts of a long table, which come again and again, are looked at once each."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        short = values.astype(str).astype(np.float64) if values.dtype == np.float32 else values
        numbers: list[Any] = short.tolist()
        return ["" if x != x else x for x in numbers]
    if set(map(type, values)) == {str}:
        made = {text: cell(text) for text in set(values)}
        return [made[text] for text in values]
    return ["" if isinstance(x, float) and x != x else cell(x) for x in values]


def cell(value: Any) -> Any:
    r"""Return a value that a spreadsheet takes for what it is: text in one line that is no formula, or a number.

    >>> cell("=cmd()"), cell("war"), cell("a\tb"), cell(-1.5)
    ("'=cmd()", 'war', 'a\\tb', -1.5)
    """
    return guarded(printable(str(plain(value)))) if isinstance(value, str) else value


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
        content = read_json(folder / _SUMMARY) if (folder / _SUMMARY).is_file() else {}
        return content if str(content["schema"]).startswith("gpustab.") else {}
    except (DamagedError, KeyError, TypeError):
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
    command = _command(there["schema"]).removeprefix("gpustab ")
    figures = figures_of(Content(command))
    files = [name for name in _names(there, "files") if name.startswith(f"{command}-") and not {*"/\\"} & {*name}]
    names = [f"{table}.{suffix}" for table in tables for suffix in ("parquet", "csv")]
    # A PDF of a figure is somebody's own where the summary tells of none.
    formats = {"svg", *_names(there, "figures")} & {*get_args(FigureFormat)}
    drawn = [f"{figure}.{suffix}" for figure in figures for suffix in formats]
    return {folder / name for name in (*names, *drawn, *files, _PAGE, _SUMMARY)}
