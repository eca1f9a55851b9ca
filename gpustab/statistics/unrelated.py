"""What two spaces would share if their words had nothing to do with each other, from the sums over their words alone.

Let the words of y be permuted at random against those of x. The cross-Gram then is ``Σx Σyᵀ / v`` plus a matrix of
mean 0 whose entries have the covariance ``C_xx ⊗ C_yy / (v − 1)``, of centred columns. Both hold exactly of

    Σx Σyᵀ / v + C_xx^{1/2} H C_yy^{1/2},  H a block of a random orthogonal matrix of order v − 1,

and so does what no Gaussian H would respect: canonical correlations reach 1 where the two dimensions together exceed
v − 1. So every measure that is read from Grams has its level by chance without a second pass over the words, also where
no closed form is known (nuclear norms, canonical correlations).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.gram import Moments
from gpustab.kernels.similarity import centred, resolved


def unrelated(pair: Moments, rng: np.random.Generator) -> Moments:
    """Return moments as of the same two spaces, the words of one being permuted at random.

    Args:
        pair: of two spaces.
        rng: of the draw.

    Example:
        >>> from gpustab.kernels.gram import moments
        >>> pair = moments(torch.eye(3, dtype=torch.float64).expand(2, 3, 3))
        >>> found = unrelated(pair, np.random.default_rng(0))
        >>> bool((found.gram[0] == pair.gram[0]).all()), round(float(found.gram[1].sum()), 9)  # Σx · Σy / v
        (True, 3.0)
    """
    words, (sum_x, sum_y) = int(pair.words), pair.sums
    raw = pair.gram[[0, 2]]
    own = centred(raw, pair.sums, pair.sums, words)
    roots = [_root(*found, words - 1) for found in zip(own, resolved(raw, own, words), strict=True)]
    block = haar_block(roots[0].shape[1], roots[1].shape[1], words - 1, rng).to(pair.gram)
    cross = product(product(roots[0], block), roots[1].mT) + sum_x[:, None] * sum_y / words
    return pair._replace(gram=torch.stack([pair.gram[0], cross, pair.gram[2]]))


def _root(gram: Tensor, floor: Tensor, most: int) -> Tensor:
    """``C^{1/2}`` on the directions that there are, ``(d, r)``; centred columns have ``v − 1`` at most."""
    values, vectors = torch.linalg.eigh(gram)
    kept = values > floor * values[-1].clamp(min=0)
    kept[: max(0, len(kept) - most)] = False
    half: Tensor = vectors[:, kept] * values[kept].sqrt()
    return half


def haar_block(rows: int, columns: int, order: int, rng: np.random.Generator) -> Tensor:
    """Return the first rows and columns of a random orthogonal matrix, ``(rows, columns)`` float64.

    They are ``Z R⁻¹``, Z being the first rows of an ``order × columns`` matrix of normals and R the Cholesky factor of
    its Gram, with a positive diagonal. The Gram of its other rows is drawn as a whole (Bartlett 1933) if they are many.

    Args:
        rows: up to ``order``.
        columns: up to ``order``.
        order: of the orthogonal matrix.
        rng: of the draw.

    Example:
        >>> whole = haar_block(4, 4, 4, np.random.default_rng(0))
        >>> bool(torch.allclose(whole @ whole.T, torch.eye(4, dtype=torch.float64)))
        True
    """
    first, others = rng.normal(size=(rows, columns)), order - rows
    if others <= columns:  # a Gram of so few rows would lose half of the digits
        q, r = np.linalg.qr(np.concatenate([first, rng.normal(size=(others, columns))]))
        return torch.from_numpy(q[:rows] * np.sign(np.diagonal(r)))
    part = np.tril(rng.normal(size=(columns, columns)), -1)
    np.fill_diagonal(part, np.sqrt(rng.chisquare(others - np.arange(columns))))
    factor = torch.linalg.cholesky(torch.from_numpy(first.T @ first + part @ part.T))
    block: Tensor = torch.linalg.solve_triangular(factor, torch.from_numpy(first).mT, upper=False).mT
    return block
