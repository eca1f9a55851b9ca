"""Writers of a Result: terminal, JSON, Parquet tables and one self-contained HTML page. No study is known here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gpustab.options import FigureFormat
from gpustab.report.files import check_folder, write_files
from gpustab.report.html import to_html, to_notebook
from gpustab.report.json_text import to_json
from gpustab.report.terminal import print_result, to_text
from gpustab.results import Content

__all__ = ["Result", "check_folder", "print_result", "to_html", "to_json", "to_notebook", "to_text", "write_files"]


class Result(Content):
    """What a command or study found: its :class:`~gpustab.results.Content`, usable by itself.

    ``print(result)`` shows the page of the terminal, a notebook the page of the report; :meth:`write` writes both and
    the tables, :meth:`frame` gives a table as pandas.
    """

    def write(
        self, folder: str | os.PathLike[str], force: bool = False, figures: Sequence[FigureFormat] = ("svg",)
    ) -> list[Path]:
        """Write ``report.html``, ``summary.json``, all tables and figures into a folder, and return the files.

        Args:
            folder: made if it is not there.
            force: replace the result that is there already.
            figures: any of ``"svg"``, ``"pdf"``, ``"png"`` (300 dots an inch); the last two need the extra ``figures``.

        Raises:
            InputError: if the extra ``report`` is missing, or the folder could not be written to or holds a result.
        """
        return write_files(self, Path(folder), force=force, figures=figures)

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_notebook(self)

    def __repr__(self) -> str:
        groups = ", ".join(str(group.get("name")) for group in self.groups)
        return f"Result({self.name}: groups {groups}; tables {', '.join(self.tables)}; {len(self.notes)} notes)"
