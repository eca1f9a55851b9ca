"""How often `study change` errs when it says that epochs differ beyond the sampling of documents.

Two epochs of one space, with noise of documents that each epoch has once and a bootstrap run anew, and noise of
training; in the second epoch none of the words moved, or all by a step. Prints the share of verdicts by number of
runs; before them those on frequency, against a control with the same law or a weaker one.

    python -m benchmarks.change_verdicts [REPEATS]
"""

from __future__ import annotations

import math
import sys

import numpy as np
import torch

from gpustab.kernels.displacement import displacement
from gpustab.statistics.mixed import fit_random_intercept
from gpustab.studies.change.law_rows import bootstrap_error
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.rules import against_control, against_floor, law_verdict

V, D = 200, 15
DOCUMENTS, TRAINING = 0.25, 0.25
LAW = ("more", "less", "open")


def verdict(runs: int, step: float, seed: int) -> str:
    """Return the verdict on one draw of everything."""
    rng = np.random.default_rng([23, runs, seed, int(100 * step)])
    base = rng.normal(size=(V, D))
    rare = 1 + np.arange(V)[:, None] / V

    def noise(scale: float) -> np.ndarray:
        return scale * rng.normal(size=(V, D))

    epochs = [base + rare * noise(DOCUMENTS), base + noise(step) + rare * noise(DOCUMENTS)]
    level = np.exp(0.3 * rng.normal(size=(2, 2, runs)))  # runs differ in their noise
    whole = [[own + noise(TRAINING * level[0, e, r]) for r in range(runs)] for e, own in enumerate(epochs)]
    drawn = [
        [own + rare * noise(DOCUMENTS) + noise(TRAINING * level[1, e, r]) for r in range(runs)]
        for e, own in enumerate(epochs)
    ]
    every = torch.ones(V, dtype=torch.bool)
    between, floor = (displacement(*(torch.from_numpy(np.array(x)) for x in kind)) for kind in (whole, drawn))
    change, training, sampling = (own.mean(every) for own in (between.change, between.within, floor.within))
    beyond = between.change.value - floor.within.value
    return against_floor(
        {"change": change[0], "change_se": change[1], "training_floor": training[0], "training_se": training[1]}
        | {"sampling_floor": sampling[0], "sampling_se": sampling[1], "tested": V}
        | {"beyond_se_words": float(beyond.std()) / V**0.5, "runs_first": runs, "runs_second": runs}
    )


def split(runs: int, step: float, splits: int, seed: int) -> str:
    """Return the verdict on two epochs beside some splits at random, of one process but for the step."""
    rng = np.random.default_rng([31, runs, splits, seed, int(100 * step)])
    rows = []
    for k in range(splits + 1):
        base = rng.normal(size=(V, D))
        moved = (0.0, step if k == 0 else 0.0)
        epochs = [base + own * rng.normal(size=(V, D)) + DOCUMENTS * rng.normal(size=(V, D)) for own in moved]
        drawn = [torch.from_numpy(own + TRAINING * rng.normal(size=(runs, V, D))) for own in epochs]
        corrected = displacement(*drawn).corrected.mean(torch.ones(V, dtype=torch.bool))
        rows.append({"first": "a", "second": "b", "control": k > 0, "runs_first": runs, "runs_second": runs})
        rows[-1] |= {"corrected": corrected[0], "corrected_se": corrected[1]}
    return against_control(rows)


def law(extra: float, seed: int) -> str:
    """Return the verdict on frequency, of 300 words in two pairs of epochs; β is −0.4 in the control."""
    rng = np.random.default_rng([29, seed])
    groups = np.repeat(np.arange(300), 2)
    rows = []
    for beta in (-0.4 - extra, -0.4):
        x = np.repeat(rng.normal(size=300), 2)
        y = beta * x + 0.7 * rng.normal(size=300)[groups] + 0.6 * rng.normal(size=600)
        y = (y - y.mean()) / y.std(ddof=1)
        r2 = fit_random_intercept(y, x, groups).r2_marginal
        rows.append(
            {
                "r2_marginal": r2,
                "r2_se": bootstrap_error(y, x, groups, ChangeOptions(resamples=40)),
                "r2_se_runs": math.nan,
            }
        )
    return law_verdict(rows[0], rows[1:])


def main(repeats: int) -> None:
    """Print a line for each number of runs and size of the step, then for each difference of β."""
    for extra in (0.0, 0.1, 0.2, 0.3):
        said = [law(extra, seed) for seed in range(repeats)]
        print(f"law, β −0.4 − {extra}: " + ", ".join(f"{x} {said.count(x) / repeats:.3f}" for x in LAW))
    for runs, splits in ((3, 2), (3, 3), (8, 2), (8, 3)):
        for step in (0.0, 0.1, 0.2):
            share = sum(split(runs, step, splits, seed) == "more" for seed in range(repeats)) / repeats
            print(f"{runs} runs, {splits} splits, step {step}: more {share:.3f}", flush=True)
    print(f"{'runs':>4} {'step':>5} {'more':>6} {'no more':>8} {'open':>6}")
    for runs in (3, 4, 6, 8, 16):
        for step in (0.0, 0.3, 0.6):
            said = [verdict(runs, step, seed) for seed in range(repeats)]
            shares = [said.count(name) / len(said) for name in ("more", "no more", "open")]
            print(f"{runs:>4} {step:>5} {shares[0]:>6.3f} {shares[1]:>8.3f} {shares[2]:>6.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
