"""The instability of word embeddings: chapters 2 and 3 of Rettenmeier 2020 on the runs at hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any, NamedTuple

from gpustab import engine
from gpustab.errors import GpustabError, InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Column, Sheet, Table
from gpustab.results.page import counted
from gpustab.runs.families import Family, families
from gpustab.runs.group import Group
from gpustab.runs.joining import small_overlap
from gpustab.runs.key import ENCODER
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import pearson
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.instability.answers import Findings, alarm_of, silent_of, verdict
from gpustab.studies.instability.averages import averaging_tables
from gpustab.studies.instability.claims import observation_table
from gpustab.studies.instability.corpora import CORPORA, corpus_table, place_of, places_of
from gpustab.studies.instability.cosines import PREDICTIONS, distribution_tables, prediction_tables
from gpustab.studies.instability.frequency import frequency_tables
from gpustab.studies.instability.losses import (
    EXTRINSIC,
    LOSSES,
    OVER_PROXIES,
    WORDS,
    identity_table,
    instability_tables,
    proxy_tables,
)
from gpustab.studies.instability.neighbours import OVER_LENGTHS, list_tables, overlap_tables
from gpustab.studies.instability.scores import EXTREMES, SCORED, SCORES, extremes_of, quality_tables, scored
from gpustab.studies.instability.subsets import how_many_table
from gpustab.studies.instability.technique import SAME_RUNS, SameRuns, Technique
from gpustab.studies.instability.trees import alignment_tables
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.copies import find_copies
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.same_runs import said_of, same_runs, seeds_of
from gpustab.studies.shared.spaces import UNSCALED
from gpustab.studies.shared.wording import WORDS_DEPEND, groups_in_words


class Place(NamedTuple):
    """Table 2.9: techniques from stable (place 1) to unstable."""

    sampling: str
    place: int
    technique: str
    reduced_pip: float
    se: float
    to_next: Annotated[float, Column(about="how far the next one is")]
    to_next_se: float


class Criterion(NamedTuple):
    """Table 2.7: one criterion, for measures by nearest neighbours and for the word-wise PIP loss.

    The formal criteria hold for both (§2.2.1); there is nothing to measure.
    """

    technique: str
    criterion: str
    measured: str
    neighbours: float
    pip: float


CRITERIA = Sheet("table_2_7", Criterion, "one row a technique and criterion")
PLACES = Sheet("table_2_9", Place, "one row a sampling and technique")

FEWEST = 3
"""Runs per group: below, no standard error of a mean over pairs is defined."""

Tables = dict[str, Table]
Chapter = tuple[str, Callable[[], Tables]]
"""Title, and the work that makes its tables."""

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
        places = places_of(techniques)
        for number, family in enumerate(techniques):
            _measure(family, places[family.name], options, answer, number, len(techniques))
        if len(set(CORPORA.of(result.tables).get("corpus", ()))) < 2:
            result.tables.pop(CORPORA.name, None)
        silent = silent_of(result.groups)
        result.tables |= closing_tables(result.tables, result.groups, silent)
        result.tables = {OBSERVED.name: observation_table(result.tables, silent), **result.tables}
        result.verdict = verdict(Findings(result.tables, [family.name for family in techniques], silent))
        result.notes = list(dict.fromkeys(result.notes)) + _general_notes(techniques)
    return result


def _techniques(groups: Sequence[Runs | Group], notes: list[str]) -> list[Family[Runs | Group]]:
    """Return the families that have shuffled runs; what is left out or taken for something is noted."""
    known = []
    for group in groups:
        if len(group) < FEWEST:
            raise InputError(
                f"group '{group.name}' has {counted(len(group), 'run')}; this study needs at least {FEWEST} in each, "
                "because fewer define no standard error"
            )
        if not group.key.sampling:
            notes.append(f"{groups_in_words([group.name])}: taken for runs that differ only by shuffling and seed.")
            group = replace(group, key=replace(group.key, sampling="shuffled"))
        known.append(group)
    if len({group.key for group in known}) < len(known):
        raise InputError(f"several groups are shuffled runs of one technique: {', '.join(g.name for g in groups)}")
    techniques = list(_with_trained_again(families(known), notes))
    lacking = [family.name for family in techniques if family.of("shuffled") is None]
    if len(lacking) == len(techniques):
        raise InputError(f"no technique has shuffled runs; groups are {', '.join(group.name for group in groups)}")
    notes += [f"{groups_in_words([name])} is left out: it has no shuffled runs." for name in lacking]
    return [family for family in techniques if family.name not in lacking]


def _with_trained_again(found: Sequence[Family[Runs | Group]], notes: list[str]) -> Iterator[Family[Runs | Group]]:
    """Yield families; fixed runs that nothing else is beside are what shuffled ones are: the text trained again."""
    for family in found:
        (first, *others) = family.members
        if first.key.sampling == "fixed" and not others:
            what = "fine-tunings" if first.key.technique == ENCODER else "fixed runs"
            notes.append(
                f"{groups_in_words([first.name])}: these {what} stand for shuffled runs, and are called so here."
            )
            yield replace(family, members=(replace(first, key=replace(first.key, sampling="shuffled")),))
        else:
            yield family


def _measure(
    family: Family[Runs | Group],
    place: tuple[str, str],
    options: InstabilityOptions,
    answer: Answer,
    number: int,
    of: int,
) -> None:
    """Add everything about one technique to the answer; a chapter that cannot be written does not lose the others.

    Raises:
        GpustabError: if no chapter can be written.
    """
    name, result = family.name, answer.result
    result.notes += _shared_seeds(family)
    groups = {
        member.key.sampling: engine.place(answer.read(member, number / of), answer.compute) for member in family.members
    }
    same = find_copies(groups["shuffled"], answer.compute).same
    technique = Technique(name, groups, options, answer.compute, same, place, result.notes)
    tables: Tables = {}
    failed: list[GpustabError] = []
    answer.notes |= {f"{name}/{sampling}": [UNSCALED] * (not runs.unit) for sampling, runs in groups.items()}
    chapters = list(_chapters(technique, tables))
    weights = [_WEIGHTS.get(title, 0.3) for title, _ in chapters]
    for k, (title, work) in enumerate(chapters):
        answer.report(f"{name}: {title}", (number + sum(weights[:k]) / sum(weights)) / of)
        try:
            tables |= work()
        except GpustabError as error:
            failed.append(error)
            result.notes.append(f"{groups_in_words([name])}: the part on {title} is left out: {error}")
    if failed and not tables:
        raise failed[0]
    for table_name, table in tables.items():
        result.tables.setdefault(table_name, Table(long=table.long)).extend(table)
    overlaps = {s: text for s, runs in groups.items() if (text := small_overlap(runs.joining, runs.words))}
    reason, alarm = alarm_of(name, technique.flaws, overlaps, list(LOSSES.rows(tables)))
    result.alarms += [alarm] if alarm else []
    result.groups.append(_summary(technique, tables, reason or None))


def _shared_seeds(family: Family[Runs | Group]) -> Iterator[str]:
    """Say of which samplings runs were trained with the same seeds; old run sets have one stream for all."""
    seeds = {member.key.sampling: seeds_of(member) for member in family.members}
    alike = [f"{a} and {b}" for a, b in combinations(seeds, 2) if seeds[a] & seeds[b]]
    if alike:
        yield (
            f"{groups_in_words([family.name])}: {', '.join(alike)} runs were trained with the same seeds. They are not "
            "quite independent; the errors of their differences are too large, if anything."
        )


def _chapters(technique: Technique, tables: Tables) -> Iterator[Chapter]:
    """Yield every chapter; the tables of those before are there when the next one begins."""
    yield "PIP loss", lambda: instability_tables(technique)
    yield "corpus", lambda: corpus_table(technique, tables)
    yield "samples", lambda: _same_runs(technique)
    yield "word frequency", lambda: frequency_tables(tables[WORDS.name], technique) if WORDS.name in tables else {}
    for title, chapter in (
        ("distribution of cosines", distribution_tables),
        ("neighbours", overlap_tables),
        ("lists of one word", list_tables),
        ("sampled proxies", proxy_tables),
        ("variances", identity_table),
        ("averages", averaging_tables),
        ("alignment", alignment_tables),
        ("scores", quality_tables),
        ("how many runs", how_many_table),
        ("prediction", prediction_tables),
    ):
        yield title, partial(chapter, technique)


def _same_runs(technique: Technique) -> Tables:
    """Which samplings share runs."""
    same = same_runs(technique.groups)
    technique.notes.extend(said_of(same, f"{groups_in_words([technique.name])}: "))
    return SAME_RUNS.named(SameRuns(technique.name, *pair) for pair in same)


def _summary(technique: Technique, tables: Mapping[str, Table], no_verdict: str | None) -> dict[str, Any]:
    """What the JSON and the page say of a technique; ``no_verdict`` is why nothing is said of it."""
    losses = {row.sampling: row for row in LOSSES.rows(tables)}
    extrinsic = next(EXTRINSIC.rows(tables), None)
    return {
        "name": technique.name,
        "runs": {sampling: list(runs.names) for sampling, runs in technique.groups.items()},
        "words": losses["shuffled"].words if losses else len(technique.joint),
        "dimension": technique.runs.dimension,
        "pip": {s: {"reduced_pip": row.reduced_pip, "sd": row.sd, "se": row.se} for s, row in losses.items()},
        "extrinsic": extrinsic.extrinsic if extrinsic else None,
        "signed_square": extrinsic.signed_square if extrinsic else None,
        "no_verdict": no_verdict,
    }


def _general_notes(techniques: Sequence[Family[Runs | Group]]) -> list[str]:
    """The notes that hold whatever was found."""
    shuffled = [member for family in techniques for member in family.members if member.key.sampling == "shuffled"]
    return [
        *(
            f"{groups_in_words([t.name])} has no bootstrap runs, so it has no extrinsic part."
            for t in techniques
            if t.of("bootstrap") is None
        ),
        f"The means and SDs that predict p@n come from {min(map(len, shuffled))} or more runs, the measured ones. "
        "These means scatter by σ/√R, which raises the prediction.",
        "± and intervals are at 95 %, by Student's t with as many degrees of freedom as runs (or averages) less one. "
        f"SE and SD stand by these names. {WORDS_DEPEND}",
    ]


def closing_tables(
    tables: Mapping[str, Table], groups: Sequence[Mapping[str, Any]], silent: Collection[str] = ()
) -> dict[str, Table]:
    """Return ``table_2_1``, ``table_2_7``, ``table_2_9`` and ``table_2_10``.

    Args:
        tables: the study's other tables, of all techniques; what is missing (a chapter that was left out) is NaN here,
            or has no row.
        groups: summaries of the techniques: name, words and dimension.
        silent: techniques on which no verdict is given: they have no place among the others.
    """
    single = list(SCORES.rows(tables, runs_beneath=1))
    criteria = CRITERIA.named(row for group in groups for row in _criteria(tables, group))
    extremes = EXTREMES.named(map(extremes_of, single))
    return extremes | criteria | PLACES.named(_places(tables, silent)) | SCORED.named(map(scored, single))


def _places(tables: Mapping[str, Table], silent: Collection[str]) -> Iterator[Place]:
    place_named, judged = place_of(tables), [row for row in LOSSES.rows(tables) if row.technique not in silent]
    for sampling, corpus in dict.fromkeys((row.sampling, place_named(row.technique)[1]) for row in judged):
        there = [row for row in judged if (row.sampling, place_named(row.technique)[1]) == (sampling, corpus)]
        ordered = sorted(there, key=lambda row: row.reduced_pip)
        for place, row in enumerate(ordered, 1):
            apart = (math.nan, math.nan)
            if place < len(ordered):
                following = ordered[place]
                apart = following.reduced_pip - row.reduced_pip, math.hypot(following.se, row.se)
            yield Place(sampling, place, row.technique, row.reduced_pip, row.se, *apart)


def _criteria(tables: Mapping[str, Table], group: Mapping[str, Any]) -> Iterator[Criterion]:
    name, v, d = group["name"], group["words"], group["dimension"]
    over_n, proxies = OVER_LENGTHS.rows(tables, technique=name, metric="p"), OVER_PROXIES.rows(tables, technique=name)
    by_n = [value for row in over_n for n, value in row.rho.items() if n != str(row.n)]
    by_proxy = [value for row in proxies if row.words == "all" for m, value in row.rho.items() if m.isdigit()]
    consistency = "lowest Spearman's ρ over words: of any two n; of fewer words with all"
    yield Criterion(name, "consistency", consistency, _lowest(by_n), _lowest(by_proxy))
    independence = "Pearson's ρ over words with the structure factor ρ@1, which knows means alone"
    yield Criterion(name, "independence", independence, *_with_structure(tables, name))
    complexity = "multiplications per word and pair of runs: 2vd; 6d² with the Grams' share"
    yield Criterion(name, "complexity", complexity, 2.0 * v * d, 6.0 * d * d)


def _lowest(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return min(known, default=math.nan)


def _with_structure(tables: Mapping[str, Table], name: str) -> tuple[float, float]:
    """Pearson's ρ of measured p@1, and of the PIP loss, with the structure factor over the predicted words."""
    losses = {row.word: row.intrinsic for row in WORDS.rows(tables, technique=name)}
    rows = [row for row in PREDICTIONS.rows(tables, technique=name, n=1) if row.word in losses]
    structure = [row.structure for row in rows]
    return pearson(structure, [row.measured for row in rows]), pearson(structure, [losses[row.word] for row in rows])
