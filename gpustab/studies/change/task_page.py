"""The part of the page on SemEval-2020 task 1: the scores of every series, and table 4.3 over the languages."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import Shown

_SCORES: list[tuple[str, Shown]] = [
    (title, (f"{name}{kind}", digits))
    for name, first in (("accuracy", "accuracy"), ("spearman", "Spearman"))
    for kind, title, digits in (("", first, 3), ("_sd", "SD", 2), ("_se", "± SE", 2))
]


def grid_block(result: Result) -> Iterator[Block]:
    """Yield table 4.3, if techniques were trained on the languages."""
    table = result.tables["grid"]
    if not table.height:
        return
    columns: list[tuple[str, Shown]] = [
        ("technique", "technique"),
        ("way", "way"),
        ("runs", "size"),
        ("sampling", "sampling"),
        *_SCORES,
        ("all of one class", ("majority", 3)),
        ("languages", "languages"),
    ]
    yield Block(
        "Which technique, way and sampling judge change best?",
        tables=[SmallTable.of("Mean over the languages", table.records(), columns)],
        answer=(
            "Table 4.3 of the thesis. SD is over pairs of runs, of averages and ensembles over the halves of the runs "
            "(an upper limit, from two values); SE is the jackknife error over the runs. The best of many ways is the "
            "best by luck too: choose it on other languages than those that it is told of."
        ),
        aside="Rettenmeier 2020, 32 runs, best: fastText, AA, bootstrap: accuracy 0.674, Spearman 0.483.",
    )


def task_block(result: Result) -> Iterator[Block]:
    """Yield the scores of the targets, if there are any."""
    table = result.tables["task"]
    if not table.height:
        return
    columns: list[tuple[str, Shown]] = [
        ("series", "series"),
        ("way", "way"),
        *_SCORES,
        ("targets", lambda row: f"{row['found']} of {row['targets']}"),
        ("all of one class", ("majority", 3)),
    ]
    tables = [SmallTable.of(task, part.records(), columns) for task, part in table.split("task")]
    yield Block(
        f"How well are the targets of {', '.join(own.title for own in tables)} judged?",
        tables=tables,
        answer=(
            "IR are pairs of runs, AA the aligned averages, EA the ensemble of all pairs. Accuracy stands beside "
            "that of calling all targets what most of them are."
        ),
        aside="Rettenmeier 2020, table 4.3, word2vec, shuffled, four languages: IR 0.644, 0.487; EA 0.657, 0.491.",
    )
