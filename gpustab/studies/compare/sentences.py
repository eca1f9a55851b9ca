"""Whether two groups differ in their stability, in sentences with a margin and an error."""

from __future__ import annotations

import math

from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.wording import number_span, word

ALIKE = 0.02
"""Differences of p@n up to this are none that matter: a fifth of a neighbour of ten."""


def neighbours(first: str, second: str, one: Estimate, other: Estimate, n: int) -> tuple[str, str]:
    """Return whose neighbours are more stable: ``"first"``, ``"second"``, ``"alike"`` or ``"open"``, and the sentence.

    Args:
        first: name of a group.
        second: of the other.
        one: mean p@n of the first.
        other: of the second.
        n: length of the lists.
    """
    difference = one.minus(other)
    low, high = difference.interval
    if math.isnan(low):
        return "open", (
            f"{first} shares {number(n * one.value, 2)} of {word(n)} neighbours, {second} {number(n * other.value, 2)}."
            " Whether that is a difference cannot be told from two runs of one group: train at least three of each."
        )
    span = f"difference {number_span(n * low, n * high)}"
    if low > 0 or high < 0:
        (more, most), (less, least) = ((first, one), (second, other)) if low > 0 else ((second, other), (first, one))
        if max(abs(low), abs(high)) > ALIKE:
            return "first" if low > 0 else "second", (
                f"{more} is more stable than {less}: of {word(n)} nearest neighbours {number(n * most.value, 2)} come "
                f"back against {number(n * least.value, 2)} ({span})."
            )
    if low >= -ALIKE and high <= ALIKE:
        return "alike", f"{first} and {second} are equally stable, within a fifth of one neighbour of ten ({span})."
    return "open", (
        f"Whether {first} or {second} is more stable cannot be told from these runs: of {word(n)} nearest neighbours "
        f"{number(n * one.value, 2)} and {number(n * other.value, 2)} come back ({span}). More runs would tell."
    )


def words_that_differ(first: str, second: str, found: tuple[int, int], words: int) -> str:
    """Return how many words stand out in their difference, and how sure that is."""
    if not sum(found):
        return f"No word's stability surely differs more between {first} and {second} than that of words as frequent."
    less = counted(found[0], "word", "is/are", of=words)
    return (
        f"Beside words of like frequency {less} surely less stable in {first} and {found[1]:,} in {second}: each in "
        "the tenth that differs most that way, one in twenty wrong."
    )
