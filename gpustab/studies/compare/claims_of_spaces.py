"""What a comparison claims of two spaces: do they differ beyond noise, and which words do they see differently?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.statistics.reliability import LEAST
from gpustab.statistics.windows import SURE
from gpustab.studies.compare.spaces import COSINES, Agreement
from gpustab.studies.shared.claims import NOISY, NOISY_RUNS, Claim, Margin
from gpustab.studies.shared.unfit import RULE, Unfit
from gpustab.studies.shared.wording import capital, number_span, the_runs, word

SAME = Margin(
    0.9, "agreement of two groups, the noise of single runs taken out, from which on their spaces do not differ"
)
PAIRED = Margin(1.05, "agreement of two groups above which runs of the one are surely made of runs of the other")
LEVEL = Margin(
    0.8, "squared loss by chance within two groups by that between them, above which cosines have one level and spread"
)
"""Of skip-gram runs of one law it is 1.000 on lee, and of raw and centred ones 0.41."""
SHARED = Margin(0.02, "p@n that two runs of each group must surely have, beyond chance, to tell whether groups agree")


class Spaces(NamedTuple):
    """Two groups by one measure of their agreement.

    Attributes:
        first: a group.
        second: the other.
        row: within and between them.
        n: length of a list.
        copies: whether runs of the one are runs of the other; then nothing is tested.
        unlike: whether the runs of a group are hardly more alike than unrelated spaces; then nothing is tested.
        kinds: groups whose runs fall into kinds, over which no mean holds; then nothing is tested.
    """

    first: str
    second: str
    row: Agreement
    n: int
    copies: bool = False
    unlike: bool = False
    kinds: Sequence[str] = ()

    @property
    def nothing_shared(self) -> bool:
        """Whether two runs of a group perhaps share hardly more than chance, so that there is nothing to agree on."""
        pair = (self.row.estimate(name) for name in ("first", "second"))
        if self.unlike:
            return True
        if self.row.measure == COSINES:
            return any(not x.interval[1] < 1 - SHARED for x in pair)
        return any(not x.interval[0] - self.row.chance > SHARED for x in pair)

    @property
    def told(self) -> Agreement:
        """The row without an agreement where there is nothing to agree on, or runs are of both groups."""
        none = self.copies or self.kinds or self.nothing_shared
        return self.row._replace(agreement=math.nan, agreement_se=math.nan) if none else self.row

    @property
    def level(self) -> float:
        """The squared loss by chance within the groups (geometric mean) by that between them.

        A loss L of chance C is ``L² / C² = 1 − 2 I / C²``, I being what two runs' cosines have in common beside their
        means. So ``(1 − between²) / (agreement · √((1 − first²)(1 − second²)))`` is ``C_A C_B / C_AB²``: less than 1
        by as much as the groups' cosines differ in mean or spread, which the agreement does not see.
        """
        one, other, both = (1 - share**2 for share in (self.row.first, self.row.second, self.row.between))
        return both / (self.row.agreement * math.sqrt(one * other))

    @property
    def names(self) -> tuple[str, str]:
        """What the runs of both are called."""
        return the_runs(self.first), the_runs(self.second)

    @property
    def span(self) -> str:
        """The agreement with its interval."""
        agreement = self.row.estimate("agreement")
        return f"agreement {number(agreement.value, 2)}, {number_span(*agreement.interval, 2)}"

    @property
    def numbers(self) -> str:
        """What the agreement is made of, a sentence."""
        pair = (self.row.first, self.row.second)
        if self.row.measure == COSINES:
            one, other = map(percent, pair)
            return f"Their PIP loss is {percent(self.row.between)} of chance, that within the groups {one} and {other}."
        one, other = (number(self.n * share, 2) for share in pair)
        both = number(self.n * self.row.between, 2)
        return f"A run of each shares {both} of {word(self.n)} neighbours, two runs of one share {one} and {other}."


def _judge(spaces: Spaces) -> str:
    low, high = spaces.row.estimate("agreement").interval
    if spaces.copies or spaces.kinds or math.isnan(low) or spaces.nothing_shared:
        return "no test"
    if low > PAIRED:
        return "paired"
    if high < SAME or low <= SAME:
        return "differ" if high < SAME else "open"
    return "other level" if spaces.row.measure == COSINES and spaces.level < LEVEL else "alike"


def _by(spaces: Spaces) -> str:
    return "the cosines of all words" if spaces.row.measure == COSINES else "nearest neighbours"


def _no_test(spaces: Spaces) -> str:
    first, second = spaces.names
    if spaces.copies:
        return f"Nobody can tell whether {first} and {second} agree by {_by(spaces)}, since they share runs."
    if spaces.kinds:
        kinds = Unfit(kinds=spaces.kinds)
        return f"Nobody can tell whether {first} and {second} agree by {_by(spaces)}: {kinds.why}. {kinds.advice}."
    if spaces.row.runs < LEAST and not spaces.unlike:
        few = f"Train at least {word(LEAST)} runs of each"
        return f"Whether {first} and {second} agree by {_by(spaces)} takes an error over runs. {few}."
    return f"Nobody can tell whether {first} and {second} agree by {_by(spaces)}. {capital(_little(spaces))}."


def _little(spaces: Spaces) -> str:
    """How little two runs of one of the groups have in common, the less of both."""
    pair = dict(zip(spaces.names, (spaces.row.first, spaces.row.second), strict=True))
    if spaces.row.measure == COSINES:
        name = max(pair, key=pair.__getitem__)
        return f"the PIP loss of two of {name} is {percent(pair[name])} of chance"
    name = min(pair, key=pair.__getitem__)
    shared, chance = (number(spaces.n * share, 2) for share in (pair[name], spaces.row.chance))
    return f"two of {name} share {shared} of {word(spaces.n)}, and by chance {chance}"


DIFFER = Claim[Spaces](
    id="compare.spaces-differ",
    says="The spaces of two groups differ beyond the noise of single runs.",
    rule=(
        f"the 95 % interval of the agreement, the noise of single runs taken out, lies below {SAME:g}. Alike: it lies "
        "above. Of an other level: so are cosines, but the loss by chance is larger between the groups, so that the "
        f"share of squares is below {LEVEL:g}. Paired: the interval lies above {PAIRED:g}. No test of fewer than "
        f"{word(LEAST)} runs, or if both groups share runs, or the runs of one fall into kinds. No test either if two "
        f"runs of one group perhaps share less than {SHARED:g} of what is beyond chance, or are hardly more alike than "
        "unrelated spaces"
    ),
    judge=_judge,
    sentences={
        "differ": lambda x: (
            f"By {_by(x)}, {x.names[0]} and {x.names[1]} differ beyond the noise of single runs ({x.span}). {x.numbers}"
        ),
        "alike": lambda x: (
            f"By {_by(x)}, {x.names[0]} and {x.names[1]} differ hardly more than by the noise of single runs "
            f"({x.span}). {x.numbers}"
        ),
        "other level": lambda x: (
            f"By {_by(x)}, {x.names[0]} and {x.names[1]} order pairs of words alike ({x.span}). But their cosines "
            f"differ in mean or spread, beyond the noise of single runs. {x.numbers} Were the vectors of one group "
            "centred, or changed in another way?"
        ),
        "paired": lambda x: (
            f"By {_by(x)}, {x.names[0]} and {x.names[1]} have more in common than two runs of one group do "
            f"({x.span}). {x.numbers} Are runs of the one made of runs of the other? Then nobody can tell whether the "
            "groups agree."
        ),
        "open": lambda x: (
            f"By {_by(x)}, these runs are too few to say whether {x.names[0]} and {x.names[1]} differ beyond the "
            f"noise of single runs ({x.span}). {x.numbers}"
        ),
        "no test": _no_test,
    },
)


class Seen(NamedTuple):
    """The words that two groups surely see most differently.

    Attributes:
        first: a group.
        second: the other.
        named: the words, the surest first.
        words: of how many.
        silent: what forbids to compare the groups; then nothing is tested.
        noisy: which groups are too few runs for lists so noisy; then nothing is tested.
        copies: whether runs of the one are runs of the other; then nothing is tested.
    """

    first: str
    second: str
    named: list[str]
    words: int
    silent: Unfit = Unfit()
    noisy: str = ""
    copies: bool = False


SEEN_DIFFERENTLY = Claim[Seen](
    id="compare.seen-differently",
    says="Two groups see some words more differently than equally frequent words.",
    rule=(
        "a word is named if it is in the tenth of equally frequent words whose neighbours differ most between the "
        f"groups, beyond what two runs of one do, with probability {SURE} on average. No test "
        f"{RULE}. No test either of fewer than {word(LEAST)} runs, below {NOISY_RUNS:g} runs if p@n is below "
        f"{NOISY:g}, and if both groups share runs"
    ),
    judge=lambda x: "no test" if x.silent or x.noisy or x.copies else "yes" if x.named else "no",
    sentences={
        "yes": lambda x: (
            f"{capital(the_runs(x.first))} and {the_runs(x.second)} see "
            f"{counted(len(x.named), 'word', of=x.words)} more differently than equally frequent words. The noise of "
            f"single runs is taken out: {', '.join(x.named[:5])}{' …' if len(x.named) > 5 else ''}. About one in "
            "twenty is named wrongly."
        ),
        "no": lambda x: (
            f"No word's neighbours surely differ more between {the_runs(x.first)} and {the_runs(x.second)} than those "
            "of equally frequent words do."
        ),
    },
)
