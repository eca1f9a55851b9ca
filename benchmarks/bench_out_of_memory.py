"""Reduced losses of all pairs of more runs than memory has blocks for, from a packed run set, in limited memory.

The block Gram of 512 runs of d = 300 takes 94 GB, their rows over 20,000 words 12.3 GB. Here the rows stay in the files
of a packed set, and a process of its own, which may have ``LIMIT_GB`` of addresses beside these files, forms the Gram
tile by tile. The losses of some of the runs are compared with those that the whole Gram of these runs alone gives, and
the losses of a few words likewise.

Time grows as R² (a + b v): a is what a tile costs whatever the words, b the products. Processor seconds are measured,
as other work may share the machine, and two numbers of words tell how long 20,000 take. ``--whole`` runs these: more
than an hour of two cores, and 25 GB of disk.
"""

from __future__ import annotations

import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from benchmarks.harness import Bench, Row, relative_error, start
from gpustab import Space, load_runs
from gpustab.bench.spaces import synthetic_spaces
from gpustab.engine import pip_pass, wordwise_pass
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.kernels.gram import block_gram, run_pairs
from gpustab.kernels.pip_loss import pip_from_gram, reduced, wordwise_pip
from gpustab.machine.device import CPU, Compute
from gpustab.machine.environment import peak_memory
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runs import Runs
from gpustab.spaces.vocabulary import Vocabulary

LIMIT_GB = 8
TILES = 1 << 30
"""Bytes for tiles: of 19 runs of d = 300, so that rows are read 27 times for 512 runs; 128 MiB read them 86 times."""
CHECKED = 10
WHOLE = 20_000
"""Words of what ``--whole`` runs; else the time is extrapolated to them."""


def packed(folder: Path, runs: int, v: int, d: int) -> Path:
    """Write runs one by one and pack them."""
    vocabulary = Vocabulary(f"w{k}" for k in range(v))
    paths = []
    for r, rows in enumerate(synthetic_spaces(runs, v, d, CPU)):
        paths.append(folder / f"r{r}.safetensors")
        write_safetensors(Space(vocabulary, rows), paths[-1])
    pack_runs(paths, folder / "packed")
    for path in paths:
        path.unlink()
    return folder / "packed"


def measure(folder: Path, words: bool, tiles: int, threads: int) -> dict[str, Any]:
    """Do the work in a limited address space."""
    torch.set_num_threads(threads)
    limit = (LIMIT_GB << 30) + sum(file.stat().st_size for file in folder.rglob("*.safetensors"))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    runs, compute = load_runs(folder), Compute(precision="fp64", memory=tiles)
    started, wall = time.process_time(), time.perf_counter()
    found = pip_pass(runs, compute, wordwise=words)
    spent = {"seconds": time.process_time() - started, "wall": time.perf_counter() - wall, "peak": peak_memory()}
    return spent | {"error": _error(runs, found.reduced), "words_error": _words_error(runs) if words else 0.0}


def _error(runs: Runs, losses: torch.Tensor) -> float:
    """Largest relative error of the losses of the last runs."""
    few = list(range(len(runs)))[-CHECKED:]
    alone = reduced(pip_from_gram(block_gram(runs.take(few).stack())).total, runs.words)
    i, j = run_pairs(len(runs))
    return relative_error(losses[(i >= few[0]) & (j >= few[0])], alone)


def _words_error(runs: Runs) -> float:
    few = runs.take(list(range(min(CHECKED, len(runs)))))
    stack = few.stack()
    whole = block_gram(stack)
    tiles = Compute(precision="fp64", memory=whole.nbytes // 3)
    found = wordwise_pass(few, pip_pass(few, tiles, wordwise=True).basis, tiles)
    return relative_error(found.mean, wordwise_pip(stack, whole, few.words).mean)


def alone(bench: Bench, runs: int, v: int, d: int, *, words: bool = False) -> float:
    """Add the row of one size, and return its processor seconds."""
    print(runs, v, d, flush=True)
    tiles = 1 << 16 if bench.quick else TILES
    with tempfile.TemporaryDirectory() as name:
        folder = packed(Path(name), runs, v, d)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found = pool.submit(measure, folder, words, tiles, torch.get_num_threads()).result()
    job = "reduced PIP, all pairs" + ", and every word's" * words
    row = Row(job, {"R": runs, "v": v, "d": d}, "gpustab", found["seconds"], repeats=1)
    row.error, row.peak_mib = max(found["error"], found["words_error"]), found["peak"] / 2**20
    gram = runs * (runs + 1) // 2 * d * d * 8 / 2**20
    row.note = f"processor seconds ({found['wall']:.0f} s passed); whole Gram {gram:,.0f} MiB, limit {LIMIT_GB} GiB"
    if not row.error <= 1e-12:
        bench.refused += 1
        row.note = f"refused: error {row.error:.1e}"
    bench.rows.append(row)
    return float(found["seconds"])


def main() -> None:
    bench = start("out_of_memory", __doc__)
    d = 40 if bench.quick else 300
    few, more = (20, 60) if bench.quick else (200, 2_000)
    for runs in (16, 32) if bench.quick else (64, 128, 256):
        alone(bench, runs, few, d)
    most = 48 if bench.quick else 512
    alone(bench, 8 if bench.quick else 64, few, d, words=True)
    times = [alone(bench, most, v, d) for v in (few, more)]
    if bench.whole:
        alone(bench, most, WHOLE, d)
    else:
        each = (times[1] - times[0]) / (more - few)
        seconds = times[0] + each * (WHOLE - few)
        note = f"{seconds:,.0f} processor seconds by the two sizes above; --whole runs it"
        bench.leave_out("reduced PIP, all pairs", {"R": most, "v": WHOLE, "d": d}, "gpustab", note)
    bench.finish()


if __name__ == "__main__":
    main()
