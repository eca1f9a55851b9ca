"""What tells how far the work is: a bar on a terminal, and lines in a log."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread
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


_FEW = 0.05
"""Of a part below this, reported once, nobody knows how much was getting ready: a minute of it foretold hours."""


class Clock:
    """Reckons what time is left from the part that is done; see :data:`gpustab.machine.progress.Progress`.

    The pace is that since the first part was told: processes that start and code that is compiled come before it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._started = self._told = now()
        self._part = 0.0
        self._told_from = (self._started, 0.0)

    def tell(self, part: float) -> None:
        """Take a report."""
        _, first = self._told_from
        if part == 0 or part < self._part or (first == 0 < part < _FEW):
            self._told_from = (self._now(), part)
        self._told, self._part = self._now(), part

    def __str__(self) -> str:
        """How long it has been, and how long it will be where that is known."""
        now = self._now()
        gone = f"{_span(now - self._started)} so far"
        since, first = self._told_from
        done = self._part - first
        if done <= 0 or self._part >= 1:
            return gone
        left = (self._told - since) * (1 - self._part) / done - (now - self._told)
        return f"{gone}, {f'about {_span(left)} left' if left > 0 else 'longer than reckoned'}"


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


EVERY = 30.0
"""Seconds between two lines of a log."""


class Bar:
    """A bar on stderr that appears with the first report, so that what is printed before stands above it.

    Where stderr is no terminal, a line every :data:`EVERY` seconds says the same.
    """

    def __init__(self, console: Console, *, shown: bool) -> None:
        self._console, self._clock = console, Clock()
        self._shown = shown and console.is_terminal
        self._bar: bars.Progress | None = None
        self._task = bars.TaskID(0)
        self._work, self._over = "working", Event()
        if shown and not console.is_terminal:
            Thread(target=self._log, daemon=True).start()

    def __call__(self, work: str, part: float) -> None:
        """Show a report of progress; after :meth:`close` nothing is shown any more."""
        self._clock.tell(part)
        self._work = printable(work)
        if not self._shown or self._over.is_set():
            return
        if self._bar is None:
            self._bar = self._begin()
        room = max(self._console.width - _OTHERS, 12)  # a narrow terminal cuts this and nothing else
        work = self._work if len(self._work) <= room else f"{self._work[: room - 1]}…"
        self._bar.update(self._task, description=work, completed=part)

    def print(self, text: str) -> None:
        """Print dimmed lines above the bar."""
        self._console.print(text, markup=False, highlight=False, style="dim", soft_wrap=True)

    def close(self) -> None:
        """Take the bar away for good: what is printed next stands alone on its line."""
        self._over.set()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _log(self) -> None:
        while not self._over.wait(EVERY):
            with suppress(ValueError, OSError):  # whoever called us may have closed the stream
                self._console.print(f"{self._work}: {self._clock}", markup=False, highlight=False, soft_wrap=True)

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
