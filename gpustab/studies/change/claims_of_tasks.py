"""What the study claims of SemEval-2020 task 1: are targets classified, do averages rank them better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.tables_of_tasks import Cell, Score
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import difference_span, groups_in_words, listed, the_runs, word

RANKED = Margin(5, "runs of a period from which on the ranks of averages are compared with those of single runs")


def gain_of(cell: Cell) -> Estimate:
    """Return how much better than the larger class a way classifies, with its error over targets."""
    return Estimate(cell.gain, cell.gain_se, cell.targets - cell.languages)


def _surely_better(cell: Cell, ways: int) -> bool:
    """Whether a way is better than the larger class by the interval that holds for so many ways together."""
    return gain_of(cell).among(ways)[0] > 0


def _ways(cells: Sequence[Cell]) -> str:
    """Judge whether any way classifies better than the larger class; no test without ranks.

    Of targets whose classes are drawn some of six ways is better by luck in 40 of 100 sets: so the best must be so by
    an interval over targets that allows for all ways.
    """
    if not any(math.isfinite(cell.spearman) for cell in cells):
        return "no test"
    if any(_surely_better(cell, len(cells)) for cell in cells):
        return "yes"
    return "open" if any(cell.accuracy > cell.majority for cell in cells) else "no"


def _best(cells: Sequence[Cell]) -> str:
    better = sum(cell.accuracy > cell.majority for cell in cells)
    sure = sum(_surely_better(cell, len(cells)) for cell in cells)
    many = f"{counted(sure, 'way', 'surely classifies/surely classify', of=len(cells))} the targets better"
    if not sure:
        many = f"{counted(better, 'way', of=len(cells))} may classify the targets better"
    if not better:
        many = "No way classifies the targets better"
    ranked = [cell for cell in cells if math.isfinite(cell.spearman)]
    best = max(ranked, key=lambda cell: cell.spearman)
    return (
        f"{many} than one class for all of them would (accuracy {number(cells[0].majority, 3)}). "
        f"{best.way} of {the_runs(f'{best.technique}/{best.sampling}')} has the best ranks of {len(ranked)} ways: "
        f"Spearman's ρ {number(best.spearman, 3)}, mean of {counted(best.languages, 'language')}."
    )


BETTER_THAN_ONE_CLASS = Claim[Sequence[Cell]](
    id="change.better-than-one-class",
    says="Some way of measuring change classifies the targets better than one class for all.",
    source="Rettenmeier 2020, table 4.3",
    paper=(
        "Rettenmeier's best of 18 ways, AA of fastText's bootstrap runs, has an accuracy of 0.674. The accuracy of one "
        "class is not given"
    ),
    rule=(
        "the accuracy is surely above that of one class for all targets, by the 95 % interval over targets for all "
        "ways together. Open: it is higher, but not surely"
    ),
    judge=_ways,
    sentences={"yes": _best, "open": _best, "no": _best},
)


class Way(NamedTuple):
    """The ranks of one way of measuring change beside those of single runs, of one series or mean over languages."""

    series: str
    beyond: Estimate

    @property
    def span(self) -> str:
        """The interval of the difference."""
        return difference_span(*self.beyond.interval, 2)

    @property
    def by(self) -> str:
        """By how much the averages are better or worse."""
        return f"difference {number(abs(self.beyond.value), 2)} of Spearman's ρ, {self.span}"


def _beside_single(way: Way) -> str:
    """Judge the averages beside single runs.

    Of 200 drawn sets of 3 runs the interval of 2.5 % lies above the mean of all of the same words, and that of 4.5 %
    below it. But where nothing moved and grades are drawn, 6 of 20 sets of three bootstrap runs of real text got a
    verdict, of five none: the average of three is noise that leaving one out hardly shows.
    """
    low, high = way.beyond.interval
    if math.isnan(low) or way.beyond.freedom + 1 < RANKED:
        return "no test"
    return "better" if low > 0 else "worse" if high < 0 else "open"


AVERAGE_BETTER = Claim[Way](
    id="change.average-better",
    says="The aligned average of runs ranks the targets better than single runs do.",
    source="Rettenmeier 2020, table 4.3",
    paper=(
        "Rettenmeier found that averages rank better than single runs for fastText (0.483 against 0.408, bootstrap; "
        "0.471 against 0.431, shuffled), and not for word2vec (0.465 against 0.467, 0.483 against 0.487)"
    ),
    rule=(
        "Spearman's ρ of the aligned averages (AA) is surely above the mean of single runs (IR), by the 95 % interval "
        f"over runs. Worse: it is surely below. No test below {word(int(RANKED))} runs of a period"
    ),
    judge=_beside_single,
    sentences={
        "better": lambda x: (
            f"{groups_in_words([x.series])}: averages rank the targets better than single runs do ({x.by})."
        ),
        "worse": lambda x: (
            f"{groups_in_words([x.series])}: averages rank the targets worse than single runs do ({x.by})."
        ),
        "open": lambda x: (
            f"{groups_in_words([x.series])}: these runs are too few to say whether averages rank the targets "
            f"better than single runs do ({x.by})."
        ),
    },
)


def averages_judged(rows: Iterable[Score | Cell]) -> Iterator[Way]:
    """Yield the averages of all runs of every series (or technique and sampling) beside its single runs."""
    for row in rows:
        if row.way == "AA" and math.isfinite(row.beyond):
            name = row.series if isinstance(row, Score) else f"{row.technique}/{row.sampling}"
            yield Way(name, Estimate.of_runs(row.beyond, row.beyond_se, row.runs))


def of_averages(rows: Iterable[Score | Cell]) -> Iterator[str]:
    """Yield what is said of averages beside single runs; what cannot be told or tested of several, in one sentence."""
    ways = list(averages_judged(rows))
    few = [way for way in ways if way.beyond.freedom + 1 < RANKED]
    enough = [way for way in ways if way not in few]
    if few:
        of = f" of {listed([the_runs(way.series) for way in few])}" if enough else ""
        least = f"{word(int(RANKED))} runs of a period"
        yield f"Averages{of} are compared with single runs from {least} on: train more (--runs {RANKED:g})."
    unknown = [way for way in enough if AVERAGE_BETTER.judge(way) == "open"]
    one_by_one = enough if len(unknown) < 2 else [way for way in enough if way not in unknown]
    yield from map(AVERAGE_BETTER.sentence, one_by_one)
    if len(unknown) > 1:
        each = listed([f"{the_runs(way.series)} ({way.by})" for way in unknown])
        yield f"These runs are too few to say whether averages rank the targets better than single runs do: {each}."
