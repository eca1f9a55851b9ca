"""Figures 4 to 6: SDs of word pairs by unit and size, and by number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpustab.report.svg.colours import series
from gpustab.report.svg.picture import Picture, Tables
from gpustab.report.svg.plot import Plot, room, short
from gpustab.results.page import number
from gpustab.studies.bootstrap.drawing import Row, drawn_as, settings_of, telling
from gpustab.studies.bootstrap.rules import STABILISES, is_flat


def units(tables: Tables) -> Picture:
    """Figure 4: the SDs of bootstrap runs of sentences beside those of documents."""
    return _compared(tables, "unit", "sd", "SD", "Documents and sentences as units")


def sizes(tables: Tables) -> Picture:
    """Figure 5: the SDs of bootstrap runs of a part of the corpus beside those of all of it, on a scale-free axis."""
    title = "SD of scale"
    return _compared(tables, "fraction", "relative", title, "Parts of the corpus")


def _compared(tables: Tables, field: str, value: str, axis: str, what: str) -> Picture:
    """Cumulated shares of word pairs by their SD: a panel for bootstrap groups that differ in one field alone."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in settings_of(tables):
        if row["sampling"] == "bootstrap" and not is_flat(row):
            found.setdefault(tuple(row[name] for name in _FIELDS if name != field), []).append(row)
    panels, said = [], []
    for own in found.values():
        curves = {row[field]: _known(tables["pairs"].records(group=row["group"]), value) for row in own}
        curves = {name: values for name, values in curves.items() if values}
        if len(curves) > 1:
            middles = ", ".join(f"{_called(name)} {number(x[len(x) // 2], 2)}" for name, x in curves.items())
            said.append(f"{own[0]['technique']}: {middles}")
            panels.append(_cumulated(curves, f"{axis}, {short(own[0]['group'], 20)} …", said[-1]))
    if not panels:
        return Picture()
    return Picture(f"{what}: the median SD of a pair over bootstrap runs is, of {'; '.join(said[:3])}", panels)


_FIELDS = ("technique", "unit", "fraction", "part")


def _known(rows: Iterable[Row], value: str) -> list[float]:
    return sorted(x for row in rows if (x := row[value]) == x)


def _called(name: str | float) -> str:
    return name if isinstance(name, str) else f"{100 * name:.0f} %"


def _cumulated(curves: Mapping[Any, Sequence[float]], axis: str, label: str) -> str:
    names = [_called(name) for name in curves]
    plot = Plot((0, max(own[-1] for own in curves.values())), (0, 1), right=room(names))
    plot.axes(axis, "share of word pairs up to that SD")
    drawn = series(names)
    for name, own in zip(names, curves.values(), strict=True):
        plot.curve(own, [(k + 1) / len(own) for k in range(len(own))], f"{drawn[name].style} line")
    plot.labels((name, 1 - 0.08 * k, drawn[name].style) for k, name in enumerate(names))
    return plot.done(label)


def number_of_runs(tables: Tables) -> Picture:
    """Figure 6: the SD by number of runs, the paper's and an unbiased one."""
    table = tables.get("by_runs")
    if not table or not table.height:
        return Picture()
    parts = [(group, list(own.records())) for group, own in table.split("group") if own.height > 2]
    bootstraps = {row["group"] for row in settings_of(tables) if row["sampling"] == "bootstrap"}
    parts = [(group, rows) for group, rows in parts if group in bootstraps] or parts
    clear = {row["group"] for row in telling(tables, [{"group": group} for group, _ in parts])}
    parts = [(group, rows) for group, rows in parts if group in clear]
    if not parts:
        return Picture(missing="The SD by number of runs needs four runs or more.")
    return Picture(_of_bias(tables, parts), [_curves(group, rows) for group, rows in parts])


def _of_bias(tables: Tables, parts: Sequence[tuple[str, list[Row]]]) -> str:
    """The title: that the rise is a bias where the finding was judged so."""
    judged = {row["technique"]: row["agrees"] for row in tables["claims"].records(claim=STABILISES)}
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


def _curves(group: str, rows: Sequence[Row]) -> str:
    runs = [row["runs"] for row in rows]
    style = drawn_as([group])[group].style
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
