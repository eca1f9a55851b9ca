"""When is a similarity value meaningful? Distributions and thresholds of similarity, over runs (Elekes et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpustab import engine
from gpustab.errors import InputError
from gpustab.evaluation.similarity_file import SimilarityTest
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.group import Group, loaded
from gpustab.runs.runs import Runs
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, without_copies
from gpustab.studies.thresholds import tables
from gpustab.studies.thresholds.baselines import Baseline, Similarity
from gpustab.studies.thresholds.bases import Bases, bases_of, items_of
from gpustab.studies.thresholds.distributions import Distribution, Law, distribution
from gpustab.studies.thresholds.evaluation import scores
from gpustab.studies.thresholds.finished import KINDS, Said, key_of
from gpustab.studies.thresholds.one_run import RunFound, find
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.sentences import alarms_of, verdict
from gpustab.studies.thresholds.sets import installed_tests
from gpustab.studies.thresholds.shapes import compare


class Measured(NamedTuple):
    """What is kept of a group when its runs are let go.

    Attributes:
        name: of the group.
        distributions: one per run.
        found: one per run; empty where there is no baseline.
        silent: whether an alarm forbids to read its numbers.
        without: why it has no thresholds; empty if it has some.
    """

    name: str
    distributions: list[Distribution]
    found: list[RunFound]
    silent: bool
    without: str


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
        tests = list(installed_tests(options.tests, answer.result.notes))
        measured = [
            _measure(group, bases, options, tests, answer, Finished(finished, KINDS), number / len(given), len(given))
            for number, group in enumerate(given)
        ]
        answer.report("equal shapes", 0.95)
        laws: dict[str, Sequence[Law]] = {own.name: [x.law for x in own.distributions] for own in measured}
        if known := [own.found[0].law for own in measured if own.found]:
            laws[_free(known[0].name, laws)] = known[:1]
        answer.result.tables["shapes"] = Table.of(compare(laws, options.draws, options.seed))
        silent = [own.name for own in measured if own.silent]
        without = {own.name: own.without for own in measured if own.without}
        answer.result.verdict = verdict(answer.result.tables, silent, without)
    return answer.result


def _free(name: str, taken: Any) -> str:
    return name if name not in taken else f"{name} (baseline)"


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
    answer.notes[runs.name] = [*runs.notes, *(base.notes if base else ())]
    if len(runs) == 1 and base:
        answer.notes[runs.name].append("One run: how far another training would move its thresholds, it cannot tell.")
    said = []
    for r, name in enumerate(runs.names):

        def told(work: str, part: float, r: int = r, name: str = name) -> None:
            answer.report(f"{runs.name}, {name}: {work}", start + 0.9 * (r + part) / len(runs) / of)

        key = key_of(runs, r, base, options, answer.compute)
        said.append(finished.get(key) or _said(runs, r, base, options, answer.compute, told))
        finished.put(key, said[-1])
    distributions = [own.distribution for own in said]
    found = [own.found for own in said if own.found is not None]
    alarms = alarms_of(runs.name, runs.names, distributions, found)
    measured = Measured(runs.name, distributions, found, bool(alarms), without)
    answer.result.alarms += alarms
    tables.add(answer.result.tables, measured.name, runs.names, distributions, found)
    if found:
        _score(runs, tests, found, options, answer)
    answer.result.groups.append(tables.summary(runs, base, answer.result.tables, found))
    return measured


def _said(
    runs: Runs,
    r: int,
    base: Baseline | None,
    options: ThresholdsOptions,
    compute: Compute,
    told: Progress,
) -> Said:
    """Measure one run."""
    own = distribution(runs, r, options, compute, lambda part: told("similarities", part / 5))
    if base is None:
        return Said(own, None)
    return Said(own, find(runs, r, base, options, compute, lambda work, part: told(work, 0.2 + 0.8 * part)))


def _score(
    runs: Runs,
    tests: Sequence[SimilarityTest],
    found: Sequence[RunFound],
    options: ThresholdsOptions,
    answer: Answer,
) -> None:
    """Score the tests at the paper's threshold and at ours."""
    cuts: dict[str, list[float | None]] = {"paper": [run.paper.cut for run in found]}
    for rule in ("clear", "chance"):
        cuts[rule] = [next(x.estimate for x in run.thresholds if (x.kind, x.rule) == ("value", rule)) for run in found]
    rows = []
    for test in tests:
        try:
            rows += list(scores(runs, test, cuts, answer.compute, options.seed))
        except InputError as error:
            answer.result.notes.append(f"{runs.name}: {test.name}: not scored: {error}")
    tables.add_scores(answer.result.tables, rows)
