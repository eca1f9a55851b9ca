"""The page of the study: is a term told apart, how large must samples be, where do the vectors lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import number, whole
from gpustab.studies.consistency.sentences import (
    development,
    grows,
    most_frequent_rank,
    read_by_nonce,
    texts_part,
    trainings_part,
)
from gpustab.studies.consistency.sentences_of_terms import closest, neighbours_part, own_part

_SIZE_HEADER = ["background", "sentences", "terms", "words", "same term", "by the law", "different", "AUC", "c"]

_SETTINGS = 10
"""Settings of the grid that are shown."""


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    return [
        *_texts(result),
        _models(result),
        *_split(result),
        *_ranks(result),
        *_sizes(result),
        *_nonce(result),
        *_domain(result),
        *_own(result),
        *_neighbours(result),
        _how(result),
    ]


def _texts(result: Result) -> Iterator[Block]:
    table = result.tables.get("texts", Table())
    if not table.height:
        return
    header = ["background", "texts", "words", "same term", "different", "AUC", "difference of cosines", "of AUC"]
    rows = [
        [
            row["group"],
            f"{row['text']} / {row['against']}",
            str(row["words"]),
            *(f"{row[name]:.3f} / {row[f'{name}_against']:.3f}" for name in ("same", "null", "auc")),
            *(_with_half(row, name, "_difference") for name in ("same", "auc")),
        ]
        for row in table.rows()
    ]
    yield Block(
        "Which text gives its terms the more consistent vectors?",
        tables=[SmallTable("Additive model at one number of context words a sample, ± 95 %", header, rows)],
        answer=" ".join(texts_part(row)[1] for row in table.rows(group=table["group"][0])),
        aside="Bloem et al. 2019, table 1: one philosopher 0.953, Wikipedia 0.927, without a null level.",
    )


def _models(result: Result) -> Block:
    table = result.tables["consistency"]
    header = ["background", "model", "same term", "different terms", "excess", "AUC", "SD over runs", "c", "terms"]
    rows = [
        [
            row["group"],
            row["model"],
            _with_half(row, "same"),
            _with_half(row, "null"),
            _with_half(row, "excess"),
            _with_half(row, "auc"),
            number(row["auc_sd"], 2),
            number(row["c"], 3),
            str(row["terms"]),
        ]
        for row in table.rows()
    ]
    return Block(
        "Does the text give a term the same vector twice?",
        _facts(result),
        [SmallTable("Mean cosine of two samples, ± 95 % over terms", header, rows)],
        figures=["same_and_null"],
        answer=(
            "Read a cosine only beside that of different terms, and models only by their AUC: how often a pair of one "
            "term is nearer than a pair of two, 0.5 by chance. c is the cosine without the size of the samples: sums "
            f"of m words have 1 / (1 + c / m). {trainings_part(next(table.rows(model='additive')))[1]}"
        ).strip(),
        aside="Bloem et al. 2019, table 1: 0.907 to 0.953 by the additive model, without a null level.",
    )


def _facts(result: Result) -> list[tuple[str, str, str]]:
    return [
        (
            group["name"],
            f"{group['terms']:,} terms",
            f"{group['samples']:,} samples of {group['sentences']:.1f} sentences, {group['full']:.0%} of them full; "
            f"{group['words']:,} words, {group['known']:.0%} of the text's tokens; {len(group['runs'])} runs",
        )
        for group in result.groups
    ]


def _with_half(row: dict[str, Any], name: str, of: str = "") -> str:
    half, value = (row[f"{name}_high"] - row[f"{name}_low"]) / 2, row[name + of]
    return f"{value:.3f} ± {number(half, 2)}" if half == half else f"{value:.3f}"


def _ranks(result: Result) -> Iterator[Block]:
    table = result.tables["ranks"]
    row = next(result.tables["consistency"].rows())
    yield Block(
        "How near are they among all words?",
        tables=[whole("Place of one sample among the background's words by cosine to another, 1 the nearest", table)],
        answer=most_frequent_rank(row, next(table.rows())),
        aside="Bloem et al. 2019, table 1: places 1 to 1.001, and 22.4 for the halves of one book.",
    )


def _sizes(result: Result) -> Iterator[Block]:
    table = result.tables.get("sizes", Table())
    if table.height:
        name = table["group"][0]
        rows = [
            [
                row["group"],
                str(row["n"]),
                str(row["terms"]),
                f"{row['words']:.1f}",
                _with_half(row, "same"),
                f"{row['law']:.3f}",
                f"{row['null']:.3f}",
                f"{row['auc']:.3f}",
                number(row["c"], 3),
            ]
            for row in table.rows()
        ]
        yield Block(
            "How many sentences does a term need?",
            tables=[SmallTable("Additive model; the same terms in every row, ± 95 % over them", _SIZE_HEADER, rows)],
            figures=["by_size"],
            answer=grows(table.where(group=name))[1],
            aside="Bloem et al. 2019, table 2: 0.794, 0.837, 0.905, 0.923, 0.956 for 1, 2, 3, 4, 8, one term.",
        )


def _split(result: Result) -> Iterator[Block]:
    table = result.tables.get("split", Table())
    if table.height:
        yield Block(
            "Do the halves differ more than parts drawn at random?",
            tables=[whole("Additive model, mean cosine of the two parts of each term's sentences", table)],
            answer=development(list(table.rows(group=table["group"][0])))[1],
            aside="Bloem et al. 2019 compare halves with random samples of another size, which cannot say that.",
        )


def _nonce(result: Result) -> Iterator[Block]:
    table = result.tables.get("updates", Table())
    if not table.height:
        return
    tables = [whole("Updates that the sentences of a sample give", table)]
    settings = result.tables.get("grid", Table())
    if settings.height:
        best = sorted(range(settings.height), key=lambda k: -(settings["auc"][k] or 0.0))[:_SETTINGS]
        title = (
            f"Best {_SETTINGS} of {settings.height:,} settings by AUC; the best of many is lucky: try it on other terms"
        )
        tables.append(whole(title, settings.take(best)))
    yield Block(
        "What does Nonce2Vec read?",
        tables=tables,
        answer=read_by_nonce([row["updates"] for row in table.rows(group=table["group"][0])]),
        aside="Bloem et al. 2019, table 3: 0.686 to 0.748, tuned; sample and window decay are not given.",
    )


def _domain(result: Result) -> Iterator[Block]:
    table = result.tables.get("domain", Table())
    if table.height:
        yield Block(
            "Which terms mean in the text what they mean elsewhere?",
            tables=[whole("SVD model: cosine of a term in the text to the same word in the general text", table)],
            figures=["by_frequency"],
            answer=(
                f"{closest(list(table.rows(group=table['group'][0])))[1]} The null level is of the ten other terms of "
                "the most like frequencies: a cosine of PPMI-SVD vectors depends on frequency by itself."
            ),
            aside="Bloem et al. 2019, table 5: 0.735, 0.417, 0.109, 0.078.",
        )


def _own(result: Result) -> Iterator[Block]:
    table = result.tables["own"]
    yield Block(
        "How far are they from the background's own vector of the term?",
        tables=[whole("Means over samples of the terms that the background has", table)],
        figures=["own_place"],
        answer=own_part(next(table.rows(group=table["group"][0])))[1],
        aside="Bloem et al. 2019, table 6 (Nonce2Vec): 0.35 to 0.48, places 2,902 to 24,513 of 259,376.",
    )


def _neighbours(result: Result) -> Iterator[Block]:
    table = result.tables.get("neighbours", Table())
    if table.height:
        yield Block(
            "What are the nearest words of two samples?",
            tables=[whole("Additive model, first run", table)],
            figures=["nearest_words"],
            answer=(
                f"{neighbours_part(list(table.rows(group=table['group'][0])))} Two samples can be near each other and "
                "still mean nothing: consistency is no quality."
            ),
            aside="Bloem et al. 2019, table 7.",
            folded=True,
        )


def _how(result: Result) -> Block:
    settings = result.settings
    return Block(
        "By which rules?",
        [
            ("null pairs", "different terms", "no sentence in common, numbers of context words within a factor of two"),
            ("context", f"{settings['window']} words", "within the sentence, after subsampling; never the term itself"),
            ("centred", "", "less the mean background vector of the text's tokens, once for each context word"),
            ("intervals", "95 %", "jackknife over terms, Student's t; runs of a background have their own SD"),
        ],
        folded=True,
    )
