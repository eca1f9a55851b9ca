"""What the vectors of every model give, in one run of a background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.runs.runs import Runs
from gpustab.studies.consistency.additive import additive, centred, mean_context
from gpustab.studies.consistency.finished import KINDS, Kept
from gpustab.studies.consistency.measures import Consistency, consistency_of, unit
from gpustab.studies.consistency.nonce import grid, pairs_of, trained, updates
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.outputs import Output
from gpustab.studies.consistency.own import nearest
from gpustab.studies.consistency.places import Own, Ranks, places
from gpustab.studies.consistency.prepare import Prepared

ADDITIVE, CENTRED = "additive", "additive (centred)"

Rows = list[dict[str, Any]]


class Model(NamedTuple):
    """What the vectors of one model give; places are left out where the origin was moved.

    Attributes:
        numbers: their consistency.
        ranks: their places among the background's words.
        own: how near they are to the background's own vector.
    """

    numbers: Consistency
    ranks: Ranks | None
    own: Own | None


class OfRun(NamedTuple):
    """What one run of a background gives.

    Attributes:
        models: by name.
        nearest: rows of table 7.
        updates: how many updates Nonce2Vec made, by sentence.
        grid: rows of its settings.
        diverged: whether it left the finite numbers.
    """

    models: dict[str, Model]
    nearest: Rows
    updates: Rows
    grid: Rows
    diverged: bool


def of_run(
    runs: Runs,
    r: int,
    prepared: Prepared,
    output: Callable[[], Output] | None,
    options: ConsistencyOptions,
    kept: Kept,
    report: Callable[[float], None],
) -> OfRun:
    """Measure the additive model, and Nonce2Vec where there are output vectors, in one run."""
    device = prepared.words.device
    words = unit(runs.rows[r][0 : runs.words].to(device)) * runs.joint.to(device)[:, None]
    sums = additive(prepared, runs, r)
    models = {
        ADDITIVE: of_model(sums, prepared, words),
        CENTRED: of_model(centred(sums, prepared.words, mean_context(prepared, runs, r)), prepared, None),
    }
    found = OfRun(models, nearest(sums, prepared, words, runs.vocabulary), [], [], False)
    return found if output is None else _with_nonce(found, sums, words, prepared, output(), options, kept, report)


def _with_nonce(
    found: OfRun,
    start: Tensor,
    words: Tensor,
    prepared: Prepared,
    output: Output,
    options: ConsistencyOptions,
    kept: Kept,
    report: Callable[[float], None],
) -> OfRun:
    """Train Nonce2Vec from the sums."""
    pairs = pairs_of(prepared, output, options)
    settings = grid(start, prepared, output, options, kept, report) if options.grid else []
    vectors = trained(start, output, pairs, options)
    finite = bool(torch.isfinite(vectors).all())
    more = {f"Nonce2Vec ({options.output})": of_model(vectors, prepared, words)} if finite else {}
    return OfRun(found.models | more, found.nearest, updates(prepared, pairs), settings, not finite)


def of_model(vectors: Tensor, prepared: Prepared, words: Tensor | None) -> Model:
    """Measure the vectors of one model.

    Args:
        vectors: ``(P, d)``.
        prepared: the samples.
        words: ``(v, d)`` unit vectors of the background; ``None`` where places among them mean nothing.
    """
    numbers = consistency_of(vectors, prepared.samples, prepared.allowed)
    if words is None:
        return Model(numbers, None, None)
    return Model(numbers, *places(vectors, prepared.samples, words, prepared.own))


class BySvd(NamedTuple):
    """The SVD model, and beside it the additive one with its window: windows, not models, may make the difference.

    Attributes:
        models: of every background run, by the name of the model.
        lost: samples without a vector in the SVD model.
    """

    models: dict[str, list[Model]]
    lost: int


ALL_KINDS = (*KINDS, Model, OfRun, BySvd)
"""What is kept of finished parts."""


def by_svd(prepared: Prepared, runs: Runs, vectors: Tensor, options: ConsistencyOptions) -> BySvd:
    """Measure both; ``vectors`` are the SVD model's, ``(P, d)``."""
    narrow = prepared.of(prepared.samples, runs, replace(options, window=options.svd_window))
    sums = [additive(narrow, runs, r) for r in range(len(runs))]
    models = {
        f"{ADDITIVE} (window {options.svd_window})": [of_model(x, prepared, None) for x in sums],
        f"SVD (window {options.svd_window})": [of_model(vectors, prepared, None)],
    }
    return BySvd(models, int((~vectors.any(1)).sum()))
