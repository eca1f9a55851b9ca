"""The figures of the paper with their errors: spread, agreement and ranks by setting; SDs of pairs; number of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from gpustab.report.origin import in_words
from gpustab.report.svg.axes import Axis, at, known, round_ticks, short
from gpustab.report.svg.charts import Curve, curve, lines
from gpustab.report.svg.colours import Series, called, listing, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from, each
from gpustab.report.svg.rows import CLOSE, Dot, Row, dots
from gpustab.results import Table
from gpustab.results.page import minus, number, signed
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.claims import FLAT, STABILISES
from gpustab.studies.shared.wording import the_runs

Ends = tuple[float, float, float]
"""A number and the ends of its interval."""

_TICKS = 6
_SAMPLINGS = {"bootstrap": ("bootstrap", 0), "shuffled": ("shuffled", 1), "fixed": ("fixed", 2)}
_QUANTILES = ("p05", "p25", "p50", "p75", "p95")
_FIELDS = ("technique", "unit", "fraction", "part")


@drawn_from("settings")
def spread(settings: Table, _: Tables) -> Picture:
    """Figure 1: the spread of the cosines by technique and setting, as it is and on the scale of the space."""
    raw = _bars(_ends(settings, "log_spread", _unlogged), "SD of the cosines, √(mean variance)")
    relative = _bars(_ends(settings, "relative", _unlogged), "in parts of the SD of its cosines with all words")
    said = _listed(settings, "spread", lambda value: number(value, 2))
    return _beside(settings, f"How much the cosines of the ten closest words vary over runs: {said}", raw, relative)


@drawn_from("settings")
def jaccard(settings: Table, _: Tables) -> Picture:
    """Figure 2: how much the lists of two runs share, of two words and of ten."""
    two = _bars(_ends(settings, "j2"), "Jaccard of the two nearest words", 1.0)
    whole = _bars(_ends(settings, "jn"), "Jaccard of the whole lists", 1.0)
    said = _listed(settings, "jn_value", "{:.2f}".format)
    return _beside(settings, f"How much the lists of two runs agree (1: the same words): {said}", two, whole)


def _beside(settings: Table, title: str, *panels: str) -> Picture:
    """Panels of two groups or more: one alone has nothing beside it."""
    return Picture(title, list(panels)) if settings.height > 1 else Picture()


def _ends(settings: Table, name: str, scale: Callable[[float], float] = float) -> dict[str, Ends]:
    """A number of every group with the ends of its interval."""
    columns = (f"{name}_value", f"{name}_se", f"{name}_freedom")
    estimates = {group: Estimate(*numbers) for group, *numbers in each(settings, "group", *columns)}
    return {group: (scale(of.value), scale(of.interval[0]), scale(of.interval[1])) for group, of in estimates.items()}


def _unlogged(value: float) -> float:
    return math.exp(min(value, 50))


def _bars(numbers: Mapping[str, Ends], axis: str, top: float = 0.0) -> str:
    """A row for every group: its value with its interval, from 0 on; up to ``top``, where the scale ends there."""
    numbers = {name: (x, max(low, 0.0), min(high, top or high)) for name, (x, low, high) in numbers.items()}
    looks, said = _looks(numbers), {name: _with_ends(*ends) for name, ends in numbers.items()}
    largest = max((value for value, _, _ in numbers.values() if value == value), default=1.0)
    highs = [min(high, 1.6 * largest) for _, _, high in numbers.values() if high == high]
    top = top or 1.05 * max(largest, *highs, 1e-9)  # an interval without bound shall not squeeze the others
    rows = [
        Row(f"{short(in_words(name), 40)}: {said[name]}", [Dot(value, *looks[name], low, high)], looks[name].style)
        if value == value
        else None
        for name, (value, low, high) in numbers.items()
    ]
    label = "; ".join(f"{name} {text}" for name, text in said.items())
    return dots(rows, Axis(axis, 0, top), CLOSE, f"{axis}. {label}")


def _with_ends(value: float, low: float, high: float) -> str:
    return number(value, 2) if low != low else f"{number(value, 2)} ({number(low, 2)} – {number(high, 2)})"


def _listed(table: Table, column: str, form: Callable[[float], str]) -> str:
    """What is said of each group as a list for a title."""
    names = called(table["group"])
    return listing([(names[group], form(value)) for group, value in each(table, "group", column)], 6)


def _looks(groups: Iterable[str]) -> dict[str, Series]:
    """Every group in the colour of its sampling, whatever its technique is; other groups in a colour of their own."""
    names = list(dict.fromkeys(groups))
    kinds = {name: next((kind for kind in _SAMPLINGS if f"/{kind}" in name), "") for name in names}
    return series(names) | {name: Series(*_SAMPLINGS[kind]) for name, kind in kinds.items() if kind}


def _flat(tables: Tables) -> set[str]:
    """The groups that do not tell near words apart."""
    return {group for group, cosine in each(tables.get("settings", Table()), "group", "mean_value") if cosine > FLAT}


@drawn_from("rank_changes")
def ranks(table: Table, tables: Tables) -> Picture:
    """Figure 3: rank minus median rank of the closest words, by quantiles."""
    flat = _flat(tables)
    clear = [k for k, group in enumerate(table["group"]) if group not in flat]
    table = table.take(clear) if clear else table
    looks, names = _looks(table["group"]), called(table["group"])
    end = 1.08 * max(abs(x) for pair in each(table, "p05", "p95") for x in pair) or 1.0
    rows = []
    for group, least, largest, p05, p25, p50, p75, p95 in each(table, "group", "least", "largest", *_QUANTILES):
        look = looks[group]
        dot = Dot(p50, *look, spans=((p05, p95, "line thin"), (p25, p75, "line")))
        jumps = f"from {signed(least, 0)} to {signed(largest, 0)} at most"
        rows.append(Row(f"{short(in_words(group), 36)}: {jumps}", [dot], look.style))
    halves = [(group, _half(a, b)) for group, a, b in each(table, "group", "p25", "p75")]
    label = "; ".join(f"{group}: half {half}" for group, half in halves)
    ticks = [(x, minus(tick)) for x, tick in round_ticks(-end, end, 5)]
    axis = Axis("rank minus median rank over the runs", -end, end, ticks)
    middle = listing(((names[group], half) for group, half in halves), 4)
    title = f"Half of the places of the closest words, from run to run, {middle}"
    return Picture(title, [dots(rows, axis, CLOSE, f"Changes of rank. {label}")])


def _half(low: float, high: float) -> str:
    """How far the middle half of the places moves.

    >>> _half(-3.04, 6.8), _half(0.0, 0.2), _half(-1.0, 0.0)
    ('move by −3 to +7', 'stay', 'move by −1 to 0')
    """
    low, high = round(low), round(high)
    return f"move by {signed(low, 0)} to {signed(high, 0)}" if low or high else "stay"


def _compared(field: str, value: str, axis: str, what: str, tables: Tables) -> Picture:
    """Figures 4, 5: cumulated shares of word pairs by their SD; a panel for bootstrap groups that differ in a field."""
    flat, others = _flat(tables), [name for name in _FIELDS if name != field]
    alike: dict[tuple[Any, ...], dict[Any, str]] = {}
    for group, of, *same in each(_bootstrapped(tables), "group", field, *others):
        if group not in flat:
            alike.setdefault(tuple(same), {})[of] = group
    panels, said = [], []
    for (technique, *_), groups in alike.items():
        values = {of: sorted(known(tables["pairs"].where(group=group)[value])) for of, group in groups.items()}
        values = {of: xs for of, xs in values.items() if xs}
        if len(values) > 1:
            middles = ", ".join(f"{_size(of)} {number(xs[len(xs) // 2], 2)}" for of, xs in values.items())
            said.append(f"{technique}: {middles}")
            panels.append(_cumulated(values, f"{axis}, {short(next(iter(groups.values())), 20)} …", said[-1]))
    if not panels:
        return Picture()
    return Picture(f"{what}: the median SD of a pair over bootstrap runs is, of {'; '.join(said[:3])}", panels)


def _bootstrapped(tables: Tables) -> Table:
    return tables.get("settings", Table()).where(sampling="bootstrap")


def _size(of: str | float) -> str:
    return of if isinstance(of, str) else f"{100 * of:.0f} %"


def _cumulated(values: Mapping[Any, Sequence[float]], axis: str, label: str) -> str:
    looks = series(map(_size, values))
    curves = [
        Curve(xs, [(k + 1) / len(xs) for k in range(len(xs))], looks[name].style, name=name, end=1 - 0.08 * place)
        for place, (name, xs) in enumerate(zip(map(_size, values), values.values(), strict=True))
    ]
    return lines(Axis(axis, 0), Axis("share of word pairs up to that SD", 0, 1), curves, label)


@drawn_from("by_runs")
def number_of_runs(table: Table, tables: Tables) -> Picture:
    """Figure 6: the SD by number of runs, the paper's and an unbiased one."""
    parts = [(group, rows) for group, rows in table.split("group") if rows.height > 2]
    bootstraps, flat = _bootstrapped(tables).get("group", ()), _flat(tables)
    parts = [(group, rows) for group, rows in parts if group in bootstraps] or parts
    parts = [(group, rows) for group, rows in parts if group not in flat] or parts
    if not parts:
        return Picture(missing="The SD by number of runs needs four runs or more.")
    return Picture(_of_bias(tables, parts), [_by_runs(group, rows) for group, rows in parts])


def _of_bias(tables: Tables, parts: Sequence[tuple[str, Table]]) -> str:
    """The title: that the rise is a bias where the finding was judged so."""
    judged = dict(each(tables["claims"].where(claim=STABILISES.says), "technique", "agrees"))
    group, rows = next((part for part in parts if judged.get(part[0]) == "no"), parts[0])
    (runs, paper, unbiased, bias), limit = next(each(rows, "runs", "paper", "unbiased", "bias")), rows["unbiased"][-1]
    if judged.get(group) == "no":
        return (
            f"Only its bias makes the paper's SD rise with the number of runs: {number(paper, 2)} over {runs} runs of "
            f"{group}, where bias alone gives {number(bias * limit, 2)} (unbiased {number(limit, 2)})"
        )
    return (
        f"Without its bias, the SD is {number(unbiased, 2)} over {runs} of {the_runs(group)} "
        f"and {number(limit, 2)} over all {rows['runs'][-1]}"
    )


def _by_runs(group: str, rows: Table) -> str:
    limit, paper = rows["unbiased"][-1], rows["paper"][0]
    top = 1.15 * max(value * (1 + error / 2) for value, error in each(rows, "unbiased", "error"))
    drawn = [
        curve(rows, "runs", "unbiased", _looks([group])[group].style, name="unbiased"),
        curve(rows, "runs", "paper", "ink", "line thin", name="paper's"),
        curve(rows, "runs", "bias", "axis", "dash", name="bias alone", scale=limit),
    ]
    label = f"{group}: unbiased {number(limit, 3)}, the paper's at {rows['runs'][0]} runs {number(paper, 3)}"
    ticks = at(rows["runs"]) if rows.height <= _TICKS else None  # runs are whole
    return lines(Axis(f"runs of {short(group, 34)}", ticks=ticks), Axis("SD of the cosine", 0, top), drawn, label)


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
        "third quartile, thin from 5 to 95 %. The extremes beside a name may lie beyond the axis. The paper draws "
        "words whose mean rank is within the list: maybe none.",
        ranks,
    ),
    "units": (
        "Share of the pairs of query and close word whose SD over bootstrap runs is at most so much.",
        partial(_compared, "unit", "sd", "SD", "Documents and sentences as units"),
    ),
    "sizes": (
        "Share of the pairs of query and close word whose SD, in parts of the query's SD over all words, is at most so "
        "much. A part of the corpus is its first documents: size and period differ together.",
        partial(_compared, "fraction", "relative", "SD of scale", "Parts of the corpus"),
    ),
    "number_of_runs": (
        "SD of the cosine of a query with its 20 closest words by number of runs: √(mean variance) and the paper's "
        "mean population SD, over all stretches of so many runs; dashed: what its bias alone would give.",
        number_of_runs,
    ),
}
"""How to read each figure, and its drawing."""
