"""The page of localization, and what it says for papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import isfinite
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, Card, Content, SmallTable, Table
from gpustab.results.page import counted, number, percent, whole
from gpustab.statistics.intervals import Estimate, wilson
from gpustab.studies.localization.claims import PLACES_BY, negation_sentences, one_change
from gpustab.studies.localization.page_of_edits import (
    blocks_of_edits,
    cards_of_edits,
    heading_of_edits,
    may_claim_of_edits,
    methods_of_edits,
)
from gpustab.studies.localization.tables import (
    ANTONYM_BEYOND,
    COMPARISONS,
    COUNTS,
    EXAMPLES,
    NEGATION,
    OUTCOMES,
    OVER_RUNS,
    PAPER_COUNTS,
    RANDOM_BEYOND,
    SENTENCE_SPACES,
    SENTENCES,
    UNRELATED_BEYOND,
    Example,
    ModelScore,
    of_models,
)
from gpustab.studies.localization.tables_of_edits import EDIT_SCORES
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import beside_paper, by_chance, judged_by
from gpustab.studies.shared.wording import capital, listed, number_span, of_list, share_with_error

_PAPER = {
    "table 1": "BOW 100, 99, 95, 85, 66, 50, 34, 18, 11 %; U-RAE 95, 91, 87, 83, 79, 75, 75, 73, 89 %.",
    "table 2": "BOW 0, 1, 1, 0 %; U-RAE 6, 10, 21, 17 %.",
    "table 3": "BOW 1, 4, 7, 25 %, with 95, 87, 87, 75 % ties; U-RAE 61, 58, 43, 0 %.",
}
_QUESTIONS = {
    "table 1": "Are sentences with synonyms at least as near as the paraphrase?",
    "table 2": "Are sentences with antonyms farther away than the paraphrase?",
    "table 3": "Are antonyms farther away than synonyms?",
}
_SHOWN = {"base": "sentence", "paraphrase": "paraphrase", "noun_synonym": "noun {k}", "verb_antonym": "verb {k}"}
_EXAMPLES = {
    "nearest": "the nearest paraphrase",
    "farthest": "the farthest paraphrase",
    "White 2015": "the sentence of White 2015, §5",
}
_SENTENCES = 10
_MOST = 2
"""Changed words up to which the differences of runs are shown; others stand in the tables."""
_TIES = 0.005
"""Share of equal distances from which it is shown: that which is a percent."""


def page(result: Result) -> list[Block]:
    """Return the paper's three tables, the controls, double negation, and how the sentences came about."""
    tables = result.tables
    if _is_of_edits(result):
        return blocks_of_edits(result)
    scores = of_models(tables)
    return [
        *_papers(scores),
        _controls(scores),
        Block("Does a second negation bring a sentence back?", answer=negation_sentences(list(NEGATION.rows(tables)))),
        *_distances(tables),
        *_runs(tables),
        Block(
            "How do these findings stand to the paper's?",
            beside_paper(OBSERVED.of(tables)),
            answer=by_chance(OBSERVED.rows(tables)),
        ),
        _counts(tables),
        *_examples(tables),
    ]


def _is_of_edits(result: Content) -> bool:
    return EDIT_SCORES.name in result.tables


def _papers(scores: Table[ModelScore]) -> Iterator[Block]:
    for comparison in COMPARISONS:
        if comparison.table:
            rows = list(scores.rows(comparison=comparison.name, subset="all"))
            figures = ["by_changes"] if comparison.table == "table 1" else []
            tables = [_by_model("Per cent of n sentences, with 95 % interval; tied: equally far", rows)]
            if known := list(scores.rows(comparison=comparison.name, subset="known")):
                tables.append(_by_model("Only sentences whose changed words the model has", known))
            yield Block(
                _QUESTIONS[comparison.table],
                tables=tables if rows else [],
                figures=figures,
                aside=f"White 2015, {comparison.table}: {_PAPER[comparison.table]}",
                answer="" if rows else "No sentence of this corpus has the changes that it needs.",
            )


def _by_model(title: str, rows: list[ModelScore], show: Callable[[ModelScore], str] | None = None) -> SmallTable:
    """Numbers of changes below each other, models beside each other."""
    models = list(dict.fromkeys(row.model for row in rows))
    cells = {(row.model, row.k): (show or _share)(row) for row in rows}
    body = [[str(k), *(cells.get((model, k), "–") for model in models)] for k in sorted({row.k for row in rows})]
    return SmallTable(title, ["changed", *models], body)


def _share(row: ModelScore) -> str:
    """Share with its interval, the share of ties where there are any, and n; no interval is narrower than Wilson's."""
    return _cell(row, row.share, [*wilson(row.share * row.n, row.n), row.low, row.high])


def _half(row: ModelScore) -> str:
    """The share with half of the ties; Wilson's interval is that of the others, since ties are always half."""
    untied = 1 - row.equal_share
    if not untied:
        return f"50 (all tied; n {row.n:,})"
    ends = (0.5 + untied * (end - 0.5) for end in wilson((row.half - row.equal_share / 2) * row.n, untied * row.n))
    return _cell(row, row.half, [*ends, row.half_low, row.half_high])


def _cell(row: ModelScore, share: float, ends: Sequence[float]) -> str:
    known = [100 * end for end in ends if end == end]
    ties = f"; {100 * row.equal_share:.0f} tied" if row.equal_share >= _TIES else ""
    return f"{100 * share:.0f} ({number_span(min(known), max(known), 0)}{ties}; n {row.n:,})"


def _controls(scores: Table[ModelScore]) -> Block:
    tables = []
    for comparison in COMPARISONS:
        rows = [] if comparison.table else list(scores.rows(comparison=comparison.name, subset="all"))
        if rows:
            title = f"{comparison.name[:1].upper()}{comparison.name[1:]}, percent"
            if "paraphrase" not in comparison.name:
                title += " with half of the ties: 50 by chance"
                tables.append(_by_model(title, rows, _half))
            else:
                tables.append(_by_model(title, rows))
    return Block(
        "Would words of another meaning have done as well?",
        tables=tables,
        answer=(
            "Random words of the same tag stand in the same places. Where they are as near as synonyms, a near synonym "
            "says nothing of meaning."
        ),
    )


def _distances(tables: Mapping[str, Table[Any]]) -> Iterator[Block]:
    """The paper's table of one sentence, for two sentences of every model."""
    small = [
        _example(f"{model}: {_EXAMPLES[which]}", list(rows.rows()))
        for model, own in EXAMPLES.of(tables).split("model")
        for which, rows in own.split("example")
    ]
    if small:
        yield Block(
            "How far from its base does a model put a sentence?",
            tables=small,
            aside=(
                "White 2015, §5, prints one sentence, by PV-DM of Wikipedia: paraphrase 0.35; one to three synonyms "
                "0.27, 0.25, 0.43; one to four antonyms 0.36, 0.36, 0.43, 0.46."
            ),
            answer=(
                "Cosine distance from the base, mean and SD over runs. Meaning wants synonyms no farther than the "
                "paraphrase, and antonyms farther."
            ),
            folded=True,
        )


def _example(title: str, rows: list[Example]) -> SmallTable:
    limit = next(row.distance for row in rows if row.kind == "paraphrase")
    printed = any(row.paper == row.paper for row in rows)
    body = []
    for row in rows:
        distance = (
            number(row.distance, 3) if row.sd != row.sd else f"{number(row.distance, 3)} (SD {number(row.sd, 2)})"
        )
        known = row.k and isfinite(row.distance) and isfinite(limit)
        against = "" if not known else "farther" if row.distance > limit else "no farther"
        body.append([_SHOWN[row.kind].format(k=row.k), row.text, distance, against, *([f"{row.paper:.2f}"] * printed)])
    return SmallTable(title, ["", "sentence", "distance", "than the paraphrase", *(["White 2015"] * printed)], body)


def _runs(tables: Mapping[str, Table[Any]]) -> Iterator[Block]:
    table = OVER_RUNS.of(tables).where(subset="all")
    if not table.height:
        return
    title = f"Mean and SD over runs, up to {_MOST} changed words"
    columns = ["model", "comparison", "k", "runs", "n", "share", "share_sd", "half", "half_sd"]
    shown = table.take(k for k in range(table.height) if table["k"][k] <= _MOST)
    spaces = SENTENCE_SPACES.of(tables)
    said = (
        f"Two runs of {row.model} share {10 * row.neighbours:.1f} of the ten nearest sentences "
        f"({of_list(Estimate.of_runs(row.neighbours, row.neighbours_se, row.runs), 10)}). Their PIP loss is "
        f"{share_with_error(Estimate.of_runs(row.pip, row.pip_se, row.runs))}; 1 is that of unrelated spaces."
        for row in spaces.rows()
    )
    yield Block(
        "How far do runs of one model differ?",
        tables=[whole(title, shown, columns), *([whole("The spaces of sentences", spaces)] if spaces.height else [])],
        answer=" ".join(said),
        aside=(
            "Intervals of a model of several runs hold both errors, that of other sentences and that of another "
            "training. The latter alone is the SD here."
        ),
    )


def _counts(tables: Mapping[str, Table[Any]]) -> Block:
    columns = [part[name] for part in (COUNTS.of(tables), PAPER_COUNTS) for name in PAPER_COUNTS]
    counts = zip_longest(*columns, fillvalue=0)
    rows = [[str(k), *(f"{value:,}" for value in values)] for k, values in enumerate(counts, 1)]
    header = ["changed words", "nouns", "verbs", "both", "paper: nouns", "paper: verbs", "paper: both"]
    return Block(
        "How many sentences could be changed, and why not more?",
        tables=[SmallTable("Sentences", header, rows), whole("Nouns and verbs", OUTCOMES.of(tables))],
        aside="The paper's numbers are of the 7,800 sentences of the Microsoft corpus.",
        folded=True,
    )


def _examples(tables: Mapping[str, Table[Any]]) -> Iterator[Block]:
    """Ten sentences that stand evenly over the corpus, with all their steps."""
    bases = [(row.pair, row.side) for row in SENTENCES.rows(tables, kind="noun_synonym", k=1)]
    if not bases:
        return
    wanted = {bases[k * len(bases) // _SENTENCES] for k in range(_SENTENCES)}
    shown = [row for row in SENTENCES.rows(tables) if (row.pair, row.side) in wanted and row.kind in _SHOWN]
    rows = [[_SHOWN[row.kind].format(k=row.k), row.text] for row in shown]
    yield Block(
        "What do the sentences look like?",
        tables=[SmallTable("Every step of ten sentences", ["", "sentence"], rows)],
        answer="Look at them: the sense that is taken without looking at the sentence is often not the one meant.",
        folded=True,
    )


CITATIONS = ("white2015",)
_NAMED = 3
"""So many models stand in the title."""


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what was looked at."""
    if _is_of_edits(result):
        return heading_of_edits(result)
    corpus, *models = result.groups
    looked = f"{counted(corpus['pairs'], 'pair')} of paraphrases · {counted(len(models), 'model')}"
    names = [str(group["name"]) for group in models]
    if not 0 < len(names) <= _NAMED:
        return "Do these sentence embeddings go by meaning or by form?", looked
    return f"{'Does' if len(names) == 1 else 'Do'} {listed(names)} place sentences by meaning or by form?", looked


def cards(result: Content) -> list[Card]:
    """Return how the first model that is judged does in both tests, and in both controls."""
    if _is_of_edits(result):
        return cards_of_edits(result)
    model = next(iter(judged_by(result.tables, PLACES_BY)), None)
    made = []
    for about, comparison, reverse in _CARDS if model else ():
        row = one_change(of_models(result.tables), str(model), comparison)
        if row is not None:
            value, low, high = (
                (1 - row.half, 1 - row.half_high, 1 - row.half_low)
                if reverse
                else (row.half, row.half_low, row.half_high)
            )
            span = "no interval" if low != low else f"{number_span(100 * low, 100 * high, 0)} %; by chance 50 %"
            span = "all equally far" if row.equal_share == 1 else span
            made.append(Card(f"{capital(str(model))}: {about}", percent(value), f"of {row.n:,}", span))
    return made


_CARDS = (
    ("a random noun is farther than a synonym", RANDOM_BEYOND, False),
    ("a verb's antonym is farther than its synonym", ANTONYM_BEYOND, False),
    ("a sentence of another pair is nearer than the paraphrase", UNRELATED_BEYOND, True),
)


def may_claim(result: Content) -> str:
    """Return what a paper may say of every model."""
    if _is_of_edits(result):
        return may_claim_of_edits(result)
    verdicts = judged_by(result.tables, PLACES_BY)
    return " ".join(_CLAIMS[verdict].format(model) for model, verdict in verdicts.items())


_CLAIMS = {
    "meaning": "That {} places sentences by their meaning, as far as one changed word shows it.",
    "likeness": "That {} places sentences by similar words. Not that it places them by their meaning.",
    "form": "That {} places sentences by form. Not that a near sentence means the same.",
    "open": "Nothing about {}: these sentences are too few.",
    "few": "Nothing about {}: these sentences are too few.",
}


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    if _is_of_edits(result):
        return methods_of_edits(result)
    given, sense = result.settings["provenance"], result.settings["sense"]
    made = {name: given.get(name) or "not recorded" for name in ("inflection", "words", "tokens", "tagger")}
    rule = "the highest tag count summed over a synset" if sense == "paper" else "WordNet's first sense"
    return (
        f"Sentences were changed word by word with gpustab {result.environment.get('gpustab')}, after White (2015): "
        f"nouns by synonyms and verbs by antonyms of one sense ({rule}), inflected ({made['inflection']}) and "
        f"checked against a word list ({made['words']}); tokens: {made['tokens']}; tags: {made['tagger']}. "
        "Each changed sentence was compared with the paraphrase, with random words of the same tag in the same places, "
        "with synonyms of verbs and with the words in another order. Shares have 95 % intervals by bootstrap over "
        "components of pairs that share a sentence; equal distances are counted apart."
    )
