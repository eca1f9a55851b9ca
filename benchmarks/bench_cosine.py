"""Mean and SD of cosines over runs: of query words with all words, and of word pairs; beside numpy on whole stacks.

``gpustab`` starts from raw float32 rows and scales them to unit length; the naive methods do the same in float64.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from benchmarks.bench_pip_loss import make
from benchmarks.harness import Bench, Contender, Row, start
from gpustab.engine import pair_cosines, query_cosines
from gpustab.kernels.cosine import CosineStatistics
from tests import oracles

Size = dict[str, int]
QUERIES, PAIRS = 20, 1000


def naive_queries(spaces: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All cosines of all runs at once, ``(R, q, v)``."""
    unit = [oracles.unit(space) for space in spaces]
    cosines = np.stack([space[queries] @ space.T for space in unit])
    return cosines.mean(0), cosines.std(0, ddof=1)


def naive_pairs(spaces: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One pair after the other."""
    cosines = np.array([[_cosine(space[a], space[b]) for a, b in zip(first, second, strict=True)] for space in spaces])
    return cosines.mean(0), cosines.std(0, ddof=1)


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x.astype(np.float64), y.astype(np.float64)
    return x @ y / np.sqrt((x @ x) * (y @ y))


def error(found: CosineStatistics | tuple[np.ndarray, np.ndarray], truth: tuple[np.ndarray, np.ndarray]) -> float:
    """Largest difference of a mean or an SD."""
    parts = [np.asarray(torch.as_tensor(part).cpu()) for part in found[:2]]
    return float(np.max([np.abs(part - want).max() for part, want in zip(parts, truth, strict=True)]))


def of_queries(bench: Bench, size: Size) -> list[Row]:
    runs, spaces = _runs(bench, size)
    queries = torch.arange(QUERIES)
    naive = partial(naive_queries, spaces, queries.numpy())
    check = partial(error, truth=naive())
    ours = partial(query_cosines, runs, queries.to(bench.device))
    contenders = [Contender("numpy, (R, q, v) at once", naive, check, 0), Contender("gpustab", ours, check, 1e-12)]
    return bench.race(f"cosines of {QUERIES} words with all", size, contenders)


def of_pairs(bench: Bench, size: Size) -> list[Row]:
    runs, spaces = _runs(bench, size)
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randint(size["v"], (2, PAIRS), generator=generator)
    naive = partial(naive_pairs, spaces, first.numpy(), second.numpy())
    check = partial(error, truth=naive())
    ours = partial(pair_cosines, runs, first.to(bench.device), second.to(bench.device))
    contenders = [Contender("numpy, pair by pair", naive, check, 0), Contender("gpustab", ours, check, 1e-12)]
    return bench.race(f"cosines of {PAIRS:,} word pairs", size, contenders)


def _runs(bench: Bench, size: Size) -> tuple:
    runs = make(bench, size["R"], size["v"], size["d"])
    return runs, np.stack([rows[0 : size["v"]].cpu().numpy() for rows in runs.rows])


def main() -> None:
    bench = start("cosine", __doc__)
    step = 20 if bench.quick else 1
    of_pairs(bench, {"R": 8, "v": 5000 // step, "d": 100})
    one = partial(of_queries, bench)
    bench.sweep(one, "v", [v // step for v in (2500, 5000, 10000, 20000)], R=4, v=0, d=100)
    bench.sweep(one, "R", [2, 4, 8, 16], R=0, v=4000 // step, d=100)
    bench.sweep(one, "d", [50, 100, 200, 300], R=4, v=8000 // step)
    bench.finish()


if __name__ == "__main__":
    main()
