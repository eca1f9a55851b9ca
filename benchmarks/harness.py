"""What all benchmarks share: a race between methods, its rows, the growth of a time with a size, the JSON file.

A call is timed only after its result has passed its check; the checked call is also the warm-up. Calls of all
methods alternate, so that a disturbance of the machine meets all of them. The device is synchronised before the
clock is read.

Peak memory is what a call needs beyond what was there before it; clock and memory are those of `gpustab bench`.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from benchmarks.setting import environment, keep
from gpustab.bench.clock import one_call, quartiles, wants_more
from gpustab.machine.device import choose_device

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Contender:
    """One way to do a job.

    Attributes:
        method: its name.
        call: does the job, or a part of it.
        check: gives the error of what the call returned; what the error means is the job's business.
        tolerance: an error above it, or NaN, is refused.
        share: the part of the job that the call does; the time of the whole is extrapolated.
        note: what a reader of the row must know.
    """

    method: str
    call: Callable[[], Any]
    check: Callable[[Any], float]
    tolerance: float
    share: float = 1.0
    note: str = ""


@dataclass
class Row:
    """One method's time for one job; ``median`` is None where it was refused or left out, ``note`` says why.

    Attributes:
        ratio: median of the first method of the same race, divided by this one's; above 1 is faster.
        peak_mib: memory that one call took at its peak.
        error: what the check found.
        share: the part of the job that was really timed.
    """

    job: str
    size: dict[str, int]
    method: str
    median: float | None = None
    minimum: float | None = None
    quartiles: tuple[float, float] | None = None
    repeats: int = 0
    ratio: float | None = None
    peak_mib: float | None = None
    error: float | None = None
    share: float = 1.0
    note: str = ""


@dataclass
class Growth:
    """Exponent of a time's growth with a size, by least squares of the logarithms.

    Attributes:
        standard_error: of the exponent.
        residual: largest |log time − line|; 0.1 means that a point lies 10 % off.
    """

    job: str
    variable: str
    method: str
    exponent: float
    standard_error: float
    residual: float
    sizes: list[int]
    medians: list[float]


@dataclass
class Bench:
    """A benchmark being run: its options and what has been found so far."""

    name: str
    device: torch.device
    quick: bool
    out: Path
    seconds: float
    thesis: Path | None
    whole: bool
    environment: dict[str, Any]  # taken at the start: files may change while it runs
    rows: list[Row] = field(default_factory=list)
    growths: list[Growth] = field(default_factory=list)
    refused: int = 0

    def race(
        self, job: str, size: dict[str, int], contenders: Sequence[Contender], *, processor: bool = False
    ) -> list[Row]:
        """Time methods in turn, by the clock or by what the processor spent; ratios are to the first of them."""
        print(job, size, flush=True)
        gc.collect()
        rows = [Row(job, size, c.method, share=c.share, note=c.note) for c in contenders]
        admitted = [self._admit(c, row) for c, row in zip(contenders, rows, strict=True)]
        times: list[list[float]] = [[] for _ in contenders]
        while waiting := [n for n, yes in enumerate(admitted) if yes and wants_more(times[n], self.seconds)]:
            for n in waiting:
                spent = one_call(contenders[n].call, self.device)
                times[n].append(spent.processor if processor else spent.seconds)
                if spent.before is not None and spent.peak is not None:
                    rows[n].peak_mib = max(rows[n].peak_mib or 0.0, (spent.peak - spent.before) / 2**20)
        for row, spent in zip(rows, times, strict=True):
            _summarise(row, [seconds / row.share for seconds in spent])
            if row.median and rows[0].median:
                row.ratio = rows[0].median / row.median
        self.rows += rows
        return rows

    def _admit(self, contender: Contender, row: Row) -> bool:
        row.error = float(contender.check(contender.call()))
        # Not >, or NaN would be admitted.
        if row.error <= contender.tolerance:
            return True
        self.refused += 1
        row.note = f"refused: error {row.error:.1e}, tolerated {contender.tolerance:.1e}"
        return False

    def leave_out(self, job: str, size: dict[str, int], method: str, reason: str) -> None:
        """Record that a method was not run, and why."""
        self.rows.append(Row(job, size, method, note=f"left out: {reason}"))

    def sweep(
        self, race: Callable[[dict[str, int]], Sequence[Row]], variable: str, values: Sequence[int], **size: int
    ) -> None:
        """Race at several values of one size, and fit the growth of every method's time."""
        self.growths_of(variable, [race(size | {variable: value}) for value in values])

    def growths_of(self, variable: str, races: Sequence[Sequence[Row]]) -> None:
        """Fit the growth of every method's time over races of different sizes."""
        for rows in zip(*races, strict=True):
            self.growth(variable, rows)

    def growth(self, variable: str, rows: Sequence[Row]) -> None:
        """Fit the growth of one method's time over rows of different sizes."""
        timed = [row for row in rows if row.median]
        if len(timed) < 3:
            return
        sizes, medians = [row.size[variable] for row in timed], [row.median or 0.0 for row in timed]
        self.growths.append(
            Growth(timed[0].job, variable, timed[0].method, *fit_growth(sizes, medians), sizes, medians)
        )

    def finish(self) -> None:
        """Write the JSON file, print everything, and fail if a method was refused."""
        device = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu"
        suffix = "-quick" if self.quick else ""
        path = self.out / f"{self.name}-{device.lower().replace(' ', '-')}{suffix}.json"
        found = {"rows": [asdict(row) for row in self.rows], "growth": [asdict(growth) for growth in self.growths]}
        keep({"environment": self.environment, **found}, path)
        show(self.rows)
        for g in self.growths:
            print(f"{g.job}, {g.method}: time ~ {g.variable}^({g.exponent:.2f} ± {g.standard_error:.2f})")
        if self.refused:
            raise SystemExit(f"{self.refused} methods failed their check and were not timed")


def start(name: str, description: str | None) -> Bench:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", default="cpu", help="auto, cpu, cuda or cuda:N")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results", help="folder of the JSON file")
    parser.add_argument("--seconds", type=float, default=3.0, help="time to spend on one method of one job")
    parser.add_argument("--thesis", type=Path, metavar="DIR", help="checkout of the thesis' code, to be timed beside")
    parser.add_argument("--whole", action="store_true", help="also what takes more than an hour, if there is any")
    options = parser.parse_args()
    seconds = min(options.seconds, 0.2) if options.quick else options.seconds
    device = choose_device(options.device)
    there = environment(device)
    return Bench(name, device, options.quick, options.out, seconds, options.thesis, options.whole, there)


def _summarise(row: Row, times: list[float]) -> None:
    if times:
        low, middle, high = quartiles(times)
        row.median, row.minimum, row.quartiles, row.repeats = middle, min(times), (low, high), len(times)


def fit_growth(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return exponent, its standard error and the largest residual of ``log seconds = a + exponent · log size``.

    >>> [round(x, 6) for x in fit_growth([1, 2, 4, 8], [3, 12, 48, 192])]
    [2.0, 0.0, 0.0]
    """
    x, y = np.log(sizes), np.log(seconds)
    exponent, intercept = np.polyfit(x, y, 1)
    residuals = y - (intercept + exponent * x)
    variance = np.square(residuals).sum() / max(len(x) - 2, 1) / np.square(x - x.mean()).sum()
    return float(exponent), float(np.sqrt(variance)), float(np.abs(residuals).max())


def relative_error(values: Any, truth: Any) -> float:
    """Return the largest relative error; anything torch or numpy."""
    values, truth = (torch.as_tensor(x, dtype=torch.float64).cpu() for x in (values, truth))
    return float(((values - truth) / truth).abs().max())


def show(rows: Sequence[Row]) -> None:
    """Print rows as a table that is also Markdown."""
    table = Table("job", "size", "method", "median", "quartiles", "ratio", "peak", "error", "note", box=MARKDOWN)
    for row in rows:
        size = " ".join(f"{name}={value:,}" for name, value in row.size.items())
        quartiles = " - ".join(map(_seconds, row.quartiles)) if row.quartiles else ""
        peak = "" if row.peak_mib is None else f"{row.peak_mib:,.0f} MiB"
        error = "" if row.error is None else f"{row.error:.0e}"
        table.add_row(row.job, size, row.method, _seconds(row.median), quartiles, _ratio(row), peak, error, row.note)
    Console(width=220).print(table)


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def _ratio(row: Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:,.1f}" if row.ratio < 10 else f"{row.ratio:,.0f}"
