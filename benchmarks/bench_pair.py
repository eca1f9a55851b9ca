"""Losses of two tables with their gradients, metrics given chunk by chunk, and similarity of all pairs of runs.

The methods of other libraries are given what they need so that they measure the same: centred and scaled rows for
torchmetrics' disparity. netrep, the peer of shape distances, is installed from its repository alone, and left out.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from benchmarks.harness import Bench, Contender, start
from gpustab.engine.similarity import similarity_matrix
from gpustab.kernels.gram import run_pairs
from gpustab.metrics import ProcrustesDistance
from gpustab.nn import PIPLoss, ProcrustesLoss
from gpustab.runs.runs import Runs
from tests import generators, oracles

Size = dict[str, int]


def pair(bench: Bench, size: Size, noise: float) -> tuple[Tensor, Tensor]:
    """Two float32 tables that differ by noise and nothing else, as after some fine-tuning."""
    x = generators.anisotropic(size["v"], size["d"])
    y = x + noise * torch.randn(x.shape, dtype=x.dtype, generator=generators.generator(1))
    return x.float().to(bench.device).requires_grad_(), y.float().to(bench.device)


def losses(bench: Bench, size: Size, noise: float) -> None:
    """Loss and gradient; the error is that of the gradient, in parts of its largest entry."""
    x, y = pair(bench, size, noise)

    def gradient(loss) -> Tensor:
        return torch.autograd.grad(loss(x, y), x)[0]

    def plain(x: Tensor, y: Tensor) -> Tensor:
        x, y = normalize(x, dim=1), normalize(y, dim=1)
        square = (x.T @ x).square().sum() + (y.T @ y).square().sum() - 2 * (x.T @ y).square().sum()
        return square.sqrt() / (2 * len(x))

    def wide(loss) -> Tensor:
        a = x.detach().double().requires_grad_()
        return torch.autograd.grad(loss(a, y.double()), a)[0]

    def svd(x: Tensor, y: Tensor) -> Tensor:
        x, y = normalize(x, dim=1), normalize(y, dim=1)
        u, _, vt = torch.linalg.svd(x.T @ y)
        return (x @ (u @ vt).detach() - y).square().mean(1).sum().sqrt()

    for job, ours, peer in (("PIP", PIPLoss(), plain), ("Procrustes", ProcrustesLoss(), svd)):
        truth = wide(ours)

        def error(found: Tensor, truth: Tensor = truth, scale: bool = job == "PIP") -> float:
            found, wanted = found.double(), truth
            if not scale:  # a constant factor of the peer's form
                found, wanted = found / found.norm(), wanted / wanted.norm()
            return float((found - wanted).abs().max() / wanted.abs().max())

        contenders = [
            Contender("autograd of the formula", lambda f=peer: gradient(f), error, 1e-3),
            Contender("gpustab", lambda f=ours: gradient(f), error, 1e-3),
        ]
        bench.race(f"{job} loss and gradient, noise {noise:g}", size, contenders)


def updates(bench: Bench, size: Size) -> None:
    """One update by all rows and the number from it."""
    if not find_spec("torchmetrics"):
        bench.leave_out("Procrustes as a metric", size, "torchmetrics", "torchmetrics is not installed")
        return
    from torchmetrics.shape import ProcrustesDisparity

    # In float64, or the float32 norm of all rows would be off by more than what is compared.
    x, y = (part.detach().double() for part in pair(bench, size, 0.3))
    x, y = (((part - part.mean(0)) / torch.linalg.matrix_norm(part - part.mean(0))).float() for part in (x, y))

    def peer() -> float:
        metric = ProcrustesDisparity().to(bench.device)
        metric.update(x[None], y[None])
        return float(metric.compute())

    def ours() -> float:
        metric = ProcrustesDistance(size["d"], normalize=False).to(bench.device)
        metric.update(x, y)
        distance = float(metric.compute()) * size["v"] ** 0.5
        return 1 - (1 - distance**2 / 2) ** 2  # the disparity, which also scales

    truth = 1 - float(np.linalg.svd(x.double().cpu().numpy().T @ y.double().cpu().numpy(), compute_uv=False).sum()) ** 2

    def error(found: float) -> float:
        return abs(found - truth)

    contenders = [Contender("torchmetrics", peer, error, 1e-3), Contender("gpustab", ours, error, 1e-3)]
    bench.race("Procrustes as a metric, update and compute", size, contenders)


def similarities(bench: Bench, size: Size) -> None:
    """Linear CKA of all pairs of runs."""
    runs = generators.runs_of(generators.noisy_copies(size["R"], size["v"], size["d"]))
    stack = runs.stack().numpy()
    i, j = run_pairs(len(runs))

    def loop() -> Tensor:
        centred = stack - stack.mean(1, keepdims=True)
        own = [np.linalg.norm(x.T @ x) for x in centred]
        values = [np.linalg.norm(centred[a].T @ centred[b]) ** 2 / (own[a] * own[b]) for a, b in zip(i, j, strict=True)]
        return torch.tensor(values)

    def ours() -> Tensor:
        return similarity_matrix(runs, "cka").cpu()[i, j]

    _rdm(bench, size, runs, stack)
    truth = loop()

    def error(found: Tensor) -> float:
        return float((found - truth).abs().max())

    contenders: list[Contender] = []
    if size["v"] <= 1000:  # v × v arrays
        naive = lambda: torch.tensor([oracles.linear_cka(stack[a], stack[b]) for a, b in zip(i, j, strict=True)])  # noqa: E731
        contenders.append(Contender("v × v kernels, as published", naive, error, 1e-9))
    contenders += [Contender("NumPy, d × d", loop, error, 1e-9), Contender("gpustab", ours, error, 1e-9)]
    bench.race("linear CKA of all pairs", size, contenders)


def _rdm(bench: Bench, size: Size, runs: Runs, stack: np.ndarray) -> None:
    """Pearson correlation of the cosines of all pairs of words."""
    job, (i, j) = "correlation of all cosines, all pairs of runs", run_pairs(len(runs)).tolist()
    pairs = list(zip(i, j, strict=True))
    truth = torch.tensor([np.corrcoef(*(oracles.upper_cosines(stack[k]) for k in pair))[0, 1] for pair in pairs])

    def error(found: Tensor) -> float:
        return float((found - truth).abs().max())

    contenders = [Contender("gpustab", lambda: similarity_matrix(runs, "rdm").cpu()[i, j], error, 1e-5)]
    if find_spec("shesha"):
        from shesha import rdm_similarity

        def peer() -> Tensor:
            return torch.tensor([rdm_similarity(stack[a], stack[b], method="pearson") for a, b in pairs])

        contenders.insert(0, Contender("shesha-geometry rdm_similarity", peer, error, 1e-5))
    else:
        bench.leave_out(job, size, "shesha-geometry rdm_similarity", "shesha-geometry is not installed")
    bench.race(job, size, contenders)


def main() -> None:
    bench = start("pair", __doc__)
    small = {"v": 400, "d": 12}
    losses(bench, small if bench.quick else {"v": 20_000, "d": 300}, 0.3)
    losses(bench, small if bench.quick else {"v": 20_000, "d": 300}, 1e-4)
    updates(bench, small if bench.quick else {"v": 20_000, "d": 300})
    similarities(bench, {"R": 3, "v": 300, "d": 12} if bench.quick else {"R": 8, "v": 1000, "d": 100})
    bench.finish()


if __name__ == "__main__":
    main()
