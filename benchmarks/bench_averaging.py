"""The tree average of aligned runs with all its levels, beside a loop over numpy SVDs. Everyone gets unit rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.kernels.averaging import Average, tree_average
from tests import generators, oracles

Size = dict[str, int]
Tree = list[list[tuple[np.ndarray, int]]]
"""Levels of averages, each with the number of runs beneath."""


def naive(spaces: np.ndarray) -> Tree:
    """Two by two, weighted by the runs beneath; the odd one rises unchanged."""
    levels: Tree = [[(space, 1) for space in spaces]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        level = [_merge(*below[k], *below[k + 1]) for k in range(0, len(below) - 1, 2)]
        levels.append(level + below[2 * len(level) :])
    return levels


def _merge(x: np.ndarray, n: int, y: np.ndarray, m: int) -> tuple[np.ndarray, int]:
    return oracles.aligned_average(x, y, n, m), n + m


def error_of_levels(levels: list[list[Average]] | Tree, truth: Tree) -> float:
    """Largest difference of an entry of any average."""
    errors = [
        np.abs(np.asarray(node.vectors.cpu() if isinstance(node, Average) else node[0]) - want).max()
        for level, wanted in zip(levels, truth, strict=True)
        for node, (want, _) in zip(level, wanted, strict=True)
    ]
    return float(np.max(errors))


def race(bench: Bench, size: Size) -> list[Row]:
    stack = generators.noisy_copies(size["R"], size["v"], size["d"])
    spaces = stack.numpy()
    error = partial(error_of_levels, truth=naive(spaces))
    contenders = [Contender("loop of numpy SVDs, float64", lambda: naive(spaces), error, 1e-9, note="on the CPU")]
    for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 1e-5)):
        own = stack.to(bench.device, dtype)
        contenders.append(Contender(f"gpustab {_name(dtype)}", partial(tree_average, own), error, tolerance))
    return bench.race("tree average with levels", size, contenders)


def _name(dtype: torch.dtype) -> str:
    return "fp64" if dtype == torch.float64 else "fp32"


def main() -> None:
    bench = start("averaging", __doc__)
    step = 20 if bench.quick else 1
    one = partial(race, bench)
    bench.sweep(one, "v", [v // step for v in (2500, 5000, 10000, 20000)], R=4, v=0, d=100)
    bench.sweep(one, "R", [4, 8, 16], R=0, v=4000 // step, d=100)
    bench.sweep(one, "d", [50, 100, 200, 300], R=4, v=8000 // step)
    bench.finish()


if __name__ == "__main__":
    main()
