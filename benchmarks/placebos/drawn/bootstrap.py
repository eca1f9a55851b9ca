"""Spreads of cosines over runs whose noise has a factor in common, which `study bootstrap` compares.

Cosines of word pairs in R runs are drawn around fixed means; a run that lies apart moves all of its words. The second
of two groups has the spread of the first times a planted ratio.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import World, never, should
from benchmarks.placebos.drawn.case import Draw, Rng, drawn
from gpustab.studies.bootstrap.claims import Pair
from gpustab.studies.bootstrap.numbers import log_spread
from gpustab.studies.bootstrap.tables import Setting

LOUD = 0.3
"""SD of the logarithm of a run's noise."""
_NOTHING = Setting(**dict.fromkeys(Setting._fields, 0.0))  # type: ignore[arg-type]


def _setting(sd: np.ndarray, loud: float, runs: int, rng: Rng) -> Setting:
    """A group of runs whose pairs have SDs ``(p, 1)``, and whose noise differs as ``e^{loud · z}``."""
    noise = np.exp(loud * rng.normal(size=runs)) * rng.normal(size=(len(sd), runs))
    values = torch.from_numpy(0.6 + sd * noise)
    spread = log_spread(values, values.new_ones(len(sd)), torch.ones_like(values))
    return _NOTHING._replace(log_spread_value=spread.value, log_spread_se=spread.se, log_spread_freedom=spread.freedom)


def two_groups(ratio: float, loud: float = LOUD, pairs: int = 200) -> Draw:
    """Two groups, the first of which has so many times the spread of the second."""

    def draw(runs: int, rng: Rng) -> Pair:
        sd = 0.01 + 0.02 * rng.random((pairs, 1))  # words differ, alike in both
        whole, wider = (_setting(sd * by, loud, runs, rng) for by in (1.0, ratio))
        return Pair(wider, whole)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of spreads."""
    alike, wider, loud = "bootstrap.order-has-no-effect", "bootstrap.varies-more", f"runs loud by e^{{{LOUD} z}}"
    yield drawn(wider, f"equal spreads, {loud}", never("yes"), two_groups(1.0), part=2)
    yield drawn(wider, f"1.5 times the spread, {loud}", should("yes", "no"), two_groups(1.5), part=2)
    yield drawn(alike, f"equal spreads, {loud}", should("yes", "no"), two_groups(1.0), part=2)
    yield drawn(alike, "1.25 times the spread, the margin", never("yes"), two_groups(1.25, 0.0), part=2)
    yield drawn(alike, f"1.25 times the spread, the margin, {loud}", never("yes"), two_groups(1.25), part=2)
