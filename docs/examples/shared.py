"""Losses of shuffled and bootstrap runs."""

from __future__ import annotations

import math

from docs.examples import over
from gpustab.studies.shared.claims import Losses
from gpustab.studies.shared.own_noise import Apart

EXAMPLES = {
    "shared.one-lies-apart": [
        Apart(4, 1.41, 18.2, 6, (0.0682, 0.0774), "run-004"),
        Apart(4, 1.09, 2.3, 6, (0.0682, 0.0697), "run-004"),
    ],
    "shared.documents-matter": [
        Losses(over(0.0204, 0.0001), over(0.0388, 0.0004)),
        Losses(over(0.0204, 0.0001), over(0.0209, 0.0002)),
        Losses(over(0.0204, 0.0008), over(0.0221, 0.0009)),
        Losses(over(0.0204, math.nan, 2), over(0.0221, math.nan, 2)),
    ],
}
