"""What is said of an association of word sets: it is there beyond one run's luck, or it turns with the run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.results.page import counted, number, percent, signed
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.splits import least_p
from gpustab.studies.shared.claims import Claim, Margin, decide
from gpustab.studies.shared.wording import capital, signed_span

TURNS = Margin(0.05, "share of runs in which an association has another sign, up to which one run tells its sign")
CHANCE = Margin(
    0.05, "p of the words' splits, by the mean over the runs, up to which an association is no chance of words"
)
RUNS = 3
"""Fewer runs have hardly an error."""
OTHERS: Mapping[str, str] = {
    "training": "other trainings",
    "documents": "other draws of the documents",
    "": "other runs",
}
"""What differs between runs, in words."""


class Tested(NamedTuple):
    """One test in one group of runs."""

    group: str
    test: str
    first: Annotated[str, Column("X", about="first set of targets")]
    second: Annotated[str, Column("Y", about="second set of targets")]
    toward: Annotated[str, Column("A", about="first set of attributes")]
    against: Annotated[str, Column("B", about="second set of attributes")]
    words_first: Annotated[int, Column("words of X", about="that every run of every group has")]
    words_second: Annotated[int, Column("words of Y")]
    words_toward: Annotated[int, Column("words of A")]
    words_against: Annotated[int, Column("words of B")]
    differ_by: Annotated[str, Column("runs differ by", about="training; documents, and training too; or not known")]
    runs: Annotated[int, Column(about="0 where an alarm forbids to judge")]
    effect: Annotated[
        float,
        Column("d", 3, "effect size, at the mean over runs of Fisher's z: X less Y in association, by the SD (n − 1)"),
    ]
    low: Annotated[float, Column(about="95 % interval of the mean over runs, by Fisher's z")]
    high: float
    sd: Annotated[float, Column("SD over runs", 2)]
    run_low: Annotated[float, Column("one run from", about="95 % interval of d in another single run, by Fisher's z")]
    run_high: Annotated[float, Column("one run to")]
    least: Annotated[float, Column("least", about="of these runs")]
    most: Annotated[float, Column("most", about="of these runs")]
    words_se: Annotated[float, Column(about="standard error of d by the jackknife over the words of the sets")]
    difference: Annotated[float, Column(about="of association: X less Y, in cosine; mean over runs")]
    difference_se: Annotated[float, Column(about="its error over runs")]
    p: Annotated[
        float, Column(digits=2, about="two-sided, of the words' mean associations over all runs: splits of X and Y")
    ]
    p_error: Annotated[float, Column(about="of p by the draw of splits; 0 where all were enumerated")]
    splits: int
    other_sign: Annotated[float, Column("runs of other sign", about="share of these runs")]
    other_p: Annotated[
        float, Column("runs of other p", about="share of these runs on whose p another verdict rests, at 0.05")
    ]
    turned_low: Annotated[float, Column(about="share of all such runs with another sign, 95 % interval")]
    turned_high: float

    @property
    def sizes(self) -> tuple[int, int]:
        """How many targets the two sets have."""
        return self.words_first, self.words_second

    @property
    def over_words(self) -> Estimate:
        """The effect size, with its error over the words of all four sets."""
        words = self.words_first + self.words_second + self.words_toward + self.words_against
        return Estimate.of_runs(self.effect, self.words_se, words)


class Used(NamedTuple):
    """Which words of one set are tested: those that every run of every group has."""

    test: str
    set: str
    given: Annotated[int, Column("words given")]
    used: Annotated[int, Column("words used")]
    words: Annotated[str, Column("words that are used")]

    @property
    def lost(self) -> bool:
        """Whether fewer than half of the words are used, so that another set is tested than was given."""
        return 2 * self.used < self.given

    def __str__(self) -> str:
        return f"{self.set} {self.used} of {self.given} ({self.words})"


TESTS = Sheet("tests", Tested, "one row a group and test")
USED = Sheet("sets", Used, "one row a test and set of words")


def leading(rows: Iterable[Tested]) -> list[Tested]:
    """Return rows in the order of their tests, of each those of bootstrap runs first: they tell of documents too."""
    kept = list(rows)
    tests = list(dict.fromkeys(row.test for row in kept))
    return sorted(kept, key=lambda row: (tests.index(row.test), row.differ_by != "documents"))


def deciding(rows: Sequence[Tested], test: str) -> list[Tested]:
    """Return the rows by which a test is claimed: of bootstrap runs where there are such, else all."""
    own = [row for row in rows if row.test == test]
    return [row for row in own if row.differ_by == "documents"] or own


def _no_test(row: Tested) -> str:
    """Return why a row is not judged; empty where it is."""
    if not row.runs:
        return "an alarm forbids to judge these runs"
    if row.runs < RUNS:
        return f"{counted(row.runs, 'run', 'tells/tell')} nothing of others; train three or more, better eight"
    if least_p(*row.sizes) > CHANCE:
        return f"{row.words_first} and {row.words_second} targets are too few for a p of {CHANCE:g}"
    return "its numbers are not defined" if math.isnan(row.turned_high) else ""


def _judge(row: Tested) -> str:
    if _no_test(row):
        return "no test"
    holds = decide((row.turned_low, row.turned_high), -1.0, TURNS)
    return "words" if holds == "yes" and row.p > CHANCE else holds


def nearer(row: Tested) -> str:
    """Return which targets lie nearer to the first attributes, a clause with a capital."""
    near, far = (row.first, row.second) if row.effect >= 0 else (row.second, row.first)
    return f"The words of {near} lie nearer to {row.toward} than those of {far}, against {row.against}"


def either(row: Tested) -> str:
    """Return what is asked, a clause."""
    return (
        f"whether the words of {row.first} or those of {row.second} lie nearer to {row.toward}, against {row.against}"
    )


def size(row: Tested) -> str:
    """Return the effect size with what another run would give, a clause."""
    if math.isnan(row.run_low):
        return f"the effect size d is {signed(row.effect)}"
    span = signed_span(row.run_low, row.run_high)
    return f"the effect size d is {signed(row.effect)} ({span} in 95 % of {OTHERS[row.differ_by]})"


def _size(row: Tested) -> str:
    return capital(size(row))


def probability(row: Tested) -> str:
    """Return the p of the words with its error by the draw of splits."""
    return number(row.p, 2) + (f" ± {number(2 * row.p_error, 1)}" if row.p_error else "")


def chance(row: Tested) -> str:
    """Return the p of the words, a clause; where it is the smallest that sets of these sizes have, that is said."""
    said = f"p = {probability(row)}"
    if row.p_error or row.p > least_p(*row.sizes) * (1 + 1e-9):
        return said
    x, y = row.sizes
    return f"{said} ({round(row.p * row.splits):,} of {row.splits:,} splits, the least that {x} and {y} words can give)"


def turned(row: Tested) -> str:
    """Return in which share of runs the sign is another."""
    if row.turned_high < 0.001:
        return "in fewer than 1 of 1,000 runs"
    low, high = (percent(end, 0 if row.turned_high >= 0.1 else 1) for end in (row.turned_low, row.turned_high))
    return f"in {low.removesuffix(' %')}–{high} of runs"


def _advice(row: Tested) -> str:
    """Return what would tell: more runs where these words are no chance, else other words too."""
    if row.p <= CHANCE:
        return "Train more runs."
    return f"Since p is above {CHANCE:g}, name more words, and train more runs."


def shows(row: Tested) -> str:
    """Return the numbers of a test, a clause."""
    return f"{row.test}: {size(row)}, {chance(row)}; another sign {turned(row)}" if not _no_test(row) else row.test


THERE = Claim[Tested](
    id="association.there",
    says="The association of the word sets is there beyond one run's luck.",
    source="Caliskan et al. 2017",
    paper="Caliskan et al. found d of 1.06 to 1.81 in ten tests, by one space each",
    rule=(
        f"yes if the sign is another in at most {percent(TURNS)} of runs, and p over splits of the words is at most "
        f"{CHANCE:g}. It is called words if only p is larger, and no if the sign is another in more runs. The 95 % "
        "interval of the share of runs, by the noncentral t, decides. No test below "
        f"{RUNS} runs, or where sets are too small for a p of {CHANCE:g}"
    ),
    judge=_judge,
    sentences={
        "yes": lambda row: f"{nearer(row)}, beyond one run's luck. {_size(row)}, {chance(row)}.",
        "no": lambda row: (
            f"{capital(either(row))}, changes with the run: it is the other way round {turned(row)}. {_size(row)}."
        ),
        "words": lambda row: f"{nearer(row)}, but perhaps by chance of these words. {_size(row)}, {chance(row)}.",
        "undecided": lambda row: (
            f"These runs cannot tell {either(row)}. It may be the other way round {turned(row)}. {_size(row)}, "
            f"{chance(row)}. {_advice(row)}"
        ),
        "no test": lambda row: f"{capital(either(row))}, is not tested: {_no_test(row)}.",
    },
)
