"""What a parameter does: its values in order with their numbers, and sentences on the least and the largest of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from gpustab.results import Column, Sheet, Table
from gpustab.results.page import cell, number, percent
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.chance import at_chance
from gpustab.studies.shared.claims import Claim, above
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.shared.unfit import RULE, Unfit, together
from gpustab.studies.shared.wording import capital, difference_span, listed, word
from gpustab.studies.sweep.claims import HALF_COLLAPSED, no_comparison
from gpustab.studies.sweep.measure import EXTRINSIC, FEW_PAIRS, NEIGHBOURS, SHARE, Measured, numbers_of
from gpustab.studies.sweep.plans import Setting, values_of

P = f"p@{NEIGHBOURS}"
_JUDGED = ("bootstrap", "shuffled", "fixed")
"""By which runs a parameter is judged, the first that are there: bootstrap runs hold what the others do."""


class Along(NamedTuple):
    """One number of a setting, placed by its value of the parameter that sets it apart from the baseline."""

    parameter: str
    value: Any
    setting: str
    sampling: str
    measure: Annotated[str, Column(about="share_of_chance, p@10 or the name of a test")]
    mean: Annotated[float, Column(about="over pairs of runs; of scores: over runs")]
    se: Annotated[float, Column(about="jackknife over runs")]
    runs: int
    used: Annotated[int | None, Column(about="pairs or questions of a test that were asked, the fewest of all values")]

    @property
    def estimate(self) -> Estimate:
        """The number with its error."""
        return Estimate.of_runs(self.mean, self.se, self.runs)


ALONG = Sheet("along", Along, "one row a parameter, value, sampling and measure, values from small to large")


def along(plans: Sequence[Setting], measured: Mapping[str, Measured], parameters: Sequence[str]) -> Table[Along]:
    """Return the numbers of all settings that differ from the baseline in one parameter at most, by that parameter.

    Parameters that were varied together have no order and are left out.
    """
    rows: list[Along] = []
    for name in parameters:
        there = [s for s in plans if set(s.changed) <= {name} and name in values_of(s.plan)]
        values = [values_of(s.plan)[name] for s in there]
        order = sorted(range(len(there)), key=values.__getitem__) if _numeric(values) else range(len(there))
        used = _fewest(measured[setting.label] for setting in there)
        for k in order if len(there) > 1 else ():
            setting = there[k]
            for (sampling, what), (mean, se) in numbers_of(measured[setting.label]).items():
                if sampling != EXTRINSIC and what != "reduced_pip":
                    place = (name, values[k], setting.label, sampling, what)
                    rows.append(Along(*place, mean, se, setting.plan.runs, used.get(what)))
    return ALONG.table(rows)


def _numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _fewest(measured: Iterator[Measured]) -> dict[str, int]:
    """By test how many of its pairs were asked at least."""
    used: dict[str, int] = {}
    for one in measured:
        for row in one.scores.records():
            used[row["test"]] = min(used.get(row["test"], row["used"]), row["used"])
    return used


class Effect(NamedTuple):
    """One number at the least and at the largest value of a parameter.

    Attributes:
        parameter: its name.
        low: its least value; the first of values without order.
        high: its largest.
        kind: the runs.
        before: p@10 at the least value.
        after: at the largest.
        loss_before: loss as a share of chance at the least value.
        loss_after: at the largest.
        silent: what forbids to compare the settings; then nothing is judged.
        collapsed: settings along the parameter whose words all point one way; then nothing is judged.
        unlike: why the losses at the two ends do not compare; then neighbours alone are judged.
    """

    parameter: str
    low: Any
    high: Any
    kind: str
    before: Estimate
    after: Estimate
    loss_before: Estimate
    loss_after: Estimate
    silent: Unfit = Unfit()
    collapsed: Sequence[str] = ()
    unlike: str = ""

    @property
    def name(self) -> str:
        """The parameter as people write it."""
        return self.parameter.replace("_", " ")

    @property
    def nothing(self) -> bool:
        """Whether runs are hardly more alike than unrelated spaces at both values."""
        return all(at_chance(share, 1.0) == "yes" for share in (self.loss_before, self.loss_after))

    @property
    def by_neighbours(self) -> int:
        """1 if neighbours surely are more stable at the largest value, −1 if less, else 0."""
        return _sign(self.after.minus(self.before))

    @property
    def by_loss(self) -> int:
        """The same by the loss; 0 where losses do not compare."""
        return 0 if self.unlike else -_sign(self.loss_after.minus(self.loss_before))

    @property
    def neighbours(self) -> str:
        """What comes back, as a sentence."""
        low, high = (10 * x for x in self.after.minus(self.before).interval)
        return (
            f"With {self.name} = {cell(self.high)} instead of {cell(self.low)}, {number(10 * self.after.value, 2)} of "
            f"ten nearest neighbours come back in {self.kind} runs instead of {number(10 * self.before.value, 2)} "
            f"(difference {difference_span(low, high, 1)})."
        )

    @property
    def losses(self) -> str:
        """How the loss changes, a clause."""
        low, high = (100 * x for x in self.loss_after.minus(self.loss_before).interval)
        return (
            f"the PIP loss of {self.kind} runs is {percent(self.loss_after.value)} of that of unrelated spaces instead "
            f"of {percent(self.loss_before.value)} (difference {difference_span(low, high, 0)} points)"
        )


def _sign(change: Estimate) -> int:
    low, high = change.interval
    return 1 if low > 0 else -1 if high < 0 else 0


def _judge(effect: Effect) -> str:
    if effect.silent or effect.collapsed or effect.nothing or math.isnan(effect.after.minus(effect.before).interval[0]):
        return "no test"
    if effect.by_neighbours * effect.by_loss < 0:
        return "disagree"
    return {1: "more", -1: "less", 0: "open"}[effect.by_neighbours]


def _beside(effect: Effect) -> str:
    if effect.unlike:
        return f"The PIP losses do not compare: {effect.unlike}."
    same = effect.by_loss == effect.by_neighbours != 0
    return f"The cosines of all words {'say the same' if same else 'do not decide'}: {effect.losses}."


def _why_not(effect: Effect) -> str:
    """Why an effect is not tested, the end of a sentence."""
    if effect.silent:
        return f": {effect.silent.why}. {effect.silent.advice}."
    if effect.collapsed:
        fallen = listed(list(effect.collapsed))
        return f". The words of {fallen} all point one way, so that this says nothing. Train longer."
    if effect.nothing:
        losses = f"{percent(effect.loss_before.value)} and {percent(effect.loss_after.value)} of chance"
        return (
            f". Two {effect.kind} runs are hardly more alike than unrelated spaces, with {effect.name} = "
            f"{cell(effect.low)} and with {cell(effect.high)} (PIP loss {losses}). Nothing was learned that could be "
            "stable, and more runs do not help."
        )
    return (
        f": two runs give no interval. With {effect.name} = {cell(effect.high)} instead of {cell(effect.low)}, "
        f"{number(10 * effect.after.value, 2)} of ten nearest neighbours come back in {effect.kind} runs instead of "
        f"{number(10 * effect.before.value, 2)}. The PIP loss is {percent(effect.loss_after.value)} of that of "
        f"unrelated spaces instead of {percent(effect.loss_before.value)}. Train at least three."
    )


EFFECT = Claim[Effect](
    id="sweep.parameter-matters",
    says="A parameter changes how stable the neighbours are.",
    rule=(
        "the 95 % interval of the difference of p@10 between the least and the largest value lies on one side of 0. "
        "Disagree: the loss as a share of chance surely says the opposite. That loss is left out where one setting "
        f"alone has half collapsed (mean cosine above {HALF_COLLAPSED:g}). No test of two runs, or "
        f"{RULE}. No test either where a setting has collapsed (mean cosine above "
        f"{COLLAPSED:g}), or the runs of both values are hardly more alike than unrelated spaces"
    ),
    judge=_judge,
    sentences={
        "more": lambda x: f"Raising {x.name} makes neighbours more stable. {x.neighbours} {_beside(x)}",
        "less": lambda x: f"Raising {x.name} makes neighbours less stable. {x.neighbours} {_beside(x)}",
        "disagree": lambda x: (
            f"The two measures say opposite things about {x.name}, so name the measure. {x.neighbours} By the cosines "
            f"of all words {x.losses}."
        ),
        "open": lambda x: (
            f"These runs are too few to say whether raising {x.name} changes stability. {x.neighbours} {_beside(x)}"
        ),
        "no test": lambda x: f"The effect of {x.name} on stability is not tested{_why_not(x)}",
    },
)


class Scores(NamedTuple):
    """Scores of the tests that can be judged, at the least and at the largest value: name, then both."""

    parameter: str
    tests: Sequence[tuple[str, Estimate, Estimate]]
    kind: str = "bootstrap"

    @property
    def stricter(self) -> str:
        """By which interval several tests are judged, in a bracket: the 95 % ones of the page are narrower."""
        return f"; each is judged as one of {len(self.tests)} tests, by wider intervals than the tables have" * (
            len(self.tests) > 1
        )

    @property
    def sure(self) -> list[tuple[str, Estimate]]:
        """The tests whose score surely changes, with the change; each is one of so many."""
        changes = [(name, after.minus(before)) for name, before, after in self.tests]
        return [(name, change) for name, change in changes if above(change, 0, len(changes)) in ("yes", "no")]


def _silent(tests: int) -> str:
    """How many tests show no sure change, a sentence; nothing of none."""
    return f" {capital(word(tests))} other {'test shows' if tests == 1 else 'tests show'} no sure change." * bool(tests)


SCORES = Claim[Scores](
    id="sweep.scores-change",
    says="A parameter changes the scores of tests.",
    rule=(
        "the 95 % interval of the difference of a score between its least and its largest value lies on one side of 0. "
        f"A score is judged as one of so many tests. No test of fewer than {FEW_PAIRS} pairs"
    ),
    judge=lambda x: "no test" if not x.tests else "yes" if x.sure else "open",
    sentences={
        "yes": lambda x: (
            "Scores change: "
            + listed(
                [
                    f"{name} {'rises' if change.value > 0 else 'falls'} by {number(abs(change.value), 2)} "
                    f"({difference_span(*change.interval)})"
                    for name, change in x.sure
                ]
            )
            + "."
            + _silent(len(x.tests) - len(x.sure))
        ),
        "open": lambda x: (
            f"No score surely changes from the least to the largest value of {x.parameter} ({x.kind} runs: "
            + listed([f"{name} from {number(a.value, 2)} to {number(b.value, 2)}" for name, a, b in x.tests])
            + f"{x.stricter})."
        ),
        "no test": (
            f"The effect of {{parameter}} on scores is not judged: no test has {FEW_PAIRS} pairs among these words."
        ),
    },
)


def effects(table: Table[Along], measured: Mapping[str, Measured], settings: Table) -> Iterator[tuple[Effect, Scores]]:
    """Yield what each parameter does, between its least and its largest value.

    Args:
        table: the numbers along the parameters.
        measured: of all settings: what forbids to compare.
        settings: of all settings and samplings, with the mean cosine of two words.
    """
    cosines = {(row["setting"], row["sampling"]): row["mean_cosine"] for row in settings.records()}
    for name, part in table.split("parameter"):
        kind = next((kind for kind in _JUDGED if kind in part["sampling"]), "")
        rows = list(ALONG.rows({ALONG.name: part}, sampling=kind))
        ends = rows[0].setting, rows[-1].setting
        of = {(row.setting, row.measure): row.estimate for row in rows}
        nothing = Estimate(math.nan, math.nan, 0)
        before, after = ({m: of.get((end, m), nothing) for m in (P, SHARE)} for end in ends)
        silent = together(measured[end].unfit.get(kind, Unfit()) for end in ends if end in measured)
        means = {row.setting: cosines.get((row.setting, kind)) for row in rows}
        fallen = [setting for setting, mean in means.items() if mean is not None and mean > COLLAPSED]
        unlike = no_comparison(*(means[end] for end in ends))
        found = (before[P], after[P], before[SHARE], after[SHARE])
        yield (
            Effect(name, rows[0].value, rows[-1].value, kind, *found, silent, fallen, unlike),
            Scores(
                name.replace("_", " "),
                [
                    (row.measure, row.estimate, of[ends[1], row.measure])
                    for row in rows
                    if row.setting == ends[0]
                    and row.measure not in (P, SHARE)
                    and (row.used or 0) >= FEW_PAIRS
                    and (ends[1], row.measure) in of
                ],
                kind,
            ),
        )
