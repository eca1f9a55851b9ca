"""Rows of the thesis' tables, of eight runs."""

from __future__ import annotations

import math
from typing import Any

from docs.examples import made, over
from gpustab.studies.instability.averages import LevelLoss
from gpustab.studies.instability.claims import Predicted, Sampled
from gpustab.studies.instability.claims_of_averages import References
from gpustab.studies.instability.claims_of_losses import Rivals, Spread
from gpustab.studies.instability.corpora import OverCorpora
from gpustab.studies.instability.cosines import CosineTest
from gpustab.studies.instability.frequency import TrendRow
from gpustab.studies.instability.losses import Loss
from gpustab.studies.instability.scores import Gain
from gpustab.studies.instability.subsets import Consistency, WithDistance
from gpustab.studies.instability.trees import Term, TreeRow


def _normal(distance: float, runs: int = 16) -> CosineTest:
    return made(CosineTest, technique="sgns", distance=distance, distance_band=0.01, runs=runs)


def _correlated(value: float, error: float = 0.005, p: float = 0.001) -> CosineTest:
    return made(CosineTest, technique="sgns", correlation=value, correlation_se=error, correlation_p=p, runs=8)


def _trend(change: float, reach: float = 0.06, p: float = 1e-4) -> TrendRow:
    ends = {"change": change, "low": change - reach, "high": change + reach}
    batches = {"batch_p": p, "batch_correlation": change, "batch_deviation": 0.02}
    return made(TrendRow, technique="sgns", **ends | batches)


def _loss(value: float) -> Loss:
    return made(Loss, sampling="shuffled", runs=8, reduced_pip=value, se=0.0004, chance=0.15)


def _level(part: float, n: int = 4, sd: float = 0.01) -> LevelLoss:
    return made(LevelLoss, technique="sgns", runs_beneath=n, averages=4, ratio_cosine=part, cosine_sd=sd, orders=8)


def _gain(points: float, error: float = 0.1, n: int = 64, averages: int = 4) -> Gain:
    return Gain("sgns", "simlex999", n, averages, points / 100, error / 100)


def _tree(part: float, error: float = 0.02, halves_of: int = 4) -> TreeRow:
    return made(TreeRow, halves_of=halves_of, splits=8, between_halves=part, between_halves_sd=error)


def _term(mean: float, error: float) -> Term:
    return Term("sgns", 8, mean, error, 1.0, 0.01, 0.002, 0.5, 0.02)


def _rivals(other: float, sampling: str = "bootstrap", error: float = 0.0006) -> Rivals:
    return Rivals(sampling, "lsa", "sgns", over(0.0504, error / 2), over(other, error))


_SPREADS = [Spread(x, 16) for x in (0.012, 0.2, 0.045)]
_PREDICTED = [Predicted(0.982, 0.984, 1000), Predicted(0.72, 0.984, 1000), Predicted(0.94, 0.95, 100)]
_RISING = [[over(x, 0.0006), over(y, 0.0006)] for x, y in ((0.02, 0.04), (0.04, 0.02), (0.0401, 0.04))]
_SIGNS = [over(x, 0.02) for x in (0.3, -0.3, 0.01)]
_TRENDS = [_trend(-0.57), _trend(0.57), _trend(0.01), _trend(-0.12, 0.12), _trend(-0.07, 0.02), _trend(math.nan)]

EXAMPLES: dict[str, list[Any]] = {
    "instability.normal-cosines": [_normal(0.01), _normal(0.2), _normal(0.045), _normal(0.01, 4)],
    "instability.independent-cosines": [_correlated(0.01), _correlated(0.3), _correlated(0.3, p=0.2)],
    "instability.inconsistent-over-n": [
        made(Consistency, correlation=0.46, se=0.03),
        made(Consistency, correlation=0.98, se=0.003),
        made(Consistency, correlation=0.9, se=0.03),
        None,
    ],
    "instability.predicted-by-normals": _PREDICTED,
    "instability.structure-factor": _PREDICTED,
    "instability.unrelated-to-distance": [made(WithDistance, n=10, correlation=x, se=0.02) for x in (0.03, -0.6, 0.19)],
    "instability.consistent-over-proxies": [
        Sampled(0.987, 1000, 9123),
        Sampled(0.81, 1000, 9123),
        Sampled(0.95, 200, 9123),
        Sampled(0.987, 1000, 1400),
    ],
    "instability.losses-hardly-vary": _SPREADS,
    "instability.two-runs-suffice": _SPREADS,
    "instability.glove-fixed-is-shuffled": [*(over(x, e) for x, e in ((0.01, 0.01), (0.2, 0.01), (0.05, 0.02))), None],
    "instability.extrinsic-part": _SIGNS,
    "instability.order-of-techniques": _RISING,
    "instability.most-stable": [
        _rivals(0.0724),
        _rivals(0.0724)._replace(of=3),
        _rivals(0.0724, "shuffled"),
        _rivals(0.0724)._replace(shared=over(0.23, 0.01), keeps="sgns", most=over(0.36, 0.01)),
        _rivals(0.0511, "shuffled"),
    ],
    "instability.nothing-in-common": [_loss(0.1514), _loss(0.0204)],
    "instability.intrinsic-flat": _TRENDS,
    "instability.extrinsic-falls": [*_TRENDS[:2], _trend(-0.57, p=0.4)],
    "instability.extrinsic-flat": _TRENDS[:4],
    "instability.averages-vary-less": [over(0.71, 0.01), over(0.95, 0.01), over(0.78, 0.02)],
    "instability.averages-have-larger-means": [over(1.12, 0.01), over(0.95, 0.01), over(1.02, 0.02)],
    "instability.second-term": [_term(0.005, 0.002), _term(0.3, 0.01), _term(0.05, 0.02)],
    "instability.losses-fall-as-root-n": [_level(0.51), _level(0.8), _level(0.55, sd=0.03)],
    "instability.reference-matters": [*(References(*pair, 4) for pair in _RISING), References(*_RISING[0], 2)],
    "instability.reference-adds-variation": [_tree(1.4), _tree(0.6), _tree(1.0), _tree(0.6, halves_of=2)],
    "instability.averaging-helps": [_level(0.51), _level(1.2), _level(0.98, sd=0.05)],
    "instability.averaging-raises-score": [_gain(1.2), _gain(-1.2), _gain(0.1), _gain(1.2, averages=2)],
    "instability.fasttext-most-analogies": _RISING,
    "instability.scores-reach-a-plateau": [_gain(0.1), _gain(2.1), _gain(0.5), _gain(0.1, n=16)],
    "instability.extrinsic-with-corpus-size": [
        OverCorpora(0.93, 0.01, 7),
        OverCorpora(-0.93, 0.01, 7),
        OverCorpora(0.4, 0.3, 7),
        OverCorpora(1.0, 0.3, 3),
        None,
    ],
    "instability.curves-over-frequency": [*_SIGNS, over(math.nan, math.nan)],
}
