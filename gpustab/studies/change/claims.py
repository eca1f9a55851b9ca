"""What the study claims of periods and words: whether contexts differ, what frequency explains, which words moved.

Each rule is decided by an interval over what sampled documents and training come to; the sentences show it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.studies.change import differences
from gpustab.studies.change.differences import AtRandom, Explained, beyond, beyond_margin, expected, noise
from gpustab.studies.change.tables import Discovery, Excess, Law, Pair
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import false_ones, group_in_words, groups_in_words, listed, number_span, signed_span

NO_MORE = Margin(0.1, "part of what sampling adds to training by which a change may exceed that and still be no more")
NOISY = Margin(0.5, "how far two runs of one period lie apart, by two different words, from which change is not tested")
RELIABLE = Margin(0.9, "reliability of the order of words, from which on a list of those that moved most is shown")
BEYOND = Margin(0.05, "rate of false discoveries among the words that are listed as beyond the law of frequency")
UNLIKE_NOISE = Margin(1.5, "how many times the training noise of two periods and of a split differ, and still compare")
WORDS_OF_A_LAW = Margin(20, "words from which on a law of frequency is fitted")

BARELY = Margin(0.05, "part of their lists of neighbours that two runs of one period must share beyond chance")

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
    if pair.without_noise:
        return "no spread"
    if noise(pair) > NOISY:
        return "too noisy"
    return "more" if beyond(pair)[0] > 0 else "no more" if beyond_margin(pair, NO_MORE)[1] < 0 else "open"


def _floor(pair: Pair) -> str:
    lie = differences.with_interval(pair.estimate(pair.sampling_floor, pair.sampling_se))
    return f"Two samplings of one period's documents lie {lie} apart"


def _beyond_floor(pair: Pair, begin: str) -> str:
    low, high = beyond(pair)
    start = f"{begin} {_floor(pair)}."
    if not math.isfinite(expected(pair).value):
        one = "Runs that are all the same vectors say" if pair.some_equal else "A single run says"
        return f"{start} {one} nothing of the training noise."
    start += f" Sampling alone can give {differences.with_interval(expected(pair))}."
    if math.isnan(low):
        return f"{start} So few runs give no interval for the rest."
    return f"{start} The rest is {number_span(low, high, 2)}."


def of_noise(pair: Pair) -> str:
    """Return why a change is not tested where two runs of one period are too noisy."""
    lie = differences.with_interval(pair.estimate(pair.training_floor, pair.training_se))
    return (
        f"The training noise hides the effect of the documents: two runs of one period lie {lie} apart, two different "
        f"words {number(pair.unlike, 2)}. Nothing is tested. Train longer, or take another technique."
    )


BEYOND_SAMPLING = Claim[Pair](
    id="change.beyond-sampling",
    says="Contexts differ between two periods beyond the sampling of documents.",
    source=THESIS,
    paper=(
        "Rettenmeier compared averages of 32 runs, which have no training noise, and no second sampling of a period's "
        "documents"
    ),
    rule=(
        "more: the 95 % interval of the change less the effect of sampling lies above 0. No more: the change is surely "
        f"below the distance of two samplings and {percent(NO_MORE)} of what sampling adds to training. No test if two "
        f"runs of one period lie at least {NOISY:g} times as far apart as two different words, or if all "
        "runs of a period are the same vectors"
    ),
    judge=_beside_samplings,
    sentences={
        "more": lambda pair: _beyond_floor(pair, "The periods differ more than sampling explains."),
        "no more": lambda pair: (
            f"The periods differ no more than two samplings of one period's documents. {_floor(pair)}. Less a small "
            f"margin, the difference is {signed_span(*beyond_margin(pair, NO_MORE))}."
        ),
        "too noisy": of_noise,
        "no spread": lambda pair: f"{_floor(pair)}. Equal runs give no interval for the difference.",
        "open": lambda pair: _beyond_floor(
            pair, f"These runs {'cannot' if pair.some_equal else 'are too few to'} separate a change from sampling."
        ),
    },
)

_SENTENCES = {
    "more": "Contexts differ more than sampling explains {}.",
    "at random": (
        "Contexts are not shown to differ {}: documents dealt out at random, between which nothing changed, differ "
        "more than sampling explains too."
    ),
    "no more": "Contexts differ no more than two samplings of one period's documents {}.",
    "open": "These runs are too few to separate a change of contexts from sampling {}.",
    "some equal": (
        "These runs cannot separate a change of contexts from sampling {}: those of one period are all the same "
        "vectors, which gives no interval."
    ),
    "no spread": (
        "Contexts are not compared {}: the runs of a period are all the same vectors, which gives no interval."
    ),
    "too noisy": (
        "Contexts are not compared {}: two runs of one period lie more than half as far apart as two different words."
    ),
}
"""What is said of the pairs of periods of one verdict together."""


def of_sampling(pairs: Sequence[Pair], at_random: Container[Pair] = ()) -> Iterator[str]:
    """Yield between which periods contexts differ beyond the sampling of documents, if that was measured.

    Args:
        pairs: two periods each.
        at_random: those that differ by a rule by which documents dealt out at random differ too.
    """
    several = len({pair.series for pair in pairs}) > 1
    names: dict[str, list[str]] = {}
    for pair in pairs:
        name = f"from {pair.first} to {pair.second}" + (f" ({group_in_words(pair.series)})" if several else "")
        verdict = BEYOND_SAMPLING.judge(pair)
        verdict = "some equal" if verdict == "open" and pair.some_equal else verdict
        names.setdefault("at random" if pair in at_random else verdict, []).append(name)
    if said := [text.format(listed(names[verdict])) for verdict, text in _SENTENCES.items() if verdict in names]:
        yield " ".join(said)


COMPARED = Claim[Sequence[Pair]](
    id="change.compared",
    says="The changes can be compared with those of other documents of the same time.",
    rule="bootstrap runs, or documents dealt out at random, were measured beside other runs",
    judge=lambda pairs: "yes" if not pairs else "bootstrap" if all(x.bootstrap for x in pairs) else "no",
    sentences={
        "bootstrap": (
            "These are bootstrap runs, so each change contains the noise of sampling twice. Train shuffled runs too, "
            "and compare them with these."
        ),
        "no": (
            "Nothing here separates a change from sampling. The distance between two samplings of one period's "
            "documents is unknown. Train bootstrap runs too, or a control (train --control 2)."
        ),
    },
)
"""Judged where neither is there."""


# Periods beside documents dealt out at random


def beside_splits(difference: AtRandom) -> str:
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
    beside = "as much as" if by == "0" else f"{way} than"
    size = "" if by == "0" else f" by {by}"
    over = f" ({difference.mean_over})" if difference.mean_over else ""
    return f"Without training noise, periods differ {beside} randomly dealt documents{size}{over}. {why}"


def with_span(difference: AtRandom) -> str:
    """The interval, and what the value is a mean over."""
    over = f", {difference.mean_over}" if difference.mean_over else ""
    return f"{number_span(difference.value - difference.half, difference.value + difference.half, 2)}{over}"


MORE_THAN_AT_RANDOM = Claim[AtRandom](
    id="change.more-than-at-random",
    says="Periods differ more than randomly dealt documents do.",
    source=THESIS,
    paper=(
        "Rettenmeier dealt COHA's documents out to 20 random batches, and compared the effect of frequency there, not "
        "the distance that words move"
    ),
    rule=(
        "the 95 % interval of the difference, over splits and runs, lies above 0. Unknown: fewer than two splits, or "
        f"no error over runs. No test if two runs of one period lie at least {NOISY:g} times as far apart as two "
        "different words"
    ),
    judge=beside_splits,
    sentences={
        "more": lambda x: (
            f"Periods differ more than randomly dealt documents, by {number(x.value, 2)} ({with_span(x)}) without "
            "training noise."
        ),
        "open": lambda x: (
            "These splits are too few to say whether periods differ more than randomly dealt documents (difference "
            f"{number(x.value, 2)}, interval {with_span(x)})."
        ),
        "unknown": lambda x: _beside(
            x, "One split cannot say whether that is chance. Deal two or more (train --control 2)."
        ),
        "no error": lambda x: _beside(
            x, "These runs are too few for an interval. Train at least three runs of each period."
        ),
        "too noisy": (
            "Periods are not compared with randomly dealt documents. The training noise hides the effect of the "
            "documents: two runs of one period lie more than half as far apart as two different words."
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
    says="Rarer words change more than noise explains.",
    source="Rettenmeier 2020, §4.2",
    paper=(
        "Rettenmeier found that frequency explains 31, 62 and 35 % in COHA (word2vec, GloVe, fastText; averages of 32 "
        "runs), and 0, 25 and 8 % in randomly dealt documents. Single runs: 30, 61, 20 and 7, 45, 11 %"
    ),
    rule=(
        "R² of frequency is surely above that of randomly dealt documents, by the 95 % interval over words and runs, "
        "or over words only if there is one run"
    ),
    judge=_beside_control,
    sentences={
        "more": lambda x: f"Rarer words change more than noise explains. {x.share} (difference {x.span} points).",
        "less": lambda x: (
            f"These data do not show that rarer words change more than noise explains. {x.share} (difference {x.span} "
            "points)."
        ),
        "open": lambda x: (
            "These data are too few to say whether rarer words change more than noise explains. "
            f"{x.share} (difference {x.span} points)."
        ),
        "no test": lambda x: (
            f"{x.share}. Some of that may be noise, because sampling noise depends on frequency too. Compare with a "
            "control of randomly dealt documents (train --control 1)."
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
    equal: bool = False
    """Whether all runs of a period are the same vectors, which gives no reliability."""


def _not_reliable(order: Order) -> str:
    known = "unknown" if math.isnan(order.reliability) else f"{order.reliability:.2f}"
    return (
        f"{groups_in_words([order.name])}: these runs cannot list the words that moved most (reliability "
        f"{known}, {RELIABLE:g} needed)." + (" Equal runs give no reliability." if order.equal else " Train more runs.")
    )


ORDER = Claim[Order](
    id="change.order-of-words",
    says="Other runs would list nearly the same words as those that moved most.",
    source="Rettenmeier 2020, table 4.2",
    paper="Rettenmeier lists five words for each language, from the average of 32 runs, without a reliability",
    rule=(
        f"the reliability of the order is at least {RELIABLE:g}: the part of the words' variance that is no error. No "
        "test where so few runs give no reliability"
    ),
    judge=lambda order: (
        "no test" if math.isnan(order.reliability) else "yes" if order.reliability >= RELIABLE else "no"
    ),
    sentences={"no": _not_reliable, "no test": _not_reliable},
)


def _beyond_law(word: Excess) -> str:
    """By the splits, where their training noise is like that of the periods, or is not known.

    An odd run makes noise that is the same for all words: in splits it hides what a word always leads by, in periods it
    is a lead. Of 48 sets of 3 runs, one in ten odd, with 0.25 to 2 times the length of vectors as noise, some word was
    named in 8; the noise of all these differed 2.5 times or more, that of sets without an odd run 1.1 times at most.
    """
    if word.unlike_noise > UNLIKE_NOISE:
        return "no test"
    return "yes" if word.q <= BEYOND and word.excess > 0 else "no"


BEYOND_LAW = Claim[Excess](
    id="change.word-beyond-law",
    says="A word changed more than equally frequent words.",
    rule=(
        "the word lies above a curve over frequency, and farther above it than in randomly dealt documents, at a false "
        f"discovery rate of {BEYOND:g} over all words of two periods. No verdict without two splits. No test where the "
        f"training noise of the periods is more than {UNLIKE_NOISE:g} times that of a split, or the other way round"
    ),
    judge=_beyond_law,
    sentences={
        "no test": lambda x: (
            f"No word is sought from {x.first} to {x.second}. The training noise of these periods and that of "
            f"documents dealt out at random differ {number(x.unlike_noise, 2)} times, so words lead by noise alone. "
            "Look for a run of another kind."
        )
    },
)


class Differing(NamedTuple):
    """How many of how many words' contexts differ beyond the sampling of authors, by periods; some may be false."""

    counts: Mapping[tuple[str, str], tuple[int, int]]
    rate: float


def _differing(words: Differing) -> str:
    each = [
        f"{counted(some, 'word', of=of)} ({first} to {second})" for (first, second), (some, of) in words.counts.items()
    ]
    return (
        f"Contexts differ more than the sampling of authors explains for {listed(each)}. "
        f"{false_ones(words.rate, min(some for some, _ in words.counts.values() if some))}"
    )


def _none_differs(words: Differing) -> str:
    each = [f"{counted(of, 'word')}, {first} to {second}" for (first, second), (_, of) in words.counts.items()]
    return (
        f"No single word is found whose contexts surely differ more than the sampling of authors explains "
        f"({listed(each)}). A word that is not found may have changed all the same."
    )


WORDS_DIFFER = Claim[Differing](
    id="change.words-differ",
    says="The contexts of some words differ more than the sampling of authors explains.",
    rule="the word is found at a false discovery rate, by dealing out all documents of an author together",
    judge=lambda words: "yes" if any(some for some, _ in words.counts.values()) else "no",
    sentences={"yes": _differing, "no": _none_differs},
)


def of_words(discoveries: Iterable[Discovery], rate: float) -> list[str]:
    """Return how many words' contexts differ beyond the sampling of authors, between every two periods."""
    words: dict[tuple[str, str], list[bool]] = {}
    for row in discoveries:
        words.setdefault((row.first, row.second), []).append(row.found)
    counts = {periods: (sum(found), len(found)) for periods, found in words.items()}
    return [WORDS_DIFFER.sentence(Differing(counts, rate))] if counts else []
