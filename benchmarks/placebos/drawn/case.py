"""What a drawn world is: a claim, a truth, and how to draw what it judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.placebos.cells import Truth, World, known

Rng = np.random.Generator
Draw = Callable[[int, Rng], Any]
"""Of R runs and a generator: what a claim judges, or None where there is nothing to be judged."""
RUNS = (3, 4, 6, 8, 16)


def drawn(claim: str, about: str, truth: Truth, draw: Draw, runs: Sequence[int] = RUNS, part: float = 1.0) -> World:
    """Return the world in which a claim judges what is drawn.

    Args:
        claim: its id.
        about: the truth, for the table.
        truth: which verdicts are wrong, and which one is right.
        draw: what is judged.
        runs: which R.
        part: of the sets, less of what takes long, more of what is soon drawn.
    """
    own = known()[claim]

    def ask(r: int, rng: Rng) -> None:
        if (judged := draw(r, rng)) is not None:
            own.judge(judged)

    return World(about, ask, {claim: truth}, runs, part)
