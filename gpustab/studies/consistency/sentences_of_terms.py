"""Sentences on tables 5, 6 and 7: where terms lie beside the general text's vectors, and their nearest words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.consistency.sentences import FEWEST, as_cosine

CLOSEST = "high in text, low in general"
"""The group that the paper finds closest (table 5)."""


def own_part(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return whether samples are nearer to their own term's vector than to others', and the sentence.

    The rule: the 95 % interval over terms of the excess lies above 0 (``"nearer"``), below 0 (``"farther"``), or
    across (``"open"``); ``"few"`` with fewer than three terms that the background has.
    """
    if row["terms"] < FEWEST:
        return "few", "Too few of the terms are in the background to say how near they are to its vectors."
    both = f"{as_cosine(row['cosine'])} against {as_cosine(row['null'])}"
    where = f"which stands at place {row['place']:,.0f} among all words"
    if row["excess_low"] > 0:
        return "nearer", (
            f"A sample is nearer to the background's vector of its own term than to that of another ({both}), {where}."
        )
    if row["excess_high"] < 0:
        return "farther", f"A sample is farther from its own term's vector than from another's ({both}), {where}."
    return "open", (
        f"That a sample is nearer to its own term's vector than to another's is not shown ({both}); the own one stands "
        f"at place {row['place']:,.0f} among all words."
    )


def closest(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
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
        return "few", (
            f"Whether terms frequent in the text and rare in general are the closest to themselves cannot be told: "
            f"there are {there} such terms{'' if groups else ' and no other group of three'}."
        )
    apart = [(name, _excess(own).minus(_excess(row)).interval) for name, row in groups.items()]
    shown = f"cosine {as_cosine(own['cosine'])}, null {as_cosine(own['null'])}, {own['terms']} terms"
    if all(low > 0 for _, (low, _) in apart):
        return "closest", (
            f"Terms frequent in the text and rare in general are the closest to themselves ({shown}), each group "
            "beside terms of like frequency."
        )
    if above := [name for name, (_, high) in apart if high < 0]:
        return "not", (
            f"Terms frequent in the text and rare in general are not the closest to themselves ({shown}): terms "
            f"{above[0]} are closer, each beside terms of like frequency."
        )
    return "open", (
        f"That terms frequent in the text and rare in general are closer to themselves than all others is not shown "
        f"({shown}), beside terms of like frequency."
    )


def _excess(row: Mapping[str, Any]) -> Estimate:
    """The excess of a row with its error."""
    half = (row["excess_high"] - row["excess_low"]) / 2
    return Estimate(row["excess"], half / t_quantile(row["terms"] - 1), row["terms"] - 1)


def neighbours_part(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many of their nearest words the first two samples of the terms share: what is there, no estimate."""
    first = rows[::2]
    of = len(first[0]["nearest"].split(", "))
    shared = sum(row["shared"] for row in first) / len(first)
    mean = f"share {shared:.1f}, a mean of the {len(first)} most frequent terms"
    return f"Of {of} nearest words two samples of a term {mean}."
