"""How often `study change` errs when it says that periods differ beyond the sampling of documents.

Two periods of one space, with noise of documents that each period has once and a bootstrap run anew, and noise of
training; in the second period none of the words moved, or all by a step. Prints the share of verdicts by number of
runs; before them those on frequency, against a control with the same law or a weaker one: runs differ in β and in
their noise, so that R² has an error over runs; and how often the interval of Spearman's ρ of averages beyond single
runs lies above or below its mean over many sets of runs.

    python -m benchmarks.change_verdicts [REPEATS]
"""

from __future__ import annotations

import sys

import numpy as np
import torch

from gpustab import load_runs
from gpustab.evaluation.semeval import ChangeTask
from gpustab.kernels.displacement import displacement
from gpustab.machine.device import Compute
from gpustab.machine.progress import no_progress
from gpustab.report import Result
from gpustab.runs.key import Key
from gpustab.statistics.intervals import Estimate, jackknife_error
from gpustab.statistics.mixed import fit_random_intercept
from gpustab.studies.change.claims import BEYOND_SAMPLING, FREQUENCY_EXPLAINS, MORE_THAN_AT_RANDOM
from gpustab.studies.change.differences import Explained, control_difference
from gpustab.studies.change.laws import bootstrap_error
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.periods import between, read
from gpustab.studies.change.semeval import judge, score_of
from gpustab.studies.change.tables import Law, Pair
from gpustab.studies.shared.frame import Answer

V, D = 200, 15
DOCUMENTS, TRAINING = 0.25, 0.25
LAW = ("more", "less", "open")
BETWEEN_RUNS = (0.1, 0.3)
"""SD of β between runs, low and high: the error of R² over 3 runs is about that over 300 words, or three times that."""

_NOTHING = Pair(**dict.fromkeys(Pair._fields, 0.0) | {"first": "a", "second": "b", "tested": V})  # type: ignore[arg-type]


def verdict(runs: int, step: float, seed: int, training: float = TRAINING) -> str:
    """Return the verdict on one draw of everything."""
    rng = np.random.default_rng([23, runs, seed, int(100 * step)])
    base = rng.normal(size=(V, D))
    rare = 1 + np.arange(V)[:, None] / V

    def noise(scale: float) -> np.ndarray:
        return scale * rng.normal(size=(V, D))

    periods = [base + rare * noise(DOCUMENTS), base + noise(step) + rare * noise(DOCUMENTS)]
    level = np.exp(0.3 * rng.normal(size=(2, 2, runs)))  # runs differ in their noise
    whole = [[own + noise(training * level[0, e, r]) for r in range(runs)] for e, own in enumerate(periods)]
    drawn = [
        [own + rare * noise(DOCUMENTS) + noise(training * level[1, e, r]) for r in range(runs)]
        for e, own in enumerate(periods)
    ]
    every = torch.ones(V, dtype=torch.bool)
    between, floor = (displacement(*(torch.from_numpy(np.array(x)) for x in kind)) for kind in (whole, drawn))
    change, training, sampling = (own.mean(every)[:2] for own in (between.change, between.within, floor.within))
    beyond = between.change.value - floor.within.value
    pair = _NOTHING._replace(
        runs_first=runs,
        runs_second=runs,
        change=change[0],
        change_se=change[1],
        training_floor=training[0],
        training_se=training[1],
        sampling_floor=sampling[0],
        sampling_se=sampling[1],
        beyond_se_words=float(beyond.std()) / V**0.5,
    )
    return BEYOND_SAMPLING.judge(pair)


def split(runs: int, step: float, splits: int, seed: int) -> str:
    """Return the verdict on two periods beside some splits at random, of one process but for the step."""
    rng = np.random.default_rng([31, runs, splits, seed, int(100 * step)])
    rows = []
    for k in range(splits + 1):
        base = rng.normal(size=(V, D))
        moved = (0.0, step if k == 0 else 0.0)
        periods = [base + own * rng.normal(size=(V, D)) + DOCUMENTS * rng.normal(size=(V, D)) for own in moved]
        drawn = [torch.from_numpy(own + TRAINING * rng.normal(size=(runs, V, D))) for own in periods]
        corrected = displacement(*drawn).corrected.mean(torch.ones(V, dtype=torch.bool))
        row = _NOTHING._replace(control=k > 0, runs_first=runs, runs_second=runs)
        rows.append(row._replace(corrected=corrected[0], corrected_se=corrected[1]))
    return MORE_THAN_AT_RANDOM.judge(control_difference(rows))


def law(extra: float, runs: int, between_runs: float, seed: int, splits: int = 1) -> str:
    """Return the verdict on frequency, of 300 words in two pairs of periods; β is −0.4 in the control.

    The change of a word is a law with noise of the word and of its documents; runs have β and noise of their own, and
    are averaged. As the study does it is fitted to the average of all runs, and without each of them.
    """
    rng = np.random.default_rng([29, runs, int(100 * between_runs), splits, seed])
    groups = np.repeat(np.arange(300), 2)
    laws = []
    for k in range(splits + 1):
        beta = -0.4 - (extra if k == 0 else 0.0)
        x = np.repeat(rng.normal(size=300), 2)
        truth = beta * x + 0.7 * rng.normal(size=300)[groups] + 0.6 * rng.normal(size=600)
        each = truth + between_runs * rng.normal(size=(runs, 1)) * x + 0.3 * rng.normal(size=(runs, 600))
        y, left = standard(each.mean(0)), (each.sum(0) - each) / max(runs - 1, 1)
        r2 = fit_random_intercept(y, x, groups).r2_marginal
        over_runs = jackknife_error([fit_random_intercept(standard(one), x, groups).r2_marginal for one in left])
        over_words = bootstrap_error(y, x, groups, ChangeOptions(resamples=40))
        laws.append(Law("a", k > 0, runs, 1, 300, 600, beta, 0.0, 0.0, r2, r2, over_words, over_runs, 0.0))
    return FREQUENCY_EXPLAINS.judge(Explained(laws[0], laws[1:]))


def ranks(runs: int, training: float, words: int, seed: int) -> Estimate:
    """Return Spearman's ρ of averages beyond single runs on 37 targets, of one draw of runs of one set of words."""
    fixed, rng = np.random.default_rng([37, words]), np.random.default_rng([41, words, runs, seed])
    base, step = fixed.normal(size=(V, D)), 0.5 * np.exp(0.8 * fixed.normal(size=V))
    later, names = base + step[:, None] * fixed.normal(size=(V, D)), [f"w{k}" for k in range(V)]
    grades = np.log(step[:37]) + 0.8 * fixed.normal(size=37)
    graded = dict(zip(names, grades.tolist(), strict=False))
    task = ChangeTask("", tuple(graded), {word: int(grade > 0) for word, grade in graded.items()}, graded)
    answer, periods = Answer(Result("change"), Compute(), no_progress), []
    for own in (base, later):
        level = training * np.exp(0.3 * rng.normal(size=runs))
        drawn = [(names, own + noise * rng.normal(size=own.shape)) for noise in level]
        periods.append(read("", load_runs(drawn), answer, 0.0))
    ways = judge(Key("sgns", "shuffled"), between(periods[0], periods[1], 1), task, 0.5)
    score = next(score_of("", task, 37, way) for way in ways if way.way == "AA")
    return Estimate.of_runs(score.beyond, score.beyond_se, score.runs)


def all_ranks(repeats: int) -> None:
    """Print how often an interval lies above the mean of all of one set of words, and how often below."""
    for training in (0.3, 1.0):
        for runs in (3, 4, 8):
            sides = []
            for words in range(8):
                found = [ranks(runs, training, words, seed) for seed in range(repeats // 8)]
                mean = np.mean([own.value for own in found])
                sides += [(own.interval[0] > mean, own.interval[1] < mean, own.interval[0] > 0) for own in found]
            above, below, better = np.mean(sides, 0)
            said = f"above its mean {above:.3f}, below {below:.3f}; averages better {better:.3f}"
            print(f"averages of {runs} runs, training {training}: {said}", flush=True)


def standard(values: np.ndarray) -> np.ndarray:
    """Return values of mean 0 and SD 1."""
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def laws(repeats: int) -> list[dict[str, float]]:
    """Return the share of each verdict on frequency, by runs, SD of β between runs, and β beyond the control's."""
    rows = []
    for runs in (3, 5, 8, 16):
        for between_runs in BETWEEN_RUNS:
            for extra in (0.0, 0.3):
                said = [law(extra, runs, between_runs, seed) for seed in range(repeats)]
                shares = {name: round(said.count(name) / repeats, 3) for name in LAW}
                rows.append(
                    {"runs": runs, "SD of beta between runs": between_runs, "beta beyond the control's": -extra}
                    | shares
                )
                print(rows[-1], flush=True)
    return rows


def main(repeats: int) -> None:
    """Print a line for each difference of β, then for each number of runs and size of the step."""
    laws(repeats)
    all_ranks(repeats)
    for runs, splits in ((3, 2), (3, 3), (8, 2), (8, 3)):
        for step in (0.0, 0.1, 0.2):
            share = sum(split(runs, step, splits, seed) == "more" for seed in range(repeats)) / repeats
            print(f"{runs} runs, {splits} splits, step {step}: more {share:.3f}", flush=True)
    names = ("more", "no more", "open", "too noisy")
    print("training runs  step " + " ".join(f"{name:>9}" for name in names))
    for training in (TRAINING, 0.7, 1.0, 2.5):
        for runs in (3, 4, 6, 8, 16):
            for step in (0.0, 0.3, 0.6, 1.0):
                said = [verdict(runs, step, seed, training) for seed in range(repeats)]
                shares = " ".join(f"{said.count(name) / len(said):9.3f}" for name in names)
                print(f"{training:>8} {runs:>4} {step:>5} {shares}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
