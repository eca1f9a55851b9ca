"""Timing of one call on one device, synchronised and repeated, with its memory; and what the device can do at best.

On CUDA the allocator counts memory. On Linux the kernel keeps the largest resident size of the process (``VmHWM``) and
starts again when asked; that counts the buffers of every library, which tracing Python or torch allocations would not.
Elsewhere it is left out.
"""

from __future__ import annotations

import ctypes
import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch

_LEAST, _MOST = 3, 50


class Spent(NamedTuple):
    """What one call took.

    Attributes:
        seconds: until the device was done; freeing what the call returns is not part of it.
        processor: seconds of all cores together, which others on the machine do not lengthen as they do the wait.
        before: bytes in use when it began; ``None`` where the system does not tell.
        peak: bytes in use at its peak.
    """

    seconds: float
    processor: float
    before: int | None
    peak: int | None


class Timing(NamedTuple):
    """What repeated calls took.

    Attributes:
        seconds: median.
        spread: distance of the quartiles; 0 for one call.
        repeats: number of calls.
        peak: bytes of device memory in use at the peak, what was resident included; ``None`` on the CPU, which
            counts only for the whole process.
    """

    seconds: float
    spread: float
    repeats: int
    peak: int | None


def time_call(call: Callable[[], Any], device: torch.device, seconds: float) -> Timing:
    """Time a call that has been made before: the first one pays for compilation, tuning and first use of memory."""
    gc.collect()
    calls: list[Spent] = []
    while wants_more([spent.seconds for spent in calls], seconds):
        calls.append(one_call(call, device))
    low, middle, high = quartiles([spent.seconds for spent in calls])
    peaks = [spent.peak for spent in calls if spent.peak is not None] if device.type == "cuda" else []
    return Timing(middle, high - low, len(calls), max(peaks, default=None))


def one_call(call: Callable[[], Any], device: torch.device) -> Spent:
    """Time one call."""
    before = _reset_peak(device)
    begin, busy = _now(device), time.process_time()
    kept = call()
    end, busy = _now(device), time.process_time() - busy
    peak = _peak(device)
    del kept
    return Spent(end - begin, busy, before, peak)


def wants_more(times: Sequence[float], seconds: float) -> bool:
    """Tell whether to go on: three to fifty calls that fit the time, but one where it takes three times that."""
    spent = sum(times)
    few = len(times) < _LEAST and spent < 3 * seconds
    return not times or few or (spent < seconds and len(times) < _MOST)


def quartiles(times: Sequence[float]) -> tuple[float, float, float]:
    """Return lower quartile, median and upper quartile."""
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else list(times) * 3
    return low, middle, high


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def _reset_peak(device: torch.device) -> int | None:
    """Forget the peak so far and return the bytes in use now."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        return torch.cuda.memory_allocated(device)
    try:
        ctypes.CDLL(None).malloc_trim(0)  # memory kept from earlier calls would hide what this one takes
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    except (OSError, AttributeError):
        return None
    return _status("VmRSS")


def _peak(device: torch.device) -> int | None:
    return torch.cuda.max_memory_allocated(device) if device.type == "cuda" else _status("VmHWM")


def _status(name: str) -> int | None:
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


_WARM, _SECONDS = 2, 0.3


class Ceilings(NamedTuple):
    """Measured best rates.

    Attributes:
        copy: bytes read and written per second by copying a large tensor.
        matmul: operations per second of a large square product, by format of its factors.
    """

    copy: float
    matmul: dict[str, float]


def measure_ceilings(device: torch.device) -> Ceilings:
    """Measure the ceilings: the best of the calls that fit 0.3 s each, after two to warm up."""
    cuda = device.type == "cuda"
    formats = {"fp64": torch.float64, "fp32": torch.float32, "bf16": torch.bfloat16}
    rates = {name: _matmul(dtype, _side(name, cuda), device) for name, dtype in formats.items()}
    if cuda:
        with _tf32():
            rates["tf32"] = _matmul(torch.float32, _side("tf32", cuda), device)
    return Ceilings(_copy(1 << 30 if cuda else 1 << 27, device), rates)


def _side(name: str, cuda: bool) -> int:
    """A product that keeps the device busy for milliseconds; a CPU may have no fast bfloat16."""
    if cuda:
        return 8192
    return 512 if name == "bf16" else 1024


def _matmul(dtype: torch.dtype, side: int, device: torch.device) -> float:
    x, y = torch.randn(2, side, side, device=device).to(dtype)
    out = torch.empty_like(x)
    return 2 * side**3 / _best(lambda: torch.mm(x, y, out=out), device)


def _copy(size: int, device: torch.device) -> float:
    source, target = torch.ones(2, size, dtype=torch.uint8, device=device)
    return 2 * size / _best(lambda: target.copy_(source), device)


def _best(call: Callable[[], Any], device: torch.device) -> float:
    for _ in range(_WARM):
        one_call(call, device)
    times: list[float] = []
    while not times or sum(times) < _SECONDS:
        times.append(one_call(call, device).seconds)
    return min(times)


@contextmanager
def _tf32() -> Iterator[None]:
    """Let float32 products use the tensor cores, and put the setting back."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
