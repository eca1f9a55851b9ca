"""The tables of the study: what one row of each is, declared once."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.results.page import signed
from gpustab.statistics.intervals import Estimate
from gpustab.studies.neighbours.claims import Ahead
from gpustab.studies.shared.claims import Observation
from gpustab.studies.shared.unfit import Unfit
from gpustab.studies.shared.wording import the_runs

AVERAGED = 10
"""Figures 1 to 5 are means over so many closest words of a query, figure 6 over 20."""

Number = Literal["log_spread", "relative", "mean", "j2", "jn", "p", "rank_change", "recurring", "rise"]
"""A number of a group that has an error over runs."""


class Setting(NamedTuple):
    """One group over its query words: figures 1 to 5 as numbers."""

    group: Annotated[str, Column("runs of")]
    technique: str
    sampling: str
    unit: Annotated[str, Column(about="what is drawn: document or sentence")]
    fraction: Annotated[float, Column(about="part of the corpus, 0 to 1")]
    part: str
    runs: int
    queries: Annotated[int, Column(about="query words that it has")]
    words: int
    sd: Annotated[float, Column("mean SD", 2, "of the cosines with the ten closest words, over runs")]
    spread: Annotated[float, Column("√ variance", 2, "root of the mean variance of these cosines")]
    relative: Annotated[
        float, Column("of scale", 2, "the same, where 1 is the SD of the query's cosines with all words")
    ]
    disjoint: Annotated[
        float, Column("no common word", about="share of query and pair of runs", text=lambda x: f"{100 * x:.1f} %")
    ]
    everywhere: Annotated[float, Column("in all lists", 2, "words of a query in the lists of all runs")]
    disjoint_of_most: Annotated[
        float, Column(about="share of query and pair of runs without a common word, but for the runs with most")
    ]
    absent: Annotated[int, Column("absent somewhere", about="listed words that some run lacks")]
    mean_rank_within: Annotated[float, Column(about="words a query whose mean rank is within the list (figure 3)")]
    log_spread_value: Annotated[float, Column(about="ln of the spread")]
    log_spread_se: float
    log_spread_freedom: int
    relative_value: Annotated[float, Column(about="ln of the spread on the scale of the space")]
    relative_se: float
    relative_freedom: int
    mean_value: Annotated[float, Column("cosine", 3, "mean, with the ten closest words")]
    mean_se: float
    mean_freedom: int
    j2_value: Annotated[float, Column(about="set Jaccard of two runs' two nearest words")]
    j2_se: float
    j2_freedom: int
    jn_value: Annotated[float, Column(about="set Jaccard of two runs' whole lists")]
    jn_se: float
    jn_freedom: int
    p_value: Annotated[float, Column("p@n", 2, "share of the list that two runs have in common")]
    p_se: float
    p_freedom: int
    rank_change_value: Annotated[float, Column(about="mean |rank − median rank| of the closest words")]
    rank_change_se: float
    rank_change_freedom: int
    recurring_value: Annotated[float, Column(about="share of the averaged lists that two halves of the runs share")]
    recurring_se: float
    recurring_freedom: int
    rise_value: Annotated[float, Column(about="ln of the rise of the SD from two runs to all, beyond its bias")]
    rise_se: float
    rise_freedom: int
    far: Annotated[bool, Column(about="whether a run lies far from the others of the group")] = False
    kinds: Annotated[bool, Column(about="whether the runs of the group fall into kinds")] = False

    @property
    def unfit(self) -> Unfit:
        """What forbids to compare the group with others."""
        return Unfit(["one run or more"] if self.far else (), [the_runs(self.group)] if self.kinds else ())

    def estimate(self, name: Number) -> Estimate:
        """Return one of the numbers with its error over runs."""
        return Estimate(*(getattr(self, f"{name}_{part}") for part in Estimate._fields))

    def is_beside(self, other: Setting, sampling: str) -> bool:
        """Return whether another group differs in its sampling alone, which is the one that is named."""
        return other.sampling == sampling and self.but("sampling") == other.but("sampling")

    def but(self, name: str) -> tuple[object, ...]:
        """Return what the group is, without one field."""
        return tuple(getattr(self, field) for field in _WHAT if field != name)


_WHAT = ("technique", "sampling", "unit", "fraction", "part")


class Neighbour(NamedTuple):
    """A word near a query, in the runs of one group; ``low`` and ``high`` are no confidence interval."""

    group: Annotated[str, Column("runs")]
    query: str
    chosen_by: Annotated[str, Column(about="the group whose mean cosines chose it")]
    place: Annotated[int, Column(about="its place there")]
    word: Annotated[str, Column("neighbour")]
    runs: Annotated[int, Column("n", about="runs that have both words: mean, SD, range and ranks are over these")]
    mean: Annotated[float, Column("cosine", 2)]
    sd: Annotated[float, Column("SD", about="of the cosine, ddof = 1")]
    low: Annotated[float, Column(about="least cosine; of bootstrap runs the lower end of the bootstrap range")]
    high: Annotated[float, Column(about="largest cosine")]
    bias: Annotated[float, Column(about="mean less that of the group that chose it", text=partial(signed, digits=3))]
    rank: Annotated[float, Column(about="median rank")]
    rank_low: float
    rank_high: float
    hits: Annotated[int, Column(about="runs that have it among the nearest n")]
    of: Annotated[int, Column(about="runs that have the query; one that lacks the word does not have it in its list")]
    share: Annotated[float, Column(about="of these runs, 0 to 1")]
    share_low: Annotated[float, Column(about="lower end of its 95 % Wilson interval")]
    share_high: float
    margin: Ahead
    verdict: Annotated[str, Column(about="firm, passing, open, or not judged; empty of runs that choose")]


class Listed(NamedTuple):
    """A word in the list of one run (tables 5 and 6)."""

    group: str
    run: str
    query: str
    rank: int
    word: str
    cosine: float
    rank_change: Annotated[float, Column(about="rank less the word's median rank over runs")]


class PairSpread(NamedTuple):
    """The SD of a query with one of its closest words: what figures 4 and 5 are drawn of."""

    group: str
    query: str
    place: int
    word: str
    sd: float
    relative: Annotated[float, Column(about="in parts of the query's SD over all words")]


class RankChanges(NamedTuple):
    """Quantiles of rank − median rank of the closest words (figure 3)."""

    group: str
    p05: float
    p25: float
    p50: float
    p75: float
    p95: float
    least: float
    largest: float
    outliers: Annotated[float, Column(about="share beyond 1.5 times the quartiles' distance")]


class ByRuns(NamedTuple):
    """Figure 6 of a group at a number of runs."""

    group: str
    runs: int
    paper: Annotated[float, Column(about="mean population SD, which the paper draws")]
    bias: Annotated[float, Column(about="what share of the limit it has by its bias alone, for normal values")]
    unbiased: Annotated[float, Column(about="root of the mean variance, ddof = 1")]
    error: Annotated[float, Column(about="relative error of one SD from so many runs, 1 / √(2(R − 1))")]


class Distance(NamedTuple):
    """How far the mean cosines of two settings lie apart."""

    first: str
    second: str
    squared_distance: Annotated[float, Column(about="beyond the noise of both; may be negative")]
    distance: Annotated[
        float, Column("beyond noise", 2, "of the mean cosines, without the noise of runs; 0 if that explains it")
    ]
    within: Annotated[float, Column("two runs of one", 2, "root mean square difference of two runs of one setting")]
    between: Annotated[float, Column("a run of each", 2)]


class CorpusRow(NamedTuple):
    """Table 2 of the paper for what groups were trained on."""

    corpus: str
    unit: str
    fraction: float
    units: int
    tokens: int
    tokens_per_unit: float


class Query(NamedTuple):
    """A query word."""

    query: str
    count: Annotated[
        int | None, Column("occurrences in a run", about="mean over runs, of the whole corpus where some read it")
    ]  # type: ignore[assignment]
    lacking: Annotated[int, Column(about="groups that do not have it")]


SETTINGS = Sheet("settings", Setting, "one row a group")
NEIGHBOURS = Sheet("neighbours", Neighbour, "one row a group, query and word near it", long=True)
LISTS = Sheet("lists", Listed, "one row a run, query and rank", long=True)
PAIRS = Sheet("pairs", PairSpread, "one row a group, query and close word", long=True)
RANK_CHANGES = Sheet("rank_changes", RankChanges, "one row a group")
BY_RUNS = Sheet("by_runs", ByRuns, "one row a group and number of runs")
DISTANCES = Sheet("distances", Distance, "one row a pair of groups that differ in sampling")
FINDINGS = Sheet("claims", Observation, "one row a finding of the paper and group")
CORPORA = Sheet("corpora", CorpusRow, "one row a corpus")
QUERIES = Sheet("queries", Query, "one row a query word")
