"""The PIP passes over rows in memory and over a packed run set on disk, whose next chunk is read meanwhile.

The packed files are in the page cache, as they are on a machine with memory to spare; a disk that is slower than the
passes sets the pace otherwise. Chunks take at most 64 MiB, so that the packed passes never hold more than a part.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, relative_error, start
from gpustab import engine, load_runs
from gpustab.formats.memory import from_pair
from gpustab.machine.device import Compute
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runs import Runs
from gpustab.runs.runset import write_leaf

CHUNK = 64 << 20


def spaces(runs: int, v: int, d: int) -> list[Any]:
    rng = np.random.default_rng(0)
    base = rng.normal(0.3, 1, (v, d))
    words = [f"w{i}" for i in range(v)]
    return [from_pair(words, base + 0.1 * rng.normal(size=(v, d)), f"run-{r}") for r in range(runs)]


def losses(runs: Runs, compute: Compute) -> torch.Tensor:
    return engine.pip_pass(runs, compute).reduced


def words(runs: Runs, basis: engine.GramPass, compute: Compute) -> torch.Tensor:
    return engine.wordwise_pass(runs, basis, compute).mean


def race(bench: Bench, folder: Path, count: int, v: int, d: int) -> None:
    size = {"R": count, "v": v, "d": d}
    compute = Compute(bench.device, memory=CHUNK)
    group = write_leaf(spaces(count, v, d), folder / f"leaf-{d}")
    opened = {"rows in memory": load_runs([group.folder]).to(bench.device)}
    for dtype in ("float32", "bfloat16"):
        pack_runs([group.folder], folder / f"{dtype}-{d}", dtype=dtype)
        # Masks and lengths are where the work is; rows stay on disk.
        opened[f"packed {dtype}"] = load_runs(folder / f"{dtype}-{d}").to(bench.device, rows=False)
    for job, call in (("reduced PIP", losses), ("word-wise PIP", words)):
        contenders = []
        truth = None
        for name, runs in opened.items():
            extra = (engine.gram_pass(runs, compute),) if call is words else ()
            work = partial(call, runs, *extra, compute)
            truth = work() if truth is None else truth
            tolerance = 1e-9 if "bfloat16" not in name else 0.05  # rounding to 8 bits changes the runs
            contenders.append(Contender(name, work, partial(relative_error, truth=truth), tolerance))
        bench.race(job, size, contenders)


def main() -> None:
    bench = start("streaming", __doc__)
    with tempfile.TemporaryDirectory() as name:
        race(bench, Path(name), 8, 2_000 if bench.quick else 50_000, 100)
        if not bench.quick:
            race(bench, Path(name), 4, 50_000, 300)
    bench.finish()


if __name__ == "__main__":
    main()
