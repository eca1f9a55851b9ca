"""What the study claims of the paper's other findings: thresholds by group size, shapes, tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from gpustab.results import Table
from gpustab.results.page import percent
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.unfit import RULE
from gpustab.studies.shared.wording import groups_in_words, number_span, the_runs
from gpustab.studies.thresholds.claims import cosine, higher
from gpustab.studies.thresholds.tables import SCORES, SIZES, Comparison, ScoreOverRuns, Shape, Size

WIDE = Margin(0.05, "cosine between the paper's thresholds at two group sizes, from which it depends on the size")
ENOUGH = Margin(30, "pairs of a group, below which the paper's threshold is luck")
SAME = Margin(0.02, "Kolmogorov-Smirnov distance of two distributions up to which they have one shape")
BEYOND = Margin(3, "standard errors of the change, over pairs, by which ρ must be lower: six tests, one false in 120")


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
            f" (by the rule {WIDE:g} apart or less is no difference)"
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
        yield Tests([row for row in rows if row.above is not None and row.change_sd is not None])


def _hangs(sizes: Sizes) -> str:
    """Over runs the two sizes must differ by an interval that allows for the choice; one run is what it is."""
    if (sizes.high.next_higher or 0.0) - (sizes.low.next_higher or 0.0) <= WIDE:
        return "no"
    if min(sizes.high.runs, sizes.low.runs) == 1:
        return "yes"
    return higher(sizes.high.estimate, sizes.low.estimate, sizes.sizes * (sizes.sizes - 1) // 2)


HANGS_ON_SIZE = Claim[Sizes](
    id="thresholds.hangs-on-size",
    says="The paper's threshold depends on the size of the lowest group.",
    paper="Elekes et al. compare with the group at −0.40 alone, and found that −0.18 is the first one above it",
    source="Elekes et al. 2018, §4.4.2",
    rule=f"thresholds at two sizes of {ENOUGH:g} pairs or more differ by more than {WIDE}, beyond the error over runs",
    judge=_hangs,
    sentences={
        "yes": lambda x: (
            f"{groups_in_words([x.high.group])}: the paper's threshold is not a property of the space. It is "
            f"{cosine(x.high.next_higher)} for groups of at least {x.high.min_pairs:,} pairs, and "
            f"{cosine(x.low.next_higher)} for groups of at least {x.low.min_pairs:,}."
        )
    },
)


def shape_of(distances: Sequence[float], noise: float | None = None) -> Shape:
    """Return whether spaces have one shape.

    Of two groups they must clear :data:`SAME` by as much as they scatter: pairs share spaces, so that of groups just at
    it all pairs lie on one side in a third of the sets of two runs each, and in a tenth of those of three. So it is in
    6 % and in 0.3 %.

    Args:
        distances: of all pairs of spaces.
        noise: largest distance of two spaces of one group, which that of two groups must exceed; ``None`` of one group.

    >>> shape_of([0.01, 0.015]), shape_of([0.035, 0.04], 0.005), shape_of([0.015, 0.03], 0.005), shape_of([0.03], 0.04)
    ('same', 'different', 'undecided', 'undecided')
    """
    low, high = min(distances), max(distances)
    spare = 0.0 if noise is None else high - low
    if high + spare <= SAME:
        return "same"
    return "different" if low - spare > SAME and low > (noise or 0.0) else "undecided"


def _both(row: Comparison) -> str:
    return f"similarities of {space(row.first)} and of {space(row.second)}"


def space(name: str) -> str:
    """Return what a space is called in a sentence: runs of a group, or a measure by its name."""
    return the_runs(name) if "/" in name else name


def _distance(row: Comparison) -> str:
    """How far the shapes are apart."""
    return f"Kolmogorov-Smirnov distance {number_span(row.lowest, row.highest, 3)}"


ONE_SHAPE = Claim[Comparison](
    id="thresholds.one-shape",
    says="The distributions of similarity have one shape.",
    paper=(
        "Elekes et al. found that CBOW, skip-gram and GloVe are alike in samples of 1,000 values, and that three of "
        "four other models and WordNet's measure are very different"
    ),
    source="Elekes et al. 2018, hypothesis 2",
    rule=(
        f"all spaces of both groups, scaled to mean 0 and SD 1, are at most {SAME} apart. Different: all are farther "
        "apart than that, and than any two of one group. Of two groups both want as much to spare as the distances "
        f"scatter. No test {RULE}"
    ),
    judge=lambda row: row.shape,
    sentences={
        "same": lambda row: f"The {_both(row)} have one shape ({_distance(row)}, up to {SAME} counts as none).",
        "different": lambda row: (
            f"The {_both(row)} have different shapes ({_distance(row)}). Samples of 1,000 values differ in "
            f"{percent(row.rejected)} of draws."
        ),
        "undecided": lambda row: (
            f"The shapes of the {_both(row)} may differ or not ({_distance(row)}, up to {SAME} counts as none)."
        ),
        "no test": lambda row: (
            f"The shapes of the {_both(row)} are not tested ({_distance(row)}). A run lies far from the "
            "others of its group, or the runs of a group fall into kinds."
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
    if row.above is None or row.dropped is None or row.change_sd is None:
        return False
    return row.above < row.dropped - BEYOND * row.change_sd


def _fall(row: ScoreOverRuns) -> float:
    return (row.dropped or 0.0) - (row.above or 0.0)


def _narrower(tests: Tests) -> str:
    worst = max(tests.lower, key=_fall)
    return (
        f"{groups_in_words([worst.group])}: an evaluation without the pairs below the threshold is no better. It "
        f"lowers ρ more than leaving out as many pairs at random in {len(tests.lower)} of {len(tests.rows)} tests "
        f"({worst.test}: {worst.above:.2f} against {worst.dropped:.2f}), because it narrows the range."
    )


NARROWS = Claim[Tests](
    id="thresholds.narrows-range",
    says="An evaluation without the pairs below the threshold is no better: it narrows the range.",
    paper=(
        "Elekes et al. found that ρ changes by up to 0.06 for skip-gram and 0.01 for CBOW and GloVe, in both directions"
    ),
    source="Elekes et al. 2018, §5",
    rule=(
        f"in some test ρ is lower than after leaving out as many pairs at random, by {BEYOND:g} standard errors of the "
        "change, over pairs drawn with replacement"
    ),
    judge=lambda tests: "yes" if tests.lower else "undecided",
    sentences={"yes": _narrower},
)
