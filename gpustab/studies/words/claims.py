"""What is said of factors of stability: each by its effect, all others the same, and by what it adds to the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.results.page import number, percent
from gpustab.studies.shared.claims import Claim, Margin, Verdict, decide
from gpustab.studies.shared.wording import number_span, signed_span

MATTERS = Margin(0.1, "effect of a factor, in standard deviations of the words' stability, from which it matters")
ADDS = Margin(0.01, "partial R² of a factor, from which it adds to the others")
FEWEST = Margin(100, "words below which no factor of stability is judged")
KNOWN = Margin(0.5, "share of the words that WordNet, or a text, must have to tell their factors")
_RUNS = 3
"""Fewer runs have no error."""


class Effect(NamedTuple):
    """What one factor does to the words' stability, all others the same."""

    group: str
    measure: Annotated[str, Column("stability by", about="p@n, or the word's PIP loss: less loss is more stable")]
    factor: str
    runs: int
    words: Annotated[int, Column(about="of which all factors are known; 0 where an alarm forbids to judge")]
    alone: Annotated[float, Column(digits=2, about="Pearson's r of factor and stability, nothing else the same")]
    effect: Annotated[
        float,
        Column(
            digits=2,
            about="change of the stability, in its standard deviations over words, by one standard deviation of the "
            "factor, all others the same; of a part of speech: by being one in place of a noun",
        ),
    ]
    low: Annotated[float, Column(about="95 % interval: errors over runs and over words")]
    high: float
    runs_se: Annotated[float, Column(about="error over runs, by the jackknife")]
    words_se: Annotated[float, Column(about="error over words, by the jackknife over 20 parts")]
    change: Annotated[
        float, Column(about="of the neighbours that come back, or of the loss in per cent, by a step of the factor")
    ]
    change_low: float
    change_high: float
    step: Annotated[str, Column(about="the step")]


class Part(NamedTuple):
    """What one factor adds to all others."""

    group: str
    measure: Annotated[str, Column("stability by", about="as in the table of effects")]
    factor: str
    runs: int
    words: Annotated[int, Column(about="of which all factors are known; 0 where an alarm forbids to judge")]
    partial: Annotated[
        float, Column("partial R²", 2, "part of what the others leave unexplained; may be below 0 by chance")
    ]
    low: Annotated[float, Column(about="95 % interval: errors over runs and over words")]
    high: float


EFFECTS = Sheet("effects", Effect, "one row a group, measure of stability and factor")
PARTS_OF = Sheet("parts", Part, "one row a group, measure of stability and factor")


def _no_test(row: Effect | Part) -> str:
    """Return why a row is not judged; empty where it is."""
    if not row.words:
        return "an alarm forbids to judge these runs"
    if row.runs < _RUNS:
        return f"{row.runs} runs have no error; train at least three"
    if row.words < FEWEST:
        return f"{row.words} words are too few; {FEWEST:g} are needed"
    return "its numbers are not defined" if math.isnan(row.low) else ""


def _judge(more: bool) -> Callable[[Effect], Verdict]:
    def judge(row: Effect) -> Verdict:
        if _no_test(row):
            return "no test"
        return decide((row.low, row.high) if more else (-row.high, -row.low), MATTERS, math.inf)

    return judge


def matters(row: Effect) -> bool:
    """Tell whether a factor surely matters, toward more or toward less stability."""
    return "yes" in (_judge(True)(row), _judge(False)(row))


def changed(row: Effect) -> str:
    """Return what a step of the factor changes, a clause."""
    low, high = sorted((abs(row.change_low), abs(row.change_high)))
    if row.change_low * row.change_high <= 0:
        span = signed_span(row.change_low, row.change_high, 1)
        return f"{row.step}, the change is {span} of {row.measure.partition('@')[2]} neighbours"
    which = "more" if row.change > 0 else "fewer"
    return (
        f"{row.step}, it keeps {number(abs(row.change), 2)} {which} of its {row.measure.partition('@')[2]} neighbours "
        f"({number_span(low, high)})"
    )


def _of(id_: str, words: str, more: bool, source: str = "", paper: str = "") -> Claim[Effect]:
    """Return the claim that words of a kind are more or less stable than others that are otherwise alike."""
    what, opposite = (f"{'more' if side else 'less'} stable, all else equal" for side in (more, not more))
    start = words[0].lower() + words[1:]
    return Claim(
        id=f"words.{id_}",
        says=f"{words} are {what}.",
        source=source,
        paper=paper,
        rule=(
            f"the 95 % interval of the effect lies {'above ' if more else 'below −'}{MATTERS:g} standard deviations of "
            f"the stability by p@n; no if it lies on the other side. No test below {_RUNS} runs or {FEWEST:g} words"
        ),
        judge=_judge(more),
        sentences={
            "yes": lambda row: f"{words} are {what}: {changed(row)}.",
            "no": lambda row: (
                f"{words} are {opposite if _judge(not more)(row) == 'yes' else f'not {what}'}: {changed(row)}."
            ),
            "undecided": f"These runs cannot tell whether {start} are {what}.",
            "no test": lambda row: f"Whether {start} are {what}, is not tested: {_no_test(row)}.",
        },
    )


FREQUENT = _of(
    "frequent",
    "Frequent words",
    True,
    "Wendlandt et al. 2018, §1 and 5",
    "Wendlandt et al. found rare words less stable, very unlike stabilities at middle frequencies, and frequency no "
    "major factor beside others: a yes is not what they found",
)
SPREAD = _of("spread", "Words of more documents than their frequency gives", True)
SENSES = _of("senses", "Words with many senses", False)
NEAREST = _of(
    "near-neighbour",
    "Words with a near neighbour",
    True,
    "Pierrejean & Tanguy 2018",
    "Pierrejean and Tanguy found that features of word, corpus and model predict how far a word's neighbours vary",
)
SPEECH = Claim[Part](
    id="words.part-of-speech",
    says="The part of speech tells about a word's stability beyond all else.",
    source="Wendlandt et al. 2018, §5",
    paper="Wendlandt et al. found the part of speech one of the largest factors",
    rule=(
        f"the 95 % interval of the partial R² of the stability by p@n lies above {ADDS:g}; no if below. No test below "
        f"{_RUNS} runs or {FEWEST:g} words"
    ),
    judge=lambda row: "no test" if _no_test(row) else decide((row.low, row.high), ADDS, math.inf),
    sentences={
        "yes": lambda row: f"The part of speech tells about a word's stability beyond all else: {explained(row)}.",
        "no": lambda row: (
            f"The part of speech hardly tells about a word's stability beyond all else: {explained(row)}."
        ),
        "undecided": "These runs cannot tell whether the part of speech adds to the other factors.",
        "no test": lambda row: f"What the part of speech adds to the other factors is not tested: {_no_test(row)}.",
    },
)
BY_EFFECT = {"frequency": FREQUENT, "nearest": NEAREST, "spread": SPREAD, "senses": SENSES}
"""The claims on single factors, in the order of the page."""


def explained(row: Part) -> str:
    """Return what a factor explains, a clause."""
    low, high = (percent(max(end, 0.0), 1).removesuffix(" %") for end in (row.low, row.high))
    share = percent(max(row.partial, 0.0), 1)
    return f"it explains {share} of what the other factors leave ({low}–{high} %)"
