"""What the study claims of a text, its halves, and several texts; each claim has a rule with an interval, and margins.

How often the rules err, at 5 to 60 terms and 1 to 16 runs of the background: ``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted
from gpustab.studies.consistency.tables import ModelNumbers, Split, TextPair, as_cosine
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed, signed_span

FEWEST = Margin(
    3, "terms of a verdict, which a jackknife needs: of 3 to 16, 1 to 3 % of draws without a difference get one"
)
CHANCE = Margin(0.5, "AUC by chance: a pair of one term has the larger cosine as often as one of two terms")
NEAR = Margin(0.55, "AUC that is as good as none: of twenty comparisons one more than by chance")
P_VALUE = Margin(0.05, "share of parts drawn at random that may be as unlike as halves that differ")


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
    paper=(
        "Bloem and others found the second vector of a term among all background words almost perfectly (section 3), "
        "and set no two terms of a text beside each other"
    ),
    here={
        "few": "there are too few terms to compare",
        "apart": lambda row: f"two terms are told apart {_often(row)}",
        "documents": "documents may be what is told apart, not terms",
        "alike": "terms are not told apart from each other",
        "open": "whether terms are told apart from each other is open",
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
    paper=(
        "Bloem and others found the halves of one book less alike than random samples of another size (0.907, 0.935), "
        "and those of another book more (0.938, 0.919; table 1)"
    ),
    here={
        "differ": "they are less alike than random halves",
        "open": "that they are less alike than random halves is not shown",
        "no test": "they are not compared with random halves",
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


def _better_by_auc(pair: TextPair) -> str:
    better = {"higher": pair.text, "lower": pair.against}.get(BETTER_TEXT.judge(pair))
    return f"and {better} tells its terms apart better" if better else "and which tells its terms apart better is open"


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
    paper=(
        "Bloem and others found the more homogeneous text more consistent by its cosine: one philosopher 0.953, "
        "Wikipedia 0.927 (table 1)"
    ),
    here={
        "higher": lambda pair: f"{pair.text} has the higher cosine, {_better_by_auc(pair)}",
        "lower": lambda pair: f"{pair.against} has the higher cosine, {_better_by_auc(pair)}",
        "open": "which text has the higher cosine is open",
        "few": "there are too few terms to compare",
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
