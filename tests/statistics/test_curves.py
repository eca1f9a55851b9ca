"""What curves leave, beside another basis of the same curves; and planted humps that a line leaves."""

import numpy as np
import pytest

from gpustab.statistics.curves import residuals, spline


def natural(x, knots=5):
    """Natural cubic splines by truncated powers (Hastie, Tibshirani & Friedman 2009, eq. 5.4), with an intercept."""
    at = np.unique(np.quantile(x, np.linspace(0, 1, knots)))
    x, at = (x - x.min()) / np.ptp(x), (at - x.min()) / np.ptp(x)

    def d(k):
        return (np.clip(x - at[k], 0, None) ** 3 - np.clip(x - at[-1], 0, None) ** 3) / (at[-1] - at[k])

    return np.column_stack([np.ones(len(x)), x, *(d(k) - d(len(at) - 2) for k in range(len(at) - 2))])


def bent(x, y):
    """Correlation of y with x and with what of its square no line has."""
    square = residuals(x**2, x, 2)
    return np.corrcoef(x, y)[0, 1], np.corrcoef(square, y)[0, 1]


@pytest.mark.parametrize("size", [130, 400])
def test_what_is_left_is_that_of_another_basis(size):
    rng = np.random.default_rng(size)
    x, y = rng.exponential(size=size), rng.normal(size=size)
    basis = natural(x)
    assert residuals(y, x) == pytest.approx(y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0], abs=1e-9)


@pytest.mark.parametrize("hump", [lambda x: np.exp(-((x + 1) ** 2)), lambda x: -(x**2), lambda x: np.abs(x + 1)])
def test_a_planted_hump_is_taken_out_where_a_line_leaves_it(hump):
    rng = np.random.default_rng(0)
    x = rng.exponential(size=2000) * 1.2  # as the logarithm of frequency is: few frequent words
    x = x.clip(max=6) - 2
    y = hump(x) + 0.1 * rng.normal(size=2000)
    line, left = residuals(y, x, 2), residuals(y, x)
    assert abs(bent(x, line)[1]) > 0.2
    assert np.abs(bent(x, left)).max() < 0.25 * abs(bent(x, line)[1])
    assert left.std() < 0.8 * line.std()


def test_few_values_have_a_line_and_equal_ones_their_mean():
    x = np.arange(74.0)
    assert residuals(x**2, x) == pytest.approx(residuals(x**2, x, 2))
    assert residuals(np.arange(4.0), np.ones(4)).tolist() == [-1.5, -0.5, 0.5, 1.5]
    with pytest.raises(ValueError, match="do not differ"):
        spline(np.ones(5))
