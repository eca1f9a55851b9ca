"""What a sweep shows of the thesis' §3.1: does longer training make spaces more stable, up to a plateau, and better?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.results.table import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import AS_IN_THESIS, OBSERVED, Claim, Margin, Observation, Verdict, above, decide
from gpustab.studies.sweep.measure import CHANGES, SHARE, Measured, change, numbers_of
from gpustab.studies.sweep.plans import BASELINE, Setting, values_of

TRAINING = ("epochs", "negative")
"""Parameters of which more is longer training."""
TECHNIQUES = ("sgns", "cbow", "fasttext")
PLATEAU = Margin(-2.0, "percent from the second largest value to the largest, above which a loss has stopped falling")
"""In table 3.1 it is -1.1 to +12.5 % from 20 to 40 epochs, in table 3.2, where nothing is said to stop, -9.4 to
-5.6 %."""
_STEPS = 3
_TEST = "questions-words"


def more_stable(*changes: Estimate) -> Verdict:
    """Judge a setting more stable if the loss falls, by itself and as a part of chance; undecided if these disagree.

    A loss may fall, or rise, because a space collapses, or spreads out: then only one of the two changes.
    """
    verdicts = {decide(change.interval, -math.inf, 0) for change in changes}
    return verdicts.pop() if len(verdicts) == 1 else "undecided"


MORE_STABLE = Claim[Sequence[Estimate]](
    id="sweep.longer-is-more-stable",
    says="{label}: longer training is more stable",
    source="3.1",
    paper="Rettenmeier found more stable embeddings of word2vec and fastText, in all six languages",
    rule="95 % intervals of the changes of the loss and of its share of chance below 0; no if both are above",
    judge=lambda changes: more_stable(*changes),
)
BETTER = Claim[Estimate](
    id="sweep.longer-is-better",
    says="{label}: longer training solves more analogies",
    source="3.1",
    paper="Rettenmeier found higher scores of word2vec and fastText in the mean",
    rule="95 % interval of the change above 0",
    judge=lambda gain: above(gain, 0),
)
LEVELS_OFF = Claim[Estimate](
    id="sweep.levels-off",
    says="The loss of {kind} reaches a plateau over {parameter}",
    source="3.1",
    paper="Rettenmeier found a plateau at a certain point, especially of word2vec",
    rule=f"95 % interval of the last change above {PLATEAU:g} %; no if below",
    judge=lambda change: above(change, PLATEAU),
)


def observation_table(plans: Sequence[Setting], measured: Mapping[str, Measured], changes: Table) -> Table[Observation]:
    """Return the verdicts on §3.1 that settings of longer training, and these alone, allow; of shuffled runs.

    Args:
        plans: the settings, the baseline among them.
        measured: the numbers of all of them.
        changes: against the baseline.
    """
    technique, runs = plans[0].plan.techniques[0], plans[0].plan.runs
    if technique not in TECHNIQUES:
        return OBSERVED.table()
    base = values_of(next(setting.plan for setting in plans if setting.label == BASELINE))
    rows = [
        row
        for setting in plans
        if setting.changed and all(name in TRAINING and value > base[name] for name, value in setting.changed.items())
        for row in _of_setting(setting.label, technique, runs, changes)
    ]
    for name in TRAINING:
        rows += _of_plateau(name, technique, runs, _along(name, plans), measured)
    return OBSERVED.table(rows)


def _of_setting(label: str, technique: str, runs: int, changes: Table) -> Iterator[Observation]:
    rows = {row.measure: row for row in CHANGES.rows({CHANGES.name: changes}, setting=label, sampling="shuffled")}
    losses = [
        Estimate.of_runs(rows[name].percent, rows[name].percent_se, runs)
        for name in ("reduced_pip", SHARE)
        if name in rows
    ]
    if losses:
        names = ("loss", "share of chance")
        shows = ", ".join(f"{name} {x.text('+.1f')} %" for name, x in zip(names, losses, strict=False))
        yield MORE_STABLE.observed(losses, technique, shows, label=label)
    if _TEST in rows:
        gain = Estimate.of_runs(100 * rows[_TEST].difference, 100 * rows[_TEST].se, runs)
        yield BETTER.observed(gain, technique, f"{gain.text('+.2f')} points", label=label)


def _along(name: str, plans: Sequence[Setting]) -> list[tuple[float, str]]:
    """Values and labels of the settings that differ from the baseline in one parameter at most, rising."""
    there = [(values_of(s.plan)[name], s.label) for s in plans if set(s.changed) <= {name}]
    return sorted(there) if len(there) >= _STEPS else []


def _of_plateau(
    name: str, technique: str, runs: int, values: Sequence[tuple[Any, str]], measured: Mapping[str, Measured]
) -> Iterator[Observation]:
    if technique not in ("sgns", "cbow") or not values:
        return
    (less, before), (more, after) = values[-2:]
    (was, was_se), (value, se) = (numbers_of(measured[x])["shuffled", "reduced_pip"] for x in (before, after))
    step = change(was, value, was_se, se)
    percent = Estimate.of_runs(step.percent, step.percent_se, runs)
    shows = f"from {less} to {more} {percent.text('+.1f')} %"
    yield LEVELS_OFF.observed(percent, technique, shows, kind=AS_IN_THESIS.get(technique, technique), parameter=name)
