"""What the study claims of a model of sentences: its rules, their margins, what they say, and what forbids to read it.

How often the rules err, over 3 to 16 runs: ``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from gpustab.results import Table
from gpustab.results.page import signed
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
from gpustab.studies.shared.wording import listed, signed_span

Apart = Literal["yes", "no", "reversed", "open", "few"]
Place = Literal["meaning", "likeness", "form", "open", "few"]
Bend = Literal["back", "not back", "open", "cannot be judged"]

FEWEST = Margin(30, "components of pairs that share a sentence, below which no verdict is given")
CHANCE = Margin(0.5, "share of sentences that lie farther by chance, where equal distances count half")
EQUAL = Margin(0.05, "difference of a share from chance that matters to nobody")
KNOWS = Margin(0.9, "share of unrelated sentences that lie beyond the paraphrase where a model tells sentences apart")
ALIKE = Margin(2.0**-20, "cosine distance up to which float32 vectors point one way and two runs' distances are one")
MANY = Margin(0.1, "share of a model's sentences without a direction that is no small gap")


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
        return _capital(self.model)

    @property
    def both(self) -> str:
        """What both tests show, and of which sentences."""
        texts = ("a random noun is farther than a synonym", "a verb's antonym farther than its synonym")
        rows = (self.synonym, self.opposite)
        both = "; ".join(f"{text} {_percent(row)}" for text, row in zip(texts, rows, strict=True) if row)
        known = ", of sentences whose words it has" if any(row and row.subset == "known" for row in rows) else ""
        return f"{both} (by chance {100 * CHANCE:.0f} %){known}"


def _percent(row: ModelScore) -> str:
    span = "" if row.half_low != row.half_low else f" ({100 * row.half_low:.0f}–{100 * row.half_high:.0f})"
    return f"in {100 * row.half:.0f} %{span} of {row.n:,}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _test(row: ModelScore | None) -> Apart:
    return told_apart(row.components, row.half_low, row.half_high) if row else "few"


PLACES_BY = Claim[Tests](
    id="localization.places-by",
    says="A model places sentences by meaning, by which words are alike, or by form.",
    paper=(
        "White found 90 to 100 % of the sentences with one synonym no farther than the paraphrase, and 0 to 9 % of "
        "those with one antonym farther"
    ),
    source="White 2015, with controls of ours",
    rule=(
        "a random noun lies farther than a synonym in its place, and a verb's antonym farther than its synonym; both "
        f"is meaning, the first alone likeness, none form: farther if the interval lies above {CHANCE + EQUAL:g}, no "
        f"farther if below or within {CHANCE - EQUAL:g} to {CHANCE + EQUAL:g}; few under {FEWEST:g} components"
    ),
    judge=lambda tests: placed(_test(tests.synonym), _test(tests.opposite)),
    sentences={
        "meaning": lambda tests: (
            f"{tests.subject} places sentences by what they say, as far as one word goes: {tests.both}."
        ),
        "likeness": lambda tests: (
            f"{tests.subject} places sentences by which words are alike, not by what is said: {tests.both}."
        ),
        "form": lambda tests: f"{tests.subject} places sentences by form: {tests.both}.",
        "open": lambda tests: (
            f"Whether {tests.model} places sentences by meaning or by form cannot be told from these sentences: "
            f"{tests.both}."
        ),
        "few": lambda tests: (
            f"{tests.subject} cannot be judged: the tests need sentences of {FEWEST:g} unconnected pairs."
        ),
    },
)


class Within(NamedTuple):
    """How often one synonym and one random noun lie no farther than the paraphrase."""

    synonym: ModelScore
    random: ModelScore


def _beyond(components: int, low: float, high: float, bound: float) -> Verdict:
    """Whether an interval lies above a bound; no test of few components."""
    return "no test" if components < FEWEST else decide((low, high), bound, math.inf)


RANDOM_AS_NEAR = Claim[Within](
    id="localization.random-as-near",
    says="A random noun mostly lies within the paraphrase's distance, so that table 1 counts form.",
    paper="White counts synonyms alone, 90 to 100 % of which lie within the paraphrase's distance",
    source="White 2015, table 1",
    rule=f"the interval of the share lies above {CHANCE:g}, of {FEWEST:g} components at least",
    judge=lambda pair: _beyond(pair.random.components, pair.random.low, pair.random.high, CHANCE),
    sentences={
        "yes": lambda pair: (
            f"{pair.random.model} {100 * pair.random.share:.0f} % (synonyms {100 * pair.synonym.share:.0f})"
        )
    },
)

UNRELATED_NEARER = Claim[ModelScore](
    id="localization.unrelated-nearer",
    says="A sentence of another pair is often nearer than the paraphrase, so that to lie near means little.",
    paper="White compares with no sentence of another pair",
    rule=f"the interval of the share that lies farther is below {KNOWS:g}, of {FEWEST:g} components at least",
    judge=lambda row: _beyond(row.components, -row.half_high, -row.half_low, -KNOWS),
    sentences={"yes": lambda row: f"{row.model} {100 * (1 - row.half):.0f} %"},
)


def _bend(row: Negation) -> Bend:
    if row.components < FEWEST:
        return "cannot be judged"
    return "back" if row.high < 0 else "not back" if row.low > 0 else "open"


def _bent(row: Negation, says: str) -> str:
    span = f"{row.difference:.4f}; {row.low:.4f} to {row.high:.4f}"
    return f"{_capital(row.model)}: {says} ({row.n} sentences, {span})."


SECOND_NEGATION = Claim[Negation](
    id="localization.second-negation",
    says="A second antonym brings a sentence back.",
    paper=(
        "White leaves it open, and saw fewer sentences beyond the paraphrase with four antonyms than with three by "
        "auto-encoders and PV-DM, 17 against 21 and 22 %, and more by PV-DBOW, 58 against 20 %"
    ),
    source="White 2015",
    rule=(
        "the interval of the bend, antonyms less verbs' synonyms in the same sentences, lies below 0; no if above; "
        f"cannot be judged under {FEWEST:g} components"
    ),
    judge=_bend,
    sentences={
        "back": lambda row: _bent(row, "double negation is seen, a second antonym brings sentences back"),
        "not back": lambda row: _bent(row, "double negation is not seen, a second antonym moves sentences on"),
        "open": lambda row: _bent(row, "whether a second antonym brings sentences back cannot be told"),
    },
)


class RunVectors(NamedTuple):
    """What the vectors of one run are like.

    Attributes:
        who: the model, and its run where it has several.
        unrelated: median distance of unrelated sentences; NaN where there are none.
        texts: sentences that have been embedded.
        zero: those whose vector is zero.
        unfinite: those whose vector is not finite.
    """

    who: str
    unrelated: float
    texts: int
    zero: int
    unfinite: int


COLLAPSED = Claim[RunVectors](
    id="localization.collapsed",
    says="All vectors of a run point one way.",
    rule=f"half of the unrelated sentences lie within a cosine distance of {ALIKE:.2g}",
    judge=lambda run: "yes" if run.unrelated <= ALIKE else "no",
    sentences={
        "yes": "{who}: is collapsed: unrelated sentences point one way, to float32's rounding. Its distances, and all "
        "scores of it, mean nothing."
    },
)

NOT_FINITE = Claim[RunVectors](
    id="localization.not-finite",
    says="Some vectors of a run are not finite.",
    rule="one vector suffices",
    judge=lambda run: "yes" if run.unfinite else "no",
    sentences={
        "yes": "{who}: the vectors of {unfinite:,} of {texts:,} sentences are not finite; these are left out, and the "
        "others need not stand for them."
    },
)

NO_DIRECTION = Claim[RunVectors](
    id="localization.no-direction",
    says="Many vectors of a run are zero.",
    rule=f"more than {MANY:.0%} of the sentences",
    judge=lambda run: "yes" if run.zero > MANY * run.texts else "no",
    sentences={
        "yes": "{who}: the vectors of {zero:,} of {texts:,} sentences are zero, which has no direction; these are left "
        "out, and the others need not stand for them."
    },
)

ALARMS_OF_RUNS = (COLLAPSED, NOT_FINITE, NO_DIRECTION)


class RunPair(NamedTuple):
    """Two runs of a model, counted from 1, and the largest difference of their distances."""

    model: str
    first: int
    second: int
    difference: float


COPIES = Claim[RunPair](
    id="localization.copies",
    says="Two runs of a model are one.",
    rule=f"none of their distances differ by more than {ALIKE:.2g}",
    judge=lambda pair: "yes" if pair.difference <= ALIKE else "no",
    sentences={
        "yes": "{model}: runs {first} and {second} give the same distances; one of them is left out, since counted "
        "twice they would make the scores look surer than they are."
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
        return ["Nothing can be said of meaning or form: an alarm forbids to read the numbers of every model."]
    tests = (_tests(scores, model) for model in models)
    return [*map(PLACES_BY.sentence, tests), *_near(scores, models), *_unrelated(scores, models)]


def observations(tables: Mapping[str, Table[Any]], silent: Collection[str] = ()) -> Iterator[Observation]:
    """Yield what every model shows of every claim that the paper says something of, as :func:`verdict` judges it."""
    scores = of_models(tables)
    models = [model for model in dict.fromkeys(SCORES.of(tables)["model"]) if model not in silent]
    near, beyond, bent = [], [], []
    for model in models:
        within, random, farther, unrelated = (_one_change(scores, model, name) for name in _BESIDE)
        shows = " and ".join(f"{100 * row.share:.0f} %" if row else "no sentence" for row in (within, farther))
        yield PLACES_BY.observed(_tests(scores, model), model, shows)
        if within and random:
            shows = f"{100 * within.share:.0f} % of synonyms and {100 * random.share:.0f} % of random nouns"
            near.append(RANDOM_AS_NEAR.observed(Within(within, random), model, shows))
        if unrelated:
            shows = f"{100 * (1 - unrelated.half):.0f} % of them nearer than the paraphrase"
            beyond.append(UNRELATED_NEARER.observed(unrelated, model, shows))
        for row in NEGATION.rows(tables, model=model):
            span = f"a bend of {signed(row.difference, 4)} ({signed_span(row.low, row.high, 4)})"
            shows = span if row.components >= FEWEST else f"too few with three changes, {row.n}"
            bent.append(SECOND_NEGATION.observed(row, model, shows))
    why = "no sentence has the changes that it needs" if models else "an alarm forbids to read the numbers"
    yield from () if models else [PLACES_BY.open(why)]
    for claim, rows in ((RANDOM_AS_NEAR, near), (UNRELATED_NEARER, beyond), (SECOND_NEGATION, bent)):
        yield from rows or [claim.open(why)]


_BESIDE = (WITHIN, RANDOM_WITHIN, ANTONYM_FARTHER, UNRELATED_BEYOND)
"""Comparisons that stand beside the paper's."""


def _tests(scores: Table[ModelScore], model: str) -> Tests:
    return Tests(model, *(_one_change(scores, model, name) for name in (RANDOM_BEYOND, ANTONYM_BEYOND)))


def _near(scores: Table[ModelScore], models: Sequence[str]) -> Iterator[str]:
    """A random noun is mostly within the paraphrase's distance: then table 1 counts form."""
    shares = []
    for model in models:
        synonym, random = (_one_change(scores, model, name) for name in (WITHIN, RANDOM_WITHIN))
        if synonym and random and (share := RANDOM_AS_NEAR.sentence(Within(synonym, random))):
            shares.append(share)
    if shares:
        yield (
            "That a synonym lies no farther than the paraphrase is no sign of meaning here: a random noun in its place "
            f"does so too, with {listed(shares)}."
        )


def _unrelated(scores: Table[ModelScore], models: Sequence[str]) -> Iterator[str]:
    """Sentences of other pairs are often nearer than the paraphrase: then nothing that is near means much."""
    rows = [row for model in models if (row := _one_change(scores, model, UNRELATED_BEYOND))]
    if shares := [share for row in rows if (share := UNRELATED_NEARER.sentence(row))]:
        yield (
            "To lie near a sentence means little where a sentence of another pair is often nearer than the paraphrase: "
            f"with {listed(shares)}."
        )


def _one_change(scores: Table[ModelScore], model: str, comparison: str) -> ModelScore | None:
    """One change: over all runs, or in the only one; of the sentences whose changed words the model has.

    A word that it lacks is left out or stands for all such words, which is no synonym's distance.
    """
    table = scores.where(model=model)
    rows = {row.subset: row for row in table.rows(comparison=comparison, k=1)}
    return rows.get("known" if "known" in table["subset"] else "all")


def negation_sentences(rows: Sequence[Negation]) -> str:
    """Return what is said of double negation, of the rows of its table; models that cannot be judged are said once."""
    sentences = [sentence for row in rows if (sentence := SECOND_NEGATION.sentence(row))]
    if few := [row for row in rows if SECOND_NEGATION.judge(row) == "cannot be judged"]:
        sentences.append(
            f"Double negation cannot be judged for {listed([row.model for row in few])}: {few[0].n} sentences have "
            f"three changes of both kinds, and {FEWEST:g} unconnected pairs are wanted."
        )
    return " ".join(sentences)
