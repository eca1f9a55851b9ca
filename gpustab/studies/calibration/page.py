"""The page: which cosine stands for which similarity, how far the curve errs, by which rules; its title and methods."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.report import Result
from gpustab.report.svg.colours import series
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, minus, number, percent
from gpustab.studies.calibration.claims import NOTHING, TELLS
from gpustab.studies.calibration.tables import CALIBRATED, NAMED, Calibrated, Named
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import groups_in_words, listed

CITATIONS = ("elekes2018",)


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    rows = list(CALIBRATED.rows(result.tables))
    return [_curves(result, rows), _errors(rows), _how(rows)] if rows else []


def _curves(result: Result, rows: list[Calibrated]) -> Block:
    shown: Columns = [
        ("similarity", lambda row: number(row.similarity, 3)),
        ("cosine", lambda row: _cosine(row.cosine)),
        ("95 %", _span),
        ("", lambda row: row.reason),
    ]
    first: Columns = ["group"] if len(rows) > 1 else []
    of = {row.kind for row in rows}
    return Block(
        "Which cosine stands for which similarity?",
        [_fact(row) for row in rows],
        [SmallTable.of("From this cosine on, pairs are so similar on average", _named(result), [*first, *shown])],
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


def _named(result: Result) -> Iterator[Named]:
    yield from NAMED.rows(result.tables)


def _fact(row: Calibrated) -> tuple[str, str, str]:
    scored = f"{counted(row.pairs, 'scored pair')} of {row.items:,} {row.kind}"
    return row.group, row.test, f"{scored}; scores from {row.lowest:g} to {row.highest:g}; mean cosine {row.cosine:.2f}"


def _cosine(value: float | None) -> str:
    return "–" if value is None else minus(f"{value:.2f}")


def _span(row: Named) -> str:
    return "–" if row.cosine is None else f"{_cosine(row.lower)} to {_cosine(row.upper)}"


def _errors(rows: list[Calibrated]) -> Block:
    first = ["group"] if len(rows) > 1 else []
    columns: Columns = [
        *first,
        "curve",
        "isotonic",
        "line",
        "constant",
        ("explained, 95 %", _explained),
        "pairs",
        "items",
    ]
    return Block(
        "How far does the curve err?",
        tables=[SmallTable.of("Error of a single pair, in units of the scores", rows, columns)],
        answer=(
            "Each pair is predicted by a curve that was fitted to pairs of other items alone. A curve that errs no "
            "less than one value for all pairs knows nothing. One that errs no less than a straight line could "
            "be that line."
        ),
    )


def _explained(row: Calibrated) -> str:
    low, high = row.gained.interval
    return f"{percent(row.gain)} ({percent(max(low, -1.0))} to {percent(min(high, 1.0))})"


def _how(rows: list[Calibrated]) -> Block:
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
        answer=verdicts_by_chance(sum(TELLS.judge(row) != "no test" for row in rows)),
        folded=True,
    )  # fmt: skip


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many pairs were looked at."""
    rows = list(CALIBRATED.rows(result.tables))
    kinds = listed(sorted({row.kind for row in rows})) or "items"
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
        Card(f"Similarity {number(one.similarity, 3)}", _cosine(one.cosine), "and above", _span(one), style)
        for one in named[:3]
    ]
    low, high = row.gained.interval
    share = Card("Of the scores' variance", percent(row.gain), "", f"{percent(low)} to {percent(high)}", style)
    return [*shown, share]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the first model or space that tells; empty if none does, or an alarm forbids."""
    row = next((row for row in CALIBRATED.rows(result.tables) if TELLS.judge(row) == "yes"), None)
    if row is None or result.alarms:
        return ""
    named = next((one for one in NAMED.rows(result.tables, group=row.group) if one.cosine is not None), None)
    place = ""
    if named:
        place = (
            f" Pairs with a cosine of {_cosine(named.cosine)} ({_span(named)}) or more have a similarity of "
            f"{number(named.similarity, 3)} on average."
        )
    return f"{TELLS.sentence(row)}{place}"


def methods(result: Content) -> str:
    """Return a paragraph for who writes a paper."""
    rows = list(CALIBRATED.rows(result.tables))
    if not rows:
        return ""
    pairs, names = rows[0], groups_in_words([row.group for row in rows])
    return (
        f"Cosines of {names} were calibrated with {pairs.pairs:,} pairs of {pairs.kind} scored in {pairs.test}. The "
        "curve is a broken line that never falls, fitted by least squares. Its 95 % band comes from bootstraps over "
        "pairs and over the items that pairs share. Errors are of pairs that share no item with those of the fit."
    )
