"""The background of one run: raw vectors of its words, how they lie on the device, and sums of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from gpustab.kernels.context_sums import context_sums
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.contexts import Chances, chances
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.text import Ids, Text, rows_in
from gpustab.studies.shared.spaces import COLLAPSED


class Frequencies(NamedTuple):
    """How frequent the words of the text are, where subsampling asks.

    Attributes:
        counts: of every word of the text in the background; 0 where it is unknown there; ``None`` without counts.
        total: all the background's tokens.
        rows: row of every word of the text, −1 where the background lacks it.
    """

    counts: Ids | None
    total: int
    rows: Ids


def frequencies(text: Text, runs: Runs) -> Frequencies:
    """Return the counts of the text's words in the background, means over its runs."""
    rows = rows_in(text, runs.vocabulary)
    there = rows >= 0
    joint = runs.joint.cpu().numpy()
    rows[there] = np.where(joint[rows[there]], rows[there], -1)  # a zero vector is no background
    if runs.counts is None:
        return Frequencies(None, 0, rows)
    counts = (runs.counts.cpu().numpy() / len(runs)).astype(np.int64)
    return Frequencies(np.where(rows >= 0, counts[rows], 0), int(counts.sum()), rows)


def keeping(text: Text, found: Frequencies, options: ConsistencyOptions) -> tuple[Chances, str]:
    """Return the chance of every word of the text to be kept, and a sentence on where its frequency comes from."""
    if not options.subsample:
        return np.ones(len(text.words)), "No context word was subsampled."
    if found.counts is None:
        chance, source = chances(text.counts, len(text.tokens), options.subsample), "the text, the background has none"
    else:
        chance, source = chances(found.counts, found.total, options.subsample), "the background"
    return chance, f"Context words were subsampled at {options.subsample:g} by counts of {source}."


def sums(counts: sparse.csr_matrix, runs: Runs, run: int, device: torch.device) -> Tensor:
    """Return the sums of raw background vectors, ``(P, d)`` float64, from a matrix of counts ``(P, v)``."""
    matrix = counts.tocoo()
    rows, columns, values = (torch.from_numpy(np.asarray(part)) for part in (matrix.row, matrix.col, matrix.data))
    raw = runs.rows[run]
    whole = raw[0 : runs.words]

    def take(words: Tensor) -> Tensor:
        return whole[words.to(whole.device)].to(device)

    shape = (counts.shape[0], raw.shape[1])
    return context_sums(rows.long().to(device), columns.long().to(device), values.to(device), take, shape)


def collapsed(runs: Runs) -> str:
    """Return a sentence if words of a run all point one way, else nothing."""
    means = [mean_cosine(runs.run(r)[runs.joint]) for r in range(len(runs))]
    found = [r for r, mean in enumerate(means) if mean > COLLAPSED]
    if not found:
        return ""
    which = ", ".join(runs.names[r] for r in found[:5])
    of = f" in {len(found)} of {len(runs)} runs ({which})" if len(runs) > 1 else ""
    return (
        f"The background is collapsed{of}: two of its words have a mean cosine of {max(means):.2f}, so all sums are "
        "alike whatever the terms. Do not read the cosines; train the background longer."
    )


def mean_cosine(unit: Tensor) -> float:
    """Return the mean cosine of two different rows of unit length, ``(n, d)``.

    >>> round(mean_cosine(torch.eye(3, dtype=torch.float64)), 9)
    0.0
    """
    n = len(unit)
    return float((unit.sum(0).square().sum() - n) / (n * (n - 1)))
