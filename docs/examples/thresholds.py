"""Thresholds of two groups, and the paper's."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.shared.unfit import Unfit
from gpustab.studies.thresholds.claims import Apart, Threshold
from gpustab.studies.thresholds.claims_of_paper import Sizes, Tests
from gpustab.studies.thresholds.tables import Comparison, OverRuns, ScoreOverRuns, Size


def threshold(mean: float, low: float | None, high: float | None, **values: Any) -> OverRuns:
    """A threshold over the runs of a group."""
    numbers = {
        "group": "sgns/shuffled",
        "sd": 0.006,
        "error": 0.003,
        "below": 0.64,
        "found": 3,
        "runs": 3,
        "kind": "value",
    }
    return made(OverRuns, mean=mean, proven_from=low, proven_to=high, **numbers | values)


_CHANCE, _CLEAR = threshold(0.27, 0.24, 0.29), threshold(0.09, 0.06, 0.15, below=0.02)
_LOWER = threshold(0.07, 0.05, 0.1, group="lsa/shuffled")
_UNPROVEN = threshold(0.40, 0.07, None)
_BOTH = {"first": "sgns/shuffled", "second": "lsa/shuffled", "lowest": 0.031, "highest": 0.042, "rejected": 0.97}


def _size(pairs: int, group: float, runs: int = 3) -> Size:
    return made(
        Size, group="sgns/shuffled", min_pairs=pairs, next_higher=group, sd=0.005, runs_with_one=runs, runs=runs
    )


def _score(test: str, above: float) -> ScoreOverRuns:
    return made(
        ScoreOverRuns,
        group="sgns/shuffled",
        test=test,
        rho=0.35,
        above=above,
        dropped=0.34,
        draw_sd=0.01,
        change_sd=0.01,
    )


EXAMPLES = {
    "thresholds.meaningful": [
        Threshold(_CHANCE, _CLEAR),
        Threshold(_CHANCE, threshold(0.31, 0.28, 0.36, below=0.7)),
        Threshold(_CHANCE, _UNPROVEN),
        Threshold(_CHANCE, threshold(0.09, 0.06, 0.62)),
        Threshold(threshold(0.27, 0.24, 0.61), _CLEAR),
        Threshold(_UNPROVEN, _CLEAR),
        Threshold(_CHANCE, threshold(0.09, 0.06, 0.15, found=1)),
    ],
    "thresholds.no-one-fits": [
        Apart(_CHANCE, _LOWER),
        Apart(_CHANCE, _LOWER, 4),
        Apart(_LOWER, _CHANCE),
        Apart(_CHANCE, threshold(0.265, 0.24, 0.28, group="lsa/shuffled")),
        Apart(_CHANCE, threshold(0.265, 0.24, 0.28, group="lsa/shuffled"), 4),
        Apart(_CHANCE, _LOWER, 2, Unfit(["run-002 of the shuffled runs of LSA"])),
        Apart(_CHANCE, _LOWER, 4, Unfit(["run-002 of the shuffled runs of LSA"])),
    ],
    "thresholds.stays": [
        threshold(0.27, 0.24, 0.29, found=8, runs=8),
        threshold(0.27, 0.24, 0.29, sd=0.0, found=16, runs=16),
        threshold(0.27, 0.24, 0.29, sd=0.1, found=8, runs=8),
        _CHANCE,
    ],
    "thresholds.hangs-on-size": [
        Sizes(_size(100, 0.2), _size(10_000, -0.05), 4),
        Sizes(_size(100, 0.2, 1), _size(10_000, -0.05, 1), 4),
        Sizes(_size(100, 0.2), _size(10_000, 0.18), 4),
        Sizes(_size(100, 0.2)._replace(sd=0.2), _size(10_000, 0.1)._replace(sd=0.2), 4),
    ],
    "thresholds.one-shape": [
        made(Comparison, **_BOTH | {"shape": "same", "lowest": 0.011, "highest": 0.018}),
        made(Comparison, **_BOTH, shape="different"),
        made(Comparison, **_BOTH | {"shape": "undecided", "lowest": 0.015}),
        made(Comparison, **_BOTH, shape="no test"),
    ],
    "thresholds.narrows-range": [
        Tests([_score("simlex999", 0.21), _score("wordsim353", 0.25), _score("men", 0.34)]),
        Tests([_score("simlex999", 0.34)]),
    ],
}
