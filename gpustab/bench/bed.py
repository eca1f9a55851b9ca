"""The ground that all steps stand on: runs of a size, and what one step makes for another."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.neighbours import Backend
from gpustab.machine.device import Compute
from gpustab.options import LENGTHS
from gpustab.runs.runs import Runs

TARGETS, LONGEST = 1000, max(LENGTHS)
"""Words whose neighbours are searched, and how many."""

Arithmetic = Literal["auto", "fast", "exact"]
"""Of a step; ``exact`` where there is nothing to choose."""


class Size(NamedTuple):
    """Of the synthetic runs."""

    runs: int
    words: int
    dimension: int


CUDA_SIZE = Size(128, 200_000, 300)
CPU_SIZE = Size(8, 20_000, 100)
"""What is measured unless something else is asked for."""


class Bed:
    """The runs that are measured, and what one step makes for another.

    Args:
        runs: with unit float32 rows on the device.
        backend: of the neighbour search.
        seed: of the draws.
    """

    def __init__(self, runs: Runs, backend: Backend, seed: int) -> None:
        self.runs, self.backend, self.seed = runs, backend, seed
        self._basis: tuple[str, engine.GramPass] | None = None

    def compute(self, precision: Arithmetic) -> Compute:
        """Return how a step computes."""
        return Compute(self.runs.device, "fast" if precision == "fast" else "auto", self.backend)

    def basis(self, precision: Arithmetic) -> engine.GramPass:
        """Return the block Gram; only the last one is kept, as it takes 6 GB for 128 runs of 300 dimensions."""
        if self._basis is None or self._basis[0] != precision:
            self._basis = None
            self._basis = (precision, engine.pip_pass(self.runs, self.compute(precision), gram=True).basis)
        return self._basis[1]

    def drop_basis(self) -> None:
        """Free the Gram."""
        self._basis = None

    @cached_property
    def targets(self) -> Tensor:
        """The words whose neighbours are searched, ``(t,)``."""
        return engine.draw_targets(self.runs, TARGETS, self.seed).to(self.runs.device)

    @cached_property
    def lists(self) -> engine.NeighbourPass:
        """The targets' neighbours in every run."""
        return engine.neighbour_pass(self.runs, self.targets, LONGEST, self.compute("exact"))
