"""The page's block on neighbours: how many words keep, whether that is chance, and which words both measures name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gpustab.errors import option
from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, number, percent, percent_with_half, with_half
from gpustab.results.table import titles
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change import tables
from gpustab.studies.change.claims import ORDER, Order
from gpustab.studies.change.claims_of_neighbours import FEWER_THAN_AT_RANDOM, NAME_ALIKE, Agreement
from gpustab.studies.change.differences import neighbours_difference
from gpustab.studies.shared.wording import listed

_SHOWN = 10
"""Words of a list; the table of words has all."""


def of_neighbours(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """Yield what neighbours say of the periods and words, if there are enough words."""
    kept = tables.KEPT.of(result.tables)
    main, compared = tables.main_series(pairs), tables.compared(pairs)
    shown = [row for row in kept.rows() if row.series in main]
    if not shown:
        return
    said = [text for text in said_of_neighbours(kept, pairs) if text]
    lists = [small for row in shown if (small := _lists(result, row, len(main) > 1))]
    yield Block(
        "Do words keep their neighbours?",
        tables=[_shares(kept.take(k for k, name in enumerate(kept["series"]) if name in compared), pairs), *lists],
        figures=["kept"],
        answer=" ".join(
            [
                *said,
                "This asks for no alignment: a word's nearest words are found in each space by themselves, and counted "
                f"if both spaces have them. Here they are the {_nearest(shown)} that are frequent enough in both "
                f"periods ({option('nearest')} takes others). "
                "Lost is the part of those that two runs of one "
                "period share, beyond chance, which a run of each period does not: 0 if nothing changed, 1 if nothing "
                "is left. A single word may have lost more than 1, by chance.",
            ]
        ),
        aside=(
            "Agreement: Spearman's ρ over the words of neighbours lost and of the change between averages, less what a "
            "curve over log frequency explains of both. The lists have the words that stand in the first tenth by "
            "both measures, or by one alone. Neighbours alone: the word itself may have stood still while those around "
            "it moved. Displacement alone: the word moved along with its neighbours, or the alignment moved "
            "it. ± are 95 % over runs."
        ),
    )


def _nearest(rows: Sequence[tables.Kept]) -> str:
    """How many neighbours of how many words are counted; of each pair of periods where that differs."""
    sizes = dict.fromkeys((row.k, row.words) for row in rows)
    return f"{listed([f'{k:,} nearest of the {words:,}' for k, words in sizes])} words"


def differ(kept: Table[tables.Kept], row: tables.Kept) -> bool:
    """Whether neighbours say of two periods that contexts differ, beside documents dealt out at random."""
    splits = list(kept.rows(of=row.series, first=row.first, second=row.second))
    return FEWER_THAN_AT_RANDOM.judge(neighbours_difference(splits)) == "more"


def agreements(kept: Table[tables.Kept], main: Sequence[str]) -> Iterator[Agreement]:
    """Yield of every two periods of some series whether both measures name the same words."""
    for row in kept.rows():
        if row.series in main:
            name = row.periods if len(main) < 2 else f"{row.series}, {row.periods}"
            yield Agreement(name, row.agreement, row.words, differ(kept, row))


def said_of_neighbours(kept: Table[tables.Kept], pairs: Table[tables.Pair]) -> Iterator[str]:
    """Yield what neighbours say of the series that answer the question; some sentences are empty."""
    main, floors = tables.main_series(pairs), tables.floor_series(pairs)
    yield FEWER_THAN_AT_RANDOM.sentence(neighbours_difference([row for row in kept.rows() if row.series not in floors]))
    yield from map(NAME_ALIKE.sentence, agreements(kept, main))


def _shares(kept: Table[tables.Kept], pairs: Table[tables.Pair]) -> SmallTable:
    names, title = tables.called(pairs), titles(tables.Kept)
    rows = list(kept.rows())
    columns: list[str | tuple[str, Shown]] = [
        ("series", lambda row: names[row.series]),
        ("periods", lambda row: row.periods),
        (title["shared"], lambda row: _percent(row, row.shared, row.shared_se)),
        (title["two_runs"], lambda row: _percent(row, row.two_runs, row.two_runs_se)),
    ]
    if any(row.two_samplings is not None for row in rows):
        columns += [(title["two_samplings"], lambda row: _percent(row, row.two_samplings, row.two_samplings_se))]
    columns += [
        (title["chance"], lambda row: percent(row.chance)),
        (title["lost"], lambda row: with_half(row.lost, row.estimate(row.lost, row.lost_se).half)),
        ("agreement", lambda row: number(row.agreement, 2)),
    ]
    return SmallTable.of("Part of a word's nearest words, mean over the words", rows, columns, tables.Kept).filled


def _percent(row: tables.Kept, value: float | None, se: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return percent_with_half(value, row.estimate(value, se).half)


def _lists(result: Result, row: tables.Kept, several: bool) -> SmallTable | None:
    """The words that both measures name, and those that one names, side by side; none where either order is chance."""
    where = {"series": row.series, "first": row.first, "second": row.second}
    found = next(x for x in result.contrasts if where.items() <= x.items())
    orders = [Order(row.periods, found[name]) for name in ("reliability", "reliability_of_neighbours")]
    if any(ORDER.judge(order) != "yes" for order in orders):
        return None
    words = list(tables.WORDS.rows(result.tables, **where))
    lost, moved = tables.first_words(words)
    by_lost = sorted(words, key=lambda word: (-word.lost, word.word))
    by_change = sorted(words, key=lambda word: (-word.averaged, word.word))
    columns = [
        [_named(row, word) for word in by_lost if word.word in lost & moved],
        [_named(row, word) for word in by_lost if word.word in lost - moved],
        [f"{word.word} ({number(word.averaged, 2)})" for word in by_change if word.word in moved - lost],
    ]
    many = min(_SHOWN, max(map(len, columns)))
    rows = [[one[k] if k < len(one) else "–" for one in columns] for k in range(many)]
    share = f"of the {len(moved)} words that stand first by each, {len(lost & moved)} are the same"
    title = f"{row.periods}{f', {row.series}' if several else ''}: {share}"
    return SmallTable(
        title, ["named by both (lost)", "by neighbours alone (lost)", "by displacement alone (change)"], rows
    )


def _named(row: tables.Kept, word: tables.Word) -> str:
    return f"{word.word} ({with_half(word.lost, Estimate.of_runs(word.lost, word.lost_se, row.runs).half)})"
