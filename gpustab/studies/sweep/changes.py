"""How far a setting's numbers are from the baseline's."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet, Table
from gpustab.studies.sweep.measure import EXTRINSIC, NEIGHBOURS, Measured

SHARE = "share_of_chance"


class ChangeRow(NamedTuple):
    """One measure of one setting against the baseline."""

    setting: str
    sampling: Annotated[str, Column(about="of the runs, or extrinsic")]
    measure: Annotated[str, Column(about="reduced_pip, share_of_chance, p@10 or the name of a test")]
    baseline: float
    value: float
    difference: Annotated[float, Column(about="from the baseline")]
    se: Annotated[float, Column(about="of the difference, by propagation")]
    percent: Annotated[float, Column(about="the difference in percent of the baseline")]
    percent_se: float


CHANGES = Sheet("changes", ChangeRow, "one row a setting, sampling and measure")


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


def change_table(baseline: Measured, others: dict[str, Measured]) -> Table[ChangeRow]:
    """Return one row per setting, sampling and measure that both the setting and the baseline have."""
    before, rows = numbers_of(baseline), []
    for name, measured in others.items():
        for (sampling, what), (value, se) in numbers_of(measured).items():
            if (sampling, what) not in before:
                continue
            was, was_se = before[sampling, what]
            new = change(was, value, was_se, se)
            rows.append(
                ChangeRow(name, sampling, what, was, value, new.difference, new.se, new.percent, new.percent_se)
            )
    return CHANGES.table(rows)


def numbers_of(measured: Measured) -> dict[tuple[str, str], tuple[float, float]]:
    """Return values with their standard errors, by sampling and measure."""
    overlap = f"p@{NEIGHBOURS}"
    numbers = {}
    for row in measured.settings.records():
        numbers[row["sampling"], "reduced_pip"] = row["reduced_pip"], row["se"]
        if row["sampling"] != EXTRINSIC:
            # A loss that rises less than its chance level tells of spaces that spread out, not of instability.
            if chance := row.get("chance"):
                numbers[row["sampling"], SHARE] = row["reduced_pip"] / chance, row["se"] / chance
            numbers[row["sampling"], overlap] = row[overlap], row[f"{overlap}_se"]
    for row in measured.scores.records():
        numbers[row["sampling"], row["test"]] = row["mean"], row["sd"] / math.sqrt(row["runs"])
    return numbers
