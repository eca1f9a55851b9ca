"""The rows of the study's tables, their columns declared once, and which series of a table answer the question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Literal, NamedTuple

from gpustab.results import Column, Sheet, Table
from gpustab.results.page import percent, thousands
from gpustab.statistics.intervals import Estimate


def tenths(share: float) -> str:
    """Return a share in percent with one digit after the point, ``–`` for an undefined one.

    >>> tenths(0.3049), tenths(math.nan)
    ('30.5 %', '–')
    """
    return f"{percent(share, 1)}" if math.isfinite(share) else "–"


def per_million(frequency: float) -> str:
    """Return a relative frequency in occurrences per million words.

    >>> per_million(0.00123)
    '1,230'
    """
    return f"{frequency * 1e6:,.0f}"


def arrow(first: str, second: str) -> str:
    """Return what two periods are called.

    >>> arrow("1800-1819", "1820-1839")
    '1800-1819 → 1820-1839'
    """
    return f"{first} → {second}"


AT_RANDOM = "dealt out at random"
"""What documents are called that a control dealt out to the periods, so that nothing changed between them."""

Name = Annotated[str, Column(about="name of the series")]
First = Annotated[str, Column(about="the earlier period")]
Second = Annotated[str, Column(about="the later period")]
Control = Annotated[bool, Column(about="whether documents were dealt out at random, so that nothing changed")]
Change = Annotated[
    float, Column("change", 3, "1 − cosine between a run of each period, mean over all pairs: IR, and EA word by word")
]
Averaged = Annotated[float, Column("between averages", 3, "change between the aligned averages of all runs: AA")]
Corrected = Annotated[
    float, Column("without training noise", 3, "change freed of it; none where training is most of the distance")
]
TwoRuns = Annotated[float, Column("two runs of one", 2, "change between two runs of one period, mean of both periods")]
TwoSamplings = Annotated[
    float | None,
    Column("two samplings of one", 2, "change between two bootstrap runs of one period, mean of both; none without"),
]
OverRuns = Annotated[float, Column(about="its jackknife error over the runs of both periods")]
Frequency = Annotated[float, Column("frequency per million", about="relative, in the earlier period", text=per_million)]
Expected = Annotated[float, Column("expected", 3, "change of a word of its frequency, by a curve")]


class Pair(NamedTuple):
    """Two periods; changes are means over the tested words, each 1 − cosine."""

    series: Name
    of: Annotated[str, Column(about="series that it is a control of, or itself")]
    split: Annotated[str, Column(about="number of the control; empty where it is none")]
    control: Control
    bootstrap: Annotated[bool, Column(about="whether the runs read draws of their documents")]
    first: First
    second: Second
    words: Annotated[int, Column(about="joint words, over which the spaces are aligned")]
    tested: Annotated[int, Column("words", about="those that are frequent enough in both", text=thousands)]
    runs_first: Annotated[int, Column(about="runs of the earlier period")]
    runs_second: Annotated[int, Column(about="runs of the later period")]
    change: Change
    change_sd: Annotated[float, Column(about="SD over the pairs of runs")]
    change_se: OverRuns
    averaged: Averaged
    averaged_se: OverRuns
    corrected: Corrected
    corrected_se: OverRuns
    corrected_words: Annotated[int, Column(about="words that have such a change without every run too: mean over them")]
    training_floor: TwoRuns
    training_se: OverRuns
    averaged_floor: Annotated[float, Column(about="change between averages of half of a period's runs")]
    sampling_floor: TwoSamplings
    sampling_se: Annotated[float | None, Column(about="its jackknife error over the runs of both periods")]
    beyond_se_words: Annotated[float | None, Column(about="error of change − sampling floor over words")]
    two_turns: Annotated[float, Column(about="change of words that may choose between two turns, by that of one turn")]
    second_turn: Annotated[float, Column(about="part of the words that fit the second turn better")]
    align: Annotated[
        str, Column(about="by what the one period is turned onto the other: all joint words, anchors, none")
    ]
    turned_by: Annotated[
        int, Column("words of the turn", about="by how many; all joint words where none", text=thousands)
    ]
    residual: Annotated[float, Column("residual", 3, "change of these words between the averages, by that turn")]
    held_out: Annotated[
        float, Column("held out", 3, "that of each half of them by a turn of the other half; none of too few words")
    ]
    by_all: Annotated[
        float, Column("by one turn of all", 3, "change of all joint words by a turn that is found over all")
    ]
    mean_cosine_first: Annotated[float, Column(about="of two different words, in the earlier period's runs")]
    mean_cosine_second: Annotated[float, Column(about="of two different words, in the later period's runs")]
    without_noise: Annotated[bool, Column(about="whether all runs of each period are the same vectors")] = False
    some_equal: Annotated[bool, Column(about="whether all runs of a period, or of both, are the same vectors")] = False

    @property
    def periods(self) -> str:
        """What the two are called."""
        return arrow(self.first, self.second)

    @property
    def unlike(self) -> float:
        """How far two different words of one period lie apart, mean of both periods."""
        return 1 - fmean((self.mean_cosine_first, self.mean_cosine_second))

    @property
    def fewest_runs(self) -> int:
        """Runs of the period that has fewer: errors over the runs of both rest on so many."""
        return min(self.runs_first, self.runs_second)

    def estimate(self, value: float | None, se: float | None) -> Estimate:
        """Return a number of this row with its error over the runs of both periods."""
        return Estimate.of_runs(value, se, self.fewest_runs)


Share = Column("neighbours in common", 2, "part of a word's k nearest words that a run of each period share")
Lost = Annotated[
    float,
    Column(
        "neighbours lost",
        2,
        "of those that two runs of one period share beyond chance, the part that a run of each does not; 0: none",
    ),
]


class Kept(NamedTuple):
    """Two periods by the neighbours that their words keep; shares are means over the tested words."""

    series: Name
    of: Annotated[str, Column(about="series that it is a control of, or itself")]
    control: Control
    bootstrap: Annotated[bool, Column(about="whether the runs read draws of their documents")]
    first: First
    second: Second
    k: Annotated[int, Column("neighbours", about="how many nearest words are looked at", text=thousands)]
    words: Annotated[int, Column(about="tested words, which are the neighbours too", text=thousands)]
    runs: Annotated[int, Column(about="of the period that has fewer: errors rest on so many")]
    chance: Annotated[float, Column("by chance", 2, "part that unrelated lists share")]
    shared: Annotated[float, Share]
    shared_se: OverRuns
    two_runs: Annotated[float, Column("two runs of one", 2, "part that two runs of one period share, mean of both")]
    two_runs_se: OverRuns
    two_samplings: Annotated[
        float | None, Column("two samplings of one", 2, "part that two bootstrap runs of one share; none without")
    ]
    two_samplings_se: Annotated[float | None, Column(about="its jackknife error over the runs of both periods")]
    beyond_se_words: Annotated[float | None, Column(about="error of two samplings − in common over words")]
    lost: Lost
    lost_se: OverRuns
    agreement: Annotated[
        float, Column("agreement", 2, "Spearman's ρ of neighbours lost and change between averages, over the words")
    ]

    @property
    def periods(self) -> str:
        """What the two are called."""
        return arrow(self.first, self.second)

    def estimate(self, value: float | None, se: float | None) -> Estimate:
        """Return a number of this row with its error over the runs of both periods."""
        return Estimate.of_runs(value, se, self.runs)


class Word(NamedTuple):
    """A tested word between two periods."""

    series: Name
    first: First
    second: Second
    word: str
    count_first: Annotated[float | None, Column(about="occurrences per run in the earlier period")]
    count_second: Annotated[float | None, Column(about="occurrences per run in the later period")]
    change: Change
    change_se: OverRuns
    averaged: Averaged
    averaged_se: OverRuns
    corrected: Corrected
    corrected_se: OverRuns
    training_floor: TwoRuns
    sampling_floor: TwoSamplings
    excess: Annotated[float | None, Column("difference", 2, "change − sampling floor")]
    shared: Annotated[float, Share] = math.nan
    lost: Lost = math.nan
    lost_se: OverRuns = math.nan


class Law(NamedTuple):
    """The law of frequency of a series at one number of averaged runs; means over the disjoint averages of so many."""

    series: Name
    control: Control
    n: Annotated[int, Column("runs averaged")]
    averages: Annotated[int, Column(about="disjoint averages of so many in each period")]
    words: Annotated[int, Column(about="different words", text=thousands)]
    rows: Annotated[int, Column(about="words times pairs of periods")]
    beta: Annotated[float, Column("β of frequency", 3, "effect of log frequency on log change, both standardised")]
    beta_se: Annotated[float, Column("SE", 2, "its standard error, over words")]
    beta_se_runs: Annotated[float, Column("SE over runs", 2, "its jackknife error, over runs; NaN for one run")]
    r2_marginal: Annotated[float, Column("R² marginal", about="variance that frequency explains", text=tenths)]
    r2_conditional: Annotated[
        float, Column("R² conditional", about="variance that frequency and the word explain", text=tenths)
    ]
    r2_se: Annotated[
        float,
        Column("SE over words", about="bootstrap error of r2_marginal over words; NaN without draws", text=tenths),
    ]
    r2_se_runs: Annotated[float, Column("SE over runs", about="its jackknife error over runs", text=tenths)]
    r2_conditional_se_runs: Annotated[float, Column("SE over runs", about="that of r2_conditional", text=tenths)]

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the errors over runs: of one average of R runs R − 1, of k single runs k − 1."""
        return self.averages * (self.n - 1) if self.n > 1 else self.averages - 1

    def over_words(self, se: float) -> float:
        """Half of the 95 % interval of a number with this standard error over words."""
        return Estimate.of_runs(0.0, se, self.words).half

    def over_runs(self, se: float) -> float:
        """Half of the 95 % interval of a number with this standard error over runs."""
        return Estimate(0.0, se, self.freedom).half


class Excess(NamedTuple):
    """A word's change beside what is expected of it, between the averages of most runs."""

    series: Name
    first: First
    second: Second
    word: str
    frequency: Frequency
    change: Annotated[float, Column("change", 3, "between the averages of most runs")]
    expected: Expected
    excess: Annotated[float, Column(about="ln(change / expected)")]
    excess_se: Annotated[float, Column(about="its jackknife error over runs; NaN for one run")]
    freedom: Annotated[int, Column(about="degrees of freedom of that error")]
    q: Annotated[
        float, Column("q", 2, "least rate of false discoveries at which it leads documents dealt out at random")
    ]
    noise: Annotated[
        float, Column(AT_RANDOM, 3, "change between documents that were, mean over the splits; NaN without a control")
    ]
    unlike_noise: Annotated[
        float, Column(about="how many times the training noise of periods and of a split differ; NaN of single runs")
    ] = math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the excess, over runs."""
        return Estimate(self.excess, self.excess_se, self.freedom).interval


class FrequencyClass(NamedTuple):
    """Words of like frequency, between two periods."""

    series: Name
    first: First
    second: Second
    low: Annotated[float, Column(about="least relative frequency")]
    high: Annotated[float, Column(about="greatest relative frequency")]
    words: Annotated[int, Column(about="how many that the control has too", text=thousands)]
    change: Annotated[float, Column("change", 3, "their mean change")]
    noise: Annotated[float, Column(AT_RANDOM, 3, "their mean change between documents that were")]
    beyond: Annotated[float, Column(about="the difference")]
    beyond_se: Annotated[float, Column(about="its error over words")]


class Step(NamedTuple):
    """How far a word is from where it was in the reference period."""

    series: Name
    word: str
    epoch: Annotated[str, Column(about="period in which it is looked at")]
    reference: Annotated[str, Column(about="period that it is compared with")]
    change: Annotated[float, Column(about="between the averages, each period aligned to the reference")]
    se: Annotated[float, Column(about="jackknife error over the runs of both")]
    freedom: Annotated[int, Column(about="of that error: runs of the period that has fewer, less one")]
    chained: Annotated[float, Column(about="change with each period aligned to the next, map after map")]
    occurrences: Annotated[float | None, Column(about="per run; none where the files have none")]


class Near(NamedTuple):
    """A neighbour of a word in one period."""

    series: Name
    word: str
    epoch: Annotated[str, Column(about="period in which it is looked at")]
    neighbour: Annotated[str, Column(about="a word among its n nearest in some run")]
    runs: Annotated[int, Column(about="in how many")]
    of: Annotated[int, Column(about="runs that have the word")]
    cosine: Annotated[float, Column(about="mean over the runs in which it is among them")]


class Discovery(NamedTuple):
    """A word that was tested against the sampling of authors, between two periods."""

    first: First
    second: Second
    word: str
    change: Annotated[float, Column("change", 3, "1 − cosine between the two periods")]
    expected: Annotated[float, Column("expected", 3, "mean over the deals")]
    z: Annotated[float, Column("z", 3, "how many SDs of the deals the change lies above that")]
    p: Annotated[float, Column(about="share of the pooled deals with a z as large")]
    q: Annotated[float, Column("q", 2, "smallest rate of false discoveries at which the word is found")]
    found: Annotated[bool, Column(about="whether it is, at the rate that was chosen")]


PAIRS = Sheet("pairs", Pair, "one row two consecutive periods of a series")
KEPT = Sheet("kept", Kept, "one row two consecutive periods of a series, by the neighbours that words keep")
LAWS = Sheet("laws", Law, "one row a series and number of averaged runs")
FREQUENCY = Sheet("frequency", FrequencyClass, "one row two periods and class of frequency")
TRAJECTORIES = Sheet("trajectories", Step, "one row a followed word and period that has it")
NEIGHBOURS = Sheet("neighbours", Near, "one row a followed word, period and neighbour")
WORDS = Sheet("words", Word, "one row two periods and word, those first that moved most", long=True)
EXCESS = Sheet(
    "excess", Excess, "one row two periods and word, those first that are farthest beyond the law", long=True
)
DISCOVERIES = Sheet("discoveries", Discovery, "one row two periods and word, those of lowest q first", long=True)

SHEETS = (PAIRS, KEPT, LAWS, FREQUENCY, TRAJECTORIES, NEIGHBOURS, WORDS, EXCESS)
"""The tables of every answer, beside those of tasks; discoveries are there where authors are dealt out."""


def floor_series(pairs: Table[Pair]) -> set[str]:
    """Return the bootstrap series that serve as the sampling floor of others."""
    served = any(row.sampling_floor is not None for row in pairs.rows())
    return {row.series for row in pairs.rows() if served and row.bootstrap}


def main_series(pairs: Table[Pair]) -> list[str]:
    """Return the series that answer the question: neither controls nor the sampling floor of others."""
    floors = floor_series(pairs)
    return list(dict.fromkeys(row.series for row in pairs.rows() if not row.control and row.series not in floors))


def compared(pairs: Table[Pair]) -> list[str]:
    """Return these series and their controls."""
    main = main_series(pairs)
    return list(dict.fromkeys(row.series for row in pairs.rows() if row.of in main))


def called(pairs: Table[Pair]) -> dict[str, str]:
    """Return what every series is called: documents dealt out at random say so."""
    several = len(set(pairs.get("of", []))) > 1
    return {
        row.series: f"{AT_RANDOM} ({row.split})" + (f", {row.of}" if several else "") if row.split else row.series
        for row in pairs.rows()
    }


def splits_of(pairs: Table[Pair], row: Pair) -> list[Pair]:
    """Return the rows of the splits at random that two periods of a series are compared with."""
    return list(pairs.rows(control=True, of=row.series, first=row.first, second=row.second))


def beside_splits(row: Pair) -> Literal["corrected", "change"]:
    """Return which change of two periods stands beside that of splits at random.

    It is that without training noise; as it is where single runs, or equal ones, leave the noise unknown.
    """
    return "corrected" if math.isfinite(row.training_floor) else "change"


def at_random(row: Pair, splits: Sequence[Pair]) -> float:
    """Return the mean of that change over these splits; NaN if it is unknown."""
    return fmean([getattr(split, beside_splits(row)) for split in splits] or [math.nan])


def first_words(words: Sequence[Word]) -> tuple[set[str], set[str]]:
    """Return the words of the first tenth by neighbours lost, and by change between averages."""
    many = max(1, len(words) // 10)
    known = [word for word in words if math.isfinite(word.lost)]
    by_lost = sorted(known, key=lambda word: (-word.lost, word.word))[:many]
    by_change = sorted(words, key=lambda word: (-word.averaged, word.word))[:many]
    return {word.word for word in by_lost}, {word.word for word in by_change}
