"""Counts how often the sentences of `gpustab stability`, `compare` and `neighbours` are wrong, and say nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.sentences --sets 200

Sets of runs whose truth is known are drawn again and again and judged by the product's own rules, as in
`benchmarks.verdicts`: *false* is the share of sets with a wrong verdict, *missed* that of open ones where there is a
right one. Words are simulated with the parts measured on sotu (skip-gram, p@10: word 0.53, run 0.20, pair 0.27).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case
from benchmarks.verdicts import RUNS, table
from gpustab.kernels.jackknife import jackknife, pair_statistics
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.levels import highest_tenth
from gpustab.statistics.ranks import spearman
from gpustab.statistics.reliability import WordValues, parts, pooled_error, reliability
from gpustab.statistics.windows import standing_out
from gpustab.studies.compare.claims import MORE_STABLE, Groups
from gpustab.studies.neighbours import claims as of_neighbours
from gpustab.studies.shared.claims import DOCUMENTS_MATTER, Losses

_NAMES = {"open": "undecided"}
_WORDS, _WORD, _RUN, _PAIR = 2000, 0.53**0.5, 0.20**0.5, 0.27**0.5


def pairs(mean: float, spread: float, runs: int, rng: np.random.Generator) -> Estimate:
    """Return a mean over pairs of runs that differ in their noise by so much, with its error."""
    own = rng.normal(size=runs) * spread / 2**0.5
    noise = np.triu(rng.normal(size=(runs, runs)) * spread / 4, 1)
    matrix = torch.from_numpy(mean * (1 + own[:, None] + own + noise + noise.T)).fill_diagonal_(0)
    found = pair_statistics(matrix)
    return Estimate.of_runs(found.mean, found.se, runs)


def documents(ratio: float):
    """Return a draw of shuffled and bootstrap runs whose losses have a ratio, judged."""
    return lambda runs, rng: _named(
        DOCUMENTS_MATTER.judge(Losses(pairs(0.02, 0.02, runs, rng), pairs(0.02 * ratio, 0.05, runs, rng)))
    )


def two_groups(difference: float):
    """Return a draw of two groups whose p@10 differ, judged."""
    return lambda runs, rng: _named(
        MORE_STABLE.judge(
            Groups(
                "a",
                "b",
                pairs(0.6 + difference, 0.01, runs, rng),
                pairs(0.6, 0.01, runs, rng),
                10,
                *(pairs(0.2, 0.02, runs, rng) for _ in range(2)),
            )
        )
    )


def neighbour(share: float):
    """Return a draw of one neighbour that comes in a share of the runs, with margins of that share, judged."""
    middle = float(torch.special.ndtri(torch.tensor(share, dtype=torch.float64)))

    def draw(runs: int, rng: np.random.Generator) -> str:
        margins = rng.normal(middle, 1, size=runs)
        margin = of_neighbours.margin(float(margins.mean()), float(margins.std(ddof=1)))
        return _named(of_neighbours.verdict(int((margins > 0).sum()), runs, margin, 0.6))

    return draw


def words(runs: int, rng: np.random.Generator, level: torch.Tensor | None = None) -> tuple[WordValues, torch.Tensor]:
    """Return what the pairs of runs say of words of the measured parts, and the words' own levels."""
    level = torch.from_numpy(rng.normal(size=_WORDS)) if level is None else level
    own = torch.from_numpy(rng.normal(size=(_WORDS, runs))) * _RUN
    noise = torch.from_numpy(rng.normal(size=(_WORDS, runs, runs))).triu(1) * _PAIR
    d = level[:, None, None] * _WORD + own[:, :, None] + own[:, None, :] + noise + noise.mT
    i, j = torch.triu_indices(runs, runs, 1)
    flat, d = d[:, i, j], d - torch.diag_embed(d.diagonal(dim1=1, dim2=2))
    error = jackknife(d.sum(2).T, torch.ones(runs, _WORDS, dtype=torch.bool))
    return WordValues(flat.mean(1), flat.std(1), error), level


def rankings(sets: int, seed: int = 0) -> Iterator[str]:
    """Yield per number of runs: closed reliability beside the true one, its spread, and who stands out."""
    for runs in RUNS:
        rng, found = np.random.default_rng([seed, runs]), []
        for _ in range(sets):
            values, level = words(runs, rng)
            truth = float(spearman(values.mean[None], words(runs, rng, level)[0].mean[None]))
            closed = reliability(values, runs)
            error = pooled_error(values, runs)
            chosen = standing_out(highest_tenth(values.mean, parts(values.sd, values.se, runs).noise(runs)))
            right = (level[chosen] > level.quantile(0.9)).double().mean() if len(chosen) else torch.nan
            z = (values.mean - level * _WORD) / error
            found.append([closed.value, truth, closed.needed(0.9), len(chosen), float(right), float(z.std())])
        x, spread = np.nanmean(found, 0), np.nanstd(found, 0)
        yield (
            f"R = {runs:<2}  reliability {x[0]:.3f} ± {spread[0]:.3f} (true {x[1]:.3f}), runs for 0.9: {x[2]:.1f} ± "
            f"{spread[2]:.1f}; {x[3]:.0f} of {_WORDS} words stand out, {x[4]:.0%} of them rightly; SD of z {x[5]:.2f}"
        )


def cases() -> list[Case]:
    """Return every rule with a truth."""
    return [
        Case("documents matter", "ratio 1.9", "matter", documents(1.9)),
        Case("documents matter", "ratio 1.0", "hardly", documents(1.0)),
        Case("documents matter", "ratio 1.1, the margin", "-", documents(1.1)),
        Case("compare", "equal", "alike", two_groups(0.0)),
        Case("compare", "a has 0.2 neighbours more", "first", two_groups(0.02)),
        Case("compare", "a has one neighbour more", "first", two_groups(0.1)),
        Case("neighbour", "in 95 % of the runs", "firm", neighbour(0.95)),
        Case("neighbour", "in 50 %, the margin", "-", neighbour(0.5)),
        Case("neighbour", "in 5 %", "passing", neighbour(0.05)),
    ]


def _named(verdict: str) -> str:
    return _NAMES.get(verdict, verdict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    chosen = parser.parse_args()
    print(f"{'rule':<24} {'truth':<38} {'is':<4} false/missed in % at " + ", ".join(f"R = {r}" for r in RUNS))
    table(cases(), RUNS, chosen.sets)
    for row in rankings(max(chosen.sets // 20, 2)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
