"""Losses between runs: their order, equivalence and spread."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, World, should
from benchmarks.placebos.drawn.case import RUNS, Draw, Rng, drawn
from gpustab.kernels.jackknife import pair_statistics
from gpustab.statistics.intervals import Estimate, extrinsic
from gpustab.statistics.ranks import permuted_correlation
from gpustab.studies.instability.claims_of_losses import Spread
from gpustab.studies.instability.corpora import OverCorpora
from gpustab.studies.instability.subsets import errors


def losses(scale: float, runs: int, rng: Rng, effect: float = 0.1) -> torch.Tensor:
    """Losses between runs of independent noise, ``√((s_i² + s_j²)/2)``, the noise varying from run to run as e^{ez}."""
    s = scale * np.exp(effect * rng.normal(size=runs))
    matrix = np.sqrt((s[:, None] ** 2 + s**2) / 2) * (1 + 0.005 * np.triu(rng.normal(size=(runs, runs)), 1))
    upper = np.triu(matrix, 1)
    return torch.from_numpy(upper + upper.T)


def _loss(scale: float, runs: int, rng: Rng, effect: float = 0.1) -> Estimate:
    found = pair_statistics(losses(scale, runs, rng, effect))
    return Estimate.of_runs(found.mean, found.se, runs)


def _order(step: float) -> Draw:
    return lambda runs, rng: [_loss(1.0, runs, rng), _loss(1 + step, runs, rng)]


def _equivalent(step: float) -> Draw:
    return lambda runs, rng: _loss(1 + step, runs, rng, 0.01).minus(_loss(1.0, runs, rng, 0.01)).over(1.0)


def _extrinsic(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> Estimate:
        a, b = _loss(1.0, runs, rng), _loss(1 + step, runs, rng)
        part = extrinsic(a.value, b.value, a.se, b.se)
        return Estimate.of_runs(part.signed_square, part.square_se, runs)

    return draw


def _hardly_vary(effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> Spread:
        pairs = pair_statistics(losses(1.0, runs, rng, effect))
        return Spread(pairs.sd / pairs.mean, runs)

    return draw


def _two_runs(effect: float) -> Draw:
    return lambda runs, rng: Spread(errors(losses(1.0, runs, rng, effect), 2, 0)[1], runs)


def _with_size(slope: float) -> Draw:
    """As many corpora as runs, whose extrinsic instability follows words per token, or does not."""

    def draw(corpora: int, rng: Rng) -> OverCorpora:
        size = torch.from_numpy(rng.normal(size=corpora))
        noise = torch.from_numpy(rng.normal(size=corpora))
        return OverCorpora(*permuted_correlation(size, slope * size + noise), corpora)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of losses."""
    yes, no = should("yes", "no"), should("no", "yes")
    small, large = "SD about 0.7 %", "SD about 14 %"
    yield drawn("instability.losses-hardly-vary", small, yes, _hardly_vary(0.01), part=5)
    yield drawn("instability.losses-hardly-vary", large, no, _hardly_vary(0.2), part=5)
    yield drawn("instability.order-of-techniques", "no difference", NEITHER, _order(0.0), part=5)
    yield drawn("instability.order-of-techniques", "+30 %", yes, _order(0.3), part=5)
    yield drawn("instability.glove-fixed-is-shuffled", "no difference", yes, _equivalent(0.0), part=5)
    yield drawn("instability.glove-fixed-is-shuffled", "+10 %", no, _equivalent(0.1), part=5)
    yield drawn("instability.extrinsic-part", "none", NEITHER, _extrinsic(0.0), part=5)
    yield drawn("instability.extrinsic-part", "bootstrap +30 %", yes, _extrinsic(0.3), part=5)
    name = "instability.extrinsic-with-corpus-size"
    yield drawn(name, "unrelated, of R corpora", NEITHER, _with_size(0.0), RUNS[2:], 0.5)
    yield drawn(name, "ρ about 0.9, of R corpora", yes, _with_size(2.0), RUNS[2:], 0.25)
    yield drawn("instability.two-runs-suffice", small, yes, _two_runs(0.01), part=2.5)
    yield drawn("instability.two-runs-suffice", large, no, _two_runs(0.2), part=2.5)
