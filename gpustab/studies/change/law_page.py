"""The part of the page on the law of frequency, and on words that changed more than it says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.sentences import WORDS
from gpustab.studies.change.tables import floor_series
from gpustab.studies.shared.wording import number_span


def law_block(result: Result) -> Iterator[Block]:
    """Yield the table of the law, if there is one."""
    table = result.tables["laws"]
    if not table.height:
        return
    header = ["series", "runs averaged", "averages", "words", "β of frequency", "± SE", "± runs"]
    header += ["R² marginal", "± words", "± runs", "R² conditional", "± runs"]
    rows = [
        [
            row["series"] + (" (nothing changed)" if row["control"] else ""),
            str(row["n"]),
            str(row["averages"]),
            f"{row['words']:,}",
            number(row["beta"], 3),
            number(row["beta_se"], 2),
            number(row["beta_se_runs"], 2),
            f"{row['r2_marginal']:.1%}",
            _percent(row["r2_se"]),
            _percent(row["r2_se_runs"]),
            f"{row['r2_conditional']:.1%}",
            _percent(row["r2_conditional_se_runs"]),
        ]
        for row in table.rows()
    ]
    yield Block(
        "Do rarer words change more?",
        tables=[SmallTable("", header, rows)],
        figures=["laws"],
        answer=(
            "A mixed model of log change over log frequency with an intercept per word. Averaging runs takes training "
            "noise away and leaves the noise of sampled documents, which follows frequency: compare with the control. "
            "Errors are standard errors, over words and (jackknife) over runs."
        ),
        aside="Rettenmeier 2020, COHA, word2vec: 30 % → 31 % genuine, 7 % → 0 % control, for 1 → 32 runs.",
    )


def _percent(value: float) -> str:
    return f"{value:.1%}" if math.isfinite(value) else "–"


def excess_block(result: Result) -> Iterator[Block]:
    """Yield the words beyond the law, and change beside the control by classes of frequency."""
    header = ["word", "frequency per million", "change", "expected", "change / expected", "95 %", "nothing changed"]
    tables = []
    for name, rows in _excess_lists(result):
        surest = sorted((row for row in rows if _low(row) > 0), key=_low, reverse=True)[:WORDS]
        if surest:
            tables.append(SmallTable(name, header, [_beyond(row) for row in surest]))
    if result.tables["frequency"].height:
        tables.append(_classes(result))
    if result.tables["excess"].height:
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


def _low(row: dict[str, Any]) -> float:
    """Lower end of the excess; below all where there is no error."""
    low = Estimate(row["excess"], row["excess_se"], row["freedom"]).interval[0]
    return low if math.isfinite(low) else -math.inf


def _excess_lists(result: Result) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Lists of every pair of epochs of the series that are no floor of others."""
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in result.tables["excess"].rows():
        if row["series"] not in floor_series(result.tables["pairs"]):
            found.setdefault((row["series"], row["first"], row["second"]), []).append(row)
    for (series, first, second), rows in found.items():
        yield f"{first} → {second}" + (f", {series}" if len(result.groups) > 1 else ""), rows


def _beyond(row: dict[str, Any]) -> list[str]:
    low, high = (math.exp(x) for x in Estimate(row["excess"], row["excess_se"], row["freedom"]).interval)
    return [
        row["word"],
        f"{row['frequency'] * 1e6:,.0f}",
        number(row["change"], 3),
        number(row["expected"], 3),
        number(math.exp(row["excess"]), 3),
        number_span(low, high),
        number(row["noise"], 3),
    ]


def _classes(result: Result) -> SmallTable:
    header = ["epochs", "per million", "words", "change", "nothing changed", "beyond", "± SE"]
    rows = [
        [
            f"{row['first']} → {row['second']}",
            f"{row['low'] * 1e6:,.0f} – {row['high'] * 1e6:,.0f}",
            f"{row['words']:,}",
            number(row["change"], 3),
            number(row["noise"], 3),
            number(row["beyond"], 3),
            number(row["beyond_se"], 2),
        ]
        for row in result.tables["frequency"].rows()
        if row["series"] not in floor_series(result.tables["pairs"])
    ]
    return SmallTable("By frequency, errors over words", header, rows)
