"""The one form of every answer: what commands and studies return and writers write."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.errors import InputError
from gpustab.results.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Result:
    """What a command or study found.

    ``print(result)`` shows the page of the terminal, a notebook the page of the report; :meth:`write` writes both and
    the tables.

    Attributes:
        name: of the command or study; the JSON schema is ``gpustab.<name>/1``.
        settings: every choice that the numbers depend on.
        environment: versions, device, seconds, peak memory.
        groups: one summary per group of runs, plain values (the ``groups`` of the JSON).
        contrasts: comparisons between groups.
        tables: tables by name; :meth:`frame` gives them as pandas.
        notes: warnings and facts that a reader must know, in sentences.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    contrasts: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tables = {name: t if isinstance(t, Table) else Table(t) for name, t in self.tables.items()}

    @property
    def schema(self) -> str:
        """Name and version of the JSON form."""
        return f"gpustab.{self.name}/1"

    def frame(self, table: str) -> pd.DataFrame:
        """Return one of the tables as a pandas DataFrame.

        Raises:
            InputError: if there is none of this name, or pandas, of the extra ``report``, is missing.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError("a table as DataFrame needs pandas: pip install 'gpustab[report]'") from None
        if table not in self.tables:
            raise InputError(f"there is no table '{table}'; there are {', '.join(self.tables)}")
        return pd.DataFrame(dict(self.tables[table]))

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write ``report.html``, ``summary.json``, all tables and figures into a folder, and return the files.

        Raises:
            InputError: if the extra ``report`` is missing, or the folder could not be written to.
        """
        written: list[Path] = _writers().write_files(self, Path(folder))
        return written

    def __str__(self) -> str:
        text: str = _writers().to_text(self)
        return text

    def _repr_html_(self) -> str:
        html: str = _writers().to_notebook(self)
        return html

    def __repr__(self) -> str:
        groups = ", ".join(str(group.get("name")) for group in self.groups)
        return f"Result({self.name}: groups {groups}; tables {', '.join(self.tables)}; {len(self.notes)} notes)"


def _writers() -> Any:
    """The room above, by name: results know nothing of how they are shown."""
    return import_module("gpustab.report")
