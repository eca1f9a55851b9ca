"""Ten nearest neighbours, two halves of the documents, and rankings of words."""

from __future__ import annotations

import math

from docs.examples import over
from gpustab.studies.stability.claims import Halves, Least, Opposite, Ranking, Returning


def _returning(p: float, sampling: str = "", leave: str = "", runs: int = 8, se: float = 0.004) -> Returning:
    return Returning(over(p, se, runs), 10, 0.0017, sampling, leave)  # type: ignore[arg-type]


EXAMPLES = {
    "stability.neighbours-return": [
        _returning(0.91, "fixed"),
        _returning(0.91, "shuffled", "advice"),
        _returning(0.91, "shuffled", "permission"),
        _returning(0.08, "bootstrap"),
        _returning(0.08, "shuffled"),
        _returning(0.60, "shuffled", "advice"),
        _returning(0.60),
        _returning(0.26, "bootstrap"),
        _returning(0.60, "shuffled", runs=2, se=math.nan),
        _returning(0.99)._replace(chance=0.9),
    ],
    "stability.other-documents": [
        Halves(over(0.21, 0.004), over(0.58, 0.004), 0.25, 10),
        Halves(over(0.56, 0.004), over(0.58, 0.004), None, 10),
        Halves(over(0.52, 0.02), over(0.58, 0.02), None, 10),
    ],
    "stability.ranks-words": [Ranking(None, 2), Ranking(0.31, 3), Ranking(0.72, 8), Ranking(0.93, 16)],
    "stability.least-listed": [
        Least(10, 7.6, 0.6, 8),
        Least(10, 2.1, 0.6, 8),
        Least(10, 2.1, 0.2, 5),
        Least(0, 0.0, 0.6, 8),
    ],
    "stability.points-opposite": [Opposite([0.31, 0.56], 1582, 10), Opposite([-0.4], 1582, 10)],
}
