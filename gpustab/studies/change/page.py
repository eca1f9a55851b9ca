"""The page of change: periods against their floors, words, the way of single words, the law of frequency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, number
from gpustab.studies.change.law_page import excess_block, law_block
from gpustab.studies.change.named import asked, called, estimated, fewest_runs, pair_of, splits_of
from gpustab.studies.change.rules import beyond
from gpustab.studies.change.sentences import unlike
from gpustab.studies.change.task_page import grid_block, task_block
from gpustab.studies.change.words_page import tested_block, ways_blocks, words_block
from gpustab.studies.shared.wording import signed_span

Row = Mapping[str, Any]


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    pairs = result.tables["pairs"]
    return [
        _pairs(pairs),
        *words_block(result),
        *tested_block(result),
        *ways_blocks(result),
        *law_block(result),
        *excess_block(result),
        *grid_block(result),
        *task_block(result),
        *_others(pairs),
        _how(),
    ]


def _pairs(pairs: Table) -> Block:
    return Block(
        "How far did words move, and how far do they move when nothing changes?",
        tables=list(_tables(pairs, asked(pairs))),
        figures=["floors"],
        answer=(
            "Change is one minus the cosine of a word's two vectors, once the spaces are turned onto each other: 0 for "
            "the same use, at most 2. Two runs of one period differ by training alone, two samplings also by which of "
            "its documents were read. Without training noise is what infinitely many runs would give."
        ),
    )


def _others(pairs: Table) -> Iterator[Block]:
    """The series that the answer is compared with, for who asks."""
    own = asked(pairs)
    rest = [series for series in called(pairs) if series not in own]
    if rest:
        yield Block(
            "How far did words move in documents dealt out at random, and in bootstrap runs?",
            tables=list(_tables(pairs, rest)),
            figures=["floors_of_others", "ways_of_others"],
            folded=True,
        )


def _tables(pairs: Table, series: Sequence[str]) -> Iterator[SmallTable]:
    names = called(pairs)
    for name in series:
        rows = list(pairs.records(series=name))
        columns: list[tuple[str, Shown]] = [
            ("periods", pair_of),
            ("words", lambda row: f"{row['tested']:,}"),
            ("change", lambda row: _estimate(row, "change", "change_se")),
            ("two runs of one", lambda row: _estimate(row, "training_floor", "training_se")),
        ]
        if any(row["sampling_floor"] is not None for row in rows):
            columns += [
                ("two samplings of one", lambda row: _estimate(row, "sampling_floor", "sampling_se")),
                ("beyond sampling, 95 %", _beyond),
            ]
        columns += [
            ("two different words", lambda row: number(unlike(row), 2)),
            ("without training noise", lambda row: _estimate(row, "corrected", "corrected_se")),
        ]
        if any(splits_of(pairs, row) for row in rows):
            columns.append(("dealt out at random", lambda row: _at_random(pairs, row)))
        columns.append(("between averages", lambda row: _estimate(row, "averaged", "averaged_se")))
        yield SmallTable.of(f"{names[name]}: mean over words, ± 95 % over runs", rows, columns)


def _estimate(row: Row, name: str, error: str) -> str:
    return estimated(row[name], row[error], fewest_runs(row))


def _beyond(row: Row) -> str:
    return "–" if row["sampling_floor"] is None else signed_span(*beyond(row))


def _at_random(pairs: Table, row: Row) -> str:
    splits = splits_of(pairs, row)
    return number(fmean(split["corrected"] for split in splits), 3) if splits else "–"


def _how() -> Block:
    return Block(
        "What do these numbers not say?",
        answer=(
            "A moved word has other contexts. Whether its meaning changed, or topics, authors and register did, is for "
            "a reader to judge. Two runs of one period are no test: where nothing changed at all, nearly every word "
            "moves farther than they do, because two periods are two samples of documents. Errors are jackknife errors "
            "over the runs of both periods and say nothing of other documents."
        ),
        facts=[
            ("period", "epoch", "what options and columns call a period of the texts; training has epochs of its own"),
            (
                "sampling",
                "1.1",
                "the change is no more than two samplings if surely below so many times their distance",
            ),
            (
                "beyond",
                "sampling",
                "bootstrap runs draw from one period's documents, so two of them are nearer than two periods in which "
                "nothing changed; a model of vectors says by how much, and what is above that counts",
            ),
        ],
        folded=True,
    )
