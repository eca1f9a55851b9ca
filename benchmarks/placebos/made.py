"""Runs of known law: the mean of a pool, and noise as large as its runs have, or of another kind.

Every run is turned at random, so that runs must be aligned as real ones must.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from benchmarks.placebos.runsets import Source
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs
from gpustab.studies.instability.trees import top_of
from gpustab.studies.stability.study import stability

HEAVY = 2
"""Degrees of freedom of Student's t: so heavy are the tails of the noise that a word has in a run."""
TOGETHER = 0.5
"""How far all words move along one direction, as a part of what each moves by itself."""
LOUDER = 0.3
"""SD of the logarithm of the noise of a run."""
RARE_BY = 16.0
"""How many times the noise of the most frequent words that of the rarest is, where it falls."""

Noise = Callable[[np.random.Generator], Tensor]


@dataclass(frozen=True)
class Law:
    """What runs are made of.

    Attributes:
        about: for the table.
        like: runs whose words, counts and number of dimensions they have.
        mean: ``(v, d)``, the same in every run.
        noise: returns what is added in one run, ``(v, d)``.
    """

    about: str
    like: Runs
    mean: Tensor
    noise: Noise

    def runs(self, r: int, rng: np.random.Generator, key: Key) -> Runs:
        """Return R new runs."""
        return of_rows(self.like, [turned(self.mean + self.noise(rng), rng) for _ in range(r)], key)

    @property
    def agreement(self) -> str:
        """What two runs share, for the table."""
        made = self.runs(12, np.random.default_rng(0), Key("lsa", "shuffled"))
        return f"p@10 {stability(made, neighbours=[10]).groups[0]['neighbours']['10']['p']:.2f}"


def of_rows(like: Runs, rows: list[Tensor], key: Key) -> Runs:
    """Return runs of such vectors ``(v, d)``, with the words and the counts of other runs; zero rows are absent."""
    lengths = torch.stack([torch.linalg.vector_norm(x.double(), dim=1) for x in rows])
    one = like.take([0])
    return replace(
        one,
        rows=tuple(rows),
        seeds=(),
        names=tuple(f"made {r}" for r in range(len(rows))),
        present=lengths > 0,
        lengths=lengths.masked_fill(lengths == 0, 1),
        means=torch.zeros(len(rows), rows[0].shape[1], dtype=torch.float64),
        counts=None if one.counts is None else one.counts * len(rows),
        key=key,
    )


def turned(rows: Tensor, rng: np.random.Generator) -> Tensor:
    """Return rows ``(v, d)`` turned at random."""
    turn, _ = np.linalg.qr(rng.normal(size=(rows.shape[1], rows.shape[1])))
    return rows @ torch.from_numpy(turn)


def normal(sizes: Tensor, d: int) -> Noise:
    """Noise of every word by itself, of a size ``(v,)`` that is its own."""
    return lambda rng: sizes[:, None] * torch.from_numpy(rng.normal(size=(len(sizes), d))) / d**0.5


def heavy(sizes: Tensor, d: int) -> Noise:
    """The same, but larger in some runs than in most."""
    own = normal(sizes, d)
    return lambda rng: own(rng) / torch.from_numpy(rng.chisquare(HEAVY, (len(sizes), 1)) / HEAVY).sqrt()


def shared(sizes: Tensor, along: Tensor) -> Noise:
    """Noise of runs of which some are louder than others, and in which all words move along one direction."""
    own = normal(sizes, len(along))

    def noise(rng: np.random.Generator) -> Tensor:
        together = TOGETHER * sizes.mean() * rng.normal() * along
        return own(rng) * float(np.exp(LOUDER * rng.normal())) + together

    return noise


def laws(source: Source) -> dict[str, Law]:
    """Return laws by a short name, of a mean and of sizes of noise that the runs of a pool have."""
    runs = source.runs
    mean = top_of(runs).vectors  # of unit rows: what they lack in length is their noise
    sizes = (1 - mean.square().sum(1)).clamp(min=0).sqrt()
    d = mean.shape[1]
    along = torch.nn.functional.normalize(mean.mean(0), dim=0)
    assert runs.counts is not None
    place = runs.counts.double().argsort(descending=True).argsort() / (runs.words - 1)  # 0 is the most frequent
    falling = sizes.square().mean().sqrt() * RARE_BY ** (place - 1) * 1.5
    own = f"normal noise as large as that of {source.sampling} runs"
    return {
        "normal": Law(own, runs, mean, normal(sizes, d)),
        "falling": Law(f"{own}, {RARE_BY:g} times larger for rare words", runs, unit(mean), normal(falling, d)),
        "more": Law(f"{own}, more for rare words", runs, mean, normal((sizes**2 + falling**2).sqrt(), d)),
        "heavy": Law(f"{own}, with heavy tails", runs, mean, heavy(sizes, d)),
        "shared": Law(f"{own}, some runs louder, all words moved together", runs, mean, shared(sizes, along)),
    }


def unit(rows: Tensor) -> Tensor:
    """Return rows of unit length."""
    return torch.nn.functional.normalize(rows, dim=1)
