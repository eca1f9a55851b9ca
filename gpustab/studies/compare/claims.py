"""What a comparison claims: which group is more stable, and how many words differ."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import number_span, word

ALIKE = Margin(0.02, "difference of p@n between two groups that matters to nobody: a fifth of a neighbour of ten")


class Neighbours(NamedTuple):
    """The names of two groups, the mean p@n of one and of the other, and n."""

    first: str
    second: str
    one: Estimate
    other: Estimate
    n: int

    @property
    def difference(self) -> tuple[float, float]:
        """The interval of the first group's p@n less the second's."""
        return self.one.minus(self.other).interval

    @property
    def span(self) -> str:
        """The interval of the difference in neighbours of a list."""
        low, high = self.difference
        return f"difference {number_span(self.n * low, self.n * high)}"

    def shared(self, estimate: Estimate) -> str:
        """Return how many neighbours of a list two runs share."""
        return number(self.n * estimate.value, 2)


def _judge(groups: Neighbours) -> str:
    low, high = groups.difference
    if (low > 0 or high < 0) and max(abs(low), abs(high)) > ALIKE:
        return "first" if low > 0 else "second"
    return "alike" if low >= -ALIKE and high <= ALIKE else "open"


def _open(groups: Neighbours) -> str:
    if math.isnan(groups.difference[0]):
        return (
            f"{groups.first} shares {groups.shared(groups.one)} of {word(groups.n)} neighbours, {groups.second} "
            f"{groups.shared(groups.other)}. Whether that is a difference cannot be told from two runs of one group: "
            "train at least three of each."
        )
    return (
        f"Whether {groups.first} or {groups.second} is more stable cannot be told from these runs: of "
        f"{word(groups.n)} nearest neighbours {groups.shared(groups.one)} and {groups.shared(groups.other)} come back "
        f"({groups.span}). More runs would tell."
    )


def _more(more: str, most: Estimate, less: str, least: Estimate, groups: Neighbours) -> str:
    return (
        f"{more} is more stable than {less}: of {word(groups.n)} nearest neighbours {groups.shared(most)} come "
        f"back against {groups.shared(least)} ({groups.span})."
    )


MORE_STABLE = Claim[Neighbours](
    id="compare.more-stable",
    says="One group is more stable than the other.",
    rule=(
        f"the 95 % interval of the difference of p@n lies on one side of 0 and reaches beyond {ALIKE}; alike where it "
        "lies within"
    ),
    judge=_judge,
    sentences={
        "first": lambda x: _more(x.first, x.one, x.second, x.other, x),
        "second": lambda x: _more(x.second, x.other, x.first, x.one, x),
        "alike": lambda x: (
            f"{x.first} and {x.second} are equally stable, within a fifth of one neighbour of ten ({x.span})."
        ),
        "open": _open,
    },
)


class Differing(NamedTuple):
    """How many words surely are less stable in the one group and in the other, beside words of like frequency."""

    first: str
    second: str
    less_in_first: int
    less_in_second: int
    words: int


WORDS_DIFFER = Claim[Differing](
    id="compare.words-differ",
    says="Some words differ more between the groups than words as frequent.",
    rule="a word is named if it is in the tenth that differs most one way, with probability 0.95 on the average of all",
    judge=lambda x: "yes" if x.less_in_first + x.less_in_second else "no",
    sentences={
        "yes": lambda x: (
            f"Beside words of like frequency {counted(x.less_in_first, 'word', 'is/are', of=x.words)} surely less "
            f"stable in {x.first} and {x.less_in_second:,} in {x.second}: each in the tenth that differs most that "
            "way, one in twenty wrong."
        ),
        "no": "No word's stability surely differs more between {first} and {second} than that of words as frequent.",
    },
)
