"""Figures 1 to 3 of the paper with their errors, and all figures of the study by name."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.report.svg.colours import called
from gpustab.report.svg.elements import WIDTH, figure, line, mark, text
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import round_ticks, short
from gpustab.results.page import minus, number, signed
from gpustab.studies.bootstrap.curves import number_of_runs, sizes, units
from gpustab.studies.bootstrap.drawing import (
    ROW,
    TOP,
    Row,
    axis_below,
    bar_of_log,
    bars,
    drawn_as,
    ends,
    settings_of,
    telling,
    told,
)
from gpustab.studies.bootstrap.tables import estimate


def spread(tables: Tables) -> Picture:
    """Figure 1: the spread of the cosines by technique and setting, as it is and on the scale of the space."""
    rows = settings_of(tables)
    if len(rows) < 2:
        return Picture()
    panels = [
        bars([bar_of_log(row, "log_spread") for row in rows], rows, "SD of the cosines, √(mean variance)"),
        bars([bar_of_log(row, "relative") for row in rows], rows, "in parts of the query's SD over all words"),
    ]
    said = told(rows, lambda row: number(row["spread"], 2))
    return Picture(f"How much the cosines of the ten closest words vary over runs: {said}", panels)


def jaccard(tables: Tables) -> Picture:
    """Figure 2: how much the lists of two runs share, of two words and of ten."""
    rows = settings_of(tables)
    if len(rows) < 2:
        return Picture()
    panels = [
        bars([(row["group"], *ends(estimate(row, name))) for row in rows], rows, title, 1.0)
        for name, title in (("j2", "Jaccard of the two nearest words"), ("jn", "Jaccard of the whole lists"))
    ]
    said = told(rows, lambda row: f"{row['jn_value']:.2f}")
    return Picture(f"How much the lists of two runs agree (1: the same words): {said}", panels)


def ranks(tables: Tables) -> Picture:
    """Figure 3: rank minus median rank of the closest words, by quantiles."""
    table = tables.get("rank_changes")
    if not table or not table.height:
        return Picture()
    rows = telling(tables, list(table.records()))
    end = max(abs(row[name]) for row in rows for name in ("p05", "p95")) or 1.0
    drawn = drawn_as([row["group"] for row in rows])

    def across(value: float) -> float:
        return 6 + (WIDTH - 12) * (value + end) / (2 * end)

    parts: list[str] = []
    for k, row in enumerate(rows):
        y, style = TOP + ROW * k, drawn[row["group"]].style
        jumps = f"from {signed(row['least'], 0)} to {signed(row['largest'], 0)} at most"
        parts += [
            text(0, y - 12, f"{short(row['group'], 26)}: {jumps}", f"{style} own bold"),
            line(across(-end), y, across(end), y, "grid"),
            line(across(row["p05"]), y, across(row["p95"]), y, f"{style} line thin"),
            line(across(row["p25"]), y, across(row["p75"]), y, f"{style} line"),
            mark(across(row["p50"]), y, drawn[row["group"]].shape, f"{style} full", 5),
        ]
    bottom = TOP + ROW * len(rows) - 16
    parts += axis_below(
        [(x, minus(label)) for x, label in round_ticks(-end, end, 5)],
        across,
        bottom,
        "rank minus median rank over the runs",
    )
    label = "; ".join(f"{row['group']}: half within {signed(row['p25'], 1)} to {signed(row['p75'], 1)}" for row in rows)
    title = f"How far closest words move in the lists from run to run: half of the ranks within {_middle(rows)}"
    return Picture(title, [figure(bottom + 44, parts, f"Changes of rank. {label}")])


def _middle(rows: Sequence[Row]) -> str:
    names = called(row["group"] for row in rows)
    return ", ".join(f"{signed(row['p25'], 1)} to {signed(row['p75'], 1)} ({names[row['group']]})" for row in rows[:4])


FIGURES: Figures = {
    "spread": (
        "Root of the mean variance of the cosines of a query with its ten closest words; whiskers are 95 % intervals "
        "over runs. The second panel puts it on the scale of the space, so that techniques and sizes compare: where "
        "all cosines are near 1 their SD is small and says nothing.",
        spread,
    ),
    "jaccard": (
        "Set Jaccard of the lists of two runs, mean over query words and pairs of runs; whiskers are 95 % intervals.",
        jaccard,
    ),
    "ranks": (
        "Rank of each of the closest words in every run, minus its median over the runs: thick from the first to the "
        "third quartile, thin from 5 to 95 %. The paper draws words whose mean rank is within the list: maybe none.",
        ranks,
    ),
    "units": ("Share of the pairs of query and close word whose SD over bootstrap runs is at most so much.", units),
    "sizes": (
        "Share of the pairs of query and close word whose SD, in parts of the query's SD over all words, is at most so "
        "much. A part of the corpus is its first documents: size and period differ together.",
        sizes,
    ),
    "number_of_runs": (
        "SD of the cosine of a query with its 20 closest words by number of runs: √(mean variance) and the paper's "
        "mean population SD, over all stretches of so many runs; dashed: what its bias alone would give.",
        number_of_runs,
    ),
}
"""How to read each figure, and its drawing."""
