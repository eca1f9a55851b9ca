"""Three fine-tunings of a model of six layers, compared by 2,000 sentences."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.layers.claims import Parted


def _parted(shared: tuple[float, float], **values: Any) -> Parted:
    """Models that share so many of ten nearest sentences in their last layer."""
    low, high = shared
    row: dict[str, Any] = {"models": 3, "sentences": 2000, "layers": 6, "n": 10, "chance": 0.005, "largest": 0.12}
    row |= {"least": 6, "beside": 5, "clear_low": 1.4, "clear_high": 1.9, "shared": (low + high) / 2}
    row |= {"shared_low": low, "shared_high": high, "jump": 6, "below": 0.07, "there": 0.12, "jump_low": 1.4}
    return made(Parted, **row | {"jump_high": 1.9} | values)


_DIFFER = (0.52, 0.61)
_SAME = _parted((1.0, 1.0), largest=1e-13)

EXAMPLES = {
    "layers.alike": [
        _SAME,
        _parted((0.96, 0.98)),
        _parted(_DIFFER),
        _parted((0.85, 0.93)),
        _parted((0.85, 0.93), models=2),
    ],
    "layers.least-alike": [
        _parted(_DIFFER),
        _parted(_DIFFER, clear_low=1.0, clear_high=1.05),
        _parted(_DIFFER, clear_low=0.9, clear_high=1.3),
        _SAME,
    ],
    "layers.part-at": [
        _parted(_DIFFER, jump=4, below=0.0, there=0.03, jump_low=3e7, jump_high=4e7),
        _parted(_DIFFER, jump=1, below=0.0001, there=0.03, jump_low=150, jump_high=600),
        _parted(_DIFFER, jump=4, below=0.001, there=0.03, jump_low=20, jump_high=60),
        _parted(_DIFFER),
        _parted(_DIFFER, jump_low=4, jump_high=16),
        _SAME,
    ],
}
