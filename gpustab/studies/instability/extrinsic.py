"""Intrinsic and extrinsic instability, globally and word by word. Rettenmeier 2020, §2.3, tables 2.8 and 2.11."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.extrinsic import extrinsic
from gpustab.statistics.intervals import ratio
from gpustab.studies.shared.spaces import are_one, same_pairs

Look = Callable[[str, Runs, engine.PipPass], None]


class Loss(NamedTuple):
    """Table 2.8: the reduced PIP loss of one sampling."""

    technique: str
    sampling: str
    runs: int
    words: int
    reduced_pip: float
    sd: float
    se: float
    pairs: int
    relative_sd: float
    word_relative_sd: float
    word_degrees_of_freedom: float
    mean_cosine: float
    chance: float


class Part(NamedTuple):
    """Table 2.11: what resampling the documents adds; errors rest on the smaller group's runs."""

    technique: str
    runs: int
    intrinsic: float
    bootstrap: float
    signed_square: float
    square_se: float
    extrinsic: float | None
    se: float | None
    mean_word_square: float
    negative_words: int


def instability_tables(
    name: str, groups: Mapping[str, Runs], compute: Compute, look: Look | None = None
) -> dict[str, Table]:
    """Measure the reduced PIP loss of every sampling, and every word's, all over the same words.

    Args:
        name: of the technique.
        groups: its runs by sampling.
        compute: how to compute.
        look: given the runs of every sampling with their losses, to see whether they are sound.

    Returns:
        ``table_2_8`` (one row per sampling), ``table_2_11`` (empty without bootstrap runs) and ``words``. A word's
        extrinsic instability is signed and squared, ``J² = ⟨d²⟩_bootstrap − ⟨d²⟩_shuffled``, so that the mean over
        words is the global one.

    Raises:
        InputError: if fewer than two words are in all runs of all samplings.
    """
    restricted, found = over_common_words(list(groups.values()))
    rows = dict(zip(groups, found, strict=True))
    if len(found[0]) < 2:
        raise InputError(f"technique '{name}': {len(found[0])} words are in all runs of all samplings")
    losses, words = {}, {}
    for sampling, runs in zip(groups, restricted, strict=True):
        pip = engine.pip_pass(runs, compute, wordwise=True)
        losses[sampling], words[sampling] = _loss(name, sampling, runs, rows[sampling], pip, compute)
        if look is not None:
            look(sampling, runs, pip)
    parts = [_part(name, losses, words)] if "bootstrap" in losses else []
    return {
        "table_2_8": Table.of(losses.values()),
        "table_2_11": Table.of(parts, Part._fields),
        "words": _word_table(name, groups["shuffled"], rows["shuffled"], words),
    }


def _loss(
    name: str, sampling: str, runs: Runs, rows: Tensor, found: engine.PipPass, compute: Compute
) -> tuple[Loss, WordwisePip]:
    same = same_pairs(runs, found)
    losses = pair_matrix(found.reduced, len(runs)).cpu().masked_fill(same, 0)  # rounding is no distance
    pip = pair_statistics(losses)
    words = WordwisePip(*(field.cpu()[rows] for field in engine.wordwise_pass(runs, found.basis, compute)))
    if are_one(same):
        words = words._replace(**{name: torch.zeros_like(words.mean) for name in ("mean", "sd", "se", "square")})
    spread = float((words.sd / words.mean)[words.mean > 0].square().mean())  # NaN where no word moves
    loss = Loss(
        name,
        sampling,
        len(runs),
        len(rows),
        *pip,
        relative_sd=ratio(pip.sd, pip.mean),
        word_relative_sd=math.sqrt(spread),
        word_degrees_of_freedom=ratio(1.0, 2 * spread),  # a χ of k degrees of freedom has a relative SD of 1/√(2k)
        mean_cosine=math.nan if found.scale is None else float(found.scale.mean_cosine.mean()),
        chance=math.nan if found.scale is None else float(found.scale.chance.square().mean().sqrt()),
    )
    return loss, words


def _part(name: str, losses: Mapping[str, Loss], words: Mapping[str, WordwisePip]) -> Part:
    a, b = losses["shuffled"], losses["bootstrap"]
    square = words["bootstrap"].square - words["shuffled"].square
    added = extrinsic(a.reduced_pip, b.reduced_pip, a.se, b.se)
    of_words = (float(square.mean()), int((square < 0).sum()))
    return Part(name, min(a.runs, b.runs), a.reduced_pip, b.reduced_pip, *added, *of_words)


def _word_table(name: str, runs: Runs, rows: Tensor, words: Mapping[str, WordwisePip]) -> Table:
    shuffled, bootstrap = words["shuffled"], words.get("bootstrap")
    v = len(rows)
    nothing = np.full(v, np.nan)
    columns = {
        "technique": [name] * v,
        "word": [runs.vocabulary.text(k) for k in rows.tolist()],
        # Counts are totals over the runs that have them.
        "frequency": [None] * v if runs.counts is None else (runs.counts.cpu()[rows] / len(runs)).tolist(),
        "intrinsic": shuffled.mean.numpy(),
        "intrinsic_se": shuffled.se.numpy(),
        "intrinsic_square": shuffled.square.numpy(),
        "bootstrap": nothing if bootstrap is None else bootstrap.mean.numpy(),
        "bootstrap_square": nothing if bootstrap is None else bootstrap.square.numpy(),
        "extrinsic_square": nothing if bootstrap is None else (bootstrap.square - shuffled.square).numpy(),
    }
    return Table(columns, long=True)
