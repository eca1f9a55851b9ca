"""What the study claims of sums: what all contexts have in common, where sums lie, and how alike larger ones are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number
from gpustab.studies.consistency.claims import CHANCE
from gpustab.studies.consistency.tables import ModelNumbers, Size, WordRanks, as_cosine
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import number_span

COMMON = Margin(0.05, "cosine above its null level that says nothing by itself")
FIRST = Margin(2, "mean place that is no more the first")


class Sums(NamedTuple):
    """The additive model of one background and text, as it is, and without what every context has in common."""

    raw: ModelNumbers
    centred: ModelNumbers


def _common(sums: Sums, part: str) -> str:
    raw, centred = ([as_cosine(row.same), as_cosine(row.null)] for row in sums)
    return (
        f"Two samples of one term have a cosine of {raw[0]}, samples of two terms {raw[1]}. {part} comes from what all "
        f"contexts of the text share. Without that, the cosines are {' and '.join(centred)}."
    )


MOSTLY_COMMON = Claim[Sums](
    id="consistency.mostly-common",
    says="Almost all of a cosine comes from what all contexts of the text share.",
    source="Bloem et al. 2019, table 1, which has no null level",
    rule=f"the cosine of one term is less than {COMMON:g} above that of different terms",
    judge=lambda sums: "yes" if sums.raw.excess < COMMON else "no",
    sentences={
        "yes": lambda sums: _common(sums, "Almost all of it"),
        "no": lambda sums: _common(sums, "A part of both"),
    },
    paper=(
        "Bloem and others found cosines of 0.907 to 0.953 between vectors of one term, and called that consistency "
        "(table 1)"
    ),
    here={
        "yes": lambda sums: (
            f"one term has a cosine of {as_cosine(sums.raw.same)}, two terms hardly less: {as_cosine(sums.raw.null)}"
        ),
        "no": lambda sums: f"one term has a cosine of {as_cosine(sums.raw.same)}, two terms {as_cosine(sums.raw.null)}",
    },
)


class Placed(NamedTuple):
    """Where a term's other sample lies: among the samples of other terms, and among the background's words."""

    among_samples: ModelNumbers
    among_words: WordRanks


def _places(placed: Placed) -> str:
    row, ranks = placed
    return (
        f"A term's other sample has place {number(ranks.both, 3)} among {ranks.words:,} background words, and place "
        f"{number(row.rank, 3)} of {number(row.among, 3)} among the samples of other terms."
    )


def _near_as_sums(placed: Placed) -> str:
    """Judge places: of terms that each stand beside a word of their own the AUC is 0.98, and the place 2.6 of 118."""
    samples = placed.among_samples
    near = placed.among_words.both < FIRST <= samples.rank
    return "yes" if near and not samples.auc_low > CHANCE else "no"


NEAR_AS_SUMS = Claim[Placed](
    id="consistency.near-as-sums",
    says="Two samples are near each other because both are sums, not because they share a term.",
    source="Bloem et al. 2019, table 1",
    rule=(
        f"the mean place among words is below {FIRST:g}, the one among the samples of other terms is not, and the "
        "interval of the AUC does not lie above chance"
    ),
    judge=_near_as_sums,
    sentences={
        "yes": lambda placed: (
            f"Two samples are near each other because both are sums, not because they share a term. {_places(placed)}"
        ),
        "no": _places,
    },
    paper=(
        "Bloem and others found a term's other vector at places 1 to 1.001 among all words, and 22.4 for the halves "
        "of one book (table 1)"
    ),
    here={
        "yes": lambda placed: (
            f"the other vector has place {number(placed.among_words.both, 3)}, but place "
            f"{number(placed.among_samples.rank, 3)} among the samples of other terms"
        ),
        "no": lambda placed: (
            f"the other vector has place {number(placed.among_words.both, 3)}, and place "
            f"{number(placed.among_samples.rank, 3)} among the samples of other terms"
        ),
    },
)


def _ends(rows: Sequence[Size]) -> tuple[Size, Size]:
    """The smallest and the largest size; all sentences of a term are one where there is no other."""
    sized = [row for row in rows if row.n is not None]
    return (sized[0], sized[-1]) if len(sized) > 1 else (rows[0], rows[-1])


def _grows(rows: Sequence[Size]) -> str:
    if len(rows) < 2:
        return "none"
    smallest, largest = _ends(rows)
    return "grows" if largest.same_low > smallest.same_high else "open"


def _cosines(rows: Sequence[Size]) -> str:
    """The cosines of the smallest and the largest size, and of all sentences, and the law of sums beside them."""
    ends = _ends(rows)
    first, last = (f"{_with_span(row)} with {_sentences(row.n)}" for row in ends)
    every = [
        f" It is {_with_span(row)} with all sentences of a term ({number(row.mean, 3)} a sample)."
        for row in rows
        if row.n is None and row not in ends
    ]
    off, c = max(abs(row.same - row.law) for row in rows), next(row.c for row in reversed(rows) if row.n is not None)
    law = f"The law of sums, 1 / (1 + c / words) with c = {number(c, 3)}, is off by at most {number(off, 2)}."
    return f"The cosine goes from {first} to {last}.{''.join(every)} {law}"


def _sentences(n: int | None) -> str:
    return "all sentences" if n is None else counted(n, "sentence")


def _with_span(row: Size) -> str:
    digits = 3 if row.same > 0.9 else 2  # as the cosine itself
    return f"{as_cosine(row.same)} ({number_span(row.same_low, min(row.same_high, 1.0), digits)})"


GROWS = Claim[Sequence[Size]](
    id="consistency.grows",
    says="Consistency grows with the number of sentences in a sample.",
    source="Bloem et al. 2019, table 2",
    rule="the interval of the cosine of the largest samples lies wholly above that of the smallest ones",
    judge=_grows,
    sentences={
        "none": "Samples of one size cannot show whether consistency grows with their size.",
        "grows": lambda rows: f"Consistency grows with the number of sentences. {_cosines(rows)}",
        "open": lambda rows: (
            f"Consistency may or may not grow with the number of sentences: the intervals overlap. {_cosines(rows)}"
        ),
    },
    paper=(
        "Bloem and others found that consistency grows with the sentences of one term: 0.794 with one, 0.956 with "
        "eight, 0.987 with all (table 2)"
    ),
    here={
        "none": "only one size was measured",
        "grows": lambda rows: f"it grows over {counted(rows[0].terms, 'term')}",
        "open": "the intervals overlap",
    },
)
