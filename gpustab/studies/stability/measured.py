"""What the figures of stability are drawn from: estimates by group, from the table of pairs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch

from gpustab.kernels.jackknife import pair_statistics
from gpustab.report.svg.matrix import Array
from gpustab.results import Table
from gpustab.statistics.intervals import Estimate


class Measured(NamedTuple):
    """One number of one group.

    Attributes:
        group: its name.
        found: the mean over pairs with its error over runs.
        chance: what unrelated spaces would give; NaN where it is not known.
    """

    group: str
    found: Estimate
    chance: float


def runs_of(pairs: Table) -> list[str]:
    """Return the runs of one group, in their order."""
    return list(dict.fromkeys([*pairs["run_i"], *pairs["run_j"]]))


def distances(pairs: Table, column: str) -> Array:
    """Return the ``(R, R)`` matrix of one group's pairs; zero diagonal, NaN where a pair has no value."""
    place = {run: k for k, run in enumerate(runs_of(pairs))}
    found = np.full((len(place), len(place)), math.nan)
    np.fill_diagonal(found, 0.0)
    for a, b, value in zip(pairs["run_i"], pairs["run_j"], pairs[column], strict=True):
        found[place[a], place[b]] = found[place[b], place[a]] = value
    return found


def estimate(pairs: Table, column: str) -> Estimate:
    """Return the mean of a column over one group's pairs, with its jackknife error over runs."""
    found = pair_statistics(torch.from_numpy(distances(pairs, column)))
    return Estimate.of_runs(found.mean, found.se, len(runs_of(pairs)))


def losses(pairs: Table) -> list[Measured]:
    """Return the mean reduced PIP loss of every group and its chance level."""
    found = []
    for group, part in pairs.split("group"):
        chance = np.asarray(part["chance_reduced_pip"], np.float64)
        found.append(Measured(group, estimate(part, "reduced_pip"), float(np.sqrt(np.mean(chance**2)))))
    return found


def lengths(table: Table) -> list[int]:
    """Return the list lengths n of which a table has p@n."""
    return sorted(int(name[2:]) for name in table if name.startswith("p@") and name[2:].isdecimal())


def length(table: Table) -> int | None:
    """Return the list length that figures speak of: 10, else the next shorter one, else the shortest."""
    known = lengths(table)
    return max((n for n in known if n <= 10), default=min(known, default=None))
