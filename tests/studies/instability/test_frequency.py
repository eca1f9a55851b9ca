import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab import InputError
from gpustab.studies.instability.frequency import frequency_tables, trend


def test_a_straight_line_over_the_logarithm_is_found_exactly():
    frequency = torch.logspace(1, 4, 200, dtype=torch.float64)
    found = trend(frequency, 2 + 0.5 * frequency.log10())
    assert (found.slope, found.correlation, found.batch_correlation) == pytest.approx((0.5, 1, 1))
    assert found.slope_se < 1e-12
    decades = 3 * 190 / 199  # between the middles of the outer batches
    assert found.change == pytest.approx(0.5 * decades / 3.25)


def test_the_error_is_the_sandwich_of_white():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 4, 500)
    y = 1 + 0.1 * x + x * rng.normal(size=500)
    found = trend(torch.from_numpy(10**x), torch.from_numpy(y))
    design = np.stack([np.ones(500), x], 1)
    bread = np.linalg.inv(design.T @ design)
    slope = bread @ design.T @ y
    rest = y - design @ slope
    sandwich = bread @ (design.T * rest**2) @ design @ bread
    assert found.slope == pytest.approx(slope[1])
    assert found.slope_se == pytest.approx(np.sqrt(sandwich[1, 1]))
    order = np.argsort(x)
    batches = [np.array_split(z[order], 20) for z in (x, y)]
    wanted = spearmanr(*([part.mean() for part in parts] for parts in batches))
    assert (found.batch_correlation, found.batch_p) == pytest.approx(wanted)
    assert found.low < found.change < found.high


def test_too_few_words_or_unseen_ones_are_refused():
    with pytest.raises(InputError, match="39 words in 20 batches"):
        trend(torch.ones(39), torch.ones(39))
    with pytest.raises(InputError, match="above 0"):
        trend(torch.arange(50), torch.ones(50))


def test_words_without_a_value_or_a_count_are_left_out():
    words = {"technique": ["x"] * 60, "frequency": [float(k) for k in range(60)], "intrinsic": [1.0] * 59 + [np.nan]}
    words["extrinsic_square"] = [np.nan] * 60
    tables = frequency_tables(words)
    assert tables["frequency"]["quantity"] == ["intrinsic"]
    assert tables["frequency"]["words"] == [58]
    assert tables["frequency"]["least_frequency"] == [0]
    assert frequency_tables({**words, "frequency": [None] * 60})["batches"]["mean"] == []


def test_frequent_words_have_a_trend_of_their_own():
    frequency = torch.logspace(1, 4, 300, dtype=torch.float64)
    x = frequency.log10()
    values = torch.where(x < 2, x, 4 - x)  # up, then down
    words = {"technique": ["x"] * 300, "frequency": frequency.tolist(), "intrinsic": values.tolist()}
    table = frequency_tables(words | {"extrinsic_square": [np.nan] * 300})["frequency"]
    assert table["least_frequency"] == [0, 100]
    assert table["slope"][1] == pytest.approx(-1)
    assert table["words"] == [300, int((frequency >= 100).sum())]
