"""Nonce2Vec's settings: all of the paper's grid, of which the best is chosen on some of the terms, for the others.

The best of 2,880 settings is the best by luck too: on the terms that choose, its numbers are too good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.small_data import nonce
from gpustab.studies.consistency import tables
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared
from gpustab.studies.shared.finished import Finished

Reporter = Callable[[float], None]
"""Is told the finished part."""

_TUNING = 9
"""Stream of the seed."""

_CHOOSE = 0.7
"""Share of the terms that a setting is chosen on (Bloem et al. 2019, section 4); the others report it."""


def that_choose(terms: int, seed: int) -> NDArray[np.bool_]:
    """Draw the terms that a setting is chosen on, ``(T,)``: 70 %, two at least on each side, none of fewer than four.

    >>> [int(that_choose(terms, 0).sum()) for terms in (60, 10, 4, 3)]
    [42, 7, 2, 0]
    """
    chosen = np.zeros(terms, dtype=np.bool_)
    if terms > 3:
        most = min(round(_CHOOSE * terms), terms - 2)
        chosen[np.random.default_rng([seed, _TUNING]).permutation(terms)[:most]] = True
    return chosen


def every_setting(
    start: Tensor, prepared: Prepared, output: nonce.Output, settings: nonce.Settings, kept: Finished, report: Reporter
) -> list[tables.Setting]:
    """Return every setting of the paper's grid; those of one schedule are a part of the study that may be finished."""
    schedules, rows = list(nonce.schedules(settings)), list[tables.Setting]()
    chosen = that_choose(len(prepared.samples.terms), settings.seed)
    parts = [prepared.having(some) for some in ((chosen, ~chosen) if chosen.any() else (~chosen,))]
    for k, schedule in enumerate(schedules):
        report(k / len(schedules))
        name = f"grid {schedule.sample:g} {schedule.sample_decay:g} {schedule.window_decay}"
        rows += kept.part(name, partial(settings_of, start, prepared, output, schedule, parts))
    return rows


def nonce_settings(options: ConsistencyOptions) -> nonce.Settings:
    """Return how Nonce2Vec is trained by the options of the study."""
    varied = {name: getattr(options, name) for name in nonce.GRID}
    updated = options.nonce_output == "updated"
    return nonce.Settings(**varied, window=options.nonce_window, updated=updated, seed=options.seed)


def pairs_of(prepared: Prepared, output: nonce.Output, settings: nonce.Settings) -> nonce.Pairs:
    """Return all that Nonce2Vec is trained on, in order."""
    rows = prepared.frequencies.rows
    counts = np.where(rows >= 0, output.counts[rows], 0)
    return nonce.training_pairs(prepared.text, prepared.samples, rows, counts, settings)


def settings_of(
    start: Tensor,
    prepared: Prepared,
    output: nonce.Output,
    schedule: nonce.Settings,
    parts: Sequence[tuple[Tensor, Prepared]],
) -> list[tables.Setting]:
    """Return cosine, null level and AUC of every setting of the grid with one schedule; none where it diverged.

    Training starts from the sums of the additive model, ``(P, d)``; the numbers are of the terms that choose and of the
    others, each part with the rows of its samples.
    """
    pairs, rows = pairs_of(prepared, output, schedule), []
    for settings in nonce.trainings(schedule):
        vectors, values = nonce.trained(start, output, pairs, settings), list[float | None]()
        if bool(torch.isfinite(vectors).all()):
            for of, part in parts:
                numbers = consistency_of(vectors[of], part.samples, part.allowed).numbers
                values += [numbers[name].value for name in ("same", "null", "auc")]
        values += [None] * (6 - len(values))
        rows.append(tables.Setting._make((prepared.group, *settings[: len(nonce.GRID)], *values)))
    return rows


def best_of(settings: Sequence[tables.Setting]) -> tables.Setting | None:
    """Return the setting of the largest AUC over the terms that choose; ``None`` where there are no other terms."""
    known = [row for row in settings if row.auc is not None and row.auc == row.auc and row.test_auc is not None]
    return max(known, key=lambda row: row.auc or 0.0, default=None)
