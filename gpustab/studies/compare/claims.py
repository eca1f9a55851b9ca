"""What a comparison claims: which group is more stable, and how many words differ."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.windows import SURE
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import number_span, signed_span, word

ALIKE = Margin(0.02, "difference of p@n between two groups that matters to nobody: a fifth of a neighbour of ten")
ALIKE_LOSS = Margin(0.02, "difference of two losses, each as a share of chance, that matters to nobody: two points")


class Groups(NamedTuple):
    """Two groups by both measures: mean p@n at list length n, and mean PIP loss as a share of chance."""

    first: str
    second: str
    one: Estimate
    other: Estimate
    n: int
    one_loss: Estimate
    other_loss: Estimate

    @property
    def difference(self) -> tuple[float, float]:
        """The interval of the first group's p@n less the second's."""
        return self.one.minus(self.other).interval

    @property
    def span(self) -> str:
        """The interval of the difference in neighbours of a list."""
        low, high = self.difference
        return f"difference {number_span(self.n * low, self.n * high)}"

    @property
    def by_neighbours(self) -> str:
        """Which is more stable by p@n: first, second, alike or open."""
        return _which(self.difference, ALIKE)

    @property
    def by_loss(self) -> str:
        """Which is more stable by the loss, which is smaller there."""
        return _which(self.other_loss.minus(self.one_loss).interval, ALIKE_LOSS)

    @property
    def names(self) -> dict[str, str]:
        """What the groups are called."""
        return {"first": self.first, "second": self.second}

    def shared(self, estimate: Estimate) -> str:
        """Return how many neighbours of a list two runs share."""
        return number(self.n * estimate.value, 2)

    @property
    def neighbours(self) -> str:
        """What comes back, as a clause; the more stable group first."""
        more, less = (self.other, self.one) if self.by_neighbours == "second" else (self.one, self.other)
        low, high = more.minus(less).interval
        return (
            f"of {word(self.n)} nearest neighbours {self.shared(more)} come back against {self.shared(less)} "
            f"(difference {number_span(self.n * low, self.n * high)})"
        )

    @property
    def losses(self) -> str:
        """How far the cosines of two runs are from chance, as a clause; the more stable group first."""
        losses = (self.other_loss, self.one_loss) if self.by_loss == "second" else (self.one_loss, self.other_loss)
        low, high = losses[0].minus(losses[1]).interval
        shares = [f"{loss.value:.1%}" for loss in losses]
        return (
            f"the PIP loss is {shares[0]} of that of unrelated spaces against {shares[1]} (difference "
            f"{signed_span(100 * low, 100 * high, digits=1)} points)"
        )


def _which(difference: tuple[float, float], alike: float) -> str:
    low, high = difference
    if (low > 0 or high < 0) and max(abs(low), abs(high)) > alike:
        return "first" if low > 0 else "second"
    return "alike" if low >= -alike and high <= alike else "open"


def _judge(groups: Groups) -> str:
    sure = {groups.by_neighbours, groups.by_loss} & {"first", "second"}
    return "disagree" if len(sure) == 2 else groups.by_neighbours


def _open(groups: Groups) -> str:
    if math.isnan(groups.difference[0]):
        return (
            f"{groups.first} shares {groups.shared(groups.one)} of {word(groups.n)} neighbours, {groups.second} "
            f"{groups.shared(groups.other)}. Whether that is a difference cannot be told from two runs of one group: "
            "train at least three of each."
        )
    return (
        f"Whether {groups.first} or {groups.second} is more stable cannot be told by their neighbours from these runs: "
        f"of {word(groups.n)} nearest neighbours {groups.shared(groups.one)} and {groups.shared(groups.other)} come "
        f"back ({groups.span}). More runs would tell. {_beside(groups)}"
    )


def _beside(groups: Groups) -> str:
    """What the loss says, beside what the neighbours say."""
    if groups.by_loss not in groups.names:
        same = "do not differ either, within two points of chance" if groups.by_loss == "alike" else "leave it open"
        return f"The cosines of all words (PIP loss) {same}: {groups.losses}."
    if groups.by_loss == groups.by_neighbours:
        return f"The cosines of all words say the same: {groups.losses}."
    return f"By the cosines of all words {groups.names[groups.by_loss]} is more stable: {groups.losses}."


def _more(groups: Groups) -> str:
    more = groups.by_neighbours
    less = groups.first if more == "second" else groups.second
    return f"{groups.names[more]} is more stable than {less}: {groups.neighbours}. {_beside(groups)}"


def _disagree(groups: Groups) -> str:
    return (
        f"The two measures say opposite things. By nearest neighbours {groups.names[groups.by_neighbours]} is more "
        f"stable: {groups.neighbours}. By the cosines of all words {groups.names[groups.by_loss]} is: {groups.losses}. "
        "Neither group is more stable as such; say by which measure."
    )


MORE_STABLE = Claim[Groups](
    id="compare.more-stable",
    says="One group is more stable than the other.",
    rule=(
        f"the 95 % interval of the difference of p@n lies on one side of 0 and reaches beyond {ALIKE}; alike where it "
        f"lies within; disagree where the loss as a share of chance, by {ALIKE_LOSS}, says the opposite"
    ),
    judge=_judge,
    sentences={
        "first": _more,
        "second": _more,
        "disagree": _disagree,
        "alike": lambda x: (
            f"{x.first} and {x.second} are equally stable by their neighbours, within a fifth of one of ten "
            f"({x.span}). {_beside(x)}"
        ),
        "open": _open,
    },
)


class Differing(NamedTuple):
    """How many words surely are at a disadvantage in the one group and in the other, beside words as frequent.

    Attributes:
        first: a group.
        second: the other.
        less_in_first: how many words in the first.
        less_in_second: how many in the second.
        words: of how many.
        silent: which runs lie far from the others of their group, with the verb; then nothing is tested.
    """

    first: str
    second: str
    less_in_first: int
    less_in_second: int
    words: int
    silent: str = ""


WORDS_DIFFER = Claim[Differing](
    id="compare.words-differ",
    says="Some words differ more between the groups than words as frequent.",
    rule=(
        f"a word is named if it is in the tenth that differs most one way, with probability {SURE} on the average; no "
        "test where a run lies far from the others of its group"
    ),
    judge=lambda x: "no test" if x.silent else "yes" if x.less_in_first + x.less_in_second else "no",
    sentences={
        "yes": lambda x: (
            f"Compared with words as frequent, {counted(x.less_in_first, 'word', 'is/are', of=x.words)} surely at a "
            f"disadvantage in {x.first} and {x.less_in_second:,} in {x.second}: each in the tenth whose difference "
            "between the groups is largest that way, about one in twenty wrong."
        ),
        "no": "No word's stability surely differs more between {first} and {second} than that of words as frequent.",
        "no test": (
            "Whether single words differ between {first} and {second} is not tested: {silent} far from the other "
            "runs of the group. Leave out what lies far and compare again."
        ),
    },
)
