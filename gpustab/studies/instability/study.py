"""The instability of word embeddings: chapters 2 and 3 of Rettenmeier 2020 on the runs at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from gpustab import engine
from gpustab.errors import GpustabError, InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.families import Family, families
from gpustab.runs.group import Group
from gpustab.runs.joining import small_overlap
from gpustab.runs.runs import Runs
from gpustab.studies.instability.alarms import alarm_of, silent_of
from gpustab.studies.instability.alignment import alignment_tables
from gpustab.studies.instability.averages import averaging_tables
from gpustab.studies.instability.extrinsic import Look, instability_tables
from gpustab.studies.instability.frequency import frequency_tables
from gpustab.studies.instability.how_many import how_many_table
from gpustab.studies.instability.lists import list_tables
from gpustab.studies.instability.normality import distribution_tables
from gpustab.studies.instability.observations import observation_table
from gpustab.studies.instability.options import InstabilityOptions
from gpustab.studies.instability.overlap import overlap_tables
from gpustab.studies.instability.pip import identity_table, proxy_tables
from gpustab.studies.instability.prediction import prediction_tables
from gpustab.studies.instability.quality import quality_tables
from gpustab.studies.instability.sentences import verdict
from gpustab.studies.instability.summary import general_notes, summary
from gpustab.studies.instability.tables import closing_tables
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.same_runs import Same, said_of, same_runs, seeds_of
from gpustab.studies.shared.spaces import Flaws, find_copies, flaws_of, unscaled

FEWEST = 3
"""Runs per group: below, no standard error of a mean over pairs is defined."""

Tables = dict[str, Table]

_IDENTITY_WORDS = 100

_WEIGHTS = {"prediction": 12.0, "neighbours": 1.0, "word frequency": 1.0, "averages": 1.0}
"""What chapters take beside the others' 0.3, for the progress: prediction took three quarters of the time of 9 runs of
5,944 words. The rest are guesses."""


def instability(
    groups: Groups,
    options: InstabilityOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Repeat the measurements of the thesis' chapters 2 and 3 on some groups of runs.

    Groups that differ in sampling alone (shuffled, bootstrap, fixed) are one technique; techniques are measured, and
    held in memory, one after the other. Without bootstrap runs there is no extrinsic instability, the rest is there.
    Groups are never pooled. Averages hold all runs of a technique in float64, several times.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`, joined by ``"joint"``, 3 or more runs
            each. A group of unknown sampling (plain files) is taken for shuffled runs.
        options: how much is drawn.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`InstabilityOptions`.

    Returns:
        Tables named by the thesis' numbers, see :mod:`gpustab.studies.instability.page`; ``observations`` says what
        agrees. One group per technique.

    Raises:
        InputError: for fewer than 3 runs in a group, or no shuffled runs.
        GpustabError: if nothing at all can be said of a technique; a chapter that fails alone is a note.
    """
    options = chosen(InstabilityOptions, options, choices)
    with answering("instability", options, groups, compute, progress) as answer:
        result = answer.result
        techniques = _techniques(groups_of(groups), result.notes)
        for number, technique in enumerate(techniques):
            _measure(technique, options, answer, number, len(techniques))
        silent = silent_of(result.groups)
        result.tables |= closing_tables(result.tables, result.groups, silent)
        result.tables = {"observations": observation_table(result.tables, silent), **result.tables}
        result.verdict = verdict(result.tables, [family.name for family in techniques], silent)
        result.notes = list(dict.fromkeys(result.notes)) + general_notes(techniques)
    return result


def _techniques(groups: Sequence[Runs | Group], notes: list[str]) -> list[Family[Runs | Group]]:
    """Return the families that have shuffled runs; what is left out or taken for something is noted."""
    known = []
    for group in groups:
        if len(group) < FEWEST:
            raise InputError(
                f"group '{group.name}' has {len(group)} runs; this study wants at least {FEWEST} in each, since with "
                "fewer no standard error is defined"
            )
        if not group.key.sampling:
            notes.append(f"{group.name}: taken for runs that differ by shuffling and training seed only.")
            group = replace(group, key=replace(group.key, sampling="shuffled"))
        known.append(group)
    if len({group.key for group in known}) < len(known):
        raise InputError(f"several groups are shuffled runs of one technique: {', '.join(g.name for g in groups)}")
    found = families(known)
    lacking = [family.name for family in found if family.of("shuffled") is None]
    if len(lacking) == len(found):
        raise InputError(f"no technique has shuffled runs; groups are {', '.join(group.name for group in groups)}")
    notes += [f"{name}: left out, it has no shuffled runs." for name in lacking]
    return [family for family in found if family.name not in lacking]


def _measure(
    technique: Family[Runs | Group], options: InstabilityOptions, answer: Answer, number: int, of: int
) -> None:
    """Add everything about one technique to the answer; a chapter that cannot be written does not lose the others.

    Raises:
        GpustabError: if no chapter can be written.
    """
    name, result = technique.name, answer.result
    result.notes += _shared_seeds(technique)
    groups = {
        member.key.sampling: engine.place(answer.read(member, number / of), answer.compute)
        for member in technique.members
    }
    own: Tables = {}
    failed: list[GpustabError] = []
    flaws: dict[str, Flaws] = {}

    def look(sampling: str, runs: Runs, pip: engine.PipPass) -> None:
        flaws[sampling] = flaws_of(runs, pip)
        answer.notes[f"{name}/{sampling}"] = unscaled(pip)

    chapters = list(_chapters(name, groups, options, answer, own, look))
    done, whole = 0.0, sum(_weight(title) for title, _ in chapters)
    for title, work in chapters:
        answer.report(f"{name}: {title}", (number + done / whole) / of)
        done += _weight(title)
        try:
            own |= work()
        except GpustabError as error:
            failed.append(error)
            result.notes.append(f"{name}: {title}: left out: {error}")
    if failed and not own:
        raise failed[0]
    for table_name, table in own.items():
        result.tables.setdefault(table_name, Table(long=table.long)).extend(table)
    overlaps = {s: said for s, runs in groups.items() if (said := small_overlap(runs.joining, runs.words))}
    if alarm := alarm_of(name, flaws, overlaps):
        result.alarms.append(alarm.text)
    result.groups.append(summary(name, groups, own, alarm.reason if alarm else None))


def _weight(title: str) -> float:
    return _WEIGHTS.get(title, 0.3)


def _shared_seeds(technique: Family[Runs | Group]) -> Iterator[str]:
    """Say of which samplings runs were trained with the same seeds; old run sets have one stream for all."""
    seeds = {member.key.sampling: seeds_of(member) for member in technique.members}
    alike = [f"{a} and {b}" for a, b in combinations(seeds, 2) if seeds[a] & seeds[b]]
    if alike:
        yield (
            f"{technique.name}: {', '.join(alike)} runs were trained with the same seeds: they are not quite "
            "independent, and the errors of their differences are too large, if anything."
        )


def _chapters(
    name: str,
    groups: Mapping[str, Runs],
    options: InstabilityOptions,
    answer: Answer,
    own: Tables,
    look: Look,
) -> Iterator[tuple[str, Callable[[], Tables]]]:
    """Yield title and work of every chapter; what a chapter finds is in ``own`` when the next one begins."""
    runs, seed, pairs = groups["shuffled"], options.seed, options.pairs
    compute, notes = answer.compute, answer.result.notes
    same = find_copies(runs, compute)

    def samples() -> Tables:
        same = same_runs(groups)
        notes.extend(said_of(same, f"{name}: "))
        table = Table.of([{"technique": name, **row._asdict()} for row in same], ("technique", *Same._fields))
        return {"same_runs": table}

    def distribution() -> Tables:
        if len(runs) > 3:
            return distribution_tables(name, runs, pairs, seed, compute, same)
        notes.append(f"{name}: the distribution over runs is left out, it wants at least 4 runs.")
        return {}

    def quality() -> Tables:
        tables, reasons = quality_tables(name, runs, compute)
        notes.extend(reasons)
        return tables

    def lists() -> Tables:
        tables, reasons = (
            ({}, []) if options.word is None else list_tables(name, runs, options.word, compute, options.other)
        )
        notes.extend(reasons)
        return tables

    yield "PIP loss", lambda: instability_tables(name, groups, compute, look)
    yield "samples", samples
    yield "word frequency", lambda: frequency_tables(own["words"], groups, compute) if "words" in own else {}
    yield "distribution of cosines", distribution
    yield "neighbours", lambda: overlap_tables(name, groups, seed, compute)
    yield "lists of one word", lists
    yield "sampled proxies", lambda: proxy_tables(name, runs, seed, compute, same)
    yield "variances", lambda: {"identity": identity_table(name, runs, _IDENTITY_WORDS, seed, compute, same)}
    yield "averages", lambda: averaging_tables(name, runs, pairs, seed, same, compute)
    yield "alignment", lambda: alignment_tables(name, runs, pairs, seed, same, compute)
    yield "scores", quality
    yield "how many runs", lambda: {"how_many": how_many_table(name, runs, seed, compute, same)}
    yield "prediction", lambda: prediction_tables(name, runs, options.targets, seed, compute, same)
