"""The one form of every answer: what commands and studies find and writers write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpustab.errors import InputError, near
from gpustab.installing import install
from gpustab.results.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Content:
    """What a command or study found.

    Attributes:
        name: of the command or study; the JSON schema is ``gpustab.<name>/1``.
        settings: every choice that the numbers depend on.
        environment: versions, device, seconds, peak memory.
        groups: one summary per group of runs, plain values (the ``groups`` of the JSON).
        contrasts: comparisons between groups.
        tables: tables by name; :meth:`frame` gives them as pandas.
        alarms: what forbids to read the numbers as they stand, one sentence each: what, which run by name, what to do.
        verdict: the answer in plain sentences, each chosen by a tested rule; the first one leads the page.
        notes: warnings and facts that a reader must know, in sentences.
        files: text of further files that are written beside the tables, by name: that of the result, ``-`` and more.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    contrasts: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    alarms: list[str] = field(default_factory=list)
    verdict: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.tables = {name: t if isinstance(t, Table) else Table(t) for name, t in self.tables.items()}

    @property
    def schema(self) -> str:
        """Name and version of the JSON form."""
        return f"gpustab.{self.name}/1"

    def add(self, other: Content) -> None:
        """Take up what the same command found elsewhere: of another group, or on another part of a corpus."""
        self.groups += other.groups
        self.contrasts += other.contrasts
        for name, table in other.tables.items():
            self.tables[name].extend(table)
        self.alarms += other.alarms
        self.verdict += other.verdict
        self.notes += [note for note in other.notes if note not in self.notes]
        self.environment["seconds"] += other.environment["seconds"]

    def frame(self, table: str) -> pd.DataFrame:
        """Return one of the tables as a pandas DataFrame.

        Raises:
            InputError: if there is none of this name, or pandas, of the extra ``report``, is missing.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError(f"a table as DataFrame needs pandas: {install('report')}") from None
        if table not in self.tables:
            raise InputError(
                f"there is no table '{table}'{near(table, self.tables)}; there are {', '.join(self.tables)}"
            )
        return pd.DataFrame(dict(self.tables[table]))
