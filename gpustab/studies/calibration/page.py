"""The page: which cosine stands for which similarity, how far the curve errs, by which rules; its title and methods."""

from __future__ import annotations

import math

from gpustab.report import Result
from gpustab.report.svg.colours import series
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent
from gpustab.studies.calibration.claims import (
    NAMES,
    NO_MORE,
    NOTHING,
    TELLS,
    by_words,
    cosine,
    explained,
    interval_of,
    is_useful,
    more_than_words,
    said_of,
    span,
)
from gpustab.studies.calibration.tables import CALIBRATED, NAMED, Calibrated
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import groups_in_words, listed

_NAMED = "Pairs of this cosine are so similar on average"
_WORDS = (
    "Similar sentences share words, so that even an encoder of random weights tells something. Shared words have a "
    "curve of their own, of the same pairs; the verdict is by the points that the cosine explains beyond it."
)
EVENLY = "evenly over the cosines, so that the explained share is of these and not of pairs at random"
_RULES = [
    ("more than shared words", "above 0", "the interval of the points that the cosine explains beyond shared words"),
    ("no more", f"below {100 * NO_MORE:.0f} points", "the same interval"),
]
CITATIONS = ("elekes2018",)


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    rows = list(CALIBRATED.rows(result.tables))
    return [_curves(result, rows), _errors(rows), _how(result, rows)] if rows else []


def _curves(result: Result, rows: list[Calibrated]) -> Block:
    shown: Columns = [
        ("similarity", lambda row: number(row.similarity, 3)),
        ("cosine", lambda row: cosine(row.cosine)),
        ("95 %", span),
        ("", lambda row: row.reason),
    ]
    first: Columns = ["group"] if len(rows) > 1 else []
    of = {row.kind for row in rows}
    return Block(
        "Which cosine stands for which similarity?",
        [_fact(row) for row in rows],
        [SmallTable.of(_NAMED, NAMED.rows(result.tables), [*first, *shown])],
        figures=["curves"],
        answer=" ".join(
            [
                "The curve gives the mean similarity of pairs of a cosine, in units of the scores; single pairs vary "
                "around it. It holds for this model or space alone, and for "
                f"{listed(sorted(of))} like these. Beyond the cosines of the scored pairs it says nothing. "
                "Its band holds at each cosine by itself.",
                "No similarity is named where the band reaches beyond the curve: more scored pairs would narrow it.",
            ]
        ),
    )


def _fact(row: Calibrated) -> tuple[str, str, str]:
    scored = f"{counted(row.pairs, 'scored pair')} of {row.items:,} {row.kind}"
    return row.group, row.test, f"{scored}; scores from {row.lowest:g} to {row.highest:g}; mean cosine {row.cosine:.2f}"


def _errors(rows: list[Calibrated]) -> Block:
    first = ["group"] if len(rows) > 1 else []
    words: Columns = [("by shared words", by_words), ("points more, 95 %", more_than_words)]
    shares: Columns = [*first, ("explained, 95 %", explained), *(words if any(row.beyond for row in rows) else [])]
    errors: Columns = [*first, "curve", "isotonic", "line", "constant", "pairs", "items"]
    low, high = min(row.lowest for row in rows), max(row.highest for row in rows)
    return Block(
        "How far does the curve err?",
        tables=[
            SmallTable.of("Share of the variance of the scores", rows, shares),
            SmallTable.of(
                f"Error of a single pair (root mean square), in units of the scores, which go from {low:g} to {high:g}",
                rows,
                errors,
            ),
        ],
        answer=(
            "Each pair is predicted by a curve that was fitted to pairs of other items alone. A curve that errs no "
            "less than one value for all pairs knows nothing."
            + _straight([row for row in rows if TELLS.judge(row) == "yes" and row.line <= row.curve], len(rows))
            + (f" {_WORDS}" if any(row.beyond for row in rows) else "")
            + (f" These pairs of words were drawn {EVENLY}." if any(row.drawn for row in rows) else "")
        ),
    )


def _straight(rows: list[Calibrated], of: int) -> str:
    """Return of which models or spaces a straight line errs no more than the curve."""
    if not rows:
        return ""
    where = "" if of == 1 else f" of {groups_in_words([row.group for row in rows])}"
    return f" A straight line errs no more than the curve{where}, which could be that line."


def _tested(rows: list[Calibrated]) -> int:
    """How many verdicts on curves rest on an interval: of what they explain, and of what beyond shared words."""
    judged = [estimate for row in rows for estimate in (row.gained, row.beyond) if estimate is not None]
    return sum(not math.isnan(estimate.half) for estimate in judged)


def _how(result: Result, rows: list[Calibrated]) -> Block:
    named = sum(NAMES.judge(row) == "named" for row in NAMED.rows(result.tables))
    return Block(
        "By which rules?",
        [
            ("tells", "above 0 %", "the interval of the share of the scores' variance that the curve explains"),
            ("tells nothing", f"below {percent(NOTHING)}", "the same interval"),
            *_RULES * any(row.beyond for row in rows),
            ("the curve", "never falls", "a broken line by least squares, with about as many parts as the third root "
             "of the number of pairs"),
            ("its band", "95 %", "at each cosine by itself, by two bootstraps: over pairs, and over the items that "
             "pairs share. It reaches as far as a line of twice as many parts. Where the law is known and bends "
             "little, the whole curve lies within it in 4 to 8 of 10 cases. A steep rise is held a little less often, "
             "and so are curves whose items move cosines and scores alike"),
            ("a cosine is named", "both ends", "of its interval lie within the cosines of the scored pairs"),
        ],
        answer=verdicts_by_chance(named + _tested(rows)),
        folded=True,
    )  # fmt: skip


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many pairs were looked at."""
    rows = list(CALIBRATED.rows(result.tables))
    kinds = listed(sorted({group["kind"] for group in result.groups}) or ["items"])
    pairs = max((row.pairs for row in rows), default=0)
    return f"What similarity of {kinds} does a cosine stand for?", counted(pairs, "scored pair") if pairs else ""


def cards(result: Content) -> list[Card]:
    """Return the cosines of the first model or space that is useful, and what it explains."""
    rows = list(CALIBRATED.rows(result.tables))
    row = next((row for row in rows if is_useful(row)), None)
    if row is None:
        more = " more than shared words do" if any(one.beyond for one in rows) else ""
        none = Card(f"Whose cosine surely tells{more}", "none", f"of {len(result.groups)}")
        return [none, *(card for one in rows[:1] for card in _shares(one, rows))]
    style = series(group["name"] for group in result.groups)[row.group].style
    named = [one for one in NAMED.rows(result.tables, group=row.group) if one.cosine is not None]
    shown = [
        Card(f"Similarity {number(one.similarity, 3)}", cosine(one.cosine), "on average", span(one), style)
        for one in named[:3]
    ]
    return [*shown[: 3 if row.beyond is None else 2], *(card._replace(style=style) for card in _shares(row, rows))]


def _shares(row: Calibrated, rows: list[Calibrated]) -> list[Card]:
    """Return what the cosine explains, and what shared words do."""
    of = f", {row.group}" if len(rows) > 1 else ""
    about, unit = f"Explained by the cosine{of}", "of the scores' variance"
    shares = [Card(about, percent(max(row.gain, 0.0)), unit, interval_of(row))]
    if row.beyond is not None:
        shares.append(
            Card("Explained by shared words", by_words(row), unit, f"difference {more_than_words(row)} points")
        )
    return shares


def may_claim(result: Content) -> str:
    """Return what a paper may say of the first model or space that is useful, or what it may not; alarms forbid it."""
    rows = list(CALIBRATED.rows(result.tables))
    if not rows or result.alarms:
        return ""
    row = next((row for row in rows if is_useful(row)), None)
    if row is None:
        more = ", more than shared words do," if rows[0].beyond else ""
        return f"Not that cosines of {groups_in_words([row.group for row in rows])} tell{more} how similar a pair is."
    of = f"{counted(row.pairs, 'pair')} of {row.items:,} {row.kind} of {row.test}"
    return f"{said_of(row, result.tables)} Not of single pairs, and not beyond {row.kind} like these ({of})."


def methods(result: Content) -> str:
    """Return a paragraph for who writes a paper."""
    rows = list(CALIBRATED.rows(result.tables))
    if not rows:
        return ""
    names, pairs = groups_in_words([row.group for row in rows]), sorted({row.pairs for row in rows})
    counts = f"{pairs[0]:,}" if len(pairs) == 1 else f"{pairs[0]:,} to {pairs[-1]:,}"
    tests = listed(sorted({row.test for row in rows}))
    drawn = f" The pairs were drawn {EVENLY}." if any(row.drawn for row in rows) else ""
    return (
        f"Cosines of {names} were calibrated with {counts} pairs of {rows[0].kind} scored in {tests}.{drawn} "
        "The curve is a broken line that never falls, fitted by least squares. Its 95 % interval at each cosine comes "
        "from bootstraps over pairs and over the items that pairs share. Errors are of pairs that share no item with "
        "those of the fit."
    )
