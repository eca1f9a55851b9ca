"""Word pairs of one run in groups, by similarity and by place in lists, and what the baseline says of each (§4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.cosine import cosines
from gpustab.kernels.similarity_groups import GROUPS, group_numbers, value_groups
from gpustab.kernels.similarity_lists import list_groups
from gpustab.machine.device import Compute, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Law, of_levels, of_steps
from gpustab.studies.thresholds.ladder import REFERENCE
from gpustab.studies.thresholds.sums import Sums, merged, of_pairs, of_tables

_BLOCK = 256
"""Words whose levels are held at a time: more are no faster on a CPU."""

_BYTES = 24_000
"""Of a word of a block: its column of distances over the synsets above a large vocabulary."""


class Values(NamedTuple):
    """Word pairs of one run by similarity value.

    Attributes:
        sums: 201 groups of 0.01, from −1 to 1.
        law: the distribution of the baseline over the pairs (figure 19), the same in every run.
    """

    sums: Sums
    law: Law


@telling_memory
def value_sums(
    runs: Runs, r: int, baseline: Baseline, compute: Compute, told: Callable[[float], None] | None = None
) -> Values:
    """Return the groups of one run.

    Args:
        runs: the runs.
        r: which of them.
        baseline: what pairs are compared with.
        compute: how to compute.
        told: called with the finished part.

    Raises:
        InputError: if the baseline has no value for any pair.
    """
    rows = baseline.rows.to(runs.device)
    if not isinstance(baseline, Levels):
        unit = runs.select(r, rows).cpu()
        similarity = cosines(unit[baseline.pairs[:, 0]], unit[baseline.pairs[:, 1]])
        group = group_numbers(similarity).long()
        sums = of_pairs(group, baseline.pairs, baseline.values, GROUPS, len(rows))
        values, numbers = baseline.values.unique(return_counts=True)
        return Values(sums, of_steps(baseline.name, values.numpy(), numbers.double().numpy()))
    unit = runs.select(r, rows, dtype=compute.dtype)
    most = compute.tile(_BYTES + 64 * len(rows), _BLOCK if runs.device.type == "cpu" else 16 * _BLOCK)
    tables = with_smaller_tiles(lambda block: value_groups(unit, baseline.block, baseline.values, block, told), most)
    sums = of_tables(tables, baseline.values, half=True)
    if not float(sums.n.sum()):
        raise InputError(f"{runs.names[r]}: {baseline.name} has a value for no pair of its {len(rows):,} words")
    return Values(sums, of_levels(baseline.name, tables.counts, baseline.values))


_WINDOWS = 60
"""Windows of places, as broad as they are far from the first; one place holds too few pairs and too few words."""

WINDOW = 0.16
"""Width of a window as a part of its place, in a dictionary of some thousand words; less of a larger one."""


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
