"""What drawing the documents again adds to training noise. Rettenmeier 2020, §2.3."""

from __future__ import annotations

import math
from typing import NamedTuple


class Extrinsic(NamedTuple):
    """What resampling these documents adds to training noise; for other documents it is a floor, no estimate.

    Attributes:
        signed_square: ``bootstrap² − intrinsic²``; negative where bootstrap runs differ less than shuffled ones.
        square_se: its standard error.
        value: root of the square; ``None`` if that is negative.
        se: standard error of the value, by propagation; ``None`` without a value.
    """

    signed_square: float
    square_se: float
    value: float | None
    se: float | None


def extrinsic(intrinsic: float, bootstrap: float, intrinsic_se: float = 0.0, bootstrap_se: float = 0.0) -> Extrinsic:
    """Return the extrinsic instability ``√(bootstrap² − intrinsic²)``; eq. 2.42 lacks the squares.

    Reproduces table 2.11 from table 2.8; eq. 2.44 lacks the squares too.

    >>> round(extrinsic(1.805, 3.417).value, 3)  # word2vec, Hindi: tables 2.8 and 2.11
    2.901
    """
    square = bootstrap**2 - intrinsic**2
    square_se = 2 * math.hypot(bootstrap * bootstrap_se, intrinsic * intrinsic_se)
    if square <= 0:
        return Extrinsic(square, square_se, None if square < 0 else 0.0, None)
    return Extrinsic(square, square_se, math.sqrt(square), square_se / (2 * math.sqrt(square)))
