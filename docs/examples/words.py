"""Factors of the stability of 1,700 words."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.words.claims import Effect, Part
from gpustab.studies.words.factors import FACTORS, PART_OF_SPEECH


def _effect(factor: str, effect: float, change: float, reach: float = 0.2, **values: Any) -> Effect:
    """An effect whose interval reaches so far as a part of it, and no less far than 0.03."""
    half = max(reach * abs(effect), 0.03)
    ends = {"change_low": change * (1 - half / abs(effect)), "change_high": change * (1 + half / abs(effect))}
    numbers = {"measure": "p@10", "runs": 8, "words": 1700, "effect": effect, "change": change}
    numbers |= {"low": effect - half, "high": effect + half, "step": FACTORS[factor].said}
    return made(Effect, factor=factor, **numbers | ends | values)


def _every(factor: str, sign: int) -> list[Effect]:
    """One of each verdict, with a sign of the effect that the claim says."""
    return [
        _effect(factor, 0.46 * sign, 0.9 * sign),
        _effect(factor, -0.46 * sign, -0.9 * sign),
        _effect(factor, 0.02 * sign, 0.04 * sign),
        _effect(factor, 0.2 * sign, 0.4 * sign, 0.9),
        _effect(factor, 0.46 * sign, 0.9 * sign, runs=2),
        _effect(factor, 0.46 * sign, 0.9 * sign, words=0),
        _effect(factor, 0.46 * sign, 0.9 * sign, words=60),
    ]


def _part(partial: float, half: float = 0.008, **values: Any) -> Part:
    numbers = {"measure": "p@10", "runs": 8, "words": 1700, "partial": partial}
    ends = {"low": partial - half, "high": partial + half}
    return made(Part, factor=PART_OF_SPEECH, **numbers | ends | values)


EXAMPLES = {
    "words.frequent": _every("frequency", 1),
    "words.spread": _every("spread", 1),
    "words.senses": _every("senses", -1),
    "words.near-neighbour": _every("nearest", 1),
    "words.part-of-speech": [_part(0.031), _part(0.001), _part(0.012), _part(0.031, runs=2), _part(0.031, words=60)],
}
