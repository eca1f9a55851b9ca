"""What stability claims: how far neighbours and words can be read, each by a rule with a margin and an error.

A finding is said only where the 95 % interval lies beyond the margin. ``benchmarks/placebos`` counts how often each
rule is wrong at 3 to 16 runs. Below the claims stand the alarms, which forbid to read the numbers as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.runs.key import ENCODER, noun_of
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.reliability import Reliability
from gpustab.studies.shared.claims import MOST, NOISY, NOISY_RUNS, Claim, Margin, too_noisy
from gpustab.studies.shared.wording import FEWER_THAN_ONE, about, capital, listed, of_list, word

READ_ONE = Margin(0.85, "p@10 above which neighbours may be read from one run: at most three in twenty would not")
HARDLY = Margin(0.2, "p@10 below which neighbours of one run say next to nothing")
ALIKE = Margin(0.05, "difference of p@n between halves and within them that is none: half a neighbour of ten")
OPPOSITE = Margin(0.2, "Spearman's ρ of the words' PIP loss and p@n above which the two point opposite ways")
"""Measured with 3 runs: −0.23 to −0.62 in runs that learned their corpus (skip-gram and LSA on lee and sotu, mean
cosine up to 0.4); in collapsing skip-gram −0.01, +0.22, +0.27, +0.56, +0.59 at mean cosines of 0.54, 0.60, 0.67, 0.86,
0.97."""
ENOUGH_WORDS = Margin(100, "words from which their PIP loss and p@n are compared")
CANNOT = Margin(0.5, "reliability of the words' ranking below which no list of words is printed")
LISTS = Margin(0.5, "expected part of the words listed as least stable that are in the least tenth: else no list")
BANDS = Margin(0.8, "reliability of the words' ranking from which it has bands; between the two it has groups")

Leave = Literal["", "advice", "permission"]
"""What runs of the same texts leave to bootstrap runs: nothing; all advice; or the permission to read one run alone,
where the bootstrap runs have no verdict."""


class Returning(NamedTuple):
    """How many of n nearest neighbours come back in another run.

    Attributes:
        p: p@n.
        n: length of the lists.
        chance: p@n of unrelated runs.
        sampling: of the runs.
        unit: what was drawn.
        technique: of the runs.
        leave: what the technique's bootstrap runs are left to say.
    """

    p: Estimate
    n: int
    chance: float
    sampling: str = ""
    leave: Leave = ""
    unit: str = "document"
    technique: str = ""

    @property
    def lead(self) -> str:
        """What comes back."""
        again = _again(self.sampling, self.unit, self.technique)
        if self.n == 1:
            span = of_list(self.p, 100, self.chance, " %")
            share = percent(self.p.value)
            return f"If you {again}, the nearest neighbour comes back in {share} of pairs of runs ({span})."
        span = of_list(self.p, self.n, self.chance)
        back = about(self.n * self.p.value)
        come = "comes" if back in ("none", "one", FEWER_THAN_ONE) else "come"
        return f"If you {again}, {back} of {word(self.n)} nearest neighbours {come} back ({span})."

    @property
    def by_chance(self) -> str:
        """How many come back by chance."""
        return f"by chance {number(self.n * self.chance, 1)}"


def _again(sampling: str, unit: str, technique: str = "") -> str:
    """What another run of a sampling stands for, after *if you*."""
    if technique == ENCODER:
        return {"bootstrap": f"resample the {_drawn(unit)}", "fixed": "fine-tune again"}.get(sampling, "train again")
    return {
        "bootstrap": f"resample the {_drawn(unit)} and train again",
        "shuffled": f"train again with the {_drawn(unit)} in another order",
        "fixed": "train again on the same texts",
    }.get(sampling, "train again")


def _drawn(unit: str) -> str:
    """What is drawn, as a plural."""
    noun = noun_of(unit)
    return f"{noun}s" if noun in ("document", "sentence", "block") else f"groups of one {noun}"


def may_read_one(p: Estimate) -> bool:
    """Return whether neighbours may be read from one run."""
    return p.interval[0] >= READ_ONE


def _reading(returning: Returning) -> str:
    if returning.chance > MOST or returning.p.freedom == 1:
        return "few words" if returning.chance > MOST else "two runs"
    if may_read_one(returning.p):
        return "read one" + f", {returning.leave}" * bool(returning.leave)
    if returning.p.interval[1] < HARDLY:
        return "single documents" if returning.sampling == "bootstrap" else "next to nothing"
    return "bootstrap runs" if returning.leave == "advice" else "several runs"


def _two_runs(two: Returning) -> str:
    alike = two.n * two.p.value
    share = f"{about(alike)} of {word(two.n)} neighbours ({number(alike, 2)}; {two.by_chance})"
    if two.n == 1:
        share = f"the nearest neighbour of {percent(alike)} of words (by chance {percent(two.chance, 1)})"
    return f"Two runs share {share}. One pair of runs gives no interval. Train at least three runs, better eight."


RETURN = Claim[Returning](
    id="stability.neighbours-return",
    says="Neighbours come back in another run.",
    rule=(
        f"the 95 % interval of p@n lies above {READ_ONE}: read them from one run. It lies below {HARDLY}: they say "
        f"next to nothing. Else: look at several runs. No test of two runs, or if over {MOST} come back by chance"
    ),
    judge=_reading,
    sentences={
        "read one": lambda x: f"{x.lead} You may read neighbours from one run.",
        "read one, advice": lambda x: (
            f"{x.lead} Training again on the same texts changes little. Go by the bootstrap runs when you read "
            "neighbours."
        ),
        "read one, permission": lambda x: (
            f"{x.lead} Training again on the same texts changes little. The bootstrap runs, which say more, have no "
            "verdict."
        ),
        "single documents": lambda x: (
            f"{x.lead} Most neighbours depend on which {_drawn(x.unit)} were drawn. Read only those that most "
            "bootstrap runs keep."
        ),
        "next to nothing": lambda x: (
            f"{x.lead} The neighbours of one run say next to nothing: these vectors hardly represent this corpus."
        ),
        "bootstrap runs": lambda x: x.lead,
        "several runs": lambda x: (
            f"{x.lead} Do not base an argument on a neighbour before you have seen it in several runs."
        ),
        "two runs": _two_runs,
        "few words": lambda x: f"{x.lead} That says nothing: a list is most of the words. Measure more words.",
    },
)


class Halves(NamedTuple):
    """Shared neighbours, of lists of n: of a run of one half of the documents and one of the other, and within a half.

    ``drawn`` is the mean p@n of two bootstrap runs of one half, if there are such.
    """

    between: Estimate
    within: Estimate
    drawn: float | None
    n: int

    @property
    def lead(self) -> str:
        """What the halves share."""
        shared = f"{number(self.n * self.between.value, 2)} of {word(self.n)} neighbours"
        drawn = "" if self.drawn is None else f" Two bootstrap runs of a half share {number(self.n * self.drawn, 2)}."
        return (
            f"The two halves of the documents share {shared} ({of_list(self.between, self.n)}). Two runs of "
            f"one half share {number(self.n * self.within.value, 2)}.{drawn}"
        )


def _halves(halves: Halves) -> str:
    less, most = halves.within.minus(halves.between).interval
    return "other" if less > ALIKE else "same" if most < ALIKE else "open"


OTHER_DOCUMENTS = Claim[Halves](
    id="stability.other-documents",
    says="Other documents would say something else.",
    rule=f"p@n within a half exceeds p@n between halves by more than {ALIKE}, beyond the 95 % interval",
    judge=_halves,
    sentences={
        "other": lambda x: (
            f"{x.lead} Other documents would say something else: a finding from one half need not hold in the other."
        ),
        "same": lambda x: f"{x.lead} Both halves say the same.",
        "open": lambda x: f"{x.lead} These runs are too few to say whether other documents would say something else.",
    },
)


class Ranking(NamedTuple):
    """How reliably these runs rank words, by the ranking that is best; ``None`` where none can be judged."""

    reliability: float | None
    runs: int


def _heading(ranking: Ranking) -> str:
    value = ranking.reliability
    if value is None or math.isnan(value):
        return "two runs" if ranking.runs == 2 else "cannot"
    return "cannot" if value < CANNOT else "group" if value < BANDS else "place"


RANKS_WORDS = Claim[Ranking](
    id="stability.ranks-words",
    says="These runs rank words.",
    rule=(
        f"a reliability of at least {BANDS} gives a word's place, and the list of the most stable; one of at least "
        f"{CANNOT} its group, less nothing"
    ),
    judge=_heading,
    sentences={
        "two runs": "Two runs cannot rank words.",
        "cannot": lambda x: f"These {word(x.runs)} runs cannot rank words.",
        "group": "These runs tell stable words from others only roughly: they name no most stable words.",
        "place": "These runs show a word's place, within its error.",
    },
)


class Least(NamedTuple):
    """The words that come out least stable beside words as frequent: how many, and how many of the least tenth.

    The latter are expected; p is the mean p@n of all words.
    """

    words: int
    expected: float
    p: float
    runs: int


def _least(least: Least) -> str:
    if not least.words:
        return "none"
    if too_noisy(least.p, least.runs):
        return "no test"
    return "yes" if least.expected >= LISTS * least.words else "no"


LEAST_LISTED = Claim[Least](
    id="stability.least-listed",
    says="The words listed as least stable are among the least stable of words as frequent.",
    rule=(
        f"at least {percent(LISTS)} of the listed words are expected in the least stable tenth (by chance 10 %). No "
        f"test below {NOISY_RUNS:g} runs if p@n is below {NOISY:g}"
    ),
    judge=_least,
    sentences={
        "yes": lambda x: (
            f"About {x.expected:.0f} of the {x.words} words listed as least stable belong to the least stable tenth of "
            "equally frequent words. Their order is chance."
        ),
        "no": lambda x: (
            "These runs cannot list the least stable words: only about "
            f"{x.expected:.0f} of the {x.words} candidates would belong to the least stable tenth of equally frequent "
            "words. Train more runs."
        ),
        "no test": lambda x: (
            f"These runs cannot list the least stable words: where two runs share only {percent(x.p)} of a list, "
            f"that takes at least {word(int(NOISY_RUNS))} runs."
        ),
    },
)


def ranking(runs: int, by: Sequence[tuple[str, Reliability | None]]) -> str:
    """Return how far other runs would rank the words alike, and how many runs are needed; best ranking first.

    Each ranking is by a number, whose name and reliability are given.
    """
    known = [(name, of) for name, of in by if of is not None and not math.isnan(of.value)]
    if runs < 3:
        return "Two runs cannot say how other runs would rank the words."
    if not known:
        return ""
    known.sort(key=lambda x: -x[1].value)
    assuming = " This assumes that runs and pairs differ as they usually do." if runs == 3 else ""
    first, *others = [f"{of.value:.2f} by {name}" for name, of in known]
    rest = f" ({', '.join(others)})" if others else ""
    needed = [f"{_needed(of)} by {name}" for name, of in known]
    return (
        f"{counted(runs, 'other run')} would rank the {known[0][1].words:,} words with a correlation of about "
        f"{first}{rest}.{assuming} A correlation of 0.9 needs {', '.join(needed)}."
    )


def _needed(reliability: Reliability) -> str:
    needed = reliability.needed(0.9)
    return "more than a thousand runs" if needed is None else f"about {needed} runs"


class Opposite(NamedTuple):
    """Spearman's ρ over words of PIP loss and p@n, of one group or of several, over so many words."""

    agreements: Sequence[float]
    words: int
    n: int


POINTS_OPPOSITE = Claim[Opposite](
    id="stability.points-opposite",
    says="PIP loss and p@n rank the words in opposite ways.",
    rule=f"Spearman's ρ of the two over {ENOUGH_WORDS:g} words or more lies above {OPPOSITE} in every group",
    judge=lambda x: "yes" if x.words >= ENOUGH_WORDS and all(rho > OPPOSITE for rho in x.agreements) else "no",
    sentences={
        "yes": lambda x: (
            f"PIP loss and p@{x.n} rank the words in opposite ways: words with a smaller loss have less stable "
            f"neighbours (loss against p@{x.n}: ρ = {_span(x.agreements, '.2f')} over {x.words:,} "
            "words). The losses mostly show how far a "
            f"word stands out from a direction that all words share. Go by p@{x.n}, or train longer."
        )
    },
)


def little_in_common(joint: int, seen: int, folded: int) -> str:
    """Return the alarm of runs that share hardly any words."""
    case = f" They would share {folded:,} if letter case did not count." if folded > joint else ""
    return (
        f"These runs share only {joint:,} of {seen:,} words ({100 * joint / seen:.1g} %). They say nothing about the "
        f"rest.{case}"
    )


def collapsed(names: Sequence[str], cosines: Sequence[float], *, every: bool) -> str:
    """Return the alarm of runs, or of all runs of the groups, whose words all point one way, by their mean cosines."""
    one = len(names) == 1 and not every
    who, whose, them = "All runs" if every else listed(names), "its" if one else "their", "it" if one else "them"
    rest = "The page gives no verdict." if every else f"The sentences below leave {them} out, the tables do not."
    return (
        f"{who} {'is' if one else 'are'} collapsed: {whose} words all point one way (mean cosine "
        f"{_span(cosines, '.2f')}). A tiny loss means nothing there. Train longer, or centre the vectors. {rest}"
    )


def odd(names: Sequence[str], share: float | None, others: float | None, without: float, with_them: float) -> str:
    """Return the alarm of runs that lie far from all others.

    Args:
        names: of the runs.
        share: mean loss to the others in parts of chance; ``None`` without a chance level.
        others: that of the others among each other.
        without: mean reduced PIP loss of the others.
        with_them: that of all runs.
    """
    lie, them, is_it, its = ("lies", "it", "Is it", "its") if len(names) == 1 else ("lie", "them", "Are they", "their")
    many = "One run does" if len(names) == 1 else f"{capital(word(len(names)))} runs do"
    far = f"{listed(names)} {lie} far from all others"
    if share is not None and others is not None:
        apart = f"which lie {percent(others)} away from each other"
        far = f"{listed(names)} {lie} {percent(share)} of chance away from the others, {apart}"
    return (
        f"{many} not belong. {far}. The loss is {number(without, 3)} without {them} and {number(with_them, 3)} with "
        f"{them}. {is_it} of another kind, did {its} training fail, or were {its} words written in another order? The "
        f"sentences below leave {them} out, the tables do not."
    )


def copies(which: str, means: tuple[float, float] | None) -> str:
    """Return the alarm of runs that are one space several times.

    Args:
        which: says so of them, without a stop.
        means: mean reduced PIP loss of all runs but copies, NaN where one is left; and that of all runs. None of runs
            that are collapsed besides, of which the sentences say nothing.
    """
    left = "Is it the same file twice? " if means is None else "One run is left, so there is no verdict. "
    if means is not None and not math.isnan(means[0]):
        left = (
            f"The loss is {number(means[0], 3)} without copies and {number(means[1], 3)} with them. The sentences "
            "below count them once, the tables do not. "
        )
    return f"{which}. {left}Copies would make the runs look more stable than they are."


def nearly_one(two: str, second: str, without: float, with_it: float, *, of_three: bool = False) -> str:
    """Return the alarm of two runs that are nearly one, or related.

    Args:
        two: says so of them.
        second: the name of the one that is left out.
        without: mean reduced PIP loss of the others.
        with_it: that of all runs.
        of_three: whether the third may be the odd one.
    """
    losses = f"The loss is {number(without, 3)} without {second} and {number(with_it, 3)} with it."
    if of_three:
        return f"{two} {losses} So there is no verdict."
    return f"{two} {losses} The sentences below leave {second} out, the tables do not."


def _span(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"
