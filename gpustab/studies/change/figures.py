"""The figures of change: the ways of words, and the law of frequency over the number of averaged runs."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise

from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import Plot, room, short
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.floor_figure import floors, floors_of_others
from gpustab.studies.change.named import asked, called, compared


def ways(tables: Tables) -> Picture:
    """One panel for every series that answers the question, see :func:`_ways`."""
    table = tables.get("trajectories")
    if not table or not table.height:
        return Picture()
    first = table["word"][0]
    series = asked(tables["pairs"]) or list(dict.fromkeys(table["series"]))
    own = [row for row in table.records(word=first) if row["series"] in series]
    far = max(own or table.records(word=first), key=lambda row: row["change"])
    title = f"“{first}” is farthest from {far['reference']} in {far['epoch']} ({number(far['change'], 2)})"
    return Picture(title, _ways(tables, series))


def ways_of_others(tables: Tables) -> Picture:
    """The same of documents dealt out at random and of bootstrap runs."""
    pairs = tables.get("pairs", Table())
    own = asked(pairs)
    return Picture("", _ways(tables, [series for series in called(pairs) if series not in own]))


def _ways(tables: Tables, series: Sequence[str]) -> list[str]:
    """The change of every followed word against the reference period, with its band; all panels on one scale."""
    table = tables.get("trajectories")
    if not table or not table.height:
        return []
    panels, top, titles = [], max(table["change"]) * 1.25 or 1.0, called(tables["pairs"])
    epochs = _in_time(tables)
    for name in series:
        part = table.where(series=name)
        if not part.height:
            continue
        words = part.split("word")
        names = [word for word, _ in words]
        plot = Plot((0.0, max(len(epochs) - 1.0, 1.0)), (0.0, top), right=room(names), height=260)
        plot.axes(
            f"period ({short(titles.get(name, name), 34)})",
            f"change from {part['reference'][0]}",
            [(float(k), short(e, 10)) for k, e in enumerate(epochs)],
        )
        ends = []
        for k, (word, own) in enumerate(words):
            xs, ys = [float(epochs.index(e)) for e in own["epoch"]], list(own["change"])
            half = [Estimate(*row).half for row in zip(ys, own["se"], own["freedom"], strict=True)]
            low, high = ([y + sign * h for y, h in zip(ys, half, strict=True)] for sign in (-1, 1))
            style = f"g{k % 7}"
            plot.band(xs, low, high, f"{style} area")
            plot.curve(xs, ys, f"{style} line").marks(xs, ys, k, f"{style} full")
            ends.append((word, ys[-1], style))
        panels.append(plot.labels(ends).done(f"Change of {', '.join(names)} over periods, {titles.get(name, name)}"))
    return panels


def _in_time(tables: Tables) -> list[str]:
    """The periods that have rows, in order of time: what comes before what is in the pairs, and in every word's rows.

    A word that lacks a period does not say where it stands.
    """
    table = tables["trajectories"]
    rows = [list(part["epoch"]) for _, own in table.split("series") for _, part in own.split("word")]
    after: dict[str, set[str]] = {}
    for one, two in [*((r["first"], r["second"]) for r in tables["pairs"].records()), *chain(*map(pairwise, rows))]:
        after.setdefault(one, set())
        after.setdefault(two, set()).add(one)
    there = dict.fromkeys(table["epoch"])
    try:
        order = list(TopologicalSorter(after).static_order())
    except CycleError:  # series that order the same names otherwise
        order = []
    return sorted(there, key=lambda epoch: order.index(epoch) if epoch in order else -1)


def laws(tables: Tables) -> Picture:
    """R² of frequency over the number of averaged runs: a line for what answers the question, and for its controls."""
    table = tables.get("laws")
    if not table or not table.height:
        return Picture()
    shown = compared(tables["pairs"])
    lines = [(series, part) for series, part in table.split("series") if series in shown]
    if max(table["n"]) < 2:
        return Picture(missing="The law over the number of averaged runs needs two runs or more of every period.")
    titles = called(tables["pairs"])
    names = {series: short(titles[series], 24) for series, _ in lines}
    top = max(table["r2_marginal"]) * 1.25 or 1.0
    plot = Plot((1.0, float(max(table["n"]))), (0.0, top), right=room(names.values()), log=True)
    plot.axes("runs averaged", "R² of frequency", [(float(n), str(n)) for n in sorted(set(table["n"]))])
    ends = []
    for k, (series, part) in enumerate(lines):
        xs, ys = list(map(float, part["n"])), list(part["r2_marginal"])
        plot.curve(xs, ys, f"g{k % 7} line" + (" dash" if part["control"][0] else "")).marks(
            xs, ys, k, f"g{k % 7} full"
        )
        half = [1.96 * se for se in part["r2_se"]]
        plot.errors(
            xs,
            [y - h for y, h in zip(ys, half, strict=True)],
            [y + h for y, h in zip(ys, half, strict=True)],
            f"g{k % 7} line thin",
        )
        ends.append((names[series], ys[-1], f"g{k % 7}"))
    told = ", ".join(f"{names[s]} {p['r2_marginal'][0]:.0%} to {p['r2_marginal'][-1]:.0%}" for s, p in lines[:4])
    title = f"From one run to the average of {max(table['n'])} the share of frequency goes: {told}"
    return Picture(title, [plot.labels(ends).done(title)])


FIGURES: Figures = {
    "floors": (
        "Means over words, with 95 % intervals over runs. Above: the change between a run of each, beside what two "
        "runs and two samplings of one period differ by. Below: without the noise of training, beside documents dealt "
        "out at random, between which nothing changed.",
        floors,
    ),
    "floors_of_others": ("The same of what the change is compared with, on the same scale.", floors_of_others),
    "ways": (
        "Change of a word's average vector against the reference period, bands 95 % over runs. A period without the "
        "word has no mark.",
        ways,
    ),
    "ways_of_others": ("The followed words in what they are compared with, on the same scale.", ways_of_others),
    "laws": (
        "Share of the variance of log change that log frequency explains, over the number of averaged runs; dashed "
        "where nothing changed. Whiskers: 95 %, over words.",
        laws,
    ),
}
"""How to read each figure, and its drawing."""
