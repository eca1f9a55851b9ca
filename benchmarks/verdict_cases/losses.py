"""Losses between runs: their order, equivalence and spread, and runs that lie far off."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case, Draw, Rng
from gpustab.kernels.jackknife import pair_statistics
from gpustab.statistics.intervals import Estimate, extrinsic
from gpustab.statistics.ranks import permuted_correlation
from gpustab.studies.instability.claims_of_corpora import WITH_CORPUS_SIZE
from gpustab.studies.instability.claims_of_losses import (
    EXTRINSIC_PART,
    GLOVE_ALIKE,
    HARDLY_VARY,
    ORDER_OF_TECHNIQUES,
    TWO_RUNS_SUFFICE,
    Spread,
)
from gpustab.studies.instability.corpora import OverCorpora
from gpustab.studies.instability.subsets import errors
from gpustab.studies.shared.spaces import far_runs
from gpustab.studies.sweep.claims import more_stable
from gpustab.studies.sweep.measure import change


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
    return lambda runs, rng: ORDER_OF_TECHNIQUES.judge([_loss(1.0, runs, rng), _loss(1 + step, runs, rng)])


def _equivalent(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        difference = _loss(1 + step, runs, rng, 0.01).minus(_loss(1.0, runs, rng, 0.01)).over(1.0)
        return GLOVE_ALIKE.judge(difference)

    return draw


def _extrinsic(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        a, b = _loss(1.0, runs, rng), _loss(1 + step, runs, rng)
        found = extrinsic(a.value, b.value, a.se, b.se)
        return EXTRINSIC_PART.judge(Estimate.of_runs(found.signed_square, found.square_se, runs))

    return draw


def _hardly_vary(effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        found = pair_statistics(losses(1.0, runs, rng, effect))
        return HARDLY_VARY.judge(Spread(found.sd / found.mean, runs))

    return draw


def _training(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        a, b = _loss(1.0, runs, rng, 0.03), _loss(1 + step, runs, rng, 0.03)
        found = change(a.value, b.value, a.se, b.se)
        return more_stable(Estimate.of_runs(found.percent, found.percent_se, runs))

    return draw


def _two_runs(effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        _, error = errors(losses(1.0, runs, rng, effect), 2, 0)
        return TWO_RUNS_SUFFICE.judge(Spread(error, runs))

    return draw


def _far(noise: float, effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        s = np.exp(effect * rng.normal(size=runs))
        s[0] *= noise
        matrix = np.sqrt(s[:, None] ** 2 + s**2)
        found = [r for r, _ in far_runs(torch.from_numpy(matrix))]
        if not found:
            return "undecided" if noise > 1 else "no"  # a run that is not named is missed
        return "yes" if found == [0] else "other"

    return draw


def _with_size(slope: float) -> Draw:
    """As many corpora as runs, whose extrinsic instability follows words per token, or does not."""

    def draw(corpora: int, rng: Rng) -> str:
        size = torch.from_numpy(rng.normal(size=corpora))
        found = permuted_correlation(size, slope * size + torch.from_numpy(rng.normal(size=corpora)))
        return WITH_CORPUS_SIZE.judge(OverCorpora(*found, corpora))

    return draw


def cases() -> Iterator[Case]:
    """Yield the cases of rules that judge losses."""
    yield Case("losses hardly vary", "SD about 0.7 %", "yes", _hardly_vary(0.01), part=10)
    yield Case("losses hardly vary", "SD about 14 %", "no", _hardly_vary(0.2), part=10)
    yield Case("order of techniques", "no difference", "-", _order(0.0), part=10)
    yield Case("order of techniques", "+30 %", "yes", _order(0.3), part=10)
    yield Case("order of techniques", "−30 %", "no", _order(-0.3), part=10)
    yield Case("fixed = shuffled", "no difference", "yes", _equivalent(0.0), part=10)
    yield Case("fixed = shuffled", "+10 %", "no", _equivalent(0.1), part=10)
    yield Case("extrinsic part", "none", "-", _extrinsic(0.0), part=10)
    yield Case("extrinsic part", "bootstrap +30 %", "yes", _extrinsic(0.3), part=10)
    yield Case("with corpus size (R corpora)", "unrelated", "-", _with_size(0.0), 5)
    yield Case("with corpus size (R corpora)", "ρ about 0.9", "yes", _with_size(2.0), 5)
    yield Case("two runs suffice", "SD about 0.7 %", "yes", _two_runs(0.01), part=5)
    yield Case("two runs suffice", "SD about 14 %", "no", _two_runs(0.2), part=5)
    yield Case("more training", "no difference", "-", _training(0.0), part=5)
    yield Case("more training", "−12 %", "yes", _training(-0.12), part=5)
    yield Case("more training", "+12 %", "no", _training(0.12), part=5)
    yield Case("far run", "equal runs", "no", _far(1.0, 0.0), part=10)
    yield Case("far run", "run effect e^{0.3 z}", "no", _far(1.0, 0.3), part=10)
    yield Case("far run", "one of three times the noise", "yes", _far(3.0, 0.0), part=10)
    yield Case("far run", "the same, run effect e^{0.3 z}", "yes", _far(3.0, 0.3), part=10)
    yield Case("far run", "one unrelated", "yes", _far(7.0, 0.1), part=10)
