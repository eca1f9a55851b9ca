"""Which neighbours hold: a verdict for each by a rule with a margin and an error, and the sentence on the word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from gpustab.results import Column
from gpustab.results.page import percent
from gpustab.statistics.intervals import wilson
from gpustab.studies.shared.claims import MOST, NOISY, NOISY_RUNS, Claim, Margin, too_noisy
from gpustab.studies.shared.wording import capital, listed, quoted
from gpustab.studies.shared.wording import word as in_words

FIRM, PASSING, OPEN, UNJUDGED = "firm", "passing", "open", "not judged"
LEAST_RUNS = Margin(5, "runs below which no neighbour is judged")
"""At 4 runs *firm* is right in 0.81 to 0.88 of the cases, at 5 in 0.95, at 10 in 0.99."""
OFTEN = Margin(0.8, "share of the runs, and probability by the cosines, from which a neighbour may be firm")
SELDOM = Margin(0.2, "share of the runs, and probability by the cosines, up to which a neighbour is passing")
HALF = Margin(0.5, "end of the 95 % interval of the share: above it a neighbour may be firm, below it it is passing")
RULE = (
    "A word is firm if at least 80 % of the runs list it and the 95 % interval of this share lies above one half. Its "
    "cosines must also put it ahead of the next word with a probability of at least 80 %. A word is passing if the "
    "interval lies below one half, or if share and probability are both at most 20 %. Every other word is open. Words "
    f"are not judged by fewer than {in_words(int(LEAST_RUNS))} runs, or {in_words(int(NOISY_RUNS))} if two of them "
    f"share less than {percent(NOISY)} of a list. Runs that lack the neighbour count as runs that do not list it."
)


class Hits(NamedTuple):
    """In how many runs a word is a neighbour.

    Attributes:
        hits: runs that have the word among the nearest.
        runs: runs that have the query. One that lacks the neighbour does not have it in its list.
        margin: probability ``Φ(m̄ / s)`` that it is nearer than the first word outside the list.
        p: p@n of the query, mean over the pairs of runs; NaN of one run.
        chance: the same of unrelated runs.
    """

    hits: int
    runs: int
    margin: float
    p: float
    chance: float = 0.0


def _judge(word: Hits) -> str:
    if word.chance > MOST or word.runs < LEAST_RUNS or too_noisy(word.p, word.runs):
        return UNJUDGED
    (low, high), share = wilson(word.hits, word.runs), word.hits / word.runs
    if share >= OFTEN and word.margin >= OFTEN and low >= HALF:
        return FIRM
    if high < HALF or (share <= SELDOM and word.margin <= SELDOM):
        return PASSING
    return OPEN


HOLDS = Claim[Hits](id="neighbours.holds", says="A word is a neighbour in most runs.", rule=RULE, judge=_judge)


def verdict(hits: int, runs: int, margin: float, p: float) -> str:
    """Return whether a word is a neighbour in most runs: firm, passing, open, or not judged; see :class:`Hits`.

    >>> verdict(9, 10, 0.95, 0.6), verdict(1, 10, 0.1, 0.6), verdict(5, 10, 0.5, 0.6), verdict(4, 4, 1.0, 0.6)
    ('firm', 'passing', 'open', 'not judged')
    >>> verdict(5, 5, 1.0, 0.6), verdict(5, 5, 1.0, 0.2)
    ('firm', 'not judged')
    """
    return HOLDS.judge(Hits(hits, runs, margin, p))


Ahead = Annotated[
    float,
    Column(
        "ahead", about="how probably it is nearer than the first word outside the list, by the cosines", text=percent
    ),
]


def margin(mean: float, sd: float) -> float:
    """Return the probability that a word is nearer than the first one outside the list, from R margins.

    >>> round(margin(0.02, 0.02), 3), margin(0.01, 0.0), margin(-0.01, 0.0)
    (0.841, 1.0, 0.0)
    """
    if math.isnan(mean) or math.isnan(sd) or sd == 0:
        return math.nan if math.isnan(mean) or math.isnan(sd) else float(mean > 0)
    return 0.5 * math.erfc(-mean / sd / math.sqrt(2))


class Neighbour(NamedTuple):
    """A neighbour that was judged.

    Attributes:
        word: it.
        hits: in how many runs it is a neighbour.
        of: how many runs there are.
        verdict: firm, passing, open, or not judged.
    """

    word: str
    hits: int
    of: int
    verdict: str


class Judged(NamedTuple):
    """The neighbours of a word.

    Attributes:
        query: the word.
        n: how many are listed.
        listed: the neighbours.
        runs: runs that judge.
        kind: what these are, ``"bootstrap runs"`` or ``"runs"``.
        p: p@n of the query.
        beyond: further words that some of these runs list.
        chooser: which runs chose the listed neighbours, where others judge.
        lacking: chosen words that these runs were not read over, as where only words of all runs are; nobody judges
            them.
        chance: p@n of unrelated runs.
    """

    query: str
    n: int
    listed: Sequence[Neighbour]
    runs: int
    kind: str
    p: float
    beyond: Sequence[Neighbour] = ()
    chooser: str = ""
    lacking: Sequence[str] = ()
    chance: float = 0.0

    @property
    def needed(self) -> int:
        """How many runs judge a neighbour."""
        return int(NOISY_RUNS if self.p < NOISY else LEAST_RUNS)  # p is not defined of one run

    @property
    def nearest(self) -> str:
        """Of which words the sentence is."""
        return f"Of the {_words_of(self)}"

    @property
    def firm(self) -> list[Neighbour]:
        """Those that are firm."""
        return [one for one in self.listed if one.verdict == FIRM]

    @property
    def others(self) -> str:
        """How many of the others are passing, open or not judged, as a sentence; empty where all are firm."""
        passing = sum(one.verdict == PASSING for one in self.listed)
        unjudged = self.n - len(self.listed)  # no word of these runs
        counts = {PASSING: passing, OPEN: len(self.listed) - len(self.firm) - passing, UNJUDGED: unjudged}
        parts = [f"{in_words(n)} {'is' if n == 1 else 'are'} {verdict}" for verdict, n in counts.items() if n > 0]
        if not parts:
            return ""
        others = self.n - len(self.firm)
        if len(parts) > 1 and self.firm:
            return f" Of the other {in_words(others)}, {listed(parts)}."
        if self.firm:
            return f" The other {parts[0].removeprefix('one ') if others == 1 else parts[0]}."
        return f" {listed(parts).capitalize()}."


def _some_firm(judged: Judged) -> str:
    firm = judged.firm
    weakest = min(firm, key=lambda one: one.hits / one.of)
    low, high = wilson(weakest.hits, weakest.of)
    each = "" if len(firm) == 1 else "each in at least " if weakest.hits < weakest.of else "each in "
    return (
        f"{judged.nearest}, trust {in_words(len(firm))}: {quoted([one.word for one in firm])} ({each or 'in '}"
        f"{in_words(weakest.hits)} of {in_words(weakest.of)} {judged.kind}; 95 % interval of the share "
        f"{100 * low:.0f}–{100 * high:.0f} %).{judged.others}{_beyond(judged)}"
    )


def _beyond(judged: Judged) -> str:
    """Which words are firm though they are not among those that were chosen, as a sentence."""
    words = [one.word for one in judged.beyond if one.verdict == FIRM]
    if not words:
        return ""
    return f" Not among these {in_words(judged.n)}, {quoted(words)} {'is' if len(words) == 1 else 'are'} firm too."


def on_these_documents(whole: Judged, drawn: Judged) -> str:
    """Return what the runs that read all documents say, beside what bootstrap runs of the same technique say.

    Their neighbours are not to be trusted for that: another training gives them, other documents may not.
    """
    if not whole.firm:
        return SOME_HOLD.sentence(whole)
    verdicts = {one.word: one.verdict for one in (*drawn.listed, *drawn.beyond)} | dict.fromkeys(
        drawn.lacking, UNJUDGED
    )
    of = {one.word: verdicts.get(one.word, PASSING) for one in whole.firm}  # what no run lists is passing
    firm = len(whole.firm)
    every = all(one.hits == one.of for one in whole.firm)
    back = (
        f"If you train again on the same documents, {in_words(firm)} of the {in_words(whole.n)} "
        f"{'is' if firm == 1 else 'are'} firm, in {'all' if every else 'most'} runs"
    )
    if drawn.runs < drawn.needed:
        return f"{back}: {quoted([one.word for one in whole.firm])}. Nobody knows whether other documents give them."
    if {*of.values()} == {FIRM}:
        return f"{back}. Resampled documents give the same words."
    counts = {verdict: [*of.values()].count(verdict) for verdict in (FIRM, PASSING)}
    told = [f"{in_words(n)} {'is' if n == 1 else 'are'} {kind}" for kind, n in counts.items() if n]
    rest = firm - sum(counts.values())
    if not told:
        them = "it" if firm == 1 else "them"
        return f"{back}: {quoted(list(of))}. {capital(drawn.kind)} cannot tell yet whether other documents give {them}."
    said = f"{listed(told)} in {drawn.kind}"
    untold = f"; {in_words(rest)} {'is' if rest == 1 else 'are'} open" if rest else ""
    them = (
        f"It is {next(iter(of.values()))} in {drawn.kind}"
        if firm == 1
        else f"Of these {in_words(firm)}, {said}{untold}"
    )
    return f"{back}: {quoted(list(of))}. {them}."


def train_more(p: float) -> str:
    """Return how many runs judge a neighbour, by the part of a list that two runs share.

    >>> train_more(0.6)
    'Train at least five runs, better ten.'
    >>> train_more(0.2)
    'Train at least ten runs, because two of them share only 20 % of a list.'
    """
    if p < NOISY:
        few = f"two of them share only {percent(p)} of a list"
        return f"Train at least {in_words(int(NOISY_RUNS))} runs, because {few}."
    return f"Train at least {in_words(int(LEAST_RUNS))} runs, better {in_words(int(NOISY_RUNS))}."


def _too_few(judged: Judged) -> str:
    if judged.chance > MOST:
        return f"The {_words_of(judged)} are most of the words there are, and none is judged. Measure more words."
    few = f"{in_words(judged.runs).capitalize()} {judged.kind} are too few to judge the {_words_of(judged)}"
    return f"{few}. {train_more(judged.p)}"


def _words_of(judged: Judged) -> str:
    there = f" in {judged.chooser}" if judged.chooser else ""
    return f"{in_words(judged.n)} nearest words of “{judged.query}”{there}"


def some_hold(verdicts: Sequence[str]) -> str:
    """Return yes if a neighbour is firm, no if all are passing; what is open may hold, so that it is no *no*.

    >>> some_hold(["firm", "open"]), some_hold(["open", "passing"]), some_hold(["passing", "passing"])
    ('yes', 'undecided', 'no')
    """
    return "yes" if FIRM in verdicts else "no" if {*verdicts} == {PASSING} else "undecided"


NONE_IN_ALL = (
    "Antoniak and Mimno show the ten nearest words of pregnancy in seven bootstrap runs: no word is in all seven lists"
)
"""What the paper found of neighbours that hold (table 5)."""
SOME_HOLD = Claim[Judged](
    id="neighbours.some-hold",
    says="Some neighbours of the word hold.",
    source="Antoniak & Mimno 2018, table 5",
    paper=NONE_IN_ALL,
    rule=(
        f"one of them is firm; no if all are passing. No test below {LEAST_RUNS:g} runs, or below {NOISY_RUNS:g} if "
        f"p@n is below {NOISY:g}, or if over {MOST:g} of a list come back by chance"
    ),
    judge=lambda x: "no test" if x.chance > MOST or x.runs < x.needed else some_hold([one.verdict for one in x.listed]),
    sentences={
        "yes": _some_firm,
        "no": lambda x: f"{x.nearest}, trust none: all are passing in these {in_words(x.runs)} {x.kind}.",
        "undecided": lambda x: (
            f"{x.nearest}, trust none yet: none is firm in these {in_words(x.runs)} {x.kind}.{x.others}"
        ),
        "no test": _too_few,
    },
)
