"""What forbids to read the numbers of a model of sentences: vectors that point one way, lack, or are another run's."""

from __future__ import annotations

from typing import NamedTuple

from gpustab.results.page import counted, percent
from gpustab.studies.localization.claims import ALIKE
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import capital

MANY = Margin(0.1, "share of a model's sentences without a direction that is no small gap")


class RunVectors(NamedTuple):
    """What the vectors of one run are like.

    Attributes:
        who: the model, and its run where it has several.
        unrelated: median distance of unrelated sentences; NaN where there are none.
        texts: sentences that have been embedded.
        zero: those whose vector is zero.
        unfinite: those whose vector is not finite.
    """

    who: str
    unrelated: float
    texts: int
    zero: int
    unfinite: int


COLLAPSED = Claim[RunVectors](
    id="localization.collapsed",
    says="All vectors of a run point one way.",
    rule=f"half of the unrelated sentences lie within a cosine distance of {ALIKE:.2g}",
    judge=lambda run: "yes" if run.unrelated <= ALIKE else "no",
    sentences={
        "yes": lambda run: (
            f"{capital(run.who)}: the vectors are collapsed. Unrelated sentences point one way, up to rounding in "
            "float32. Distances and scores mean nothing."
        )
    },
)

NOT_FINITE = Claim[RunVectors](
    id="localization.not-finite",
    says="Some vectors of a run are not finite.",
    rule="one vector suffices",
    judge=lambda run: "yes" if run.unfinite else "no",
    sentences={
        "yes": lambda run: (
            f"{capital(run.who)}: the vectors of {counted(run.unfinite, 'sentence', 'is/are', of=run.texts)} not "
            "finite. These sentences are left out; the others may not represent them."
        )
    },
)

NO_DIRECTION = Claim[RunVectors](
    id="localization.no-direction",
    says="Many vectors of a run are zero.",
    rule=f"more than {percent(MANY)} of the sentences",
    judge=lambda run: "yes" if run.zero > MANY * run.texts else "no",
    sentences={
        "yes": lambda run: (
            f"{capital(run.who)}: the vectors of {counted(run.zero, 'sentence', 'is/are', of=run.texts)} zero and have "
            "no direction. These sentences are left out; the others may not represent them."
        )
    },
)

ALARMS_OF_RUNS = (COLLAPSED, NOT_FINITE, NO_DIRECTION)


class RunPair(NamedTuple):
    """Two runs of a model, counted from 1, and the largest difference of their distances."""

    model: str
    first: int
    second: int
    difference: float


COPIES = Claim[RunPair](
    id="localization.copies",
    says="Two runs of a model are one.",
    rule=f"none of their distances differ by more than {ALIKE:.2g}",
    judge=lambda pair: "yes" if pair.difference <= ALIKE else "no",
    sentences={
        "yes": lambda pair: (
            f"{capital(pair.model)}: runs {pair.first} and {pair.second} give the same distances. One of them is left "
            "out: counted twice, they would make the scores look surer than they are."
        )
    },
)
