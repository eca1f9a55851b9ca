"""How far runs are that other processes train: each has a file in a common folder, as long as it is far.

A length is set and read in one step, so that nobody reads half of it; and a cluster whose machines do not share the
folder trains all the same, and tells nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from threading import Event, Thread

from gpustab.machine.progress import Progress

_WHOLE = 10_000
"""Bytes of the file of a run that is done; they take no room on the disk."""
_EVERY = 0.5
"""Seconds between two looks."""
_NEARLY = 0.95
"""A run at work that takes longer than the others is never taken for more than this."""


def _name(technique: str, sampling: str, run: int) -> str:
    return f"{technique} {sampling} {run}"


@dataclass(frozen=True)
class Marks:
    """Tells how far the runs of one task are; a :data:`gpustab.trainers.base.Tell`.

    Attributes:
        folder: of the files.
        technique: of the task.
        sampling: of the task.
        runs: of the task, by the numbers of their samples.
    """

    folder: Path
    technique: str
    sampling: str
    runs: Sequence[int]

    def __call__(self, number: int, part: float) -> None:
        """Tell the part of one sample that is done."""
        path = self.folder / _name(self.technique, self.sampling, self.runs[number])
        with suppress(OSError):
            path.touch()
            os.truncate(path, round(part * _WHOLE))


@dataclass
class Watch:
    """Tells the progress of all runs, of those at work too.

    What is left is reckoned with the mean time of a technique's runs; of a technique without any, with that of all.

    Attributes:
        runs: technique, sampling and number of each.
        folder: of the marks.
        report: is told.
    """

    runs: Sequence[tuple[str, str, int]]
    folder: Path
    report: Progress
    clock: Callable[[], float] = time.monotonic
    _begun: dict[tuple[str, str, int], float] = field(default_factory=dict)
    _seconds: dict[tuple[str, str, int], float] = field(default_factory=dict)

    def finished(self, technique: str, sampling: str, runs: Sequence[int]) -> None:
        """Take note of runs that are done, or failed."""
        now = self.clock()
        for run in runs:
            key = technique, sampling, run
            self._seconds[key] = (now - self._begun.get(key, now)) / len(runs)
        self.look()

    def look(self) -> None:
        """Report how far all is now."""
        now, parts, first = self.clock(), dict[str, float](), not self._begun
        means = {technique: self._mean(technique) for technique, _, _ in self.runs}
        overall = self._mean() or 1.0
        whole = done = 0.0
        for run in list(self.runs):
            mean = means[run[0]]
            whole += (weight := mean or overall)
            if run in self._seconds:
                done += weight
            elif (part := self._part(run)) is not None:
                self._begun.setdefault(run, now)
                if not part and mean:
                    part = min((now - self._begun[run]) / mean, _NEARLY)
                parts[_name(*run)] = part
                done += weight * part
        # Workers take seconds to start: the clock begins with the first run, and only then, which is what 0 says.
        self.report(self._sentence(parts), 0.0 if first and self._begun else max(done / whole, 1e-9))

    def _part(self, run: tuple[str, str, int]) -> float | None:
        try:
            return (self.folder / _name(*run)).stat().st_size / _WHOLE
        except OSError:
            return None

    def _mean(self, technique: str | None = None) -> float:
        """Mean seconds of the runs that are done; 0 without any."""
        seconds = [took for run, took in list(self._seconds.items()) if technique in (None, run[0])]
        return fmean(seconds) if seconds else 0.0

    def _sentence(self, parts: dict[str, float]) -> str:
        some = ", ".join(f"{name} {part:.0%}" for name, part in list(parts.items())[:2])
        more = f" and {len(parts) - 2} more" if len(parts) > 2 else ""
        counted = f"training {len(self._seconds)} of {len(self.runs)} runs"
        return f"{counted}; at work: {some}{more}" if parts else counted


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Look every now and then while the work goes on."""
    over = Event()

    def watch_on() -> None:
        while not over.wait(_EVERY):
            watch.look()

    thread = Thread(target=watch_on, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
