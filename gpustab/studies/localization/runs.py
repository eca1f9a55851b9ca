"""All runs of one model, one in memory at a time: copies, alarms, scores, and how far their spaces differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.results.page import counted
from gpustab.runs.load import load_runs
from gpustab.sentences.model import Flaws, Runs
from gpustab.studies.localization.claims import ALARMS_OF_RUNS, COPIES, RunPair, RunVectors
from gpustab.studies.localization.corpus import Corpus
from gpustab.studies.localization.distances import Array, Distances, Encoded, encode
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.scores import negation, over_runs, scores
from gpustab.studies.localization.tables import UNRELATED, Negation, OverRuns, Score, SpaceStability
from gpustab.studies.shared.finished import Finished

_NEIGHBOURS = 10


class MeasuredModel(NamedTuple):
    """What a model shows over its runs.

    Attributes:
        name: of the model.
        runs: that are no copies.
        scores: of every such run.
        over_runs: of all of them together; none of one.
        negation: over all of them.
        stability: of their spaces, if there are several.
        notes: what a reader must know of the model, as its first run has it.
        alarms: of the spaces of its runs, which forbid to read its numbers.
        copies: alarms of runs that are left out.
    """

    name: str
    runs: int
    scores: list[Score]
    over_runs: list[OverRuns]
    negation: Negation
    stability: SpaceStability | None
    notes: list[str]
    alarms: list[str]
    copies: list[str]


def measure_model(
    source: Runs,
    corpus: Corpus,
    digest: str,
    options: LocalizationOptions,
    compute: Compute,
    finished: Finished,
    report: Callable[[str, float], None],
) -> MeasuredModel:
    """Score all runs of a model, one in memory at a time; of several, the bases' vectors are kept.

    Args:
        source: of the model.
        corpus: of sentences.
        digest: of the corpus, see :func:`~gpustab.studies.localization.distances.digest_of_corpus`.
        options: draws and seed.
        compute: where runs are encoded.
        finished: runs that a stopped call left.
        report: called with the work at hand and its finished part.
    """
    component = [base.component for base in corpus.bases]
    encoded: list[Encoded] = []
    spaces: list[Tensor] = []
    for run in range(1, source.number + 1):
        report(f"{source.name}, run {run}", (run - 1) / source.number)
        of_run, vectors = encode(source, run, corpus, digest, compute, finished)
        encoded.append(of_run)
        spaces += [] if vectors is None else [vectors]
    distances = [run.distances for run in encoded]
    same = copies(distances)
    kept = [run for r, run in enumerate(distances) if r not in same]
    lacking, judged = any(any(run.lacks) for run in encoded), (component, options.draws, options.seed)
    return MeasuredModel(
        source.name,
        len(kept),
        [row for r, run in enumerate(kept, 1) for row in scores(source.name, r, run, *judged, lacking)],
        over_runs(source.name, kept, *judged, lacking),
        negation(source.name, kept, *judged),
        space_stability(source.name, [space for r, space in enumerate(spaces) if r not in same], compute),
        _notes(encoded[0]),
        alarms_of_runs(source.name, distances, [run.flaws for run in encoded]),
        [COPIES.sentence(RunPair(source.name, first + 1, r + 1, 0.0)) for r, first in same.items()],
    )


def copies(runs: Sequence[Distances]) -> dict[int, int]:
    """Return the runs whose distances are those of an earlier one, each with that one; counted from 0."""
    same: dict[int, int] = {}
    for r, run in enumerate(runs):
        pairs = (RunPair("", q, r, _difference(runs[q], run)) for q in range(r) if q not in same)
        if (pair := next((pair for pair in pairs if COPIES.judge(pair) == "yes"), None)) is not None:
            same[r] = pair.first
    return same


def _difference(first: Distances, second: Distances) -> float:
    """The largest difference of two runs' distances; infinite where one run alone has a distance."""
    pairs = [(first.paraphrase, second.paraphrase)]
    pairs += [(first.chains[kind], second.chains[kind]) for kind in first.chains]
    return max(float(_differences(a, b).max(initial=0.0)) for a, b in pairs)


def _differences(a: Array, b: Array) -> Array:
    none = np.isnan(a) & np.isnan(b)
    differences: Array = np.where(none, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf))
    return differences


def alarms_of_runs(name: str, runs: Sequence[Distances], flaws: Sequence[Flaws]) -> list[str]:
    """Return sentences on collapsed runs, and on vectors that are no numbers or zero."""
    alarms = []
    for r, (distances, flaw) in enumerate(zip(runs, flaws, strict=True), 1):
        who = f"{name}, run {r}" if len(runs) > 1 else name
        vectors = RunVectors(who, between_unrelated(distances), *flaw)
        alarms += [alarm for claim in ALARMS_OF_RUNS if (alarm := claim.sentence(vectors))]
    return alarms


def between_unrelated(distances: Distances) -> float:
    """Return the median distance of unrelated sentences; NaN where there are none."""
    column = distances.of(UNRELATED, 1)
    column = column[np.isfinite(column)]
    return float(np.median(column)) if len(column) else float("nan")


def _notes(run: Encoded) -> list[str]:
    notes = list(run.notes)
    if any(run.lacks):
        notes.append(
            f"It lacks {run.lacks[0]:.1%} of the tokens and {run.lacks[1]:.1%} of the words put in as synonyms; "
            "sentences whose changed words it has are scored apart too, as 'known'."
        )
    if undefined := int(np.isnan(run.distances.paraphrase).sum()):
        notes.append(f"{counted(undefined, 'sentence', 'is/are')} left out: no vector, or none of the paraphrase.")
    return notes


def space_stability(name: str, runs: Sequence[Tensor], compute: Compute) -> SpaceStability | None:
    """Return how far two runs and more differ; ``None`` for fewer runs, or as few sentences as a list holds.

    Args:
        name: of the model.
        runs: ``(n, d)`` of every run; a sentence without a vector in one run is left out of all.
        compute: how to compute.
    """
    if len(runs) < 2:
        return None
    there = torch.stack([run.isfinite().all(1) & run.any(1) for run in runs]).all(0)
    sentences = int(there.sum())
    if sentences <= _NEIGHBOURS + 1:
        return None
    words = [f"s{k}" for k in range(sentences)]
    joined = engine.place(load_runs([(words, run[there].numpy()) for run in runs]), compute)
    losses = engine.pip_pass(joined, compute)
    lists = engine.neighbour_pass(joined, torch.arange(sentences, device=joined.device), _NEIGHBOURS, compute)
    first, second = torch.triu_indices(len(runs), len(runs), 1)
    shared = engine.overlap_pass(lists, [_NEIGHBOURS], compute)
    loss = losses.reduced if losses.scale is None else losses.reduced / losses.scale.chance
    return SpaceStability(
        name, len(runs), sentences, float(loss.mean()), float(shared.p[0].cpu()[first, second].mean())
    )
