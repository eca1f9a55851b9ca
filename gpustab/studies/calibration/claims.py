"""What the study claims: that a cosine tells how similar two items are, and more of it than shared words do.

How often the rules err: ``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gpustab.results import Table
from gpustab.results.page import minus, number, percent
from gpustab.studies.calibration.tables import NAMED, Calibrated, Named
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import groups_in_words, signed_span

Tables = Mapping[str, Table[Any]]

NOTHING = Margin(0.05, "share of the variance of scores, up to which a cosine tells next to nothing of them")
NO_MORE = Margin(
    0.05, "share of the variance of scores by which a cosine must explain more than shared words to matter to anybody"
)


def _tells(row: Calibrated) -> str:
    low, high = row.gained.interval
    if low <= 0 and high < NOTHING:  # what a straight line explains, and no curve that rises, falls
        return "falls" if row.line**2 < (1 - NOTHING) * row.constant**2 else "no"
    return "yes" if low > 0 else "undecided"


def _more(row: Calibrated) -> str:
    if row.beyond is None:
        return "no test"
    low, high = row.beyond.interval
    return "more" if low > 0 and row.gained.interval[0] > 0 else "no more" if high < NO_MORE else "open"


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
    """Return what share is explained, and of sentences what shared words alone explain and the difference."""
    of = " of pairs drawn evenly over the cosines" if row.drawn else ""
    said = f"It explains {_part(row.gain)} of the variance of the scores{of} ({interval_of(row)})"
    if row.beyond is None:
        return f"{said}."
    return f"{said}, shared words alone {by_words(row)} (difference {more_than_words(row)} points)."


def more_than_words(row: Calibrated) -> str:
    """Return the interval of how many points of per cent more than shared words the cosine explains, for people."""
    if row.beyond is None:
        return "–"
    low, high = row.beyond.interval
    return signed_span(100 * low, 100 * high, 0)


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
        f"with those that it was fitted to, lies above 0. No: it lies below {percent(NOTHING)}; "
        "scores fall where a straight line, which may fall, explains more than that of the same pairs"
    ),
    judge=_tells,
    sentences={
        "yes": lambda row: f"{_of(row)}the cosine tells how similar two {row.kind} are. {_share(row)}",
        "no": lambda row: (
            f"{_of(row)}the cosine does not tell how similar two {row.kind} are. Take no cosine of it for a similarity."
        ),
        "falls": lambda row: (
            f"{_of(row)}scores fall as the cosine grows. Are they distances? Give them with the other sign: a higher "
            f"one must mean that two {row.kind} are more similar."
        ),
        "undecided": lambda row: (
            f"{_of(row)}these pairs are too few to say whether the cosine tells how similar two {row.kind} are. Give "
            "more scored pairs."
        ),
    },
)

MORE = Claim[Calibrated](
    id="calibration.more-than-words",
    says="The cosine tells more of how similar two sentences are than the words that they share.",
    rule=(
        "the cosine tells how similar two sentences are, and the 95 % interval of what it explains beyond the share of "
        "words that both have lies above 0. Each has a curve of its own, of the same pairs. That of shared words rises "
        "or falls, by a broken line or in steps, whichever errs least. No more: that interval lies below "
        f"{percent(NO_MORE)} of the variance. No test of pairs of words, nor where nearly all pairs share as large a "
        "part of their words"
    ),
    judge=_more,
    sentences={
        "more": lambda row: (
            f"{_of(row)}the cosine tells more of how similar two sentences are than the words that they share do. "
            f"{_share(row)}"
        ),
        "no more": lambda row: (
            f"{_of(row)}the cosine tells no more of how similar two sentences are than the words that they share do. "
            f"{_share(row)} Count shared words, or take another encoder."
        ),
        "open": lambda row: (
            f"{_of(row)}the cosine tells how similar two sentences are; whether more than the words that they share do "
            f"is open. {_share(row)} Give more scored pairs; some hundreds mostly decide."
        ),
    },
)


NAMES = Claim[Named](
    id="calibration.names",
    says="Pairs of a cosine have a similarity on average.",
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


def is_useful(row: Calibrated) -> bool:
    """Return whether the cosine tells, of sentences more than shared words do: then its cosines are worth naming."""
    return TELLS.judge(row) == "yes" and MORE.judge(row) in ("more", "no test")


def middle_of(row: Calibrated, tables: Tables) -> Named | None:
    """Return the middle one of the similarities whose cosine can be named, if there is one."""
    named = [one for one in NAMED.rows(tables, group=row.group) if one.cosine is not None]
    return named[len(named) // 2] if named else None


def said_of(row: Calibrated, tables: Tables) -> str:
    """Return what is said of a model or space: whether its cosine tells, and at which a similarity lies."""
    said = MORE.sentence(row) if TELLS.judge(row) == "yes" and row.beyond is not None else TELLS.sentence(row)
    middle = middle_of(row, tables) if is_useful(row) else None
    return " ".join([said, *([NAMES.sentence(middle)] if middle else [])])
