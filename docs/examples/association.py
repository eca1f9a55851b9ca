"""Associations of war and trade with danger and prosperity, in eight runs."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.association.claims import Tested


def _tested(effect: float, sd: float, p: float, turned: tuple[float, float], **values: Any) -> Tested:
    """A test whose effect has an SD over eight runs."""
    names = {"first": "war", "second": "trade", "toward": "danger", "against": "prosperity", "test": "war-and-trade"}
    numbers = {"effect": effect, "sd": sd, "run_low": effect - 2.5 * sd, "run_high": effect + 2.5 * sd, "p": p}
    ends = {"turned_low": turned[0], "turned_high": turned[1]}
    rest = {"differ_by": "training", "runs": 8, "words_first": 8, "words_second": 8}
    return made(Tested, **names | numbers | ends | rest | values)


EXAMPLES = {
    "association.there": [
        _tested(1.05, 0.08, 0.03, (0.0, 0.0003)),
        _tested(-1.05, 0.08, 0.01, (0.0, 0.012), differ_by="documents", p_error=0.001),
        _tested(0.08, 0.2, 0.85, (0.08, 0.5)),
        _tested(0.98, 0.1, 0.09, (0.0, 0.0003)),
        _tested(0.7, 0.3, 0.04, (0.002, 0.14), differ_by="documents"),
        _tested(1.05, 0.08, 0.03, (0.0, 0.0003), runs=2),
        _tested(1.05, 0.08, 0.1, (0.0, 0.0003), words_first=3, words_second=3),
        _tested(1.05, 0.08, 0.03, (0.0, 0.0003), runs=0),
    ]
}
