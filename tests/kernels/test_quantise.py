"""Rounding to few bits against the nearest of a written list, thresholds against many tried, spaces against v × v."""

import numpy as np
import pytest
import torch

from gpustab.kernels.quantise import WHOLE, clipping, in_bits, quantised
from gpustab.kernels.similarity import anchored_instability, eigenspace_instability
from tests import oracles


def nearest(x, bits, clip):
    values = np.linspace(-clip, clip, 2**bits)
    return values[np.abs(np.clip(x, -clip, clip)[..., None] - values).argmin(-1)]


@pytest.mark.parametrize("bits", [1, 2, 3, 8])
def test_numbers_become_the_nearest_of_a_list(bits):
    x = np.random.default_rng(bits).normal(size=(40, 7))
    np.testing.assert_allclose(quantised(torch.from_numpy(x), bits, 1.3), nearest(x, bits, 1.3), atol=1e-12)


@pytest.mark.parametrize("bits", [1, 2, 5])
@pytest.mark.parametrize("tails", ["normal", "heavy", "flat"])
def test_no_other_threshold_has_a_smaller_error(bits, tails):
    rng = np.random.default_rng(1)
    draws = {"normal": rng.normal, "heavy": lambda size: rng.standard_t(3, size), "flat": lambda size: rng.random(size)}
    x = draws[tails](size=300)
    found = clipping(torch.from_numpy(x), bits)
    errors = [np.square(nearest(x, bits, c) - x).sum() for c in np.linspace(0, np.abs(x).max(), 400)[1:]]
    assert np.square(nearest(x, bits, found) - x).sum() <= min(errors) * 1.005


def test_one_threshold_is_for_all_runs_and_whole_numbers_stay():
    runs = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 20, 4)) * np.array([1, 3, 9])[:, None, None])
    assert in_bits(runs, WHOLE) is runs
    assert in_bits(runs, 2).unique().numel() == 4
    scaled = clipping(runs[0] * 7, 3)
    assert scaled == pytest.approx(7 * clipping(runs[0], 3))


def test_more_bits_err_less():
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(200, 5)))
    errors = [float((quantised(x, b, clipping(x, b)) - x).square().mean()) for b in (1, 2, 4, 8, 16)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(float(x.square().mean() - x.abs().mean() ** 2))  # of one bit, in closed form


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda x: quantised(x, 0, 1.0), "bits are 0"),
        (lambda x: quantised(x, 2, 0.0), "clip is 0"),
        (lambda x: clipping(x * 0, 2), "all zero or not finite"),
        (lambda x: clipping(x / 0, 2), "all zero or not finite"),
        (lambda x: in_bits(x, 2), "wanted \\(R, v, d\\)"),
    ],
)
def test_what_cannot_be_rounded_is_refused(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(torch.ones(3, 2))


def naive(x, y, anchors, power=3):
    """Definition 2 as it is printed, with v × v matrices."""
    u, w = oracles.projection(x), oracles.projection(y)
    sigma = sum(np.linalg.matrix_power(a @ a.T, power) for a in anchors)
    return np.trace((u + w - 2 * w @ u) @ sigma) / np.trace(sigma)


def anchored(x, y, anchors, power=3.0):
    x, y, *anchors = (torch.from_numpy(one) for one in (x, y, *anchors))
    return float(anchored_instability(x.T @ x, x.T @ y, y.T @ y, [(x.T @ a, y.T @ a, a.T @ a) for a in anchors], power))


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("dims", [(3, 3, 8), (2, 5, 6), (6, 6, 4)])
def test_anchored_instability_is_that_of_whole_matrices(dims, power):
    rng = np.random.default_rng(sum(dims))
    base = rng.normal(size=(60, max(dims))) * 2.0 ** -np.arange(max(dims))
    x, y, *anchors = (base[:, :d] + 0.2 * rng.normal(size=(60, d)) for d in (*dims, dims[2]))
    found = anchored(x, y, anchors, power)
    assert found == pytest.approx(naive(x, y, anchors, power), rel=1e-8)
    assert 0 < found < 1
    assert anchored(y, x, anchors, power) == pytest.approx(found, rel=1e-9)


def test_anchored_instability_where_the_answer_is_known():
    rng = np.random.default_rng(3)
    x, y, a = (rng.normal(size=(50, 4)) for _ in range(3))
    assert anchored(x, x @ rng.normal(size=(4, 4)), [a]) == pytest.approx(0, abs=1e-12)  # the same span
    assert anchored(x, np.column_stack([x[:, :3], x[:, :1] * 2]), [x]) > 0  # a column less
    own = [torch.from_numpy(part)[None] for part in (x.T @ x, x.T @ y, y.T @ y)]
    assert anchored(x, y, [x, y]) == pytest.approx(float(eigenspace_instability(*own)), rel=1e-8)
    apart = np.linalg.qr(rng.normal(size=(50, 6)))[0]
    # Spaces that share nothing, both of which hold half of the anchors: all of Σ is predicted by one alone.
    assert anchored(apart[:, :3], apart[:, 3:], [apart[:, :3], apart[:, 3:]]) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"power is 0\.5"):
        anchored(x, y, [a], 0.5)
