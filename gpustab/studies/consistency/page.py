"""The page: is a term told apart, how large must samples be, where do the vectors lie; its title, methods, citation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Columns, Shown, counted, minus, number, percent, with_half
from gpustab.results.table import titles
from gpustab.studies.consistency import claims, tables
from gpustab.studies.consistency import claims_of_sums as sums
from gpustab.studies.consistency import claims_of_vectors as vectors
from gpustab.studies.consistency.quality import quality_blocks
from gpustab.studies.consistency.tables import ADDITIVE, CONSISTENCY, TESTED, ModelNumbers
from gpustab.studies.consistency.tuning import best_of
from gpustab.studies.consistency.verdict import beside_paper, of_cases, of_each, of_encoders, paper_and_here
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import WORDS_DEPEND

R = TypeVar("R")


_AUC = (
    "AUC is how often a term's own second vector is nearer than another term's (0.5 by chance). Compare models, texts "
    "and settings by the AUC alone: each has its own level of cosines, for different terms too."
)
_SETTINGS = 10
"""Settings of the grid that are shown."""


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    return [*_of_text(result), *_of_vectors(result), _how(result)]


def _of_text(result: Result) -> list[Block]:
    """How far the text gives its terms vectors of their own: by texts, models, trainings, halves and sizes."""
    made = result.tables
    return [
        *_block_of(
            tables.TEXTS.of(made),
            "Which text gives its terms the more consistent vectors?",
            ("Additive model at one number of context words a sample, ± 95 %", _OF_TEXTS),
            lambda pairs: " ".join(map(claims.texts_compared, pairs)),
            after="AUC in the table is that share of comparisons, 0.5 by chance.",
            paper=(claims.HIGHER_COSINE.paper, lambda pairs: ", ".join(map(claims.HIGHER_COSINE.stands, pairs))),
        ),
        _models(result),
        *_block_of(
            tables.CONTRASTS.table(tables.Contrast(**contrast) for contrast in result.contrasts),
            "Which model tells terms apart better?",
            (
                "Differences of models over the same terms, ± 95 %",
                ["model", "against", half(tables.Contrast, "same"), half(tables.Contrast, "auc")],
            ),
            lambda rows: " ".join(map(vectors.BETTER_MODEL.sentence, rows)),
            after="Each model has its own level of cosines, for different terms too: those of two models do not "
            "compare.",
            paper=(vectors.SUMS_FIRST.paper, lambda rows: vectors.SUMS_FIRST.stands(_of_paper(rows))),
        ),
        *_encoders(result),
        *quality_blocks(result),
        *_trainings(result),
        *_block_of(
            tables.SPLIT.of(made),
            "Do the halves differ more than parts drawn at random?",
            (
                "Additive model, mean cosine of the two parts of each term's sentences",
                ["permuted", "terms", "halves", "random", "p", "unlike_terms"],
            ),
            lambda rows: claims.HALVES_DIFFER.sentence(rows[0]),
            paper=(claims.HALVES_DIFFER.paper, lambda rows: claims.HALVES_DIFFER.stands(rows[0])),
        ),
        *_block_of(
            tables.SIZES.of(made),
            "How many sentences does a term need?",
            (
                "Additive model; the same terms in every row, ± 95 % over them",
                ["n", "mean", "terms", "words", half(tables.Size, "same"), "law", "null", "auc", "c"],
            ),
            sums.GROWS.sentence,
            figures=["by_size"],
            paper=(sums.GROWS.paper, sums.GROWS.stands),
        ),
    ]


def _of_vectors(result: Result) -> list[Block]:
    """Where the vectors lie: among all words, beside the background's own and the general text's, and their nearest."""
    made = result.tables
    return [
        *_ranks(result),
        *_block_of(
            tables.OWN.of(made),
            "How far are they from the background's own vector of the term?",
            (
                "Mean cosine to the vectors of the background, for terms that it has, ± 95 % over terms",
                ["model", "terms", "cosine", "null", half(tables.OwnVectors, "excess"), "place"],
            ),
            lambda rows: vectors.OWN_NEARER.sentence(rows[0]),
            figures=["own_place"],
            paper=(vectors.OWN_NEARER.paper, lambda rows: vectors.OWN_NEARER.stands(_nonce_or_sums(rows))),
        ),
        *_block_of(
            tables.DOMAIN.of(made),
            "Which terms mean in the text what they mean elsewhere?",
            (
                "SVD model: cosine of a term in the text to the same word in the general text, ± 95 % over terms",
                ["terms_of", "terms", "cosine", "null", half(tables.Domain, "excess")],
            ),
            vectors.CLOSEST_GROUP.sentence,
            after="A cosine of PPMI-SVD vectors depends on frequency by itself, so the ten other terms of the most "
            "like frequencies stand beside it.",
            figures=["by_frequency"],
            paper=(vectors.CLOSEST_GROUP.paper, vectors.CLOSEST_GROUP.stands),
        ),
        *_nonce(result),
        *_block_of(
            tables.NEIGHBOURS.of(made),
            "What are the nearest words of two samples?",
            _nearest_words(made),
            vectors.neighbours_shared,
            after="Two samples can be near each other and still mean nothing: consistency is no quality.",
            figures=["nearest_words"],
            paper=(vectors.TALKING, vectors.nearest_to_each_other),
            folded=True,
        ),
    ]


def _models(result: Result) -> Block:
    rows = list(CONSISTENCY.rows(result.tables))
    columns: Columns = [
        "model",
        *(half(ModelNumbers, name) for name in ("same", "null", "excess", "auc")),
        *(["auc_sd"] if any(row.runs > 1 for row in rows) else []),
        "c",
        "terms",
    ]
    others = [said for both in of_cases(result.tables) for said in both if said not in result.verdict]
    reading = [
        "Read the cosine of one term only beside the cosine of different terms.",
        _AUC,
        "c is the cosine without the effect of the samples' size: sums of m words have the cosine 1 / (1 + c / m). A "
        "smaller c means more alike vectors.",
    ]
    return Block(
        "Does the text give a term the same vector twice?",
        _facts(result),
        [_small_table("Mean cosine of two samples, ± 95 % over terms", rows, columns)],
        figures=["same_and_null"],
        answer="\n".join([*others, " ".join(reading), *beside_paper(result.tables)]),
    )


def _facts(result: Result) -> list[tuple[str, str, str]]:
    return [
        (
            case.name,
            counted(case.terms, "term"),
            f"{counted(case.samples, 'sample')} of {case.sentences:.1f} sentences, {percent(case.full)} of them "
            f"full; {counted(case.words, 'word')}, {percent(case.known)} of the text's running words; "
            f"{counted(len(case.runs), 'run')}; text: {case.source or case.text}",
        )
        for case in _cases(result)
    ]


def _cases(result: Result) -> list[tables.Case]:
    return [tables.Case(**group) for group in result.groups]


def _trainings(result: Result) -> Iterator[Block]:
    """How sure the AUC is, over trainings of the background and over terms."""
    additive = CONSISTENCY.of(result.tables).where(model=ADDITIVE)
    if sentences := list(filter(None, of_each(additive, lambda rows: claims.SURER.sentence(rows[0])))):
        yield Block("Would another training of the background say the same?", answer="\n".join(sentences))


def _of_paper(rows: Iterable[tables.Contrast]) -> list[tables.Contrast]:
    """Return the rows of models that the paper has."""
    return [row for row in rows if not row.model.startswith(tables.ENCODER)]


def _encoders(result: Result) -> Iterator[Block]:
    """Whether the states of encoders distinguish terms, beside made-up words in the same documents."""
    if said := of_encoders(result.tables):
        yield Block(
            "Do encoders distinguish terms by their contexts?",
            answer="\n".join(
                [
                    *said,
                    "The term itself is masked, since its own letters would give it away even to random weights. The "
                    "mean of all contexts is taken out, since all states of a transformer point one way.",
                ]
            ),
        )


def _ranks(result: Result) -> Iterator[Block]:
    """How near samples are to each other among all words."""

    def placed(rows: Sequence[tables.WordRanks]) -> sums.Placed:
        return sums.Placed(next(CONSISTENCY.rows(result.tables, model=ADDITIVE, group=rows[0].group)), rows[0])

    yield from _block_of(
        tables.RANKS.of(result.tables),
        "How near are they among all words?",
        (
            "Place of one sample among the background's words by cosine to another, 1 the nearest",
            ["model", "forward", "back", "both", "without_own", "first", "words"],
        ),
        lambda rows: sums.NEAR_AS_SUMS.sentence(placed(rows)),
        paper=(sums.NEAR_AS_SUMS.paper, lambda rows: sums.NEAR_AS_SUMS.stands(placed(rows))),
    )


def _nonce(result: Result) -> Iterator[Block]:
    """What Nonce2Vec reads, with the best settings of a grid."""
    settings = list(tables.SETTINGS.rows(result.tables))
    for block in _block_of(
        tables.UPDATES.of(result.tables),
        "What does Nonce2Vec read?",
        ("Updates that the sentences of a sample give", ["sentence", "samples", "updates"]),
        vectors.READ_BY_NONCE.sentence,
        paper=(vectors.READ_BY_NONCE.paper, vectors.READ_BY_NONCE.stands),
        folded=not settings,
    ):
        if settings:
            best = sorted(settings, key=lambda row: -(row.auc or 0.0))[:_SETTINGS]
            title = f"Best {_SETTINGS} of {len(settings):,} settings by AUC over the terms that choose"
            columns = [name for name in titles(tables.Setting) if name not in ("group", "test_same", "test_null")]
            answer = "\n".join([block.answer, *_chosen(result)])
            block = replace(block, answer=answer, tables=[*block.tables, _small_table(title, best, columns)])
        yield block


def _chosen(result: Result) -> Iterator[str]:
    """How the best setting is chosen, and what it is worth on the other terms, of every background and text."""
    cases, seed = _cases(result), result.settings["seed"]
    for case in cases:
        settings = list(tables.SETTINGS.rows(result.tables, group=case.name))
        tested = next(CONSISTENCY.rows(result.tables, group=case.name, model=TESTED), None)
        best = best_of(settings)
        if best and tested:
            of = f"{case.name}: the" if len(cases) > 1 else "The"
            yield (
                f"{of} best of {len(settings):,} settings is chosen by AUC on {case.terms - tested.terms} of "
                f"{counted(case.terms, 'term')}, drawn at random (seed {seed}), and reported as tuned on the other "
                f"{tested.terms}: AUC {number(best.auc, 3)} there and {number(best.test_auc, 3)} here. The best of "
                "many is the best by luck too, so go by the latter."
            )


def _nonce_or_sums(rows: Sequence[tables.OwnVectors]) -> tables.OwnVectors:
    """The row of Nonce2Vec, of which the paper's numbers are, if it was trained."""
    return next((row for row in rows if row.model.startswith("Nonce2Vec")), rows[0])


def _nearest_words(made: Mapping[str, Table[Any]]) -> tuple[str, Columns]:
    """Title and columns of the nearest words, of the additive model alone or of several."""
    columns = ["term", "sample", "cosine", "place", "shared", "nearest"]
    several = len(set(tables.NEIGHBOURS.of(made).get("model", ()))) > 1
    return ("First run", ["model", *columns]) if several else ("Additive model, first run", columns)


def _tested(result: Result) -> int:
    """How many verdicts rest on an interval of 95 % or a test at 5 %; open ones count: they could err."""
    made, contrasts = result.tables, tables.CONTRASTS.table(tables.Contrast(**one) for one in result.contrasts)
    by_row = [
        *(
            claims.TOLD_APART.judge(row)
            for row in CONSISTENCY.rows(made)
            if row.model == ADDITIVE or row.model.startswith(tables.ENCODER)
        ),
        *(
            claim.judge(pair)
            for claim in (claims.BETTER_TEXT, claims.HIGHER_COSINE)
            for pair in tables.TEXTS.rows(made)
        ),
        *(vectors.BETTER_MODEL.judge(row) for row in contrasts.rows() if row.terms >= claims.FEWEST),
    ]
    by_group = [
        *of_each(tables.SPLIT.of(made), lambda rows: claims.HALVES_DIFFER.judge(rows[0])),
        *of_each(tables.SIZES.of(made), sums.GROWS.judge),
        *of_each(tables.OWN.of(made), lambda rows: vectors.OWN_NEARER.judge(rows[0])),
        *of_each(tables.DOMAIN.of(made), vectors.CLOSEST_GROUP.judge),
        *of_each(contrasts, lambda rows: vectors.SUMS_FIRST.judge(_of_paper(rows))),
    ]
    return sum(not verdict.endswith(_UNTESTED) for verdict in (*by_row, *by_group))


_UNTESTED = ("few", "none", "neither", "no test")


def _how(result: Result) -> Block:
    window, p_value = result.settings["window"], f"{percent(claims.P_VALUE)}"
    chance, near, equal = (f"{100 * margin:.0f}" for margin in (claims.CHANCE, claims.NEAR, vectors.EQUAL))
    return Block(
        "By which rules?",
        [
            ("told apart", f"above {chance}", f"the interval of the AUC in 100 comparisons; alike: below {near}"),
            ("equally well", f"± {equal}", "both ends of a difference of AUC in 100 comparisons lie within"),
            ("halves differ", f"p ≤ {p_value}", "of the parts drawn at random at most so many are as unlike"),
            ("few", f"under {claims.FEWEST:g}", "of so few terms nothing is said"),
            ("null pairs", "different terms", "no sentence in common, numbers of context words within a factor of two"),
            ("context", f"{window} words", "within the sentence, after subsampling; never the term itself"),
            ("centred", "", "less the mean background vector of the text's words, once for each context word"),
            ("intervals", "95 %", "jackknife over terms, Student's t; runs of a background have their own SD"),
            ("terms", "as independent", WORDS_DEPEND.replace("words", "terms").replace("Words", "Terms")),
        ],
        answer=verdicts_by_chance(_tested(result)),
        folded=True,
    )


def _block_of(
    table: Table[R],
    title: str,
    shown: tuple[str, Columns],
    says: Callable[[list[R]], str],
    *,
    after: str = "",
    paper: tuple[str, Callable[[list[R]], str]],
    **more: Any,
) -> Iterator[Block]:
    """Yield a block of a table, if it has rows, with a sentence on every background and text (its column ``group``).

    Last comes what the paper found, and how every background and text stands to that.
    """
    if table.height:
        said = [*of_each(table, says), after, paper_and_here(paper[0], of_each(table, paper[1]))]
        heading, columns = shown
        small = _small_table(heading, table.rows(), columns)
        yield Block(title, tables=[small], answer="\n".join(filter(None, said)), **more)


def _small_table(title: str, rows: Iterable[Any], columns: Columns) -> SmallTable:
    """Return rows as people read them; who has them stands first where they are several."""
    kept = list(rows)
    return SmallTable.of(title, kept, [*(["group"] if len({row.group for row in kept}) > 1 else []), *columns])


def half(row: type, name: str, ends: str = "") -> tuple[str, Shown]:
    """Return a column of a number with half of its interval, whose ends are called as the number is by default."""
    low, high = (f"{ends or name}_{end}" for end in ("low", "high"))
    title = titles(row, name, low, high)[name]
    return title, lambda of: with_half(getattr(of, name), (getattr(of, high) - getattr(of, low)) / 2)


def beside(row: type, name: str) -> tuple[str, Shown]:
    """Return a column of a number of two texts."""
    title = titles(row, name, f"{name}_against")[name]
    return title, lambda of: " / ".join(
        minus(f"{value:.3f}") for value in (getattr(of, name), getattr(of, f"{name}_against"))
    )


_OF_TEXTS: Columns = [
    ("texts", lambda pair: f"{pair.text} / {pair.against}"),
    "words",
    beside(tables.TextPair, "same"),
    beside(tables.TextPair, "null"),
    half(tables.TextPair, "same_difference", "same"),
    beside(tables.TextPair, "auc"),
    half(tables.TextPair, "auc_difference", "auc"),
]
