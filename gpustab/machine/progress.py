"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with the name of the work at hand and its finished part in 0 .. 1."""


def no_progress(work: str, part: float) -> None:
    """Take a report of progress that nobody reads."""
