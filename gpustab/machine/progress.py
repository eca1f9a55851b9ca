"""How long work tells how far it is, and how long its pieces took."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with the name of the work at hand and the finished part of all work in 0 .. 1, in time as far as it is known.

A part of exactly 0 begins anew: what time is left is reckoned from the last one."""


def no_progress(work: str, part: float) -> None:
    """Take a report of progress that nobody reads."""


class Timed:
    """Hands reports on, and keeps how long each piece of work took: from its first report to that of the next one.

    Pieces whose names differ by a number are one piece, which is called by what stands before the number.

    Attributes:
        seconds: by the name of the work, in the order of their first reports.

    Example:
        >>> clock = iter([0.0, 1.0, 2.0, 4.0, 9.0])
        >>> timed = Timed(no_progress, lambda: next(clock))
        >>> timed("training 0 of 2 runs", 0.0)
        >>> timed("training 1 of 2 runs", 0.2)
        >>> timed("measuring", 0.5)
        >>> timed.stop()
        {'training': 3.0, 'measuring': 5.0}
    """

    def __init__(self, progress: Progress, now: Callable[[], float] = time.perf_counter) -> None:
        self._progress, self._now = progress, now
        self._work, self._since = "", now()
        self.seconds: dict[str, float] = {}

    def __call__(self, work: str, part: float) -> None:
        """Take a report."""
        self._count()
        self._work = re.split(r"[:,]? \d", work)[0]
        self._progress(work, part)

    def stop(self) -> dict[str, float]:
        """Return the seconds of all work, that at hand included."""
        self._count()
        return self.seconds

    def _count(self) -> None:
        now = self._now()
        if self._work:
            self.seconds[self._work] = self.seconds.get(self._work, 0.0) + now - self._since
        self._since = now
