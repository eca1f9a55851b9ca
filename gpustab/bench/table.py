"""The benchmark of a machine: every step checked, timed and set beside the machine's ceilings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from gpustab.bench.bed import CPU_SIZE, CUDA_SIZE, Arithmetic, Bed, Size
from gpustab.bench.clock import Ceilings, Timing, measure_ceilings, time_call
from gpustab.bench.spaces import synthetic_runs
from gpustab.bench.steps import STEPS, Job, Step
from gpustab.engine import pip_pass
from gpustab.engine.precision import worst_condition
from gpustab.errors import InputError, OutOfMemoryError, near, option
from gpustab.kernels.neighbours import Backend
from gpustab.kernels.pip_loss import pip_from_gram
from gpustab.machine.device import CPU, Compute
from gpustab.machine.environment import environment
from gpustab.machine.out_of_memory import is_out_of_memory
from gpustab.machine.progress import Progress, no_progress
from gpustab.options import check_seed
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.runs import Runs

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


_COLUMNS = {
    "steps": ("step", "precision", "status", "seconds", "spread", "repeats", "error"),
    "rates": ("step", "precision", *RATES),
    "legend": ("step", "what"),
}
"""Several tables, because one is too wide for a terminal; the group's ``steps`` have all of it."""


def bench(
    runs: int | None = None,
    words: int | None = None,
    dimension: int | None = None,
    *,
    device: torch.device = CPU,
    backend: Backend = "torch",
    precision: str | None = None,
    steps: Sequence[str] | None = None,
    seconds: float = 2.0,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Result:
    """Time the passes on synthetic runs that lie on the device, warm; what fails its check is refused, not timed.

    Args:
        runs: R; default 128 on CUDA, 8 on the CPU.
        words: v; default 200,000 and 20,000.
        dimension: d; default 300 and 100.
        device: where.
        backend: of the neighbour search.
        precision: ``"auto"`` or ``"fast"`` (CUDA only) of the PIP losses; default: all that the device has.
        steps: names from :data:`gpustab.bench.STEPS`; default: all.
        seconds: time for the calls of one step; three calls at least unless one takes three times that.
        seed: of the runs and the draws.
        progress: called with the step at hand and the finished part.

    Returns:
        One group with the ceilings (bytes and operations per second) and all ``steps``; tables ``steps`` (seconds:
        median; spread: distance of the quartiles; error: see :mod:`gpustab.bench.checks`), ``rates`` (least work of
        :mod:`gpustab.bench.steps` per second, in percent of the ceilings) and ``legend``.

    Raises:
        InputError: for fewer than two runs, words or dimensions, an unknown step, or ``fast`` without CUDA.
        OutOfMemoryError: if the runs do not fit the device.
    """
    started = time.perf_counter()
    size = _size(runs, words, dimension, device)
    todo = _todo(steps, precision, device)
    check_seed(seed)
    if not 0 < seconds < math.inf:
        raise InputError(f"{option('seconds')} is {seconds}, wanted more than 0")
    progress("ceilings", 0.0)
    ceilings = measure_ceilings(device)
    progress("synthetic runs", 0.0)
    bed = Bed(_make_runs(size, device, seed), backend, seed)
    facts = _facts(bed.runs, ceilings)
    choices = {"seconds": seconds, "seed": seed, "backend": backend, "precision": precision}
    result = Result("bench", size._asdict() | choices)
    rows = []
    for done, (name, kind) in enumerate(todo):
        progress(name, done / len(todo))
        rows.append(measure_step(name, kind, bed, seconds, ceilings))
        if rows[-1]["note"]:
            result.notes.append(f"{name}, {kind}: {rows[-1]['note']}.")
    result.groups = [facts | {"steps": rows}]
    result.tables = {
        table: Table({column: [row[column] for row in rows] for column in columns})
        for table, columns in _COLUMNS.items()
    }
    result.environment = environment(device) | {"seconds": time.perf_counter() - started}
    return result


def refused(result: Result) -> bool:
    """Tell whether a step failed its check."""
    return "refused" in result.tables["steps"]["status"]


def _size(runs: int | None, words: int | None, dimension: int | None, device: torch.device) -> Size:
    default = CUDA_SIZE if device.type == "cuda" else CPU_SIZE
    given = (runs, words, dimension)
    size = Size(*(own if own is not None else usual for own, usual in zip(given, default, strict=True)))
    for name, value in size._asdict().items():
        if value < 2:
            raise InputError(f"{option(name)} is {value}, wanted at least 2")
    return size


def _todo(steps: Sequence[str] | None, precision: str | None, device: torch.device) -> list[tuple[str, Arithmetic]]:
    """The steps that were asked for, in the order of the table, each in every precision that was asked for."""
    wanted = list(STEPS) if steps is None else list(steps)
    unknown = [name for name in wanted if name not in STEPS]
    if unknown or not wanted:
        nearest = near(unknown[0], STEPS) if unknown else ""
        raise InputError(f"there is no step '{', '.join(unknown)}'{nearest}; there are {', '.join(STEPS)}")
    if precision not in {None, "auto", "fast"}:
        raise InputError(f"{option('precision')} is '{precision}', wanted auto or fast")
    if precision == "fast" and device.type != "cuda":
        raise InputError(f"{option('precision', 'fast')} needs CUDA: a CPU has no fast bfloat16")
    kinds = {precision} if precision else {"auto", "fast"} if device.type == "cuda" else {"auto"}
    return [(n, kind) for n in STEPS if n in wanted for kind in STEPS[n].kinds if kind in kinds | {"exact"}]


def _make_runs(size: Size, device: torch.device, seed: int) -> Runs:
    try:
        return synthetic_runs(*size, device, seed)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        need = 4 * size.runs * size.words * size.dimension / 2**30
        raise OutOfMemoryError(
            f"the runs take {need:.1f} GiB, which do not fit {device}: give fewer {option('runs')}, "
            f"{option('words')} or {option('dimension')}"
        ) from error


def _facts(runs: Runs, ceilings: Ceilings) -> dict[str, Any]:
    """What is measured, how hard it is (of the first runs), and what the machine can do."""
    few = pip_pass(runs.take(list(range(min(len(runs), 4)))), Compute(runs.device), gram=True)
    scale = few.scale
    return {
        "name": f"{len(runs)} runs, {runs.words:,} words, {runs.dimension} dimensions, float32 on {runs.device}",
        "reduced_pip": float(few.reduced.mean()),
        "condition": worst_condition(pip_from_gram(few.basis.gram).condition),
        "mean_cosine": None if scale is None else float(scale.mean_cosine.mean()),
        "copy_gigabytes_per_second": ceilings.copy / 1e9,
        **{f"{name}_matmul_tflop_per_second": rate / 1e12 for name, rate in ceilings.matmul.items()},
    }
