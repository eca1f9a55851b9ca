"""What a sweep shows of sizes: dimensions and bits a number against what a classifier on top changes its mind about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.errors import option
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import number, percent, percent_with_half
from gpustab.results.page import with_half as half_beside
from gpustab.studies.sweep.claims_of_sizes import FORESEEN, STEADIER, Order, differ
from gpustab.studies.sweep.sizes import DISAGREEMENT, MEASURES
from gpustab.studies.sweep.tables_of_sizes import ACCURACY, EFFECTS, ORDERS, OWN, SIZES, SizeRow

_JUDGED = ("bootstrap", "shuffled", "fixed")


def judged_sampling(tables: Mapping[str, Table[Any]]) -> str:
    """Return by which runs sizes are judged, the first that are there; empty where no bits vary."""
    there = {row.sampling for row in SIZES.rows(tables)}
    return next((kind for kind in _JUDGED if kind in there), "")


def said_of_sizes(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return what is said of more bits, dimensions and memory, and of measures that tell it; some say nothing."""
    kind = judged_sampling(tables)
    found = list(EFFECTS.rows(tables, sampling=kind))
    apart = differ(found)
    foreseen = [FORESEEN.sentence(Order(row, apart)) for row in ORDERS.rows(tables, sampling=kind)]
    verdicts = {STEADIER.judge(effect) for effect in found}
    shown = found[:1] if verdicts == {"no test"} else found  # one reason for all: the probe is the same
    return [*(STEADIER.sentence(effect) for effect in shown), *filter(None, foreseen)]


def verdicts_on_sizes(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return the verdicts on what size does, and on the measures that order sizes, of the runs that are judged."""
    kind = judged_sampling(tables)
    found = list(EFFECTS.rows(tables, sampling=kind))
    orders = [FORESEEN.judge(Order(row, differ(found))) for row in ORDERS.rows(tables, sampling=kind)]
    return [*map(STEADIER.judge, found), *orders]


def of_sizes(tables: Mapping[str, Table[Any]]) -> Iterator[Block]:
    """Yield the section on sizes, where bits vary."""
    kind = judged_sampling(tables)
    if not kind:
        return
    paper = (
        f"{STEADIER.paper}, and {FORESEEN.paper.partition('found ')[2]}. Their two runs read Wikipedia of two "
        f"years; these are {kind} runs of one corpus, and the task is another."
    )
    yield Block(
        "How large must a space be?",
        tables=[_sizes(tables, name) for name in _JUDGED if any(SIZES.rows(tables, sampling=name))] + [_orders(tables)],
        figures=["sizes"],
        answer=(
            "A probe is a small classifier (softmax regression). It learns the classes of half of the words from "
            f"their vectors and is asked for the other half ({option('labels')} gives it other words and "
            "classes). Disagreement is the share of these of which it tells another class in another run: what a "
            "classifier on top changes its mind about when the space is trained again."
        ),
        aside=(
            "The size is the number of dimensions times the bits a number. Vectors are rounded to 2ᵇ values at equal "
            "distances and clipped where that has the least squared error; 32 bits are as they were trained. Of two "
            "runs one is turned to the frame of the other before both are rounded alike. By chance: two unrelated "
            "probes that tell each class as often. Own noise: another seed of the probe, the same run. Eigenspace "
            "instability: how far regressions on two spaces differ, of values that vary as the two runs with the most "
            "dimensions do (α = 3). Equal cosines are ranked in another order in each run. ± are 95 % over runs, for "
            f"these words. {paper}"
        ),
    )


def _sizes(tables: Mapping[str, Table[Any]], kind: str) -> SmallTable:
    by_size: dict[tuple[int, int], dict[str, SizeRow]] = {}
    for row in SIZES.rows(tables, sampling=kind):
        by_size.setdefault((row.dim, row.bits), {})[row.measure] = row
    rows = sorted(by_size.values(), key=lambda own: (own[DISAGREEMENT].memory, own[DISAGREEMENT].dim))
    header = [
        "dimensions",
        "bits",
        "bits a word",
        "disagreement",
        "by chance",
        "own noise",
        "right",
        *MEASURES.values(),
    ]
    shown = []
    for own in rows:
        size = own[DISAGREEMENT]
        cells = [str(size.dim), str(size.bits), f"{size.memory:,}", _share(size), percent(size.chance)]
        shown.append([*cells, _share(own[OWN]), _share(own[ACCURACY]), *(_value(own[name]) for name in MEASURES)])
    most = percent(rows[0][ACCURACY].chance)
    return SmallTable(f"{kind} runs (the most frequent class is {most} of the words)", header, shown)


def _share(row: SizeRow) -> str:
    return percent_with_half(row.mean, row.estimate.half)


def _value(row: SizeRow) -> str:
    return half_beside(row.mean, row.estimate.half)


def _orders(tables: Mapping[str, Table[Any]]) -> SmallTable:
    apart = {kind: differ(list(EFFECTS.rows(tables, sampling=kind))) for kind in _JUDGED}
    rows = [
        [
            row.sampling,
            MEASURES[row.measure],
            number(row.rho, 2),
            "–" if math.isnan(Order(row, True).interval[0]) else f"{_interval(Order(row, True))}",
            FORESEEN.judge(Order(row, apart[row.sampling])),
        ]
        for row in ORDERS.rows(tables)
    ]
    title = "Do measures of spaces order the sizes as the disagreement does?"
    return SmallTable(title, ["runs", "measure", "Spearman's ρ", "95 %", "does it tell?"], rows)


def _interval(order: Order) -> str:
    low, high = order.interval
    return f"{number(low, 2)} to {number(high, 2)}"
