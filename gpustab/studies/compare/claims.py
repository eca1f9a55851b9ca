"""What a comparison claims: which group is more stable, and how many words differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.reliability import LEAST
from gpustab.statistics.windows import SURE
from gpustab.studies.shared.chance import at_chance
from gpustab.studies.shared.claims import MOST, NOISY, NOISY_RUNS, Claim, Margin, too_noisy
from gpustab.studies.shared.unfit import RULE, Unfit
from gpustab.studies.shared.wording import capital, difference_span, number_span, the_runs, word

ALIKE = Margin(0.02, "difference of p@n between two groups that matters to nobody: a fifth of a neighbour of ten")
ALIKE_LOSS = Margin(0.02, "difference of two losses, each as a share of chance, that matters to nobody: two points")


class Groups(NamedTuple):
    """Two groups by both measures: mean p@n at list length n, and mean PIP loss as a share of chance.

    ``kinds`` are groups whose runs fall into kinds, over which no mean holds; then nothing is tested. ``chance`` is the
    p@n of unrelated runs.
    """

    first: str
    second: str
    one: Estimate
    other: Estimate
    n: int
    one_loss: Estimate
    other_loss: Estimate
    kinds: Sequence[str] = ()
    chance: float = 0.0

    @property
    def difference(self) -> tuple[float, float]:
        """The interval of the first group's p@n less the second's."""
        return self.one.minus(self.other).interval

    @property
    def span(self) -> str:
        """The interval of the difference in neighbours of a list."""
        low, high = self.difference
        return f"95 % interval of the difference {difference_span(self.n * low, self.n * high)}"

    @property
    def by_neighbours(self) -> str:
        """Which is more stable by p@n: first, second, alike or open."""
        return _which(self.difference, ALIKE)

    @property
    def by_loss(self) -> str:
        """Which is more stable by the loss, which is smaller there."""
        return _which(self.other_loss.minus(self.one_loss).interval, ALIKE_LOSS)

    @property
    def unlike(self) -> list[str]:
        """What groups are called whose runs are hardly more alike than unrelated spaces."""
        losses = zip(self.names.values(), (self.one_loss, self.other_loss), strict=True)
        return [name for name, share in losses if at_chance(share, 1.0) == "yes"]

    @property
    def names(self) -> dict[str, str]:
        """What the runs of the groups are called."""
        return {"first": the_runs(self.first), "second": the_runs(self.second)}

    def shared(self, estimate: Estimate) -> str:
        """Return how many neighbours of a list two runs share."""
        return number(self.n * estimate.value, 2)

    @property
    def neighbours(self) -> str:
        """What comes back, as a clause; the more stable group first."""
        more, less = (self.other, self.one) if self.by_neighbours == "second" else (self.one, self.other)
        low, high = more.minus(less).interval
        return (
            f"of {word(self.n)} nearest neighbours, {self.shared(more)} come back against {self.shared(less)} "
            f"(difference {number_span(self.n * low, self.n * high)})"
        )

    @property
    def losses(self) -> str:
        """How far the cosines of two runs are from chance, as a clause; the more stable group first."""
        losses = (self.other_loss, self.one_loss) if self.by_loss == "second" else (self.one_loss, self.other_loss)
        low, high = self.one_loss.minus(self.other_loss).interval
        less, more = (percent(loss.value, 1) for loss in losses)
        span = difference_span(100 * low, 100 * high, 1)
        return f"PIP loss {less} of chance against {more}, difference {span} points"


def _which(difference: tuple[float, float], alike: float) -> str:
    low, high = difference
    if (low > 0 or high < 0) and max(abs(low), abs(high)) > alike:
        return "first" if low > 0 else "second"
    return "alike" if low >= -alike and high <= alike else "open"


def _judge(groups: Groups) -> str:
    if groups.chance > MOST or groups.unlike or groups.kinds:
        return "no test"
    sure = {groups.by_neighbours, groups.by_loss} & {"first", "second"}
    return "disagree" if len(sure) == 2 else groups.by_neighbours


def _open(groups: Groups) -> str:
    first, second = groups.names.values()
    if math.isnan(groups.difference[0]):
        return (
            f"{capital(first)} share {groups.shared(groups.one)} of {word(groups.n)} neighbours, {second} "
            f"{groups.shared(groups.other)}. Two runs of a group are too few to compare. Train at least three of each."
        )
    return (
        f"These runs are too few to say whether {first} or {second} have more stable neighbours. Of {word(groups.n)} "
        f"nearest neighbours, {groups.shared(groups.one)} and {groups.shared(groups.other)} come back ({groups.span}). "
        f"{_beside(groups)}"
    )


def _beside(groups: Groups) -> str:
    """What the loss says, beside what the neighbours say."""
    if groups.by_loss not in groups.names:
        same = f"are equally stable{_too(groups)}" if groups.by_loss == "alike" else "do not decide"
        return f"The cosines of all words {same} ({groups.losses})."
    if groups.by_loss == groups.by_neighbours:
        return f"The cosines of all words say the same ({groups.losses})."
    return f"By the cosines of all words, {groups.names[groups.by_loss]} are more stable ({groups.losses})."


def _too(groups: Groups) -> str:
    return " too" if groups.by_neighbours == "alike" else ""


def _more(groups: Groups) -> str:
    more = groups.by_neighbours
    less = "first" if more == "second" else "second"
    return (
        f"{capital(groups.names[more])} are more stable than {groups.names[less]}: {groups.neighbours}. "
        f"{_beside(groups)}"
    )


def _disagree(groups: Groups) -> str:
    return (
        f"The two measures disagree. By nearest neighbours, {groups.names[groups.by_neighbours]} are more stable: "
        f"{groups.neighbours}. By the cosines of all words, {groups.names[groups.by_loss]} are more stable "
        f"({groups.losses}). Name the measure when you report the result."
    )


def _why_not(groups: Groups) -> str:
    """Why nothing is tested, with what helps."""
    if groups.chance > MOST:
        return f"a list of {word(groups.n)} is most of the words. Measure more words"
    if groups.kinds:
        kinds = Unfit(kinds=groups.kinds)
        return f"{kinds.why}. {kinds.advice}"
    return f"{' and '.join(groups.unlike)} are hardly more alike than unrelated spaces"


MORE_STABLE = Claim[Groups](
    id="compare.more-stable",
    says="One group is more stable than the other.",
    rule=(
        f"the 95 % interval of the difference of p@n lies on one side of 0 and reaches beyond {ALIKE}. Alike: it lies "
        f"within. Disagree: the loss as a share of chance says the opposite, by {ALIKE_LOSS} or more. No test if "
        f"the runs of a group are hardly more alike than unrelated spaces, fall into kinds, or share over {MOST} of a "
        "list by chance"
    ),
    judge=_judge,
    sentences={
        "first": _more,
        "second": _more,
        "disagree": _disagree,
        "alike": lambda x: (
            f"{capital(x.names['first'])} and {x.names['second']} have equally stable neighbours, within 0.2 of ten "
            f"({x.span}). {_beside(x)}"
        ),
        "open": _open,
        "no test": lambda x: (
            f"Which is more stable is not tested: {_why_not(x)}. Of {word(x.n)} nearest neighbours, "
            f"{x.shared(x.one)} come back in {x.names['first']}, and {x.shared(x.other)} in {x.names['second']}."
        ),
    },
)


class Differing(NamedTuple):
    """How many words surely are at a disadvantage in the one group and in the other, beside equally frequent words.

    Attributes:
        first: a group.
        second: the other.
        less_in_first: how many words in the first.
        less_in_second: how many in the second.
        words: of how many.
        silent: what forbids to compare the groups; then nothing is tested.
        noisy: which groups are too few runs for lists so noisy, and how many runs are wanted; then nothing is tested.
    """

    first: str
    second: str
    less_in_first: int
    less_in_second: int
    words: int
    silent: Unfit = Unfit()
    noisy: str = ""


def few_runs(name: str, p: float, runs: int, *, unlike: bool = False) -> str:
    """Return why so few runs judge no word, with what to do; nothing where they judge.

    >>> few_runs("lsa/bootstrap", 0.14, 6)
    'two of the bootstrap runs of LSA share only 14 % of a list: train at least ten of them'
    >>> few_runs("lsa/bootstrap", 0.6, 6), few_runs("lsa/bootstrap", 0.6, 2)
    ('', 'the bootstrap runs of LSA are two: train at least three of them')
    >>> few_runs("lsa/bootstrap", 0.02, 64, unlike=True)  # than unrelated spaces, hardly more alike
    'two of the bootstrap runs of LSA share 2 % of a list, hardly more than by chance. More runs do not help'
    """
    if unlike:
        shared = f"two of {the_runs(name)} share {percent(p)} of a list"
        return f"{shared}, hardly more than by chance. More runs do not help"
    if runs < LEAST:
        return f"{the_runs(name)} are {word(runs)}: train at least {word(LEAST)} of them"
    if too_noisy(p, runs):
        shared = f"two of {the_runs(name)} share only {percent(p)} of a list"
        return f"{shared}: train at least {word(int(NOISY_RUNS))} of them"
    return ""


WORDS_DIFFER = Claim[Differing](
    id="compare.words-differ",
    says="Some words differ more between the groups than equally frequent words.",
    rule=(
        f"a word is named if it is in the tenth that differs most one way, with probability {SURE} on average. No test "
        f"{RULE}. No test either of fewer than {word(LEAST)} runs, and below "
        f"{NOISY_RUNS:g} runs if p@n is below {NOISY:g}"
    ),
    judge=lambda x: "no test" if x.silent or x.noisy else "yes" if x.less_in_first + x.less_in_second else "no",
    sentences={
        "yes": lambda x: (
            f"Compared with equally frequent words, {counted(x.less_in_first, 'word', 'is/are', of=x.words)} at a "
            f"disadvantage in {the_runs(x.first)}, and {x.less_in_second:,} in {the_runs(x.second)}. About one in "
            "twenty of these words is named wrongly."
        ),
        "no": lambda x: (
            f"No word surely differs more between {the_runs(x.first)} and {the_runs(x.second)} than equally frequent "
            "words do."
        ),
        "no test": lambda x: (
            f"Single words are not compared, since {x.silent.why}. {x.silent.advice}."
            if x.silent
            else f"Single words are not compared, since {x.noisy}."
        ),
    },
)
