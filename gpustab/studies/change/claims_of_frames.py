"""What the study claims of spaces: whether they are collapsed, have one frame, or fit two turns onto each other."""

from __future__ import annotations

from typing import NamedTuple

from gpustab.errors import option
from gpustab.results.page import number, percent
from gpustab.studies.change.claims import NOISY
from gpustab.studies.change.differences import noise
from gpustab.studies.change.tables import Pair
from gpustab.studies.shared import spaces
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import groups_in_words

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
            f"{groups_in_words([cosine.name])}: the vectors are collapsed. All words point one way (mean cosine "
            f"{cosine.value:.2f}), so they cannot show that a word moved. Train longer."
        )
    },
)


TWO_CAMPS = Claim[Pair](
    id="change.two-camps",
    says="The words fall into two camps, each with its own rotation of one space onto the other.",
    rule=(
        f"words that may choose between two rotations, found on other words, move less than {CAMPS:g} times as far as "
        "by one rotation over all words, and that is the rotation that was taken"
    ),
    judge=lambda pair: "yes" if pair.align == "all" and pair.two_turns < CAMPS else "no",
    sentences={
        "yes": lambda pair: (
            f"From {pair.first} to {pair.second}, the words fall into two camps ({percent(1 - pair.second_turn)} and "
            f"{percent(pair.second_turn)}). Each camp needs its own rotation of one space onto the other. These "
            "vectors cannot say which camp moved. If you know words that stood still, align by them "
            f"({option('align', 'anchors')} with {option('anchors', 'FILE')}). Neighbours need no alignment: "
            f"{option('words')} lists the neighbours of the words that you name, by period."
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
    says="Spaces that were not rotated have common axes.",
    rule=(
        f"a rotation over all words leaves at least {SHARED:g} of the change without a rotation, and two unrotated "
        f"runs of one period lie less than {NOISY:g} times as far apart as two different words"
    ),
    judge=_frame,
    sentences={
        "no": lambda pair: (
            f"The spaces of {pair.first} and {pair.second} have no common axes, or most words moved together. A "
            f"rotation over all words reduces the change from {number(pair.residual, 2)} to {number(pair.by_all, 2)}. "
            f"Take {option('align', 'all')}, unless both spaces were tuned from the same vectors."
        ),
        "runs": lambda pair: (
            "These runs have no common axes, or training noise hides them. Without a rotation, two runs of one period "
            f"lie {number(pair.training_floor, 2)} apart, two different words {number(pair.unlike, 2)}. Take "
            f"{option('align', 'all')}."
        ),
    },
)
