"""From a cosine to the similarity that people give: a curve that never falls, with its error and its interval."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gpustab.errors import InputError
from gpustab.formats.atomic import write_text
from gpustab.formats.parsed import read_json
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.monotone import (
    FEWEST_ITEMS,
    BrokenLine,
    Floats,
    Ints,
    few_items,
    knots_of,
    mean_over_pairs,
    numbers_of,
)

FEWEST = 20
"""Pairs of a calibration."""

_SCHEMA = "gpustab.calibration/1"
_FOLDS = 10
_TINY = 1e-50
"""Sums of squares of numbers below it, and above its inverse, leave what a float holds."""


class Similarities(NamedTuple):
    """What similarity some cosines stand for; NaN for a cosine beyond those of the scored pairs.

    Attributes:
        value: ``(n,)`` mean similarity of pairs of this cosine, in the test's own units.
        lower: ``(n,)`` lower end of its 95 % interval.
        upper: ``(n,)`` upper end.
    """

    value: Floats
    lower: Floats
    upper: Floats


class Cosine(NamedTuple):
    """The cosine at which pairs have a similarity on average.

    Attributes:
        value: the cosine; ``None`` if none can be named.
        lower: pairs of a lower one surely have less.
        upper: pairs of a higher one surely have more.
        reason: why none can be named; empty if one is.
    """

    value: float | None
    lower: float | None
    upper: float | None
    reason: str = ""


class Errors(NamedTuple):
    """Root mean square errors of pairs that a curve was not fitted to, nor any pair that shares an item with them.

    Attributes:
        curve: of the calibration, a broken line that never falls.
        isotonic: of isotonic regression, whose steps follow single pairs.
        line: of a straight line.
        constant: of one similarity for all pairs.
    """

    curve: float
    isotonic: float
    line: float
    constant: float


@dataclass(frozen=True)
class Calibration:
    """A curve from cosine to similarity, made by :func:`calibrate`.

    Attributes:
        cosines: of the curve, ascending; between two of them it is straight.
        values: similarity there.
        lower: lower end of its 95 % interval at each cosine by itself.
        upper: upper end.
        errors: of the curve beside others.
        gain: share of the variance of the scores that the curve takes away, of pairs that it was not fitted to.
        gain_error: its standard error, over pairs and over the items that they share.
        freedom: degrees of freedom of both errors.
        pairs: scored ones.
        items: distinct ones.
        name: of the scores and of what gave the cosines.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> cosines = rng.uniform(0, 1, 400)
        >>> found = calibrate(cosines, 5 * cosines**2 + rng.normal(0, 0.5, 400))
        >>> found.knows, [round(float(x), 1) for x in found.apply([0.5, 2.0]).value]
        (True, [1.3, nan])
        >>> round(found.threshold(2.5).value, 1), found.threshold(9.0).reason[:30]
        (0.7, 'the curve of the scored pairs ')
    """

    cosines: tuple[float, ...]
    values: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    errors: Errors
    gain: float
    gain_error: float
    freedom: int
    pairs: int
    items: int
    name: str = ""

    @property
    def gained(self) -> Estimate:
        """The gain with its error."""
        return Estimate(self.gain, self.gain_error, self.freedom)

    @property
    def knows(self) -> bool:
        """Whether the cosine tells anything of similarity: the interval of the gain lies above 0."""
        return self.gained.interval[0] > 0

    def apply(self, cosines: ArrayLike) -> Similarities:
        """Return what similarity cosines ``(n,)`` stand for on average; single pairs vary by ``errors.curve``.

        Intervals hold at each cosine by itself. The whole curve lies within all of them less often. Beside
        the steepest place of a law that rises by half the scale within 0.05 of cosine 83 to 88 % were held.
        """
        at = np.asarray(cosines, np.float64)
        curves = (self.values, self.lower, self.upper)
        return Similarities(*(np.interp(at, self.cosines, one, math.nan, math.nan) for one in curves))

    def threshold(self, similarity: float) -> Cosine:
        """Return the cosine at which pairs have so much similarity on average.

        Its interval missed the place in 1 to 3 of 60 cases, however steep the law, and in 5 of 60 where items move
        cosines and scores alike.
        """
        if not self.knows:
            return Cosine(None, None, None, "the cosine does not tell how similar a pair is")
        x, values, lower, upper = map(np.array, (self.cosines, self.values, self.lower, self.upper))
        if not values[0] <= similarity <= values[-1]:
            return Cosine(
                None, None, None, f"the curve of the scored pairs goes from {values[0]:.3g} to {values[-1]:.3g}"
            )
        under, over = np.flatnonzero(upper < similarity), np.flatnonzero(lower >= similarity)
        if not len(under) or not len(over):
            side = " and ".join(name for name, there in (("below", under), ("above", over)) if not len(there))
            return Cosine(None, None, None, f"the scored pairs {side} that similarity are too few")
        last, first = int(under[-1]), int(over[0])
        place = _crossing(x, values, similarity)
        low, high = _between(x, upper, last, similarity), _between(x, lower, first - 1, similarity)
        return Cosine(place, min(low, place), max(high, place))

    def to_json(self) -> str:
        """Return it as a JSON object."""
        content = {"schema": _SCHEMA, **asdict(self), "errors": self.errors._asdict()}
        return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibration:
        """Return a calibration that was saved.

        Raises:
            InputError: if the file cannot be read or is no calibration.
        """
        content = read_json(Path(path))
        if not isinstance(content, dict) or content.pop("schema", None) != _SCHEMA:
            raise InputError(f"{path}: is no calibration: there is no schema {_SCHEMA}")
        try:
            return _loaded(content)
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(f"{path}: is a damaged calibration: {error}") from error


_CURVES = ("cosines", "values", "lower", "upper")


def _loaded(content: dict[str, Any]) -> Calibration:
    cosines, values, lower, upper = (_numbers(content.pop(name, ())) for name in _CURVES)
    if not len(cosines) == len(values) == len(lower) == len(upper) > 1:
        raise ValueError("its curves are not of one length")
    errors = Errors(**{name: float(error) for name, error in content.pop("errors", {}).items()})
    content |= {name: float(content[name]) for name in ("gain", "gain_error") if name in content}
    content |= {name: int(content[name]) for name in ("freedom", "pairs", "items") if name in content}
    made = Calibration(cosines, values, lower, upper, errors, **content)
    if not np.isfinite([*cosines, *values, *lower, *upper, *errors, made.gain, made.gain_error]).all():
        raise ValueError("a number is not finite")
    if not (np.diff(cosines) > 0).all() or (np.diff(values) < -1e-9 * np.ptp(values)).any():
        raise ValueError("its cosines do not ascend, or its values fall")
    if not (np.less_equal(lower, values) & np.less_equal(values, upper)).all():
        raise ValueError("a value lies outside its interval")
    if min(*errors, made.gain_error) < 0 or made.gain > 1 or min(made.freedom, made.pairs, made.items) < 1:
        raise ValueError("an error is negative, a count less than 1, or more than all is explained")
    if not isinstance(made.name, str):
        raise TypeError("its name is no text")
    return made


def _numbers(values: Any) -> tuple[float, ...]:
    if not isinstance(values, list):
        raise TypeError("a curve is no list of numbers")
    return tuple(map(float, values))


def _crossing(x: Floats, values: Floats, level: float) -> float:
    """Return where a curve that never falls reaches a level that lies between its ends."""
    first = int(np.flatnonzero(values >= level)[0])
    return float(x[0]) if first == 0 else _between(x, values, first - 1, level)


def _between(x: Floats, values: Floats, left: int, level: float) -> float:
    """Return where a curve crosses a level between a place and the next."""
    rise = values[left + 1] - values[left]
    part = (level - values[left]) / rise if rise else 1.0
    return float(x[left] + (x[left + 1] - x[left]) * np.clip(part, 0, 1))


def calibrate(
    cosines: ArrayLike,
    similarities: ArrayLike,
    items: Sequence[tuple[object, object]] | None = None,
    *,
    name: str = "",
    seed: int = 0,
) -> Calibration:
    """Return the curve from cosine to similarity of some scored pairs.

    The curve is a broken line that never falls, the best by least squares. Its interval comes from two bootstraps, over
    pairs and over the items that pairs share, and reaches as much further as the line of twice as many segments lies
    beyond the curve: what few segments miss of a steep law. It is a little too narrow where items move cosines and
    scores alike: 92 to 94 % were held.

    Args:
        cosines: ``(n,)`` of the pairs.
        similarities: ``(n,)`` their scores, in any units; a higher one means more similar.
        items: what each pair is of. Default: no two pairs share an item.
        name: of scores and cosines, kept with the curve.
        seed: of folds and draws.

    Raises:
        InputError: for fewer than 20 pairs, a number that is not finite, cosines or scores that are all equal, or
            a few items that most pairs share.
    """
    x, y = (np.asarray(values, np.float64) for values in (cosines, similarities))
    numbers = np.arange(2 * len(x)).reshape(-1, 2) if items is None else numbers_of(items)
    _check(x, y, numbers)
    line = BrokenLine(x, y, knots_of(x))
    squares, values = _squares(x, y, numbers, line, seed), line.fit()
    gain = _gain(squares[:, 3] - squares[:, 0], squares[:, 3], numbers)
    at, half = line.grid(), line.halves(numbers, values, seed)
    curve, finer = np.interp(at, line.knots, values), BrokenLine(x, y, knots_of(x, 2))
    beyond = np.interp(at, finer.knots, finer.fit()) - curve  # what so few segments miss of a steep law
    low, high = curve - half + np.minimum(beyond, 0), curve + half + np.maximum(beyond, 0)
    curve = np.clip(curve, y.min(), y.max())  # a straight end may leave the scale, a mean similarity cannot
    low, high = np.minimum(low, curve), np.maximum(high, curve)
    cosine, value, lower, upper = (tuple(map(float, one)) for one in (at, curve, low, high))
    errors = Errors(*(float(one) for one in np.sqrt(squares.mean(0))))
    counts = (gain.freedom, len(x), len(np.unique(numbers)))
    return Calibration(cosine, value, lower, upper, errors, gain.value, gain.se, *counts, name)


class Beyond(NamedTuple):
    """What a second measure of the same pairs explains, and how much more the cosines do.

    Attributes:
        other: share of the variance of the scores that the second measure explains, 0 at least.
        more: share that the cosines' curve explains, less that one.
    """

    other: Estimate
    more: Estimate


def explained_beyond(
    cosines: ArrayLike,
    other: ArrayLike,
    similarities: ArrayLike,
    items: Sequence[tuple[object, object]],
    *,
    seed: int = 0,
) -> Beyond:
    """Return how much more of the scores cosines explain than another measure does, each by a curve of its own.

    The other measure gets the best of what rises or falls with it, a broken line or the steps of isotonic regression:
    what a line of few knots misses of it, as at a step, is no more of the cosine. A hump
    is: it neither rises nor falls.

    Args:
        cosines: ``(n,)`` of scored pairs.
        other: ``(n,)`` the other measure of them; one that is the same everywhere explains nothing.
        similarities: ``(n,)`` their scores.
        items: what each pair is of.
        seed: of folds.

    Raises:
        InputError: as of :func:`calibrate`.
    """
    x, z, y = (np.asarray(values, np.float64) for values in (cosines, other, similarities))
    numbers = numbers_of(items)
    _check(x, y, numbers)
    own = _squares(x, y, numbers, BrokenLine(x, y, knots_of(x)), seed)
    constant, ways = own[:, 3], [own[:, 3]]
    for sign in (1, -1) if np.ptp(z) > 0 else ():
        of = _squares(sign * z, y, numbers, BrokenLine(sign * z, y, knots_of(sign * z)), seed)
        ways += [of[:, 0], of[:, 1]]
    beside = min(ways, key=lambda way: float(way.mean()))
    return Beyond(_gain(constant - beside, constant, numbers), _gain(beside - own[:, 0], constant, numbers))


def _check(x: Floats, y: Floats, items: Ints) -> None:
    if x.ndim != 1 or x.shape != y.shape or len(items) != len(x):
        raise InputError(f"cosines {x.shape}, similarities {y.shape} and {len(items)} items are not of the same pairs")
    if len(x) < FEWEST:
        raise InputError(f"{len(x)} scored pairs are too few for a calibration, wanted at least {FEWEST}")
    for what, values in (("cosine", x), ("similarity", y)):
        strange = np.flatnonzero(~np.isfinite(values))
        if len(strange):
            raise InputError(f"the {what} of pair {strange[0]} is not finite")
        if not np.ptp(values) > 1e-9 * np.abs(values).max():
            raise InputError(f"every {what} is {values[0]:g}, so that there is nothing to calibrate")
        if not _TINY < np.ptp(values) < 1 / _TINY:
            raise InputError(f"the {what} spreads over {np.ptp(values):.3g}: give units that can be squared")
    if few_items(items).items < FEWEST_ITEMS:
        raise InputError(
            f"a few items stand in most of the scored pairs, so that these know no more than pairs of fewer than "
            f"{FEWEST_ITEMS} items: give pairs of more items"
        )


def _squares(x: Floats, y: Floats, items: Ints, line: BrokenLine, seed: int) -> Floats:
    """Return squared errors ``(n, 4)`` of the ways of :class:`Errors`, each by pairs that share no item.

    Items are dealt into folds, those of the most pairs first; a pair of two folds is predicted from the pairs of all
    others.
    """
    fold, times = np.empty(int(items.max()) + 1, np.int64), np.bincount(items.ravel())
    fold[np.lexsort((np.random.default_rng([seed, 35]).permutation(len(fold)), -times))] = np.arange(len(fold)) % _FOLDS
    folds = np.sort(fold[items], 1)
    cells, cell = np.unique(folds, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    train = np.stack([(folds[:, :, None] != pair).all((1, 2)) for pair in cells])
    squares = np.full((len(x), 4), math.nan)
    for k, values in enumerate(line.fits(train.astype(np.float64))):
        test = np.flatnonzero(cell == k)
        ways = (_isotonic, _straight, _constant)
        predicted = [np.interp(x[test], line.knots, values), *(way(x[train[k]], y[train[k]], x[test]) for way in ways)]
        squares[test] = np.square(y[test, None] - np.stack(predicted, 1))
    return squares


def _gain(less: Floats, constant: Floats, items: Ints) -> Estimate:
    """Return what part of the squares ``(n,)`` of one value for all is taken away.

    The error is of the ratio: both sums vary together over pairs.
    """
    whole = float(constant.mean())
    gain = float(less.mean()) / whole
    error = mean_over_pairs(less - gain * constant, items)
    return Estimate(gain, error.se / whole, error.freedom)


def _isotonic(x: Floats, y: Floats, at: Floats) -> Floats:
    from scipy.optimize import isotonic_regression

    places, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(place, y) / counts
    return np.asarray(np.interp(at, places, isotonic_regression(means, weights=counts).x))


def _straight(x: Floats, y: Floats, at: Floats) -> Floats:
    apart = x - x.mean()
    slope = (apart @ (y - y.mean())) / max(float(apart @ apart), 1e-300)
    return np.asarray(y.mean() + slope * (at - x.mean()))


def _constant(x: Floats, y: Floats, at: Floats) -> Floats:  # noqa: ARG001
    return np.full(len(at), y.mean())
