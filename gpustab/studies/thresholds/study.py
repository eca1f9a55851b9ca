"""When is a similarity value meaningful? Distributions and thresholds of similarity, over runs (Elekes et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gpustab import engine
from gpustab.errors import InputError
from gpustab.evaluation.files import SimilarityTest
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress
from gpustab.options import chosen, record
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.group import Group, loaded
from gpustab.runs.runs import Runs
from gpustab.studies.shared.claims import OBSERVED, Observation
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, without_copies
from gpustab.studies.shared.same_runs import fingerprints
from gpustab.studies.shared.spaces import flaws_of
from gpustab.studies.shared.unfit import Unfit, together, unfit
from gpustab.studies.shared.wording import groups_in_words, the_runs
from gpustab.studies.thresholds.baselines import Baseline, Bases, Levels, Similarity, bases_of, items_of
from gpustab.studies.thresholds.claims import (
    MANY,
    MEANINGFUL,
    NO_ONE_FITS,
    STAYS,
    Apart,
    alarms_of,
    cosine,
    over,
    thresholds_of,
)
from gpustab.studies.thresholds.claims_of_paper import HANGS_ON_SIZE, NARROWS, ONE_SHAPE, sizes_of, space, tests_of
from gpustab.studies.thresholds.distributions import Distribution, Law, compare, distribution
from gpustab.studies.thresholds.evaluation import installed_tests, scores
from gpustab.studies.thresholds.numbers import KEPT, RunNumbers, Tables, add, add_scores, find, summary
from gpustab.studies.thresholds.options import TESTS, ThresholdsOptions
from gpustab.studies.thresholds.rules import RULES
from gpustab.studies.thresholds.tables import MOMENTS, SHAPES, THRESHOLDS, Comparison, OverRuns


def key_of(runs: Runs, r: int, baseline: Baseline | None, options: ThresholdsOptions, compute: Compute) -> str:
    """Return a name for all that one run's numbers depend on: vectors, baseline, options, precision, version."""
    chosen = record(options) | {"tests": None, "draws": None}  # which the numbers of a run do not depend on
    parts = [fingerprints(runs.take([r]))[0].hex(), runs.name, runs.names[r], runs.centre, runs.unit]
    parts += [int(runs.joint.sum()), chosen, str(compute.dtype), environment(compute.device).get("gpustab")]
    if baseline is None:
        return digest_of(parts)
    first = baseline.block(0, 1) if isinstance(baseline, Levels) else baseline.pairs  # another WordNet differs there
    return digest_of([*parts, baseline.name], baseline.rows, baseline.values, first)


class Measured(NamedTuple):
    """What is kept of a group when its runs are let go.

    Attributes:
        name: of the group.
        distributions: one per run.
        numbers: one per run; empty where there is no baseline.
        silent: whether an alarm forbids to read its numbers.
        without: why it has no thresholds; empty if it has some.
        unfit: what forbids to compare it with other groups.
    """

    name: str
    distributions: list[Distribution]
    numbers: list[RunNumbers]
    silent: bool
    without: str
    unfit: Unfit


def thresholds(
    groups: Groups,
    options: ThresholdsOptions | None = None,
    *,
    baseline: Similarity | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
    **choices: Any,
) -> Result:
    """Find from where on similarity is meaningful in some groups of runs, and how similarities are distributed.

    Every run is measured by itself; groups are held in memory one after the other. One run suffices: with several,
    every threshold has an error over training.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`.
        options: what similarity is compared with, and by which rules.
        baseline: a function of two words instead of WordNet, asked for ``options.pairs`` random pairs; ``None`` where
            it has no value.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        finished: folder where runs that are finished are kept, so that a stopped call goes on from there; who calls
            removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`ThresholdsOptions`.

    Returns:
        Tables ``thresholds`` (over runs) and ``thresholds_by_run``, ``moments``, ``shapes``, ``paper_sizes``,
        ``scores``, and long ones of groups, places and distributions; see
        :mod:`gpustab.studies.thresholds.tables`. A group of which the baseline knows too few words, as one of vectors
        of documents, is only in those of distributions.

    Raises:
        InputError: if WordNet is not here, or a file cannot be read.
    """
    options = chosen(ThresholdsOptions, options, choices)
    with answering("thresholds", options, groups, compute, progress) as answer:
        given = groups_of(groups)
        bases = bases_of(options, baseline)
        columns = {"word_columns": options.word_columns, "score_column": options.score_column}
        tests = list(installed_tests(options.tests, answer.result.notes, columns))
        answer.result.notes += [note for test in tests for note in _said_of(test)]
        measured = [
            _measure(group, bases, options, tests, answer, Finished(finished, KEPT), number / len(given), len(given))
            for number, group in enumerate(given)
        ]
        answer.report("equal shapes", 0.95)
        laws: dict[str, Sequence[Law]] = {own.name: [x.law for x in own.distributions] for own in measured}
        if known := [own.numbers[0].law for own in measured if own.numbers]:
            laws[known[0].name + " (baseline)" * (known[0].name in laws)] = known[:1]
        unfit_groups = {own.name: own.unfit for own in measured if own.unfit}
        shapes = compare(laws, options.draws, options.seed)
        answer.result.tables[SHAPES.name] = Table.of(_tested(row, unfit_groups) for row in shapes)
        silent = [own.name for own in measured if own.silent]
        without = {own.name: own.without for own in measured if own.without}
        answer.result.verdict = verdict(answer.result.tables, silent, without, unfit_groups)
        answer.result.tables[OBSERVED.name] = OBSERVED.table(observations(answer.result.tables, silent, unfit_groups))
    return answer.result


Forbidden = Mapping[str, Unfit]
"""What forbids to compare a group with others, by group."""


def verdict(
    tables: Tables,
    silent: Collection[str] = (),
    without: Mapping[str, str] | None = None,
    unfit_groups: Forbidden | None = None,
) -> list[str]:
    """Return the answer in sentences: where thresholds lie, whether they differ, whether training moves them.

    Args:
        tables: of the study.
        silent: groups whose numbers an alarm forbids to read.
        without: why a group has no thresholds.
        unfit_groups: what forbids to compare a group with others.
    """
    rows = [row for row in THRESHOLDS.rows(tables, kind="value") if row.group not in silent]
    thresholds = list(thresholds_of(rows))
    there = [threshold.chance for threshold in thresholds if MEANINGFUL.judge(threshold) == "yes"]
    lacking = {group: why for group, why in (without or {}).items() if group not in silent}
    return [
        *map(MEANINGFUL.sentence, thresholds),
        *_compared(there, unfit_groups or {}),
        *_stable(there),
        *_without(tables, lacking),
    ]


def observations(
    tables: Tables, silent: Collection[str] = (), unfit_groups: Forbidden | None = None
) -> Iterator[Observation]:
    """Yield what the runs of every group show of every claim; of one that none can be judged by, why.

    Args:
        tables: of the study.
        silent: groups whose numbers an alarm forbids to read.
        unfit_groups: what forbids to compare a group with others.
    """
    rows = [row for row in THRESHOLDS.rows(tables, kind="value") if row.group not in silent]
    thresholds = list(thresholds_of(rows))
    paper = {row.group: cosine(row.mean) if row.found else "none" for row in rows if row.rule == "paper"}
    there = [own.chance for own in thresholds if MEANINGFUL.judge(own) == "yes"]
    found = []
    for own in thresholds:
        both = f"{own.place} by our rule and {paper[own.chance.group]} by the paper's"
        found.append(MEANINGFUL.observed(own, own.chance.group, both))
    yield from found or [MEANINGFUL.open("no group has thresholds")]
    if len(there) > 1:
        high, low = (most(there, key=attrgetter("mean")) for most in (max, min))
        both = f"{cosine(high.mean)} for {the_runs(high.group)} and {cosine(low.mean)} for {the_runs(low.group)}"
        yield NO_ONE_FITS.observed(_apart(high, low, len(there), unfit_groups or {}), "", both)
    else:
        yield NO_ONE_FITS.open("there are no two groups with thresholds")
    stay = [STAYS.observed(row, row.group, over(row)) for row in there if row.sd is not None]
    none = "no group with a threshold has two runs" if there else "no group has a threshold in every run"
    yield from stay or [STAYS.open(none)]
    sizes = [own for own in sizes_of(tables) if own.high.group not in silent]
    hang = [HANGS_ON_SIZE.observed(own, own.high.group, own.both) for own in sizes]
    yield from hang or [HANGS_ON_SIZE.open("there are no two sizes to compare")]
    shapes = [row for row in SHAPES.rows(tables) if row.first != row.second and not {row.first, row.second} & {*silent}]
    pairs = [(row, f"{space(row.first)} and {space(row.second)}") for row in shapes]
    apart = [ONE_SHAPE.observed(row, both, f"{row.distance:.3f} apart") for row, both in pairs]
    yield from apart or [ONE_SHAPE.open("there are no two groups")]
    tests = [own for own in tests_of(tables) if own.rows and own.rows[0].group not in silent]
    narrow = [NARROWS.observed(own, own.rows[0].group, own.changes) for own in tests]
    yield from narrow or [NARROWS.open("no pair of a test lies below a threshold")]


def _tested(row: Comparison, unfit_groups: Forbidden) -> Comparison:
    """The comparison of two groups is no test where something forbids to compare one with others."""
    untested = row.first != row.second and {row.first, row.second} & {*unfit_groups}
    return row._replace(shape="no test") if untested else row


def _apart(high: OverRuns, low: OverRuns, groups: int, unfit_groups: Forbidden) -> Apart:
    return Apart(high, low, groups, together(unfit_groups.get(row.group, Unfit()) for row in (high, low)))


def _compared(rows: Sequence[OverRuns], unfit_groups: Forbidden) -> Iterator[str]:
    """Which group needs the higher cosine; of many groups, as a sweep has them, the highest and the lowest."""
    mean = attrgetter("mean")
    if len(rows) > MANY:
        yield NO_ONE_FITS.sentence(_apart(max(rows, key=mean), min(rows, key=mean), len(rows), unfit_groups))
        return
    for pair in combinations(rows, 2):
        high, low = sorted(pair, key=mean, reverse=True)
        yield NO_ONE_FITS.sentence(_apart(high, low, 2, unfit_groups))


def _stable(rows: Sequence[OverRuns]) -> Iterator[str]:
    """Does retraining move the thresholds?"""
    several = [row for row in rows if row.sd is not None]
    if len(several) <= MANY:
        yield from map(STAYS.sentence, several)
        return
    number = Counter(map(STAYS.judge, several))
    most = max(row.sd or 0.0 for row in several)
    yield (
        f"Retraining moves the threshold in {number['no']} of {len(several)} groups and does not move it in "
        f"{number['yes']}. In {number['undecided']} the runs are too few to say. The SD is {most:.3f} at most."
    )


def _without(tables: Tables, why: Mapping[str, str]) -> Iterator[str]:
    """Groups of documents, n-grams, or words that the baseline does not know."""
    for group, reason in why.items():
        means = [row.mean for row in MOMENTS.rows(tables, group=group)]
        over = f", SD {stdev(means):.3f} over {len(means)} runs" if len(means) > 1 else ""
        mean = f"Two items have a mean cosine of {cosine(fmean(means))}{over}."
        yield f"{groups_in_words([group])} has no thresholds: {reason}. {mean}"


def _measure(
    group: Runs | Group,
    bases: Bases,
    options: ThresholdsOptions,
    tests: Sequence[SimilarityTest],
    answer: Answer,
    finished: Finished,
    start: float,
    of: int,
) -> Measured:
    """Measure one group and add it to the answer."""
    answer.report(f"{group.name}: reading", start)
    runs = engine.place(loaded(group), answer.compute)
    runs = without_copies(runs, answer, "the thresholds")
    base, without = bases(runs, items_of(group))
    flaws = None
    if len(runs) > 2 and int(runs.joint.sum()) > 1:
        flaws = flaws_of(runs, engine.pip_pass(runs, answer.compute))
    answer.notes[runs.name] = [
        *runs.notes,
        *(base.notes if base else ()),
        *([*flaws.far, *flaws.apart] if flaws else ()),
    ]
    if len(runs) == 1 and base:
        answer.notes[runs.name].append("One run: how far another training would move its thresholds, it cannot tell.")
    kept: list[tuple[Distribution, RunNumbers | None]] = []
    for r, name in enumerate(runs.names):

        def tell(work: str, part: float, r: int = r, name: str = name) -> None:
            answer.report(f"{runs.name}, {name}: {work}", start + 0.9 * (r + part) / len(runs) / of)

        key = key_of(runs, r, base, options, answer.compute)
        if (own := finished.get(key)) is None:
            own = _measure_run(runs, r, base, options, answer.compute, tell)
            finished.put(key, own)
        kept.append(own)
    distributions, numbers = [own for own, _ in kept], [own for _, own in kept if own is not None]
    means = dict(zip(runs.names, (own.law.moments.mean for own in distributions), strict=True))
    alarms = list(alarms_of(runs.name, means, numbers[0].pairs if numbers else None))
    forbids = unfit(flaws, the_runs(runs.name)) if flaws else Unfit()
    measured = Measured(runs.name, distributions, numbers, bool(alarms), without, forbids)
    answer.result.alarms += alarms
    add(answer.result.tables, measured.name, runs.names, distributions, numbers)
    if numbers:
        _score(runs, tests, numbers, options, answer)
    answer.result.groups.append(summary(runs, base, answer.result.tables, numbers))
    return measured


def _measure_run(
    runs: Runs, r: int, base: Baseline | None, options: ThresholdsOptions, compute: Compute, tell: Progress
) -> tuple[Distribution, RunNumbers | None]:
    own = distribution(runs, r, options, compute, lambda part: tell("similarities", part / 5))
    return own, find(runs, r, base, options, compute, tell) if base else None


def _said_of(test: SimilarityTest) -> Iterator[str]:
    """Yield which columns were read, and of a file of one's own what else was found in it."""
    columns, *others = test.notes
    yield columns
    if test.name not in TESTS:
        yield from (f"{test.name}: {note}" for note in others)


def _score(
    runs: Runs,
    tests: Sequence[SimilarityTest],
    numbers: Sequence[RunNumbers],
    options: ThresholdsOptions,
    answer: Answer,
) -> None:
    """Score the tests at the paper's threshold and at ours."""
    cuts: dict[str, list[float | None]] = {"paper": [run.paper.cut for run in numbers]}
    for rule in RULES:
        by_run = (next(x for x in run.thresholds if (x.kind, x.rule) == ("value", rule)) for run in numbers)
        cuts[rule] = [own.estimate for own in by_run]
    rows = []
    for test in tests:
        try:
            rows += list(scores(runs, test, cuts, answer.compute, options.seed, answer.notes[runs.name]))
        except InputError as error:
            answer.result.notes.append(f"{groups_in_words([runs.name])}: {test.name} is not scored: {error}")
    add_scores(answer.result.tables, rows)
