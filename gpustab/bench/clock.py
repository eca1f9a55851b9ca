"""Timing of one call on one device: synchronised, repeated, median and spread."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

_LEAST, _MOST = 3, 50


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
    """Time a call that has been made before: the first one pays for compilation, tuning and first use of memory.

    Three calls at least and fifty at most, as long as they fit ``seconds``; one where a call takes three times that.
    """
    gc.collect()
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    times: list[float] = []
    while _wants_more(times, seconds):
        times.append(one_call(call, device))
    quartiles = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    return Timing(statistics.median(times), quartiles[2] - quartiles[0], len(times), peak)


def one_call(call: Callable[[], Any], device: torch.device) -> float:
    """Return the seconds of one call; freeing what it returns is not part of it."""
    begin = _now(device)
    kept = call()
    end = _now(device)
    del kept
    return end - begin


def _wants_more(times: list[float], seconds: float) -> bool:
    spent = sum(times)
    few = len(times) < _LEAST and spent < 3 * seconds
    return not times or few or (spent < seconds and len(times) < _MOST)


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
