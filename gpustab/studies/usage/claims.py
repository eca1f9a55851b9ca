"""What is said of words whose usages were compared, and the rows that it is said of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from gpustab.errors import some_of
from gpustab.results import Column, Sheet
from gpustab.results.page import counted, number, percent
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import Claim, Margin, decide
from gpustab.studies.shared.wording import false_ones, number_span

FEWEST = Margin(6, "documents of each period that a word's usages stand in, below which it is no test")
NO_MORE = Margin(
    0.02, "part of the distance within a period by which usages of two lie farther apart, and do not differ"
)
RATE = Margin(0.05, "false discovery rate up to which a word is said to be used differently")

MOST = Margin(0.5, "share of the tested words that are used differently, above which the texts differ as a whole")

IN_WORDS = {"apd": "pairwise distance", "prt": "distance of the mean usages", "jsd": "divergence of clusters"}
"""What people call the measures."""


class Compared(NamedTuple):
    """One word between two periods, by one measure."""

    first: Annotated[str, Column("from")]
    second: Annotated[str, Column("to")]
    word: str
    measure: Annotated[
        str, Column(about="apd: mean cosine distance of pairs; prt: of prototypes; jsd: of clusters, in bits")
    ]
    value: Annotated[float, Column(digits=3)]
    expected: Annotated[float, Column(digits=3, about="what two samplings of one period give")]
    beyond: Annotated[float, Column(digits=2, about="value less what is expected")]
    se: Annotated[float, Column(digits=2, about="its error, by leaving out one document after the other")]
    chance: Annotated[float, Column("by chance up to", 2, "of beyond: 95 % of the deals of the documents lie below")]
    p: Annotated[float, Column(digits=2, about="share of the deals that lie as far apart")]
    q: Annotated[float, Column(digits=2, about="false discovery rate at which the word is found")]
    rate: float
    clusters: int
    documents: Annotated[int, Column(about="of both periods, in which usages stand")]
    fewest: Annotated[int, Column(about="documents of the period that has fewer")]

    @property
    def excess(self) -> Estimate:
        """What the measure is beyond two samplings, with its error."""
        return Estimate(self.beyond, self.se, self.documents - 2)

    @property
    def is_far(self) -> bool:
        """Whether its interval lies above 0."""
        return self.excess.interval[0] > 0

    @property
    def span(self) -> str:
        """Its 95 % interval."""
        low, high = self.excess.interval
        return number_span(low, high, 3) if math.isfinite(low) else "–"


class Used(NamedTuple):
    """How much of a word was read in a period."""

    period: str
    word: str
    occurrences: Annotated[int, Column(about="in the text")]
    documents: Annotated[int, Column("documents", about="that have the word")]
    usages: Annotated[int, Column(about="that were read")]
    of_documents: Annotated[int, Column("of documents", about="in which these stand; draws together count once")]


class Pair(NamedTuple):
    """Two periods, by one measure."""

    first: Annotated[str, Column("from")]
    second: Annotated[str, Column("to")]
    measure: str
    words: Annotated[int, Column(about="that were asked for")]
    tested: int
    found: Annotated[int, Column(about="words at the false discovery rate")]
    rate: float
    excess: Annotated[float, Column(digits=2, about="mean of beyond over words, as a part of what is expected")]
    se: Annotated[float, Column(digits=2, about="by leaving out one document after the other, of all words")]
    documents: Annotated[int, Column(about="in which tested usages stand")]
    least: Annotated[
        float, Column("least p", 2, "that every tested word can have: one of the deals, or of all ways to deal")
    ]
    exact: Annotated[float, Column("least p of all deals", 2, "that every tested word has if all deals are made")]
    centre: Annotated[
        str, Column(about="whose mean is taken out of every usage: that of all words, or of the sentence")
    ]

    @property
    def more(self) -> Estimate:
        """By which part usages of two periods lie farther apart than those of one."""
        return Estimate(self.excess, self.se, self.documents - 2)

    @property
    def shows_one(self) -> bool:
        """Whether a single word that is used differently could be found, whichever it is."""
        return self.least * self.tested <= self.rate

    def deals_for(self, words: int) -> int | None:
        """Return how many deals let a single one of some words be found; ``None`` where no number does."""
        aim = self.rate / words
        return math.ceil((1 - aim) / (aim - self.exact)) + 1 if self.exact < aim else None


class Example(NamedTuple):
    """A sentence of a word that is used differently."""

    first: Annotated[str, Column("from")]
    second: Annotated[str, Column("to")]
    word: str
    period: str
    document: str
    before: str
    written: str
    after: str
    nearer: Annotated[
        float, Column(digits=2, about="mean cosine with usages of its own period less that with the other's")
    ]


class Ranked(NamedTuple):
    """How well a measure ranks the words that people judged."""

    first: Annotated[str, Column("from")]
    second: Annotated[str, Column("to")]
    column: str
    high: Annotated[str, Column("high is", about="what a high value says of a word")]
    measure: str
    rho: Annotated[float, Column("ρ", 2, "Spearman's, with what people say of change")]
    low: float
    high_end: float
    words: int


COMPARED = Sheet("words", Compared, "one row a pair of periods, word and measure", long=True)
USED = Sheet("usages", Used, "one row a word and period", long=True)
PAIRS = Sheet("pairs", Pair, "one row a pair of periods and measure")
EXAMPLES = Sheet("examples", Example, "one row a sentence", long=True)
TRUTH = Sheet("truth", Ranked, "one row a pair of periods, column of judgments and measure")


_PAPER = "Both papers rank words by these measures, and have no error and no level of chance"


def _judge_word(row: Compared) -> str:
    if row.fewest < FEWEST or math.isnan(row.q):
        return "no test"
    return "yes" if row.q <= row.rate and row.beyond > 0 else "undecided"


WORD_DIFFERS = Claim[Compared](
    id="usage.word-differs",
    says="The word is used differently in the two periods.",
    source="Giulianelli et al. 2020; Kutuzov & Giulianelli 2020",
    paper=_PAPER,
    rule=(
        "the measure lies above what it is where the documents are dealt out to the two periods at random, at a false "
        f"discovery rate (by default {percent(RATE)}) over all words. No test of a word that stands in fewer than "
        f"{int(FEWEST)} documents of a period"
    ),
    judge=_judge_word,
)


def _judge(pair: Pair) -> str:
    if not pair.tested:
        return "no test"
    if pair.found:
        return "yes"
    if pair.measure != "apd":
        return "undecided"  # what lies at its least value, 0, has no error by left-out documents
    if not pair.shows_one:
        return "undecided"  # one word hides in a mean over many
    return "no" if decide(pair.more.interval, -math.inf, NO_MORE) == "yes" else "undecided"


def _farther(pair: Pair) -> str:
    low, high = pair.more.interval
    if pair.measure != "apd":
        return percent(pair.excess, 1)
    return f"{percent(pair.excess, 1)} ({percent(low, 1)} to {percent(high, 1)})"


def _periods(pair: Pair) -> str:
    return f"{pair.first} to {pair.second}"


def as_a_whole(pair: Pair) -> str:
    """Return what to think of where most words are used differently."""
    if pair.found <= MOST * pair.tested:
        return ""
    style = "" if pair.centre == "sentence" else " The option --centre sentence takes out what style does to all words."
    return (
        " Most words are, so the texts differ as a whole, in style, topic or genre. Read which words differ most, and "
        f"add words of which you know that they did not change.{style}"
    )


def none_found(pair: Pair) -> str:
    """Return what it means that no word was found, sentences."""
    none = f"{_periods(pair)}: of {counted(pair.tested, 'word')} none is surely used differently"
    if pair.measure != "apd" or pair.shows_one:
        return f"{none}, and these documents are too few to say that none is."
    among = " among so many" if pair.tested > 1 else ""
    said = f"{none}. A single one could not be found{among}: its p cannot be below {pair.least:.2g}."
    words, deals = math.floor(pair.rate / pair.least), pair.deals_for(pair.tested)
    ways = [f"deal {deals:,} times (--deals {deals})"] if deals else []
    ways += [f"name {counted(words, 'word')} at most (--words FILE)"] if words else []
    if not ways and (deals := pair.deals_for(1)):
        ways = [f"name one word, and deal {deals:,} times (--words FILE --deals {deals})"]
    if not ways:
        return f"{said} No word can, however few are named: more documents are needed."
    way = ", or ".join(ways)
    return f"{said} {way[0].upper()}{way[1:]}."


def untested(pair: Pair, used: Mapping[tuple[str, str], Used]) -> str:
    """Return how many words have no test, and which, a sentence; empty where all have one.

    Args:
        pair: the periods.
        used: what was read, by period and word.
    """
    one, few = list[str](), list[str]()
    for word in dict.fromkeys(word for _, word in used):
        first, second = (used[period, word] for period in (pair.first, pair.second))
        if bool(first.usages) != bool(second.usages):
            one.append(f"{word} ({(first if first.usages else second).period})")
        elif min(first.of_documents, second.of_documents) < FEWEST:
            few.append(word)
    said = []
    if one:
        said.append(
            f"{counted(len(one), 'word', 'stands/stand', of=pair.words)} in one period alone: {some_of(one, 5)}"
        )
    if few:
        under = f"in fewer than {int(FEWEST)} documents of a period"
        said.append(f"{counted(len(few), 'word', 'stands/stand', of=pair.words)} {under}: {some_of(few, 5)}")
    return f"{_periods(pair)}, without a test: {'; '.join(said)}." if said else ""


DIFFER = Claim[Pair](
    id="usage.differ",
    says="Words are used differently in the two periods, beyond two samplings of one period.",
    source="Giulianelli et al. 2020; Kutuzov & Giulianelli 2020",
    paper=_PAPER,
    rule=(
        "yes if a word is found. Else no, if by the pairwise distance the mean excess lies below "
        f"{percent(NO_MORE)} of what two samplings of one period give, by its 95 % interval. No is not said where a "
        "single word could not be found: where the least p, times the tested words, is above the rate. The other "
        "measures have no such interval. No test without a word that "
        f"stands in {int(FEWEST)} documents of both periods"
    ),
    judge=_judge,
    sentences={
        "yes": lambda pair: (
            f"{_periods(pair)}: {counted(pair.found, 'word', 'is/are', of=pair.tested)} used differently, beyond two "
            f"samplings of one period. {false_ones(pair.rate, pair.found)}{as_a_whole(pair)}"
        ),
        "no": lambda pair: (
            f"{_periods(pair)}: on average words are used no more differently than in two samplings of one period "
            f"({counted(pair.tested, 'word')}). Usages of two periods lie {_farther(pair)} farther apart. A single "
            "word may still be: these documents may be too few to show it."
        ),
        "undecided": lambda pair: (
            f"{none_found(pair)} On average usages of the two periods lie {_farther(pair)} farther apart."
        ),
        "no test": lambda pair: (
            f"{_periods(pair)}: none of {counted(pair.words, 'word')} can be tested. A word needs usages in "
            f"{int(FEWEST)} documents of each period."
        ),
    },
)


def leading(rows: Sequence[Compared], measure: str = "apd") -> list[Compared]:
    """Return the rows of one measure: words that are found, then others; of both the farthest apart first."""
    own = [row for row in rows if row.measure == measure]
    order = {"yes": 0, "undecided": 1, "no test": 2}
    return sorted(
        own, key=lambda row: (order[WORD_DIFFERS.judge(row)], -row.beyond if row.beyond == row.beyond else 0, row.word)
    )


def shows(pair: Pair) -> str:
    """Return the numbers of a pair of periods, a clause."""
    if not pair.tested:
        return f"{_periods(pair)}: no word was tested"
    mean = f"mean excess {_farther(pair)}" if math.isfinite(pair.excess) else f"mean excess {number(pair.excess)}"
    return f"{_periods(pair)}, by {IN_WORDS[pair.measure]}: {pair.found} of {counted(pair.tested, 'word')}; {mean}"
