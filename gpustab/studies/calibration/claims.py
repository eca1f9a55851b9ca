"""What the study claims: that a cosine tells how similar two items are; how often it errs: ``benchmarks/placebos``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gpustab.results import Table
from gpustab.results.page import minus, number, percent
from gpustab.studies.calibration.tables import NAMED, Calibrated, Named
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import groups_in_words

Tables = Mapping[str, Table[Any]]

NOTHING = Margin(0.05, "share of the variance of scores, up to which a cosine tells next to nothing of them")


def _tells(row: Calibrated) -> str:
    low, high = row.gained.interval
    return "yes" if low > 0 else "no" if high < NOTHING else "undecided"


def interval_of(row: Calibrated) -> str:
    """Return the 95 % interval of the explained share for people; it lies within 0 and 100 %, or says nothing."""
    low, high = row.gained.interval
    if math.isnan(low) or (low <= 0 and high >= 1):
        return "cannot be told"
    return f"{_part(low)} to {_part(high)}"


def explained(row: Calibrated) -> str:
    """Return the explained share and its interval for people; a curve that errs more than one value explains 0 %."""
    return f"{_part(row.gain)} ({interval_of(row)})"


def by_words(row: Calibrated) -> str:
    """Return what shared words alone explain, for people."""
    return "–" if row.shared is None else _part(row.shared)


def _part(share: float) -> str:
    return percent(min(max(share, 0.0), 1.0))


def _share(row: Calibrated) -> str:
    """Return two sentences: what share is explained, and what shared words alone explain."""
    of = " of pairs drawn evenly over the cosines" if row.drawn else ""
    said = f"It explains {_part(row.gain)} of the variance of the scores{of} ({interval_of(row)})"
    if row.shared is None:
        return f"{said}."
    more = "" if row.gained.interval[0] > row.shared else ", which is not surely less"
    return f"{said}. Shared words alone explain {by_words(row)}{more}."


def _of(row: Calibrated) -> str:
    return f"{groups_in_words([row.group])}: "


def cosine(value: float | None) -> str:
    """Return a cosine for people.

    >>> cosine(-0.19), cosine(None)
    ('−0.19', '–')
    """
    return "–" if value is None else minus(f"{value:.2f}")


def span(row: Named) -> str:
    """Return the interval of a named cosine for people."""
    return "–" if row.cosine is None else f"{cosine(row.lower)} to {cosine(row.upper)}"


TELLS = Claim[Calibrated](
    id="calibration.tells",
    says="The cosine tells how similar two items are.",
    rule=(
        "the 95 % interval of the share of the scores' variance that the curve explains, of pairs that share no item "
        f"with those that it was fitted to, lies above 0. No: it lies below {percent(NOTHING)}"
    ),
    judge=_tells,
    sentences={
        "yes": lambda row: f"{_of(row)}the cosine tells how similar two {row.kind} are. {_share(row)}",
        "no": lambda row: (
            f"{_of(row)}the cosine does not tell how similar two {row.kind} are. Take no cosine of it for a similarity."
        ),
        "undecided": lambda row: (
            f"{_of(row)}these pairs are too few to say whether the cosine tells how similar two {row.kind} are. Give "
            "more scored pairs."
        ),
    },
)


NAMES = Claim[Named](
    id="calibration.names",
    says="From a cosine on, pairs have a similarity on average.",
    rule=(
        "the cosine tells how similar two items are, and both ends of the 95 % interval of the place where the curve "
        "reaches the similarity lie within the cosines of the scored pairs"
    ),
    judge=lambda row: "none" if row.cosine is None else "named",
    sentences={
        "named": lambda row: (
            f"Pairs with a cosine of {cosine(row.cosine)} ({span(row)}) have a similarity of "
            f"{number(row.similarity, 3)} on average."
        ),
        "none": lambda row: f"No cosine stands for a similarity of {number(row.similarity, 3)}: {row.reason}.",
    },
)


def middle_of(row: Calibrated, tables: Tables) -> Named | None:
    """Return the middle one of the similarities whose cosine can be named, if there is one."""
    named = [one for one in NAMED.rows(tables, group=row.group) if one.cosine is not None]
    return named[len(named) // 2] if named else None


def said_of(row: Calibrated, tables: Tables) -> str:
    """Return what is said of a model or space: whether its cosine tells, and where a similarity begins."""
    middle = middle_of(row, tables) if TELLS.judge(row) == "yes" else None
    return " ".join([TELLS.sentence(row), *([NAMES.sentence(middle)] if middle else [])])
