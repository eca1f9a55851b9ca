"""What the study claims of a model of sentences: its rules, their margins, what they say, and what forbids to read it.

How often the rules err, over 3 to 16 runs: ``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from gpustab.results import Table
from gpustab.results.page import counted, percent, percent_with_ends, signed
from gpustab.studies.localization.tables import (
    ANTONYM_BEYOND,
    ANTONYM_FARTHER,
    NEGATION,
    RANDOM_BEYOND,
    RANDOM_WITHIN,
    SCORES,
    UNRELATED_BEYOND,
    WITHIN,
    ModelScore,
    Negation,
    of_models,
)
from gpustab.studies.shared.claims import Claim, Margin, Observation, Verdict, decide
from gpustab.studies.shared.wording import capital, listed, signed_span

Apart = Literal["yes", "no", "reversed", "open", "few"]
Place = Literal["meaning", "likeness", "form", "open", "few"]
Bend = Literal["back", "not back", "open", "cannot be judged"]

FEWEST = Margin(30, "components of pairs that share a sentence, below which no verdict is given")
CHANCE = Margin(0.5, "share of sentences that lie farther by chance, where equal distances count half")
EQUAL = Margin(0.05, "difference of a share from chance that matters to nobody")
KNOWS = Margin(0.9, "share of unrelated sentences that lie beyond the paraphrase where a model tells sentences apart")
ALIKE = Margin(2.0**-20, "cosine distance up to which float32 vectors point one way and two runs' distances are one")
BENT = Margin(0.1, "bend by the distance that one antonym moves a sentence, up to which it matters to nobody")
"""Sums of words bend by 4 %, as some words stand in a sentence twice; where a second undoes the first, it is 100 %."""


def told_apart(components: int, low: float, high: float) -> Apart:
    """Return whether the first of two sentences is farther more often than by chance.

    Args:
        components: of pairs that share a sentence.
        low: of the 95 % interval of P(farther) + ½ P(equal).
        high: its upper end.

    >>> told_apart(9, 0.6, 0.7), told_apart(99, 0.6, 0.7), told_apart(99, 0.48, 0.53), told_apart(99, 0.4, 0.6)
    ('few', 'yes', 'no', 'open')
    """
    if components < FEWEST:
        return "few"
    if low > CHANCE + EQUAL:
        return "yes"
    if high < CHANCE - EQUAL:
        return "reversed"
    return "no" if low >= CHANCE - EQUAL and high <= CHANCE + EQUAL else "open"


def placed(synonym: Apart, opposite: Apart) -> Place:
    """Return what a model places sentences by, of its two tests.

    >>> placed("yes", "yes"), placed("yes", "no"), placed("no", "reversed"), placed("open", "yes")
    ('meaning', 'likeness', 'form', 'open')
    """
    if "few" in (synonym, opposite):
        return "few"
    if synonym == opposite == "yes":
        return "meaning"
    no = ("no", "reversed")
    if synonym == "yes" and opposite in no:
        return "likeness"
    return "form" if synonym in no and opposite in no else "open"


class Tests(NamedTuple):
    """The two tests of a model, with one changed word; ``None`` where no sentence has the change."""

    model: str
    synonym: ModelScore | None
    opposite: ModelScore | None

    @property
    def subject(self) -> str:
        """The model at the beginning of a sentence."""
        return capital(self.model)

    @property
    def both(self) -> str:
        """What both tests show, and of which sentences."""
        texts = (("a random noun", "a synonym"), ("a verb's antonym", "its synonym"))
        rows = (self.synonym, self.opposite)
        both = [_beside(row, *text) for text, row in zip(texts, rows, strict=True) if row]
        known = ["Only sentences whose words the model has are counted."]
        return " ".join(both + known * any(row and row.subset == "known" for row in rows))

    @property
    def lacking(self) -> str:
        """What a test lacks, and what to do."""
        there = [row.components if row else 0 for row in (self.synonym, self.opposite)]
        said = listed([f"{n or 'none'} for {what}" for n, what in zip(there, _NEED, strict=True)])
        known = any(row and row.subset == "known" for row in (self.synonym, self.opposite))
        need = f"each test needs {FEWEST:g} unconnected pairs{' of words that the model has' * known}"
        more = f"about {max(math.ceil(10 * FEWEST / n) / 10 for n in there):g} times as many" if all(there) else "more"
        return f"{need}. There are {said}. Give {more} pairs{', or a model of more words' * known}"


_NEED = ("synonyms of nouns", "synonyms and antonyms of verbs")
"""What sentences must have for a test."""
SCALE = "50 % is chance, 100 % always"
"""What stands beside a share: 0 % is never."""


def share_of(half: float, low: float, high: float, equal: float, sentences: str) -> str:
    """Return how often the first of two is farther, with its interval, its scale, and how often both are equally far.

    >>> share_of(0.98, 0.967, 0.997, 0.0, "300 sentences")
    '98 % of 300 sentences (97–100 %; 50 % is chance, 100 % always)'
    >>> share_of(0.5, 0.48, 0.52, 0.9, "9 sentences")
    '50 % of 9 sentences (48–52 %; 50 % is chance, 100 % always; both are equally far in 90.0 %, which count half)'
    """
    value, _, span = percent_with_ends(half, low, high).partition(" (")
    span = f"{span.removesuffix(')')} %" if span else "no interval"
    ties = f"; both are equally far in {percent(equal, 1)}, which count half" if equal > CHANCE else ""
    return f"{value.removesuffix(', no interval')} of {sentences} ({span}; {SCALE}{ties})"


def _beside(row: ModelScore, first: str, second: str) -> str:
    """How often the first of two sentences is farther, as a sentence."""
    sentences = counted(row.n, "sentence")
    if row.equal_share == 1:
        return f"{capital(first)} and {second} are equally far in all {sentences}."
    share = share_of(row.half, row.half_low, row.half_high, row.equal_share, sentences)
    return f"{capital(first)} is farther than {second} in {share}."


def _test(row: ModelScore | None) -> Apart:
    return told_apart(row.components, row.half_low, row.half_high) if row else "few"


PLACES_BY = Claim[Tests](
    id="localization.places-by",
    says="A model places sentences by meaning, by similar words, or by form.",
    paper=(
        "White found that 90 to 100 % of the sentences with one synonym are no farther than the paraphrase, and that 0 "
        "to 9 % of those with one antonym are farther"
    ),
    source="White 2015, with controls of ours",
    rule=(
        "test one: a random noun lies farther than a synonym in its place. Test two: a verb's antonym lies farther "
        "than its synonym. Both hold: meaning; the first alone: likeness; none: form. A test holds if the interval "
        f"lies above {CHANCE + EQUAL:g}, and fails if it lies below or within {CHANCE - EQUAL:g}–{CHANCE + EQUAL:g}. "
        f"Few: under {FEWEST:g} components"
    ),
    judge=lambda tests: placed(_test(tests.synonym), _test(tests.opposite)),
    sentences={
        "meaning": lambda tests: (
            f"{tests.subject} places sentences by their meaning, as far as one changed word can show. {tests.both}"
        ),
        "likeness": lambda tests: (
            f"{tests.subject} places sentences by similar words, not by their meaning. {tests.both}"
        ),
        "form": lambda tests: f"{tests.subject} places sentences by form. {tests.both}",
        "open": lambda tests: (
            f"These sentences are too few to say whether {tests.model} places sentences by meaning or by form. "
            f"{tests.both}"
        ),
        "few": lambda tests: f"{tests.subject} cannot be judged: {tests.lacking}.",
    },
)


class Within(NamedTuple):
    """How often one synonym and one random noun lie no farther than the paraphrase."""

    synonym: ModelScore
    random: ModelScore


def _of(row: ModelScore) -> str:
    """A share of table 1 or 2 with its interval."""
    return percent_with_ends(row.share, row.low, row.high)


def _nearer(row: ModelScore) -> str:
    """How often the first of two sentences is no farther."""
    return percent_with_ends(1 - row.half, 1 - row.half_high, 1 - row.half_low)


def _beyond(components: int, low: float, high: float, bound: float) -> Verdict:
    """Whether an interval lies above a bound; no test of few components."""
    return "no test" if components < FEWEST else decide((low, high), bound, math.inf)


RANDOM_AS_NEAR = Claim[Within](
    id="localization.random-as-near",
    says="A random noun mostly lies within the paraphrase's distance, so table 1 counts form.",
    paper="White counts only synonyms: 90 to 100 % of them lie within the paraphrase's distance",
    source="White 2015, table 1",
    rule=f"the interval of the share lies above {CHANCE:g}, of {FEWEST:g} components at least",
    judge=lambda pair: _beyond(pair.random.components, pair.random.low, pair.random.high, CHANCE),
    sentences={"yes": lambda pair: f"{pair.random.model} {_of(pair.random)}, synonyms {_of(pair.synonym)}"},
)

UNRELATED_NEARER = Claim[ModelScore](
    id="localization.unrelated-nearer",
    says="A sentence of another pair is often nearer than the paraphrase, so a small distance means little.",
    source="White 2015",
    paper="White compares with no sentence of another pair",
    rule=f"the interval of the share that lies farther is below {KNOWS:g}, of {FEWEST:g} components at least",
    judge=lambda row: _beyond(row.components, -row.half_high, -row.half_low, -KNOWS),
    sentences={"yes": lambda row: f"{row.model} {_nearer(row)}"},
)


def _bend(row: Negation) -> Bend:
    if row.components < FEWEST:
        return "cannot be judged"
    least = -BENT * row.step
    return "back" if row.high < least else "not back" if row.low > least else "open"


def _bent(row: Negation, says: str) -> str:
    span = f"bend {signed(row.difference, 4)}, interval {signed_span(row.low, row.high, 4)}; one moves {row.step:.4f}"
    return f"{capital(says.format(model=row.model))} ({counted(row.n, 'sentence')}, {span})."


SECOND_NEGATION = Claim[Negation](
    id="localization.second-negation",
    says="A second antonym brings a sentence back.",
    paper=(
        "White leaves it open. Four antonyms put fewer sentences beyond the paraphrase than three by auto-encoders and "
        "PV-DM (17 against 21 and 22 %), and more by PV-DBOW (58 against 20 %)"
    ),
    source="White 2015",
    rule=(
        f"the interval of the bend lies below −{BENT:g} times what one antonym moves a sentence; no if above. The bend "
        "is that of antonyms less that of verbs' synonyms in the same sentences. "
        f"Below {FEWEST:g} components it cannot be judged"
    ),
    judge=_bend,
    sentences={
        "back": lambda row: _bent(row, "{model} shows double negation: a second antonym brings sentences back"),
        "not back": lambda row: _bent(
            row, "{model} shows no double negation: a second antonym brings no sentences back"
        ),
        "open": lambda row: _bent(
            row, "these sentences are too few to say whether a second antonym brings sentences back in {model}"
        ),
    },
)


def verdict(tables: Mapping[str, Table[Any]], silent: Collection[str] = ()) -> list[str]:
    """Return one sentence for every model, then those of which table 1 says nothing of meaning.

    Args:
        tables: of the study.
        silent: models whose numbers an alarm forbids to read.
    """
    scores = of_models(tables)
    models = [model for model in dict.fromkeys(SCORES.of(tables)["model"]) if model not in silent]
    if not models:
        return ["This page cannot judge meaning or form: an alarm forbids reading the numbers of every model."]
    tests = (_tests(scores, model) for model in models)
    return [*map(PLACES_BY.sentence, tests), *_near(scores, models), *_unrelated(scores, models)]


def observations(tables: Mapping[str, Table[Any]], silent: Collection[str] = ()) -> Iterator[Observation]:
    """Yield what every model shows of every claim that the paper says something of, as :func:`verdict` judges it."""
    scores = of_models(tables)
    models = [model for model in dict.fromkeys(SCORES.of(tables)["model"]) if model not in silent]
    near, beyond, bent = [], [], []
    for model in models:
        within, random, farther, unrelated = (one_change(scores, model, name) for name in _BESIDE)
        shows = " and ".join(_of(row) if row else "no sentence" for row in (within, farther))
        yield PLACES_BY.observed(_tests(scores, model), model, shows)
        if within and random:
            shows = f"{_of(within)} of synonyms and {_of(random)} of random nouns"
            near.append(RANDOM_AS_NEAR.observed(Within(within, random), model, shows))
        if unrelated:
            shows = f"{_nearer(unrelated)} of them are nearer than the paraphrase"
            beyond.append(UNRELATED_NEARER.observed(unrelated, model, shows))
        for row in NEGATION.rows(tables, model=model):
            span = f"a bend of {signed(row.difference, 4)} ({signed_span(row.low, row.high, 4)})"
            few = f"{counted(row.n, 'sentence') if row.n else 'no sentence'} with three changes, too few"
            shows = span if row.components >= FEWEST else few
            bent.append(SECOND_NEGATION.observed(row, model, shows))
    why = "no sentence has the changes that it needs" if models else "an alarm forbids reading the numbers"
    yield from () if models else [PLACES_BY.open(why)]
    for claim, rows in ((RANDOM_AS_NEAR, near), (UNRELATED_NEARER, beyond), (SECOND_NEGATION, bent)):
        yield from rows or [claim.open(why)]


_BESIDE = (WITHIN, RANDOM_WITHIN, ANTONYM_FARTHER, UNRELATED_BEYOND)
"""Comparisons that stand beside the paper's."""


def _tests(scores: Table[ModelScore], model: str) -> Tests:
    return Tests(model, *(one_change(scores, model, name) for name in (RANDOM_BEYOND, ANTONYM_BEYOND)))


def _near(scores: Table[ModelScore], models: Sequence[str]) -> Iterator[str]:
    """A random noun is mostly within the paraphrase's distance: then table 1 counts form."""
    shares = []
    for model in models:
        synonym, random = (one_change(scores, model, name) for name in (WITHIN, RANDOM_WITHIN))
        if synonym and random and (share := RANDOM_AS_NEAR.sentence(Within(synonym, random))):
            shares.append(share)
    if shares:
        yield (
            "A synonym within the paraphrase's distance is no sign of meaning here, because a random noun in its place "
            f"mostly lies there too: {listed(shares)}."
        )


def _unrelated(scores: Table[ModelScore], models: Sequence[str]) -> Iterator[str]:
    """Sentences of other pairs are often nearer than the paraphrase: then nothing that is near means much."""
    rows = [row for model in models if (row := one_change(scores, model, UNRELATED_BEYOND))]
    if shares := [share for row in rows if (share := UNRELATED_NEARER.sentence(row))]:
        yield (
            "A small distance means little here, because a sentence of another pair is often nearer than the "
            f"paraphrase: {listed(shares)}."
        )


def one_change(scores: Table[ModelScore], model: str, comparison: str) -> ModelScore | None:
    """Return the row of one change: over all runs, or in the only one.

    It is of the sentences whose changed words the model has. A word that it lacks is left out or stands for all such
    words, which is no synonym's distance.
    """
    table = scores.where(model=model)
    rows = {row.subset: row for row in table.rows(comparison=comparison, k=1)}
    return rows.get("known" if "known" in table["subset"] else "all")


def _with_three(row: Negation) -> str:
    if not row.n:
        return "No sentence has three changes of both kinds"
    return (
        f"{counted(row.n, 'sentence', 'has/have')} three changes of both kinds, of "
        f"{counted(row.components, 'unconnected pair')}"
    )


def negation_sentences(rows: Sequence[Negation]) -> str:
    """Return what is said of double negation, of the rows of its table; models that cannot be judged are said once."""
    sentences = [sentence for row in rows if (sentence := SECOND_NEGATION.sentence(row))]
    if few := [row for row in rows if SECOND_NEGATION.judge(row) == "cannot be judged"]:
        sentences.append(
            f"Double negation cannot be judged for {listed([row.model for row in few])}. "
            f"{_with_three(few[0])}; the test needs {FEWEST:g} unconnected pairs with such a sentence."
        )
    return " ".join(sentences)
