"""The page of the study: what is found of each technique, then questions with their observations and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple

from gpustab.report import Result
from gpustab.report.origin import technique as called
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import counted, number, whole
from gpustab.studies.instability import answers, claims
from gpustab.studies.instability import claims_of_averages as of_averages
from gpustab.studies.instability import claims_of_corpora as of_corpora
from gpustab.studies.instability import claims_of_losses as of_losses
from gpustab.studies.instability.answers import DECIDED, Findings, silent_of
from gpustab.studies.instability.losses import LOSSES
from gpustab.studies.instability.neighbours import IN_AVERAGES, IN_RUNS, Beside
from gpustab.studies.instability.study import PLACES
from gpustab.studies.shared.claims import OBSERVED, Claim, Observation
from gpustab.studies.shared.observations import by_chance, rules, verdicts


class Question(NamedTuple):
    """A question of people who have a corpus.

    Attributes:
        title: the question.
        answer: the sentences that answer it.
        aside: where the thesis has it.
        claims: whose observations stand below.
        figures: names of figures.
        tables: names of tables, with their titles; all others go to files only.
    """

    title: str
    answer: Callable[[Findings], list[str]]
    aside: str
    claims: Sequence[Claim[Any]] = ()
    figures: Sequence[str] = ()
    tables: Mapping[str, str] = MappingProxyType({})


QUESTIONS = (
    Question(
        "Is one pair of runs enough?",
        lambda findings: findings.yes_or_no(
            of_losses.TWO_RUNS_SUFFICE,
            " whether one pair of new runs would do. That the pairs of these very runs hardly vary does not settle it",
        ),
        "§2.3, table 2.8",
        claims=(of_losses.HARDLY_VARY, of_losses.TWO_RUNS_SUFFICE),
        tables={
            "table_2_8": "Table 2.8: reduced PIP loss by sampling",
            "same_runs": "Groups that share runs, bit for bit",
        },
    ),
    Question(
        "Does it matter which documents I have?",
        answers.which_documents,
        "§2.3, table 2.11, eq. 2.43",
        claims=(of_losses.EXTRINSIC_PART, of_corpora.WITH_CORPUS_SIZE),
        tables={
            "table_2_11": "Table 2.11: extrinsic instability",
            "corpora": "Eq. 2.43: extrinsic instability beside words per token, by corpus",
        },
    ),
    Question(
        "Which technique is the most stable?",
        answers.which_technique,
        "§2.3, table 2.9",
        claims=(of_losses.GLOVE_ALIKE, of_losses.ORDER_OF_TECHNIQUES, of_averages.MOST_ANALOGIES),
        tables={"table_2_9": "Table 2.9: techniques from stable to unstable"},
    ),
    Question(
        "Are frequent words safer?",
        answers.frequent_words,
        "§2.3.1, figures 2.8 and 2.9",
        claims=(
            of_losses.INTRINSIC_FLAT,
            of_losses.EXTRINSIC_FALLS,
            of_losses.EXTRINSIC_FLAT,
            of_corpora.CURVES_DIFFER,
        ),
        figures=("figure_2_8", "figure_2_9"),
        tables={"frequency": "Trends over word frequency (§2.3.1)"},
    ),
    Question(
        "Does it matter how many neighbours I look at?",
        answers.how_many_neighbours,
        "§2.2.2, tables 2.2, 2.3 and 2.5, figure 2.7",
        claims=(claims.INCONSISTENT, claims.IS_STRUCTURE, claims.UNRELATED_TO_LOSS),
        figures=("figure_2_7",),
        tables={
            "neighbours": "p@n and j@n (§2.2.2)",
            "table_2_3": "Table 2.3: Spearman's ρ over words of p@n (j@n) at different n",
            "consistency": "Table 2.3 freed of the noise of few runs: p@n at two n, by halves of the runs",
            "table_2_2": "Table 2.2: the neighbours of one word in two runs",
            "table_2_5": "Table 2.5: structure factor against measured p@n",
            "distance": "p@n beside the word's PIP loss: Spearman's ρ over words, freed of the noise of few runs",
        },
    ),
    Question(
        "Can shared neighbours be predicted from means and spreads of cosines?",
        lambda findings: findings.yes_or_no(claims.PREDICTED),
        "Appendix A.4, tables 2.4 and A.2, figures A.2 and A.3",
        claims=(claims.PREDICTED,),
        figures=("figure_a_2", "figure_a_3", "predicted_10"),
        tables={
            "table_2_4": "Table 2.4: cosines of one word, and probabilities to be its nearest (p 1), of its two "
            "nearest (p 2)",
            "table_a_2": "Table A.2: predicted against measured p@n",
        },
    ),
    Question(
        "Would a sample of words do?",
        lambda findings: findings.yes_or_no(claims.SAMPLES_DO),
        "§2.2.3, tables 2.6, 2.7 and A.1, eq. 2.35",
        claims=(claims.SAMPLES_DO,),
        tables={
            "table_2_6": "Table 2.6: Spearman's ρ over words of the word-wise PIP loss over m words drawn at random",
            "table_a_1": "Table A.1: Spearman's ρ over words between two halves of the runs",
            "table_2_7": "Table 2.7: measures by nearest neighbours beside the word-wise PIP loss",
            "proxy": "Reduced PIP loss over m words drawn at random, as a part of the exact one",
            "identity": "Eq. 2.35: ⟨d²⟩ over pairs of runs against Σσ²/(2v) from cosines",
        },
    ),
    Question(
        "How do cosines vary over runs?",
        answers.cosines,
        "§2.1.3, figures 2.2 to 2.5",
        claims=(claims.NORMAL_COSINES, claims.INDEPENDENT_COSINES),
        figures=("figure_2_2", "figure_2_3", "figure_2_5"),
        tables={"distribution": "Figures 2.3, 2.4: p-values over random word pairs, beside those of simulated normals"},
    ),
    Question(
        "Does it help to average my runs?",
        answers.averages,
        "Chapter 3, figures 3.2 to 3.6, table 3.5",
        claims=(
            of_averages.SMALLER_SD,
            of_averages.LARGER_MEANS,
            of_averages.SECOND_TERM,
            of_averages.FALLS,
            of_averages.REFERENCE_MATTERS,
            of_averages.REFERENCE_ADDS,
            of_averages.RAISES_SCORE,
            of_averages.NO_RISE,
        ),
        figures=("figure_3_5", "figure_3_6", "figure_3_2"),
        tables={
            "figure_3_5": "Figure 3.5: loss between averages of n runs, as a part of that of runs",
            "scores": "Figure 3.6: scores of runs and of averages of n runs",
            "table_3_6": "Table 3.6: gain of averages",
            "cosine_ratios": "Eq. 3.6: means and SDs of cosines of averages, as parts of those of runs",
            "alignment_term": "Eq. 3.4: the term that aligning adds",
            "table_tree": "§3.2.2: the tree beside averages onto one reference",
            "table_3_5": "Table 3.5: the neighbours of one word in two averages of disjoint runs",
            "lists_shared": "Eq. 3.8: shared neighbours of one word, in two runs and in two averages",
        },
    ),
    Question(
        "How many runs do I need?",
        answers.runs_needed,
        "Chapter 3",
        figures=("how_many",),
        tables={
            "how_many": "How many runs: relative standard error against R",
            "doublings": "Figure 3.6: gain of averages on those of half as many runs",
        },
    ),
    Question(
        "How much do scores vary between runs?",
        answers.scores,
        "Tables 2.1 and 2.10",
        tables={
            "table_2_1": "Table 2.1: lowest and highest scores of runs that differ in seeds and draws alone, "
            "their difference and the SD in percent",
            "table_2_10": "Table 2.10: scores over runs",
        },
    ),
)
"""In reading order."""

_BORNE_OUT = " Yes and no, here and below, say whether these runs bear out what it states."


def page(result: Result) -> list[Block]:
    """Return a block for each technique and one for each question; what these runs do not decide is folded."""
    observations = list(OBSERVED.rows(result.tables))
    decided = [row for row in observations if row.agrees in DECIDED]
    blocks = [_group(group, result.tables) for group in result.groups]
    answered = [block for question in QUESTIONS if (block := _block(result, question, decided))]
    if first := next((block for block in answered if block.tables), None):
        first.aside += _BORNE_OUT
    blocks += answered
    if numbers := [part for question in QUESTIONS for part in _tables_of(question, result.tables)]:
        blocks.append(Block("All numbers, by the tables and names of the thesis", tables=numbers, folded=True))
    if left := [row for row in observations if row.agrees not in DECIDED]:
        blocks.append(
            Block(
                "Which claims do these runs leave open, or cannot test?",
                tables=[verdicts(OBSERVED.table(left))],
                folded=True,
            )
        )
    blocks += rules(OBSERVED.table(observations))
    if said := by_chance(observations):
        blocks.append(Block("How many verdicts would be wrong by chance?", answer=said))
    return blocks


def _group(group: dict[str, Any], tables: dict[str, Table]) -> Block:
    """What a technique's runs differ by, on its scale."""
    runs = ", ".join(counted(len(names), f"{sampling} run") for sampling, names in group["runs"].items())
    pip = [
        (f"reduced PIP loss, {sampling}", number(x["reduced_pip"]), f"standard error {number(x['se'], 2)}")
        for sampling, x in group["pip"].items()
    ]
    sizes = f"{counted(group['words'], 'word')}, {counted(group['dimension'], 'dimension')}"
    title = f"{called(str(group['name']))}: {runs}, {sizes}"
    sentences = [
        "The reduced PIP loss is how much the cosines of all pairs of words differ between two runs, 0 if not at all."
    ]
    loss = next(LOSSES.rows(tables, technique=group["name"], sampling="shuffled"), None)
    if loss and isfinite(loss.chance):
        sentences.append(f"Unrelated spaces would have {number(loss.chance, 2)}.")
    if group["no_verdict"]:
        sentences.append(f"No verdict: {group['no_verdict']}. The numbers stand as they were measured.")
    added = (
        "extrinsic instability",
        number(group["extrinsic"]),
        "what resampling the documents adds: √(bootstrap² − shuffled²)",
    )
    return Block(title, [*pip, added], answer=" ".join(sentences))


def _block(result: Result, question: Question, decided: Sequence[Observation]) -> Block | None:
    """A question with its answer, or nothing where these runs say nothing of it."""
    asked = {claim.id for claim in question.claims}
    observations = [row for row in decided if row.claim.id in asked]
    tables = [verdicts(OBSERVED.table(observations))] if observations else []
    findings = Findings(result.tables, [group["name"] for group in result.groups], silent_of(result.groups))
    answer = question.answer(findings)
    if not tables and not answer and not any(_tables_of(question, result.tables)):
        return None
    aside = f"Rettenmeier 2020: {question.aside}."
    text = " ".join([*answer, *findings.withheld()])
    figures = list(question.figures)
    return Block(question.title, tables=tables, figures=figures, answer=text, aside=aside)


def _tables_of(question: Question, tables: dict[str, Table]) -> Iterator[SmallTable]:
    for titled in question.tables.items():
        yield from _small_tables(*titled, tables)


def _small_tables(name: str, title: str, tables: dict[str, Table]) -> list[SmallTable]:
    """A table as it is shown: not without rows, and no order of one technique."""
    table = tables.get(name)
    if not table or not table.height or (name == PLACES.name and len(set(table["technique"])) < 2):
        return []
    shown = side_by_side(table) if name in (IN_RUNS.name, IN_AVERAGES.name) else [whole("", table)]
    return [replace(part, title=": ".join(filter(None, (title, part.title)))) for part in shown]


def side_by_side(table: Table[Beside]) -> list[SmallTable]:
    """Return the neighbours of one word in two spaces, narrow, one small table per technique."""
    shown = []
    for technique, rows in table.split("technique"):
        first = next(rows.rows())
        spaces = "two runs" if first.runs_beneath == 1 else f"two averages of {first.runs_beneath} disjoint runs each"
        shown.append(SmallTable.of(f"{technique}: '{first.target}' in {spaces}", rows, _SIDE_BY_SIDE))
    return shown


_SIDE_BY_SIDE = (
    "neighbour",
    ("rank", "first_rank"),
    ("cosine", ("first_cosine", 3)),
    ("rank of second", "second_rank"),
    ("cosine", ("second_cosine", 3)),
)
