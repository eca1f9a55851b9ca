"""Are cosines normal over runs, and independent of each other? Rettenmeier 2020, §2.1.3, figures 2.3 to 2.5."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.statistics.hypotheses import (
    Independence,
    Uniformity,
    shapiro_p,
    simulated_p,
    whiten,
    whitened_density,
    whitened_kurtosis,
)
from gpustab.statistics.ranks import spearman_p
from gpustab.studies.instability.cosines import cosine_distribution

_BIN = 0.25
_REACH = 4.0
_P_BINS = 20


def distribution_tables(
    name: str, runs: Runs, pairs: int, seed: int, compute: Compute, same: Tensor | None = None
) -> dict[str, Table]:
    """Test both hypotheses on random word pairs, calibrated by simulated normals at the same number of runs.

    Args:
        name: of the technique.
        runs: at least 4.
        pairs: number of couples of word pairs.
        seed: of words and simulations.
        compute: how to compute.
        same: ``(R, R)`` bool, pairs of runs that are one space twice.

    Returns:
        ``distribution`` (one row per hypothesis), ``whitened`` (histogram of the whitened cosines beside the law of
        normals at R runs) and ``p_values`` (histograms of the p-values beside simulated ones).
    """
    found = cosine_distribution(runs, pairs, seed, compute, same=same)
    tests = [
        ("normal", found.normality, None, found.normal_p, simulated_p(shapiro_p, len(runs), seed)),
        *(
            (test, part.uniformity, part, part.p_values, simulated_p(_paired_p, len(runs), seed))
            for test, part in (("independent, disjoint", found.disjoint), ("independent, sharing", found.sharing))
        ),
    ]
    rows = [_row(name, runs, test, uniformity, part) for test, uniformity, part, _, _ in tests]
    rows[0] |= {"kurtosis": found.kurtosis, "kurtosis_normal": whitened_kurtosis(len(runs))}
    return {
        "distribution": Table.of(rows),
        "whitened": _whitened(name, found.values, len(runs)),
        "p_values": Table.of(
            (bar for test, _, _, p, null in tests for bar in _histogram(name, test, p, null)), long=True
        ),
    }


def _row(name: str, runs: Runs, test: str, uniformity: Uniformity, part: Independence | None) -> dict[str, object]:
    return {
        "technique": name,
        "hypothesis": test,
        "runs": len(runs),
        "tested": uniformity.tested,
        "below_0.05": uniformity.low,
        "normals_below_0.05": uniformity.null_low,
        "distance": uniformity.distance,
        "distance_band": uniformity.band,
        "p": uniformity.p,
        "uniform_p": uniformity.naive_p,
        "correlation": part.correlation if part else math.nan,
        "correlation_se": part.spread if part else math.nan,
        "correlation_p": part.p if part else math.nan,
        "kurtosis": math.nan,
        "kurtosis_normal": math.nan,
    }


def _paired_p(normals: Tensor) -> Tensor:
    return spearman_p(normals[0::2], normals[1::2])[1]


def _whitened(name: str, values: Tensor, runs: int) -> Table:
    z = whiten(values)
    edges = torch.arange(-_REACH, _REACH + _BIN / 2, _BIN, dtype=torch.float64)
    counts = torch.histogram(z[~z.isnan()], edges).hist
    within = torch.linspace(0, _BIN, 51, dtype=torch.float64)
    law = whitened_density((edges[:-1, None] + within).flatten(), runs).view(-1, 51)
    return Table(
        {
            "technique": [name] * len(counts),
            "z": (edges[:-1] + _BIN / 2).tolist(),
            "density": (counts / counts.sum() / _BIN).tolist(),
            "normals": law.mean(1).tolist(),
        },
        long=True,
    )


class Bar(NamedTuple):
    """Figures 2.3, 2.4: the share of p-values in a bin, and that of simulated normals."""

    technique: str
    hypothesis: str
    p_from: float
    share: float
    normals: float


def _histogram(name: str, test: str, p: Tensor, null: Tensor) -> Iterator[Bar]:
    shares = []
    for values in (p, null):
        counts = torch.histc(values[~values.isnan()], _P_BINS, 0, 1)
        shares.append((counts / counts.sum()).tolist())
    for k, (share, normal) in enumerate(zip(*shares, strict=True)):
        yield Bar(name, test, k / _P_BINS, share, normal)
