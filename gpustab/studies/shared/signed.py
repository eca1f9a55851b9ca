"""What stands under every answer: when it was found, how long it took, with what, and its sentences as people type."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from gpustab.errors import as_flags
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, Timed, no_progress
from gpustab.options import record
from gpustab.report import Result
from gpustab.report.origin import fitting, more_runs


class Work:
    """The clock of an answer.

    Attributes:
        report: told how far the work is.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._started, self.report = time.perf_counter(), Timed(progress or no_progress)

    def sign(self, result: Result, made_with: dict[str, Any], trained: Sequence[Mapping[str, Any]] = ()) -> None:
        """Write under a result what is the same for all, when it is done.

        Args:
            result: of a study.
            made_with: versions and devices.
            trained: how the runs were made, as :func:`gpustab.studies.shared.frame.how_made` returns it.
        """
        for texts in (result.alarms, result.notes, result.verdict):  # pages are read beside a command line
            texts[:] = [fitting(as_flags(text), trained) for text in texts]
        result.notes += more_runs([*result.alarms, *result.notes, *result.verdict], trained)
        result.environment |= made_with | {"seconds": time.perf_counter() - self._started}
        result.environment["phases"] = self.report.stop()
        result.environment["date"] = datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z")


@contextmanager
def signed(result: Result, options: Any, progress: Progress | None) -> Iterator[Work]:
    """Yield the work on a result that measures no runs, and needs no torch; when that is done, it is signed.

    Args:
        result: filled within.
        options: a dataclass; they become the settings.
        progress: told how far the work is.
    """
    work = Work(progress)
    yield work
    result.settings = record(options) | result.settings
    work.sign(result, environment(None))
    result.environment |= {"inputs": [], "trained": []}
