"""Whether it matters which documents there are: bootstrap runs beside shuffled ones, by rule and sentence."""

from __future__ import annotations

import math

from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.wording import number_span

MATTERS = 1.1
"""Ratio of losses from which it is said that documents matter: a tenth more than another training."""


def documents(shuffled: Estimate, bootstrap: Estimate) -> tuple[str, str]:
    """Return whether it matters which documents there are: ``"matter"``, ``"hardly"`` or ``"open"``, and the sentence.

    Args:
        shuffled: mean reduced PIP loss of runs that differ in training alone.
        bootstrap: that of runs that differ in the documents drawn as well.
    """
    found = ratio_of(bootstrap, shuffled)
    low, high = found.interval
    times = f"{found.value:.{_digits(found.half)}f} times ({number_span(low, high, _digits(found.half))})"
    resampled = "Resamples of these documents change the cosines of all words"
    if low > MATTERS:
        return "matter", f"{resampled} {times} as much as another training. Check claims on bootstrap runs."
    if high < MATTERS:
        return "hardly", f"{resampled} hardly more than another training: {times} as much."
    if math.isnan(low):
        return "open", (
            "Whether bootstrap runs differ more than shuffled ones cannot be told from two runs: there is no interval. "
            "Train at least three of each."
        )
    difference = bootstrap.minus(shuffled)
    return "open", (
        "Whether bootstrap runs differ more than shuffled ones cannot be told from these runs: their loss is "
        f"{difference.text('.2g')} higher. More runs would tell."
    )


def ratio_of(above: Estimate, below: Estimate) -> Estimate:
    """Return a ratio with its error, by propagation; it has the fewer degrees of freedom of the two."""
    if not below.value > 0:
        return Estimate(math.nan, math.nan, min(above.freedom, below.freedom))
    value = above.value / below.value
    relative = math.hypot(above.se / above.value if above.value else math.nan, below.se / below.value)
    return Estimate(value, value * relative, min(above.freedom, below.freedom))


def _digits(half: float) -> int:
    return 1 if math.isnan(half) or half >= 0.1 else 2
