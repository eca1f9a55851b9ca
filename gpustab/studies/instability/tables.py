"""The tables of the study: what a row of each says. Rettenmeier 2020, chapters 2 and 3."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import numpy as np

from gpustab.results import Column, Sheet, Table
from gpustab.results.table import names_of
from gpustab.statistics.intervals import Estimate

R = TypeVar("R")


class SameRuns(NamedTuple):
    """Runs of one sampling that are, bit for bit, runs of another."""

    technique: str
    first: Annotated[str, Column(about="sampling")]
    second: Annotated[str, Column(about="another sampling")]
    runs: Annotated[int, Column(about="of the second that are runs of the first")]
    of: Annotated[int, Column(about="runs of the second")]


class Loss(NamedTuple):
    """Table 2.8: the reduced PIP loss of one sampling."""

    technique: str
    sampling: str
    runs: int
    words: Annotated[int, Column(about="in all runs of all samplings")]
    reduced_pip: Annotated[float, Column(about="mean over the pairs of runs, in [0, 1]")]
    sd: Annotated[float, Column(about="over the pairs")]
    se: Annotated[float, Column(about="of the mean, by the jackknife over runs")]
    pairs: int
    relative_sd: Annotated[float, Column(about="SD as a part of the mean")]
    word_relative_sd: Annotated[float, Column(about="that of one word's loss, root mean square over words")]
    word_degrees_of_freedom: Annotated[float, Column(about="of the χ that has this relative SD")]
    mean_cosine: Annotated[float, Column(about="of two different words")]
    chance: Annotated[float, Column(about="loss between unrelated spaces")]

    @property
    def loss(self) -> Estimate:
        """The mean loss with its error."""
        return Estimate.of_runs(self.reduced_pip, self.se, self.runs)


class Extrinsic(NamedTuple):
    """Table 2.11: what resampling the documents adds."""

    technique: str
    runs: Annotated[int, Column(about="of the smaller group: errors rest on these")]
    intrinsic: Annotated[float, Column(about="reduced PIP loss of shuffled runs")]
    bootstrap: Annotated[float, Column(about="that of bootstrap runs")]
    signed_square: Annotated[float, Column(about="bootstrap² − intrinsic²")]
    square_se: float
    extrinsic: Annotated[float | None, Column(about="root of the square; none of a negative one")]
    se: float | None
    mean_word_square: Annotated[float, Column(about="mean over words of their signed squares")]
    negative_words: int

    @property
    def square(self) -> Estimate:
        """The signed square, with its error."""
        return Estimate.of_runs(self.signed_square, self.square_se, self.runs)


class Word(NamedTuple):
    """How much a word's cosines differ between runs."""

    technique: str
    word: str
    frequency: Annotated[float | None, Column(about="occurrences in a run")]
    intrinsic: Annotated[float, Column(about="mean PIP loss of the word, shuffled runs")]
    intrinsic_se: float
    intrinsic_square: Annotated[float, Column(about="mean square of it")]
    bootstrap: Annotated[float, Column(about="mean PIP loss of the word, bootstrap runs")]
    bootstrap_square: float
    extrinsic_square: Annotated[float, Column(about="J²: signed, so that the mean over words is the global one")]


@dataclass(frozen=True)
class Whose:
    """Whose trend it is, over which words."""

    technique: str
    quantity: Annotated[str, Column(about="intrinsic, or extrinsic squared")]
    least_frequency: Annotated[int, Column(about="words of at least so many occurrences")]
    words: int


@dataclass(frozen=True)
class Trend:
    """How values depend on frequency."""

    slope: Annotated[float, Column(about="per decade of frequency, least squares")]
    slope_se: Annotated[float, Column(about="heteroscedasticity-robust (White 1980), the words taken for a sample")]
    change: Annotated[
        float,
        Column(about="fitted, from the rarest to the most frequent batch, as a part of the mean; NaN of a mean 0"),
    ]
    change_se: Annotated[float, Column(about="over words")]
    change_runs_se: Annotated[float, Column(about="by the jackknife over runs; NaN where these are not at hand")]
    low: Annotated[float, Column(about="95 % interval of the change: both errors, that over runs with t(R − 1)")]
    high: float
    correlation: Annotated[float, Column(about="Spearman's ρ over the words")]
    batch_correlation: Annotated[float, Column(about="over the means of the batches")]
    batch_p: Annotated[float, Column(about="p-value of that")]
    batch_deviation: Annotated[
        float, Column(about="how far some batch is off the mean at least, as a part of it: a hump that no line sees")
    ]


@dataclass(frozen=True)
class TrendRow(Trend, Whose):
    """The trend of one quantity over word frequency, §2.3.1."""


class Batch(NamedTuple):
    """The mean of a quantity over words of like frequency."""

    technique: str
    quantity: str
    frequency: Annotated[float, Column(about="geometric mean of the words'")]
    mean: float
    se: float


class CosineTest(NamedTuple):
    """A test of the cosines of random word pairs over the runs, §2.1.3."""

    technique: str
    hypothesis: str
    runs: int
    tested: Annotated[int, Column(about="word pairs, or couples of them")]
    below: Annotated[float, Column(about="share of p-values below 0.05")]
    normals_below: Annotated[float, Column(about="that of simulated normals")]
    distance: Annotated[float, Column(about="of the p-values' law from that of simulated normals, in [0, 1]")]
    distance_band: Annotated[float, Column(about="by so much the distance errs in 95 % of the cases")]
    p: Annotated[float, Column(about="of the distance")]
    uniform_p: Annotated[float, Column(about="of the test against the uniform law, which is wrong for few runs")]
    correlation: Annotated[float, Column(about="mean Spearman's ρ over couples; NaN of the test of normality")]
    correlation_se: Annotated[float, Column(about="its error, by permuted runs")]
    correlation_p: Annotated[float, Column(about="its p-value, by permuted runs")]
    kurtosis: Annotated[float, Column(about="of the whitened cosines; NaN of the other tests")]
    kurtosis_normal: Annotated[float, Column(about="that of normals at so many runs")]

    @property
    def mean_correlation(self) -> Estimate:
        """The mean correlation over couples, with its error."""
        return Estimate.of_runs(self.correlation, self.correlation_se, self.runs)


class WhitenedBin(NamedTuple):
    """Figure 2.5: one bar of the histogram of whitened cosines, and the law of normals at so many runs."""

    technique: str
    z: float
    density: float
    normals: float


class Bar(NamedTuple):
    """Figures 2.3, 2.4: the share of p-values in a bin, and that of simulated normals."""

    technique: str
    hypothesis: str
    p_from: float
    share: float
    normals: float


class Shared(NamedTuple):
    """Shared neighbours of one sampling at one length of lists, §2.2.2."""

    technique: str
    sampling: str
    n: int
    targets: int
    p: Annotated[float, Column(about="share of its n neighbours that two runs share")]
    p_se: float
    j: Annotated[float, Column(about="those shared, as a part of those in either list")]
    j_se: float
    chance_p: Annotated[float, Column(about="p@n of unrelated spaces")]


class OverLengths(NamedTuple):
    """Table 2.3: Spearman's ρ over words of p@n (or j@n) with that at other lengths."""

    technique: str
    metric: Annotated[str, Column(about="p or j")]
    n: int
    rho: Annotated[Mapping[str, float | None], Column(about="by the other length")]


class Consistency(NamedTuple):
    """Table 2.3 freed of the noise of few runs: p@n at two n, by halves of the runs."""

    technique: str
    n: int
    other_n: int
    words: int
    runs_each: int
    splits: int
    measured: Annotated[float, Column(about="Spearman's ρ over words, of all runs, noise and all")]
    reliability: Annotated[float, Column(about="of p@n between two halves of the runs")]
    other_reliability: Annotated[float, Column(about="of p at the other n")]
    correlation: Annotated[float, Column(about="between the two n, freed of noise; NaN of a reliability not above 0")]
    se: Annotated[float, Column(about="its error, by the jackknife over batches of words")]

    @property
    def freed(self) -> Estimate:
        """The correlation freed of noise, with its error."""
        return Estimate(self.correlation, self.se, WORD_BATCHES - 1)


class WithDistance(NamedTuple):
    """p@n beside the word's PIP loss: Spearman's ρ over words, freed of the noise of few runs."""

    technique: str
    n: int
    words: int
    runs_each: int
    splits: int
    measured: Annotated[float, Column(about="of all runs, noise and all")]
    reliability: Annotated[float, Column(about="of p@n between two halves of the runs")]
    pip_reliability: Annotated[float, Column(about="of the loss")]
    correlation: Annotated[float, Column(about="freed of noise; NaN of a reliability not above 0")]
    se: Annotated[float, Column(about="its error, by the jackknife over batches of words")]

    @property
    def freed(self) -> Estimate:
        """The correlation freed of noise, with its error."""
        return Estimate(self.correlation, self.se, WORD_BATCHES - 1)


class Halves(NamedTuple):
    """Table A.1: Spearman's ρ over words between two halves of the runs."""

    technique: str
    n: int
    runs_each: int
    p: Annotated[float, Column(about="of p@n")]
    j: Annotated[float, Column(about="of j@n")]


class Prediction(NamedTuple):
    """Measured and predicted p@n of one word."""

    technique: str
    word: str
    n: int
    measured: float
    plain: Annotated[float, Column(about="by independent normals")]
    corrected: Annotated[float, Column(about="by normals that are correlated as a target's nearest neighbours are")]
    structure: Annotated[float, Column(about="structure factor ρ@n: the same means, one SD for all")]
    correlation: Annotated[float, Column(about="of a target's nearest neighbours")]


class Accuracy(NamedTuple):
    """Table A.2: predicted against measured p@n over words; ``exact``: of the plain model if it were true."""

    technique: str
    n: int
    targets: int
    measured: Annotated[float, Column(about="mean p@n")]
    plain_pearson: float
    plain_bias: float
    plain_rmse: float
    corrected_pearson: float
    corrected_bias: float
    corrected_rmse: float
    exact_pearson: float
    exact_bias: float
    exact_rmse: float


class Structure(NamedTuple):
    """Table 2.5: structure factor against measured p@n over words."""

    technique: str
    n: int
    pearson: float
    bias: float
    targets: int
    exact_pearson: Annotated[float, Column(about="were the model true")]
    gamma: Annotated[float, Column(about="the one SD of all cosines")]
    candidates: Annotated[int, Column(about="words that enter into the model, mean over targets")]
    pearson_with_pip: Annotated[float, Column(about="of measured p@n with the word's PIP loss")]


class OverProxies(NamedTuple):
    """Table 2.6: Spearman's ρ over words of the PIP loss over m words drawn at random with that over other numbers."""

    technique: str
    words: Annotated[str, Column(about="m, or all")]
    pairs_of_runs: int
    targets: int
    rho: Annotated[Mapping[str, float], Column(about="by the other number of words, the last by all")]


class Proxy(NamedTuple):
    """The reduced PIP loss over m words drawn at random, as a part of the exact one."""

    technique: str
    words: int
    ratio: Annotated[float, Column(about="root mean square over pairs of runs and draws")]
    expected: Annotated[float, Column(about="√((1 − 1/m) / (1 − 1/v))")]


class Identity(NamedTuple):
    """Eq. 2.35: mean squared losses from the Gram and from variances of cosines."""

    technique: str
    scope: Annotated[str, Column(about="some words together, or all")]
    mean_square: Annotated[float, Column(about="⟨d²⟩, from the Gram")]
    from_variances: Annotated[float, Column(about="Σσ²/(2v), from the cosines")]
    largest_difference: Annotated[float, Column(about="relative, of any word")]
    squared_mean: Annotated[float, Column(about="⟨d⟩²/⟨d²⟩, which the printed equation takes for 1")]


class Beside(NamedTuple):
    """Tables 2.2 and 3.5: a neighbour of one word in two spaces, with its places there."""

    technique: str
    target: str
    runs_beneath: Annotated[int, Column(about="of each space: 1 of runs, more of averages")]
    neighbour: str
    first_rank: int
    first_cosine: float
    second_rank: int
    second_cosine: float


class ListShared(NamedTuple):
    """Eq. 3.8: the neighbours of one word that two spaces share."""

    technique: str
    target: str
    runs_beneath: int
    n: int
    p: float
    j: float


class Nearest(NamedTuple):
    """Table 2.4: one word's cosine with another over the runs."""

    technique: str
    target: str
    rank: Annotated[int, Column(about="by mean cosine")]
    neighbour: str
    mean: float
    sd: Annotated[float, Column(about="over runs, ddof = 1")]
    p_1: Annotated[float, Column(about="probability to be its nearest")]
    p_2: Annotated[float, Column(about="probability to be of its two nearest")]


class PairCosine(NamedTuple):
    """Figure 2.2: the cosine of two words in one run."""

    technique: str
    first: str
    second: str
    run: str
    cosine: float


class LevelLoss(NamedTuple):
    """Figure 3.5: the loss between averages of n runs, as a part of that between runs."""

    technique: str
    renormalised: Annotated[bool, Column(about="whether levels are scaled to unit length")]
    runs_beneath: Annotated[int, Column(about="n")]
    averages: int
    orders: Annotated[int, Column(about="of the runs, over which losses are root mean squares")]
    ratio_dot: Annotated[float, Column(about="by dot products")]
    ratio_cosine: Annotated[float, Column(about="by cosines")]
    cosine_sd: Annotated[float, Column(about="over the orders")]
    ratio_cosine_matrices: Annotated[float, Column(about="of means of cosine matrices: if aligning cost nothing")]
    one_over_root_n: float

    @property
    def fall(self) -> Estimate:
        """The loss between averages of n runs by 1/√n of that between runs.

        Its error is the SD over orders of the runs: the mean over orders errs less, but all are of the same runs.
        """
        root = math.sqrt(self.runs_beneath)
        return Estimate.of_runs(self.ratio_cosine * root, self.cosine_sd * root, self.orders)


class CosineRatios(NamedTuple):
    """Eq. 3.6: means and SDs of cosines of averages, as parts of those of runs."""

    technique: str
    renormalised: bool
    runs_beneath: int
    averages: Annotated[int, Column(about="behind each number; errors are by leaving out one with its runs")]
    mean: Annotated[
        float,
        Column(about="of the mean cosines; NaN where that of the runs is 0 within its error, as in a centred space"),
    ]
    slope: Annotated[float, Column(about="through 0 of the averages' mean cosines on the runs' over word pairs")]
    slope_se: float
    sd: Annotated[float, Column(about="of mean SDs")]
    sd_se: float
    rms_sd: Annotated[float, Column(about="of their root mean squares")]
    dot_mean: Annotated[float, Column(about="of mean dot products")]
    dot_sd: Annotated[float, Column(about="of their mean SDs")]

    @property
    def of_sd(self) -> Estimate:
        """The ratio of mean SDs, with its error."""
        return Estimate.of_runs(self.sd, self.sd_se, self.averages)

    @property
    def of_means(self) -> Estimate:
        """The slope of the mean cosines, with its error."""
        return Estimate.of_runs(self.slope, self.slope_se, self.averages)


class Bin(NamedTuple):
    """Figure 3.2: one bar of a histogram of cosines."""

    technique: str
    panel: Annotated[str, Column(about="deviation from a pair's mean, or that mean")]
    runs_beneath: int
    cosine: float
    density: float


class Term(NamedTuple):
    """Eq. 3.4: its second term, over disjoint pairs of runs; errors by leaving out one of these."""

    technique: str
    pairs_of_runs: int
    mean: float
    se: float
    sd_of_cosines: Annotated[float, Column(about="σ")]
    mean_by_pair: Annotated[float, Column(about="what a word pair's own mean is beyond noise, as a part of σ")]
    mean_by_pair_se: float
    variance_of_half: Annotated[float, Column(about="as a part of σ²/2, that of the first term")]
    variance_of_half_se: float

    @property
    def of_mean(self) -> Estimate:
        """The mean as a part of σ, with its error."""
        return Estimate.of_runs(self.mean, self.se, self.pairs_of_runs).over(self.sd_of_cosines)

    @property
    def of_pairs(self) -> Estimate:
        """The means of word pairs as a part of σ, with their error."""
        return Estimate.of_runs(self.mean_by_pair, self.mean_by_pair_se, self.pairs_of_runs)

    @property
    def of_variance(self) -> Estimate:
        """The variance as a part of σ²/2, with its error."""
        return Estimate.of_runs(self.variance_of_half, self.variance_of_half_se, self.pairs_of_runs)


class TreeRow(NamedTuple):
    """§3.2.2: losses between averages of one kind, as parts of that between runs."""

    technique: str
    average: Annotated[str, Column(about="tree, or one reference")]
    spaces: int
    same_runs: Annotated[float, Column(about="of the same runs, by other orders or references")]
    same_runs_se: float
    halves_of: Annotated[int, Column(about="runs of a half")]
    splits: int
    between_halves: Annotated[float, Column(about="of the runs; mean over the splits")]
    between_halves_sd: Annotated[float, Column(about="over the splits: a mean errs less, but all are of the same runs")]
    one_over_root_n: float

    @property
    def of_same_runs(self) -> Estimate:
        """The loss between averages of the same runs, with its error."""
        return Estimate.of_runs(self.same_runs, self.same_runs_se, self.spaces)

    @property
    def of_halves(self) -> Estimate:
        """The loss between averages of two halves of the runs, with its error."""
        return Estimate.of_runs(self.between_halves, self.between_halves_sd, self.splits)


class Score(NamedTuple):
    """Table 2.10 and figure 3.6: scores of runs, or of averages of n runs, on one test."""

    technique: str
    test: str
    runs_beneath: int
    spaces: int
    used: int
    total: int
    mean: float
    sd: float | None
    best: float | None
    worst: float | None


class Gain(NamedTuple):
    """Table 3.6: mean score of averages less that of the runs beneath them; or of the averages of half as many."""

    technique: str
    test: str
    runs_beneath: int
    averages: Annotated[int, Column(about="of disjoint runs, behind the mean and its error")]
    gain: Annotated[float, Column(about="mean over the averages")]
    se: Annotated[float, Column(about="SD over them by √averages; NaN for one")]

    @property
    def points(self) -> Estimate:
        """The gain in points, with its error."""
        return Estimate.of_runs(100 * self.gain, 100 * self.se, self.averages)


class ErrorOfRuns(NamedTuple):
    """The relative standard error of a quantity from so many runs."""

    technique: str
    quantity: str
    runs: int
    jackknife: Annotated[float, Column(about="root mean square of what subsets of so many runs state themselves")]
    subsampling: Annotated[float, Column(about="SD of the estimates of these subsets, freed of the runs they share")]
    for_1_percent: Annotated[int | None, Column(about="runs for an error of 1 %, by 1/√R")]


class Extremes(NamedTuple):
    """Table 2.1: lowest and highest score of runs made alike, the difference in percent of the lowest.

    The difference grows with the number of runs, and extremes have no jackknife error; the relative SD does not grow.
    """

    technique: str
    test: str
    runs: int
    lowest: float
    highest: float
    relative_difference: float
    relative_sd: Annotated[float, Column(about="in percent of the mean")]
    low: Annotated[float, Column(about="its 95 % interval: χ² of R − 1, without the mean's own error")]
    high: float


class Scored(NamedTuple):
    """Table 2.10: mean and SD of scores over runs."""

    technique: str
    test: str
    runs: int
    mean: float
    sd: float
    low: Annotated[float, Column(about="the mean's 95 % interval, Student's t of R − 1")]
    high: float


class Place(NamedTuple):
    """Table 2.9: techniques from stable (place 1) to unstable."""

    sampling: str
    place: int
    technique: str
    reduced_pip: float
    se: float
    to_next: Annotated[float, Column(about="how far the next one is")]
    to_next_se: float


class Criterion(NamedTuple):
    """Table 2.7: one criterion, for measures by nearest neighbours and for the word-wise PIP loss.

    The formal criteria hold for both (§2.2.1); there is nothing to measure.
    """

    technique: str
    criterion: str
    measured: str
    neighbours: float
    pip: float


@dataclass(frozen=True)
class Wide(Sheet[R], Generic[R]):
    """A table with a column for every key of the last field of its rows; a sign may stand before the key."""

    sign: str = ""

    def table(self, rows: Iterable[R] = ()) -> Table[Any]:
        """Return the table of some rows."""
        return Table.of([self._record(row) for row in rows])

    def rows(self, tables: Mapping[str, Table[Any]], **wanted: Any) -> Iterator[R]:
        """Yield those of its rows in a result that have the wanted values; none where it is not there."""
        kind: Any = self.row
        *names, _ = names_of(kind)
        for record in tables.get(self.name, Table()).records(**wanted):
            by_key = {name.removeprefix(self.sign): value for name, value in record.items() if name not in names}
            yield kind(*(record[name] for name in names), by_key)

    def _record(self, row: R) -> dict[str, Any]:
        *names, last = names_of(type(row))
        by_key = getattr(row, last).items()
        return {name: getattr(row, name) for name in names} | {f"{self.sign}{key}": value for key, value in by_key}


@dataclass(frozen=True)
class CosineTests(Sheet[CosineTest]):
    """The table of tests, two of whose columns are called by what is no name of Python's."""

    def table(self, rows: Iterable[CosineTest] = ()) -> Table[Any]:
        """Return the table of some rows."""
        table = super().table(rows)
        return Table({_CALLED.get(name, name): column for name, column in table.items()})

    def rows(self, tables: Mapping[str, Table[Any]], **wanted: Any) -> Iterator[CosineTest]:
        """Yield those of its rows in a result that have the wanted values; none where it is not there."""
        return (CosineTest(*record.values()) for record in tables.get(self.name, Table()).records(**wanted))


_CALLED = {"below": "below_0.05", "normals_below": "normals_below_0.05"}

SAME_RUNS = Sheet("same_runs", SameRuns, "one row a pair of samplings that share runs")
LOSSES = Sheet("table_2_8", Loss, "one row a technique and sampling")
EXTRINSIC = Sheet("table_2_11", Extrinsic, "one row a technique with bootstrap runs")
WORDS = Sheet("words", Word, "one row a technique and word", long=True)
TRENDS = Sheet("frequency", TrendRow, "one row a technique, quantity and least frequency")
BATCHES = Sheet("batches", Batch, "one row a technique, quantity and batch of words, by rising frequency", long=True)
NORMALITY, DISJOINT, SHARING = "normal", "independent, disjoint", "independent, sharing"
"""The hypotheses of this table."""
TESTS = CosineTests("distribution", CosineTest, "one row a technique and hypothesis")
WHITENED = Sheet("whitened", WhitenedBin, "one row a technique and bin", long=True)
P_VALUES = Sheet("p_values", Bar, "one row a technique, hypothesis and bin", long=True)
SHARED = Sheet("neighbours", Shared, "one row a technique, sampling and length of lists")
OVER_LENGTHS = Wide("table_2_3", OverLengths, "one row a technique, metric and length of lists", sign="@")
FARTHEST = (2, 50)
"""The lengths of lists that are farthest apart in table 2.3, and stand in the next one."""
CONSISTENCY = Sheet("consistency", Consistency, "one row a technique")
WORD_BATCHES = 20
"""Batches of words behind the errors of these two tables."""
DISTANCE = Sheet("distance", WithDistance, "one row a technique and length of lists")
HALVES = Sheet("table_a_1", Halves, "one row a technique and length of lists")
PREDICTIONS = Sheet("predictions", Prediction, "one row a technique, length of lists and word", long=True)
ACCURACY = Sheet("table_a_2", Accuracy, "one row a technique and length of lists")
STRUCTURE = Sheet("table_2_5", Structure, "one row a technique and length of lists")
OVER_PROXIES = Wide("table_2_6", OverProxies, "one row a technique and number of words")
PROXIES = Sheet("proxy", Proxy, "one row a technique and number of words")
IDENTITY = Sheet("identity", Identity, "one row a technique and scope")
IN_RUNS = Sheet("table_2_2", Beside, "one row a technique and neighbour in either of two runs")
IN_AVERAGES = Sheet("table_3_5", Beside, "one row a technique and neighbour in either of two averages")
LISTS_SHARED = Sheet("lists_shared", ListShared, "one row a technique, kind of spaces and length of lists")
NEAREST = Sheet("table_2_4", Nearest, "one row a technique and place")
PAIR_COSINES = Sheet("figure_2_2", PairCosine, "one row a technique and run", long=True)
LEVELS = Sheet("figure_3_5", LevelLoss, "one row a technique, way of averaging and level of the tree")
COSINE_RATIOS = Sheet("cosine_ratios", CosineRatios, "one row a technique, way of averaging and level of the tree")
HISTOGRAMS = Sheet("figure_3_2", Bin, "one row a technique, panel, level and bin", long=True)
TERM = Sheet("alignment_term", Term, "one row a technique")
TREE, ONE_REFERENCE = "tree", "one reference"
"""The kinds of averages of this table."""
TREES = Sheet("table_tree", TreeRow, "one row a technique and kind of average")
SCORES = Sheet("scores", Score, "one row a technique, test and level of the tree")
GAINS = Sheet("table_3_6", Gain, "one row a technique, test and level of the tree")
DOUBLINGS = Sheet("doublings", Gain, "one row a technique, test and level of the tree: on the level beneath")
REDUCED_PIP = "reduced PIP loss"
"""The first quantity of this table."""
HOW_MANY = Sheet("how_many", ErrorOfRuns, "one row a technique, quantity and number of runs")
EXTREMES = Sheet("table_2_1", Extremes, "one row a technique and test")
CRITERIA = Sheet("table_2_7", Criterion, "one row a technique and criterion")
PLACES = Sheet("table_2_9", Place, "one row a sampling and technique")
SCORED = Sheet("table_2_10", Scored, "one row a technique and test")


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's ρ; NaN for fewer than 3 values, or where one side is constant."""
    x, y = (np.asarray(values, np.float64) for values in (first, second))
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])
