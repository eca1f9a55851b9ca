"""How the runs stand to what the paper found, claim by claim; and how many verdicts would be wrong by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted, number, percent
from gpustab.studies.change import tables, tables_of_tasks
from gpustab.studies.change.claims import (
    BEYOND,
    BEYOND_LAW,
    BEYOND_SAMPLING,
    FREQUENCY_EXPLAINS,
    MORE_THAN_AT_RANDOM,
    ORDER,
    Order,
    laws_judged,
)
from gpustab.studies.change.claims_of_neighbours import FEWER_THAN_AT_RANDOM, NAME_ALIKE
from gpustab.studies.change.claims_of_splits import placebos
from gpustab.studies.change.claims_of_tasks import AVERAGE_BETTER, BETTER_THAN_ONE_CLASS, averages_judged
from gpustab.studies.change.differences import beyond, control_difference, neighbours_difference
from gpustab.studies.change.page_of_neighbours import agreements
from gpustab.studies.shared.claims import Observation
from gpustab.studies.shared.wording import group_in_words, signed_span

Tables = Mapping[str, Table[Any]]


def observations(made: Tables, contrasts: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield what the runs show of every claim that the paper says something of; of what they cannot judge, why.

    Args:
        made: tables of the study.
        contrasts: two periods of a series each, with the reliability of the order of their words.
    """
    pairs = tables.PAIRS.of(made)
    main, floors = tables.main_series(pairs), tables.floor_series(pairs)
    yield from [
        BEYOND_SAMPLING.observed(
            one.pair,
            _called(one.pair.periods, one.pair.series),
            f"{signed_span(*beyond(one.pair))} beyond it{one.shows}",
        )
        for one in placebos(pairs)
        if one.pair.sampling_floor is not None
    ] or [BEYOND_SAMPLING.open("no bootstrap runs tell how far two samplings lie apart")]
    control = control_difference([row for row in pairs.rows() if row.series not in floors])
    if control.pairs:
        span = "" if math.isnan(control.half) else f" ({control.span})"
        unknown = math.isnan(control.value)
        shows = "the change without training noise is unknown" if unknown else f"by {number(control.value, 2)}{span}"
        yield MORE_THAN_AT_RANDOM.observed(control, "", shows)
    else:
        yield MORE_THAN_AT_RANDOM.open("no documents were dealt out at random")
    yield from [ORDER.observed(order, name, _reliability(order)) for name, order in _orders(contrasts, main)] or [
        ORDER.open("no word is in two periods")
    ]
    yield from [
        FREQUENCY_EXPLAINS.observed(
            law,
            law.genuine.series,
            f"{percent(law.genuine.r2_marginal)} explained"
            + (f" and {percent(law.at_random)} at random" if law.splits else ""),
        )
        for law in laws_judged(tables.LAWS.rows(made), floors)
    ] or [FREQUENCY_EXPLAINS.open("no law of frequency was fitted")]
    yield from _of_neighbours(made, main, floors)
    cells = list(tables_of_tasks.GRID.rows(made))
    if cells:
        best = max(cells, key=lambda cell: cell.accuracy)
        shows = f"{number(best.accuracy, 3)} by {best.technique}/{best.sampling} {best.way}, of one class "
        yield BETTER_THAN_ONE_CLASS.observed(cells, "", f"{shows}{number(best.majority, 3)}")
    else:
        yield BETTER_THAN_ONE_CLASS.open("no technique was judged on targets of several languages")
    yield from [
        AVERAGE_BETTER.observed(way, way.series, f"by {number(way.beyond.value, 2)} of ρ ({way.span})")
        for way in (
            way for sheet in (tables_of_tasks.TASK, tables_of_tasks.GRID) for way in averages_judged(sheet.rows(made))
        )
        if AVERAGE_BETTER.judge(way) != "no test"
    ] or [AVERAGE_BETTER.open("no targets were ranked by averages of enough runs")]


def _of_neighbours(made: Tables, main: Sequence[str], floors: set[str]) -> Iterator[Observation]:
    kept = tables.KEPT.of(made)
    difference = neighbours_difference([row for row in kept.rows() if row.series not in floors])
    if difference.pairs and not math.isnan(difference.value):
        span = "" if math.isnan(difference.half) else f" ({difference.span})"
        yield FEWER_THAN_AT_RANDOM.observed(difference, "", f"by {number(difference.value, 2)}{span}")
    else:
        yield FEWER_THAN_AT_RANDOM.open("no documents were dealt out at random, or too few words or runs were measured")
    yield from [
        NAME_ALIKE.observed(one, one.name, f"Spearman's ρ {number(one.value, 2)}")
        for one in agreements(kept, main)
        if not math.isnan(one.value)
    ] or [NAME_ALIKE.open("no words have both measures")]


def _called(periods: str, series: str) -> str:
    return f"{group_in_words(series)}, {periods}:"


def _reliability(order: Order) -> str:
    return (
        "no known reliability" if math.isnan(order.reliability) else f"a reliability of {number(order.reliability, 2)}"
    )


def _orders(contrasts: Sequence[Mapping[str, Any]], main: Sequence[str]) -> Iterator[tuple[str, Order]]:
    """The orders of the words of the series that answer the question, each with its name."""
    for each in contrasts:
        if each["series"] in main:
            name = _called(tables.arrow(each["first"], each["second"]), each["series"])
            yield name, Order(name, each["reliability"])


def by_chance(result: Result, pairs: Table[tables.Pair]) -> str:
    """Return how many verdicts of the page would be wrong by chance if there were nothing to find.

    A verdict that an interval of 95 % lies above something is wrong so in 2.5 %, one that it lies above or below in
    5 %, where only what the interval is over is chance. Those that cannot tell count: they could have been wrong.
    """
    shown = [row for name in tables.main_series(pairs) for row in pairs.rows(series=name)]
    one_sided = sum(BEYOND_SAMPLING.judge(row) in ("more", "no more", "open") for row in shown)
    floors = tables.floor_series(pairs)
    control = control_difference([row for row in pairs.rows() if row.series not in floors])
    one_sided += MORE_THAN_AT_RANDOM.judge(control) in ("more", "open")
    kept, cells = tables.KEPT.of(result.tables), list(tables_of_tasks.GRID.rows(result.tables))
    difference = neighbours_difference([row for row in kept.rows() if row.series not in floors])
    one_sided += FEWER_THAN_AT_RANDOM.judge(difference) in ("more", "open")
    one_sided += BETTER_THAN_ONE_CLASS.judge(cells) != "no test"
    two_sided = sum(law.splits != [] for law in laws_judged(tables.LAWS.rows(result.tables), floors))
    two_sided += sum(NAME_ALIKE.judge(one) != "no test" for one in agreements(kept, tables.main_series(pairs)))
    for sheet in (tables_of_tasks.TASK, tables_of_tasks.GRID):
        two_sided += sum(AVERAGE_BETTER.judge(way) != "no test" for way in averages_judged(sheet.rows(result.tables)))
    said = "No verdict of this page rests on an interval."
    if one_sided + two_sided:
        said = (
            f"Verdicts of this page that rest on a 95 % interval: {one_sided + two_sided:,}. If there were nothing to "
            f"find, {number(0.025 * one_sided + 0.05 * two_sided, 2)} of them would be wrong by chance, on average."
        )
    listed = [row for row in tables.EXCESS.rows(result.tables) if row.series in tables.main_series(pairs)]
    surest = sum(BEYOND_LAW.judge(row) == "yes" for row in listed)
    found = sum(tables.DISCOVERIES.of(result.tables).get("found", []))
    if not surest + found:
        return said
    words = BEYOND * surest + result.settings.get("rate", BEYOND) * found
    return (
        f"{said} Of {counted(surest + found, 'listed word')} {number(words, 2)} would be there by chance, on average "
        "over many such lists."
    )
