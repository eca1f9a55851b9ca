"""What the thesis states of losses, techniques and word frequency, §2.3, and whether these runs show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.instability.frequency import TRENDS, Trend
from gpustab.studies.instability.losses import EXTRINSIC, LOSSES, Loss
from gpustab.studies.instability.subsets import HOW_MANY, REDUCED_PIP
from gpustab.studies.instability.technique import SAME_RUNS
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

VARIES = Margin(0.04, "largest relative SD of the loss over pairs: the thesis' table 2.8 has 0.0002 to 0.037 of it")
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
        """The interval in percent."""
        low, high = self.interval
        return f"[{shown(low, '.2%')}, {shown(high, '.2%')}]"


HARDLY_VARY = Claim[Spread](
    id="instability.losses-hardly-vary",
    says="Losses hardly vary between pairs, {sampling}",
    source="2.3, 1",
    rule=f"interval of the SD below {VARIES:.0%}, the largest of the thesis' table 2.8",
    judge=lambda spread: decide(spread.interval, 0, VARIES),
)
TWO_RUNS_SUFFICE = Claim[Spread](
    id="instability.two-runs-suffice",
    says="Two runs suffice to measure the instability of a technique",
    source="2.3, 1",
    rule=f"interval of that SD below {ONE_PAIR:.0%}: one pair is within {2 * ONE_PAIR:.0%}, 19 times in 20",
    judge=lambda spread: decide(spread.interval, 0, ONE_PAIR),
    sentences={
        "yes": f"the PIP loss of one pair of runs is within {200 * ONE_PAIR:g} % of that of many pairs, 19 times in 20",
        "no": f"the PIP loss of one pair of runs may well be more than {200 * ONE_PAIR:g} % off that of many pairs",
    },
)
GLOVE_ALIKE = Claim[Estimate | None](
    id="instability.glove-fixed-is-shuffled",
    says="GloVe: fixed and shuffled do not differ",
    source="2.3, 2",
    rule=f"95 % interval of the difference within ±{EQUIVALENT:.0%} of the loss",
    judge=lambda difference: "no test" if difference is None else within(difference, -EQUIVALENT, EQUIVALENT),
)
EXTRINSIC_PART = Claim[Estimate](
    id="instability.extrinsic-part",
    says="Bootstrap runs differ more than shuffled ones: an extrinsic part",
    source="2.3, 3",
    rule="95 % interval of I² above 0",
    judge=lambda square: above(square, 0),
)
WITH_CORPUS_SIZE = Claim[None](
    id="instability.extrinsic-with-corpus-size",
    says="The extrinsic instability falls with corpus size and rises with vocabulary size",
    source="2.3, 4",
    rule="wants several corpora",
    judge=lambda _: "no test",
)
ORDER_OF_TECHNIQUES = Claim[Sequence[Estimate]](
    id="instability.order-of-techniques",
    says="{sampling}: {order}",
    source="2.3, 2",
    rule="95 % interval of each step above 0; no if one is below",
    judge=rising,
)


def of_spaces(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the losses between spaces tell of each technique."""
    losses = {(row.technique, row.sampling): row for row in LOSSES.rows(tables)}
    for (technique, sampling), row in losses.items():
        spread = Spread(row.relative_sd, row.runs)
        shows = (
            f"SD {shown(spread.sd, '.2%')} of the loss {spread.span}; of one word "
            f"{shown(row.word_relative_sd, '.1%')}, as of χ with {shown(row.word_degrees_of_freedom, '.0f')} degrees "
            f"of freedom, not {row.words:,}"
        )
        yield HARDLY_VARY.observed(spread, technique, shows, sampling=sampling)
    yield from _of_two_runs(tables)
    yield from _of_fixed_glove(tables, losses)
    for part in EXTRINSIC.rows(tables):
        square = Estimate.of_runs(part.signed_square, part.square_se, part.runs)
        shows = f"I² = {square.text()}; {part.negative_words} words negative"
        yield EXTRINSIC_PART.observed(square, part.technique, shows)
    yield WITH_CORPUS_SIZE.observed(None, "", "one corpus")


def _of_two_runs(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether one pair of runs says how unstable a technique is: by the SD of losses over pairs of new runs."""
    sizes = {row.technique: row.runs for row in HOW_MANY.rows(tables, quantity=REDUCED_PIP)}
    for row in HOW_MANY.rows(tables, quantity=REDUCED_PIP, runs=2):
        spread = Spread(row.subsampling, sizes[row.technique])
        shows = (
            f"the loss of one pair of runs scatters by {shown(spread.sd, '.2%')} of the mean over new runs "
            f"{spread.span}"
        )
        yield TWO_RUNS_SUFFICE.observed(spread, row.technique, shows)


def _of_fixed_glove(tables: Mapping[str, Table], losses: Mapping[tuple[str, str], Loss]) -> Iterator[Observation]:
    fixed, shuffled = losses.get(("glove", "fixed")), losses.get(("glove", "shuffled"))
    same = {(row.first, row.second) for row in SAME_RUNS.rows(tables, technique="glove")}
    if not shuffled:
        return
    difference = None
    if not fixed:
        shows = "no fixed runs"
    elif same & {("fixed", "shuffled"), ("shuffled", "fixed")}:
        shows = "fixed and shuffled runs are the same runs, bit for bit: no test"
    else:
        difference = fixed.loss.minus(shuffled.loss).over(shuffled.reduced_pip)
        shows = (
            f"{fixed.loss.text('.5f')}, {shuffled.loss.text('.5f')}: {shown(difference.value, '+.1%')} ± "
            f"{shown(difference.half, '.1%')}"
        )
    yield GLOVE_ALIKE.observed(difference, "glove", shows)


def of_orders(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether techniques have the thesis' order, from stable to unstable."""
    losses = {(row.technique, row.sampling): row for row in LOSSES.rows(tables)}
    for sampling, order in _ORDERS.items():
        there = [losses[name, sampling] for name in order if (name, sampling) in losses]
        if len(there) > 1:
            shows = ", ".join(f"{row.technique} {row.loss.text('.5f')}" for row in there)
            names = " < ".join(AS_IN_THESIS[row.technique] for row in there)
            losses_in_order = [row.loss for row in there]
            yield ORDER_OF_TECHNIQUES.observed(losses_in_order, "", shows, sampling=sampling, order=names)


class Rivals(NamedTuple):
    """The two techniques whose runs of one sampling differ least."""

    sampling: str
    first: str
    second: str
    loss: Estimate
    other: Estimate

    @property
    def values(self) -> str:
        """Both losses, for a sentence."""
        return f"(reduced PIP loss: {self.first} {self.loss.text()}, {self.second} {self.other.text()})"


MOST_STABLE = Claim[Rivals](
    id="instability.most-stable",
    says="One technique is the most stable",
    rule="95 % interval of the difference of the two smallest losses above 0",
    # The two lowest of several equal losses differ by less than two that were named before: verdicts are as often false
    # as those of one comparison, at most.
    judge=lambda x: "first" if x.other.minus(x.loss).interval[0] > 0 else "open",
    sentences={
        "first": lambda x: f"Of {x.sampling} runs, those of {x.first} differ least {x.values}.",
        "open": lambda x: (
            f"Which of {x.first} and {x.second} is the more stable cannot be told from these {x.sampling} runs "
            f"{x.values}."
        ),
    },
)


def _flat(trend: Trend, margin: Margin) -> Verdict:
    """If the fitted change is small, and no batch of words stands out that a line cannot see."""
    verdict = decide((trend.low, trend.high), -margin, margin)
    if verdict == "yes" and not trend.batch_deviation <= margin:
        return "undecided"
    if verdict == "no" and not _batches_agree(trend):
        return "undecided"
    return verdict


def _falling(trend: Trend) -> Verdict:
    """If both the fitted line and the batches fall; a line through a hump decides nothing."""
    verdict = decide((trend.low, trend.high), -math.inf, 0)
    return verdict if _batches_agree(trend) else "undecided"


def _batches_agree(trend: Trend) -> bool:
    """Whether the batches rise or fall for certain, as the line does."""
    return bool(trend.batch_p < BATCHES_P and trend.batch_correlation * trend.change > 0)


def _by(row: Trend) -> str:
    return f"by {row.change:+.0%} ({row.low:+.0%} to {row.high:+.0%})"


INTRINSIC_FLAT = Claim[Trend](
    id="instability.intrinsic-flat",
    says="The intrinsic instability hardly depends on frequency",
    source="2.3.1, 2",
    rule=f"95 % interval of the change within ±{FLAT_INTRINSIC:.0%}, and no batch farther off the mean",
    judge=partial(_flat, margin=FLAT_INTRINSIC),
    sentences={
        "yes": lambda row: (
            f"From rare words to frequent ones, what another training changes differs {_by(row)}, which is small "
            f"(within {FLAT_INTRINSIC:.0%})."
        ),
        "no": lambda row: (
            f"From rare words to frequent ones, what another training changes {'grows' if row.change > 0 else 'falls'}:"
            f" {_by(row)}."
        ),
        "undecided": lambda row: (
            ""
            if math.isnan(row.change)
            else "Whether another training moves rare words more than frequent ones cannot be told: they differ "
            f"{_by(row)}."
        ),
    },
)
EXTRINSIC_FALLS = Claim[Trend](
    id="instability.extrinsic-falls",
    says="The extrinsic instability of word-based techniques falls with frequency",
    source="2.3.1, 3",
    rule=f"95 % interval of the change of J² below 0, and ρ over the batches too with p < {BATCHES_P}",
    judge=_falling,
)
EXTRINSIC_FLAT = Claim[Trend](
    id="instability.extrinsic-flat",
    says="The extrinsic instability of fastText does not depend on frequency",
    source="2.3.1, 4",
    rule=f"95 % interval of the change within ±{FLAT_EXTRINSIC:.0%}, and no batch farther off the mean",
    judge=partial(_flat, margin=FLAT_EXTRINSIC),
)
CURVES_DIFFER = Claim[None](
    id="instability.curves-over-frequency",
    says="Curves over frequency differ between techniques and agree between languages",
    source="2.3.1, 1",
    rule="wants several languages",
    judge=lambda _: "no test",
)


def of_frequency(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the trends over word frequency tell."""
    frequent = {
        (row.technique, row.quantity): f"; of words with {row.least_frequency} or more {shown(row.change, '+.1%')}"
        for row in TRENDS.rows(tables)
        if row.least_frequency
    }
    for row in TRENDS.rows(tables, least_frequency=0):
        shows = (
            f"{shown(row.change, '+.1%')} [{shown(row.low, '+.1%')}, {shown(row.high, '+.1%')}] from rare to frequent; "
            f"20 batches: ρ = {shown(row.batch_correlation, '+.2f')}, p = {shown(max(row.batch_p, 1e-16), '.0g')}, "
            f"one of them off the mean by {shown(row.batch_deviation, '.0%')} or more"
        ) + frequent.get((row.technique, row.quantity), "")
        if row.quantity == "intrinsic":
            yield INTRINSIC_FLAT.observed(row, row.technique, shows)
        elif row.technique in WORD_BASED:
            yield EXTRINSIC_FALLS.observed(row, row.technique, shows)
        elif row.technique == "fasttext":
            yield EXTRINSIC_FLAT.observed(row, row.technique, shows)
    yield CURVES_DIFFER.observed(None, "", "one corpus")
