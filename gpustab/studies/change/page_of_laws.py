"""The page's blocks on frequency: the law, and the words that moved farther than it says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Columns, number, percent, with_half
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change import tables
from gpustab.studies.change.claims import BEYOND, BEYOND_LAW, of_laws
from gpustab.studies.shared.wording import number_span

_SHOWN = 20


def of_law(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """Yield the law between the averages of most runs, and folded that of fewer, if there is one."""
    table = tables.LAWS.of(result.tables)
    if not table.height:
        return
    shown, names = _of(table, tables.compared(pairs)), tables.called(pairs)
    largest = max(shown["n"], default=0)
    columns: Columns = [
        ("series", lambda row: names[row.series]),
        *("n", "averages", "words", "beta"),
        ("± words", lambda row: number(row.over_words(row.beta_se), 2)),
        ("± runs", lambda row: number(row.over_runs(row.beta_se_runs), 2)),
        "r2_marginal",
        ("± words", lambda row: tables.tenths(row.over_words(row.r2_se))),
        ("± runs", lambda row: tables.tenths(row.over_runs(row.r2_se_runs))),
        "r2_conditional",
        ("± runs", lambda row: tables.tenths(row.over_runs(row.r2_conditional_se_runs))),
    ]
    yield Block(
        "Do rarer words change more?",
        tables=[SmallTable.of("Between the averages of most runs", shown.where(n=largest), columns)],
        figures=["displacement", "laws"],
        answer=" ".join(
            [
                *of_laws(table.rows(), tables.floor_series(pairs)),
                "Averaging runs takes training noise away and leaves the noise of sampled documents, which follows "
                "frequency: compare with the documents dealt out at random.",
            ]
        ),
        aside=(
            "A mixed model of log change over log frequency with an intercept per word: β is the effect of frequency, "
            "R² its share of the variance (marginal), with the word's own (conditional). ± are 95 %, over words "
            "and over runs (jackknife); those over words take every word for independent, which words of like contexts "
            "are not, so that they are too small."
        ),
    )
    if largest > 1:
        every = SmallTable.of("", table, columns)
        yield Block("The law for every number of averaged runs", tables=[every], folded=True)


def of_excess(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """Yield the words beyond the law, and change beside the control by classes of frequency."""
    series = tables.main_series(pairs)
    excess, classes = _of(tables.EXCESS.of(result.tables), series), _of(tables.FREQUENCY.of(result.tables), series)
    lists = [
        SmallTable.of(
            tables.arrow(first, part["second"][0]) + (f", {name}" if len(series) > 1 else ""), surest, _BEYOND
        )
        for name, of_series in excess.split("series")
        for first, part in of_series.split("first")
        if (surest := _surest(part.rows()))
    ]
    first = [next(part.rows()) for _, of_series in excess.split("series") for _, part in of_series.split("first")]
    unlike = dict.fromkeys(filter(None, map(BEYOND_LAW.sentence, first)))
    none = "" if lists or len(unlike) == len(first) else _NONE
    if classes.height:
        lists.append(SmallTable.of("By frequency, ± 95 % over words, as if they were independent", classes, _CLASSES))
    if excess.height:
        yield Block(
            "Which words changed more than words of their frequency?",
            tables=lists,
            answer=(
                "Expected is the change of a word of its frequency by a curve through the words of the two periods, "
                "between the averages of most runs. A word is listed that is farther above it than where documents "
                f"were dealt out at random, which stands beside it; {percent(BEYOND)} of those listed may be there by "
                "chance of documents and training. First are those whose ratio is surely highest, by the lower end of "
                "its interval over "
                f"runs.{none}{''.join(f' {sentence}' for sentence in unlike)}"
            ),
        )


_NONE = (
    " This can be said of no word from these runs. With two splits ten words must lead at once, with seven three: more "
    "splits would tell of fewer (train --control 7)."
)


def _surest(rows: Iterable[tables.Excess]) -> list[tables.Excess]:
    """Those that are surely above the law, the surest first."""
    above = [row for row in rows if BEYOND_LAW.judge(row) == "yes"]
    return sorted(above, key=lambda row: row.interval[0], reverse=True)[:_SHOWN]


_BEYOND: Columns = [
    *("word", "frequency", "change", "expected"),
    ("change / expected", lambda row: number(math.exp(row.excess), 3)),
    ("95 %", lambda row: number_span(math.exp(row.interval[0]), math.exp(row.interval[1]))),
    "noise",
]

_CLASSES: Columns = [
    ("periods", lambda row: tables.arrow(row.first, row.second)),
    ("per million", lambda row: f"{tables.per_million(row.low)} – {tables.per_million(row.high)}"),
    *("words", "change", "noise"),
    ("beyond", lambda row: with_half(row.beyond, Estimate.of_runs(row.beyond, row.beyond_se, row.words).half)),
]


def _of(table: Table[Any], series: list[str]) -> Table[Any]:
    return table.take(k for k, name in enumerate(table.get("series", [])) if name in series)
