"""The rows of the tables on target words that people judged, and the scores of the ways of measuring change."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.studies.change.tables import Name, arrow

Way = Annotated[
    str,
    Column(
        about="IR: every pair of a run of each period by itself; AA: the aligned averages; EA: mean change over the "
        "pairs, and their majority for the classes (a draw counts as no change)"
    ),
]
Accuracy = Annotated[float, Column("accuracy", 3, "of the classes; mean over pairs of IR; NaN without truth")]
Ranks = Annotated[float, Column("Spearman", 3, "correlation of change and the truth's grades")]
SD = Annotated[
    float, Column("SD", 2, "over the pairs of IR, over the halves of the runs of AA and EA: an upper limit, as there")
]
SE = Annotated[float, Column("SE", 2, "jackknife error over the runs, the k-th of all periods left out together")]
Beyond = Annotated[float, Column("ρ beyond single runs", 3, "Spearman less that of IR; 0 of IR itself")]
OneClass = Annotated[float, Column("all of one class", 3, "accuracy of calling all what most are")]


class Score(NamedTuple):
    """How well one way of measuring change answers both tasks of SemEval-2020 task 1."""

    series: Name
    task: Annotated[str, Column(about="language")]
    way: Way
    accuracy: Accuracy
    accuracy_sd: SD
    accuracy_se: SE
    spearman: Ranks
    spearman_sd: SD
    spearman_se: SE
    beyond: Beyond
    beyond_se: SE
    runs: Annotated[int, Column(about="of the period that has fewer: its errors rest on so many")]
    found: Annotated[int, Column(about="targets that both periods have")]
    targets: Annotated[int, Column(about="all of them")]
    majority: OneClass


class Cell(NamedTuple):
    """One row of table 4.3: a way of one series, mean over the languages."""

    technique: Annotated[str, Column(about="what was trained")]
    sampling: Annotated[str, Column(about="how each run's text was drawn")]
    way: Way
    size: Annotated[int, Column("runs", about="of each period behind a score, of the language that has fewest")]
    languages: Annotated[int, Column(about="how many it is a mean over")]
    accuracy: Accuracy
    accuracy_sd: SD
    accuracy_se: SE
    spearman: Ranks
    spearman_sd: SD
    spearman_se: SE
    beyond: Beyond
    beyond_se: SE
    runs: Annotated[int, Column(about="of each period, of the language that has fewest: its errors rest on so many")]
    majority: OneClass
    gain: Annotated[float, Column("accuracy beyond one class", 3, "less that of calling all what most are")]
    gain_se: Annotated[float, Column("SE over targets", 2, "its error over the targets")]
    targets: Annotated[int, Column(about="that have a class and are in both periods, of all languages")]


class Target(NamedTuple):
    """One row of table 4.2: a target, its change between the averages of all runs and what people say of it."""

    series: Name
    task: Annotated[str, Column(about="language")]
    word: str
    change: Annotated[float, Column("change", 3, "between the aligned averages of all runs: AA")]
    place: Annotated[int, Column(about="by change, the most changed first")]
    grade: Annotated[float | None, Column("grade", 3, "of change, by people; none without")]
    place_by_people: Annotated[int | None, Column(about="by grade")]
    changed: Annotated[bool | None, Column(about="whether it gained or lost a sense, by people; none without")]


class Ranked(NamedTuple):
    """How well one measure of change ranks the words that people judged in one column of a table."""

    series: Name
    of: Annotated[str, Column(about="series that it is a control of, or itself")]
    first: Annotated[str, Column(about="the earlier period")]
    second: Annotated[str, Column(about="the later one")]
    column: Annotated[str, Column(about="of the table")]
    high: Annotated[str, Column(about="what a high value of the column says of a word: changed or unchanged")]
    way: Annotated[
        str,
        Column(
            "measure",
            about="IR, AA and EA of displacement, as of SemEval's targets; neighbours: those lost, without alignment",
        ),
    ]
    spearman: Annotated[
        float, Column("Spearman", 3, "of the measure and of what people call changed: above 0 is right")
    ]
    se: Annotated[
        float,
        Column(
            "SE",
            2,
            "jackknife error over the runs: the k-th of both periods left out together, of neighbours one by one",
        ),
    ]
    runs: Annotated[int, Column(about="of the period that has fewer: the error rests on so many")]
    low: Annotated[float, Column("from", 2, "95 % over words, by Fisher's z with Bonett & Wright's variance")]
    up: Annotated[float, Column("to", 2, "its other end; words are taken for independent draws")]
    words: Annotated[int, Column(about="that are ranked, the same by all measures")]
    listed: Annotated[int, Column(about="words of the table")]

    @property
    def periods(self) -> str:
        """Both, with an arrow between."""
        return arrow(self.first, self.second)


TASK = Sheet("task", Score, "one row a series and way of measuring change")
TARGETS = Sheet("targets", Target, "one row a series and target of SemEval, those first that moved most")
GRID = Sheet("grid", Cell, "one row a technique, sampling and way, over the languages")

RANKED = Sheet("truth", Ranked, "one row a series, pair of periods, column of people's judgements and measure")

SHEETS = (TASK, TARGETS, GRID, RANKED)
