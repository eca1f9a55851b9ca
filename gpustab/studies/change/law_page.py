"""The part of the page on the law of frequency, and on words that changed more than it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.named import asked, called, compared, estimated, pair_of
from gpustab.studies.change.sentences import WORDS, of_laws
from gpustab.studies.change.tables import floor_series
from gpustab.studies.shared.wording import number_span

Row = Mapping[str, Any]


def law_block(result: Result) -> Iterator[Block]:
    """Yield the law between the averages of most runs, and for who asks that of fewer, if there is one."""
    table = result.tables["laws"]
    if not table.height:
        return
    pairs = result.tables["pairs"]
    shown = _of(table, compared(pairs))
    names, largest = called(pairs), max(shown["n"], default=0)
    columns: list[tuple[str, Shown]] = [
        ("series", lambda row: names[row["series"]]),
        ("runs averaged", "n"),
        ("averages", "averages"),
        ("words", lambda row: f"{row['words']:,}"),
        ("β of frequency", ("beta", 3)),
        ("± SE", ("beta_se", 2)),
        ("± runs", ("beta_se_runs", 2)),
        ("R² marginal", lambda row: f"{row['r2_marginal']:.1%}"),
        ("± words", lambda row: _percent(row["r2_se"])),
        ("± runs", lambda row: _percent(row["r2_se_runs"])),
        ("R² conditional", lambda row: f"{row['r2_conditional']:.1%}"),
        ("± runs", lambda row: _percent(row["r2_conditional_se_runs"])),
    ]
    yield Block(
        "Do rarer words change more?",
        tables=[SmallTable.of("Between the averages of most runs", shown.records(n=largest), columns)],
        figures=["laws"],
        answer=" ".join(
            [
                *of_laws(table, floor_series(pairs)),
                "Averaging runs takes training noise away and leaves the noise of sampled documents, which follows "
                "frequency: compare with the documents dealt out at random.",
            ]
        ),
        aside=(
            "A mixed model of log change over log frequency with an intercept per word: β is the effect of frequency, "
            "R² its share of the variance (marginal), with the word's own (conditional). ± are standard errors, over "
            "words and over runs (jackknife). Rettenmeier 2020, COHA, word2vec: 30 % → 31 % genuine, 7 % → 0 % "
            "control, for 1 → 32 runs."
        ),
    )
    if largest > 1:
        yield Block(
            "The law for every number of averaged runs",
            tables=[SmallTable.of("", table.records(), columns)],
            folded=True,
        )


def _percent(value: float) -> str:
    return f"{value:.1%}" if math.isfinite(value) else "–"


_BEYOND: list[tuple[str, Shown]] = [
    ("word", "word"),
    ("frequency per million", lambda row: f"{row['frequency'] * 1e6:,.0f}"),
    ("change", ("change", 3)),
    ("expected", ("expected", 3)),
    ("change / expected", lambda row: number(math.exp(row["excess"]), 3)),
    ("95 %", lambda row: _ratios(_interval(row))),
    ("dealt out at random", ("noise", 3)),
]

_CLASSES: list[tuple[str, Shown]] = [
    ("periods", pair_of),
    ("per million", lambda row: f"{row['low'] * 1e6:,.0f} – {row['high'] * 1e6:,.0f}"),
    ("words", lambda row: f"{row['words']:,}"),
    ("change", ("change", 3)),
    ("dealt out at random", ("noise", 3)),
    ("beyond", lambda row: estimated(row["beyond"], row["beyond_se"], row["words"])),
]


def excess_block(result: Result) -> Iterator[Block]:
    """Yield the words beyond the law, and change beside the control by classes of frequency."""
    series = asked(result.tables["pairs"])
    own = _of(result.tables["excess"], series)
    tables = []
    for name, rows in _excess_lists(own, len(series) > 1):
        surest = sorted((row for row in rows if _low(row) > 0), key=_low, reverse=True)[:WORDS]
        if surest:
            tables.append(SmallTable.of(name, surest, _BEYOND))
    classes = _of(result.tables["frequency"], series)
    if classes.height:
        tables.append(SmallTable.of("By frequency, ± 95 % over words", classes.records(), _CLASSES))
    if own.height:
        none = "" if tables else " With so few runs this can be said of no word."
        yield Block(
            "Which words changed more than words of their frequency?",
            tables=tables,
            answer=(
                "Expected is the change of a word of its frequency by the law above, between the averages of most "
                "runs. Those are first whose ratio is surely highest, by the lower end of its interval over runs. "
                f"Beside it the change of the same word where documents were dealt out at random.{none}"
            ),
        )


def _of(table: Table, series: list[str]) -> Table:
    return table.take(k for k, name in enumerate(table.get("series", [])) if name in series)


def _interval(row: Row) -> tuple[float, float]:
    return Estimate(row["excess"], row["excess_se"], row["freedom"]).interval


def _ratios(ends: tuple[float, float]) -> str:
    return number_span(math.exp(ends[0]), math.exp(ends[1]))


def _low(row: Row) -> float:
    """Lower end of the excess; below all where there is no error."""
    low = _interval(row)[0]
    return low if math.isfinite(low) else -math.inf


def _excess_lists(table: Table, several: bool) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Lists of every pair of periods."""
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in table.records():
        found.setdefault((row["series"], row["first"], row["second"]), []).append(row)
    for (series, first, second), rows in found.items():
        yield f"{first} → {second}" + (f", {series}" if several else ""), rows
