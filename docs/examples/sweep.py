"""Changes of a setting beside the baseline, in percent and in points."""

from __future__ import annotations

from docs.examples import over
from gpustab.studies.sweep.claims import Changed

_CHANGES = [Changed([over(x, 1.0)]) for x in (-12.0, 9.0, -1.9)]
_FAR = Changed([over(-12.0, 1.0)], ["run-002 of epochs = 20"])

EXAMPLES = {
    "sweep.longer-is-more-stable": [*_CHANGES, _FAR],
    "sweep.longer-is-better": [*_CHANGES[:2], Changed([over(0.4, 1.0)]), _FAR],
    "sweep.levels-off": [*_CHANGES, _FAR],
}
