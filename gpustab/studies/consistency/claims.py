"""What the study claims of a text, its models and its terms; each claim has a rule with an interval, and margins.

How often the rules err, at 5 to 60 terms and 1 to 16 runs of the background: ``benchmarks/consistency_verdicts.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.studies.consistency.tables import (
    ADDITIVE,
    CENTRED,
    CONSISTENCY,
    SPLIT,
    TEXTS,
    ModelNumbers,
    Size,
    Split,
    TextPair,
    WordRanks,
    as_cosine,
)
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed, number_span, signed_span

R = TypeVar("R")

FEWEST = Margin(
    3, "terms of a verdict, which a jackknife needs: of 3 to 16, 1 to 3 % of draws without a difference get one"
)
CHANCE = Margin(0.5, "AUC by chance: a pair of one term has the larger cosine as often as one of two terms")
NEAR = Margin(0.55, "AUC that is as good as none: of twenty comparisons one more than by chance")
COMMON = Margin(0.05, "cosine above its null level that says nothing by itself")
FIRST = Margin(2, "mean place that is no more the first")
P_VALUE = Margin(0.05, "share of parts drawn at random that may be as unlike as halves that differ")

_MOST = 4
"""Sentences of the verdict; the others stand in their blocks."""


def _told_apart(row: ModelNumbers) -> str:
    if row.terms < FEWEST or math.isnan(row.auc_low):
        return "few"
    if row.auc_low > CHANCE:
        return "apart" if row.beyond_low is None or row.beyond_low > 0 else "documents"
    return "alike" if row.auc_high < NEAR else "open"


def _often(row: ModelNumbers) -> str:
    return f"in {100 * row.auc:.0f} of 100 comparisons"


def _span(row: ModelNumbers) -> str:
    """The interval of the AUC in 100 comparisons, with a digit more where an end would look like chance."""
    low, high = 100 * row.auc_low, 100 * row.auc_high
    digits = 1 if f"{100 * CHANCE:.0f}" in (f"{low:.0f}", f"{high:.0f}") else 0
    return f"{max(low, 0):.{digits}f}–{min(high, 100):.{digits}f}"


def _of_documents(row: ModelNumbers) -> str:
    low, high = row.beyond_low or 0.0, row.beyond_high or 0.0
    return (
        f"made-up words put at random into other sentences of the same documents are so in "
        f"{100 * (row.documents_auc or 0.0):.0f} (difference {signed_span(100 * low, 100 * high, 0)})"
    )


TOLD_APART = Claim[ModelNumbers](
    id="consistency.told-apart",
    says="A text gives its terms vectors of their own.",
    source="Bloem et al. 2019, section 3",
    rule=(
        f"apart if the interval of the AUC over terms lies above {CHANCE:g}, and that of its difference to the AUC of "
        "made-up words in the same documents above 0, where these have other sentences; documents if the former alone "
        f"does; alike if the AUC's lies below {NEAR:g}; few under {FEWEST:g} terms"
    ),
    judge=_told_apart,
    sentences={
        "few": lambda row: (
            f"Whether the text gives its terms vectors of their own cannot be told from {counted(row.terms, 'term')} "
            f"(cosine {as_cosine(row.same)} against {as_cosine(row.null)}); take {FEWEST:g} at least, better fifty."
        ),
        "apart": lambda row: (
            f"Two samples of one term are more alike than samples of two terms {_often(row)} ({_span(row)}, above "
            f"{100 * CHANCE:.0f}, which is chance): the text gives its terms vectors of their own."
            + (f" In comparison, {_of_documents(row)}." if row.beyond_low is not None else "")
        ),
        "documents": lambda row: (
            f"Two samples of one term are more alike than samples of two terms {_often(row)} ({_span(row)}), but "
            f"{_of_documents(row)}. That the text gives its terms vectors of their own is not shown: its documents may "
            "make them."
        ),
        "alike": lambda row: (
            f"Two samples of one term are no more alike than samples of two terms: they are {_often(row)} "
            f"({_span(row)}, below {100 * NEAR:.0f}; {100 * CHANCE:.0f} is chance). The vectors hold nothing of the "
            "term."
        ),
        "open": lambda row: (
            "Whether two samples of one term are more alike than samples of two terms cannot be told from "
            f"{counted(row.terms, 'term')}: they are {_often(row)}, and the interval, {_span(row)}, would have to be "
            f"above {100 * CHANCE:.0f}, which is chance. More terms would tell."
        ),
    },
)


class TrainedOn(NamedTuple):
    """A text, and of several backgrounds, or of the only one, those that were trained on it."""

    text: str
    names: Sequence[str]
    several: bool


def _trained_on(it: TrainedOn) -> str:
    one, named = len(it.names) == 1, f" {listed(it.names)}" if it.several else ""
    which = ("background", "was", "Its") if one else ("backgrounds", "were", "Their")
    return (
        f"The {which[0]}{named} {which[1]} trained on {it.text} itself. {which[2]} vectors were made of the very "
        "sentences that the terms are learned from, so that nothing here says how terms of a new text would do. Take a "
        "background of other texts."
    )


TRAINED_ON = Claim[TrainedOn](
    id="consistency.trained-on",
    says="The background was trained on the text itself.",
    rule="the run set records the digest of its corpus, and the text, read as for the training, has the same",
    judge=lambda it: "yes" if it.names else "no",
    sentences={"yes": _trained_on},
)
"""Said once of a text, whatever the number of backgrounds."""


class Sums(NamedTuple):
    """The additive model of one background and text, as it is, and without what every context has in common."""

    raw: ModelNumbers
    centred: ModelNumbers


def _common(sums: Sums, part: str) -> str:
    raw, centred = ([as_cosine(row.same), as_cosine(row.null)] for row in sums)
    return (
        f"The cosine of two samples of one term is {raw[0]}, of two terms {raw[1]}{part} is what every context of the "
        f"text has in common. Without that they are {' and '.join(centred)}."
    )


MOSTLY_COMMON = Claim[Sums](
    id="consistency.mostly-common",
    says="Almost all of a cosine is what every context of the text has in common.",
    source="Bloem et al. 2019, table 1, which has no null level",
    rule=f"the cosine of one term is less than {COMMON:g} above that of different terms",
    judge=lambda sums: "yes" if sums.raw.excess < COMMON else "no",
    sentences={
        "yes": lambda sums: _common(sums, ": almost all of it"),
        "no": lambda sums: _common(sums, "; part of both"),
    },
)


class Placed(NamedTuple):
    """Where a term's other sample lies: among the samples of other terms, and among the background's words."""

    among_samples: ModelNumbers
    among_words: WordRanks


def _places(placed: Placed, joined: str) -> str:
    row, ranks = placed
    return (
        f"Among {ranks.words:,} background words a term's other sample has place {number(ranks.both, 3)}{joined}among "
        f"the samples of other terms place {number(row.rank, 3)} of {number(row.among, 3)}"
    )


NEAR_AS_SUMS = Claim[Placed](
    id="consistency.near-as-sums",
    says="Samples are near each other among words because both are sums, not because they are of one term.",
    source="Bloem et al. 2019, table 1",
    rule=f"the mean place among words is below {FIRST:g}, and among the samples of other terms it is not",
    judge=lambda placed: "yes" if placed.among_words.both < FIRST <= placed.among_samples.rank else "no",
    sentences={
        "yes": lambda placed: (
            f"{_places(placed, ', and ')}: it is near the first because both are sums, not because they are of one "
            "term."
        ),
        "no": lambda placed: f"{_places(placed, ', ')}.",
    },
)


def _grows(rows: Sequence[Size]) -> str:
    rows = [row for row in rows if row.n is not None]
    if len(rows) < 2:
        return "none"
    return "grows" if rows[-1].same_low > rows[0].same_high else "open"


def _from_to(rows: Sequence[Size], shown: str = "") -> str:
    """The cosines of the smallest and the largest size, and of all sentences, and the law of sums beside them."""
    sized = [row for row in rows if row.n is not None]
    ends = [f"{_with_span(row)} with {row.n}" for row in (sized[0], sized[-1])]
    every = "".join(
        f"; with all sentences of a term, {number(row.mean, 3)} a sample, it is {_with_span(row)}"
        for row in rows
        if row.n is None
    )
    off = max(abs(row.same - row.law) for row in rows)
    law = f"a law of sums, 1 / (1 + c / words) with c = {number(sized[-1].c, 3)}, is at most {number(off, 2)} off"
    return f"from {' to '.join(ends)} sentences{shown}{every}; {law}."


def _with_span(row: Size) -> str:
    return f"{as_cosine(row.same)} ({number_span(row.same_low, row.same_high)})"


GROWS = Claim[Sequence[Size]](
    id="consistency.grows",
    says="Consistency grows with the sentences of a sample.",
    source="Bloem et al. 2019, table 2",
    rule="the interval of the cosine of the largest samples lies wholly above that of the smallest",
    judge=_grows,
    sentences={
        "none": "One size of samples: how consistency depends on it is not seen.",
        "grows": lambda rows: f"Consistency grows with the sentences, {_from_to(rows)}",
        "open": lambda rows: (
            f"Consistency goes {_from_to(rows, ': the intervals overlap, so that it grows is not shown')}"
        ),
    },
)


def _halves(row: Split) -> str:
    what = "of the documents" if row.permuted == "documents" else "of blocks of neighbouring sentences"
    return f"halves have cosine {as_cosine(row.halves)}, random halves {what} {as_cosine(row.random)}"


HALVES_DIFFER = Claim[Split](
    id="consistency.halves-differ",
    says="The two halves of a text use its terms differently.",
    source="Bloem et al. 2019, table 1",
    rule=(
        f"of random halves of its documents at most {P_VALUE:.0%} are as unlike; of a text of one document, of random "
        "halves of its blocks of neighbouring sentences; no test of two to nine documents"
    ),
    judge=lambda row: "no test" if math.isnan(row.p) else "differ" if row.p <= P_VALUE else "open",
    sentences={
        "differ": lambda row: (
            f"The two halves use the terms differently: {_halves(row)}, and only {row.p:.0%} of such halves are as "
            f"unlike (p ≤ {P_VALUE:.0%})."
        ),
        "open": lambda row: (
            f"That the halves use the terms differently is not shown: {_halves(row)}, and {row.p:.0%} of such halves "
            f"are as unlike (p; wanted {P_VALUE:.0%})."
        ),
        "no test": lambda row: (
            f"Whether the halves use the terms differently is not tested: of {row.permuted} no random halves can be "
            "made that are like those of the text. Ten documents or more, such as chapters, would do, or the whole as "
            "one."
            if row.permuted not in ("documents", "blocks")
            else "Whether the halves use the terms differently is not tested: no term has sentences enough in both."
        ),
    },
)


def side_of_zero(low: float, high: float, above: str = "higher", below: str = "lower", across: str = "open") -> str:
    """Return on which side of 0 an interval lies, by what stands for each side and for both.

    >>> side_of_zero(0.1, 0.2), side_of_zero(-0.2, -0.1), side_of_zero(-0.1, 0.2)
    ('higher', 'lower', 'open')
    """
    return above if low > 0 else below if high < 0 else across


def _side_of(pair: TextPair, low: float, high: float) -> str:
    return "few" if min(pair.terms, pair.terms_against) < FEWEST else side_of_zero(low, high)


def _apart(pair: TextPair, says: str, besides: str = "") -> str:
    return (
        f"At {counted(pair.words, 'context word')} a sample, {says} (a term's own second vector is nearer than another "
        f"term's in {100 * pair.auc:.0f} of 100 comparisons for {pair.text}, {100 * pair.auc_against:.0f} for "
        f"{pair.against}, difference {signed_span(100 * pair.auc_low, 100 * pair.auc_high, 0)}{besides})"
    )


BETTER_TEXT = Claim[TextPair](
    id="consistency.better-text",
    says="One text tells its terms apart better than another.",
    source="Bloem et al. 2019, table 1",
    rule=(
        "at equal samples the interval of the difference of AUC, over terms and runs, lies on one side of 0; few under "
        f"{FEWEST:g} terms in a text"
    ),
    judge=lambda pair: _side_of(pair, pair.auc_low, pair.auc_high),
    sentences={
        "higher": lambda pair: _apart(pair, f"{pair.text} tells its terms apart better than {pair.against}"),
        "lower": lambda pair: _apart(pair, f"{pair.against} tells its terms apart better than {pair.text}"),
        "open": lambda pair: _apart(
            pair,
            f"which of {pair.text} and {pair.against} tells its terms apart better cannot be told",
            ", which includes 0",
        ),
        "few": lambda pair: (
            f"{pair.text} and {pair.against} cannot be compared by so few terms; take {FEWEST:g} at least in each, "
            "better fifty"
        ),
    },
)


def _higher_cosine(pair: TextPair, higher: str) -> str:
    return (
        f"{higher} has the higher cosine ({_cosines(pair)}; of different terms {pair.null:.3f} and "
        f"{pair.null_against:.3f})"
    )


def _cosines(pair: TextPair) -> str:
    return (
        f"{pair.same:.3f} for {pair.text}, {pair.same_against:.3f} for {pair.against}, difference "
        f"{signed_span(pair.same_low, pair.same_high, 3)}"
    )


HIGHER_COSINE = Claim[TextPair](
    id="consistency.higher-cosine",
    says="One text has the higher cosine of samples of one term.",
    source="Bloem et al. 2019, table 1",
    rule=(
        "at equal samples the interval of the difference of cosines, over terms and runs, lies on one side of 0; few "
        f"under {FEWEST:g} terms in a text"
    ),
    judge=lambda pair: _side_of(pair, pair.same_low, pair.same_high),
    sentences={
        "higher": lambda pair: _higher_cosine(pair, pair.text),
        "lower": lambda pair: _higher_cosine(pair, pair.against),
        "open": lambda pair: (
            f"which has the higher cosine cannot be told{' either' if BETTER_TEXT.judge(pair) == 'open' else ''} "
            f"({_cosines(pair)})"
        ),
    },
)


def texts_compared(pair: TextPair) -> str:
    """Return how two texts compare by AUC and by cosine; a cosine that goes the other way is no better vector."""
    by_auc, by_cosine = BETTER_TEXT.judge(pair), HIGHER_COSINE.judge(pair)
    if by_auc == "few":
        return f"{BETTER_TEXT.sentence(pair)}."
    if "open" in (by_auc, by_cosine) or by_auc == by_cosine:
        return f"{BETTER_TEXT.sentence(pair)}; {HIGHER_COSINE.sentence(pair)}."
    higher = pair.text if by_cosine == "higher" else pair.against
    return (
        f"{BETTER_TEXT.sentence(pair)}. Yet {HIGHER_COSINE.sentence(pair)}: a higher cosine is what all contexts of "
        f"{higher} have in common, and no sign of better vectors."
    )


def verdict(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return the answer: how texts compare, what their samples tell apart, and what the cosine hides."""
    cases = of_cases(tables)
    sentences = of_each(TEXTS.of(tables), lambda rows: " ".join(map(texts_compared, rows)))
    sentences += [apart for apart, _ in cases]
    sentences += of_each(SPLIT.of(tables), lambda rows: HALVES_DIFFER.sentence(rows[0]))
    return [*sentences, *(raw for _, raw in cases)][:_MOST]


def of_cases(tables: Mapping[str, Table[Any]]) -> list[tuple[str, str]]:
    """Return for every background and text what its samples tell apart, and what the cosine hides."""
    raw, centred = (list(CONSISTENCY.rows(tables, model=model)) for model in (ADDITIVE, CENTRED))
    cases = []
    for row, middle in zip(raw, centred, strict=True):
        of = f"{row.group}: " if len(raw) > 1 else ""
        cases.append((of + TOLD_APART.sentence(row), of + MOSTLY_COMMON.sentence(Sums(row, middle))))
    return cases


def of_each(table: Table[R], says: Callable[[list[R]], str]) -> list[str]:
    """Return a sentence on the rows of every background and text, with its name where they are several."""
    parts = table.split("group")
    return [(f"{group}: " if len(parts) > 1 else "") + says(list(part.rows())) for group, part in parts]
