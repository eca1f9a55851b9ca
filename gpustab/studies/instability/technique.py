"""What every chapter is given: one technique's runs, and how they are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.machine.device import DEFAULT, Compute
from gpustab.runs.runs import Runs
from gpustab.studies.instability.options import InstabilityOptions
from gpustab.studies.shared.spaces import are_one, as_copies, find_copies


@dataclass(frozen=True)
class Technique:
    """One technique, as it is measured.

    Attributes:
        name: of the technique.
        groups: its runs by sampling; ``shuffled`` is among them.
        options: how much is drawn.
        compute: how to compute.
        same: ``(R, R)`` bool, pairs of shuffled runs that are one space twice; ``None`` where nobody looked.
    """

    name: str
    groups: Mapping[str, Runs]
    options: InstabilityOptions = field(default_factory=InstabilityOptions)
    compute: Compute = DEFAULT
    same: Tensor | None = None

    @classmethod
    def of(cls, name: str, groups: Mapping[str, Runs], options: InstabilityOptions, compute: Compute) -> Technique:
        """Return a technique whose copies are known."""
        return cls(name, groups, options, compute, find_copies(groups["shuffled"], compute))

    @property
    def runs(self) -> Runs:
        """The shuffled runs: what the technique itself does."""
        return self.groups["shuffled"]

    @property
    def joint(self) -> Tensor:
        """Row numbers of the words that all shuffled runs have."""
        return self.runs.joint.nonzero().flatten()

    @property
    def seed(self) -> int:
        """Of every draw."""
        return self.options.seed

    @property
    def is_one(self) -> bool:
        """Whether all shuffled runs are copies of one."""
        return are_one(self.same)

    def as_copies(self, values: Tensor) -> Tensor:
        """Return values ``(n, R)`` with those of copies made equal to the bit: rounding is no spread."""
        return as_copies(values, self.same)

    def without_copies(self, matrices: Tensor) -> Tensor:
        """Return pair matrices ``(..., R, R)`` of losses in which copies have none: rounding is no distance."""
        return matrices if self.same is None else matrices.masked_fill(self.same, 0)

    def word_pairs(self) -> tuple[Tensor, Tensor]:
        """Return the drawn pairs of joint words, as places among these."""
        pairs = draw_words(len(self.joint), self.options.pairs, self.seed)[:, :2].to(self.joint.device)
        first, second = pairs.T
        return first, second


def draw_words(words: int, count: int, seed: int) -> Tensor:
    """Draw ``(count, 4)`` words, different within a row; none comes again before all have come."""
    if words < 4 or count < 1:
        raise InputError(f"{count} times 4 of {words} words are wanted; it takes at least 1 row and 4 words")
    generator = torch.Generator().manual_seed(seed)
    rounds = -(-count // (words // 4))
    orders = [torch.randperm(words, generator=generator)[: words // 4 * 4].view(-1, 4) for _ in range(rounds)]
    return torch.cat(orders)[:count]
