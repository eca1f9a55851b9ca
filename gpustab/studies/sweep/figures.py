"""The figure of a sweep: stability and scores over the values of each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpustab.report.svg.axes import Axis
from gpustab.report.svg.charts import LINE, MARKS, WHISKERS, Curve, lines
from gpustab.report.svg.colours import nth, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.results.page import cell, number, percent
from gpustab.studies.sweep.claims_of_parameters import ALONG, Along, P, effects
from gpustab.studies.sweep.claims_of_sizes import STEADIER
from gpustab.studies.sweep.measure import FEW_PAIRS, SHARE
from gpustab.studies.sweep.page_of_sizes import judged_sampling
from gpustab.studies.sweep.sizes import DISAGREEMENT, MEASURES
from gpustab.studies.sweep.tables_of_sizes import EFFECTS, SIZES

_MOST = 3
"""So many parameters have panels."""


@drawn_from("along")
def parameters(table: Table, _: Tables) -> Picture:
    """Three panels a parameter: shared neighbours, losses in parts of chance, and scores that can be judged."""
    panels, of_effect = [], list(effects(table, {}, Table()))
    kinds = {effect.parameter: effect.kind for effect, _ in of_effect}
    for name, part in list(table.split("parameter"))[:_MOST]:
        rows = list(ALONG.rows({ALONG.name: part}))
        values = list(dict.fromkeys(row.value for row in rows))
        panels.append(_panel(name, values, [row for row in rows if row.measure == P], "share of ten neighbours, p@10"))
        panels.append(_panel(name, values, [row for row in rows if row.measure == SHARE], "PIP loss, parts of chance"))
        scores = [row for row in rows if (row.used or 0) >= FEW_PAIRS and row.sampling == kinds[name]]
        if scores:
            panels.append(_panel(name, values, scores, f"scores of tests, {kinds[name]} runs", tests=True))
    effect = of_effect[0][0]
    title = (
        f"From {effect.name} {cell(effect.low)} to {cell(effect.high)}, shared neighbours go from "
        f"{number(effect.before.value, 2)} to {number(effect.after.value, 2)} ({effect.kind} runs)"
    )
    return Picture(title, panels)


def _panel(name: str, values: Sequence[Any], rows: Sequence[Along], title: str, *, tests: bool = False) -> str:
    """One line a sampling, or a test; values of no order stand at equal distances."""
    ordered = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    places = {cell(value): float(value if ordered else k) for k, value in enumerate(values)}
    ticks = [(place, text) for text, place in places.items()]
    wide = ordered and min(values) > 0 and max(values) / min(values) > 4
    names = list(dict.fromkeys(row.measure if tests else row.sampling for row in rows))
    looks = {one: nth(k) for k, one in enumerate(names)} if tests else series(names)
    curves = []
    for one in names:
        own = [row for row in rows if (row.measure if tests else row.sampling) == one]
        low, high = zip(*(row.estimate.interval for row in own), strict=True)
        xs = [places[cell(row.value)] for row in own]
        curves.append(Curve(xs, [row.mean for row in own], *looks[one], one, low, high, (LINE, WHISKERS, MARKS)))
    ends = "; ".join(f"{x.name} {number(x.y[0], 2)} to {number(x.y[-1], 2)}" for x in curves)
    return lines(
        Axis(name.replace("_", " "), ticks=ticks, log=wide),
        Axis(title, low=None if tests else 0.0, high=None if tests else 1.0, reaches=0.0),
        curves,
        f"{title} over {name}. {ends}",
        height=240,
    )


@drawn_from("sizes")
def sizes(table: Table, tables: Tables) -> Picture:
    """What a probe changes its mind about, over the memory a word takes; one line for each number of dimensions."""
    kind = judged_sampling({SIZES.name: table})
    rows = list(SIZES.rows({SIZES.name: table}, sampling=kind))
    panels = []
    for measure, title in {DISAGREEMENT: "share of words told another class", **MEASURES}.items():
        own = sorted((row for row in rows if row.measure == measure), key=lambda row: row.bits)
        curves = []
        for k, dim in enumerate(sorted({row.dim for row in own})):
            line = [row for row in own if row.dim == dim]
            low, high = zip(
                *((max(low, 0.0), high) for low, high in (row.estimate.interval for row in line)), strict=True
            )
            memory = [float(row.memory) for row in line]
            name = f"{dim} dimensions"
            curves.append(Curve(memory, [row.mean for row in line], *nth(k), name, low, high, (LINE, WHISKERS, MARKS)))
        ends = "; ".join(f"{x.name} {number(x.y[0], 2)} to {number(x.y[-1], 2)}" for x in curves)
        axis = Axis("bits a word (dimensions × bits a number)", log=True)
        panels.append(
            lines(axis, Axis(title, reaches=0.0), curves, f"{title} over memory. {ends}", keyed=True, height=240)
        )
    by_memory = next((e for e in EFFECTS.rows(tables, sampling=kind) if e.what == "memory"), None)
    title = "What a classifier on top changes its mind about, by the size of the space"
    if by_memory and STEADIER.judge(by_memory) != "no test":
        title = (
            f"From {by_memory.low:,} to {by_memory.high:,} bits a word, a probe changes its mind about "
            f"{percent(by_memory.after)} of the words instead of {percent(by_memory.before)} ({kind} runs)"
        )
    return Picture(title, panels)


FIGURES: Figures = {
    "parameters": (
        "Each mark is one setting, with its 95 % interval over runs; the baseline is among them. Scores are of tests "
        f"with {FEW_PAIRS} pairs or more, of the runs that the sentences speak of. wordsim353 and simlex999 rank pairs "
        "of words by people's judgements (Spearman's ρ), questions-words asks for the fourth word of an analogy (share "
        "solved).",
        parameters,
    ),
    "sizes": (
        "Each mark is one size, with its 95 % interval over runs; along a line the bits of a number grow, from the "
        "same trained vectors. The first panel has how often two runs make a probe tell another class of a word, the "
        "others measures of the spaces alone: the lower, the more stable.",
        sizes,
    ),
}
"""How to read the figure, and its drawing."""
