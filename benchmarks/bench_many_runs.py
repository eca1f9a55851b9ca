"""Many runs on a small machine: time and peak memory of every phase of a study, and of the PIP losses as R grows.

The whole block Gram of R runs takes ``R (R + 1) / 2 · d² · 8`` bytes: 0.7 GB for 128 runs of d = 100, 10.5 GB for 512,
94 GB for 512 of d = 300. Measured tile by tile, a pass holds, beside the rows,

    tile + chunk:  a quarter of 128 MiB, and as much again for rows at hand and what is formed of them
    R² · 40        numbers of all pairs
    R · v · 24     sums over every run's pairs, word by word: 246 MB for 512 × 20,000

so that 512 × 20,000 × 300 takes about 0.5 GB beside its 12.3 GB of rows, which may stay in the files of a packed set.
It takes 4.7e14 operations for the losses and as many again for the words: hours on two cores, so that less is run here.

Every size has a process of its own, whose address space is limited to ``--limit`` GB where R grows; peaks are those of
the whole process, its 0.3 GB of libraries and the rows included.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import torch

from benchmarks.harness import Bench, Row, relative_error, start
from gpustab import engine
from gpustab.bench.clock import one_call
from gpustab.bench.spaces import synthetic_runs
from gpustab.kernels.gram import block_gram
from gpustab.kernels.pip_loss import pip_from_gram, reduced, wordwise_pip
from gpustab.machine.device import CPU, Compute, choose_backend
from gpustab.options import LENGTHS
from gpustab.runs.runs import Runs

LIMIT_GB = 6
CHECKED = 12
"""Runs whose losses are compared with those of the whole block Gram."""


class Phases:
    """Rows of one size as its phases are done."""

    def __init__(self, size: dict[str, int]) -> None:
        self.size, self.rows = size, []

    def do(self, job: str, work: Callable[[], Any], note: str = "") -> Any:
        kept: list[Any] = []
        spent = one_call(lambda: kept.append(work()), CPU)
        peak = spent.peak / 2**20 if spent.peak is not None else None
        self.rows.append(Row(job, self.size, "gpustab", spent.seconds, repeats=1, peak_mib=peak, note=note))
        return kept[0]


def study(runs: int, v: int, d: int) -> list[Row]:
    """All that ``gpustab stability --targets all`` measures."""
    size = {"R": runs, "v": v, "d": d}
    there, phases, compute = synthetic_runs(runs, v, d, CPU), Phases(size), Compute(backend=choose_backend("auto", CPU))
    pip = phases.do("reduced PIP and every word's, all pairs", lambda: engine.pip_pass(there, compute, wordwise=True))
    phases.rows[-1].error = _error(there, compute)
    phases.rows[-1].note = f"{pip.precision}, stated error {pip.error:.0e}"
    targets = engine.draw_targets(there, v)
    found = phases.do(
        "50 neighbours of all words in every run", lambda: engine.neighbour_pass(there, targets, 50, compute)
    )
    phases.do("overlap, 6 lengths", lambda: engine.overlap_pass(found, LENGTHS, compute))
    return phases.rows


def losses(runs: int, v: int, d: int, limit: int) -> list[Row]:
    """PIP losses in a limited address space."""
    resource.setrlimit(resource.RLIMIT_AS, (limit << 30, limit << 30))
    there, phases = synthetic_runs(runs, v, d, CPU), Phases({"R": runs, "v": v, "d": d})
    compute = Compute(precision="fp64")
    phases.do(
        "reduced PIP and every word's, as R grows",
        lambda: engine.pip_pass(there, compute, wordwise=True),
        f"whole Gram {runs * (runs + 1) // 2 * d * d * 8 / 2**20:,.0f} MiB, address space {limit} GiB",
    )
    phases.rows[-1].error = _error(there, compute)
    return phases.rows


def _error(runs: Runs, compute: Compute) -> float:
    """Largest relative error of losses in tiles against the kernels on the whole Gram, of a few runs."""
    few = runs.take(list(range(min(CHECKED, len(runs)))))
    stack = few.stack()
    whole = block_gram(stack)
    tiles = Compute(precision=compute.precision, memory=whole.nbytes // 3)
    found = engine.pip_pass(few, tiles, wordwise=True)
    words = engine.wordwise_pass(few, found.basis, tiles)
    pairs = relative_error(found.reduced, reduced(pip_from_gram(whole).total, few.words))
    return max(pairs, relative_error(words.mean, wordwise_pip(stack, whole, few.words).mean))


def alone(bench: Bench, work: Callable[..., list[Row]], *arguments: int) -> None:
    """Add what a process of its own finds."""
    print(work.__name__, *arguments, flush=True)
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(THREADS,)
    ) as pool:
        rows = pool.submit(work, *arguments).result()
    bench.refused += sum((row.error or 0) > 1e-6 for row in rows)
    bench.rows += rows


THREADS = torch.get_num_threads()


def main() -> None:
    bench = start("many_runs", __doc__)
    for runs in (16, 32, 64) if bench.quick else (64, 128, 256, 512):
        alone(bench, losses, runs, 50 if bench.quick else 100, 20 if bench.quick else 100, LIMIT_GB)
    for v in (300,) if bench.quick else (1500, 6000):
        alone(bench, study, *((16, v, 20) if bench.quick else (128, v, 100)))
    bench.finish()


if __name__ == "__main__":
    main()
