"""Scored pairs on a known curve, of items that pairs share or not; and the same scores dealt out to other pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.placebos.cells import Truth, World, never, should
from benchmarks.placebos.drawn.case import Rng, drawn
from gpustab.evaluation.calibration import calibrate, explained_beyond
from gpustab.studies.calibration.tables import Calibrated, Named

SIZES = {
    (40, 0): "40 pairs",
    (300, 0): "300 pairs",
    (300, 60): "300 pairs of 60 items",
    (1000, 40): "1,000 of 40 items",
}
LEVEL, PLACE = 2.5, 0.5
"""The curve reaches this similarity at this cosine."""


def _pairs(n: int, items: int, rng: Rng, *, dealt: bool) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Cosines and scores on ``2.5 + 2 tanh(3 (x − 0.5))``; items have effects on both, or a pair has its own two."""
    x = rng.beta(3, 2.5, n)
    first, second = np.arange(n), n + np.arange(n)
    noise = rng.normal(0, 0.7, n)
    if items:
        first = rng.integers(0, items, n)
        second = (first + rng.integers(1, items, n)) % items
        of_score, of_cosine = rng.normal(0, 0.4, items), rng.normal(0, 0.05, items)
        x = x + of_cosine[first] + of_cosine[second]
        noise = noise + of_score[first] + of_score[second]
    known = LEVEL + 2 * np.tanh(3 * (x - PLACE))
    scores = noise + (rng.permutation(known) if dealt else known)
    return x, scores, list(zip(first.tolist(), second.tolist(), strict=True))


def _tells(n: int, items: int, *, dealt: bool) -> Callable[[int, Rng], Calibrated]:
    def draw(_: int, rng: Rng) -> Calibrated:
        made = calibrate(*_pairs(n, items, rng, dealt=dealt), seed=int(rng.integers(1 << 30)))
        facts = ("x", "x", "words", made.pairs, made.items, 0.0, 5.0, 0.0)
        return Calibrated(*facts, *made.errors, made.gain, made.gain_error, made.freedom, None, None, None, False)

    return draw


def _beyond(size: tuple[int, int], of_meaning: float, of_words: float) -> Callable[[int, Rng], Calibrated]:
    """Scores follow shared words and meaning, each so much; cosines see words, and of meaning as much as scores do."""

    def draw(_: int, rng: Rng) -> Calibrated:
        n, items = size
        _, noise, pairs = _pairs(n, items, rng, dealt=True)
        words, meaning = rng.normal(size=(2, n))
        scores = of_words * words + of_meaning * meaning + noise
        cosines = words + of_meaning * meaning + 0.5 * rng.normal(size=n)
        shared = words + 0.5 * rng.normal(size=n)
        made = calibrate(cosines, scores, pairs, seed=int(rng.integers(1 << 30)))
        found = explained_beyond(cosines, shared, scores, pairs, seed=int(rng.integers(1 << 30)))
        facts = ("x", "x", "sentences", made.pairs, made.items, 0.0, 5.0, 0.0)
        gain = (made.gain, made.gain_error, made.freedom)
        return Calibrated(*facts, *made.errors, *gain, found.other.value, found.more.value, found.more.se, False)

    return draw


def _names(n: int, items: int, *, dealt: bool) -> Callable[[int, Rng], Named]:
    """A named cosine whose interval holds the true one is turned into none: what is left is wrong."""

    def draw(_: int, rng: Rng) -> Named:
        made = calibrate(*_pairs(n, items, rng, dealt=dealt), seed=int(rng.integers(1 << 30)))
        found = made.threshold(LEVEL)
        if not dealt and found.value is not None and (found.lower or 0.0) <= PLACE <= (found.upper or 1.0):
            found = found._replace(value=None)
        return Named("x", LEVEL, *found)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of calibrations, each of one curve."""
    for size, said in SIZES.items():
        yield drawn("calibration.tells", f"{said}, scores dealt out", never("yes"), _tells(*size, dealt=True), (1,))
        truth = should("yes", "no")
        yield drawn("calibration.tells", f"{said} on a known curve", truth, _tells(*size, dealt=False), (1,))
        claim = "calibration.more-than-words"
        yield drawn(claim, f"{said}; words are all that cosines know", never("more"), _beyond(size, 0.0, 1.0), (1,))
        yield drawn(claim, f"{said}; words, and scores dealt out", never("more"), _beyond(size, 0.0, 0.0), (1,))
        yield drawn(claim, f"{said}; meaning beyond words", should("more", "no more"), _beyond(size, 1.0, 1.0), (1,))
        named = Truth(frozenset({"named"}))
        yield drawn("calibration.names", f"{said}, scores dealt out", named, _names(*size, dealt=True), (1,))
        about = f"{said} on a known curve; wrong: its place is beyond the interval"
        yield drawn("calibration.names", about, named, _names(*size, dealt=False), (1,))
