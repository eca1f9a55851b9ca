"""What a sweep shows of the thesis' §3.1: does longer training make spaces more stable, up to a plateau, and better?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpustab.results.table import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import AS_IN_THESIS, OBSERVED, Claim, Margin, Observation, Verdict, above, below
from gpustab.studies.shared.unfit import RULE, Unfit, together
from gpustab.studies.shared.wording import change_by, with_error
from gpustab.studies.sweep.measure import CHANGES, FEW_PAIRS, SHARE, Measured, change, numbers_of
from gpustab.studies.sweep.plans import BASELINE, Setting, values_of

TRAINING = ("epochs", "negative")
"""Parameters of which more is longer training."""
TECHNIQUES = ("sgns", "cbow", "fasttext")
PLATEAU = Margin(-2.0, "percent from the second largest value to the largest, above which a loss has stopped falling")
"""In table 3.1 it is -1.1 to +12.5 % from 20 to 40 epochs, in table 3.2, where nothing is said to stop, -9.4 to
-5.6 %."""
HALF_COLLAPSED = Margin(
    0.5, "mean cosine of two words above which a space has half collapsed, so that its loss is small"
)
_COSINES_APART = 0.1
"""Mean cosines of two settings that differ by more are different geometries."""
_STEPS = 3
_TEST = "questions-words"


_FAR = f"No test {RULE}, in the setting or in what it is compared with"
_ALIKE = f"No test of two runs, or if one setting alone has half collapsed (mean cosine above {HALF_COLLAPSED:g})"
_EACH = "A setting is judged as one of so many"
_SAMPLING = "shuffled"


def no_comparison(*cosines: float | None) -> str:
    """Return why the losses of two settings do not compare, by the mean cosines of their words; else nothing.

    >>> no_comparison(0.87, 0.27)
    'the mean cosine of two words is 0.87 in one and 0.27 in the other'
    >>> no_comparison(0.4, 0.2), no_comparison(0.6, 0.55), no_comparison(0.87, None)
    ('', '', '')
    """
    known = [x for x in cosines if x is not None and not math.isnan(x)]
    if len(known) < len(cosines) or max(known) <= HALF_COLLAPSED or max(known) - min(known) <= _COSINES_APART:
        return ""
    return f"the mean cosine of two words is {known[0]:.2f} in one and {known[1]:.2f} in the other"


class Changed(NamedTuple):
    """What is judged of a setting.

    Attributes:
        by: changes, with their errors over runs.
        unfit: what forbids to compare, in the setting or in what it is compared with.
        unlike: why the numbers of the two settings do not compare.
        of: how many settings are compared with the baseline, which share its runs.
    """

    by: Sequence[Estimate]
    unfit: Unfit = Unfit()
    unlike: str = ""
    of: int = 1


def _tested(judge: Callable[[Changed], Verdict]) -> Callable[[Changed], Verdict]:
    """The rule, and no test where runs are unfit, numbers do not compare, or two runs give no interval."""

    def tested(changed: Changed) -> Verdict:
        unsure = any(math.isnan(change.half) for change in changed.by)
        return "no test" if changed.unfit or changed.unlike or unsure else judge(changed)

    return tested


def _falls(changed: Changed) -> Verdict:
    """Undecided if the measures disagree.

    A loss may fall, or rise, because a space collapses, or spreads out: then only one of the two changes.
    """
    verdicts = {below(change, 0, changed.of) for change in changed.by}
    return verdicts.pop() if len(verdicts) == 1 else "undecided"


def _rises(changed: Changed) -> Verdict:
    (gain,) = changed.by
    return above(gain, 0, changed.of)


MORE_STABLE = Claim[Changed](
    id="sweep.longer-is-more-stable",
    says="Longer training is more stable ({label})",
    source="3.1",
    paper="Rettenmeier found more stable embeddings of word2vec and fastText, in all six languages",
    rule=f"the 95 % intervals of the changes of the loss and of its share of chance lie below 0; no if above. {_EACH}. "
    f"{_FAR}. {_ALIKE}",
    judge=_tested(_falls),
)
BETTER = Claim[Changed](
    id="sweep.longer-is-better",
    says="Longer training solves more analogies ({label})",
    source="3.1",
    paper="Rettenmeier found higher scores of word2vec and fastText on average",
    rule=f"the 95 % interval of the change lies above 0. {_EACH}. {_FAR}. No test of fewer than {FEW_PAIRS} questions",
    judge=_tested(_rises),
)
LEVELS_OFF = Claim[Changed](
    id="sweep.levels-off",
    says="The loss of {kind} reaches a plateau with more {parameter}",
    source="3.1",
    paper="Rettenmeier found a plateau at a certain point, especially of word2vec",
    rule=f"the loss falls by less than {-PLATEAU:g} % in the last step, beyond the 95 % interval. {_FAR}. {_ALIKE}",
    judge=_tested(lambda changed: above(changed.by[0], PLATEAU)),
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
    longer = [
        setting.label
        for setting in plans
        if setting.changed and all(name in TRAINING and value > base[name] for name, value in setting.changed.items())
    ]
    rows = [row for label in longer for row in _of_setting(label, technique, runs, changes, measured, len(longer))]
    for name in TRAINING:
        rows += _of_plateau(name, technique, runs, _along(name, plans), measured)
    return OBSERVED.table(rows)


def _unfit(measured: Mapping[str, Measured], *labels: str) -> Unfit:
    """What forbids to compare settings."""
    return together(measured[label].unfit.get(_SAMPLING, Unfit()) for label in labels)


def _unlike(measured: Mapping[str, Measured], *labels: str) -> str:
    """Why the losses of two settings do not compare."""
    means = [
        row.get("mean_cosine")
        for label in labels
        for row in measured[label].settings.records()
        if row["sampling"] == _SAMPLING
    ]
    return no_comparison(*means)


def _few(measured: Mapping[str, Measured], *labels: str) -> str:
    """Why the analogies solved in two settings do not compare."""
    asked = [row["used"] for label in labels for row in measured[label].scores.records() if row["test"] == _TEST]
    return f"only {min(asked)} questions can be asked" if asked and min(asked) < FEW_PAIRS else ""


def _beside(shows: str, silent: Unfit, unlike: str) -> str:
    return "; ".join(filter(None, (shows, silent.why, unlike)))


def _moves(percent: Estimate) -> str:
    """Return which way a number goes, and by how many percent."""
    if math.isnan(percent.value):
        return "is unknown"
    value, low, high = (x / 100 for x in (percent.value, *percent.interval))
    return f"{'rises' if value > 0 else 'falls'} by {change_by(value, low, high)}"


def _of_setting(
    label: str, technique: str, runs: int, changes: Table, measured: Mapping[str, Measured], of: int
) -> Iterator[Observation]:
    silent = _unfit(measured, BASELINE, label)
    rows = {row.measure: row for row in CHANGES.rows({CHANGES.name: changes}, setting=label, sampling=_SAMPLING)}
    losses = [
        Estimate.of_runs(rows[name].percent, rows[name].percent_se, runs)
        for name in ("reduced_pip", SHARE)
        if name in rows
    ]
    if losses:
        names = ("loss", "share of chance")
        shows = ", ".join(f"{name} {_moves(x)}" for name, x in zip(names, losses, strict=False))
        unlike = _unlike(measured, BASELINE, label)
        judged = Changed(losses, silent, unlike, of)
        yield MORE_STABLE.observed(judged, technique, _beside(shows, silent, unlike), label=label)
    if _TEST in rows:
        gain = Estimate.of_runs(100 * rows[_TEST].difference, 100 * rows[_TEST].se, runs)
        shows = f"{with_error(gain)} points more"
        few = _few(measured, BASELINE, label)
        yield BETTER.observed(Changed([gain], silent, few, of), technique, _beside(shows, silent, few), label=label)


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
    (was, was_se), (value, se) = (numbers_of(measured[x])[_SAMPLING, "reduced_pip"] for x in (before, after))
    step = change(was, value, was_se, se)
    percent = Estimate.of_runs(step.percent, step.percent_se, runs)
    silent, kind = _unfit(measured, before, after), AS_IN_THESIS.get(technique, technique)
    unlike = _unlike(measured, before, after)
    shows = _beside(f"from {less} to {more} the loss {_moves(percent)}", silent, unlike)
    yield LEVELS_OFF.observed(Changed([percent], silent, unlike), technique, shows, kind=kind, parameter=name)
