"""How far a setting's numbers are from the baseline's."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.results import Table
from gpustab.studies.sweep.measure import EXTRINSIC, NEIGHBOURS, Measured

SHARE = "share_of_chance"


class Row(NamedTuple):
    """One measure of one setting against the baseline."""

    setting: str
    sampling: str
    measure: str
    baseline: float
    value: float
    difference: float
    se: float
    percent: float
    percent_se: float


class Change(NamedTuple):
    """A difference from the baseline, and in percent of it, each with its standard error."""

    difference: float
    se: float
    percent: float
    percent_se: float


def change(baseline: float, value: float, baseline_se: float, value_se: float) -> Change:
    """Return ``b − a`` and ``100 (b/a − 1)`` with ``SE = (100/a) √(se_b² + (b/a)² se_a²)``, by propagation.

    The two are taken for independent, which settings that read the same draws are not quite.

    Returns:
        NaN for percent of a baseline that is not positive, and for errors where one is NaN.

    Example:
        >>> [round(x, 4) for x in change(0.0179, 0.0179 * (1 - 0.116), 0.0002, 0.0001)]  # table 3.1, Hindi
        [-0.0021, 0.0002, -11.6, 1.1348]
    """
    error = math.hypot(baseline_se, value_se)
    if not baseline > 0:
        return Change(value - baseline, error, math.nan, math.nan)
    part = value / baseline
    percent_se = 100 / baseline * math.hypot(value_se, part * baseline_se)
    return Change(value - baseline, error, 100 * (part - 1), percent_se)


def change_table(baseline: Measured, others: dict[str, Measured]) -> Table:
    """Return one row per setting, sampling and measure that both the setting and the baseline have."""
    before, rows = numbers_of(baseline), []
    for name, measured in others.items():
        for (sampling, what), (value, se) in numbers_of(measured).items():
            if (sampling, what) not in before:
                continue
            was, was_se = before[sampling, what]
            rows.append(Row(name, sampling, what, was, value, *change(was, value, was_se, se)))
    return Table.of(rows, Row._fields)


def numbers_of(measured: Measured) -> dict[tuple[str, str], tuple[float, float]]:
    """Return values with their standard errors, by sampling and measure."""
    overlap = f"p@{NEIGHBOURS}"
    found = {}
    for row in measured.settings.records():
        found[row["sampling"], "reduced_pip"] = row["reduced_pip"], row["se"]
        if row["sampling"] != EXTRINSIC:
            # A loss that rises less than its chance level tells of spaces that spread out, not of instability.
            if chance := row.get("chance"):
                found[row["sampling"], SHARE] = row["reduced_pip"] / chance, row["se"] / chance
            found[row["sampling"], overlap] = row[overlap], row[f"{overlap}_se"]
    for row in measured.scores.records():
        found[row["sampling"], row["test"]] = row["mean"], row["sd"] / math.sqrt(row["runs"])
    return found
