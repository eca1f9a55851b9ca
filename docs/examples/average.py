"""Averages of runs, and single runs."""

from __future__ import annotations

import math

from docs.examples import over
from gpustab.studies.average.claims import Gain

_RUNS, _CHANCE = over(0.0204, 0.0001), 0.1

EXAMPLES = {
    "average.agree-better": [
        Gain(4, over(0.0104, 0.0002, 4), _RUNS, _CHANCE),
        Gain(4, over(0.0304, 0.0002, 4), _RUNS, _CHANCE),
        Gain(4, over(0.0194, 0.0012, 4), _RUNS, _CHANCE),
        Gain(2, over(0.0147, math.nan, 2), _RUNS, _CHANCE),
        Gain(2, over(0.0161, 0.0002, 4), _RUNS, 0.0206),
    ]
}
