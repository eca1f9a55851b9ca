"""Counts how often the rules of `gpustab study bootstrap` on spreads are wrong, and how often they say nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.bootstrap_verdicts --sets 400

Cosines of word pairs in R runs are drawn around fixed means; the noise of a run has a factor that all of its pairs have
in common, as a run that lies apart moves all of its words. Two groups, the second with a planted ratio of spreads.
*False* is a verdict against the plant, *missed* "undecided".
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from benchmarks.setting import keep
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.claims import ALIKE, alike
from gpustab.studies.bootstrap.numbers import log_spread
from gpustab.studies.shared.claims import Verdict, above

RUNS = (3, 4, 6, 10, 16)
RATIOS = (1.0, 1.1, 1.25, 1.5, 2.0)


def cosines(runs: int, sd: Tensor, common: float, generator: torch.Generator) -> Tensor:
    """Return cosines ``(p, R)`` of pairs with SDs ``(p, 1)``; runs differ in their noise as ``e^{common · z}``."""
    noise = torch.randn(len(sd), runs, dtype=torch.float64, generator=generator)
    loud = (common * torch.randn(runs, dtype=torch.float64, generator=generator)).exp()
    return 0.6 + sd * loud * noise


def judged(runs: int, ratio: float, pairs: int, common: float, generator: torch.Generator) -> dict[str, Verdict]:
    """Return the verdicts on two drawn groups."""
    ones = torch.ones(pairs, dtype=torch.float64)
    sd = 0.01 + 0.02 * torch.rand(pairs, 1, dtype=torch.float64, generator=generator)  # words differ, alike in both
    first, second = (log_spread(cosines(runs, sd * by, common, generator), ones) for by in (1.0, ratio))
    difference: Estimate = second.minus(first)
    return {"wider": above(difference, 0.0), "alike": alike(difference)}


def rates(runs: int, ratio: float, sets: int, pairs: int = 200, common: float = 0.3, seed: int = 0) -> dict[str, Any]:
    """Return how often each rule is wrong and how often it says nothing.

    Two spreads of one size are neither wider nor less wide: there every verdict but "undecided" is false. At the very
    margin of alike none is.
    """
    generator = torch.Generator().manual_seed(seed)
    found = [judged(runs, ratio, pairs, common, generator) for _ in range(sets)]
    size = math.log(ratio)
    truth = {
        "wider": None if size == 0 else "yes",
        "alike": "yes" if size < ALIKE - 1e-9 else "no" if size > ALIKE + 1e-9 else None,
    }
    rows: dict[str, Any] = {}
    for rule, right in truth.items():
        said = [one[rule] for one in found]
        undecided = said.count("undecided") / sets
        correct = said.count(right) / sets if right else 0.0
        one_sided = said.count("yes") / sets  # of equal spreads: taken for wider
        rows[rule] = {"false": one_sided if right is None else round(1 - undecided - correct, 6), "missed": undecided}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--out", type=Path)
    choices = parser.parse_args()
    rows = []
    for common in (0.0, 0.3):
        for runs in RUNS:
            for ratio in RATIOS:
                found = rates(runs, ratio, choices.sets, common=common)
                rows.append({"common": common, "runs": runs, "ratio": ratio, **found})
                print(json.dumps(rows[-1]), flush=True)
    if choices.out:
        keep(rows, choices.out / "bootstrap_verdicts.json")


if __name__ == "__main__":
    main()
