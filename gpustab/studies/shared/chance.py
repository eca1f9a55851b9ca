"""Runs that are hardly more alike than unrelated spaces: nothing was learned, so that nothing can be said of them."""

from __future__ import annotations

import math

from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import Margin, Verdict, decide
from gpustab.studies.shared.wording import with_error

AT_CHANCE = Margin(
    0.9, "loss of two runs, as a part of that of unrelated spaces, from which they have nothing in common"
)

_HINTS = {"ppmi_svd": "A subsampling rate of 1e-5 deletes most of a small corpus; try --set ppmi_svd.subsample=0.001."}


def at_chance(loss: Estimate, chance: float) -> Verdict:
    """Tell whether two runs are hardly more alike than unrelated spaces, by the interval; without one by the loss.

    >>> at_chance(Estimate(0.098, 0.001, 7), 0.1), at_chance(Estimate(0.02, 0.001, 7), 0.1)
    ('yes', 'no')
    """
    if not chance > 0:  # a collapsed space has no chance level
        return "no test"
    low, high = loss.interval
    low, high = (loss.value, loss.value) if math.isnan(low) else (low, high)
    return decide((low, high), AT_CHANCE * chance, math.inf)


def nothing_in_common(runs: str, loss: Estimate, chance: float, technique: str = "") -> str:
    """Return what must be said of such runs, with what to do; they are called as in *two shuffled runs*."""
    return (
        f"{runs[:1].upper()}{runs[1:]} are hardly more alike than unrelated spaces: their reduced PIP loss is "
        f"{with_error(loss)}, that of unrelated spaces {number(chance, 2)}. These vectors do not represent the corpus. "
        f"{what_to_do(technique)}"
    )


def what_to_do(technique: str) -> str:
    """Return the advice for vectors that do not represent their corpus."""
    return _HINTS.get(technique, "Train longer, or with fewer dimensions.")
