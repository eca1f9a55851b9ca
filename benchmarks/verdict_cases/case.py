"""What a case is: a rule, a truth, and how to draw runs of that truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Rng = np.random.Generator
Draw = Callable[[int, Rng], str]


class Case(NamedTuple):
    """A rule, the truth it is asked about, the verdict that is right (``-``: none is), and how to draw it.

    ``least`` runs are wanted for a verdict; a ``part`` of the sets is drawn of what takes long, a multiple of others.
    """

    rule: str
    truth: str
    right: str
    draw: Draw
    least: int = 3
    part: float = 1.0
