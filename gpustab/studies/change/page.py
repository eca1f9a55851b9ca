"""The page of change: epochs against their floors, words, the way of single words, the law of frequency."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import number
from gpustab.studies.change.law_page import excess_block, law_block
from gpustab.studies.change.sentences import RELIABLE, WORDS, unreliable
from gpustab.studies.change.tables import floor_series


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    return [
        _pairs(result),
        *_words(result),
        *_tested(result),
        *_ways(result),
        *law_block(result),
        *excess_block(result),
        *_grid(result),
        *_task(result),
        _how(),
    ]


def _pairs(result: Result) -> Block:
    header = ["epochs", "words", "change", "± SE", "corrected", "± SE", "average", "training", "sampling", "mean cos"]
    blocks = []
    for series, table in result.tables["pairs"].split("series"):
        rows = [
            [
                f"{row['first']} → {row['second']}",
                f"{row['tested']:,}",
                number(row["change"], 3),
                number(row["change_se"], 2),
                number(row["corrected"], 3),
                number(row["corrected_se"], 2),
                number(row["averaged"], 3),
                number(row["training_floor"], 3),
                number(row["sampling_floor"], 3),
                f"{number(row['mean_cosine_first'], 2)}, {number(row['mean_cosine_second'], 2)}",
            ]
            for row in table.rows()
        ]
        blocks.append(SmallTable(series + (" (nothing changed)" if table["control"][0] else ""), header, rows))
    return Block(
        "How far did words move, and how far do they move when nothing changes?",
        tables=blocks,
        figures=["floors"],
        answer=(
            "Change is one minus the cosine of a word's two vectors, once the spaces are turned onto each other. "
            "Training is the floor of two runs of one epoch, sampling that of two bootstrap runs of one epoch. "
            "Corrected is what infinitely many runs would give; the sampling of documents is still in it."
        ),
    )


def _words(result: Result) -> Iterator[Block]:
    header = ["word", "count", "change", "± SE", "corrected", "± SE", "training", "sampling", "beyond"]
    tables, said = [], []
    reliable = {(c["series"], c["first"], c["second"]): c["reliability"] for c in result.contrasts}
    controls = {group["name"] for group in result.groups if group["control"]}
    for key, rows in _by_pair(result):
        known = reliable.get(key, math.nan)
        if key[0] in controls or key[0] in floor_series(result.tables["pairs"]):
            continue
        name = f"{key[1]} → {key[2]}" + (f", {key[0]}" if len(result.groups) > 1 else "")
        if not known >= RELIABLE:
            said.append(unreliable(name, known))
            continue
        tables.append(SmallTable(name, header, [_word(row) for row in rows[:WORDS]]))
    if tables or said:
        yield Block(
            "Which words moved most?",
            tables=tables,
            answer=(
                "Those first that moved farthest beyond the sampling floor, where that is known. The order is that "
                f"which other runs on these documents would give; other documents may give another. {' '.join(said)}"
            ).strip(),
        )


def _tested(result: Result) -> Iterator[Block]:
    table = result.tables.get("discoveries")
    if table is None:
        return
    tables = []
    for first, part in table.where(found=True).split("first"):
        rows = [
            [
                row["word"],
                number(row["change"], 3),
                number(row["expected"], 3),
                number(row["z"], 3),
                number(row["q"], 2),
            ]
            for row in part.take(range(min(WORDS, part.height))).rows()
        ]
        tables.append(SmallTable(f"{first} → {part['second'][0]}", ["word", "change", "expected", "z", "q"], rows))
    yield Block(
        "Which words' contexts differ beyond the sampling of authors?",
        tables=tables,
        answer=(
            f"Documents were dealt out to the epochs anew, all of one {result.settings['authors']} together, and "
            "measured by PPMI and singular vectors. Expected is the mean change of a word over the deals, z how many "
            "SDs it lies above, q the rate of false discoveries at which it is found. It says nothing of meaning."
        ),
    )


def _by_pair(result: Result) -> Iterator[tuple[tuple[str, str, str], list[dict[str, Any]]]]:
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in result.tables["words"].rows():
        found.setdefault((row["series"], row["first"], row["second"]), []).append(row)
    yield from found.items()


def _word(row: dict[str, Any]) -> list[str]:
    counts = row["count_first"], row["count_second"]
    return [
        row["word"],
        "–" if None in counts else f"{counts[0]:,.0f}, {counts[1]:,.0f}",
        number(row["change"], 3),
        number(row["change_se"], 2),
        number(row["corrected"], 3),
        number(row["corrected_se"], 2),
        number(row["training_floor"], 3),
        number(row["sampling_floor"], 3),
        number(row["excess"], 3),
    ]


def _ways(result: Result) -> Iterator[Block]:
    for word, table in result.tables["neighbours"].split("word"):
        tables = []
        for series, own in table.split("series"):
            if series in floor_series(result.tables["pairs"]):
                continue
            epochs = own.split("epoch")
            lists = [[f"{row['neighbour']} ({row['runs']}/{row['of']})" for row in part.rows()] for _, part in epochs]
            rows = [
                [str(k + 1), *(one[k] if k < len(one) else "–" for one in lists)] for k in range(max(map(len, lists)))
            ]
            tables.append(SmallTable(series, ["place", *(epoch for epoch, _ in epochs)], rows))
        yield Block(
            f"What did “{word}” stand beside?",
            tables=tables,
            figures=["ways"] if word == result.tables["neighbours"]["word"][0] else [],
            answer="Its nearest words in each epoch, those of most runs first; in brackets in how many runs they are.",
        )


def _grid(result: Result) -> Iterator[Block]:
    table = result.tables["grid"]
    if not table.height:
        return
    header = ["technique", "way", "runs", "sampling", "accuracy", "SD", "± SE", "Spearman", "SD", "± SE"]
    header += ["all of one class", "languages"]
    rows = [
        [
            row["technique"],
            row["way"],
            str(row["size"]),
            row["sampling"],
            *_scores(row),
            number(row["majority"], 3),
            str(row["languages"]),
        ]
        for row in table.rows()
    ]
    yield Block(
        "Which technique, way and sampling judge change best?",
        tables=[SmallTable("Mean over the languages", header, rows)],
        answer=(
            "Table 4.3 of the thesis. SD is over pairs of runs, of averages and ensembles over the halves of the runs "
            "(an upper limit, from two values); SE is the jackknife error over the runs. The best of many ways is the "
            "best by luck too: choose it on other languages than those that it is told of."
        ),
        aside="Rettenmeier 2020, 32 runs, best: fastText, AA, bootstrap: accuracy 0.674, Spearman 0.483.",
    )


def _scores(row: dict[str, Any]) -> list[str]:
    return [
        number(row[name + kind], digits)
        for name in ("accuracy", "spearman")
        for kind, digits in (("", 3), ("_sd", 2), ("_se", 2))
    ]


def _task(result: Result) -> Iterator[Block]:
    table = result.tables["task"]
    if not table.height:
        return
    header = ["series", "way", "accuracy", "SD", "± SE", "Spearman", "SD", "± SE", "targets", "all of one class"]
    tables = [
        SmallTable(
            task,
            header,
            [
                [
                    row["series"],
                    row["way"],
                    *_scores(row),
                    f"{row['found']} of {row['targets']}",
                    number(row["majority"], 3),
                ]
                for row in part.rows()
            ],
        )
        for task, part in table.split("task")
    ]
    yield Block(
        f"How well are the targets of {', '.join(own.title for own in tables)} judged?",
        tables=tables,
        answer=(
            "IR are pairs of runs, AA the aligned averages, EA the ensemble of all pairs. Accuracy stands beside "
            "that of calling all targets what most of them are."
        ),
        aside="Rettenmeier 2020, table 4.3, word2vec, shuffled, four languages: IR 0.644, 0.487; EA 0.657, 0.491.",
    )


def _how() -> Block:
    return Block(
        "What do these numbers not say?",
        answer=(
            "A moved word has other contexts. Whether its meaning changed, or topics, authors and register did, is for "
            "a reader to judge. The training floor is no test: where nothing changed at all, nearly every word exceeds "
            "it, because two epochs are two samples of documents. Errors are jackknife errors over the runs of both "
            "epochs and say nothing of other documents."
        ),
        folded=True,
    )
