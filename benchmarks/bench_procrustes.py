"""Orthogonal maps of many pairs: from cross-Grams and from the rows, beside loops over pairs of SVDs.

The methods that start from rows are given unit rows; ``gpustab`` gets raw float32 ones, so that unit length and checks
are part of its time.
"""

from __future__ import annotations

from importlib.util import find_spec

import torch
from torch import Tensor

from benchmarks.bench_pip_loss import make, svd_maps
from benchmarks.harness import Bench, Contender, Row, start
from gpustab.engine import gram_pass, procrustes_pass
from gpustab.kernels.gram import block_gram, pair_blocks, run_pairs
from gpustab.kernels.procrustes import _by_products, procrustes
from gpustab.machine.device import Compute
from tests import generators

TOLERANCE = 1e-9
"""Largest difference of a map's entries that counts as the same map."""

Size = dict[str, int]


def batched_svd(cross: Tensor) -> Tensor:
    u, _, vt = torch.linalg.svd(cross)
    return u @ vt


def of_cross_grams(bench: Bench, size: Size) -> list[Row]:
    """The same matrices for everyone, float64."""
    stack = generators.noisy_copies(size["R"], 10 * size["d"], size["d"])
    cross = pair_blocks(block_gram(stack)).to(bench.device)
    truth = svd_maps(cross)

    def error(found: Tensor) -> float:
        return float((found - truth).abs().max())

    methods = {
        "loop of torch.linalg.svd": lambda: svd_maps(cross),
        "torch.linalg.svd, batched": lambda: batched_svd(cross),
        "gpustab": lambda: procrustes(cross).maps,
        "gpustab, iteration (the way of a GPU)": lambda: _by_products(cross).maps,
    }
    contenders = [Contender(name, call, error, TOLERANCE) for name, call in methods.items()]
    return bench.race("maps of all pairs, from cross-Grams", size, contenders)


def of_rows(bench: Bench, size: Size) -> None:
    """What users write: a loop over the pairs of runs."""
    runs = make(bench, size["R"], size["v"], size["d"])
    stack = runs.stack()
    i, j = run_pairs(len(runs), stack.device)
    truth = svd_maps(torch.stack([stack[a].mT @ stack[b] for a, b in zip(i, j, strict=True)]))

    def ours() -> Tensor:
        return procrustes_pass(runs, gram_pass(runs, Compute(bench.device)))[0].maps

    def error(found: Tensor) -> float:
        return float((found.cpu() - truth.cpu()).abs().max())

    job = "maps of all pairs, from the rows"
    bench.race(job, size, [*_scipy(bench, job, size, stack, truth), Contender("gpustab", ours, error, 1e-6)])
    _torchmetrics(bench, size, stack)


def _scipy(bench: Bench, job: str, size: Size, stack: Tensor, truth: Tensor) -> list[Contender]:
    if not find_spec("scipy"):
        bench.leave_out(job, size, "loop of scipy.linalg.orthogonal_procrustes", "scipy is not installed")
        return []
    from scipy.linalg import orthogonal_procrustes

    spaces = stack.cpu().numpy()
    pairs = run_pairs(len(spaces)).T.tolist()

    def loop() -> list:
        return [orthogonal_procrustes(spaces[i], spaces[j])[0] for i, j in pairs]

    def error(found: list) -> float:
        return max(float(abs(a - b.cpu().numpy()).max()) for a, b in zip(found, truth, strict=True))

    return [Contender("loop of scipy.linalg.orthogonal_procrustes", loop, error, TOLERANCE, note="on the CPU")]


def _torchmetrics(bench: Bench, size: Size, stack: Tensor) -> None:
    """The residual alone, of centred and scaled spaces: comparable if ours are centred and scaled too."""
    job = "disparity of all pairs, centred and scaled rows"
    if not find_spec("torchmetrics"):
        bench.leave_out(job, size, "torchmetrics procrustes_disparity", "torchmetrics is not installed")
        return
    from torchmetrics.functional.shape import procrustes_disparity

    i, j = run_pairs(len(stack), stack.device)

    def ours() -> Tensor:
        centred = stack - stack.mean(1, keepdim=True)
        gram = block_gram(centred / torch.linalg.matrix_norm(centred)[:, None, None])
        cross = pair_blocks(gram)
        # The best scale of the one onto the other leaves 1 − (Σ singular values)².
        return 1 - (procrustes(cross).maps * cross).sum((1, 2)).square()

    truth = ours()

    def error(found: Tensor) -> float:
        return float((found - truth).abs().max())

    peer = Contender("torchmetrics procrustes_disparity", lambda: procrustes_disparity(stack[i], stack[j]), error, 1e-9)
    bench.race(job, size, [peer, Contender("gpustab", ours, error, 1e-9)])


def growth(bench: Bench, variable: str, values: list[int], rest: Size) -> None:
    """Growth of the kernel's and the iteration's time with R or d."""
    races = [of_cross_grams(bench, {name: {**rest, variable: value}[name] for name in ("R", "d")}) for value in values]
    for position in (0, 2, 3):
        bench.growth(variable, [rows[position] for rows in races])


def main() -> None:
    bench = start("procrustes", __doc__)
    if bench.quick:
        of_rows(bench, {"R": 3, "v": 300, "d": 12})
        growth(bench, "d", [8, 12, 16], {"R": 3})
        bench.finish()
        return
    of_rows(bench, {"R": 8, "v": 5000, "d": 100})
    of_rows(bench, {"R": 4, "v": 10000, "d": 300})
    growth(bench, "d", [50, 100, 200, 300], {"R": 4})
    growth(bench, "R", [3, 6, 12, 24], {"d": 50})
    bench.finish()


if __name__ == "__main__":
    main()
