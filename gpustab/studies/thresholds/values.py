"""Word pairs of one run grouped by similarity value, and what the baseline says of each group (§4.2, first series)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpustab.errors import InputError
from gpustab.kernels.cosine import cosines
from gpustab.kernels.similarity_groups import GROUPS, group_numbers, value_groups
from gpustab.machine.device import Compute, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Law, of_levels, of_steps
from gpustab.studies.thresholds.sums import Sums, of_pairs, of_tables

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
