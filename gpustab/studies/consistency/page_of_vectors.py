"""The blocks of the study's page on where vectors lie: among all words, from their own vectors, in another text."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.report import Result
from gpustab.results import Block, Table
from gpustab.results.page import number
from gpustab.studies.consistency.blocks import Columns, block_of, cosine, half, small_table
from gpustab.studies.consistency.sentences import most_frequent_rank, read_by_nonce
from gpustab.studies.consistency.sentences_of_terms import closest, neighbours_part, own_part

_SETTINGS = 10
"""Settings of the grid that are shown."""


def ranks(result: Result) -> Iterator[Block]:
    """Yield how near samples are to each other among all words."""
    sums = result.tables["consistency"].where(model="additive")
    columns: Columns = [
        ("model", "model"),
        ("second to first", ("forward", 3)),
        ("first to second", ("back", 3)),
        ("mean", ("both", 3)),
        ("without the term's own word", ("without_own", 3)),
        ("at the first place", lambda row: f"{row['first']:.0%}"),
        ("of words", lambda row: f"{row['words']:,}"),
    ]
    yield from block_of(
        result.tables["ranks"],
        "How near are they among all words?",
        ("Place of one sample among the background's words by cosine to another, 1 the nearest", columns),
        lambda part: most_frequent_rank(next(sums.records(group=part["group"][0])), next(part.records())),
        aside="Bloem et al. 2019, table 1: places 1 to 1.001, and 22.4 for the halves of one book.",
    )


def nonce(result: Result) -> Iterator[Block]:
    """Yield what Nonce2Vec reads, with the best settings of a grid."""
    columns: Columns = [("sentence", "sentence"), ("samples", "samples"), ("updates", ("updates", 3))]
    for block in block_of(
        result.tables.get("updates"),
        "What does Nonce2Vec read?",
        ("Updates that the sentences of a sample give", columns),
        lambda part: read_by_nonce(list(part["updates"])),
        aside="Bloem et al. 2019, table 3: 0.686 to 0.748, tuned; sample and window decay are not given.",
        folded=not result.tables.get("grid"),
    ):
        yield _with_grid(block, result.tables.get("grid"))


def _with_grid(block: Block, settings: Table | None) -> Block:
    """The block with the best settings of the grid, if one was searched."""
    if not settings:
        return block
    best = settings.take(sorted(range(settings.height), key=lambda k: -(settings["auc"][k] or 0.0))[:_SETTINGS])
    title = f"Best {_SETTINGS} of {settings.height:,} settings by AUC; the best of many is lucky: try it on other terms"
    columns = [(name.replace("_", " "), name) for name in best if name != "group"]
    return Block(
        block.title, tables=[*block.tables, small_table(best, title, columns)], answer=block.answer, aside=block.aside
    )


def domain(result: Result) -> Iterator[Block]:
    """Yield which terms mean what they mean elsewhere."""
    columns: Columns = [
        ("terms", "terms_of"),
        ("number", "terms"),
        ("cosine", cosine("cosine")),
        ("others of like frequency", cosine("null")),
        ("difference", half("excess")),
    ]
    yield from block_of(
        result.tables.get("domain"),
        "Which terms mean in the text what they mean elsewhere?",
        ("SVD model: cosine of a term in the text to the same word in the general text, ± 95 % over terms", columns),
        lambda part: closest(list(part.records()))[1],
        after="A cosine of PPMI-SVD vectors depends on frequency by itself, so the ten other terms of the most like "
        "frequencies stand beside it.",
        figures=["by_frequency"],
        aside="Bloem et al. 2019, table 5: 0.735, 0.417, 0.109, 0.078.",
    )


def own(result: Result) -> Iterator[Block]:
    """Yield how far samples are from the background's own vectors."""
    columns: Columns = [
        ("model", "model"),
        ("terms", "terms"),
        ("own vector", ("cosine", 3)),
        ("other terms'", ("null", 3)),
        ("difference", half("excess")),
        ("place among words", lambda row: number(row["place"], 4)),
    ]
    yield from block_of(
        result.tables["own"],
        "How far are they from the background's own vector of the term?",
        ("Mean cosine to the vectors of the background, for terms that it has, ± 95 % over terms", columns),
        lambda part: own_part(next(part.records()))[1],
        figures=["own_place"],
        aside="Bloem et al. 2019, table 6 (Nonce2Vec): 0.35 to 0.48, places 2,902 to 24,513 of 259,376.",
    )


def neighbours(result: Result) -> Iterator[Block]:
    """Yield the nearest words of two samples."""
    columns: Columns = [
        ("term", "term"),
        ("sample", "sample"),
        ("cosine", ("cosine", 3)),
        ("shared", "shared"),
        ("nearest", "nearest"),
    ]
    yield from block_of(
        result.tables.get("neighbours"),
        "What are the nearest words of two samples?",
        ("Additive model, first run", columns),
        lambda part: neighbours_part(list(part.records())),
        after="Two samples can be near each other and still mean nothing: consistency is no quality.",
        figures=["nearest_words"],
        aside="Bloem et al. 2019, table 7.",
        folded=True,
    )
