import numpy as np
import pytest
import torch
from scipy import stats

from gpustab.studies.thresholds.groups import Sums
from gpustab.studies.thresholds.rules import (
    by_group_size,
    default_size,
    list_threshold,
    next_different,
    next_places,
    question,
    shown_places,
    significantly_higher,
    value_threshold,
)
from tests.studies.thresholds.planted import planted


def of_means(n, mean, sd=1.0):
    """Groups of given size, mean and SD, without words."""
    n, mean = torch.tensor(n, dtype=torch.float64), torch.tensor(mean, dtype=torch.float64)
    square = sd**2 * (n - 1) + n * mean**2
    return Sums(n, n * mean, square, torch.zeros(0, len(n)).double(), torch.zeros(0, len(n)).double())


def padded(n, mean, first):
    """The same as the groups from ``first`` on, of 201."""
    wide = [0.0] * 201, [0.0] * 201
    for part, values in zip(wide, (n, mean), strict=True):
        part[first : first + len(values)] = values
    return of_means(*wide)


def test_the_next_different_group_is_the_first_higher_one():
    sums = of_means([100, 100, 100, 100], [0.0, -1.0, 0.1, 1.0])
    higher = significantly_higher(sums, 0.99)
    assert next_different(higher, np.ones(4, bool)) == [3, 2, 3, None]
    assert next_different(higher, np.array([True, True, True, False])) == [None, 2, None, None]


def threshold(sums, size):
    return value_threshold(sums, size, significantly_higher(sums, 0.99))


def test_the_value_threshold_names_group_cut_share_and_bend():
    sums = padded([20, 100, 100, 100, 100, 100], [9.0, 0.0, 0.1, 1.0, 2.0, 3.0], 80)
    found = threshold(sums, 100)
    assert (found.reference, found.group, found.cut) == (-0.19, -0.17, -0.18)
    assert found.below == pytest.approx(220 / 520)
    assert found.bend == -0.18  # from here on every next group is higher
    assert threshold(sums, 10**6).reference is None
    assert threshold(sums, 2).group is None  # the lowest group is the highest


def test_groups_of_one_pair_and_of_no_spread_do_not_fail():
    assert threshold(padded([1.0, 1, 1], [0.0, 1, 2], 90), 1).reference is None
    assert (
        significantly_higher(of_means([9, 9, 9], [0.0, 1.0, 1.0], 0.0), 0.99).tolist()
        == [[False, True, True]] + [[False] * 3] * 2
    )


def test_more_pairs_bring_the_papers_threshold_down():
    """Which is why it is no property of a space: the plant is at −0.1 in each."""
    rng = np.random.default_rng(0)

    def median(words, sets):
        drawn = (planted(rng, words, -0.1, 1.0) for _ in range(sets))
        return np.median([threshold(sums, int(2e-3 * float(sums.n.sum()))).group for sums in drawn])

    assert median(100, 15) > median(250, 9) + 0.02 > median(800, 3) + 0.04


def test_every_least_size_that_some_group_has_is_shown():
    sums = planted(np.random.default_rng(0), 200)
    rows = by_group_size(sums, significantly_higher(sums, 0.99))
    assert [row.min_pairs for row in rows] == [2, 30, 100]
    assert default_size(planted(np.random.default_rng(0), 200), 10_000) == 10_000
    assert default_size(of_means([3e8, 2e8], [0.0, 0.0]), 10_000) == 50_000


def test_list_thresholds_are_the_last_that_differs_and_the_first_that_does_not():
    sums = of_means([50] * 6, [5.0, 4.0, 0.1, 3.0, 0.0, 0.0])
    found = list_threshold(sums, torch.tensor([30, 10, 10, 0, 0, 0]), 0.99)
    assert (found.last_different, found.first_equal, found.last_pairs) == (4, 3, 50)
    assert found.last_words == pytest.approx(2500 / 1100)
    equal = list_threshold(of_means([50] * 3, [0.0] * 3), torch.ones(3), 0.99)
    assert (equal.last_different, equal.first_equal) == (None, 1)


def test_the_next_place_is_the_first_below_that_differs():
    """Planted: ten places of mean 3, one of mean 9, ten of mean 2, then all alike; the odd one is met first."""
    sums = of_means([50] * 41, [3.0] * 10 + [9.0] + [2.0] * 10 + [0.0] * 20)
    assert next_places(sums, [1, 10, 11, 12, 21, 22, 41], 0.99) == [11, 11, 12, 22, 22, None, None]
    assert next_places(of_means([1, 1, 50], [9.0, 0.0, 0.0]), [1, 2, 3], 0.99) == [None] * 3  # one pair has no spread


def test_next_places_are_those_of_a_loop_over_welch_tests(monkeypatch):
    rng = np.random.default_rng(0)
    values = [rng.normal(1 / (1 + k / 20), 1, size=30) for k in range(80)]
    n, total, square = (torch.tensor([(own**k).sum() for own in values]) for k in (0, 1, 2))
    sums = Sums(n, total, square, *(torch.zeros(0, 80).double() for _ in range(2)))
    places, want = shown_places(80), []
    for place in places:
        others = enumerate(values[place:], place + 1)
        tests = ((k, stats.ttest_ind(values[place - 1], other, equal_var=False).pvalue) for k, other in others)
        want.append(next((k for k, p in tests if p < 0.01), None))
    assert len({*want}) >= 10
    assert next_places(sums, places, 0.99) == want
    monkeypatch.setattr("gpustab.studies.thresholds.rules._CELLS", 240)  # three places at a time
    assert next_places(sums, places, 0.99) == want


def test_the_papers_second_question_is_scipys_welch_test():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=40), rng.normal(0.5, 2, size=70)
    n, mean, square = [0.0] * 201, [0.0] * 201, [0.0] * 201
    for k, own in ((110, first), (120, second)):
        n[k], mean[k], square[k] = len(own), own.sum(), (own**2).sum()
    words = torch.zeros(0, 201).double()
    sums = Sums(*(torch.tensor(part, dtype=torch.float64) for part in (n, mean, square)), words, words)
    assert question(sums) == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue, rel=1e-9)
    assert question(padded([1.0], [1.0], 90)) is None
