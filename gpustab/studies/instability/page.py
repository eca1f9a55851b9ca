"""The page of the study: what is found of each technique, then questions with their observations and tables."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import counted, number, whole
from gpustab.studies.instability.alarms import silent_of
from gpustab.studies.instability.asked import Asked, withheld
from gpustab.studies.instability.pair_of_lists import SIDE_BY_SIDE, side_by_side
from gpustab.studies.instability.questions import QUESTIONS, Question
from gpustab.studies.shared.claims import OBSERVED, Observation, facts

TITLES = {
    "table_2_1": "Table 2.1: lowest and highest scores of runs that differ in seeds and draws alone, "
    "their difference and the SD in percent",
    "table_2_8": "Table 2.8: reduced PIP loss by sampling",
    "table_2_9": "Table 2.9: techniques from stable to unstable",
    "table_2_11": "Table 2.11: extrinsic instability",
    "same_runs": "Groups that share runs, bit for bit",
    "distribution": "Figures 2.3, 2.4: p-values over random word pairs, beside those of simulated normals",
    "neighbours": "p@n and j@n (§2.2.2)",
    "table_2_2": "Table 2.2: the neighbours of one word in two runs",
    "table_2_3": "Table 2.3: Spearman's ρ over words of p@n (j@n) at different n",
    "table_2_4": "Table 2.4: cosines of one word, and probabilities to be its nearest (p 1), of its two nearest (p 2)",
    "consistency": "Table 2.3 freed of the noise of few runs: p@n at two n, by halves of the runs",
    "table_a_1": "Table A.1: Spearman's ρ over words between two halves of the runs",
    "table_a_2": "Table A.2: predicted against measured p@n",
    "table_2_5": "Table 2.5: structure factor against measured p@n",
    "distance": "p@n beside the word's PIP loss: Spearman's ρ over words, freed of the noise of few runs",
    "table_2_6": "Table 2.6: Spearman's ρ over words of the word-wise PIP loss over m words drawn at random",
    "table_2_7": "Table 2.7: measures by nearest neighbours beside the word-wise PIP loss",
    "proxy": "Reduced PIP loss over m words drawn at random, as a part of the exact one",
    "identity": "Eq. 2.35: ⟨d²⟩ from the Gram against Σσ²/(2v) from cosines",
    "frequency": "Trends over word frequency (§2.3.1)",
    "figure_3_5": "Figure 3.5: loss between averages of n runs, as a part of that of runs",
    "cosine_ratios": "Eq. 3.6: means and SDs of cosines of averages, as parts of those of runs",
    "alignment_term": "Eq. 3.4: the term that aligning adds",
    "table_tree": "§3.2.2: the tree beside averages onto one reference",
    "table_3_5": "Table 3.5: the neighbours of one word in two averages of disjoint runs",
    "lists_shared": "Eq. 3.8: shared neighbours of one word, in two runs and in two averages",
    "table_2_10": "Table 2.10: scores over runs",
    "scores": "Figure 3.6: scores of runs and of averages of n runs",
    "table_3_6": "Table 3.6: gain of averages",
    "doublings": "Figure 3.6: gain of averages on those of half as many runs",
    "how_many": "How many runs: relative standard error against R",
}
"""Tables on the page; the others go to Parquet only."""

_BORNE_OUT = " Yes and no below say whether these runs bear out what it states."


def page(result: Result) -> list[Block]:
    """Return a block for each technique and one for each question; what these runs do not decide is folded."""
    observations = list(result.tables["observations"].records())
    decided = [row for row in observations if row["agrees"] in ("yes", "no")]
    losses = result.tables.get("table_2_8", Table())
    blocks = [_group(group, losses) for group in result.groups]
    blocks += [block for question in QUESTIONS if (block := _block(result, question, decided))]
    if left := [row for row in observations if row not in decided]:
        blocks.append(Block("Not decided by these runs", _facts(left), folded=True))
    return blocks


def _group(group: dict[str, Any], losses: Table) -> Block:
    """What a technique's runs differ by, on its scale."""
    runs = ", ".join(counted(len(names), f"{sampling} run") for sampling, names in group["runs"].items())
    pip = [
        (f"reduced PIP loss, {sampling}", number(x["reduced_pip"]), f"SE {number(x['se'], 2)}")
        for sampling, x in group["pip"].items()
    ]
    title = f"{group['name']}: {runs}, {counted(group['words'], 'word')}, {counted(group['dimension'], 'dimension')}"
    told = [
        "The reduced PIP loss is how much the cosines of all pairs of words differ between two runs, 0 if not at all."
    ]
    chance = next((row["chance"] for row in losses.records(technique=group["name"], sampling="shuffled")), math.nan)
    if math.isfinite(chance):
        told.append(f"Unrelated spaces would have {number(chance, 2)}.")
    if group["no_verdict"]:
        told.append(f"No verdict: {group['no_verdict']}. The numbers stand as they were measured.")
    added = ("extrinsic instability", number(group["extrinsic"]), "what other documents add: √(bootstrap² − shuffled²)")
    return Block(title, [*pip, added], answer=" ".join(told))


def _block(result: Result, question: Question, decided: list[dict[str, Any]]) -> Block | None:
    """A question with its answer, or nothing where these runs say nothing of it."""
    own = [row for row in decided if question.asks_for(row["source"])]
    tables: list[SmallTable] = []
    for name in question.tables:
        table = result.tables.get(name)
        if table and table.height and not (name == "table_2_9" and len(set(table["technique"])) < 2):  # no order of one
            shown = side_by_side(table) if name in SIDE_BY_SIDE else [whole("", table)]
            tables += [replace(part, title=": ".join(filter(None, (TITLES[name], part.title)))) for part in shown]
    asked = Asked(result.tables, [group["name"] for group in result.groups], silent_of(result.groups))
    answer = question.answer(asked)
    if not own and not tables and not answer:
        return None
    aside, said = (
        f"Rettenmeier 2020: {question.aside}.{_BORNE_OUT if own else ''}",
        " ".join([*answer, *withheld(asked)]),
    )
    return Block(question.title, _facts(own), tables, figures=list(question.figures), answer=said, aside=aside)


def _facts(observations: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return facts(OBSERVED.table(Observation(**row) for row in observations))
