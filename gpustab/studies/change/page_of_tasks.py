"""The page's blocks on SemEval-2020 task 1: techniques over languages, the targets of one, and which moved most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Columns, Shown, number, with_half
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change import tables_of_tasks
from gpustab.studies.change.claims_of_tasks import gain_of, of_averages
from gpustab.studies.change.tables import PAIRS, main_series
from gpustab.studies.shared.wording import signed_span

_BEYOND_SINGLE: tuple[str, Shown] = (
    "ρ beyond single runs",
    lambda row: "–" if row.way == "IR" else with_half(row.beyond, Estimate.of_runs(0.0, row.beyond_se, row.runs).half),
)
_SCORES: Columns = [f"{name}{kind}" for name in ("accuracy", "spearman") for kind in ("", "_sd", "_se")]


def of_grid(result: Result) -> Iterator[Block]:
    """Yield table 4.3, if techniques were trained on the languages."""
    table: Table[tables_of_tasks.Cell] = tables_of_tasks.GRID.of(result.tables)
    if not table.height:
        return
    gain: tuple[str, Shown] = ("accuracy beyond one class", lambda row: with_half(row.gain, gain_of(row).half))
    columns: Columns = ["technique", "way", "size", "sampling", *_SCORES, _BEYOND_SINGLE, "majority", gain, "languages"]
    yield Block(
        "Which technique, way and sampling judge change best?",
        tables=[SmallTable.of("Mean over the languages", table, columns)],
        answer=(
            "Table 4.3 of the thesis. SD is over pairs of runs, of averages and ensembles over the halves of the runs "
            "(an upper limit, from two values); SE is the jackknife error over the runs. ± of the accuracy beyond one "
            "class is over the targets. The best of many ways is the "
            f"best by luck too: choose it on other languages than those that it is told of.{_averages(table)}"
        ),
    )


def of_task(result: Result) -> Iterator[Block]:
    """Yield the scores of every way of one language's targets, and the targets that moved most."""
    table = tables_of_tasks.TASK.of(result.tables)
    if not table.height:
        return
    columns: Columns = [
        *("series", "way", *_SCORES, _BEYOND_SINGLE),
        ("targets", lambda row: f"{row.found} of {row.targets}"),
        "majority",
    ]
    tasks = [SmallTable.of(task, part, columns) for task, part in table.split("task")]
    yield Block(
        f"How well are the targets of {', '.join(small.title for small in tasks)} judged?",
        tables=tasks,
        answer=(
            "IR are pairs of runs, AA the aligned averages, EA the ensemble of all pairs. Accuracy stands beside "
            f"that of calling all targets what most of them are.{_averages(table)}"
        ),
    )
    yield from _targets(result)


def of_truth(result: Result) -> Iterator[Block]:
    """Yield how well displacement and neighbours rank the words that people judged, in one table."""
    table = tables_of_tasks.RANKED.of(result.tables)
    main = main_series(PAIRS.of(result.tables)) or table.get("of", [])
    rows = [row for row in table.rows() if row.series in main]
    if not rows:
        return
    columns: Columns = [
        *(["series"] if len({row.series for row in rows}) > 1 else []),
        ("periods", lambda row: row.periods),
        ("column", lambda row: f"{row.column} (high: {row.high})"),
        "way",
        ("ρ ± over runs", lambda row: with_half(row.spearman, Estimate.of_runs(0, row.se, row.runs).half)),
        ("95 % over words", lambda row: signed_span(row.low, row.up)),
        ("words", lambda row: f"{row.words} of {row.listed}"),
    ]
    if any(_at_random(table, row) for row in rows):
        columns = [*columns, ("at random", lambda row: number(fmean(_at_random(table, row) or [math.nan]), 2))]
    yield Block(
        "How well do displacement and neighbours rank the words that people judged?",
        tables=[SmallTable.of("Spearman's ρ with people's judgements", rows, columns, tables_of_tasks.Ranked)],
        answer=(
            "ρ is above 0 where words that people call changed moved more, whether a high value of the column "
            "says changed or unchanged. All measures of one column rank the same words. IR are pairs of runs, AA the "
            "aligned averages, EA the mean over all pairs, and neighbours those that a word lost, for which nothing is "
            "aligned."
        ),
        aside=(
            "± is 95 % over other runs on these words (jackknife). The interval over words is for other words by these "
            "runs, by Fisher's z (Bonett & Wright 2000). It takes the words for independent draws. Two measures rank "
            "the same words, so intervals that overlap do not show that they are equally good. At random: the same "
            "in documents dealt out so that nothing changed; what is above 0 there is not change."
        ),
    )


def _at_random(table: Table[tables_of_tasks.Ranked], row: tables_of_tasks.Ranked) -> list[float]:
    """Spearman's ρ of the splits of the documents at random that a row is compared with."""
    same = table.rows(of=row.series, first=row.first, second=row.second, column=row.column, way=row.way)
    return [split.spearman for split in same if split.series != row.series]


def _averages(table: Table[Any]) -> str:
    """What is said of averages against single runs, each sentence after a space."""
    return "".join(f" {sentence}" for sentence in of_averages(table.rows()) if sentence)


_FIRST = 5
"""So many targets stand side by side, as in table 4.2; the table has all."""


def _targets(result: Result) -> Iterator[Block]:
    """Table 4.2: the targets that moved most, by people and by the averages of all runs."""
    table = tables_of_tasks.TARGETS.of(result.tables)
    graded = table.take(k for k, place in enumerate(table.get("place_by_people", [])) if place is not None)
    if not graded.height:
        return
    small = []
    for task, of_task in graded.split("task"):
        columns, lists = [f"{task}: by people"], [_ranked(of_task.rows(), "place_by_people", "grade")]
        for series, part in of_task.split("series"):
            columns.append(series)
            lists.append(_ranked(part.rows(), "place", "change"))
        rows = [[str(k + 1), *(one[k] if k < len(one) else "–" for one in lists)] for k in range(max(map(len, lists)))]
        small.append(SmallTable("", ["place", *columns], rows))
    yield Block(
        "Which targets changed most, by people and by these runs?",
        tables=small,
        answer=(
            "Table 4.2 of the thesis: the five most changed targets, with the grade that people gave and the change "
            "between the averages of all runs. The table of targets has all of them."
        ),
    )


def _ranked(rows: Iterable[tables_of_tasks.Target], place: str, value: str) -> list[str]:
    """The first targets by one order, each once, with what they stand by."""
    order = {row.word: row for row in sorted(rows, key=lambda row: getattr(row, place))}
    return [f"{word} ({number(getattr(row, value), 2)})" for word, row in list(order.items())[:_FIRST]]
