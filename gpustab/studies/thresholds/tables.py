"""The tables of the study: what one row of each is, declared once."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.statistics.intervals import Estimate

STEPS = 100
"""Thresholds of values are told in hundredths."""

Kind = Literal["value", "place"]
"""Of a threshold: a cosine, pairs above it are meant; or the last place of a list that is meant."""
Shape = Literal["same", "different", "undecided", "no test"]


def error_of(sd: float | None, runs: int, step: float = 1 / STEPS) -> float | None:
    """Return the standard error of a mean over runs of what is told in steps; ``None`` of one run."""
    return None if sd is None else math.hypot(sd / math.sqrt(runs), step / math.sqrt(12))


class OverRuns(NamedTuple):
    """A threshold over the runs of a group."""

    group: str
    kind: Annotated[str, Column(about="value (a cosine) or place (in a list)")]
    rule: Annotated[str, Column(about="which threshold, the paper's too")]
    mean: Annotated[float | None, Column(about="over the runs that have it; none if none has")]
    sd: Annotated[float | None, Column(about="over these runs, ddof = 1")]
    error: Annotated[
        float | None,
        Column(
            about="standard error of the mean over runs: training noise, and the step in which thresholds are told, "
            "0.01 of a value and a window of places, which equal values of all runs hide"
        ),
    ]
    half: Annotated[
        float | None, Column(about="half the 95 % interval of the mean, by Student's t; none of fewer than three runs")
    ]
    lowest: Annotated[float | None, Column(about="least value over runs")]
    highest: Annotated[float | None, Column(about="largest")]
    proven_from: Annotated[float | None, Column(about="mean of where it surely lies not before, by the words")]
    proven_to: Annotated[float | None, Column(about="mean of what is proven; none if some run proves none")]
    below: Annotated[float | None, Column(about="mean share of the pairs below it")]
    found: Annotated[int, Column(about="runs that have it")]
    runs: Annotated[int, Column(about="how many there are")]

    @property
    def estimate(self) -> Estimate:
        """The mean with its error over runs."""
        return Estimate.of_runs(self.mean, self.error, self.found)


class ByRun(NamedTuple):
    """One of our thresholds in one run."""

    group: str
    run: str
    kind: Annotated[str, Column(about="value (a cosine) or place (in a list)")]
    rule: Annotated[str, Column(about="clear or chance; adjusted: without word effects")]
    estimate: Annotated[float | None, Column(about="the threshold; none if the level is nowhere reached")]
    proven: Annotated[float | None, Column(about="all pairs above are over the level; none if not even the highest")]
    not_before: Annotated[float | None, Column(about="all pairs below are under the level")]
    below: Annotated[float | None, Column(about="share of the pairs below the estimate")]
    level: Annotated[float, Column(about="value of the baseline that is to be reached")]


class Size(NamedTuple):
    """The paper's value threshold at a least group size, over the runs; groups are upper edges."""

    group: str
    min_pairs: Annotated[int, Column(about="pairs that a group must have")]
    lowest_group: Annotated[float | None, Column(about="lowest group that has them")]
    next_higher: Annotated[float | None, Column(about="first higher group whose mean is significantly higher")]
    sd: Annotated[float | None, Column(about="over runs, ddof = 1")]
    lowest: float | None
    highest: float | None
    runs_with_one: Annotated[int, Column(about="runs that have such a group")]
    runs: int

    @property
    def estimate(self) -> Estimate:
        """The group with its error over runs."""
        return Estimate.of_runs(self.next_higher, error_of(self.sd, self.runs_with_one), self.runs_with_one)


class PaperLists(NamedTuple):
    """The paper's list thresholds in one run; places from 1."""

    group: str
    run: str
    last_different: Annotated[int | None, Column(about="last place whose mean differs from that of the last place")]
    first_equal: Annotated[int | None, Column(about="first place whose mean does not")]
    last_pairs: Annotated[int, Column(about="pairs of the last place")]
    last_words: Annotated[float, Column(about="effective number of words that are somebody's last")]


class Group(NamedTuple):
    """Pairs of one run in 0.01 of cosine."""

    group: str
    run: str
    similarity: Annotated[float, Column(about="upper edge")]
    pairs: Annotated[float, Column(about="that have a baseline value")]
    mean: Annotated[float, Column(about="of the baseline")]
    sd: Annotated[float, Column(about="of the baseline, within the group")]
    se: Annotated[float, Column(about="of the mean less that of the lowest 1 % of pairs, for pairs that share words")]
    adjusted: Annotated[float, Column(about="mean without word effects")]
    next_different: Annotated[float | None, Column(about="next group of significantly higher mean (figure 22)")]


class Window(NamedTuple):
    """Places of the lists of one run together."""

    group: str
    run: str
    first: Annotated[int, Column(about="first place")]
    last: Annotated[int, Column(about="last place")]
    pairs: Annotated[float, Column(about="that have a baseline value")]
    mean: Annotated[float, Column(about="of the baseline")]
    se: Annotated[float, Column(about="of the mean less that of the last 1 % of the places")]


class Place(NamedTuple):
    """One place of the lists of one run."""

    group: str
    run: str
    place: int
    pairs: Annotated[float, Column(about="that have a baseline value")]
    mean: Annotated[float, Column(about="of the baseline")]


class NextPlace(NamedTuple):
    """The next place of the lists that Welch's test tells from a place, over runs (figures 23 and 26)."""

    group: str
    place: int
    next_place: Annotated[float | None, Column(about="next one whose mean differs; none if no run has one")]
    sd: Annotated[float | None, Column(about="over runs, ddof = 1")]
    lowest: float | None
    highest: float | None
    runs_with_one: Annotated[int, Column(about="runs that have such a place")]
    runs: int


class MomentsRow(NamedTuple):
    """The similarities of one run."""

    group: str
    run: str
    mean: float
    sd: float
    skewness: Annotated[float, Column(about="third standardised moment, 0 for a symmetric law")]
    kurtosis: Annotated[float, Column(about="fourth standardised moment less 3, 0 for a normal")]
    lowest: float
    highest: float
    words: Annotated[int, Column(about="words drawn, each against all others")]


class SimilarityShare(NamedTuple):
    """Share of the similarities in 0.01."""

    group: str
    similarity: Annotated[float, Column(about="upper edge")]
    share: Annotated[float, Column(about="mean over runs")]
    least: float
    largest: float


class SimilarityByPlace(NamedTuple):
    """Mean similarity to the j-th most similar word (avg_sim(j))."""

    group: str
    place: int
    similarity: Annotated[float, Column(about="mean over runs")]
    least: float
    largest: float


class Score(NamedTuple):
    """One run on one test at one threshold."""

    group: str
    run: str
    test: str
    rule: Annotated[str, Column(about="which threshold")]
    cut: Annotated[float | None, Column(about="pairs must be more similar; none where the run has no such threshold")]
    total: Annotated[int, Column(about="pairs of the test")]
    unknown: Annotated[int, Column(about="pairs with a word that not every run has")]
    below: Annotated[int, Column(about="known pairs at or below the cut")]
    used: Annotated[int, Column(about="known pairs above it")]
    rho: Annotated[float | None, Column(about="Spearman's ρ over all known pairs")]
    above: Annotated[float | None, Column(about="the paper's: over the pairs above the cut")]
    tied: Annotated[float | None, Column(about="over all known pairs, those below tied")]
    dropped: Annotated[float | None, Column(about="mean over 100 draws of as many known pairs, left out at random")]
    dropped_sd: Annotated[float | None, Column(about="their standard deviation")]
    change_sd: Annotated[float | None, Column(about="SD of above less rho, over pairs drawn with replacement")]


class ScoreOverRuns(NamedTuple):
    """A test at one threshold over runs: means, and SDs over runs."""

    group: str
    test: str
    rule: str
    total: int
    unknown: int
    below: float
    used: float
    runs: int
    rho: float | None
    rho_sd: float | None
    above: float | None
    above_sd: float | None
    tied: float | None
    tied_sd: float | None
    dropped: float | None
    dropped_sd: float | None
    draw_sd: Annotated[float | None, Column(about="mean over runs of the SD over draws")]
    change_sd: Annotated[float | None, Column(about="mean over runs of the SD of above less rho")]


class Comparison(NamedTuple):
    """The shapes of two groups of spaces, or of the spaces of one."""

    first: Annotated[str, Column(about="a group, or the baseline")]
    second: Annotated[str, Column(about="another, or the same: its spaces against each other")]
    distance: Annotated[float, Column(about="mean Kolmogorov-Smirnov distance over pairs of spaces, 0 to 1")]
    lowest: Annotated[float, Column(about="the least of them")]
    highest: Annotated[float, Column(about="the largest")]
    pairs: Annotated[int, Column(about="how many")]
    rejected: Annotated[float, Column(about="share of draws of 1,000 values each in which the test rejects at 1 %")]
    draws: Annotated[int, Column(about="how many draws")]
    shape: Annotated[
        Shape, Column(about="verdict: same, different, undecided, or no test: a run lies far, or runs fall into kinds")
    ]


THRESHOLDS = Sheet("thresholds", OverRuns, "one row a group and threshold, over runs")
BY_RUN = Sheet("thresholds_by_run", ByRun, "one row a run and threshold")
SIZES = Sheet("paper_sizes", Size, "one row a group and least group size")
PAPER_LISTS = Sheet("paper_lists", PaperLists, "one row a run")
GROUPS = Sheet("groups", Group, "one row a run and 0.01 of cosine", long=True)
WINDOWS = Sheet("windows", Window, "one row a run and window of places", long=True)
PLACES = Sheet("places", Place, "one row a run and place", long=True)
NEXT_PLACES = Sheet("next_places", NextPlace, "one row a group and place, some 400 places", long=True)
MOMENTS = Sheet("moments", MomentsRow, "one row a run")
SIMILARITIES = Sheet("similarities", SimilarityShare, "one row a group and 0.01 of cosine", long=True)
SIMILARITY_BY_PLACE = Sheet("similarity_by_place", SimilarityByPlace, "one row a group and place", long=True)
SCORES_BY_RUN = Sheet("scores_by_run", Score, "one row a run, test and threshold")
SCORES = Sheet("scores", ScoreOverRuns, "one row a group, test and threshold")
SHAPES = Sheet("shapes", Comparison, "one row a pair of groups")
