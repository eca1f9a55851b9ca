"""What forbids to read a model's numbers as they stand: runs that are copies, vectors that are none or all alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpustab.studies.localization.comparisons import UNRELATED, Distances
from gpustab.studies.localization.models.model import Flaws

ALIKE = 2.0**-20
"""Cosine distance up to which float32 vectors point one way, and two runs' distances are the same numbers."""

_MANY = 0.1


def copies(runs: Sequence[Distances]) -> dict[int, int]:
    """Return the runs whose distances are those of an earlier one, each with that one; counted from 0."""
    found: dict[int, int] = {}
    for r, own in enumerate(runs):
        earlier = (q for q in range(r) if q not in found and _same(runs[q], own))
        if (first := next(earlier, None)) is not None:
            found[r] = first
    return found


def alarms_of_copies(name: str, same: dict[int, int]) -> list[str]:
    """Return a sentence for every run that is a copy."""
    return [
        f"{name}: runs {first + 1} and {r + 1} give the same distances; one of them is left out, since counted twice "
        "they would make the scores look surer than they are."
        for r, first in same.items()
    ]


def alarms_of_spaces(name: str, runs: Sequence[Distances], flaws: Sequence[Flaws]) -> list[str]:
    """Return sentences on collapsed runs, and on vectors that are no numbers or zero."""
    several = len(runs) > 1
    alarms = []
    for r, (own, flaw) in enumerate(zip(runs, flaws, strict=True), 1):
        who = f"{name}, run {r}" if several else name
        if is_collapsed(own):
            alarms.append(
                f"{who}: is collapsed: unrelated sentences point one way, to float32's rounding. Its distances, and "
                "all scores of it, mean nothing."
            )
        if flaw.unfinite:
            alarms.append(
                f"{who}: the vectors of {flaw.unfinite:,} of {flaw.texts:,} sentences are not finite; these are left "
                "out, and the others need not stand for them."
            )
        if flaw.zero > _MANY * flaw.texts:
            alarms.append(
                f"{who}: the vectors of {flaw.zero:,} of {flaw.texts:,} sentences are zero, which has no direction; "
                "these are left out, and the others need not stand for them."
            )
    return alarms


def is_collapsed(distances: Distances) -> bool:
    """Return whether half of the unrelated sentences lie at no distance."""
    own = distances.of(UNRELATED, 1)
    own = own[np.isfinite(own)]
    return bool(len(own)) and bool(np.median(own) <= ALIKE)


def _same(first: Distances, second: Distances) -> bool:
    pairs = [(first.paraphrase, second.paraphrase)]
    pairs += [(first.chains[kind], second.chains[kind]) for kind in first.chains]
    return all(np.allclose(a, b, rtol=0, atol=ALIKE, equal_nan=True) for a, b in pairs)
