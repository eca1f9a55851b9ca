"""What the study claims of neighbours: do words keep fewer than they would by chance, and do both measures agree."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.results.page import counted, number, percent
from gpustab.statistics.ranks import spearman_interval
from gpustab.studies.change.claims import BARELY, beside_splits, with_span
from gpustab.studies.change.differences import AtRandom
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import groups_in_words, number_span

ALIKE = Margin(0.5, "Spearman's ρ of neighbours lost and displacement, from which on they name the same words")

GONEN = "Gonen et al. 2020"


FEWER_THAN_AT_RANDOM = Claim[AtRandom](
    id="change.neighbours-more-than-at-random",
    says="Words lose more neighbours between periods than between randomly dealt documents.",
    source=GONEN,
    paper="Gonen et al. compared one space of each corpus, and dealt no documents out at random",
    rule=(
        "the 95 % interval of the difference, over splits and runs, lies above 0. Unknown: fewer than two splits, or "
        f"no error over runs. Too noisy: two runs of one period share at most {percent(BARELY)} of their lists beyond "
        "chance"
    ),
    judge=beside_splits,
    sentences={
        "more": lambda x: (
            "Words lose more neighbours between periods than between randomly dealt documents, by "
            f"{number(x.value, 2)} of those that two runs share ({with_span(x)})."
        ),
        "open": lambda x: (
            "These splits are too few to say whether words lose more neighbours between periods than between randomly "
            f"dealt documents (difference {number(x.value, 2)}, interval {with_span(x)})."
        ),
    },
)


class Agreement(NamedTuple):
    """Whether neighbours and displacement name the same words.

    Attributes:
        name: of the periods.
        value: Spearman's ρ of both over the words, frequency taken out.
        words: how many.
        differ: whether neighbours say that contexts differ at all; else both are the same noise.
    """

    name: str
    value: float
    words: int
    differ: bool

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval over words."""
        return spearman_interval(self.value, self.words)


def _agree(agreement: Agreement) -> str:
    low, high = agreement.interval
    if not agreement.differ or math.isnan(low):
        return "no test"
    return "yes" if low > ALIKE else "no" if high < ALIKE else "open"


def _order(agreement: Agreement) -> str:
    return (
        f"Spearman's ρ {number(agreement.value, 2)}, {number_span(*agreement.interval, 2)}, over "
        f"{counted(agreement.words, 'word')}, frequency taken out"
    )


NAME_ALIKE = Claim[Agreement](
    id="change.same-words",
    says="Neighbours and displacement name the same words.",
    source=f"{GONEN}, section 5",
    paper=(
        "Gonen et al. found that the two measures name other words, and that those of neighbours are easier to explain"
    ),
    rule=(
        f"Spearman's ρ of both over the words, frequency taken out, is surely above {ALIKE:g}, by its 95 % interval "
        "over words. No: it is surely below. No test where neighbours do not say that contexts differ"
    ),
    judge=_agree,
    sentences={
        "yes": lambda x: f"{groups_in_words([x.name])}: neighbours and displacement name the same words ({_order(x)}).",
        "no": lambda x: f"{groups_in_words([x.name])}: neighbours and displacement name other words ({_order(x)}).",
        "open": lambda x: (
            f"{groups_in_words([x.name])}: neighbours and displacement agree in part on which words changed "
            f"({_order(x)})."
        ),
    },
)
