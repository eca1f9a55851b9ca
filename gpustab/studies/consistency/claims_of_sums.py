"""What the study claims of sums: what any context has in common, where they lie, and how they grow alike with their size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import number
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
        f"The cosine of two samples of one term is {raw[0]}, of two terms {raw[1]}{part} is what every context of the "
        f"text has in common. Without that they are {' and '.join(centred)}."
    )


MOSTLY_COMMON = Claim[Sums](
    id="consistency.mostly-common",
    says="Almost all of a cosine is what every context of the text has in common.",
    source="Bloem et al. 2019, table 1, which has no null level",
    rule=f"the cosine of one term is less than {COMMON:g} above that of different terms",
    judge=lambda sums: "yes" if sums.raw.excess < COMMON else "no",
    sentences={
        "yes": lambda sums: _common(sums, ": almost all of it"),
        "no": lambda sums: _common(sums, "; part of both"),
    },
)


class Placed(NamedTuple):
    """Where a term's other sample lies: among the samples of other terms, and among the background's words."""

    among_samples: ModelNumbers
    among_words: WordRanks


def _places(placed: Placed, joined: str) -> str:
    row, ranks = placed
    return (
        f"Among {ranks.words:,} background words a term's other sample has place {number(ranks.both, 3)}{joined}among "
        f"the samples of other terms place {number(row.rank, 3)} of {number(row.among, 3)}"
    )


NEAR_AS_SUMS = Claim[Placed](
    id="consistency.near-as-sums",
    says="Samples are near each other among words because both are sums, not because they are of one term.",
    source="Bloem et al. 2019, table 1",
    rule=f"the mean place among words is below {FIRST:g}, and among the samples of other terms it is not",
    judge=lambda placed: "yes" if placed.among_words.both < FIRST <= placed.among_samples.rank else "no",
    sentences={
        "yes": lambda placed: (
            f"{_places(placed, ', and ')}: it is near the first because both are sums, not because they are of one "
            "term."
        ),
        "no": lambda placed: f"{_places(placed, ', ')}.",
    },
)


def _grows(rows: Sequence[Size]) -> str:
    rows = [row for row in rows if row.n is not None]
    if len(rows) < 2:
        return "none"
    return "grows" if rows[-1].same_low > rows[0].same_high else "open"


def _from_to(rows: Sequence[Size], shown: str = "") -> str:
    """The cosines of the smallest and the largest size, and of all sentences, and the law of sums beside them."""
    sized = [row for row in rows if row.n is not None]
    ends = [f"{_with_span(row)} with {row.n}" for row in (sized[0], sized[-1])]
    every = "".join(
        f"; with all sentences of a term, {number(row.mean, 3)} a sample, it is {_with_span(row)}"
        for row in rows
        if row.n is None
    )
    off = max(abs(row.same - row.law) for row in rows)
    law = f"a law of sums, 1 / (1 + c / words) with c = {number(sized[-1].c, 3)}, is at most {number(off, 2)} off"
    return f"from {' to '.join(ends)} sentences{shown}{every}; {law}."


def _with_span(row: Size) -> str:
    return f"{as_cosine(row.same)} ({number_span(row.same_low, row.same_high)})"


GROWS = Claim[Sequence[Size]](
    id="consistency.grows",
    says="Consistency grows with the sentences of a sample.",
    source="Bloem et al. 2019, table 2",
    rule="the interval of the cosine of the largest samples lies wholly above that of the smallest",
    judge=_grows,
    sentences={
        "none": "One size of samples: how consistency depends on it is not seen.",
        "grows": lambda rows: f"Consistency grows with the sentences, {_from_to(rows)}",
        "open": lambda rows: (
            f"Consistency goes {_from_to(rows, ': the intervals overlap, so that it grows is not shown')}"
        ),
    },
)
