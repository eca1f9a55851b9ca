"""Change of every word between two groups of runs with its jackknife errors; beside a loop that leaves each run out.

The loop is a NumPy script: singular vectors of every pair, and all of it again without each run.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.kernels.displacement import displacement
from tests.kernels.test_displacement import naive, naive_error

Size = dict[str, int]


def made(size: Size) -> list[list[np.ndarray]]:
    """Return two groups of noisy copies of one space."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(size["v"], size["d"]))
    return [[base + 0.4 * rng.normal(size=base.shape) for _ in range(size["R"])] for _ in range(2)]


def looped(groups: list[list[np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Corrected change of every word, and its error."""
    return naive(*groups)[1], naive_error(*groups, 1)


def ours(groups: list[torch.Tensor]) -> tuple[np.ndarray, np.ndarray]:
    """Return the same by the kernel."""
    found = displacement(*groups).corrected
    return found.value.cpu().numpy(), found.se.cpu().numpy()


def error(found: Any, truth: tuple[np.ndarray, np.ndarray]) -> float:
    """Largest difference of a change or an error."""
    return float(max(np.abs(a - b).max() for a, b in zip(found, truth, strict=True)))


def of_words(bench: Bench, size: Size) -> list[Row]:
    groups = made(size)
    check = partial(error, truth=looped(groups))
    here = [torch.from_numpy(np.array(own)).to(bench.device) for own in groups]
    contenders = [
        Contender("leaving out by hand", partial(looped, groups), check, 0),
        Contender("gpustab", partial(ours, here), check, 1e-9),
    ]
    return bench.race("change of every word with its error", size, contenders)


def main() -> None:
    bench = start("displacement", __doc__)
    sizes = [300] if bench.quick else [1000, 2000, 4000, 8000]
    rows = [of_words(bench, {"R": 4, "v": v, "d": 50}) for v in sizes]
    bench.growth("v", [own[-1] for own in rows])
    bench.finish()


if __name__ == "__main__":
    main()
