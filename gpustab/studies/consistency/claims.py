"""What the study claims of a text, its halves, and several texts; each claim has a rule with an interval, and margins.

How often the rules err, at 5 to 60 terms and 1 to 16 runs of the background: ``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.tables import Grouped, ModelNumbers, Split, TextPair, as_cosine
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import capital, difference_span, listed, signed_span, the_runs, word

FEWEST = Margin(
    3, "terms of a verdict, which a jackknife needs: of 3 to 16, 1 to 3 % of draws without a difference get one"
)
CHANCE = Margin(0.5, "AUC by chance: a pair of one term has the larger cosine as often as one of two terms")
NEAR = Margin(0.55, "AUC that is as good as none: of twenty comparisons one more than by chance")
TWICE = Margin(2, "times that one of two standard errors, both estimates, is as large as the other to be called larger")
GROUPED_FEWEST = Margin(8, "terms with a group, below which nothing is said of groups")
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
        "Made-up words in random sentences of the same documents reach "
        f"{100 * (row.documents_auc or 0.0):.0f} (difference {difference_span(100 * low, 100 * high, 0)})."
    )


TOLD_APART = Claim[ModelNumbers](
    id="consistency.told-apart",
    says="The text distinguishes its terms.",
    source="Bloem et al. 2019, section 3",
    rule=(
        f"apart: the interval of the AUC over terms lies above {CHANCE:g}, and the AUC is surely above that of made-up "
        "words in other sentences of the same documents, if there are any. Documents: only the first holds. Alike: the "
        f"interval of the AUC lies below {NEAR:g}. Few: under {FEWEST:g} terms"
    ),
    judge=_told_apart,
    sentences={
        "few": lambda row: (
            f"{counted(row.terms, 'term', 'is/are')} too few to say whether the text distinguishes its terms "
            f"(cosine {as_cosine(row.same)} against {as_cosine(row.null)}). Take at least {word(int(FEWEST))}, better "
            "fifty."
        ),
        "apart": lambda row: (
            f"The text distinguishes its terms {_often(row)} ({_span(row)}; by chance {100 * CHANCE:.0f}). In these, "
            "two samples of one term are more alike than samples of two terms."
            + (f" {_of_documents(row)}" if row.beyond_low is not None else "")
        ),
        "documents": lambda row: (
            f"The text may distinguish only its documents, not its terms. Two samples of one term are more alike than "
            f"samples of two terms {_often(row)} ({_span(row)}). {_of_documents(row)}"
        ),
        "alike": lambda row: (
            "The text does not distinguish its terms. Two samples of one term are more alike than samples of two "
            f"terms {_often(row)} ({_span(row)}; by chance {100 * CHANCE:.0f})."
        ),
        "open": lambda row: (
            f"{counted(row.terms, 'term', 'is/are')} too few to say whether the text distinguishes its terms. "
            f"Two samples of one term are more alike than samples of two terms {_often(row)} ({_span(row)}; by chance "
            f"{100 * CHANCE:.0f}). Take more terms."
        ),
    },
    paper=(
        "Bloem and others found the second vector of a term among all background words almost perfectly (section 3). "
        "They did not compare two terms of a text"
    ),
    here={
        "few": "there are too few terms to compare",
        "apart": lambda row: f"the text distinguishes its terms {_often(row)}",
        "documents": "the text may distinguish only its documents",
        "alike": "the text does not distinguish its terms",
        "open": "these terms are too few to decide",
    },
)


def _errors(row: ModelNumbers) -> tuple[float, float]:
    """The standard error of the mean AUC over the trainings of the background, and over terms."""
    half = (row.auc_high - row.auc_low) / 2
    return (row.auc_sd or 0.0) / math.sqrt(row.runs), half / t_quantile(row.terms - 1)


def _surer(row: ModelNumbers) -> str:
    if row.runs < 2:
        return "one"
    if row.terms < FEWEST:
        return "few"
    trainings, terms = _errors(row)
    if terms > TWICE * trainings:
        return "terms"
    return "trainings" if trainings > TWICE * terms else "both"


def _unsure(row: ModelNumbers, surer: str) -> str:
    trainings, terms = _errors(row)
    return (
        f"{surer} The standard error of the AUC is {number(trainings, 2)} over {row.runs} trainings of the background, "
        f"and {number(terms, 2)} over terms."
    )


SURER = Claim[ModelNumbers](
    id="consistency.surer",
    says="More terms, or more trainings of the background, make the AUC more certain.",
    rule=(
        f"one of its two standard errors, over terms and over trainings, is more than {TWICE:g} times the other. No "
        f"verdict with one training or under {FEWEST:g} terms"
    ),
    judge=_surer,
    sentences={
        "one": "One training of the background cannot show how much another training would change.",
        "terms": lambda row: _unsure(row, "Take more terms to make the AUC more certain; more trainings hardly help."),
        "trainings": lambda row: _unsure(row, "Train the background more often to make the AUC more certain."),
        "both": lambda row: _unsure(row, "Take more terms and more trainings to make the AUC more certain."),
    },
)


def _groups_nearer(row: Grouped) -> str:
    if row.terms < GROUPED_FEWEST:
        return "few"
    if row.low > CHANCE:
        return "nearer" if row.compared is None or (row.beyond_low or 0.0) > 0 else "documents"
    return "no" if row.high < NEAR else "open"


_SEES = {
    "nearer": "{who} put{s} terms of one group nearer than terms of two in {often}",
    "documents": "{who} may know only the documents of a group: its terms are nearer than terms of two in {often}",
    "no": "{who} do{es} not see the groups: they are nearer in {often}",
    "open": "These terms are too few to say whether {who} see{s} the groups: they are nearer in {often}",
    "few": "{who} cannot be judged by groups: {terms} a group of two or more, and the test needs {fewest:.0f}.",
}
"""What is said of models of one verdict."""


def of_groups(rows: Sequence[Grouped]) -> str:
    """Return what is said of models of one verdict, once for all of them."""
    often = [f"{100 * row.auc:.0f} ({100 * max(row.low, 0):.1f}–{100 * min(row.high, 1):.1f})" for row in rows]
    said = _SEES[_groups_nearer(rows[0])].format(
        who=listed([row.model for row in rows]),
        s="s" if len(rows) == 1 else "",
        es="es" if len(rows) == 1 else "",
        often=f"{listed(often)} of 100 comparisons.",
        terms=counted(rows[0].terms, "term", "has/have"),
        fewest=GROUPED_FEWEST,
    )
    if rows[0].terms < GROUPED_FEWEST:
        return capital(said)
    ways = dict.fromkeys((row.compared, row.documents_auc is None) for row in rows)
    parts = [[row for row in rows if (row.compared, row.documents_auc is None) == way] for way in ways]
    return " ".join([capital(said), *(_of_made_up(part, among=len(parts)) for part in parts)])


def _of_made_up(rows: Sequence[Grouped], among: int) -> str:
    """What made-up words reach by models that have equally many of them; the models are named if there are others."""
    row, by = rows[0], f" by {listed([row.model for row in rows])}" if among > 1 else ""
    if row.compared is None:
        return f"There are no made-up words of the same documents to compare them with{by}."
    of = "" if row.compared == row.terms else f" of {counted(row.compared, 'term', of=row.terms)}"
    if row.documents_auc is None:
        return f"Made-up words{of} have sentences in the same documents{by}, too few to compare."
    reach = [
        f"{100 * (row.documents_auc or 0.0):.0f} (difference "
        f"{signed_span(100 * (row.beyond_low or 0.0), 100 * (row.beyond_high or 0.0), 0)})"
        for row in rows
    ]
    return f"Made-up words{of} in the same documents, dealt into the same groups, reach {listed(reach)}{by}."


GROUPS_NEARER = Claim[Grouped](
    id="consistency.groups-nearer",
    says="Terms of one group are nearer than terms of two groups.",
    rule=(
        f"nearer: the interval over terms of the AUC of pairs of one group against pairs of two lies above {CHANCE:g}. "
        "The AUC is also surely above that of made-up words in other sentences of these documents, if there are any. "
        "These two are of terms where both have a vector. "
        f"Documents: only the first holds, or fewer than {GROUPED_FEWEST:g} terms can be compared so. "
        f"No: the interval lies below {NEAR:g}. Few: under {GROUPED_FEWEST:g} terms"
    ),
    judge=_groups_nearer,
    sentences=dict.fromkeys(_SEES, lambda row: of_groups([row])),
)


class TrainedOn(NamedTuple):
    """A text, and of several backgrounds, or of the only one, those that were trained on it."""

    text: str
    names: Sequence[str]
    several: bool


def _trained_on(it: TrainedOn) -> str:
    one = len(it.names) == 1
    named = f", {listed([the_runs(name) for name in it.names])}," if it.several else ""
    which = ("background", "was", "Its") if one else ("backgrounds", "were", "Their")
    return (
        f"The {which[0]}{named} {which[1]} trained on {it.text} itself. {which[2]} vectors know the very sentences "
        "that the terms are learned from. So this page says nothing about terms of a new text. Take a background of "
        "other texts."
    )


TRAINED_ON = Claim[TrainedOn](
    id="consistency.trained-on",
    says="The background was trained on the text itself.",
    rule="the run set records the digest of its corpus; the text, read as for the training, has the same digest",
    judge=lambda it: "yes" if it.names else "no",
    sentences={"yes": _trained_on},
)
"""Said once of a text, whatever the number of backgrounds."""


def _halves(row: Split) -> str:
    what = "of the documents" if row.permuted == "documents" else "of blocks of neighbouring sentences"
    return (
        f"Their cosine is {as_cosine(row.halves)}, that of random halves {what} {as_cosine(row.random)}. "
        f"{percent(row.p)} of random halves are at least as unlike (p"
    )


HALVES_DIFFER = Claim[Split](
    id="consistency.halves-differ",
    says="The two halves of a text use its terms differently.",
    source="Bloem et al. 2019, table 1",
    rule=(
        f"at most {percent(P_VALUE)} of the random halves of its documents are as unlike. A text of one document is "
        "halved by blocks of neighbouring sentences. No test of two to nine documents"
    ),
    judge=lambda row: "no test" if math.isnan(row.p) else "differ" if row.p <= P_VALUE else "open",
    sentences={
        "differ": lambda row: f"The two halves use the terms differently. {_halves(row)} ≤ {percent(P_VALUE)}).",
        "open": lambda row: (
            f"These halves do not show a different use of the terms. {_halves(row)} > {percent(P_VALUE)})."
        ),
        "no test": lambda row: (
            f"The halves are not compared: {row.permuted} are too few for random halves. Give ten documents or more, "
            "such as chapters, or the whole text as one."
            if row.permuted not in ("documents", "blocks")
            else "The halves are not compared: no term has enough sentences in both."
        ),
    },
    paper=(
        "Bloem and others found that the halves of one book are less alike than random samples of another size (0.907, "
        "0.935), and those of another book more (0.938, 0.919; table 1)"
    ),
    here={
        "differ": "the halves are less alike than random halves",
        "open": "the halves may be as alike as random halves",
        "no test": "the halves are not compared with random halves",
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


def _apart(pair: TextPair, says: str) -> str:
    span = difference_span(100 * pair.auc_low, 100 * pair.auc_high, 0)
    return (
        f"{says}. A term's own second vector is nearer than another term's in {100 * pair.auc:.0f} of 100 comparisons "
        f"for {pair.text}, and in {100 * pair.auc_against:.0f} for {pair.against} (difference {span}; "
        f"{counted(pair.words, 'context word')} a sample)"
    )


BETTER_TEXT = Claim[TextPair](
    id="consistency.better-text",
    says="One text distinguishes its terms better than another.",
    rule=(
        "for samples of equal size, the interval of the difference of AUC, over terms and runs, lies on one side of 0. "
        f"Few: under {FEWEST:g} terms in a text"
    ),
    judge=lambda pair: _side_of(pair, pair.auc_low, pair.auc_high),
    sentences={
        "higher": lambda pair: _apart(pair, f"{pair.text} distinguishes its terms better than {pair.against}"),
        "lower": lambda pair: _apart(pair, f"{pair.against} distinguishes its terms better than {pair.text}"),
        "open": lambda pair: _apart(
            pair, f"These terms are too few to say whether {pair.text} or {pair.against} distinguishes its terms better"
        ),
        "few": lambda pair: (
            f"{pair.text} and {pair.against} have too few terms to compare. Take at least {word(int(FEWEST))} in each, "
            "better fifty"
        ),
    },
)


def _higher_cosine(pair: TextPair, higher: str) -> str:
    return (
        f"{higher} has the higher cosine ({_cosines(pair)}; different terms {pair.null:.3f} and "
        f"{pair.null_against:.3f})"
    )


def _cosines(pair: TextPair) -> str:
    return (
        f"{pair.same:.3f} for {pair.text}, {pair.same_against:.3f} for {pair.against}, difference "
        f"{difference_span(pair.same_low, pair.same_high, 3)}"
    )


def _better_by_auc(pair: TextPair) -> str:
    better = {"higher": pair.text, "lower": pair.against}.get(BETTER_TEXT.judge(pair))
    return f"and {better} distinguishes its terms better" if better else "and the comparison of terms is open"


HIGHER_COSINE = Claim[TextPair](
    id="consistency.higher-cosine",
    says="One text has the higher cosine of samples of one term.",
    source="Bloem et al. 2019, table 1",
    rule=(
        "for samples of equal size, the interval of the difference of cosines, over terms and runs, lies on one side "
        f"of 0. Few: under {FEWEST:g} terms in a text"
    ),
    judge=lambda pair: _side_of(pair, pair.same_low, pair.same_high),
    sentences={
        "higher": lambda pair: _higher_cosine(pair, pair.text),
        "lower": lambda pair: _higher_cosine(pair, pair.against),
        "open": lambda pair: (
            f"The cosines {'do not decide either' if BETTER_TEXT.judge(pair) == 'open' else 'may be equal'} "
            f"({_cosines(pair)})"
        ),
    },
    paper=(
        "Bloem and others found a higher cosine in the more homogeneous text: one philosopher 0.953, Wikipedia 0.927 "
        "(table 1)"
    ),
    here={
        "higher": lambda pair: f"{pair.text} has the higher cosine, {_better_by_auc(pair)}",
        "lower": lambda pair: f"{pair.against} has the higher cosine, {_better_by_auc(pair)}",
        "open": "the cosines of both texts may be equal",
        "few": "there are too few terms to compare",
    },
)


def texts_compared(pair: TextPair) -> str:
    """Return how two texts compare by AUC and by cosine; a cosine that goes the other way is no better vector."""
    by_auc, by_cosine = BETTER_TEXT.judge(pair), HIGHER_COSINE.judge(pair)
    if by_auc == "few":
        return f"{BETTER_TEXT.sentence(pair)}."
    if "open" in (by_auc, by_cosine) or by_auc == by_cosine:
        return f"{BETTER_TEXT.sentence(pair)}. {HIGHER_COSINE.sentence(pair)}."
    higher = pair.text if by_cosine == "higher" else pair.against
    return (
        f"{BETTER_TEXT.sentence(pair)}. Yet {HIGHER_COSINE.sentence(pair)}. That cosine shows what all contexts of "
        f"{higher} share, and no better vectors."
    )
