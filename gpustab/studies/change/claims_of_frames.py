"""What the study claims of spaces: whether they are collapsed, have one frame, or fit two turns onto each other."""

from __future__ import annotations

from typing import NamedTuple

from gpustab.errors import option
from gpustab.results.page import number
from gpustab.studies.change.claims import NOISY
from gpustab.studies.change.differences import noise
from gpustab.studies.change.tables import Pair
from gpustab.studies.shared import spaces
from gpustab.studies.shared.claims import Claim, Margin

CAMPS = Margin(0.5, "change of words that may choose between two turns, by that of one turn, below which two camps are")
SHARED = Margin(0.5, "change by one turn over all words, by that without a turn, below which spaces share no frame")


class Cosine(NamedTuple):
    """Mean cosine of two different words in the runs of a period."""

    name: str
    value: float


COLLAPSED = Claim[Cosine](
    id="change.collapsed",
    says="All words of a period point one way.",
    rule=f"the mean cosine of two different words is above {spaces.COLLAPSED:g}",
    judge=lambda cosine: "yes" if cosine.value > spaces.COLLAPSED else "no",
    sentences={
        "yes": lambda cosine: (
            f"{cosine.name} is collapsed: all words point one way (mean cosine {cosine.value:.2f}), so that none "
            "can be seen to move. Train it longer."
        )
    },
)


TWO_CAMPS = Claim[Pair](
    id="change.two-camps",
    says="Two camps of words fit two turns of one space onto the other.",
    rule=(
        f"words that may choose between two turns, found on other words, move less than {CAMPS:g} times as far as by "
        "one turn over all words, and that is the turn that was taken"
    ),
    judge=lambda pair: "yes" if pair.align == "all" and pair.two_turns < CAMPS else "no",
    sentences={
        "yes": lambda pair: (
            f"From {pair.first} to {pair.second} two camps of words fit two turns of the one space onto the other, "
            f"{1 - pair.second_turn:.0%} of them the one and {pair.second_turn:.0%} the other. A turn onto most words "
            "takes those for moved that stood still while most moved together: which camp moved, these vectors cannot "
            f"say. If you know words that stood still, turn by them: {option('align', 'anchors')} with "
            f"{option('anchors', 'FILE')}. Neighbours need no turn: {option('words')} lists those of words that you "
            "name, by period."
        )
    },
)


def _frame(pair: Pair) -> str:
    """Judge whether spaces that were taken as they are have one frame; two runs of one period have it, if any have."""
    if pair.align != "none":
        return "no test"
    if noise(pair) > NOISY:
        return "runs"
    return "no" if pair.by_all < SHARED * pair.residual else "yes"


NO_FRAME = Claim[Pair](
    id="change.no-frame",
    says="Spaces that were not turned share one frame.",
    rule=(
        f"a turn over all words leaves at least {SHARED:g} of the change that there is without one, and two runs of "
        f"one period, not turned, lie less than {NOISY:g} times as far apart as two different words"
    ),
    judge=_frame,
    sentences={
        "no": lambda pair: (
            f"From {pair.first} to {pair.second} a turn over all words brings them nearer, from "
            f"{number(pair.residual, 2)} to {number(pair.by_all, 2)}: either these spaces share no frame, or most "
            f"words moved together. Unless they were tuned from the same vectors, take {option('align', 'all')}."
        ),
        "runs": lambda pair: (
            f"Without a turn two runs of one period lie {number(pair.training_floor, 2)} apart, and two different "
            f"words {number(pair.unlike, 2)}: either these runs share no frame, or training "
            f"hides it. Take {option('align', 'all')}."
        ),
    },
)
