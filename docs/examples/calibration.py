"""Calibrations of an encoder that tells, of one that does not, and of too few pairs."""

from __future__ import annotations

from docs.examples import made
from gpustab.studies.calibration.tables import Calibrated, Named


def _row(
    gain: float, error: float, pairs: int = 750, shared: float = 0.28, more_error: float = 0.02, line: float = 1.0
) -> Calibrated:
    numbers = {
        "line": line,
        "constant": 1.0,
        "pairs": pairs,
        "gain": gain,
        "error": error,
        "freedom": pairs - 1,
        "shared": shared,
    }
    beyond = {"more": gain - shared, "more_error": more_error}
    return made(Calibrated, group="minilm", kind="sentences", **numbers, **beyond)


_SPACE = made(
    Calibrated,
    group="glove",
    kind="words",
    pairs=5_000,
    gain=0.28,
    error=0.02,
    freedom=900,
    shared=None,
    more=None,
    more_error=None,
    drawn=True,
)


EXAMPLES = {
    "calibration.tells": [_SPACE, _row(-0.02, 0.01), _row(-0.02, 0.01, line=0.6), _row(0.06, 0.05, 40)],
    "calibration.more-than-words": [_row(0.83, 0.012), _row(0.21, 0.02), _row(0.4, 0.1, 40, 0.28, 0.12)],
    "calibration.names": [
        Named("minilm", 2.5, 0.59, 0.56, 0.62, ""),
        Named("minilm", 9, None, None, None, "the curve of the scored pairs goes from 0.4 to 4.6"),
    ],
}
