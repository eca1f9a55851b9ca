"""PIP loss and Procrustes maps of all pairs of runs, beside methods that form v × v arrays and loop over pairs.

The methods with ``gpustab`` in their name start from raw float32 rows, as they come from a file: unit length and
checks are part of their time. The naive ones are given float64 unit rows, and so is the thesis' own code, which is
timed where ``--thesis`` names a checkout of it.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import numpy as np
import torch
from torch import Tensor

from benchmarks import thesis
from benchmarks.harness import Bench, Contender, Row, relative_error, start
from benchmarks.naive_pip import BLOCK, all_pairs, blockwise, by_identity
from gpustab.engine import gram_pass, pip_pass, procrustes_pass, wordwise_pass
from gpustab.kernels.gram import pair_blocks, run_pairs
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs
from tests import generators, oracles

PRECISIONS = {"fp64": 1e-9, "fp32": 1e-3}
"""Relative errors that are tolerated; the measured ones are in the rows."""
FEW = 20
"""Words whose mean losses over all pairs are checked."""


def make(bench: Bench, runs: int, v: int, d: int) -> Runs:
    """Return noisy rotated copies of one space, raw float32 rows, on the device."""
    return generators.runs_of(generators.noisy_copies(runs, v, d).float()).to(bench.device)


def pair_of(runs: Runs) -> tuple[Tensor, Tensor]:
    return runs.run(0), runs.run(1)


def passes(bench: Bench, runs: Runs, truth: Tensor, note: str = "") -> list[Contender]:
    """The engine in both precisions, checked on as many pairs as the truth holds."""
    return [
        Contender(
            f"gpustab {precision}",
            partial(pip_pass, runs, Compute(bench.device, precision)),
            lambda found: relative_error(found.reduced[: len(truth)], truth),
            tolerance,
            note=note,
        )
        for precision, tolerance in PRECISIONS.items()
    ]


def reduced_small(bench: Bench, size: dict[str, int]) -> None:
    """All pairs by everyone; the v × v arrays of one pair fit into memory."""
    runs = make(bench, **sizes(size))
    stack = runs.stack()
    truth = all_pairs(stack.cpu(), oracles.reduced_pip)
    error = partial(relative_error, truth=truth)
    naive = [
        Contender("numpy float64, v × v", partial(all_pairs, stack.cpu(), oracles.reduced_pip), error, 0),
        Contender("torch float64, v × v in blocks", partial(all_pairs, stack, blockwise), error, 1e-9),
    ]
    naive += thesis.published(bench, thesis.pip, stack[0], stack[1], truth[0], 1 / len(truth))
    bench.race("reduced PIP, all pairs", size, naive + passes(bench, runs, truth))


def reduced_large(bench: Bench, size: dict[str, int]) -> None:
    """One pair by the naive method, in blocks; a pair's v × v arrays would take 9 GiB at 20,000 words."""
    runs = make(bench, **sizes(size))
    x, y = pair_of(runs)
    truth = blockwise(x, y)[None]
    share = 2 / (len(runs) * (len(runs) - 1))
    naive = Contender(
        "torch float64, v × v in blocks",
        lambda: blockwise(x, y),
        partial(relative_error, truth=by_identity(x, y)),
        1e-9,
        share,
        "one pair timed, scaled",
    )
    theirs = thesis.published(bench, thesis.pip, x, y, by_identity(x, y), share)
    bench.race("reduced PIP, all pairs", size, [naive, *theirs, *passes(bench, runs, truth)])


def wordwise(bench: Bench, size: dict[str, int]) -> None:
    """Mean over the pairs of every word's loss, Gram included; checked on the first words."""
    runs = make(bench, **sizes(size))
    stack, share = runs.stack(), 2 / (len(runs) * (len(runs) - 1))
    naive = Contender(
        "torch float64, v × v in blocks",
        lambda: blockwise(stack[0], stack[1], words=True),
        lambda found: relative_error(found[:BLOCK], _first_words(stack)),
        1e-9,
        share,
        "one pair timed, scaled",
    )

    def both(compute: Compute) -> Tensor:
        return wordwise_pass(runs, gram_pass(runs, compute), compute).mean

    truth = few_words(stack)
    engine = [
        Contender(
            f"gpustab {p}",
            partial(both, Compute(bench.device, p)),
            lambda found: relative_error(found[: len(truth)], truth),
            tolerance,
        )
        for p, tolerance in PRECISIONS.items()
    ]
    one = blockwise(stack[0], stack[1], words=True)
    theirs = thesis.published(bench, thesis.wordwise, stack[0], stack[1], one, share)
    bench.race("word-wise PIP, mean over all pairs", size, [naive, *theirs, *engine])


def few_words(stack: Tensor) -> Tensor:
    """Mean loss of the first words over all pairs, from their rows of the v × v arrays."""

    def naive(x: Tensor, y: Tensor) -> Tensor:
        return torch.linalg.vector_norm(x[:FEW] @ x.mT - y[:FEW] @ y.mT, dim=1) / (2 * len(x) ** 0.5)

    return all_pairs(stack, naive).mean(0)


def _first_words(stack: Tensor) -> np.ndarray:
    """Word-wise loss of the first pair and the first words, in numpy."""
    x, y = stack[:2].cpu().numpy()
    return np.linalg.norm(x[:BLOCK] @ x.T - y[:BLOCK] @ y.T, axis=1) / (2 * np.sqrt(len(x)))


def svd_maps(cross: Tensor) -> Tensor:
    """The usual way: one SVD after the other."""
    factors = [torch.linalg.svd(matrix) for matrix in cross]
    return torch.stack([u @ vt for u, _, vt in factors])


def procrustes(bench: Bench, size: dict[str, int]) -> None:
    """Maps of all pairs from the Gram, and from the rows."""
    runs = make(bench, **sizes(size))
    basis = gram_pass(runs, Compute(bench.device))
    cross = pair_blocks(basis.gram)
    truth = svd_maps(cross)

    def error(found: Tensor) -> float:
        return float((found - truth).abs().max())

    from_gram = [
        Contender("loop of torch.linalg.svd, float64", lambda: svd_maps(cross), error, 0),
        Contender("gpustab", lambda: procrustes_pass(runs, basis), lambda found: error(found[0].maps), 1e-6),
    ]
    bench.race("Procrustes maps and residuals, from the Gram", size, from_gram)
    from_rows(bench, size, runs, truth)


def from_rows(bench: Bench, size: dict[str, int], runs: Runs, truth: Tensor) -> None:
    job = "Procrustes, from the rows"
    if not find_spec("torchmetrics"):
        bench.leave_out(job, size, "torchmetrics procrustes_disparity", "torchmetrics is not installed")
        return
    from torchmetrics.functional.shape import procrustes_disparity

    stack = runs.stack()
    i, j = run_pairs(len(runs), stack.device)
    peer = Contender(
        "torchmetrics procrustes_disparity, float64",
        lambda: procrustes_disparity(stack[i], stack[j]),
        lambda found: 0.0 if bool(found.isfinite().all() and (found > 0).all()) else float("nan"),
        0,
        note="time only: it centres and scales, so its numbers are others",
    )
    ours = Contender(
        "gpustab",
        lambda: procrustes_pass(runs, gram_pass(runs, Compute(bench.device))),
        lambda found: float((found[0].maps - truth).abs().max()),
        1e-6,
    )
    bench.race(job, size, [peer, ours])


def growth(bench: Bench, variable: str, values: list[int], rest: dict[str, int], *, words: bool = False) -> None:
    """Time of all pairs' reduced or word-wise PIP while one size grows."""
    rows: list[Row] = []
    for value in values:
        size = {name: {**rest, variable: value}[name] for name in ("R", "v", "d")}
        runs = make(bench, **sizes(size))
        if words:
            rows += bench.race("word-wise PIP, growth", size, word_passes(bench, runs))
        else:
            truth = torch.tensor([by_identity(*pair_of(runs))], dtype=torch.float64)
            rows += bench.race("reduced PIP, growth", size, passes(bench, runs, truth))
    for precision in PRECISIONS:
        bench.growth(variable, [row for row in rows if row.method == f"gpustab {precision}"])


def word_passes(bench: Bench, runs: Runs) -> list[Contender]:
    """The engine in both precisions, from a Gram that is there; checked on the first words."""
    truth = few_words(runs.stack())
    return [
        Contender(
            f"gpustab {precision}",
            partial(wordwise_pass, runs, gram_pass(runs, compute), compute),
            lambda found: relative_error(found.mean[: len(truth)], truth),
            tolerance,
        )
        for precision, tolerance in PRECISIONS.items()
        for compute in [Compute(bench.device, precision)]
    ]


def sizes(size: dict[str, int]) -> dict[str, int]:
    return {"runs": size["R"], "v": size["v"], "d": size["d"]}


def main() -> None:
    bench = start("pip_loss", __doc__)
    small, large = {"R": 4, "v": 5000, "d": 100}, {"R": 4, "v": 20000, "d": 300}
    if bench.quick:
        small, large = {"R": 3, "v": 500, "d": 20}, {"R": 3, "v": 2500, "d": 50}
    reduced_small(bench, small)
    reduced_large(bench, large)
    for size in (small, large):
        wordwise(bench, size)
        procrustes(bench, size)
    procrustes(bench, {**small, "R": 16})
    step = 10 if bench.quick else 1
    growth(bench, "v", [v // step for v in (5000, 10000, 20000, 40000, 80000)], {"R": 4, "d": 100})
    growth(bench, "R", [2, 4, 8, 16, 32], {"v": 5000 // step, "d": 100})
    growth(bench, "d", [50, 100, 200, 400], {"R": 4, "v": 10000 // step})
    growth(bench, "v", [v // step for v in (5000, 10000, 20000, 40000)], {"R": 4, "d": 100}, words=True)
    growth(bench, "R", [2, 4, 8, 16], {"v": 5000 // step, "d": 100}, words=True)
    growth(bench, "d", [50, 100, 200, 400], {"R": 4, "v": 5000 // step}, words=True)
    if bench.thesis and not bench.quick:
        for runs in (2, 12):
            reduced_large(bench, {**large, "R": runs})
            wordwise(bench, {**large, "R": runs})
    if bench.device.type == "cuda" and not bench.quick:
        reduced_large(bench, {"R": 16, "v": 200_000, "d": 300})
    bench.finish()


if __name__ == "__main__":
    main()
