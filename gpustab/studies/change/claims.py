"""What the study claims: between which periods contexts differ, by how much, what frequency explains, and which words.

Each rule is decided by an interval over what sampled documents and training come to; the sentences show it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpustab.errors import option
from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.differences import AtRandom, Explained, beyond, beyond_margin, expected, noise
from gpustab.studies.change.tables import Cell, Discovery, Excess, Law, Pair, Score
from gpustab.studies.shared import spaces
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed, signed_span

NO_MORE = Margin(0.1, "part of what sampling adds to training by which a change may exceed that and still be no more")
NOISY = Margin(0.5, "how far two runs of one period lie apart, by two different words, from which change is not tested")
RELIABLE = Margin(0.9, "reliability of the order of words, from which on a list of those that moved most is shown")
CAMPS = Margin(0.5, "change of words that may choose between two turns, by that of one turn, below which two camps are")
SHARED = Margin(0.5, "change by one turn over all words, by that without a turn, below which spaces share no frame")
BEYOND = Margin(0.05, "rate of false discoveries among the words that are listed as beyond the law of frequency")
WORDS_OF_A_LAW = Margin(20, "words from which on a law of frequency is fitted")

THESIS = "Rettenmeier 2020, chapter 4"

# Periods beside two samplings of one


def _beside_samplings(pair: Pair) -> str:
    """Judge a change beside that of two samplings of one period; between both bounds nobody can tell.

    In 120 drawn sets each of 200 words at 3, 4, 6, 8 and 16 runs there is no false verdict where nothing moved, none
    of ``"no more"`` where all words did, and ``"more"`` in 83, 96, 100, 100 and 100 % for steps of 0.6 word lengths'
    SD, in 6, 15, 38, 50 and 75 % for steps of 0.3. At training noise of 2.5 word lengths,
    where two runs of one period have nothing in common, a margin on the whole floor said *no more* of every change.
    """
    if pair.sampling_floor is None:
        return "no test"
    if noise(pair) > NOISY:
        return "too noisy"
    return "more" if beyond(pair)[0] > 0 else "no more" if beyond_margin(pair, NO_MORE)[1] < 0 else "open"


def _floor(pair: Pair) -> str:
    return f"Two samplings of one period's documents differ by {number(pair.sampling_floor, 2)}"


def _beyond_floor(pair: Pair, end: str) -> str:
    low, high = beyond(pair)
    start = f"{_floor(pair)}, which alone can come to {number(expected(pair).value, 2)} between periods"
    if math.isnan(low):
        return f"{start}; so few runs give no interval of what is beyond that."
    return f"{start}: what is beyond that, {signed_span(low, high)}, {end}."


def of_noise(pair: Pair) -> str:
    """Return why a change is not tested where two runs of one period are too noisy."""
    return (
        f"Two runs of one period lie {number(pair.training_floor, 2)} apart, and two different words "
        f"{number(pair.unlike, 2)}: training hides what documents do, so nothing is tested. Longer training, or "
        "another technique, would give runs that are more alike."
    )


BEYOND_SAMPLING = Claim[Pair](
    id="change.beyond-sampling",
    says="Contexts differ between two periods beyond the sampling of documents.",
    source=THESIS,
    rule=(
        "the 95 % interval of the change, less what sampling alone can come to between periods, lies above 0; no more "
        f"than it where that of the change less the distance of two samplings, and {NO_MORE:.0%} of what this has more "
        f"than training, lies below 0; no test where two runs of one period lie {NOISY:g} times as far apart as two "
        "different words, or farther"
    ),
    judge=_beside_samplings,
    sentences={
        "more": lambda pair: _beyond_floor(pair, "is above 0"),
        "no more": lambda pair: (
            f"{_floor(pair)}, as much as the periods do: the change less that and a margin of {NO_MORE:.0%} of what "
            f"documents add to training, {signed_span(*beyond_margin(pair, NO_MORE))}, is below 0."
        ),
        "too noisy": of_noise,
        "open": lambda pair: _beyond_floor(pair, "would have to be above 0 to tell a change"),
    },
)

_CLAUSES = {
    "more": "contexts differ beyond the sampling of documents {}",
    "no more": "contexts differ no more than two samplings of one period's documents {}",
    "open": "whether contexts differ beyond the sampling of documents {} cannot be told",
    "too noisy": (
        "whether contexts differ {} is not tested, since two runs of one period lie more than half as far apart as two "
        "different words"
    ),
}
"""What is said of the pairs of periods of one verdict together."""


def of_sampling(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield between which periods contexts differ beyond the sampling of documents, if that was measured."""
    several = len({pair.series for pair in pairs}) > 1
    names: dict[str, list[str]] = {}
    for pair in pairs:
        name = f"from {pair.first} to {pair.second}" + (f" ({pair.series})" if several else "")
        names.setdefault(BEYOND_SAMPLING.judge(pair), []).append(name)
    clauses = [clause.format(listed(names[verdict])) for verdict, clause in _CLAUSES.items() if verdict in names]
    if clauses:
        text = "; ".join(clauses)
        yield f"{text[0].upper()}{text[1:]}."


COMPARED = Claim[Sequence[Pair]](
    id="change.compared",
    says="The changes stand beside those of other documents of the same time.",
    rule="bootstrap runs, or documents dealt out at random, were measured beside other runs",
    judge=lambda pairs: "yes" if not pairs else "bootstrap" if all(x.bootstrap for x in pairs) else "no",
    sentences={
        "bootstrap": (
            "These are bootstrap runs, whose changes hold the sampling of documents twice over: train shuffled runs "
            "too, for which they are the floor."
        ),
        "no": (
            "No change can be told yet from other documents of the same time: how far apart two samplings of one "
            "period's documents would lie is not known. Train bootstrap runs too, or a control (train --control 2)."
        ),
    },
)
"""Judged where neither is there."""


# Periods beside documents dealt out at random


def _beside_splits(difference: AtRandom) -> str:
    """Judge periods beside documents dealt out at random, one-sided at 2.5 %.

    Of 120 drawn sets each at 3 runs and 2, 3 splits, and 8 runs and 2, 3 splits 0, 0, 3 and 1 are false; steps of 0.3
    word lengths' SD are seen in 61, 100, 64 and 100 %.
    """
    if difference.pairs and difference.noise > NOISY:
        return "too noisy"
    if math.isnan(difference.half):
        return "no error" if difference.splits > 1 else "unknown"
    return "more" if difference.value > difference.half else "open"


def _beside(difference: AtRandom, why: str) -> str:
    """How much farther periods differ, and why nobody can tell whether that is chance; empty if that is not known."""
    if math.isnan(difference.value):
        return ""
    by, way = number(abs(difference.value), 2), "more" if difference.value > 0 else "less"
    beside = "as much as" if by == "0" else f"by {by} {way} than"
    at_random = f"documents dealt out at random{difference.mean_over}"
    return f"Periods differ {beside} {at_random} without the noise of training. {why}"


MORE_THAN_AT_RANDOM = Claim[AtRandom](
    id="change.more-than-at-random",
    says="Periods differ more than documents dealt out at random do.",
    source=THESIS,
    rule=(
        "the 95 % interval of the difference, over splits and runs, lies above 0; unknown below two splits or without "
        f"an error over runs; no test where two runs of one period lie {NOISY:g} times as far apart as two different "
        "words, or farther"
    ),
    judge=_beside_splits,
    sentences={
        "more": lambda x: (
            f"Periods differ more than documents dealt out at random do: the difference{x.mean_over} is "
            f"{number(x.value, 2)} ({x.span}, above 0), without the noise of training."
        ),
        "open": lambda x: (
            "Whether periods differ more than documents dealt out at random cannot be told from these splits: the "
            f"difference{x.mean_over} is {number(x.value, 2)}, and its interval, {x.span}, would have to be above 0."
        ),
        "unknown": lambda x: _beside(x, "Two splits or more would tell how far that is chance (train --control 2)."),
        "no error": lambda x: _beside(
            x,
            "How far other trainings would say so is not known: of so few runs a change without the noise of training "
            "has no error. Train three runs or more of each period.",
        ),
        "too noisy": (
            "Whether periods differ more than documents dealt out at random is not tested: two runs of one period lie "
            "more than half as far apart as two different words, so that training hides what documents do."
        ),
    },
)


# What frequency explains


def _beside_control(explained: Explained) -> str:
    """Judge what frequency explains beside what it explains where nothing changed.

    Of 60 drawn sets each of 300 words in two pairs of periods 0, 1, 0 and 1 verdicts are false at 3, 5, 8 and 16 runs,
    under one law where β varies between runs with an SD of 0.1, and 0, 1, 2 and 0 with an SD of 0.3. A β of −0.7
    against −0.4 is missed in 90, 35, 28 and 2 %, and in 97, 93, 77 and 48 %.
    """
    if not explained.splits:
        return "no test"
    low, high = explained.difference.interval
    return "more" if low > 0 else "less" if high < 0 else "open"


FREQUENCY_EXPLAINS = Claim[Explained](
    id="change.frequency",
    says="Rarer words change more than noise says.",
    source="Rettenmeier 2020, §4.2",
    rule=(
        "the 95 % interval of R² of frequency less that of documents dealt out at random lies above 0, by the error "
        "over words and over runs with the degrees of freedom of the latter, of one run by that over words alone"
    ),
    judge=_beside_control,
    sentences={
        "more": lambda x: (
            f"{x.share}. The difference, {x.span} points, is above 0: rarer words changed more than noise says."
        ),
        "less": lambda x: (
            f"{x.share}. The difference, {x.span} points, is below 0, so these data do not show that rarer words "
            "change more."
        ),
        "open": lambda x: (
            f"{x.share}. Whether rarer words changed more than noise says cannot be told: the difference, {x.span} "
            "points, would have to be above 0."
        ),
        "no test": lambda x: (
            f"{x.share}. How much of that is noise cannot be told: the noise of sampled documents follows frequency "
            "too. A control, documents dealt out at random, tells (train --control 1)."
        ),
    },
)


def laws_judged(laws: Iterable[Law], floors: Container[str] = ()) -> Iterator[Explained]:
    """Yield the law of the series that answers the question, beside the controls of the same sampling."""
    rows = [law for law in laws if math.isfinite(law.r2_se) and law.series not in floors]
    genuine, splits = ([law for law in rows if law.control is which] for which in (False, True))
    if genuine:
        yield Explained(genuine[-1], splits)


def of_laws(laws: Iterable[Law], floors: Container[str] = ()) -> Iterator[str]:
    """Yield what frequency explains of change, against the control of the same sampling."""
    yield from map(FREQUENCY_EXPLAINS.sentence, laws_judged(laws, floors))


# Words


class Order(NamedTuple):
    """The order of the words by how far they moved between two periods, with its reliability."""

    name: str
    reliability: float


def _not_reliable(order: Order) -> str:
    known = "unknown" if math.isnan(order.reliability) else f"{order.reliability:.2f}"
    return f"{order.name}: no list, since its order is not reliable ({known}, wanted {RELIABLE:g}); train more runs."


ORDER = Claim[Order](
    id="change.order-of-words",
    says="Other runs would list nearly the same words as those that moved most.",
    rule=f"the part of the words' variance in change that is no error over runs is at least {RELIABLE:g}",
    judge=lambda order: "yes" if order.reliability >= RELIABLE else "no",
    sentences={"no": _not_reliable},
)

BEYOND_LAW = Claim[Excess](
    id="change.word-beyond-law",
    says="A word changed more than words of its frequency do.",
    rule=(
        "above the law, and farther above it than where documents were dealt out at random, at a rate of false "
        f"discoveries of {BEYOND:g} over all words of two periods, which the leads of such splits tell; "
        "no word without two splits"
    ),
    judge=lambda word: "yes" if word.q <= BEYOND and word.excess > 0 else "no",
)


class Differing(NamedTuple):
    """How many of how many words' contexts differ beyond the sampling of authors, by periods; some may be false."""

    counts: Mapping[tuple[str, str], tuple[int, int]]
    rate: float


def _differing(words: Differing) -> str:
    each = [
        f"{some:,} of {counted(of, 'word')} from {first} to {second}"
        for (first, second), (some, of) in words.counts.items()
    ]
    return f"Contexts differ beyond author sampling for {listed(each)} (of those found, {words.rate:.0%} may be false)."


WORDS_DIFFER = Claim[Differing](
    id="change.words-differ",
    says="The contexts of some words differ beyond the sampling of authors.",
    rule="a word is found at a rate of false discoveries, by documents dealt out anew, all of one author together",
    judge=lambda words: "yes" if any(some for some, _ in words.counts.values()) else "no",
    sentences={"yes": _differing, "no": _differing},
)


def of_words(discoveries: Iterable[Discovery], rate: float) -> list[str]:
    """Return how many words' contexts differ beyond the sampling of authors, between every two periods."""
    words: dict[tuple[str, str], list[bool]] = {}
    for row in discoveries:
        words.setdefault((row.first, row.second), []).append(row.found)
    counts = {periods: (sum(found), len(found)) for periods, found in words.items()}
    return [WORDS_DIFFER.sentence(Differing(counts, rate))] if counts else []


# SemEval-2020 task 1, and spaces


def _ways(cells: Sequence[Cell]) -> str:
    """Judge whether any way classifies better than the larger class; no test without ranks."""
    if not any(math.isfinite(cell.spearman) for cell in cells):
        return "no test"
    return "yes" if any(cell.accuracy > cell.majority for cell in cells) else "no"


def _best(cells: Sequence[Cell]) -> str:
    better = sum(cell.accuracy > cell.majority for cell in cells)
    many = f"{better} of {len(cells)} ways classify" if better else "no way classifies"
    ranked = [cell for cell in cells if math.isfinite(cell.spearman)]
    best = max(ranked, key=lambda cell: cell.spearman)
    return (
        f"The best ranks of {len(ranked)} ways are those of {best.technique}/{best.sampling} {best.way}: "
        f"Spearman's ρ {number(best.spearman, 3)}, mean of {best.languages} languages; {many} better than "
        f"calling all targets what most are ({number(cells[0].majority, 3)})."
    )


BETTER_THAN_ONE_CLASS = Claim[Sequence[Cell]](
    id="change.better-than-one-class",
    says="Some way of measuring change classifies the targets better than calling all what most are.",
    source="Rettenmeier 2020, table 4.3",
    rule="its accuracy is higher; the best of many is best by luck too, so it is said to be the best of so many",
    judge=_ways,
    sentences={"yes": _best, "no": _best},
)


class Cosine(NamedTuple):
    """Mean cosine of two different words in the runs of a period."""

    name: str
    value: float


COLLAPSED = Claim[Cosine](
    id="change.collapsed",
    says="All words of a period point one way.",
    rule=f"the mean cosine of two different words is above {spaces.COLLAPSED:g}",
    judge=lambda cosine: "yes" if cosine.value > spaces.COLLAPSED else "no",
    sentences={
        "yes": lambda cosine: (
            f"{cosine.name} is collapsed: all words point one way (mean cosine {cosine.value:.2f}), so that none "
            "can be seen to move. Train it longer."
        )
    },
)


TWO_CAMPS = Claim[Pair](
    id="change.two-camps",
    says="Two camps of words fit two turns of one space onto the other.",
    rule=(
        f"words that may choose between two turns, found on other words, move less than {CAMPS:g} times as far as by "
        "one turn over all words, and that is the turn that was taken"
    ),
    judge=lambda pair: "yes" if pair.align == "all" and pair.two_turns < CAMPS else "no",
    sentences={
        "yes": lambda pair: (
            f"From {pair.first} to {pair.second} two camps of words fit two turns of the one space onto the other, "
            f"{1 - pair.second_turn:.0%} of them the one and {pair.second_turn:.0%} the other. A turn onto most words "
            "takes those for moved that stood still while most moved together: which camp moved, these vectors cannot "
            f"say. If you know words that stood still, turn by them: {option('align', 'anchors')} with "
            f"{option('anchors', 'FILE')}. Neighbours need no turn: {option('words')} lists those of words that you "
            "name, by period."
        )
    },
)


def _frame(pair: Pair) -> str:
    """Judge whether spaces that were taken as they are have one frame; two runs of one period have it, if any have."""
    if pair.align != "none":
        return "no test"
    if noise(pair) > NOISY:
        return "runs"
    return "no" if pair.by_all < SHARED * pair.residual else "yes"


NO_FRAME = Claim[Pair](
    id="change.no-frame",
    says="Spaces that were not turned share one frame.",
    rule=(
        f"a turn over all words leaves at least {SHARED:g} of the change that there is without one, and two runs of "
        f"one period, not turned, lie less than {NOISY:g} times as far apart as two different words"
    ),
    judge=_frame,
    sentences={
        "no": lambda pair: (
            f"From {pair.first} to {pair.second} a turn over all words brings them nearer, from "
            f"{number(pair.residual, 2)} to {number(pair.by_all, 2)}: either these spaces share no frame, or most "
            f"words moved together. Unless they were tuned from the same vectors, take {option('align', 'all')}."
        ),
        "runs": lambda pair: (
            f"Without a turn two runs of one period lie {number(pair.training_floor, 2)} apart, and two different "
            f"words {number(pair.unlike, 2)}: these runs share no frame. Take {option('align', 'all')}."
        ),
    },
)


class Way(NamedTuple):
    """The ranks of one way of measuring change beside those of single runs, of one series or mean over languages."""

    series: str
    beyond: Estimate

    @property
    def span(self) -> str:
        """The interval of the difference."""
        return signed_span(*self.beyond.interval)


def _beside_single(way: Way) -> str:
    """Judge the averages beside single runs.

    Of 200 drawn sets of 3 runs the interval of 2.5 % lies above the mean of all of the same words, of 4.5 % below it.
    """
    low, high = way.beyond.interval
    return "no test" if math.isnan(low) else "better" if low > 0 else "worse" if high < 0 else "open"


AVERAGE_BETTER = Claim[Way](
    id="change.average-better",
    says="The aligned average of runs ranks the targets better than single runs do.",
    source="Rettenmeier 2020, table 4.3",
    rule=(
        "the 95 % interval of Spearman's ρ of the aligned averages (AA) less the mean of that of single runs (IR), "
        "over runs, lies above 0; worse where it lies below; no test below three runs of a period"
    ),
    judge=_beside_single,
    sentences={
        "better": lambda x: (
            f"{x.series}: the averages rank the targets better than single runs do, by {number(x.beyond.value, 2)} of "
            f"Spearman's ρ ({x.span}, above 0)."
        ),
        "worse": lambda x: (
            f"{x.series}: the averages rank the targets worse than single runs do, by {number(-x.beyond.value, 2)} of "
            f"Spearman's ρ ({x.span}, below 0)."
        ),
        "open": lambda x: (
            f"Whether the averages rank the targets better than single runs do cannot be told of {x.series}: the "
            f"difference of Spearman's ρ is {number(x.beyond.value, 2)} ({x.span})."
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
    """Yield what is said of averages beside single runs; what cannot be told of several, in one sentence."""
    ways = list(averages_judged(rows))
    unknown = [way for way in ways if AVERAGE_BETTER.judge(way) == "open"]
    yield from map(AVERAGE_BETTER.sentence, ways if len(unknown) < 2 else [way for way in ways if way not in unknown])
    if len(unknown) > 1:
        each = listed([f"{way.series} ({way.span} of Spearman's ρ)" for way in unknown])
        yield f"Whether the averages rank the targets better than single runs do cannot be told of {each}."
