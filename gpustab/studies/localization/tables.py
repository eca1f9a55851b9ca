"""The tables of the study: what each row is, what each column means, and which sentences are compared in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from gpustab.results import Column, Sheet, Table

PAPER_COUNTS = {
    "nouns": (7168, 5503, 3395, 1747, 813, 309, 104, 22, 9),
    "verbs": (3061, 590, 82, 12, 2),
    "overlap": (2829, 449, 46, 4),
}
"""White 2015, §4, of the Microsoft corpus's 7,800 sentences."""

UNRELATED = "unrelated"
"""A sentence of another pair, which no changed word has brought about."""

WITHIN, RANDOM_WITHIN = "noun synonym within paraphrase", "random noun within paraphrase"
RANDOM_BEYOND, ANTONYM_BEYOND = "random noun beyond noun synonym", "verb antonym beyond verb synonym"
ANTONYM_FARTHER = "verb antonym beyond paraphrase"
UNRELATED_BEYOND = "unrelated beyond paraphrase"
"""Comparisons that claims are made of."""


class Comparison(NamedTuple):
    """Two sentences whose distances from the base are compared.

    Attributes:
        name: of the comparison.
        far: the sentence whose share of larger distances is counted.
        near: the other.
        table: of the paper, or an empty text.
    """

    name: str
    far: str
    near: str
    table: str = ""


COMPARISONS = (
    Comparison(WITHIN, "paraphrase", "noun_synonym", "table 1"),
    Comparison(ANTONYM_FARTHER, "verb_antonym", "paraphrase", "table 2"),
    Comparison("verb antonym beyond noun synonym", "verb_antonym", "noun_synonym", "table 3"),
    Comparison(RANDOM_WITHIN, "paraphrase", "random_noun"),
    Comparison(RANDOM_BEYOND, "random_noun", "noun_synonym"),
    Comparison("random verb beyond paraphrase", "random_verb", "paraphrase"),
    Comparison("random verb beyond verb antonym", "random_verb", "verb_antonym"),
    Comparison("verb synonym within paraphrase", "paraphrase", "verb_synonym"),
    Comparison("random verb beyond verb synonym", "random_verb", "verb_synonym"),
    Comparison(ANTONYM_BEYOND, "verb_antonym", "verb_synonym"),
    Comparison("shuffle beyond paraphrase", "shuffle", "paraphrase"),
    Comparison(UNRELATED_BEYOND, UNRELATED, "paraphrase"),
)
"""Those of the paper first, then the controls."""

_RUN = "of the model, from 1"
_RUNS = "of the model, without copies"
_SUBSET = "``all``, or ``known``: sentences whose new and old words the model knows"
_K = "changed words"
_SHARE = "how often the first is farther, of n; where the paraphrase is the first, equally far counts too (table 1)"
_HALF = "P(farther) + ½ P(equal), 0.5 by chance"
_LOW, _HIGH = "lower end of its 95 % interval over components", "upper end of its 95 % interval over components"
_RUNS_LOW = "lower end of its 95 % interval, for other sentences and other trainings"
_RUNS_HIGH = "upper end of its 95 % interval, for other sentences and other trainings"
_SD = "its standard deviation over runs"
_SE = "standard error, by the jackknife over runs; none of two runs"
_COMPONENTS = "of pairs that share a sentence, which hold these sentences"


class Changed(NamedTuple):
    """How many sentences have so many changes."""

    k: Annotated[int, Column(about=_K)]
    nouns: Annotated[int, Column(about="sentences with so many nouns changed into synonyms")]
    verbs: Annotated[int, Column(about="sentences with so many verbs changed into antonyms")]
    overlap: Annotated[int, Column(about="sentences with both")]


class Outcome(NamedTuple):
    """Why words were changed or left, counted over different sentences."""

    relation: Annotated[str, Column(about="between a word and what may be put in")]
    outcome: Annotated[str, Column(about="``changed``, or why it is left")]
    words: int


class WordDecision(NamedTuple):
    """What was decided of one word, with all candidates."""

    sentence: str
    position: Annotated[int, Column(about="of the word among the tokens, from 0")]
    word: str
    tag: Annotated[str, Column(about="of the Penn Treebank")]
    relation: Annotated[str, Column(about="between the word and the candidates")]
    outcome: Annotated[str, Column(about="``changed``, or why it is left")]
    candidates: Annotated[str, Column(about="all that may be put in")]


class Sentence(NamedTuple):
    """One sentence of the corpus with its base, kind and change."""

    pair: Annotated[int, Column(about="number of the pair, from 0")]
    side: Annotated[int, Column(about="0 for the base that is its first sentence, 1 for its second")]
    component: Annotated[int, Column(about="of pairs that share a sentence")]
    kind: Annotated[str, Column(about="``base``, ``paraphrase``, or what was changed")]
    k: Annotated[int, Column(about=_K)]
    position: Annotated[int, Column(about="of the word that changed last; −1 where none did")]
    old: Annotated[str, Column(about="that word")]
    new: Annotated[str, Column(about="what stands in its place")]
    text: str


class Score(NamedTuple):
    """How often one sentence is farther from its base than another."""

    model: str
    run: Annotated[int, Column(about=_RUN)]
    subset: Annotated[str, Column(about=_SUBSET)]
    comparison: str
    k: Annotated[int, Column(about=_K)]
    n: Annotated[int, Column(about="sentences")]
    farther: Annotated[int, Column(about="how often the first is farther")]
    equal: Annotated[int, Column(about="how often both are equally far")]
    share: Annotated[float, Column(about=_SHARE)]
    equal_share: Annotated[float, Column(about="how often both are equally far, of n")]
    half: Annotated[float, Column(about=_HALF)]
    wilson_low: Annotated[float, Column(about="Wilson's 95 % interval of the share, as if sentences were independent")]
    wilson_high: Annotated[float, Column(about="its upper end")]
    low: Annotated[float, Column(about=f"of the share: {_LOW}")]
    high: Annotated[float, Column(about=f"of the share: {_HIGH}")]
    half_low: Annotated[float, Column(about=f"of half: {_LOW}")]
    half_high: Annotated[float, Column(about=f"of half: {_HIGH}")]
    components: Annotated[int, Column(about=_COMPONENTS)]


class OverRuns(NamedTuple):
    """One comparison over all runs of a model."""

    model: str
    subset: Annotated[str, Column(about=_SUBSET)]
    comparison: str
    k: Annotated[int, Column(about=_K)]
    runs: Annotated[int, Column(about=_RUNS)]
    n: Annotated[int, Column(about="sentences of which every run has distances")]
    share: Annotated[float, Column(about=f"mean over runs: {_SHARE}")]
    share_sd: Annotated[float, Column(about=_SD)]
    low: Annotated[float, Column(about=f"of the share: {_RUNS_LOW}")]
    high: Annotated[float, Column(about=f"of the share: {_RUNS_HIGH}")]
    half: Annotated[float, Column(about=f"mean over runs of {_HALF}")]
    half_sd: Annotated[float, Column(about=_SD)]
    half_low: Annotated[float, Column(about=f"of half: {_RUNS_LOW}")]
    half_high: Annotated[float, Column(about=f"of half: {_RUNS_HIGH}")]
    equal_share: Annotated[float, Column(about="mean over runs")]
    components: Annotated[int, Column(about=_COMPONENTS)]


class ModelScore(NamedTuple):
    """One comparison of a model: over its runs where it has several, else of its only run."""

    model: str
    subset: str
    comparison: str
    k: int
    n: int
    share: float
    low: float
    high: float
    equal_share: float
    half: float
    half_low: float
    half_high: float
    components: int


class Negation(NamedTuple):
    """How far two changes lie below the middle of one and three, on the scale of the distance."""

    model: str
    runs: Annotated[int, Column(about=_RUNS)]
    n: Annotated[int, Column(about="sentences with three changes of both kinds")]
    components: Annotated[int, Column(about=_COMPONENTS)]
    antonyms: Annotated[float, Column(about="mean of ``d(2) − (d(1) + d(3)) / 2`` for antonyms")]
    synonyms: Annotated[float, Column(about="the same for verbs' synonyms")]
    step: Annotated[float, Column(about="mean of ``d(1)`` for antonyms: how far one moves a sentence")]
    difference: Annotated[
        float, Column(about="antonyms less synonyms, the mean over runs; below 0 if the second brings sentences back")
    ]
    sd: Annotated[float, Column(about=_SD)]
    low: Annotated[float, Column(about=f"of the difference: {_LOW}, and over runs where there are several")]
    high: Annotated[float, Column(about=f"of the difference: {_HIGH}, and over runs where there are several")]
    verdict: Annotated[str, Column(about="``back``, ``not back``, ``open`` or ``cannot be judged``")]


class Example(NamedTuple):
    """One sentence of an example, and how far from its base a model puts it (White 2015, §5)."""

    model: str
    example: Annotated[
        str, Column(about="the model's ``nearest`` or ``farthest`` paraphrase, or that of ``White 2015``")
    ]
    pair: Annotated[int, Column(about="number of the pair, from 0")]
    side: Annotated[int, Column(about="0 for the base that is its first sentence, 1 for its second")]
    kind: Annotated[str, Column(about="``base``, ``paraphrase``, or what was changed")]
    k: Annotated[int, Column(about=_K)]
    text: str
    distance: Annotated[float, Column(about="from the base, mean over runs")]
    sd: Annotated[float, Column(about=_SD)]
    paper: Annotated[float, Column(about="the distance that the paper prints, by its PV-DM")]


class SpaceStability(NamedTuple):
    """How far the spaces of base sentences differ between runs of one model."""

    model: str
    runs: Annotated[int, Column(about=_RUNS)]
    sentences: Annotated[int, Column(about="different ones that every run has a vector of")]
    pip: Annotated[float, Column(about="mean reduced PIP loss of two runs: 0 identical, 1 that of unrelated ones")]
    neighbours: Annotated[float, Column(about="mean share of the ten nearest sentences that two runs have in common")]
    pip_se: Annotated[float, Column(about=f"of the PIP loss: {_SE}")]
    neighbours_se: Annotated[float, Column(about=f"of the share: {_SE}")]


COUNTS = Sheet("counts", Changed, "one row a number of changed words")
OUTCOMES = Sheet("outcomes", Outcome, "one row a relation and outcome")
SENTENCES = Sheet("sentences", Sentence, "one row a sentence of the corpus", long=True)
DECISIONS = Sheet("decisions", WordDecision, "one row a noun or verb and relation", long=True)
SCORES = Sheet("scores", Score, "one row a run, comparison, subset and number of changed words")
OVER_RUNS = Sheet("over_runs", OverRuns, "one row a model of several runs, comparison, subset and number of changes")
NEGATION = Sheet("negation", Negation, "one row a model")
EXAMPLES = Sheet("examples", Example, "one row a model, example and sentence")
SENTENCE_SPACES = Sheet("sentence_spaces", SpaceStability, "one row a model of several runs that has vectors")


def of_models(tables: Mapping[str, Table[Any]]) -> Table[ModelScore]:
    """Return the scores of every model once: over its runs where it has several, else those of its only run."""
    several = set(OVER_RUNS.of(tables)["model"])
    rows = [*(row for row in SCORES.rows(tables) if row.model not in several), *OVER_RUNS.rows(tables)]
    return Table.of([ModelScore._make(getattr(row, name) for name in ModelScore._fields) for row in rows], ModelScore)
