"""What the study claims: where thresholds lie, whether they differ, whether training moves them, and what they hang on.

Each rule has a margin and an error. How often the rules err, at 3 to 16 runs and at some hundred to a thousand words:
``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from gpustab.results import Table
from gpustab.results.page import counted, minus
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.shared.claims import Claim, Margin, Verdict, decide
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.thresholds.tables import SCORES, SIZES, Comparison, OverRuns, ScoreOverRuns, Shape, Size

STABLE = Margin(0.02, "standard deviation of a threshold over runs up to which it is stable")
FEW_PAIRS = Margin(1_000, "pairs of words below which nothing is said of thresholds of a hundredth")
NEAR = Margin(0.2, "cosine between a threshold and where it is proven, up to which that is an interval")
WIDE = Margin(0.05, "cosine between the paper's thresholds at two group sizes, from which it depends on the size")
ENOUGH = Margin(30, "pairs of a group, below which the paper's threshold is luck")
SAME = Margin(0.02, "Kolmogorov-Smirnov distance of two distributions up to which they have one shape")
BEYOND = Margin(3, "standard deviations of random draws by which ρ must be lower: six tests, one false in 120")

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
    """The higher and the lower of two thresholds, picked from the pairs of so many groups."""

    high: OverRuns
    low: OverRuns
    groups: int = 2

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


NO_ONE_FITS = Claim[Apart](
    id="thresholds.no-one-fits",
    says="No threshold fits all models.",
    paper="Elekes et al. found 0.20 for skip-gram, far above −0.18 for CBOW and −0.15 for GloVe",
    source="Elekes et al. 2018, hypothesis 1",
    rule="the 95 % interval over runs of the difference lies above 0, for all pairs of groups together",
    judge=lambda x: higher(x.high.estimate, x.low.estimate, x.groups * (x.groups - 1) // 2),
    sentences={"yes": _fits_none, "no": _may_fit, "undecided": _may_fit},
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


class Sizes(NamedTuple):
    """The paper's highest and lowest threshold over so many least group sizes."""

    high: Size
    low: Size
    sizes: int

    @property
    def both(self) -> str:
        """Both, in words."""
        high, low = self.high, self.low
        return (
            f"{cosine(high.next_higher)} at {high.min_pairs:,} pairs and {cosine(low.next_higher)} at {low.min_pairs:,}"
        )


def sizes_of(tables: Mapping[str, Table]) -> Iterator[Sizes]:
    """Yield the sizes of every group at which the paper's threshold is highest and lowest; luck does not count."""
    for _, table in SIZES.of(tables).split("group"):
        rows = [row for row in table.rows() if row.next_higher is not None and row.min_pairs >= ENOUGH]
        if len(rows) > 1:
            high, low = (most(rows, key=attrgetter("next_higher")) for most in (max, min))
            yield Sizes(high, low, len(rows))


def tests_of(tables: Mapping[str, Table]) -> Iterator[Tests]:
    """Yield the tests of every group of which its threshold above chance leaves out a pair."""
    for _, table in SCORES.of(tables).split("group"):
        rows = [row for row in table.rows(rule="chance") if row.below >= 1]
        yield Tests([row for row in rows if row.above is not None and row.draw_sd is not None])


def _hangs(sizes: Sizes) -> str:
    """Over runs the two sizes must differ by an interval that allows for the choice; one run is what it is."""
    if (sizes.high.next_higher or 0.0) - (sizes.low.next_higher or 0.0) <= WIDE:
        return "no"
    if min(sizes.high.runs, sizes.low.runs) == 1:
        return "yes"
    return higher(sizes.high.estimate, sizes.low.estimate, sizes.sizes * (sizes.sizes - 1) // 2)


HANGS_ON_SIZE = Claim[Sizes](
    id="thresholds.hangs-on-size",
    says="The paper's threshold is a matter of how many pairs the lowest group has.",
    paper="Elekes et al. compare with the one group of −0.40, and found −0.18 to be the first above it",
    source="Elekes et al. 2018, §4.4.2",
    rule=f"thresholds at two sizes of {ENOUGH:g} pairs or more differ by more than {WIDE}, beyond the error over runs",
    judge=_hangs,
    sentences={
        "yes": lambda x: (
            f"{x.high.group}: the paper's threshold is no property of the space: it is {cosine(x.high.next_higher)} if "
            f"a group must have {x.high.min_pairs:,} pairs, and {cosine(x.low.next_higher)} at {x.low.min_pairs:,}."
        )
    },
)


def shape_of(distances: Sequence[float], noise: float | None = None) -> Shape:
    """Return whether spaces have one shape.

    Args:
        distances: of all pairs of spaces.
        noise: largest distance of two spaces of one group, which a difference must exceed.

    >>> shape_of([0.01, 0.015]), shape_of([0.03, 0.04], 0.005), shape_of([0.015, 0.03], 0.005), shape_of([0.03], 0.04)
    ('same', 'different', 'undecided', 'undecided')
    """
    if max(distances) <= SAME:
        return "same"
    return "different" if min(distances) > max(SAME, noise or 0.0) else "undecided"


def _both(row: Comparison) -> str:
    return f"{row.first} and {row.second}, scaled to mean 0 and SD 1,"


ONE_SHAPE = Claim[Comparison](
    id="thresholds.one-shape",
    says="The distributions of similarity have one shape.",
    paper=(
        "Elekes et al. found CBOW, skip-gram and GloVe alike by samples of 1,000 values, three of four other models "
        "and WordNet's measure very different"
    ),
    source="Elekes et al. 2018, hypothesis 2",
    rule=(
        f"every two spaces of both groups are at most {SAME} apart; different where all are further apart than that, "
        "and than any two of one group"
    ),
    judge=lambda row: row.shape,
    sentences={
        "same": lambda row: (
            f"{_both(row)} have one shape: they are at most {row.highest:.3f} apart, and {SAME} counts as one."
        ),
        "different": lambda row: (
            f"{_both(row)} have different shapes: they are at least {row.lowest:.3f} apart; samples of 1,000 tell them "
            f"apart in {row.rejected:.0%} of draws."
        ),
        "undecided": lambda row: (
            f"{_both(row)}: whether their shapes differ is not clear: they are {row.lowest:.3f} to {row.highest:.3f} "
            f"apart, and {SAME} counts as one."
        ),
    },
)


class Tests(NamedTuple):
    """A group's tests at its threshold above chance."""

    rows: Sequence[ScoreOverRuns]

    @property
    def lower(self) -> list[ScoreOverRuns]:
        """Tests whose ρ falls by more than leaving out as many at random."""
        return [row for row in self.rows if _is_lower(row)]

    @property
    def changes(self) -> str:
        """The test whose ρ changes most, in words."""
        row = max(self.rows, key=lambda row: abs((row.above or 0.0) - (row.rho or 0.0)))
        return f"{row.test} from {cosine(row.rho)} to {cosine(row.above)}"


def _is_lower(row: ScoreOverRuns) -> bool:
    if row.above is None or row.dropped is None or row.draw_sd is None:
        return False
    return row.above < row.dropped - BEYOND * row.draw_sd


def _fall(row: ScoreOverRuns) -> float:
    return (row.dropped or 0.0) - (row.above or 0.0)


def _narrower(tests: Tests) -> str:
    worst = max(tests.lower, key=_fall)
    return (
        f"{worst.group}: leaving out the pairs below the threshold lowers ρ more than leaving out as many at random "
        f"in {len(tests.lower)} of {len(tests.rows)} tests ({worst.test}: {worst.above:.2f} against "
        f"{worst.dropped:.2f}): it narrows the range that is correlated, and is no better evaluation."
    )


NARROWS = Claim[Tests](
    id="thresholds.narrows-range",
    says="Leaving out pairs below the threshold narrows the range, and is no better evaluation.",
    paper=(
        "Elekes et al. found ρ to change by up to 0.06 for skip-gram and 0.01 for CBOW and GloVe, up in some tests and "
        "down in others"
    ),
    source="Elekes et al. 2018, §5",
    rule=f"in some test ρ is lower by {BEYOND:g} standard deviations than after leaving out as many pairs at random",
    judge=lambda tests: "yes" if tests.lower else "undecided",
    sentences={"yes": _narrower},
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
