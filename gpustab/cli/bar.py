"""The line that tells how far the work is, where a person looks on."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from rich import progress as bars
from rich.console import Console
from rich.table import Column
from rich.text import Text

from gpustab.spaces.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable


_BAR = 20
_OTHERS = 4 + _BAR + 42
"""Columns that the bar and the times take."""


class Clock:
    """Reckons what time is left from the part that is done; see :data:`gpustab.machine.progress.Progress`."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._started = self._begun = self._told = now()
        self._part = 0.0

    def tell(self, part: float) -> None:
        """Take a report."""
        self._told, self._part = self._now(), part
        if part == 0:
            self._begun = self._told

    def __str__(self) -> str:
        """How long it has been, and how long it will be where that is known."""
        now = self._now()
        gone = f"{_span(now - self._started)} so far"
        if self._part < 1e-6 or self._part >= 1:
            return gone
        left = (self._told - self._begun) * (1 - self._part) / self._part - (now - self._told)
        return f"{gone}, {f'about {_span(left)} left' if left > 0 else 'longer than reckoned'}"


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


class Bar:
    """A bar on stderr that appears with the first report, so that what is printed before stands above it."""

    def __init__(self, console: Console, *, shown: bool) -> None:
        self._console, self._shown, self._clock = console, shown, Clock()
        self._bar: bars.Progress | None = None
        self._task = bars.TaskID(0)

    def __call__(self, work: str, part: float) -> None:
        """Show a report of progress."""
        self._clock.tell(part)
        if not self._shown:
            return
        if self._bar is None:
            self._bar = self._begin()
        room = max(self._console.width - _OTHERS, 12)  # a narrow terminal cuts this and nothing else
        work = printable(work)
        self._bar.update(self._task, description=work if len(work) <= room else f"{work[: room - 1]}…", completed=part)

    def print(self, text: str) -> None:
        """Print dimmed lines above the bar."""
        self._console.print(text, markup=False, highlight=False, style="dim", soft_wrap=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _begin(self) -> bars.Progress:
        columns = (
            bars.SpinnerColumn(),
            bars.BarColumn(_BAR),
            _Times(self._clock, table_column=Column(no_wrap=True)),
            # Names of files may look like markup.
            bars.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        )
        bar = bars.Progress(*columns, console=self._console, transient=True)
        self._task = bar.add_task("", total=1.0)
        bar.start()
        return bar


class _Times(bars.ProgressColumn):
    """What the clock says, at every refresh."""

    def __init__(self, clock: Clock, table_column: Column) -> None:
        super().__init__(table_column)
        self._clock = clock

    def render(self, task: bars.Task) -> Text:  # noqa: ARG002  # there is one task
        return Text(str(self._clock), style="progress.remaining")
