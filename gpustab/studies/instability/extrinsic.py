"""Intrinsic and extrinsic instability, globally and word by word. Rettenmeier 2020, §2.3, tables 2.8 and 2.11."""

from __future__ import annotations

import math
from typing import NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.studies.instability.rows import add_row
from gpustab.studies.instability.techniques import Technique


class Extrinsic(NamedTuple):
    """What another sample of documents adds to training noise.

    Attributes:
        signed_square: ``bootstrap² − intrinsic²``; negative where bootstrap runs differ less than shuffled ones.
        square_se: its standard error.
        value: root of the square; ``None`` if that is negative.
        se: standard error of the value, by propagation; ``None`` without a value.
    """

    signed_square: float
    square_se: float
    value: float | None
    se: float | None


def extrinsic(intrinsic: float, bootstrap: float, intrinsic_se: float = 0.0, bootstrap_se: float = 0.0) -> Extrinsic:
    """Return the extrinsic instability ``√(bootstrap² − intrinsic²)``; eq. 2.42 lacks the squares.

    >>> round(extrinsic(1.805, 3.417).value, 3)  # word2vec, Hindi: tables 2.8 and 2.11
    2.901
    """
    square = bootstrap**2 - intrinsic**2
    square_se = 2 * math.hypot(bootstrap * bootstrap_se, intrinsic * intrinsic_se)
    if square <= 0:
        return Extrinsic(square, square_se, None if square < 0 else 0.0, None)
    return Extrinsic(square, square_se, math.sqrt(square), square_se / (2 * math.sqrt(square)))


def instability_tables(technique: Technique, compute: Compute) -> dict[str, Table]:
    """Measure the reduced PIP loss of every sampling, and every word's, all over the same words.

    Returns:
        ``table_2_8`` (one row per sampling), ``table_2_11`` (empty without bootstrap runs) and ``words``. A word's
        extrinsic instability is signed and squared, ``J² = ⟨d²⟩_bootstrap − ⟨d²⟩_shuffled``, so that the mean over
        words is the global one.
    """
    groups, rows = technique.over_common_words()
    table_2_8: Table = {column: [] for column in _COLUMNS_2_8}
    statistics, words = {}, {}
    for sampling, runs in groups.items():
        found = engine.pip_pass(runs, compute)
        pip = statistics[sampling] = pair_statistics(pair_matrix(found.reduced, len(runs)))
        relative = pip.sd / pip.mean
        mean_cosine = math.nan if found.scale is None else float(found.scale.mean_cosine.mean())
        chance = math.nan if found.scale is None else float(found.scale.chance.square().mean().sqrt())
        measured = engine.wordwise_pass(runs, found.basis, compute)
        words[sampling] = WordwisePip(*(field.cpu()[rows[sampling]] for field in measured))
        spread = float((words[sampling].sd / words[sampling].mean).square().mean())
        # A χ of k degrees of freedom has a relative SD of 1/√(2k).
        row = (technique.name, sampling, len(runs), len(rows[sampling]), pip.mean, pip.sd, pip.se, relative)
        add_row(table_2_8, (*row, math.sqrt(spread), 1 / (2 * spread), mean_cosine, chance))
    table_2_11: Table = {column: [] for column in _COLUMNS_2_11}
    if "bootstrap" in statistics:
        a, b = statistics["shuffled"], statistics["bootstrap"]
        found_extrinsic = extrinsic(a.mean, b.mean, a.se, b.se)
        square = words["bootstrap"].square - words["shuffled"].square
        row_2_11 = (technique.name, a.mean, b.mean, *found_extrinsic, float(square.mean()), int((square < 0).sum()))
        add_row(table_2_11, row_2_11)
    return {"table_2_8": table_2_8, "table_2_11": table_2_11, "words": _word_table(technique, rows, words)}


_COLUMNS_2_8 = (
    "technique",
    "sampling",
    "runs",
    "words",
    "reduced_pip",
    "sd",
    "se",
    "relative_sd",
    "word_relative_sd",
    "word_degrees_of_freedom",
    "mean_cosine",
    "chance",
)
_COLUMNS_2_11 = (
    "technique",
    "intrinsic",
    "bootstrap",
    "signed_square",
    "square_se",
    "extrinsic",
    "se",
    "mean_word_square",
    "negative_words",
)


def _word_table(technique: Technique, rows: dict[str, Tensor], words: dict[str, WordwisePip]) -> Table:
    runs, index = technique.shuffled, rows["shuffled"]
    shuffled = words["shuffled"]
    v = len(shuffled.mean)
    # Counts are totals over the runs that have them.
    counts = [None] * v if runs.counts is None else (runs.counts.cpu()[index] / len(runs)).tolist()
    table: Table = {
        "technique": [technique.name] * v,
        "word": [runs.vocabulary.text(k) for k in index.tolist()],
        "frequency": counts,
        "intrinsic": shuffled.mean.tolist(),
        "intrinsic_se": shuffled.se.tolist(),
        "intrinsic_square": shuffled.square.tolist(),
    }
    nothing = [math.nan] * v
    bootstrap = words.get("bootstrap")
    table["bootstrap"] = nothing if bootstrap is None else bootstrap.mean.tolist()
    table["bootstrap_square"] = nothing if bootstrap is None else bootstrap.square.tolist()
    table["extrinsic_square"] = nothing if bootstrap is None else (bootstrap.square - shuffled.square).tolist()
    return table
