"""The page of the study: is a term told apart, how large must samples be, where do the vectors lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, counted, number, with_half
from gpustab.studies.consistency.limits import CLOSE, FEWEST, NEAR, P_VALUE, as_cosine
from gpustab.studies.consistency.sentences import (
    development,
    grows,
    most_frequent_rank,
    of_cases,
    of_each,
    read_by_nonce,
)
from gpustab.studies.consistency.sentences_of_models import models_part, trainings_part
from gpustab.studies.consistency.sentences_of_terms import closest, neighbours_part, own_part
from gpustab.studies.consistency.sentences_of_texts import texts_part

Row = Mapping[str, Any]
Columns = Sequence[tuple[str, Shown]]

_SETTINGS = 10
"""Settings of the grid that are shown."""

_AUC = (
    "AUC is how often a term's own second vector is nearer than another term's, 0.5 by chance: by it alone models, "
    "texts and settings compare, since each has its own level of cosines, for different terms too."
)


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    return [
        *_texts(result),
        _models(result),
        *_contrasts(result),
        *_trainings(result),
        *_split(result),
        *_sizes(result),
        *_ranks(result),
        *_own(result),
        *_domain(result),
        *_nonce(result),
        *_neighbours(result),
        _how(result),
    ]


def _block(
    table: Table | None,
    title: str,
    shown: tuple[str, Columns],
    said: Callable[[Table], str],
    *,
    after: str = "",
    **more: Any,
) -> Iterator[Block]:
    """Yield a block of a table with a sentence on every background and text, if the table has rows.

    Args:
        table: with a column ``group``.
        title: of the block.
        shown: title and columns of its small table; who has the rows stands first where they are several.
        said: of the rows of one background and text.
        after: what else is said.
        more: of the block.
    """
    if table and table.height:
        answer = "\n".join([*of_each(table, said), after]).strip()
        yield Block(title, tables=[_small(table, *shown)], answer=answer, **more)


def _small(table: Table, title: str, columns: Columns) -> SmallTable:
    of: Columns = [("background, text", "group")] if len(set(table["group"])) > 1 else []
    return SmallTable.of(title, table.rows(), [*of, *columns])


def _half(name: str, of: str = "") -> Callable[[Row], str]:
    """What shows a number with half of its interval; of a difference the number has a longer name than its ends."""
    return lambda row: with_half(row[name + of], (row[f"{name}_high"] - row[f"{name}_low"]) / 2)


def _cosine(name: str) -> Callable[[Row], str]:
    return lambda row: "–" if row[name] is None else as_cosine(row[name])


def _both(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row[name]:.3f} / {row[f'{name}_against']:.3f}"


def _texts(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("texts", lambda row: f"{row['text']} / {row['against']}"),
        ("words", "words"),
        ("same term", _both("same")),
        ("different terms", _both("null")),
        ("difference of cosines", _half("same", "_difference")),
        ("AUC", _both("auc")),
        ("difference of AUC", _half("auc", "_difference")),
    ]
    yield from _block(
        result.tables.get("texts"),
        "Which text gives its terms the more consistent vectors?",
        ("Additive model at one number of context words a sample, ± 95 %", columns),
        lambda part: " ".join(texts_part(row)[1] for row in part.rows()),
        after="AUC in the table is that share of comparisons, 0.5 by chance.",
        aside="Bloem et al. 2019, table 1: one philosopher 0.953, Wikipedia 0.927, without a null level.",
    )


def _models(result: Result) -> Block:
    table = result.tables["consistency"]
    columns: list[tuple[str, Shown]] = [
        ("model", "model"),
        ("same term", _half("same")),
        ("different terms", _half("null")),
        ("difference", _half("excess")),
        ("AUC", _half("auc")),
    ]
    if any(row["runs"] > 1 for row in table.rows()):
        columns.append(("SD over runs", ("auc_sd", 2)))
    columns += [("c", ("c", 3)), ("terms", "terms")]
    rest = [sentence for both in of_cases(result.tables) for sentence in both if sentence not in result.verdict]
    told = [
        "Read a cosine only beside that of different terms.",
        _AUC,
        "c is what stays of it without the size of the samples, smaller for more alike vectors: sums of m words have "
        "the cosine 1 / (1 + c / m).",
    ]
    return Block(
        "Does the text give a term the same vector twice?",
        _facts(result),
        [_small(table, "Mean cosine of two samples, ± 95 % over terms", columns)],
        figures=["same_and_null"],
        answer="\n".join([*rest, " ".join(told)]),
        aside="Bloem et al. 2019, table 1: 0.907 to 0.953 by the additive model, without a null level.",
    )


def _facts(result: Result) -> list[tuple[str, str, str]]:
    return [
        (
            group["name"],
            counted(group["terms"], "term"),
            f"{counted(group['samples'], 'sample')} of {group['sentences']:.1f} sentences, {group['full']:.0%} of them "
            f"full; {counted(group['words'], 'word')}, {group['known']:.0%} of the text's tokens; "
            f"{counted(len(group['runs']), 'run')}; text: {group['source'] or group['text']}",
        )
        for group in result.groups
    ]


def _contrasts(result: Result) -> Iterator[Block]:
    table = Table.of(result.contrasts)
    terms = {group["name"]: group["terms"] for group in result.groups}
    columns: Columns = [
        ("model", "model"),
        ("against", "against"),
        ("difference of cosines", _half("same")),
        ("difference of AUC", _half("auc")),
    ]
    yield from _block(
        table,
        "Which model tells terms apart better?",
        ("Differences of models over the same terms, ± 95 %", columns),
        lambda part: " ".join(models_part(row, terms[row["group"]])[1] for row in part.rows()),
        after="Each model has its own level of cosines, for different terms too: those of two models do not compare.",
        aside="Bloem et al. 2019 rank models by their cosines: additive, Nonce2Vec, SVD.",
    )


def _trainings(result: Result) -> Iterator[Block]:
    """How sure the AUC is, over trainings of the background and over terms."""
    sums = result.tables["consistency"].where(model="additive")
    said = [part for part in of_each(sums, lambda part: trainings_part(next(part.rows()))[1]) if part]
    if said:
        yield Block("Would another training of the background say the same?", answer="\n".join(said))


def _split(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("moved at random", "permuted"),
        ("terms", "terms"),
        ("halves", ("halves", 3)),
        ("random parts", ("random", 3)),
        ("as unlike (p)", ("p", 2)),
        ("terms unlike by themselves", lambda row: f"{row['unlike_terms']:.0%}"),
    ]
    yield from _block(
        result.tables.get("split"),
        "Do the halves differ more than parts drawn at random?",
        ("Additive model, mean cosine of the two parts of each term's sentences", columns),
        lambda part: development(list(part.rows()))[1],
        aside="Bloem et al. 2019 compare halves with random samples of another size, which cannot say that.",
    )


def _sizes(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("sentences", "n"),
        ("terms", "terms"),
        ("words", lambda row: f"{row['words']:.1f}"),
        ("same term", _half("same")),
        ("by the law", ("law", 3)),
        ("different terms", ("null", 3)),
        ("AUC", ("auc", 3)),
        ("c", ("c", 3)),
    ]
    yield from _block(
        result.tables.get("sizes"),
        "How many sentences does a term need?",
        ("Additive model; the same terms in every row, ± 95 % over them", columns),
        lambda part: grows(part)[1],
        figures=["by_size"],
        aside="Bloem et al. 2019, table 2: 0.794, 0.837, 0.905, 0.923, 0.956 for 1, 2, 3, 4, 8, one term.",
    )


def _ranks(result: Result) -> Iterator[Block]:
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
    yield from _block(
        result.tables["ranks"],
        "How near are they among all words?",
        ("Place of one sample among the background's words by cosine to another, 1 the nearest", columns),
        lambda part: most_frequent_rank(next(sums.rows(group=part["group"][0])), next(part.rows())),
        aside="Bloem et al. 2019, table 1: places 1 to 1.001, and 22.4 for the halves of one book.",
    )


def _nonce(result: Result) -> Iterator[Block]:
    columns: Columns = [("sentence", "sentence"), ("samples", "samples"), ("updates", ("updates", 3))]
    for block in _block(
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
        block.title, tables=[*block.tables, _small(best, title, columns)], answer=block.answer, aside=block.aside
    )


def _domain(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("terms", "terms_of"),
        ("number", "terms"),
        ("cosine", _cosine("cosine")),
        ("others of like frequency", _cosine("null")),
        ("difference", _half("excess")),
    ]
    yield from _block(
        result.tables.get("domain"),
        "Which terms mean in the text what they mean elsewhere?",
        ("SVD model: cosine of a term in the text to the same word in the general text, ± 95 % over terms", columns),
        lambda part: closest(list(part.rows()))[1],
        after="A cosine of PPMI-SVD vectors depends on frequency by itself, so the ten other terms of the most like "
        "frequencies stand beside it.",
        figures=["by_frequency"],
        aside="Bloem et al. 2019, table 5: 0.735, 0.417, 0.109, 0.078.",
    )


def _own(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("model", "model"),
        ("terms", "terms"),
        ("own vector", ("cosine", 3)),
        ("other terms'", ("null", 3)),
        ("difference", _half("excess")),
        ("place among words", lambda row: number(row["place"], 4)),
    ]
    yield from _block(
        result.tables["own"],
        "How far are they from the background's own vector of the term?",
        ("Mean cosine to the vectors of the background, for terms that it has, ± 95 % over terms", columns),
        lambda part: own_part(next(part.rows()))[1],
        figures=["own_place"],
        aside="Bloem et al. 2019, table 6 (Nonce2Vec): 0.35 to 0.48, places 2,902 to 24,513 of 259,376.",
    )


def _neighbours(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("term", "term"),
        ("sample", "sample"),
        ("cosine", ("cosine", 3)),
        ("shared", "shared"),
        ("nearest", "nearest"),
    ]
    yield from _block(
        result.tables.get("neighbours"),
        "What are the nearest words of two samples?",
        ("Additive model, first run", columns),
        lambda part: neighbours_part(list(part.rows())),
        after="Two samples can be near each other and still mean nothing: consistency is no quality.",
        figures=["nearest_words"],
        aside="Bloem et al. 2019, table 7.",
        folded=True,
    )


def _how(result: Result) -> Block:
    settings = result.settings
    return Block(
        "By which rules?",
        [
            ("told apart", "above 50", f"the interval of the AUC in 100 comparisons; alike: below {100 * NEAR:.0f}"),
            ("equally well", f"± {100 * CLOSE:.0f}", "both ends of a difference of AUC in 100 comparisons lie within"),
            ("halves differ", f"p ≤ {P_VALUE:.0%}", "of the parts drawn at random at most so many are as unlike"),
            ("few", f"under {FEWEST}", "of so few terms nothing is said"),
            ("null pairs", "different terms", "no sentence in common, numbers of context words within a factor of two"),
            ("context", f"{settings['window']} words", "within the sentence, after subsampling; never the term itself"),
            ("centred", "", "less the mean background vector of the text's tokens, once for each context word"),
            ("intervals", "95 %", "jackknife over terms, Student's t; runs of a background have their own SD"),
        ],
        folded=True,
    )
