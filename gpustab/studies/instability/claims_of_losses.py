"""What the thesis states of losses, techniques and word frequency, §2.3, and whether these runs show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from gpustab.results import Table
from gpustab.results.page import counted, minus, number, percent
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.instability.frequency import TRENDS, TrendRow
from gpustab.studies.instability.losses import EXTRINSIC, LOSSES, Loss
from gpustab.studies.instability.subsets import HOW_MANY, REDUCED_PIP
from gpustab.studies.instability.technique import SAME_RUNS
from gpustab.studies.shared.chance import AT_CHANCE, at_chance, nothing_in_common
from gpustab.studies.shared.claims import (
    AS_IN_THESIS,
    WORD_BASED,
    Claim,
    Margin,
    Observation,
    Verdict,
    above,
    decide,
    rising,
    shown,
    within,
)
from gpustab.studies.shared.wording import change_by, change_span, difference_span, groups_in_words, with_error, word
from gpustab.studies.shared.wording import group_in_words as named

VARIES = Margin(0.04, "largest relative SD of the loss over pairs: the thesis' table 2.8 has 0.0008 to 0.037 of it")
ONE_PAIR = Margin(0.05, "SD of one pair's loss, as a part of the mean, up to which one pair is enough")
EQUIVALENT = Margin(0.05, "difference of two losses, as a part of the loss, that counts as none")
FLAT_INTRINSIC = Margin(0.2, "change of a loss from rare to frequent words up to which it hardly depends on frequency")
FLAT_EXTRINSIC = Margin(0.4, "the same of a squared loss: twice as much")
BATCHES_P = Margin(0.05, "p-value of the correlation over batches of words below which they rise or fall")

_ORDERS = {
    "fixed": ("sgns", "glove", "fasttext"),
    "shuffled": ("glove", "sgns", "fasttext"),
    "bootstrap": ("fasttext", "sgns", "glove"),
}
"""Table 2.9, from stable to unstable."""


class Spread(NamedTuple):
    """A relative SD over pairs of so many runs."""

    sd: float
    runs: int

    @property
    def interval(self) -> tuple[float, float]:
        """Of the SD, 95 %."""
        return sd_interval(self.sd, self.runs)

    @property
    def span(self) -> str:
        """The SD with its interval, in percent with two significant digits."""
        low, high = (number(100 * end, 2) for end in self.interval)
        return f"{number(100 * self.sd, 2)} % ({low}–{high} %)"


NOTHING_IN_COMMON = Claim[Loss](
    id="instability.nothing-in-common",
    says="Two runs are hardly more alike than unrelated spaces",
    rule=f"the 95 % interval of the loss lies above {percent(AT_CHANCE)} of that of unrelated spaces",
    judge=lambda row: at_chance(row.loss, row.chance),
    sentences={"yes": lambda row: nothing_in_common(f"two {row.sampling} runs", row.loss, row.chance)},
)
HARDLY_VARY = Claim[Spread](
    id="instability.losses-hardly-vary",
    says="Losses hardly vary between pairs of {sampling} runs",
    source="2.3, 1",
    paper="Rettenmeier found relative SDs of 0.08 to 3.7 % (table 2.8)",
    rule=f"the interval of the SD lies below {percent(VARIES)}, the largest one of the thesis' table 2.8",
    judge=lambda spread: decide(spread.interval, 0, VARIES),
)
TWO_RUNS_SUFFICE = Claim[Spread](
    id="instability.two-runs-suffice",
    says="Two runs suffice to measure the instability of a technique",
    source="2.3, 1",
    paper="Rettenmeier found two runs enough in most cases",
    rule=(
        f"the interval of the SD of one pair's loss lies below {percent(ONE_PAIR)}, so that one pair is within "
        f"{percent(2 * ONE_PAIR)}, 19 times in 20"
    ),
    judge=lambda spread: decide(spread.interval, 0, ONE_PAIR),
    sentences={
        "yes": f"the PIP loss of one pair of runs is within {percent(2 * ONE_PAIR)} of the mean, 19 times in 20",
        "no": f"the PIP loss of one pair of runs may be more than {percent(2 * ONE_PAIR)} off the mean",
    },
)
GLOVE_ALIKE = Claim[Estimate | None](
    id="instability.glove-fixed-is-shuffled",
    says="Fixed and shuffled runs of GloVe do not differ",
    source="2.3, 2",
    paper="Rettenmeier found no significant difference of the two in any language",
    rule=f"the 95 % interval of the difference lies within ±{percent(EQUIVALENT)} of the loss",
    judge=lambda difference: "no test" if difference is None else within(difference, -EQUIVALENT, EQUIVALENT),
)
EXTRINSIC_PART = Claim[Estimate](
    id="instability.extrinsic-part",
    says="Bootstrap runs differ more than shuffled runs",
    source="2.3, 3",
    paper="Rettenmeier found larger losses of bootstrap runs for every technique and language (table 2.8)",
    rule="the 95 % interval of I², the square of the extrinsic instability, lies above 0",
    judge=lambda square: above(square, 0),
)
ORDER_OF_TECHNIQUES = Claim[Sequence[Estimate]](
    id="instability.order-of-techniques",
    says="Losses of {sampling} runs rise in this order: {order}",
    source="2.3, 2",
    paper="Rettenmeier found this order in all seven languages (table 2.9)",
    rule="the 95 % interval of each step lies above 0; no if one lies below, as one of so many",
    judge=rising,
)


def of_spaces(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the losses between spaces tell of each technique."""
    losses = {(row.technique, row.sampling): row for row in LOSSES.rows(tables)}
    for (technique, sampling), row in losses.items():
        spread = Spread(row.relative_sd, row.runs)
        yield HARDLY_VARY.observed(spread, technique, f"SD {spread.span} of the loss", sampling=sampling)
    yield from _of_two_runs(tables)
    yield from _of_fixed_glove(tables, losses)
    for part in EXTRINSIC.rows(tables):
        square = Estimate.of_runs(part.signed_square, part.square_se, part.runs)
        shows = f"I² = {with_error(square)}; I² is negative for {counted(part.negative_words, 'word')}"
        yield EXTRINSIC_PART.observed(square, part.technique, shows)


def _of_two_runs(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether one pair of runs says how unstable a technique is: by the SD of losses over pairs of new runs."""
    sizes = {row.technique: row.runs for row in HOW_MANY.rows(tables, quantity=REDUCED_PIP)}
    for row in HOW_MANY.rows(tables, quantity=REDUCED_PIP, runs=2):
        spread = Spread(row.subsampling, sizes[row.technique])
        yield TWO_RUNS_SUFFICE.observed(spread, row.technique, f"SD of one pair's loss {spread.span} of the mean")


def _of_fixed_glove(tables: Mapping[str, Table], losses: Mapping[tuple[str, str], Loss]) -> Iterator[Observation]:
    fixed, shuffled = losses.get(("glove", "fixed")), losses.get(("glove", "shuffled"))
    same = {(row.first, row.second) for row in SAME_RUNS.rows(tables, technique="glove")}
    if not shuffled:
        return
    difference = None
    if not fixed:
        shows = "no fixed runs"
    elif same & {("fixed", "shuffled"), ("shuffled", "fixed")}:
        shows = "fixed and shuffled runs are the same runs, bit for bit"
    else:
        difference = fixed.loss.minus(shuffled.loss).over(shuffled.reduced_pip)
        shows = (
            f"fixed {with_error(fixed.loss)}, shuffled {with_error(shuffled.loss)}; difference "
            f"{change_by(difference.value, *difference.interval)}"
        )
    yield GLOVE_ALIKE.observed(difference, "glove", shows)


def of_orders(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether techniques have the thesis' order, from stable to unstable."""
    losses = {(row.technique, row.sampling): row for row in LOSSES.rows(tables)}
    for sampling, order in _ORDERS.items():
        there = [losses[name, sampling] for name in order if (name, sampling) in losses]
        if len(there) > 1:
            shows = ", ".join(f"{named(row.technique)} {with_error(row.loss)}" for row in there)
            names = " < ".join(AS_IN_THESIS[row.technique] for row in there)
            losses_in_order = [row.loss for row in there]
            yield ORDER_OF_TECHNIQUES.observed(losses_in_order, "", shows, sampling=sampling, order=names)


class Rivals(NamedTuple):
    """The two techniques whose runs of one sampling differ least, of so many techniques.

    Attributes:
        sampling: of the runs.
        first: whose loss is least.
        second: whose loss is next.
        loss: of the first.
        other: of the second.
        of: how many techniques there are.
        shared: p@n of the first.
        keeps: the technique whose runs share most neighbours; empty where that is not known.
        most: p@n of that.
        n: length of these lists.
    """

    sampling: str
    first: str
    second: str
    loss: Estimate
    other: Estimate
    of: int = 2
    shared: Estimate = Estimate(math.nan, math.nan, 1)
    keeps: str = ""
    most: Estimate = Estimate(math.nan, math.nan, 1)
    n: int = 10

    @property
    def values(self) -> str:
        """Both losses, for a sentence."""
        return f"reduced PIP loss {with_error(self.loss)} against {with_error(self.other)}"

    @property
    def more(self) -> tuple[float, float]:
        """How many more neighbours that technique keeps, as an interval."""
        low, high = self.most.minus(self.shared).interval
        return self.n * low, self.n * high

    @property
    def when(self) -> str:
        """What differs between the runs."""
        return {
            "bootstrap": "when documents are redrawn",
            "shuffled": "when documents are reordered",
            "fixed": "when only training is repeated",
        }.get(self.sampling, "over these runs")


def _most_stable(rivals: Rivals) -> str:
    first, second = groups_in_words([rivals.first]), named(rivals.second)
    if rivals.of > 2:
        return (
            f"{first} is the most stable of {word(rivals.of)} techniques {rivals.when}, before {second} "
            f"({rivals.values})."
        )
    return f"{first} is more stable than {second} {rivals.when} ({rivals.values})."


def _judge_rivals(rivals: Rivals) -> str:
    if not rivals.other.minus(rivals.loss).interval[0] > 0:
        return "open"
    return "measures disagree" if rivals.more[0] > 0 else "first"


MOST_STABLE = Claim[Rivals](
    id="instability.most-stable",
    says="One technique is the most stable",
    rule=(
        "the 95 % interval of the difference of the two smallest losses lies above 0. The measures disagree if another "
        "technique surely keeps more neighbours"
    ),
    # The two lowest of several equal losses differ by less than two that were named before: verdicts are as often false
    # as those of one comparison, at most.
    judge=_judge_rivals,
    sentences={
        "first": _most_stable,
        "measures disagree": lambda x: (
            f"The two measures disagree on which technique is the most stable {x.when}. By the cosines of all words "
            f"{named(x.first)} is ({x.values}). By nearest neighbours {named(x.keeps)} is: of {word(x.n)}, "
            f"{number(x.n * x.most.value, 2)} come back against {number(x.n * x.shared.value, 2)} (difference "
            f"{difference_span(*x.more)}). Name the measure when you report the result."
        ),
        "open": lambda x: (
            f"These runs are too few to say whether {named(x.first)} or {named(x.second)} is more stable {x.when} "
            f"({x.values})."
        ),
    },
)


def _flat(trend: TrendRow, margin: Margin) -> Verdict:
    """If the fitted change is small, and no batch of words stands out that a line cannot see."""
    verdict = decide((trend.low, trend.high), -margin, margin)
    if verdict == "yes" and not trend.batch_deviation <= margin:
        return "undecided"
    if verdict == "no" and not _batches_agree(trend):
        return "undecided"
    return verdict


def _falling(trend: TrendRow) -> Verdict:
    """If both the fitted line and the batches fall; a line through a hump decides nothing."""
    verdict = decide((trend.low, trend.high), -math.inf, 0)
    return verdict if _batches_agree(trend) else "undecided"


def _batches_agree(trend: TrendRow) -> bool:
    """Whether the batches rise or fall for certain, as the line does."""
    return bool(trend.batch_p < BATCHES_P and trend.batch_correlation * trend.change > 0)


def _span(row: TrendRow) -> str:
    return change_span(row.low, row.high)


INTRINSIC_FLAT = Claim[TrendRow](
    id="instability.intrinsic-flat",
    says="The intrinsic instability hardly depends on frequency",
    source="2.3.1, 2",
    paper="Rettenmeier found no change over frequency for GloVe and fastText, and one of less than 20 % for word2vec",
    rule=(
        f"the 95 % interval of the change lies within ±{percent(FLAT_INTRINSIC)}, and no batch of words is farther off "
        "the mean"
    ),
    judge=partial(_flat, margin=FLAT_INTRINSIC),
    sentences={
        "yes": lambda row: (
            f"Rare and frequent words are about equally stable ({percent(abs(row.change))} apart, interval "
            f"{_span(row)})."
        ),
        "no": lambda row: (
            f"The training noise {'rises' if row.change > 0 else 'falls'} by {percent(abs(row.change))} ({_span(row)}) "
            "from rare words to frequent ones."
        ),
        "undecided": lambda row: (
            ""
            if math.isnan(row.change)
            else "These runs are too few to say whether frequent words have less training noise than rare ones "
            f"({percent(abs(row.change))} {'more' if row.change > 0 else 'less'}, interval {_span(row)})."
        ),
    },
)
EXTRINSIC_FALLS = Claim[TrendRow](
    id="instability.extrinsic-falls",
    says="The extrinsic instability of word-based techniques falls with frequency",
    source="2.3.1, 3",
    paper="Rettenmeier found a fall over frequency for word2vec and GloVe",
    rule=f"the 95 % interval of the change of J² lies below 0, and so does ρ over the batches, with p < {BATCHES_P}",
    judge=_falling,
)
EXTRINSIC_FLAT = Claim[TrendRow](
    id="instability.extrinsic-flat",
    says="The extrinsic instability of fastText does not depend on frequency",
    source="2.3.1, 4",
    paper="Rettenmeier found no change over frequency for fastText",
    rule=(
        f"the 95 % interval of the change lies within ±{percent(FLAT_EXTRINSIC)}, and no batch of words is farther off "
        "the mean"
    ),
    judge=partial(_flat, margin=FLAT_EXTRINSIC),
)


def _moves(row: TrendRow) -> str:
    """Which way a quantity goes, and by how many percent."""
    return f"{'rises' if row.change > 0 else 'falls'} by {percent(abs(row.change))}"


def of_frequency(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the trends over word frequency tell."""
    frequent = {
        (row.technique, row.quantity): f"; of words with {row.least_frequency} or more {_moves(row)}"
        for row in TRENDS.rows(tables)
        if row.least_frequency
    }
    for row in TRENDS.rows(tables, least_frequency=0):
        shows = (
            f"{_moves(row)} ({_span(row)}) from rare to frequent words; over 20 batches "
            f"ρ = {minus(shown(row.batch_correlation, '.2f'))}, p = {shown(max(row.batch_p, 1e-16), '.0g')}, largest "
            f"deviation {percent(row.batch_deviation)} or more"
        ) + frequent.get((row.technique, row.quantity), "")
        if row.quantity == "intrinsic":
            yield INTRINSIC_FLAT.observed(row, row.technique, shows)
        elif row.technique in WORD_BASED:
            yield EXTRINSIC_FALLS.observed(row, row.technique, shows)
        elif row.technique == "fasttext":
            yield EXTRINSIC_FLAT.observed(row, row.technique, shows)
