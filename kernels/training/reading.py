"""What the runs of word2vec read: the units of a draw, without the frequent words that are thinned out.

Whether token i of what a run reads is left out in an epoch is decided by word i of the Philox stream ``epoch`` of key
(training seed, 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.training.philox import random_words

__all__ = ["THIN", "Reading", "keep_thresholds", "read_units", "side_by_side", "thin"]

THIN = 1
"""Second word of the key, see :mod:`gpustab.kernels.training.word2vec`."""


class Reading(NamedTuple):
    """What R runs read in one epoch.

    Attributes:
        tokens: ``(n,)`` int32 word numbers, run after run.
        texts: ``(s + 1,)`` int64 offsets into ``tokens``.
        runs: ``(R + 1,)`` int64 offsets into ``texts``.
    """

    tokens: Tensor
    texts: Tensor
    runs: Tensor


def keep_thresholds(counts: Tensor, subsample: float) -> Tensor:
    """Return for every word its probability to be kept, ``min(1, (√(c/s) + 1) s/c)``, in units of 2⁻³², as gensim's.

    Args:
        counts: ``(v,)`` of the words in what a run reads.
        subsample: ``s / Σ counts`` below 1; from 1 upwards ``s = ⌊subsample (3 + √5) / 2⌋``; 0 keeps everything.

    Example:
        >>> keep_thresholds(torch.tensor([1, 90, 909]), 0.01) / 2**32  # s = 10
        tensor([1.0000, 0.4444, 0.1159])
    """
    c = counts.double().clamp(min=1)
    s = float(counts.sum()) * subsample if subsample < 1 else math.floor(subsample * (3 + math.sqrt(5)) / 2)
    kept = ((c / s).sqrt() + 1) * (s / c) if s else torch.ones_like(c)
    return (kept.clamp(max=1) * 2**32).round().long()


def read_units(tokens: Tensor, texts: Tensor, units: Tensor, draw: Tensor) -> tuple[Tensor, Tensor]:
    """Return tokens and text offsets of the units of a corpus that a draw names, in its order.

    Args:
        tokens: ``(n,)`` of the corpus.
        texts: ``(s + 1,)`` offsets into them.
        units: ``(u + 1,)`` offsets into ``texts``.
        draw: numbers of units.
    """
    chosen = _ranges(units[draw], units[draw + 1])
    starts, stops = texts[chosen], texts[chosen + 1]
    return tokens[_ranges(starts, stops)], pad((stops - starts).cumsum(0), (1, 0))


def _ranges(starts: Tensor, stops: Tensor) -> Tensor:
    """Return ``start, start + 1, ... stop - 1`` of all ranges, one after the other."""
    lengths = stops - starts
    shifts = torch.repeat_interleave(starts - (lengths.cumsum(0) - lengths), lengths)
    return torch.arange(len(shifts), device=starts.device) + shifts


def thin(tokens: Tensor, texts: Tensor, keep: Tensor, seed: int, epoch: int) -> tuple[Tensor, Tensor]:
    """Return tokens and text offsets of one run's epoch after frequent words have been thinned out.

    Args:
        tokens: ``(n,)``.
        texts: ``(s + 1,)`` offsets.
        keep: ``(v,)``, see :func:`keep_thresholds`.
        seed: of the run's training.
        epoch: counted from 0.
    """
    kept = random_words(len(tokens), (seed, THIN), epoch, tokens.device) < keep[tokens]
    return tokens[kept], pad(kept.cumsum(0), (1, 0))[texts]


def side_by_side(parts: Sequence[tuple[Tensor, Tensor]]) -> Reading:
    """Return the tokens and text offsets of several runs as one reading."""
    texts, runs, tokens = [parts[0][1][:1]], [0], 0
    for _, offsets in parts:
        texts.append(offsets[1:] + tokens)
        runs.append(runs[-1] + len(offsets) - 1)
        tokens += int(offsets[-1])
    device = parts[0][0].device
    return Reading(torch.cat([part for part, _ in parts]), torch.cat(texts), torch.tensor(runs, device=device))
