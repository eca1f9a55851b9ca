"""A Result as a folder: summary.json, Parquet tables, SVG figures, report.html."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from gpustab.errors import InputError
from gpustab.formats.atomic import replacing, write_text
from gpustab.report.describe import draw
from gpustab.report.html import to_html
from gpustab.report.json_text import to_json
from gpustab.results import Content


def check_folder(folder: Path) -> None:
    """See that the result can be written, before hours of work; nothing is made yet.

    Raises:
        InputError: if the extra ``report`` is missing, or the folder could not be made or written to.
    """
    missing = [name for name in ("pandas", "pyarrow", "jinja2") if find_spec(name) is None]
    if missing:
        raise InputError(f"writing a result needs {', '.join(missing)}: pip install 'gpustab[report]'")
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise InputError(
            f"{folder}: cannot write there, {nearest} is {'not writable' if nearest.is_dir() else 'a file'}"
        )


def write_files(result: Content, folder: Path) -> list[Path]:
    """Write tables as Parquet, figures as SVG, ``report.html`` and ``summary.json`` last; each appears whole or not.

    Returns:
        The files written.
    """
    figures = draw(result)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in result.tables:
        path = folder / f"{name}.parquet"
        with replacing(path) as temporary:
            result.frame(name).to_parquet(temporary)
        written.append(path)
    texts = {f"{name}.svg": svg for name, svg in figures.items()}
    texts |= {"report.html": to_html(result, figures), "summary.json": to_json(result) + "\n"}
    for name, text in texts.items():
        write_text(folder / name, text)
        written.append(folder / name)
    return written
