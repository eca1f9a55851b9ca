"""What Antoniak & Mimno (2018) find in §1, §7 and §8, and whether these runs show it.

*Yes* or *no* is said only where the 95 % interval over runs leaves no doubt, *no test* where these groups cannot tell
however many runs they had. ``benchmarks/placebos`` counts how often the rules are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.tables import Number, Setting
from gpustab.studies.shared.claims import Claim, Margin, Verdict, above, below, each_above, within
from gpustab.studies.shared.unfit import RULE, Unfit, together

ALIKE = Margin(math.log(1.25), "logarithm of the ratio of two spreads that are alike: a factor of 1.25")
FIRM_LISTS = Margin(0.5, "set Jaccard of two runs' lists: they share two of three words")
SMALL_SD = Margin(0.05, "spread of a cosine over runs that is small: the cosine stays within ± 0.1, 19 times in 20")
TOP_TWO_STAY = Margin(0.9, "set Jaccard of two runs' two nearest words, below which even they drop out")
SUFFICIENT = Margin(0.9, "share of ten words that the averages of two halves of the runs have in common")
AS_MANY = Margin(25, "runs of each half from which averages that differ speak against averaging: the paper has 50 runs")
FLAT = Margin(0.97, "mean cosine with the ten closest words above which a space does not tell near words apart")
BLIND = Margin(
    0.8,
    "spread over runs, in parts of that of the query's cosines over all words; unrelated runs have 1, 1.25 times it",
)
PLATEAU = Margin(25, "runs below which nothing is said of a variability that stabilises at about 25 runs")
BIAS_ALONE = Margin(0.1, "logarithm of what is left of figure 6's rise after its bias: a tenth")
FLAT_RULE = f"no test where the mean cosine with the closest words is above {FLAT}: near-ties are compared"
"""Stands for the rule of a finding on a group that is flat."""
BLIND_RULE = "no test where the cosines of both groups vary over runs nearly as much as over words"
UNFIT_RULE = f"no test {RULE}: then no interval over runs helps"
TWO_RULE = "no test of two runs, which give no interval"


def alike(difference: Estimate) -> Verdict:
    """Tell whether two spreads are within a factor of 1.25, by the difference of their logarithms.

    >>> alike(Estimate(0.0, 0.02, 9)), alike(Estimate(0.0, 0.2, 9)), alike(Estimate(0.6, 0.02, 9))
    ('yes', 'undecided', 'no')
    """
    return within(difference, -ALIKE, ALIKE)


def is_flat(group: Setting) -> bool:
    """Tell whether the nearest words of a group all have nearly the query's own direction.

    Their order is then a matter of the third decimal, and SDs of cosines near 1 are small whatever the runs are.
    """
    return group.mean_value > FLAT


def factor(difference: Estimate) -> str:
    """Return a difference of logarithms as a factor with its interval."""
    low, high = difference.interval
    if math.isnan(difference.value):
        return "–"
    span = "no interval" if math.isnan(low) else f"{math.exp(low):.2f}–{math.exp(min(high, 700)):.2f}"
    return f"× {math.exp(difference.value):.2f} ({span})"


class Pair(NamedTuple):
    """Two groups that are compared."""

    first: Setting
    second: Setting

    def less(self, name: Number = "log_spread") -> Estimate:
        """Return a number of the first less that of the second; of logarithms it is that of the groups' ratio."""
        return self.first.estimate(name).minus(self.second.estimate(name))

    @property
    def blind(self) -> bool:
        """Whether the spreads say nothing, see :meth:`by_spread`."""
        return all(group.relative > BLIND for group in self)

    def by_spread(self, rule: Callable[[Estimate], Verdict]) -> Verdict:
        """Return what a rule says of the difference of the two spreads, on a logarithmic scale.

        No test where the cosines of both groups vary over runs nearly as much as they do over words. They then are
        those of unrelated vectors, and hardly vary more with any noise: to bootstrap runs of LSA, noise of twice the
        length of the vectors adds a tenth, while the lists lose nearly all their words.
        """
        return "no test" if self.blind else rule(self.less())

    @property
    def unfit(self) -> Unfit:
        """What forbids to compare them."""
        return together(group.unfit for group in self)

    @property
    def swapped(self) -> Pair:
        """The second beside the first."""
        return Pair(self.second, self.first)


class Ranked(NamedTuple):
    """Techniques within one setting: those that should vary less, and those that should vary more."""

    less: Sequence[Setting]
    more: Sequence[Setting]


def _varies_less(techniques: Ranked) -> Verdict:
    """Whether each varies less on its own scale than each of the others, and its lists agree more."""
    pairs = [Pair(a, b) for a in techniques.less for b in techniques.more]
    return each_above([*(pair.swapped.less("relative") for pair in pairs), *(pair.less("jn") for pair in pairs)], 0.0)


def _only_bias(group: Setting) -> Verdict:
    """No if what is left of the rise after its bias surely is within a tenth, yes if it surely is not.

    So few runs do not reach where the paper sees a plateau.
    """
    return "no test" if group.runs < PLATEAU else above(group.estimate("rise"), BIAS_ALONE)


_RELATIVE = (
    "The spread is relative to that of the query's cosines over all words, and {lists} agree more, beyond the "
    "intervals. No if one comparison is surely the other way"
)


def _weaker(x: tuple[Pair, Sequence[Pair]]) -> Verdict:
    """Whether the first pair's spreads differ less than those of each other pair that is not blind."""
    ppmi, others = x[0], [pair for pair in x[1] if not pair.blind]
    if ppmi.blind or not others:
        return "no test"
    return each_above([pair.less().minus(ppmi.less()) for pair in others], 0.0)


SMALL = Claim[Setting](
    id="bootstrap.small-variation",
    says="Fixed runs vary little",
    source="§7",
    paper="Antoniak and Mimno found a small variation of every technique over fixed runs",
    rule="two runs' lists of ten share at least two of three words (set Jaccard 0.5)",
    judge=lambda fixed: above(fixed.estimate("jn"), FIRM_LISTS),
)
SMALL_BY_SD = Claim[Setting](
    id="bootstrap.small-standard-deviation",
    says="Fixed runs vary little, by the standard deviation",
    source="§7, table 4",
    paper="Antoniak and Mimno found small standard deviations of every technique over fixed runs",
    rule=(
        f"the spread of the cosines with the closest words is below {SMALL_SD:g}, beyond its interval. The paper names "
        "no bound"
    ),
    judge=lambda fixed: "yes" if fixed.spread == 0 else below(fixed.estimate("log_spread"), math.log(SMALL_SD)),
)
ORDER = Claim[Pair | None](
    id="bootstrap.order-has-no-effect",
    says="The order of the documents does not change the variation",
    source="§7, §8",
    paper="Antoniak and Mimno found no consistent effect of the order of the documents",
    rule=f"the spreads of the cosines are within a factor of 1.25; {BLIND_RULE}",
    judge=lambda x: "no test" if x is None else x.by_spread(alike),
)
WIDER = Claim[Pair](
    id="bootstrap.varies-more",
    says="Bootstrap runs vary more: the choice of documents matters",
    source="§7, figure 1",
    paper="Antoniak and Mimno found that bootstrap runs vary much more, those of PPMI a little more",
    rule=f"the spread of the cosines with the closest words grows, beyond its interval; {BLIND_RULE}",
    judge=lambda x: x.by_spread(lambda wider: above(wider, 0.0)),
)
LOWER = Claim[Pair](
    id="bootstrap.lower-cosines",
    says="Bootstrap runs have lower mean cosines",
    source="§7, table 4",
    paper="Antoniak and Mimno found lower mean cosines of GloVe over bootstrap runs",
    rule="the mean cosine with the closest words falls, beyond its interval",
    judge=lambda x: below(x.less("mean"), 0.0),
)
LEAST = Claim[Ranked](
    id="bootstrap.glove-and-lsa-least",
    says="GloVe and LSA vary least over fixed and shuffled runs",
    source="§7, figure 1",
    paper="Antoniak and Mimno found the least variation in GloVe and LSA over fixed and shuffled runs",
    rule=f"each has a smaller spread than each of the others. {_RELATIVE.replace('{lists}', 'its lists')}",
    judge=_varies_less,
)
MOST = Claim[Ranked](
    id="bootstrap.ppmi-most",
    says="PPMI varies most in all settings",
    source="§7, figure 1",
    paper="Antoniak and Mimno found the most variation in PPMI, in all settings",
    rule=f"each other technique has a smaller spread. {_RELATIVE.replace('{lists}', 'their lists')}",
    judge=_varies_less,
)
WEAKER = Claim[tuple[Pair, Sequence[Pair]]](
    id="bootstrap.weakest-for-ppmi",
    says="Resampling changes PPMI least",
    source="§7, §8",
    paper="Antoniak and Mimno found that PPMI's fixed runs vary nearly as much as its bootstrap runs",
    rule=(
        "the ratio bootstrap / whole corpus is smaller than for each other technique, beyond the interval. A technique "
        "whose cosines vary over runs nearly as much as over words is left out. No test if it is PPMI or none is left"
    ),
    judge=_weaker,
)
JACCARD = Claim[Pair](
    id="bootstrap.lists-agree-less",
    says="Bootstrap runs agree much less on the nearest words",
    source="§7, figure 2",
    paper="Antoniak and Mimno found that the lists of bootstrap runs agree much less",
    rule="the set Jaccard of two and of ten words falls from {whole} to bootstrap runs, beyond its interval",
    judge=lambda x: each_above([x.swapped.less("j2"), x.swapped.less("jn")], 0.0),
)
PPMI_LISTS = Claim[Ranked](
    id="bootstrap.ppmi-lists-least",
    says="The lists of PPMI agree least",
    source="§7, figure 2",
    paper="Antoniak and Mimno found that the lists of PPMI agree least",
    rule="set Jaccard below that of each other technique, beyond the interval",
    judge=lambda x: each_above([Pair(b, a).less("jn") for a in x.more for b in x.less], 0.0),
)
TOP_TWO = Claim[Setting](
    id="bootstrap.top-two-drop-out",
    says="Even very highly ranked words drop out of the list",
    source="§7, figure 2",
    paper="Antoniak and Mimno found that even very highly ranked words often drop out",
    rule=f"the mean set Jaccard of the two nearest words is below {TOP_TWO_STAY}, beyond its interval",
    judge=lambda x: below(x.estimate("j2"), TOP_TWO_STAY),
)
DISJOINT = Claim[Setting](
    id="bootstrap.disjoint-lists",
    says="Two bootstrap runs may have no word of ten in common",
    source="§1",
    paper="Antoniak and Mimno found lists of ten words from two bootstrap runs that share no word",
    rule="there is such a pair of lists, also without the runs that have most of them. Left out are as many as chance "
    "may make odd where one run in ten is: 2 of 5 or 8 runs, 4 of 16. If there is no such pair, that proves nothing",
    judge=lambda x: "yes" if x.disjoint_of_most > 0 else "undecided",
)
RANKS = Claim[Pair](
    id="bootstrap.ranks-change",
    says="Words change their rank more over bootstrap runs",
    source="§7, figure 3",
    paper="Antoniak and Mimno found that words which stay in the list often change their rank",
    rule="the mean of |rank − median rank| grows from {whole} to bootstrap runs, beyond its interval",
    judge=lambda x: above(x.less("rank_change"), 0.0),
)
SENTENCE = Claim[Pair](
    id="bootstrap.sentences-vary-less",
    says="Sentences as units make runs vary less than whole documents do",
    source="§7, figure 4",
    paper="Antoniak and Mimno found less variation with sentences than with whole documents",
    rule=f"the spread of the cosines is smaller, beyond its interval; {BLIND_RULE}",
    judge=lambda x: x.by_spread(lambda wider: below(wider, 0.0)),
)
SIZE = Claim[Pair](
    id="bootstrap.small-varies-more",
    says="A smaller corpus makes runs vary more",
    source="§7, figure 5",
    paper="Antoniak and Mimno found more variation in a fifth of the documents than in all of them",
    rule=(
        "the spread, as a part of the SD of the query's cosines over all words, is larger, beyond its interval. The "
        "part holds the first documents, so size and period differ together"
    ),
    judge=lambda x: above(x.less("relative"), 0.0),
)
STABILISES = Claim[Setting](
    id="bootstrap.stabilises",
    says="The variability rises with the number of runs and stabilises at about 25",
    source="§7, figure 6",
    paper="Antoniak and Mimno found that the variability rises and usually stabilises at about 25 runs",
    rule=(
        "the mean SD rises from 2 runs to all by more than a tenth beyond the bias of the population SD. No if the "
        f"rest of the rise is surely within a tenth. No test below {PLATEAU:g} runs, where the paper sees the plateau"
    ),
    judge=_only_bias,
)


def _suffices(group: Setting) -> Verdict:
    """No test where the averages are of fewer runs than the paper's, and do not suffice: more of them may."""
    verdict = above(group.estimate("recurring"), SUFFICIENT)
    return verdict if verdict == "yes" or group.runs // 2 >= AS_MANY else "no test"


AVERAGE = Claim[Setting](
    id="bootstrap.averaging-suffices",
    says="The nearest words by averages over bootstrap runs are stable",
    source="§1",
    paper="Antoniak and Mimno found averages over bootstrap runs stable and reliable in all cases tested",
    rule=(
        "two averages of {half} runs each share at least nine of ten words, by the interval over the query words. "
        f"No test if they share fewer and each holds fewer than {AS_MANY:g} runs, half of the paper's 50"
    ),
    judge=_suffices,
)
FINDINGS: tuple[Claim[Any], ...] = (
    SMALL, SMALL_BY_SD, ORDER, WIDER, LOWER, LEAST, MOST, WEAKER, JACCARD, PPMI_LISTS, TOP_TWO, DISJOINT, RANKS,
    SENTENCE, SIZE, STABILISES, AVERAGE,
)  # fmt: skip
"""In the order of the page."""
