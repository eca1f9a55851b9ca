"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with the name of the work at hand and the finished part of all work in 0 .. 1, in time as far as it is known.

A part of exactly 0 begins anew: what time is left is reckoned from the last one."""


def no_progress(work: str, part: float) -> None:
    """Take a report of progress that nobody reads."""
