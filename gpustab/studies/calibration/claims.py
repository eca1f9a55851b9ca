"""What the study claims: that a cosine tells how similar two items are; how often it errs: ``benchmarks/placebos``."""

from __future__ import annotations

from gpustab.results.page import percent
from gpustab.studies.calibration.tables import Calibrated
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import groups_in_words

NOTHING = Margin(0.05, "share of the variance of scores, up to which a cosine tells next to nothing of them")


def _tells(row: Calibrated) -> str:
    low, high = row.gained.interval
    return "yes" if low > 0 else "no" if high < NOTHING else "undecided"


def _share(row: Calibrated) -> str:
    low, high = row.gained.interval
    return f"{percent(row.gain)} of the variance of the scores ({percent(max(low, -1.0))} to {percent(min(high, 1.0))})"


def _of(row: Calibrated) -> str:
    return f"{groups_in_words([row.group])}: "


TELLS = Claim[Calibrated](
    id="calibration.tells",
    says="The cosine tells how similar two items are.",
    rule=(
        "the 95 % interval of the share of the scores' variance that the curve explains, of pairs that share no item "
        f"with those that it was fitted to, lies above 0. No: it lies below {percent(NOTHING)}"
    ),
    judge=_tells,
    sentences={
        "yes": lambda row: f"{_of(row)}the cosine tells how similar two {row.kind} are. It explains {_share(row)}.",
        "no": lambda row: (
            f"{_of(row)}the cosine does not tell how similar two {row.kind} are. Take no cosine of it for a similarity."
        ),
        "undecided": lambda row: (
            f"{_of(row)}these pairs are too few to say whether the cosine tells how similar two {row.kind} are. Give "
            "more scored pairs."
        ),
    },
)
