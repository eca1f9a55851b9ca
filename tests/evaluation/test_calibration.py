import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

from gpustab import Calibration, calibrate
from gpustab.errors import InputError
from gpustab.evaluation.calibration import explained_beyond
from gpustab.statistics.intervals import wilson


def truth(x):
    return 2.5 + 2 * np.tanh(3 * (x - 0.5))


def planted(rng, n=120, items=0):
    """Cosines, scores on the curve with noise, and pairs; of few items, which have effects on both, or of none."""
    x = rng.beta(3, 2.5, n)
    if not items:
        return x, truth(x) + rng.normal(0, 0.9, n), None
    first = rng.integers(0, items, n)
    second = (first + rng.integers(1, items, n)) % items
    effect, shift = rng.normal(0, 0.4, items), rng.normal(0, 0.05, items)
    x = x + shift[first] + shift[second]
    y = truth(x) + effect[first] + effect[second] + rng.normal(0, 0.7, n)
    return x, y, list(zip(first.tolist(), second.tolist(), strict=True))


def counted(sets, items):
    """How often the truth lies within the interval at five cosines and at a threshold, of so many; how often known."""
    within = named = found = wrong = 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        x, y, pairs = planted(rng, items=items)
        made = calibrate(x, y, pairs, seed=seed)
        at = np.quantile(x, [0, 0.2, 0.5, 0.8, 1])
        shown = made.apply(at)
        within += int(((shown.lower <= truth(at)) & (truth(at) <= shown.upper)).sum())
        place = made.threshold(2.5)
        if place.value is not None:
            named += 1
            found += place.lower <= 0.5 <= place.upper
        wrong += calibrate(x, rng.permutation(y), pairs, seed=seed).knows
    return within / (5 * sets), found / max(named, 1), named / sets, wrong


@pytest.mark.parametrize("items", [0, 40])
def test_some_planted_curves_lie_within_and_dealt_out_scores_tell_nothing(items):
    within, found, named, wrong = counted(4, items)
    assert within > 0.6
    assert found > 0.4
    assert named > 0.7
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("items", [0, 40])
def test_planted_curves_lie_within_their_intervals(items):
    within, found, named, wrong = counted(200, items)
    assert within >= 0.93
    assert found >= 0.92
    assert named > 0.95
    assert wilson(wrong, 200)[0] <= 0.05


@pytest.mark.parametrize(
    "items",
    [
        [("q", k) for k in range(60)],
        [(k, "q") if k % 2 else ("q", k) for k in range(60)],
        [(f"q{k % 2}", k) for k in range(60)],
        [("a", "b")] * 60,
        [("a", "a")] * 60,
        [(k, k) if k > 58 else ("q", k) for k in range(60)],
        [(f"q{k % 4}", k) for k in range(60)],
        [pair for pair in itertools.combinations(range(4), 2) for _ in range(10)],
    ],
)
def test_pairs_that_all_share_a_few_items_are_refused_and_those_of_five_are_calibrated(items):
    x, y, _ = planted(np.random.default_rng(10), 60)
    with pytest.raises(InputError, match="a few items stand in most"):
        calibrate(x, y, items)
    for enough in ([(f"q{k % 5}", k) for k in range(60)], list(itertools.combinations(range(5), 2)) * 6):
        assert np.isfinite(calibrate(x, y, enough).gained.interval).all()


def test_the_error_of_the_explained_share_is_that_over_samples():
    rng, shares, errors = np.random.default_rng(11), [], []
    for _ in range(12):
        x = rng.uniform(size=100)
        made = calibrate(x, x + rng.normal(0, 0.1, 100))
        shares.append(made.gain)
        errors.append(made.gain_error)
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.6)  # without the denominator's part 4 times as much
    assert calibrate(x, x).gained.interval == pytest.approx((1, 1))


@pytest.mark.parametrize("again", ["pairs", "items"])
def test_what_occurs_twice_has_the_errors_that_it_has_once(again):
    x, y, _ = planted(np.random.default_rng(12), 200)
    once = calibrate(x, y)
    if again == "items":
        other = calibrate(x, y, [(k, k) for k in range(200)])
    else:
        pairs = [(k // 2, f"beside {k // 2}")[:: 1 if k % 2 else -1] for k in range(400)]
        other = calibrate(np.repeat(x, 2), np.repeat(y, 2), pairs)
    assert other.gain_error == pytest.approx(once.gain_error, rel=0.15)
    widths = [np.mean(np.subtract(made.upper, made.lower)) for made in (once, other)]
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


def beside(seed, own, shared, items=0, n=300):
    """What cosines explain beyond another measure: scores follow both, each so much, and a pair's or item's noise."""
    rng = np.random.default_rng(seed)
    words, meaning, noise = rng.normal(size=(3, n))
    pairs = list(zip(range(n), range(n, 2 * n), strict=True))
    if items:
        pairs = [tuple(rng.choice(items, 2, replace=False).tolist()) for _ in range(n)]
        effects = rng.normal(size=items)
        noise = noise + effects[np.array(pairs)].sum(1)
    cosines = words + own * meaning + 0.5 * rng.normal(size=n)
    return explained_beyond(cosines, words + 0.5 * rng.normal(size=n), shared * words + own * meaning + noise, pairs)


@pytest.mark.parametrize("items", [0, 40])
def test_what_cosines_explain_beyond_words_lies_within_its_interval(items):
    """Cosines that know words alone explain as much; those that know more, more; of dealt-out scores, nothing."""
    same = [beside(seed, 0.0, 1.0, items).more.interval for seed in range(6)]
    assert sum(low > 0 for low, _ in same) <= 1
    assert sum(high < 0 for _, high in same) <= 1
    assert all(beside(seed, 1.0, 1.0, items).more.interval[0] > 0 for seed in range(3))
    assert not any(beside(seed, 0.0, 0.0, items).more.interval[0] > 0 for seed in range(3))


def bent(kind, seed, n):
    """A measure, cosines that are a function of it alone, and scores by the same function, with noise."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 14, (n, 2))
    none = rng.random(n) < (0.75 if kind == "step" else 0.1)
    z = 2 * np.minimum(rng.integers(1, 8, n) * ~none, lengths.min(1)) / lengths.sum(1)
    law = {"step": np.minimum(20 * z, 1), "falls": -z, "rises": z, "bends": 1 / (1 + np.exp(12 - 24 * z))}[kind]
    return law + 1e-3 * rng.normal(size=n), z, 3 * law + 0.6 * rng.normal(size=n), [(-k, k) for k in range(1, n + 1)]


@pytest.mark.parametrize("kind", ["step", "falls", "rises", "bends"])
def test_a_function_of_the_other_measure_explains_no_more_however_it_bends(kind):
    """With one rising line of few knots for the other measure a step did in 24 of 25 sets, what falls in 25."""
    found = [explained_beyond(*bent(kind, seed, 200)).more.interval[0] > 0 for seed in range(5)]
    assert sum(found) <= 1


def test_a_measure_that_is_the_same_everywhere_explains_nothing():
    x, y, _ = planted(np.random.default_rng(2))
    pairs = [(k, -1 - k) for k in range(len(x))]
    found, made = explained_beyond(x, np.ones(len(x)), y, pairs), calibrate(x, y, pairs)
    assert found.other.value == found.other.se == 0
    assert found.more == pytest.approx(made.gained)
    assert explained_beyond(x, x, y, pairs).more == (0, 0, made.freedom)


def test_the_curve_keeps_within_the_scores_and_its_interval():
    rng = np.random.default_rng(4)
    x = np.append(np.linspace(0, 0.5, 90), np.linspace(0.9, 1, 10))
    y = np.clip(np.round(12 * (x - 0.2) + rng.normal(size=100)), 0, 5)
    made = calibrate(x, y)
    assert min(made.values) >= 0
    assert max(made.values) <= 5
    assert np.less_equal(made.lower, made.values).all()
    assert np.less_equal(made.values, made.upper).all()


def test_errors_are_in_their_order_and_the_curve_never_falls():
    x, y, _ = planted(np.random.default_rng(3), 600)
    y = truth(x) + np.random.default_rng(3).normal(0, 0.2, 600)
    made = calibrate(x, y)
    assert made.errors.curve < made.errors.isotonic < made.errors.constant
    assert made.errors.curve < made.errors.line
    assert (np.diff(made.values) >= 0).all()
    assert made.gain == pytest.approx(1 - made.errors.curve**2 / made.errors.constant**2)
    assert made.errors.curve == pytest.approx(0.2, rel=0.1)


def test_units_and_the_order_of_pairs_and_items_do_not_matter():
    x, y, pairs = planted(np.random.default_rng(4), 100, 30)
    made = calibrate(x, y, pairs)
    scaled = calibrate(x, 10 * y - 3, pairs)
    assert np.allclose(scaled.values, 10 * np.array(made.values) - 3)
    assert np.allclose(scaled.upper, 10 * np.array(made.upper) - 3)
    assert scaled.gain == pytest.approx(made.gain)
    order = np.random.default_rng(0).permutation(100)
    other = calibrate(x[order], y[order], [pairs[k][::-1] for k in order])
    assert np.allclose(other.values, made.values)
    assert other.gain == pytest.approx(made.gain, abs=0.1)  # folds and draws are others


def test_beyond_the_pairs_nothing_is_said_and_no_cosine_is_named():
    x, y, _ = planted(np.random.default_rng(5), 300)
    made = calibrate(x, y)
    shown = made.apply([x.min() - 0.01, 0.5, x.max() + 0.01])
    assert np.isfinite(shown.value).tolist() == [False, True, False]
    assert made.threshold(2.5).reason == ""
    assert made.threshold(50).value is None
    assert made.threshold(50).reason.startswith(f"the curve of the scored pairs goes from {made.values[0]:.3g} to")
    assert "too few" in made.threshold(made.values[-1]).reason
    dealt = calibrate(x, np.random.default_rng(6).permutation(y))
    assert dealt.threshold(2.5) == (None, None, None, "the cosine does not tell how similar a pair is")


@pytest.mark.parametrize(
    ("half", "side"), [((0.1, 9), "above"), ((9, 0.1), "below"), ((9, 9), "below and above"), ((0.1, 0.1), "")]
)
def test_the_side_that_has_too_few_pairs_is_told_and_both_are(half, side):
    """The band of a straight curve from 0 to 4 is as narrow as told below 2 and above it."""
    made = calibrate(np.linspace(0, 1, 40), np.linspace(0, 4, 40))
    values, width = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([half[0], half[0], 9, half[1], half[1]])
    curves = {"values": tuple(values), "lower": tuple(values - width), "upper": tuple(values + width)}
    found = dataclasses.replace(made, cosines=(0, 0.25, 0.5, 0.75, 1), **curves).threshold(2.0)
    if side:
        assert found.reason == f"the scored pairs {side} that similarity are too few"
    else:
        assert 0.25 < found.lower < found.value == 0.5 < found.upper < 0.75


def test_distances_and_ties_are_no_failure():
    rng = np.random.default_rng(7)
    x = np.round(rng.uniform(size=200), 1)
    assert calibrate(x, np.round(5 * x)).knows
    assert not calibrate(x, -x + rng.normal(size=200)).knows


def test_it_is_saved_and_read_again(tmp_path):
    x, y, _ = planted(np.random.default_rng(8))
    made, path = calibrate(x, y, name="MiniLM, é"), tmp_path / "one.json"
    made.save(path)
    again = Calibration.load(path)
    assert again == made
    assert again.threshold(2.5) == made.threshold(2.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "other"}, "no calibration"),
        ({"lower": [1.0]}, "not of one length"),
        ({"cosines": None}, "damaged"),
        ({"more": 1}, "damaged"),
        ({"errors": []}, "damaged"),
        ({"errors": None}, "damaged"),
        ({"gain": "x"}, "damaged"),
        ({"gain": None}, "damaged"),
        ({"gain": math.nan}, "damaged"),
        ({"gain": 1.5}, "more than all is explained"),
        ({"gain_error": -1}, "an error is negative"),
        ({"freedom": -1}, "a count less than 1"),
        ({"cosines": "01"}, "no list of numbers"),
        ({"cosines": [-math.inf, 1.0]}, "damaged"),
        ({"cosines": [0, 1], "values": [1, 0], "lower": [0, 0], "upper": [2, 2]}, "its values fall"),
        ({"cosines": [0, 1], "values": [0, 1], "lower": [1, 2], "upper": [-1, 0]}, "outside its interval"),
        ({"name": 3}, "no text"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, change, said):
    x, y, _ = planted(np.random.default_rng(9))
    path = tmp_path / "one.json"
    calibrate(x, y).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=said):
        Calibration.load(path)


@pytest.mark.parametrize(
    ("x", "y", "items", "said"),
    [
        (np.arange(19.0), np.arange(19.0), None, "19 scored pairs are too few"),
        (np.arange(30.0), np.arange(29.0), None, "not of the same pairs"),
        (np.arange(30.0), np.arange(30.0), [(1, 2)], "not of the same pairs"),
        (np.full(30, 0.99), np.arange(30.0), None, "every cosine is 0.99"),
        (np.arange(30.0), np.zeros(30), None, "every similarity is 0"),
        (np.arange(30.0), np.arange(30.0) * 1e-200, None, "give units that can be squared"),
        (np.arange(30.0), np.arange(30.0) * 1e200, None, "give units that can be squared"),
        (np.append(np.arange(29.0), np.nan), np.arange(30.0), None, "cosine of pair 29 is not finite"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(x, y, items, said):
    with pytest.raises(InputError, match=said):
        calibrate(x, y, items)
