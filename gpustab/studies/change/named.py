"""How a page calls series and pairs of periods, and which of the series answer the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpustab.results import Table
from gpustab.results.page import with_half
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.tables import floor_series

Row = Mapping[str, Any]


def called(pairs: Table) -> dict[str, str]:
    """Return what every series of a table of pairs is called: documents dealt out at random say so."""
    rows = list(pairs.records())
    several = len({row["of"] for row in rows}) > 1
    return {row["series"]: _called(row, several) for row in rows}


def _called(row: Row, several: bool) -> str:
    if not row["split"]:
        return str(row["series"])
    return f"dealt out at random ({row['split']})" + (f", {row['of']}" if several else "")


def pair_of(row: Row) -> str:
    """Return what two periods are called."""
    return f"{row['first']} → {row['second']}"


def asked(pairs: Table) -> list[str]:
    """Return the series that answer the question: neither controls nor the sampling floor of others."""
    floors = floor_series(pairs)
    return list(dict.fromkeys(r["series"] for r in pairs.records() if not r["control"] and r["series"] not in floors))


def compared(pairs: Table) -> list[str]:
    """Return these series and their controls."""
    own = asked(pairs)
    return list(dict.fromkeys(row["series"] for row in pairs.records() if row["of"] in own))


def splits_of(pairs: Table, row: Row) -> list[dict[str, Any]]:
    """Return the rows of the splits at random that two periods of a series are compared with."""
    return list(pairs.records(control=True, of=row["series"], first=row["first"], second=row["second"]))


def estimated(value: float | None, se: float | None, runs: int) -> str:
    """Return a number with half of its 95 % interval, whose error rests on so many runs, or words."""
    return with_half(value, Estimate.of_runs(value, se, runs).half)


def fewest_runs(row: Row) -> int:
    """Return the runs of the period that has fewer: on them errors over the runs of both rest."""
    return int(min(row["runs_first"], row["runs_second"]))
