"""Periods whose words all moved by a step, and laws of frequency of runs that differ in theirs.

Two periods are of one space, with noise of documents that each period has once and a bootstrap run anew, and noise of
training.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import World, never, should
from benchmarks.placebos.drawn.case import Draw, Rng, drawn
from gpustab.kernels.displacement import displacement
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.mixed import fit_random_intercept
from gpustab.studies.change.differences import Explained
from gpustab.studies.change.laws import bootstrap_error
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.tables import Law, Pair

V, D = 200, 15
DOCUMENTS, TRAINING = 0.25, 0.25
NOISY = 2.5
"""Noise of training, in word lengths, of which two runs of one period have nothing in common."""

_NOTHING = Pair(**dict.fromkeys(Pair._fields, 0.0) | {"first": "a", "second": "b", "tested": V})  # type: ignore[arg-type]


def moved(step: float, training: float = TRAINING) -> Draw:
    """A pair of periods, between which all words moved by a step, beside bootstrap runs."""

    def draw(runs: int, rng: Rng) -> Pair:
        base = rng.normal(size=(V, D))
        rare = 1 + np.arange(V)[:, None] / V

        def noise(scale: float) -> np.ndarray:
            return scale * rng.normal(size=(V, D))

        periods = [base + rare * noise(DOCUMENTS), base + noise(step) + rare * noise(DOCUMENTS)]
        level = np.exp(0.3 * rng.normal(size=(2, 2, runs)))  # runs differ in their noise
        whole = [[own + noise(training * level[0, e, r]) for r in range(runs)] for e, own in enumerate(periods)]
        resampled = [
            [own + rare * noise(DOCUMENTS) + noise(training * level[1, e, r]) for r in range(runs)]
            for e, own in enumerate(periods)
        ]
        every = torch.ones(V, dtype=torch.bool)
        between, floor = (displacement(*(torch.from_numpy(np.array(x)) for x in kind)) for kind in (whole, resampled))
        change, within, sampling = (own.mean(every)[:2] for own in (between.change, between.within, floor.within))
        beyond = between.change.value - floor.within.value
        return _NOTHING._replace(
            runs_first=runs,
            runs_second=runs,
            change=change[0],
            change_se=change[1],
            training_floor=within[0],
            training_se=within[1],
            sampling_floor=sampling[0],
            sampling_se=sampling[1],
            beyond_se_words=float(beyond.std()) / V**0.5,
        )

    return draw


def law(extra: float, between_runs: float) -> Draw:
    """What frequency explains, of 300 words in two pairs of periods, beside a control whose β is −0.4.

    The change of a word is a law with noise of the word and of its documents; runs have β and noise of their own, and
    are averaged. As the study does it is fitted to the average of all runs, and without each of them.
    """

    def draw(runs: int, rng: Rng) -> Explained:
        groups, laws = np.repeat(np.arange(300), 2), []
        for control in (False, True):
            beta = -0.4 - (0.0 if control else extra)
            x = np.repeat(rng.normal(size=300), 2)
            truth = beta * x + 0.7 * rng.normal(size=300)[groups] + 0.6 * rng.normal(size=600)
            each = truth + between_runs * rng.normal(size=(runs, 1)) * x + 0.3 * rng.normal(size=(runs, 600))
            y, left = _standard(each.mean(0)), (each.sum(0) - each) / (runs - 1)
            r2 = fit_random_intercept(y, x, groups).r2_marginal
            over_runs = jackknife_error([fit_random_intercept(_standard(one), x, groups).r2_marginal for one in left])
            over_words = bootstrap_error(y, x, groups, ChangeOptions(resamples=40))
            laws.append(Law("a", control, runs, 1, 300, 600, beta, 0.0, 0.0, r2, r2, over_words, over_runs, 0.0))
        return Explained(laws[0], laws[1:])

    return draw


def _standard(values: np.ndarray) -> np.ndarray:
    """Values of mean 0 and SD 1."""
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def worlds() -> Iterator[World]:
    """Yield the worlds of periods."""
    name, part = "change.beyond-sampling", 0.6
    yield drawn(name, "all words moved by 0.3 of their length", should("more", "no more"), moved(0.3), part=part)
    yield drawn(name, "all words moved by 0.6 of their length", should("more", "no more"), moved(0.6), part=part)
    about = "all words moved by their length, training hides it"
    yield drawn(name, about, should("too noisy", "more", "no more"), moved(1.0, NOISY), (4, 8), 0.05)
    name, runs = "change.frequency", (3, 5, 8, 16)
    for between_runs in (0.1, 0.3):
        of = f", SD {between_runs} between runs"
        yield drawn(name, f"β of the control{of}", never("more", "less"), law(0.0, between_runs), runs, 0.3)
        about = f"β of −0.7 beside −0.4{of}"
        yield drawn(name, about, should("more", "less"), law(0.3, between_runs), runs, 0.3)
