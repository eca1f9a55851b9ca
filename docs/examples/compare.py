"""Two groups of runs, and their words."""

from __future__ import annotations

import math

from docs.examples import over
from gpustab.studies.compare.claims import Differing, Groups


def _groups(one: float, other: float, one_loss: float, other_loss: float, se: float = 0.002, runs: int = 8) -> Groups:
    names = ("sgns/shuffled", "lsa/shuffled")
    shares, losses = (
        (over(one, se, runs), over(other, se, runs)),
        (over(one_loss, se, runs), over(other_loss, se, runs)),
    )
    return Groups(*names, *shares, 10, *losses)


EXAMPLES = {
    "compare.more-stable": [
        _groups(0.71, 0.60, 0.13, 0.22),
        _groups(0.60, 0.71, 0.22, 0.13),
        _groups(0.71, 0.60, 0.16, 0.16, 0.01),
        _groups(0.71, 0.60, 0.13, 0.22)._replace(other_loss=over(0.22, 0.1)),
        _groups(0.71, 0.60, 0.22, 0.13),
        _groups(0.602, 0.600, 0.131, 0.132),
        _groups(0.61, 0.60, 0.13, 0.22, 0.02),
        _groups(0.61, 0.60, 0.13, 0.22, math.nan, 2),
    ],
    "compare.words-differ": [
        Differing("sgns/shuffled", "lsa/shuffled", 1, 12, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 8, 12, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 0, 0, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 0, 0, 1582, "run-003 of the shuffled runs of skip-gram lies"),
    ],
}
