"""One step: checked, timed, and its rates beside the ceilings."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from gpustab.bench.bed import Arithmetic, Bed
from gpustab.bench.ceilings import Ceilings
from gpustab.bench.clock import Timing, time_call
from gpustab.bench.steps import STEPS, Job, Step
from gpustab.machine.device import is_out_of_memory

TIMES = ("seconds", "spread", "repeats")
RATES = ("tflop", "gigabytes", "percent_of_matmul", "percent_of_copy", "peak_gib")


def measure_step(name: str, kind: Arithmetic, bed: Bed, seconds: float, ceilings: Ceilings) -> dict[str, Any]:
    """Return one row of the table, plain values; ``None`` for what was not measured."""
    step = STEPS[name]
    status, note, error, timing, job = _run(step, kind, bed, seconds)
    row: dict[str, Any] = {"step": name, "what": step.what, "precision": kind, "status": status, "note": note}
    row["error"] = error
    if timing is None or job is None:
        return row | dict.fromkeys(TIMES + RATES)
    measured = (
        timing.seconds,
        timing.spread,
        timing.repeats,
        job.cost.flop / 1e12,
        job.cost.bytes / 1e9,
        100 * job.cost.flop / timing.seconds / ceilings.matmul[job.arithmetic],
        100 * job.cost.bytes / timing.seconds / ceilings.copy,
        None if timing.peak is None else timing.peak / 2**30,
    )
    return row | dict(zip(TIMES + RATES, measured, strict=True))


class _Outcome(NamedTuple):
    status: str
    note: str = ""
    error: float | None = None
    timing: Timing | None = None
    job: Job | None = None


def _run(step: Step, kind: Arithmetic, bed: Bed, seconds: float) -> _Outcome:
    """Check a step and time it; the checked call is also the warm-up."""
    if not step.uses_basis:
        bed.drop_basis()
    try:
        job = step.prepare(bed, kind)
        error = float(job.check(job.call()))
        if not error <= job.tolerance:  # nor NaN
            return _Outcome("refused", f"error {error:.1e}, tolerated {job.tolerance:.0e}: not timed", error)
        return _Outcome("checked", job.note, error, time_call(job.call, bed.runs.device, seconds), job)
    except (RuntimeError, MemoryError) as failure:
        if not is_out_of_memory(failure):
            raise
    # Outside the handler: the traceback would keep the failed call's tensors alive.
    bed.drop_basis()
    if bed.runs.device.type == "cuda":
        torch.cuda.empty_cache()
    return _Outcome("out of memory", "the device's memory does not suffice; the others go on")
