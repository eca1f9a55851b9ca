"""Predicted p@n of many targets, beside a naive twin in numpy that takes one target at a time.

The twin is what the formula says: a trapezoid grid of a quarter of the smallest SD over everything within 8.5 SDs, and
at every node the law of the others from prefixes and suffixes over all candidates. The error is the largest one of
p@n, against a grid of half the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.engine.prediction import OverlapPrediction, predict_pass
from gpustab.kernels.prediction import predicted_overlap, top_n_probabilities
from tests import generators

LENGTHS = (1, 2, 5, 10, 25, 50)
"""List lengths, all predicted at once."""


def above(z: np.ndarray) -> np.ndarray:
    return torch.special.ndtr(torch.from_numpy(z)).numpy()


def naive_target(mean: np.ndarray, sd: np.ndarray, lengths: Sequence[int], steps: int) -> np.ndarray:
    """p@n of one target, ``(N,)``."""
    step = sd.min() / steps
    x = np.arange((mean - 8.5 * sd).min(), (mean + 8.5 * sd).max() + step, step)
    z = (mean[:, None] - x) / sd[:, None]  # (K, X)
    q, rest, most = above(z), above(-z), max(lengths)
    law = np.zeros((len(mean), most, len(x)))
    law[0, 0] = 1
    for s in range(len(mean) - 1):
        law[s + 1] = law[s] * rest[s]
        law[s + 1, 1:] += law[s, :-1] * q[s]
    later = np.ones((most, len(x)))
    p = np.empty((len(lengths), len(mean)))
    density = np.exp(-z * z / 2) / (sd[:, None] * np.sqrt(2 * np.pi)) * step
    for s in range(len(mean) - 1, -1, -1):
        for i, n in enumerate(lengths):
            p[i, s] = (density[s] * (law[s, :n] * later[n - 1 :: -1][:n]).sum(0)).sum()
        fewer = later * rest[s]
        fewer[1:] += later[:-1] * q[s]
        later = fewer
    return (p**2).sum(1) / np.array(lengths)


def naive(mean: Tensor, sd: Tensor, lengths: Sequence[int], steps: int = 4) -> Tensor:
    rows = zip(mean.cpu().numpy(), sd.cpu().numpy(), strict=True)
    return torch.from_numpy(np.stack([naive_target(m, s, lengths, steps) for m, s in rows], 1))


def candidates(targets: int, words: int, runs: int) -> tuple[Tensor, Tensor]:
    """Means that thin out upwards; SDs as R runs estimate them."""
    g = generators.generator(runs)
    mean = 0.75 - 0.45 * torch.rand(targets, words, generator=g, dtype=torch.float64).sqrt()
    noise = torch.randn(targets, words, runs, generator=g, dtype=torch.float64)
    return mean, 0.02 * noise.std(2)


def kernel(mean: Tensor, sd: Tensor, lengths: Sequence[int]) -> Tensor:
    return predicted_overlap(top_n_probabilities(mean, sd, lengths), lengths)


def largest_error(found: Tensor, truth: Tensor) -> float:
    return float((found.cpu()[:, : truth.shape[1]] - truth).abs().max())


def probabilities(bench: Bench, targets: int, words: int, runs: int, naive_targets: int) -> list[Row]:
    """The kernel alone, candidates given; the twin for the first targets only."""
    mean, sd = (x.to(bench.device) for x in candidates(targets, words, runs))
    few = mean[:naive_targets], sd[:naive_targets]
    check = partial(largest_error, truth=naive(few[0][:3], few[1][:3], LENGTHS, 8))
    twin = Contender(
        "numpy, one target at a time",
        partial(naive, *few, LENGTHS),
        check,
        1e-7,
        naive_targets / targets,
        f"{naive_targets} targets timed, scaled",
    )
    ours = Contender("gpustab", partial(kernel, mean, sd, LENGTHS), check, 1e-7)
    return bench.race("p@n, 6 lengths", {"targets": targets, "candidates": words, "R": runs}, [twin, ours])


def whole_pass(bench: Bench, targets: int, v: int, d: int, runs: int) -> None:
    """From runs to all three models: cosines, bounds on the candidates, probabilities."""
    joined = generators.runs_of(generators.noisy_copies(runs, v, d, noise=0.01)).to(bench.device)
    own = torch.arange(0, v, v // targets, device=bench.device)[:targets]
    stack = joined.stack()
    found = torch.einsum("rtd,rvd->trv", stack[:, own[:2]], stack)
    others = [torch.arange(v, device=bench.device) != t for t in own[:2].tolist()]
    rows = [(x[:, keep].mean(0), x[:, keep].std(0)) for x, keep in zip(found, others, strict=True)]
    near = [mean.topk(min(1000, v - 1)).indices for mean, _ in rows]
    pairs = [torch.stack([field[at] for field in row]) for row, at in zip(rows, near, strict=True)]
    mean, sd = torch.stack(pairs, 1)
    truth = naive(mean, sd, LENGTHS, 8)

    def error(prediction: OverlapPrediction) -> float:
        return largest_error(prediction.plain, truth)

    call = partial(predict_pass, joined, own, LENGTHS)
    size = {"targets": targets, "v": v, "d": d, "R": runs}
    bench.race("prediction from runs, 3 models", size, [Contender("gpustab", call, error, 1e-5)])


def main() -> None:
    bench = start("prediction", __doc__)
    step = 10 if bench.quick else 1
    for targets, words, runs, naive_targets in ((1000, 200, 16, 20), (200, 600, 16, 10), (200, 200, 4, 5)):
        probabilities(bench, targets // step, words, runs, max(1, naive_targets // step))
    whole_pass(bench, 100 // step, 5000 // step, 100, 16)
    bench.finish()


if __name__ == "__main__":
    main()
