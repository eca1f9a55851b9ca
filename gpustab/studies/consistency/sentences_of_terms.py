"""Sentences on tables 5, 6 and 7: where terms lie beside the general text's vectors, and their nearest words."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.results.page import counted
from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.consistency.limits import FEWEST, Row, as_cosine
from gpustab.studies.shared.wording import signed_span, word

CLOSEST = "high in text, low in general"
"""The group that the paper finds closest (table 5)."""


def own_part(row: Row) -> tuple[str, str]:
    """Return whether samples are nearer to their own term's vector than to others', and the sentence.

    The rule: the 95 % interval over terms of the excess lies above 0 (``"nearer"``), below 0 (``"farther"``), or
    across (``"open"``); ``"few"`` with fewer than three terms that the background has.
    """
    if row["terms"] < FEWEST:
        return "few", "Too few of the terms are in the background to say how near they are to its vectors."
    both = f"{as_cosine(row['cosine'])} against {as_cosine(row['null'])}"
    span = signed_span(row["excess_low"], row["excess_high"])
    where = f"The own one stands at place {row['place']:,.0f} among all words."
    if row["excess_low"] > 0:
        return "nearer", (
            f"A sample is nearer to the background's vector of its own term than to that of another ({both}; "
            f"difference {span}, above 0). {where}"
        )
    if row["excess_high"] < 0:
        return "farther", (
            f"A sample is farther from its own term's vector than from another's ({both}; difference {span}, below 0). "
            f"{where}"
        )
    return "open", (
        f"That a sample is nearer to its own term's vector than to another's is not shown ({both}; the difference, "
        f"{span}, would have to be above 0). {where}"
    )


def closest(rows: Sequence[Row]) -> tuple[str, str]:
    """Return whether terms frequent in the text and rare in general are the closest, and the sentence.

    The rule: their excess over the matched null lies surely above that of every other group with three terms
    (``"closest"``), or surely below that of one (``"not"``); else ``"open"``. ``"few"`` without three such terms.

    Args:
        rows: of the table ``domain``, of one background and text.
    """
    groups = {row["terms_of"]: row for row in rows if row["terms"] >= FEWEST and row["terms_of"] != "all"}
    own = groups.pop(CLOSEST, None)
    if own is None or not groups:
        there = next((row["terms"] for row in rows if row["terms_of"] == CLOSEST), 0)
        said = (
            f"there {'is' if there == 1 else 'are'} {counted(there, 'such term')}" if there else "there is no such term"
        )
        lacking = f" (wanted {FEWEST})" if there < FEWEST else ""
        other = "" if groups else f" and no other group of {word(FEWEST)}"
        return "few", (
            "Whether terms frequent in the text and rare in general are the closest to themselves cannot be told: "
            f"{said}{lacking}{other}."
        )
    apart = [(name, _excess(own).minus(_excess(row)).interval) for name, row in groups.items()]
    shown = (
        f"cosine {as_cosine(own['cosine'])}, others of like frequency {as_cosine(own['null'])}, "
        f"{counted(own['terms'], 'term')}"
    )
    if all(low > 0 for _, (low, _) in apart):
        return "closest", (
            f"Terms frequent in the text and rare in general are the closest to themselves ({shown}), each group "
            "beside terms of like frequency."
        )
    if above := [(name, ends) for name, ends in apart if ends[1] < 0]:
        return "not", (
            f"Terms frequent in the text and rare in general are not the closest to themselves ({shown}): terms "
            f"{above[0][0]} are closer by {signed_span(-above[0][1][1], -above[0][1][0])}, each beside terms of like "
            "frequency."
        )
    name, (low, high) = min(apart, key=lambda one: one[1][0])
    return "open", (
        "That terms frequent in the text and rare in general are closer to themselves than all others is not shown "
        f"({shown}): beside terms of like frequency, they are so by {signed_span(low, high)} more than terms {name}, "
        "which would have to be above 0."
    )


def _excess(row: Row) -> Estimate:
    """The excess of a row with its error."""
    half = (row["excess_high"] - row["excess_low"]) / 2
    return Estimate(row["excess"], half / t_quantile(row["terms"] - 1), row["terms"] - 1)


def neighbours_part(rows: Sequence[Row]) -> str:
    """Return how many of their nearest words the first two samples of the terms share: what is there, no estimate."""
    first = rows[::2]
    of = len(first[0]["nearest"].split(", "))
    shared = sum(row["shared"] for row in first) / len(first)
    mean = f"share {shared:.1f}, a mean of the {len(first)} most frequent terms"
    return f"Of {of} nearest words two samples of a term {mean}."
