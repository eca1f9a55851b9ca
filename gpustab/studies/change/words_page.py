"""The part of the page on single words: which moved most, which beyond their authors, and beside what they stood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown
from gpustab.studies.change.named import asked, called, estimated, fewest_runs, pair_of
from gpustab.studies.change.sentences import RELIABLE, WORDS, of_words, unreliable

Row = Mapping[str, Any]


_ORDER = (
    "First stand those that moved farthest beyond two samplings of one period's documents, where that is known. Other "
    "runs on these documents would give this order; other documents may give another."
)


def words_block(result: Result) -> Iterator[Block]:
    """Yield the most changed words of every pair of periods whose order is reliable."""
    series = asked(result.tables["pairs"])
    runs = {(row["series"], row["first"], row["second"]): fewest_runs(row) for row in result.tables["pairs"].records()}
    tables, said = [], []
    for one in result.contrasts:
        if one["series"] not in series:
            continue
        name = pair_of(one) + (f", {one['series']}" if len(series) > 1 else "")
        key = {part: one[part] for part in ("series", "first", "second")}
        if one["reliability"] >= RELIABLE:
            table = result.tables["words"].where(**key)
            columns = _columns(table, runs[tuple(key.values())])
            tables.append(SmallTable.of(name, table.take(range(min(WORDS, table.height))).records(), columns))
        else:
            said.append(unreliable(name, one["reliability"]))
    if tables or said:
        yield Block(
            "Which words moved most?",
            tables=tables,
            answer=" ".join([*([_ORDER] if tables else []), *said]),
            aside="± are 95 % intervals over runs. Occurrences: in the earlier and in the later period.",
        )


def _columns(table: Table, runs: int) -> list[tuple[str, Shown]]:
    columns: list[tuple[str, Shown]] = [
        ("word", "word"),
        ("occurrences", _counts),
        ("change", lambda row: estimated(row["change"], row["change_se"], runs)),
        ("two runs of one", ("training_floor", 2)),
    ]
    if any(value is not None for value in table["sampling_floor"]):
        columns += [("two samplings of one", ("sampling_floor", 2)), ("difference", ("excess", 2))]
    return [*columns, ("without training noise", lambda row: estimated(row["corrected"], row["corrected_se"], runs))]


def _counts(row: Row) -> str:
    counts = row["count_first"], row["count_second"]
    return "–" if None in counts else f"{counts[0]:,.0f}, {counts[1]:,.0f}"


def tested_block(result: Result) -> Iterator[Block]:
    """Yield the words that are found by dealing out authors, if that was asked for."""
    table = result.tables.get("discoveries")
    if table is None:
        return
    columns: list[tuple[str, Shown]] = [
        ("word", "word"),
        ("change", ("change", 3)),
        ("expected", ("expected", 3)),
        ("z", ("z", 3)),
        ("q", ("q", 2)),
    ]
    found = table.where(found=True).split("first")
    yield Block(
        "Which words' contexts differ beyond the sampling of authors?",
        tables=[
            SmallTable.of(
                f"{first} → {part['second'][0]}", part.take(range(min(WORDS, part.height))).records(), columns
            )
            for first, part in found
        ],
        answer=" ".join(
            [
                *of_words(table, result.settings["rate"]),
                f"For that, documents were dealt out to the periods anew, all of one {result.settings['authors']} "
                "together, and measured by PPMI and singular vectors. Expected is the mean change of a word over the "
                "deals, z how many SDs it lies above, q the rate of false discoveries at which it is found. It says "
                "nothing of meaning.",
            ]
        ),
    )


def ways_blocks(result: Result) -> Iterator[Block]:
    """Yield for every followed word its neighbours by period, in the series that answer the question."""
    pairs, near = result.tables["pairs"], result.tables["neighbours"]
    names, series = called(pairs), asked(pairs)
    for word, table in near.split("word"):
        yield Block(
            f"What did “{word}” stand beside?",
            tables=[
                _side_by_side(names.get(own, own), part)
                for own, part in table.split("series")
                if own in series or own not in names  # no word is frequent enough in two of its periods
            ],
            figures=["ways"] if word == near["word"][0] else [],
            answer="Its nearest words in each period, those of most runs first; in brackets in how many runs they are.",
        )


def _side_by_side(title: str, table: Table) -> SmallTable:
    """The lists of the periods beside each other."""
    periods = table.split("epoch")
    lists = [[f"{row['neighbour']} ({row['runs']}/{row['of']})" for row in part.records()] for _, part in periods]
    rows = [[str(k + 1), *(one[k] if k < len(one) else "–" for one in lists)] for k in range(max(map(len, lists)))]
    return SmallTable(title, ["place", *(period for period, _ in periods)], rows)
