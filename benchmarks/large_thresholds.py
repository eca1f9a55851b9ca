"""What one space of 100,000 real words costs `gpustab study thresholds`: processor time and peak memory, step by step.

Usage:
    python -m benchmarks.large_thresholds GLOVE.npy WORDS.txt 100000 [DIM]

The vectors are those of GloVe 6B (50 values); a larger DIM repeats them with noise, since time and memory depend on the
size alone.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.setting import ROOT, environment, keep
from gpustab.machine.device import Compute
from gpustab.runs.load import open_groups
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import leacock_chodorow
from gpustab.studies.thresholds.distributions import distribution
from gpustab.studies.thresholds.groups import list_sums, value_sums
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.wordnet.nouns import read_nouns


def read(vectors: Path, words: Path, number: int, dim: int) -> Runs:
    """Return the first words as one run."""
    names = words.read_text(encoding="utf-8").splitlines()[:number]
    x = np.array(np.load(vectors, mmap_mode="r")[:number], dtype=np.float32)
    if dim > x.shape[1]:
        copies = np.tile(x, (1, -(-dim // x.shape[1])))[:, :dim]
        x = copies + 0.1 * np.random.default_rng(0).standard_normal(copies.shape, dtype=np.float32)
    return open_groups([(names, torch.from_numpy(x))], single_runs=True)[0].load()


def timed(rows: list[dict[str, Any]], step: str, work: Callable[[], Any]) -> Any:
    """Do some work, and note what it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows.append({"step": step, "cpu_seconds": round(time.process_time() - cpu, 1), "peak_gib_so_far": round(peak, 2)})
    print(rows[-1], round(time.perf_counter() - wall, 1), "s of the clock", flush=True)
    return found


def main() -> None:
    vectors, words, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    rows: list[dict[str, Any]] = []
    options, compute = ThresholdsOptions(), Compute()
    runs = timed(rows, "reading", lambda: read(vectors, words, number, int(sys.argv[4]) if len(sys.argv) > 4 else 50))
    base = timed(rows, "taxonomy", lambda: leacock_chodorow(runs, read_nouns(), options))
    timed(rows, "values", lambda: value_sums(runs, 0, base, compute))
    timed(rows, "places", lambda: list_sums(runs, 0, base, compute))
    timed(rows, "distribution", lambda: distribution(runs, 0, options, compute))
    content = {
        "command": [line.strip() for line in (__doc__ or "").split("Usage:")[1].strip().splitlines()[:1]],
        "environment": environment(torch.device("cpu")),
        "words": runs.words,
        "dimension": runs.dimension,
        "nouns": len(base.rows),
        "steps": rows,
    }
    keep(content, ROOT / f"benchmarks/results/thresholds-{runs.words}x{runs.dimension}-cpu.json")


if __name__ == "__main__":
    main()
