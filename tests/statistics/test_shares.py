import pytest
from scipy.stats import binomtest

from gpustab.statistics.shares import wilson


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (0, 10), (9, 10), (10, 10), (1, 2), (64, 128)])
def test_wilson_against_scipy(hits, trials):
    wanted = binomtest(hits, trials).proportion_ci(0.95, "wilson")
    assert wilson(hits, trials) == pytest.approx((wanted.low, wanted.high), abs=1e-7)


def test_the_interval_holds_the_share_and_narrows():
    widths = []
    for trials in (2, 10, 100):
        low, high = wilson(trials // 2, trials)
        assert 0 <= low < 0.5 < high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert wilson(9, 10, z=2.575829)[0] < wilson(9, 10)[0]
