"""The page of the study: is a term told apart, how large must samples be, where do the vectors lie."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.report import Result
from gpustab.results import Block, Table
from gpustab.results.page import Shown, counted
from gpustab.studies.consistency import page_of_vectors
from gpustab.studies.consistency.blocks import Columns, block_of, both, half, small_table
from gpustab.studies.consistency.limits import CLOSE, FEWEST, NEAR, P_VALUE
from gpustab.studies.consistency.sentences import development, grows, of_cases, of_each
from gpustab.studies.consistency.sentences_of_models import models_part, trainings_part
from gpustab.studies.consistency.sentences_of_texts import texts_part

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
        *page_of_vectors.ranks(result),
        *page_of_vectors.own(result),
        *page_of_vectors.domain(result),
        *page_of_vectors.nonce(result),
        *page_of_vectors.neighbours(result),
        _how(result),
    ]


def _texts(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("texts", lambda row: f"{row['text']} / {row['against']}"),
        ("words", "words"),
        ("same term", both("same")),
        ("different terms", both("null")),
        ("difference of cosines", half("same", "_difference")),
        ("AUC", both("auc")),
        ("difference of AUC", half("auc", "_difference")),
    ]
    yield from block_of(
        result.tables.get("texts"),
        "Which text gives its terms the more consistent vectors?",
        ("Additive model at one number of context words a sample, ± 95 %", columns),
        lambda part: " ".join(texts_part(row)[1] for row in part.records()),
        after="AUC in the table is that share of comparisons, 0.5 by chance.",
        aside="Bloem et al. 2019, table 1: one philosopher 0.953, Wikipedia 0.927, without a null level.",
    )


def _models(result: Result) -> Block:
    table = result.tables["consistency"]
    columns: list[tuple[str, Shown]] = [
        ("model", "model"),
        ("same term", half("same")),
        ("different terms", half("null")),
        ("difference", half("excess")),
        ("AUC", half("auc")),
    ]
    if any(row["runs"] > 1 for row in table.records()):
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
        [small_table(table, "Mean cosine of two samples, ± 95 % over terms", columns)],
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
        ("difference of cosines", half("same")),
        ("difference of AUC", half("auc")),
    ]
    yield from block_of(
        table,
        "Which model tells terms apart better?",
        ("Differences of models over the same terms, ± 95 %", columns),
        lambda part: " ".join(models_part(row, terms[row["group"]])[1] for row in part.records()),
        after="Each model has its own level of cosines, for different terms too: those of two models do not compare.",
        aside="Bloem et al. 2019 rank models by their cosines: additive, Nonce2Vec, SVD.",
    )


def _trainings(result: Result) -> Iterator[Block]:
    """How sure the AUC is, over trainings of the background and over terms."""
    sums = result.tables["consistency"].where(model="additive")
    said = [part for part in of_each(sums, lambda part: trainings_part(next(part.records()))[1]) if part]
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
    yield from block_of(
        result.tables.get("split"),
        "Do the halves differ more than parts drawn at random?",
        ("Additive model, mean cosine of the two parts of each term's sentences", columns),
        lambda part: development(list(part.records()))[1],
        aside="Bloem et al. 2019 compare halves with random samples of another size, which cannot say that.",
    )


def _sizes(result: Result) -> Iterator[Block]:
    columns: Columns = [
        ("sentences", "n"),
        ("terms", "terms"),
        ("words", lambda row: f"{row['words']:.1f}"),
        ("same term", half("same")),
        ("by the law", ("law", 3)),
        ("different terms", ("null", 3)),
        ("AUC", ("auc", 3)),
        ("c", ("c", 3)),
    ]
    yield from block_of(
        result.tables.get("sizes"),
        "How many sentences does a term need?",
        ("Additive model; the same terms in every row, ± 95 % over them", columns),
        lambda part: grows(part)[1],
        figures=["by_size"],
        aside="Bloem et al. 2019, table 2: 0.794, 0.837, 0.905, 0.923, 0.956 for 1, 2, 3, 4, 8, one term.",
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
