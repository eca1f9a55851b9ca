"""Figures 1 to 6 of the paper, each with its errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot, room, short
from gpustab.report.svg.scales import round_ticks
from gpustab.report.svg.series import Series, called, series
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.claims import STABILISES, is_flat
from gpustab.studies.bootstrap.tables import estimate

if TYPE_CHECKING:
    from gpustab.report.describe import Figures

Row = dict[str, Any]
Bar = tuple[str, float, float, float]
"""Name of a group, value, ends of its interval."""

_ROW, _TOP = 40.0, 30.0
_SAMPLINGS = {"bootstrap": ("bootstrap", 0), "shuffled": ("shuffled", 1), "fixed": ("fixed", 2)}


def spread(tables: Tables) -> Picture:
    """Figure 1: the spread of the cosines by technique and setting, as it is and on the scale of the space."""
    rows = _rows(tables)
    if len(rows) < 2:
        return Picture()
    panels = [
        _bars([_exp(row, "log_spread") for row in rows], rows, "SD of the cosines, √(mean variance)"),
        _bars([_exp(row, "relative") for row in rows], rows, "in parts of the query's SD over all words"),
    ]
    said = _told(rows, lambda row: number(row["spread"], 2))
    return Picture(f"How much the cosines of the ten closest words vary over runs: {said}", panels)


def jaccard(tables: Tables) -> Picture:
    """Figure 2: how much the lists of two runs share, of two words and of ten."""
    rows = _rows(tables)
    if len(rows) < 2:
        return Picture()
    panels = [
        _bars([(row["group"], *_ends(estimate(row, name))) for row in rows], rows, title, 1.0)
        for name, title in (("j2", "Jaccard of the two nearest words"), ("jn", "Jaccard of the whole lists"))
    ]
    said = _told(rows, lambda row: f"{row['jn_value']:.2f}")
    return Picture(f"How much the lists of two runs agree (1: the same words): {said}", panels)


def ranks(tables: Tables) -> Picture:
    """Figure 3: rank minus median rank of the closest words, by quantiles."""
    table = tables.get("rank_changes")
    if not table or not table.height:
        return Picture()
    rows = _telling(tables, list(table.rows()))
    end = max(abs(row[name]) for row in rows for name in ("p05", "p95")) or 1.0
    drawn = _drawn([row["group"] for row in rows])

    def across(value: float) -> float:
        return 6 + (WIDTH - 12) * (value + end) / (2 * end)

    parts: list[str] = []
    for k, row in enumerate(rows):
        y, style = _TOP + _ROW * k, drawn[row["group"]].style
        jumps = f"from {_signed(row['least'], 0)} to {_signed(row['largest'], 0)} at most"
        parts += [
            text(0, y - 12, f"{short(row['group'], 26)}: {jumps}", f"{style} own bold"),
            line(across(-end), y, across(end), y, "grid"),
            line(across(row["p05"]), y, across(row["p95"]), y, f"{style} line thin"),
            line(across(row["p25"]), y, across(row["p75"]), y, f"{style} line"),
            mark(across(row["p50"]), y, drawn[row["group"]].shape, f"{style} full", 5),
        ]
    bottom = _TOP + _ROW * len(rows) - 16
    parts += _axis(
        [(x, label.replace("-", "−")) for x, label in round_ticks(-end, end, 5)],
        across,
        bottom,
        "rank minus median rank over the runs",
    )
    label = "; ".join(f"{row['group']}: half within {_signed(row['p25'])} to {_signed(row['p75'])}" for row in rows)
    title = f"How far closest words move in the lists from run to run: half of the ranks within {_middle(rows)}"
    return Picture(title, [figure(bottom + 44, parts, f"Changes of rank. {label}")])


def _middle(rows: Sequence[Row]) -> str:
    names = called(row["group"] for row in rows)
    return ", ".join(f"{_signed(row['p25'])} to {_signed(row['p75'])} ({names[row['group']]})" for row in rows[:4])


def _signed(value: float, digits: int = 1) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def units(tables: Tables) -> Picture:
    """Figure 4: the SDs of bootstrap runs of sentences beside those of documents."""
    return _compared(tables, "unit", "sd", "SD of the cosine", "Documents and sentences as units")


def sizes(tables: Tables) -> Picture:
    """Figure 5: the SDs of bootstrap runs of a part of the corpus beside those of all of it, on a scale-free axis."""
    title = "SD in parts of the query's SD over all words"
    return _compared(tables, "fraction", "relative", title, "Parts of the corpus")


def _compared(tables: Tables, field: str, value: str, axis: str, what: str) -> Picture:
    """Cumulated shares of word pairs by their SD, where bootstrap groups differ in one field."""
    rows = [row for row in _rows(tables) if row["sampling"] == "bootstrap"]
    if len({row[field] for row in rows}) < 2:
        return Picture()
    groups = [row["group"] for row in rows]
    values = {
        group: sorted(x for row in tables["pairs"].rows(group=group) if (x := row[value]) == x) for group in groups
    }
    values = {group: own for group, own in values.items() if own}
    if len(values) < 2:
        return Picture()
    drawn, names = series(values), called(values)
    plot = Plot((0, max(own[-1] for own in values.values())), (0, 1), right=room(short(n) for n in names.values()))
    plot.axes(axis, "share of word pairs up to that SD")
    for group, own in values.items():
        plot.curve(own, [(k + 1) / len(own) for k in range(len(own))], f"{drawn[group].style} line")
    middles = {group: own[len(own) // 2] for group, own in values.items()}
    plot.labels((short(names[group]), 1 - 0.08 * k, drawn[group].style) for k, group in enumerate(values))
    said = ", ".join(f"{names[group]} {number(x, 2)}" for group, x in middles.items())
    return Picture(f"{what}: the median SD of a pair over bootstrap runs is {said}", [plot.done(f"{what}: {said}")])


def number_of_runs(tables: Tables) -> Picture:
    """Figure 6: the SD by number of runs, the paper's and an unbiased one."""
    table = tables.get("by_runs")
    if not table or not table.height:
        return Picture()
    parts = [(group, list(own.rows())) for group, own in table.split("group") if own.height > 2]
    bootstraps = {row["group"] for row in _rows(tables) if row["sampling"] == "bootstrap"}
    parts = [(group, rows) for group, rows in parts if group in bootstraps] or parts
    telling = {row["group"] for row in _telling(tables, [{"group": group} for group, _ in parts])}
    parts = [(group, rows) for group, rows in parts if group in telling]
    if not parts:
        return Picture(missing="The SD by number of runs needs four runs or more.")
    return Picture(_of_bias(tables, parts), [_curves(group, rows) for group, rows in parts])


def _of_bias(tables: Tables, parts: Sequence[tuple[str, list[Row]]]) -> str:
    """The title: that the rise is a bias where the finding was judged so."""
    judged = {row["technique"]: row["agrees"] for row in tables["claims"].rows(claim=STABILISES)}
    group, rows = next((part for part in parts if judged.get(part[0]) == "no"), parts[0])
    first, limit = rows[0], rows[-1]["unbiased"]
    if judged.get(group) == "no":
        return (
            f"The paper's SD rises with the runs because it is biased: over {first['runs']} runs of {group} it is "
            f"{number(first['paper'], 2)}, and bias alone would make {number(first['bias'] * limit, 2)} of "
            f"{number(limit, 2)}"
        )
    return (
        f"The SD of {group} is {number(limit, 2)}; by {first['runs']} runs {number(first['unbiased'], 2)}, without bias"
    )


def _telling(tables: Tables, rows: list[Row]) -> list[Row]:
    """The rows of groups that tell near words apart; all where none does."""
    flat = {row["group"] for row in _rows(tables) if is_flat(row)}
    return [row for row in rows if row["group"] not in flat] or rows


def _curves(group: str, rows: Sequence[Row]) -> str:
    runs = [row["runs"] for row in rows]
    style = _drawn([group])[group].style
    names = ("unbiased", "paper's", "bias alone")
    limit = rows[-1]["unbiased"]
    top = 1.15 * max(row["unbiased"] * (1 + row["error"] / 2) for row in rows)
    plot = Plot((runs[0], runs[-1]), (0, top), right=room(names))
    plot.axes(f"runs of {short(group, 34)}", "SD of the cosine")
    curves = [[row[name] for row in rows] for name in ("unbiased", "paper")]
    curves.append([row["bias"] * limit for row in rows])
    for ys, kind in zip(curves, (f"{style} line", "ink line thin", "axis dash"), strict=True):
        plot.curve(runs, ys, kind)
    plot.labels((name, ys[-1], s) for name, ys, s in zip(names, curves, (style, "ink", "soft"), strict=True))
    return plot.done(f"{group}: unbiased {number(limit, 3)}, the paper's at {runs[0]} runs {number(curves[1][0], 3)}")


def _rows(tables: Tables) -> list[Row]:
    table = tables.get("settings")
    return list(table.rows()) if table else []


def _drawn(groups: Iterable[str]) -> dict[str, Series]:
    """Every group in the colour of its sampling, whatever its technique is; other groups in a colour of their own."""
    names = list(dict.fromkeys(groups))
    own = series(names)
    found = {name: next((s for s in _SAMPLINGS if f"/{s}" in name), "") for name in names}
    return {name: Series(*_SAMPLINGS[kind]) if kind else own[name] for name, kind in found.items()}


def _ends(found: Estimate) -> tuple[float, float, float]:
    return found.value, *found.interval


def _exp(row: Row, name: str) -> Bar:
    value, low, high = (math.exp(min(x, 50)) if x == x else math.nan for x in _ends(estimate(row, name)))
    return row["group"], value, low, high


def _bars(bars: Sequence[Bar], rows: Sequence[Row], axis: str, top: float = 0.0) -> str:
    """A row for every group: its value with its interval, from 0 on."""
    drawn = _drawn([row["group"] for row in rows])
    largest = max((value for _, value, _, _ in bars if value == value), default=1.0)
    ends = [min(high, 1.6 * largest) for _, _, _, high in bars if high == high]
    top = top or 1.05 * max(largest, *ends, 1e-9)  # an interval without bound shall not squeeze the others

    def across(value: float) -> float:
        return 6 + (WIDTH - 12) * min(max(value, 0.0), top) / top

    parts: list[str] = []
    for k, (name, value, low, high) in enumerate(bars):
        if value != value:
            continue
        y, style = _TOP + _ROW * k, drawn[name].style
        parts += [
            text(0, y - 12, f"{short(name, 30)}: {_with_ends(value, low, high)}", f"{style} own bold"),
            line(across(0), y, across(top), y, "grid"),
            whisker(across(low), across(high), y, f"{style} line") if low == low else "",
            mark(across(value), y, drawn[name].shape, f"{style} full", 5),
        ]
    bottom = _TOP + _ROW * len(bars) - 16
    parts += _axis(round_ticks(0, top, 5), across, bottom, axis)
    label = "; ".join(f"{name} {_with_ends(value, low, high)}" for name, value, low, high in bars)
    return figure(bottom + 44, parts, f"{axis}. {label}")


def _with_ends(value: float, low: float, high: float) -> str:
    return number(value, 2) if low != low else f"{number(value, 2)} ({number(low, 2)} – {number(high, 2)})"


def _axis(ticks: Sequence[tuple[float, str]], across: Callable[[float], float], bottom: float, title: str) -> list[str]:
    parts = [line(across(ticks[0][0]), bottom, WIDTH - 6, bottom)]
    for value, label in ticks:
        x = across(value)
        where = "start" if x < 20 else "end" if x > WIDTH - 20 else "middle"
        parts += [line(x, bottom, x, bottom + 4), text(x, bottom + 17, label, "soft", where)]
    return [*parts, text(WIDTH / 2, bottom + 35, title, "soft", "middle")]


def _told(rows: Sequence[Row], form: Callable[[Row], str]) -> str:
    names = called(row["group"] for row in rows)
    said = ", ".join(f"{names[row['group']]} {form(row)}" for row in rows[:6])
    return said + ", …" * (len(rows) > 6)


FIGURES: Figures = {
    "spread": (
        "Root of the mean variance of the cosines of a query with its ten closest words; whiskers are 95 % intervals "
        "over runs. The second panel puts it on the scale of the space, so that techniques and sizes compare: where "
        "all "
        "cosines are near 1 their SD is small and says nothing.",
        spread,
    ),
    "jaccard": (
        "Set Jaccard of the lists of two runs, mean over query words and pairs of runs; whiskers are 95 % intervals "
        "over "
        "runs.",
        jaccard,
    ),
    "ranks": (
        "Rank of each of the closest words in every run, minus its median over the runs: thick from the first to the "
        "third quartile, thin from 5 to 95 %. The paper draws words whose mean rank is within the list, which may be "
        "none.",
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
        "mean "
        "population SD, over all stretches of so many runs; dashed: what the bias of a population SD alone would give.",
        number_of_runs,
    ),
}
"""How to read each figure, and its drawing."""
