"""What the study claims of periods and words: whether contexts differ, what frequency explains, which words moved.

Each rule is decided by an interval over what sampled documents and training come to; the sentences show it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number
from gpustab.studies.change.differences import AtRandom, Explained, beyond, beyond_margin, expected, noise
from gpustab.studies.change.tables import Discovery, Excess, Law, Pair
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed, signed_span

NO_MORE = Margin(0.1, "part of what sampling adds to training by which a change may exceed that and still be no more")
NOISY = Margin(0.5, "how far two runs of one period lie apart, by two different words, from which change is not tested")
RELIABLE = Margin(0.9, "reliability of the order of words, from which on a list of those that moved most is shown")
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
    paper=(
        "Rettenmeier measured between the averages of 32 runs, which takes training away, and compared with no other "
        "sampling of a period's documents"
    ),
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
    paper=(
        "Rettenmeier dealt COHA's documents out to 20 batches, and compared what frequency explains there, not how far "
        "words move"
    ),
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
    paper=(
        "Rettenmeier found frequency to explain 31, 62 and 35 % in COHA and 0, 25 and 8 % of documents dealt out at "
        "random, by word2vec, GloVe and fastText averaged over 32 runs (30, 61, 20 and 7, 45, 11 % of single runs)"
    ),
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
    source="Rettenmeier 2020, table 4.2",
    paper="Rettenmeier lists five words a language by the average of 32 runs, with no reliability",
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
