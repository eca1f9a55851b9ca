"""The page: which cosine stands for which similarity, how far the curve errs, by which rules; its title and methods."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.report.svg.colours import series
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent
from gpustab.studies.calibration.claims import (
    NAMES,
    NOTHING,
    TELLS,
    by_words,
    cosine,
    explained,
    interval_of,
    said_of,
    span,
)
from gpustab.studies.calibration.tables import CALIBRATED, NAMED, Calibrated
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import groups_in_words, listed

_NAMED = "From this cosine on, pairs are so similar on average"
EVENLY = "evenly over the cosines, so that the explained share is of these and not of pairs at random"
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
                f"{listed(sorted(of))} like these. Beyond the cosines of the scored pairs it says nothing.",
                "No similarity is named where the band reaches beyond the curve: more scored pairs would narrow it.",
            ]
        ),
    )


def _fact(row: Calibrated) -> tuple[str, str, str]:
    scored = f"{counted(row.pairs, 'scored pair')} of {row.items:,} {row.kind}"
    return row.group, row.test, f"{scored}; scores from {row.lowest:g} to {row.highest:g}; mean cosine {row.cosine:.2f}"


def _errors(rows: list[Calibrated]) -> Block:
    first = ["group"] if len(rows) > 1 else []
    shares: Columns = [("explained, 95 %", explained), ("by shared words", by_words)]
    columns: Columns = [*first, "curve", "isotonic", "line", "constant", *shares, "pairs", "items"]
    return Block(
        "How far does the curve err?",
        tables=[SmallTable.of("Error of a single pair, in units of the scores", rows, columns)],
        answer=(
            "Each pair is predicted by a curve that was fitted to pairs of other items alone. A curve that errs no "
            "less than one value for all pairs knows nothing. One that errs no less than a straight line could "
            "be that line. Similar sentences share words, so that even an encoder of random weights tells something: "
            "compare with what shared words explain by themselves."
            + (f" These pairs of words were drawn {EVENLY}." if any(row.drawn for row in rows) else "")
        ),
    )


def _how(result: Result, rows: list[Calibrated]) -> Block:
    named = sum(NAMES.judge(row) == "named" for row in NAMED.rows(result.tables))
    return Block(
        "By which rules?",
        [
            ("tells", "above 0 %", "the interval of the share of the scores' variance that the curve explains"),
            ("tells nothing", f"below {percent(NOTHING)}", "the same interval"),
            ("the curve", "never falls", "a broken line by least squares, with about as many parts as the third root "
             "of the number of pairs"),
            ("its band", "95 %", "at each cosine, by two bootstraps: over pairs, and over the items that pairs share"),
            ("a cosine is named", "both ends", "of its interval lie within the cosines of the scored pairs"),
        ],
        answer=verdicts_by_chance(named + len(rows)),
        folded=True,
    )  # fmt: skip


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many pairs were looked at."""
    rows = list(CALIBRATED.rows(result.tables))
    kinds = listed(sorted({group["kind"] for group in result.groups}) or ["items"])
    pairs = max((row.pairs for row in rows), default=0)
    return f"What similarity of {kinds} does a cosine stand for?", counted(pairs, "scored pair") if pairs else ""


def cards(result: Content) -> list[Card]:
    """Return the cosines of the first model or space that tells, and what it explains."""
    row = next((row for row in CALIBRATED.rows(result.tables) if TELLS.judge(row) == "yes"), None)
    if row is None:
        return [Card("Models or spaces whose cosine tells similarity", "none", f"of {len(result.groups)}")]
    style = series(group["name"] for group in result.groups)[row.group].style
    named = [one for one in NAMED.rows(result.tables, group=row.group) if one.cosine is not None]
    shown = [
        Card(f"Similarity {number(one.similarity, 3)}", cosine(one.cosine), "and above", span(one), style)
        for one in named[:3]
    ]
    return [*shown, Card("Of the scores' variance", percent(row.gain), "", interval_of(row), style)]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the first model or space that tells; empty if none does, or an alarm forbids."""
    row = next((row for row in CALIBRATED.rows(result.tables) if TELLS.judge(row) == "yes"), None)
    if row is None or result.alarms:
        return ""
    return said_of(row, result.tables)


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
        "The curve is a broken line that never falls, fitted by least squares. Its 95 % band comes from bootstraps "
        "over pairs and over the items that pairs share. Errors are of pairs that share no item with those of the fit."
    )
