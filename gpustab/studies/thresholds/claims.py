"""What the study claims: where thresholds lie, whether they differ, whether training moves them, and what they hang on.

Each rule has a margin and an error. How often the rules err, at 3 to 16 runs and at some hundred to a thousand words:
``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpustab.results.page import counted, minus
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.shared.claims import Claim, Margin, Verdict, decide
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.thresholds.tables import OverRuns

STABLE = Margin(0.02, "standard deviation of a threshold over runs up to which it is stable")
FEW_PAIRS = Margin(1_000, "pairs of words below which nothing is said of thresholds of a hundredth")
NEAR = Margin(0.2, "cosine between a threshold and where it is proven, up to which that is an interval")

_STEP_SD = 0.01 / math.sqrt(12)
"""Standard deviation within the step in which thresholds are told."""

MANY = 4
"""Of more groups not all pairs are told, only the highest threshold and the lowest."""


def cosine(value: float | None) -> str:
    """Return a cosine for people.

    >>> cosine(-0.19), cosine(0.264)
    ('−0.19', '0.26')
    """
    return "–" if value is None else minus(f"{value:.2f}")


class Threshold(NamedTuple):
    """A group's threshold above chance, and the one clear of the lowest pairs."""

    chance: OverRuns
    clear: OverRuns

    @property
    def lacking(self) -> int:
        """Runs that have not both thresholds: a level that is reached nowhere, or everywhere, is none."""
        return self.chance.runs - min(self.chance.found, self.clear.found)

    @property
    def place(self) -> str:
        """Where it lies, in words."""
        verdict, proven = MEANINGFUL.judge(self), cosine(self.chance.proven_to)
        none = {"no": f"none in {self.lacking} of {self.chance.runs} runs", "unproven": "none that is proven"}
        return none.get(verdict, f"only above {proven}" if verdict == "far" else cosine(self.chance.mean))


def _sure(row: OverRuns) -> str:
    """What the choice of words leaves open; an end far away is no interval but a lack of proof."""
    low, high = row.proven_from, row.proven_to
    if high is None or low is None or high < low:
        return " (from where on, these words cannot prove)"
    return f" ({cosine(low)} to {cosine(high)})" if proven_near(row) else f" (surely only above {cosine(high)})"


def proven_near(row: OverRuns) -> bool:
    """Tell whether a threshold is there in every run, and proven by the words not far from where it is."""
    if row.mean is None or row.proven_to is None or row.found < row.runs:
        return False
    return row.kind != "value" or row.proven_to - row.mean <= NEAR


def _proven(row: OverRuns) -> bool:
    """Tell whether the words prove a threshold somewhere."""
    return row.proven_to is not None and row.proven_from is not None and row.proven_to >= row.proven_from


def _meaningful(threshold: Threshold) -> str:
    if threshold.lacking:
        return "no"
    if not _proven(threshold.chance):
        return "unproven"
    return "yes" if proven_near(threshold.chance) else "far"


def _where(threshold: Threshold) -> str:
    row, clear = threshold.chance, threshold.clear
    place = f"{row.group}: above a cosine of {cosine(row.mean)}{_sure(row)} words are nearer than pairs on average"
    share = f"{row.below:.0%} of all pairs lie below"
    if not _proven(clear):
        return f"{place}; {share}. Where they are clear of the least similar hundredth these words cannot prove."
    edge = f"{cosine(clear.mean)}{_sure(clear)}"
    if (clear.mean or 0.0) > (row.mean or 0.0):
        return f"{place}; {share}. Clearly apart from the least similar hundredth they are only above {edge}."
    return f"{place}; {share}. Up to {edge} they are hardly told from the least similar hundredth."


MEANINGFUL = Claim[Threshold](
    id="thresholds.meaningful",
    says="Above some cosine two words have something in common.",
    paper="Elekes et al. found one in each model, −0.18 for CBOW, 0.20 for skip-gram and −0.15 for GloVe",
    source="Elekes et al. 2018, §4",
    rule=(
        "in every run a cosine sets pairs apart from the least similar hundredth, and above the mean of all pairs, and "
        f"the words prove it; far where they prove it only {NEAR:g} above"
    ),
    judge=_meaningful,
    sentences={
        "yes": _where,
        "far": lambda x: (
            f"{x.chance.group}: only above a cosine of {cosine(x.chance.proven_to)} these words prove that words are "
            "nearer than pairs on average; more words in common with the baseline would prove it further down."
        ),
        "unproven": lambda x: (
            f"{x.chance.group}: no threshold is proven. So few words of the baseline would show one in vectors that "
            "know nothing as well; more words in common with it would tell."
        ),
        "no": lambda x: (
            f"{x.chance.group}: no threshold: in {x.lacking} of {x.chance.runs} runs no cosine sets pairs clearly "
            "apart from the least similar hundredth."
        ),
    },
)


def higher(first: Estimate, second: Estimate, pairs: int = 1) -> Verdict:
    """Tell whether a threshold is higher than another, by a t interval of the difference over runs.

    Args:
        first: of one group.
        second: of another.
        pairs: how many pairs of groups these two were picked from: the interval is that of 95 % for all of them.

    >>> a, b = Estimate(0.26, 0.004, 3), Estimate(0.07, 0.004, 3)
    >>> higher(a, b), higher(b, a), higher(a, Estimate(0.25, math.nan, 0))
    ('yes', 'no', 'undecided')
    """
    return decide(first.minus(second).among(pairs), 0.0, math.inf)


class Apart(NamedTuple):
    """The higher and the lower of two thresholds, picked from the pairs of so many groups.

    Attributes:
        high: the one.
        low: the other.
        groups: how many.
        silent: which runs of these two lie far from the others of their group, with the verb; then nothing is tested.
    """

    high: OverRuns
    low: OverRuns
    groups: int = 2
    silent: str = ""

    @property
    def gap(self) -> str:
        """Both, in words."""
        if self.groups == 2:
            return f"{cosine(self.high.mean)} against {cosine(self.low.mean)}"
        return f"from {cosine(self.low.mean)} in {self.low.group} to {cosine(self.high.mean)} in {self.high.group}"


def _fits_none(apart: Apart) -> str:
    if apart.groups == 2:
        high, low = apart.high.group, apart.low.group
        return f"No threshold fits both: that of {high} is higher than that of {low}, {apart.gap}."
    return f"No threshold fits all {apart.groups} groups: theirs reach {apart.gap}."


def _may_fit(apart: Apart) -> str:
    if apart.groups == 2:
        high, low = apart.high.group, apart.low.group
        return f"Whether that of {high} is higher than that of {low} these runs cannot tell: {apart.gap}."
    return f"Whether one threshold fits all {apart.groups} groups these runs cannot tell: theirs reach {apart.gap}."


def _one_fits(apart: Apart) -> str:
    if apart.silent:
        return "no test"
    return higher(apart.high.estimate, apart.low.estimate, apart.groups * (apart.groups - 1) // 2)


def _not_tested(apart: Apart) -> str:
    which = "both" if apart.groups == 2 else f"all {apart.groups} groups"
    return (
        f"Whether one threshold fits {which} is not tested: {apart.silent} far from the other runs of the group, and "
        f"no interval over runs helps ({apart.gap}). Leave out what lies far and ask again."
    )


NO_ONE_FITS = Claim[Apart](
    id="thresholds.no-one-fits",
    says="No threshold fits all models.",
    paper="Elekes et al. found 0.20 for skip-gram, far above −0.18 for CBOW and −0.15 for GloVe",
    source="Elekes et al. 2018, hypothesis 1",
    rule=(
        "the 95 % interval over runs of the difference lies above 0, for all pairs of groups together; no test where a "
        "run lies far from the others of its group"
    ),
    judge=_one_fits,
    sentences={"yes": _fits_none, "no": _may_fit, "undecided": _may_fit, "no test": _not_tested},
)


def stable(sd: float, runs: int) -> Verdict:
    """Tell whether a threshold stays where it is over runs: its SD is at most 0.02, by a 95 % interval.

    Thresholds are told in steps of 0.01, so that an SD of 0 is one of at most 0.003.

    >>> stable(0.005, 8), stable(0.005, 3), stable(0.1, 8)
    ('yes', 'undecided', 'no')
    """
    return decide(sd_interval(math.hypot(sd, _STEP_SD), runs), 0.0, STABLE)


def over(row: OverRuns) -> str:
    """Return what a threshold varies by over runs, in words."""
    size = f"{row.sd:.3f}" if row.sd is not None and row.sd > _STEP_SD else f"below {_STEP_SD:.3f}"
    return f"SD {size} over {counted(row.found, 'run')}"


STAYS = Claim[OverRuns](
    id="thresholds.stays",
    says="Training again leaves the threshold where it is.",
    paper="Elekes et al. give one number for each model, and no error",
    rule=f"the 95 % interval of its standard deviation over runs lies below {STABLE}; no if above",
    judge=lambda row: stable(row.sd or 0.0, row.found),
    sentences={
        "yes": lambda row: f"{row.group}: training again leaves the threshold where it is ({over(row)}).",
        "no": lambda row: f"{row.group}: training again moves the threshold ({over(row)}): one run does not fix it.",
        "undecided": lambda row: (
            f"{row.group}: whether training again moves the threshold these runs cannot tell ({over(row)})."
        ),
    },
)


def alarms_of(group: str, means: Mapping[str, float], pairs: float | None) -> Iterator[str]:
    """Yield what forbids to read the numbers of a group as they stand.

    Args:
        group: its name.
        means: by run the mean cosine of two words.
        pairs: how many the baseline knows; ``None`` where there is none.
    """
    collapsed = [run for run, mean in means.items() if mean > COLLAPSED]
    if collapsed:
        yield (
            f"{group}: {', '.join(collapsed)} {'is' if len(collapsed) == 1 else 'are'} collapsed: all words point one "
            f"way (mean cosine above {COLLAPSED}), so that thresholds of similarity mean nothing. Train longer."
        )
    if pairs is not None and pairs < FEW_PAIRS:
        yield (
            f"{group}: the baseline knows {counted(int(pairs), 'pair')} of words: too few for thresholds. "
            "Read nothing from them."
        )
