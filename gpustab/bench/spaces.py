"""Synthetic runs of any size, made on the device: turned noisy copies of one space with a common direction."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import normalize

from gpustab.runs.joining import Joining
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs
from gpustab.spaces.vocabulary import Vocabulary

LOSS = 0.013
"""Reduced PIP loss that the runs are made to have, that of a stable technique (LSA on sotu: 0.014)."""

_COMMON = 0.8
"""Component that all words share; gives a mean cosine near 0.3, as skip-gram on sotu."""

_SQUARED_COSINE = 0.1
"""Mean squared cosine of two words: 0.3² and a little for their variance."""


def synthetic_runs(runs: int, words: int, dimension: int, device: torch.device, seed: int = 0) -> Runs:
    """Return runs with float32 unit rows on the device: ``normalise(B + σN_r) Q_r``.

    B has unequal variances and a common direction, N_r is Gaussian, Q_r a random rotation. So the condition number of
    the PIP loss is that of real spaces, some hundred. Only one space is held besides the runs.
    """
    rows = tuple(synthetic_spaces(runs, words, dimension, device, seed))
    lengths = torch.stack([torch.linalg.vector_norm(space, dim=1, dtype=torch.float64) for space in rows])
    return Runs(
        vocabulary=Vocabulary(f"w{k}" for k in range(words)),
        rows=rows,
        names=tuple(f"run {r}" for r in range(runs)),
        joining=Joining("joint", runs, words),
        present=torch.ones(runs, words, dtype=torch.bool, device=device),
        means=torch.zeros(runs, dimension, dtype=torch.float64, device=device),
        lengths=lengths,
        key=Key("synthetic"),
    )


def synthetic_spaces(runs: int, words: int, dimension: int, device: torch.device, seed: int = 0) -> Iterator[Tensor]:
    """Give the rows of :func:`synthetic_runs`, ``(v, d)`` each, one run after the other: more than memory holds."""
    generator = torch.Generator(device).manual_seed(seed)
    scale = torch.linspace(2, 0.2, dimension, device=device)
    base = normalize(_normal(words, dimension, generator).mul_(scale).add_(_COMMON), dim=1)
    deviation = (noise_share(LOSS, dimension) / dimension) ** 0.5
    for _ in range(runs):
        yield _copy(base, deviation, generator)


def noise_share(loss: float, dimension: int) -> float:
    """Return the expected squared length τ² of the noise, relative to the rows, that gives a reduced PIP loss.

    The cosine of two words varies between runs by ``2τ²/d (1 − c²)``, c the cosine, as scaling to unit length takes
    out the noise along a row, and is divided by ``1 + τ²``: ``loss² = (1 − ⟨c²⟩) τ²/d / (1 + τ²)²``. Where no noise
    suffices, 1 is returned.

    >>> round(noise_share(0.013, 300), 4)
    0.0637
    """
    a = loss**2 * dimension / (1 - _SQUARED_COSINE)
    return 1.0 if a >= 0.25 else 2 * a / (1 - 2 * a + (1 - 4 * a) ** 0.5)


def _copy(base: Tensor, deviation: float, generator: torch.Generator) -> Tensor:
    words, dimension = base.shape
    space = normalize(_normal(words, dimension, generator).mul_(deviation).add_(base), dim=1)
    rotation: Tensor = torch.linalg.qr(_normal(dimension, dimension, generator).double())[0]
    return space @ rotation.float()


def _normal(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    return torch.randn(rows, columns, generator=generator, device=generator.device)
