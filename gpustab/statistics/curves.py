"""Curves over a number, fitted by least squares, and what they leave: a line leaves a hump."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KNOTS = 5
"""At the least and the greatest value and at the quarters between: enough for one hump, too few to follow noise."""
_PER_KNOT = 25
"""Values that each knot has at least, fewer than 75 have a line: of 60 words a curve follows the few that moved."""


def spline(x: Floats, knots: int = KNOTS) -> Floats:
    """Return the columns of a natural cubic spline, ``(N, K − 1)``, to be fitted beside an intercept.

    The curve is straight at both ends. Knots stand at quantiles, so that equally many values lie between two of them;
    where values are tied there may be fewer. Two knots are a line.

    Args:
        x: ``(N,)`` finite, at least two different values.
        knots: K, at most.

    Raises:
        ValueError: if the values do not differ.

    Example:
        >>> x = np.linspace(0, 1, 9)
        >>> spline(x).shape, bool(np.allclose(spline(x, 2)[:, 0], x))
        ((9, 4), True)
    """
    from scipy.interpolate import CubicSpline  # not at the start: half a second

    places = np.unique(np.quantile(x, np.linspace(0, 1, knots)))
    if len(places) < 2:
        raise ValueError("values do not differ, so that there is no curve over them")
    # Each column is the curve that is 1 at its knot and 0 at the others; all together are the intercept.
    curve = CubicSpline(places, np.eye(len(places)), bc_type="natural")
    columns: Floats = np.array(curve(x)[:, 1:], dtype=np.float64)
    return columns


def residuals(y: Floats, x: Floats, knots: int = KNOTS) -> Floats:
    """Return what a curve over x leaves of y, ``(N,)``; less their mean alone where x does not vary.

    What is left correlates with x in nothing. Few values have fewer knots, down to a line.

    >>> x = np.linspace(-2, 2, 200)
    >>> bool(np.abs(residuals(np.exp(-(x**2)), x)).max() < 0.1)  # a line leaves 0.6
    True
    """
    if len(x) < 2 or not np.ptp(x) > 0:
        return np.asarray(y - y.mean())
    return _beside(spline(x, _few(knots, len(x))), y)


def bends(x: Floats, knots: int = KNOTS) -> Floats:
    """Return what a curve over x has beyond a line, ``(N, K − 2)``: columns beside that of x in a regression.

    They are orthogonal to each other and to x, and have the mean 0. Few values, and such as are tied at all knots but
    two, have none.

    >>> x = np.linspace(0, 1, 200)
    >>> own = bends(x)
    >>> own.shape, bool(np.abs(own.T @ np.column_stack([np.ones(200), x])).max() < 1e-9)
    ((200, 3), True)
    """
    columns, size, _ = np.linalg.svd(_beside(x, spline(x, _few(knots, len(x)))), full_matrices=False)
    return np.asarray(columns[:, size > 1e-6 * len(x) ** 0.5])  # a column has values of about 1, the rest is rounding


def _few(knots: int, values: int) -> int:
    return max(2, min(knots, values // _PER_KNOT))


def _beside(x: Floats, y: Floats) -> Floats:
    """Return what a regression on x, with an intercept, leaves of y."""
    design = np.column_stack([np.ones(len(x)), x])
    return np.asarray(y - design @ np.linalg.lstsq(design, y, rcond=None)[0])
