"""Small statistics that no dependency of the core brings."""

from __future__ import annotations

import math


def wilson(hits: float, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson score interval of a share (Wilson 1927), by default at 95 %.

    Args:
        hits: successes, 0 to ``trials``; half ones count as halves.
        trials: at least 1.
        z: normal quantile of the level.

    >>> [round(x, 2) for x in wilson(9, 10)]
    [0.6, 0.98]
    """
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)
