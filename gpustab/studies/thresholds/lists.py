"""Word pairs of one run grouped by place in the lists of the most similar words (§4.2, second series)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.similarity_lists import list_groups
from gpustab.machine.device import Compute, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Levels
from gpustab.studies.thresholds.ladder import REFERENCE
from gpustab.studies.thresholds.sums import Sums, merged, of_tables

_WINDOWS = 60
"""Windows of places, as broad as they are far from the first; one place holds too few pairs and too few words."""

WINDOW = 0.16
"""Width of a window as a part of its place, in a dictionary of some thousand words; less of a larger one."""

_BLOCK = 256


class Lists(NamedTuple):
    """Pairs of one run by place.

    Attributes:
        places: one group per place, without words.
        windows: one group per window of places, from the last window to the first: from dissimilar to similar.
        to: ``(W,)`` last place of every window, from 1, in the same order.
        last: ``(v,)`` for how many lists every word is the last.
    """

    places: Sums
    windows: Sums
    to: Tensor
    last: Tensor


@telling_memory
def list_sums(
    runs: Runs, r: int, baseline: Levels, compute: Compute, told: Callable[[float], None] | None = None
) -> Lists:
    """Return the groups by place of one run; the lists hold all joint words, those that the baseline lacks too.

    A pair may stand in two lists, of either word; both count, and their covariance is counted once too often, which
    makes the errors a little larger.
    """
    joint = runs.joint.nonzero().flatten()
    unit = runs.select(r, joint, dtype=compute.dtype)
    known = torch.searchsorted(joint, baseline.rows.to(joint.device))
    window = windows_of(len(joint)).to(joint.device)
    most = compute.tile(64 * len(joint), _BLOCK if runs.device.type == "cpu" else 8 * _BLOCK)

    def work(block: int) -> Lists:
        tables = list_groups(unit, known, baseline.block, baseline.values, window, block, told)
        by_window = of_tables(tables, baseline.values, pool=window.cpu(), half=False)
        nobody = tables._replace(word_counts=tables.word_counts[:0], word_sums=tables.word_sums[:0])
        pool = torch.arange(len(by_window.n)).flip(0)
        to = torch.bincount(window.cpu()).cumsum(0).flip(0)
        by_place = of_tables(nobody, baseline.values, half=False)
        return Lists(by_place, merged(by_window, pool), to, tables.last.cpu())

    return with_smaller_tiles(work, most)


def windows_of(words: int) -> Tensor:
    """Return the window of every place, ``(v − 1,)``: about 60, log-spaced, and the last 1 % as one.

    >>> windows_of(5).tolist(), int(windows_of(6000).max()) + 1
    ([0, 1, 2, 3], 54)
    """
    places = words - 1
    tail = max(1, round(REFERENCE * places))
    edges = torch.logspace(0, math.log10(max(places - tail, 1)), _WINDOWS, dtype=torch.float64).round().long()
    return torch.searchsorted(edges.unique(), torch.arange(1, places + 1), right=False)
