"""Which neighbours hold: a verdict for each by a rule with a margin and an error, and the sentence on the word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.statistics.intervals import wilson
from gpustab.studies.shared.claims import NOISY, NOISY_RUNS, Claim, Margin, too_noisy
from gpustab.studies.shared.wording import word as in_words

FIRM, PASSING, OPEN = "firm", "passing", "open"
LEAST_RUNS = Margin(5, "runs below which no neighbour is judged")
"""At 4 runs *firm* is right in 0.81 to 0.88 of the cases, at 5 in 0.95, at 10 in 0.99."""
OFTEN = Margin(0.8, "share of the runs, and probability by the cosines, from which a neighbour may be firm")
SELDOM = Margin(0.2, "share of the runs, and probability by the cosines, up to which a neighbour is passing")
HALF = Margin(0.5, "end of the 95 % interval of the share: above it a neighbour may be firm, below it it is passing")
RULE = (
    "Firm: in the list of at least 80 % of the runs, ahead of the next word with probability 0.8 by its cosines, and "
    "the 95 % interval of its share lies above one half. Passing: the interval lies below one half, or share and "
    "probability are at most 20 %. Open: neither can be told from so many runs; five are needed, and ten where two "
    "runs share less than 40 % of a list. Runs that lack the neighbour count: it is not in their lists."
)


class Hits(NamedTuple):
    """In how many runs a word is a neighbour.

    Attributes:
        hits: runs that have the word among the nearest.
        runs: runs that have the query. One that lacks the neighbour does not have it in its list.
        margin: probability ``Φ(m̄ / s)`` that it is nearer than the first word outside the list.
        p: p@n of the query, mean over the pairs of runs; NaN of one run.
    """

    hits: int
    runs: int
    margin: float
    p: float


def _judge(word: Hits) -> str:
    if word.runs < LEAST_RUNS or too_noisy(word.p, word.runs):
        return OPEN
    (low, high), share = wilson(word.hits, word.runs), word.hits / word.runs
    if share >= OFTEN and word.margin >= OFTEN and low >= HALF:
        return FIRM
    if high < HALF or (share <= SELDOM and word.margin <= SELDOM):
        return PASSING
    return OPEN


HOLDS = Claim[Hits](
    id="neighbours.holds",
    says="A word is a neighbour in most runs.",
    source="Antoniak & Mimno 2018, §7",
    rule=RULE,
    judge=_judge,
)


def verdict(hits: int, runs: int, margin: float, p: float) -> str:
    """Return whether a word is a neighbour in most runs: firm, passing, or open; see :class:`Hits`.

    >>> verdict(9, 10, 0.95, 0.6), verdict(1, 10, 0.1, 0.6), verdict(5, 10, 0.5, 0.6), verdict(4, 4, 1.0, 0.6)
    ('firm', 'passing', 'open', 'open')
    >>> verdict(5, 5, 1.0, 0.6), verdict(5, 5, 1.0, 0.2)
    ('firm', 'open')
    """
    return HOLDS.judge(Hits(hits, runs, margin, p))


def margin(mean: float, sd: float) -> float:
    """Return the probability that a word is nearer than the first one outside the list, from R margins.

    >>> round(margin(0.02, 0.02), 3), margin(0.01, 0.0), margin(-0.01, 0.0)
    (0.841, 1.0, 0.0)
    """
    if math.isnan(mean) or math.isnan(sd) or sd == 0:
        return math.nan if math.isnan(mean) or math.isnan(sd) else float(mean > 0)
    return 0.5 * math.erfc(-mean / sd / math.sqrt(2))


class Judged(NamedTuple):
    """The neighbours of a word.

    Attributes:
        query: the word.
        n: how many are listed.
        listed: of each, in how many runs it is a neighbour, of how many, and its verdict.
        runs: runs that judge.
        kind: what these are, ``"bootstrap runs"`` or ``"runs"``.
        p: p@n of the query.
    """

    query: str
    n: int
    listed: Sequence[tuple[int, int, str]]
    runs: int
    kind: str
    p: float

    @property
    def needed(self) -> int:
        """How many runs judge a neighbour."""
        return int(LEAST_RUNS if self.p >= NOISY else NOISY_RUNS)

    @property
    def nearest(self) -> str:
        """Of which words the sentence is."""
        return f"Of the {in_words(self.n)} nearest words of {self.query}"

    @property
    def firm(self) -> list[tuple[int, int]]:
        """In how many runs each firm neighbour is, and of how many."""
        return [(hits, of) for hits, of, verdict in self.listed if verdict == FIRM]

    @property
    def others(self) -> str:
        """How many are not firm."""
        passing = sum(verdict == PASSING for *_, verdict in self.listed)
        others = f"{in_words(passing)} passing, {in_words(len(self.listed) - len(self.firm) - passing)} open"
        lacking = self.n - len(self.listed)
        return f"{others}, {in_words(lacking)} not in these runs" if lacking > 0 else others


def _some_firm(judged: Judged) -> str:
    firm = judged.firm
    hits, of = min(firm, key=lambda x: x[0] / x[1])
    low, high = wilson(hits, of)
    each = "is" if len(firm) == 1 else "are"
    least = "" if len(firm) == 1 or hits == of else "at least "
    return (
        f"{judged.nearest}, {in_words(len(firm))} {each} there in {least}{in_words(hits)} of {in_words(of)} "
        f"{judged.kind} ({100 * low:.0f}–{100 * high:.0f} %); {judged.others}."
    )


def _wanted(judged: Judged) -> str:
    if judged.p >= NOISY:
        return "five are needed, better ten"
    return f"two of them share {judged.p:.0%} of a list, and of so noisy lists ten are needed"


def some_hold(verdicts: Sequence[str]) -> str:
    """Return yes if a neighbour is firm, no if all are passing; what is open may hold, so that it is no *no*.

    >>> some_hold(["firm", "open"]), some_hold(["open", "passing"]), some_hold(["passing", "passing"])
    ('yes', 'undecided', 'no')
    """
    return "yes" if FIRM in verdicts else "no" if {*verdicts} == {PASSING} else "undecided"


def _none_firm(judged: Judged) -> str:
    return f"{judged.nearest} none is firm in these {judged.runs} {judged.kind}; {judged.others}."


SOME_HOLD = Claim[Judged](
    id="neighbours.some-hold",
    says="Some neighbours of the word hold.",
    source="Antoniak & Mimno 2018, §7",
    rule=(
        f"one of them is firm; no if all are passing; no test below {LEAST_RUNS:g} runs, and below {NOISY_RUNS:g} "
        f"where p@n is below {NOISY:g}"
    ),
    judge=lambda x: "no test" if x.runs < x.needed else some_hold([verdict for *_, verdict in x.listed]),
    sentences={
        "yes": _some_firm,
        "no": _none_firm,
        "undecided": _none_firm,
        "no test": lambda x: f"{x.nearest} none can be judged by {x.runs} {x.kind}: {_wanted(x)}.",
    },
)
