"""What one term of float16 would do to PIP losses: a model of tensor cores, whose float32 sums truncate.

Usage:
    python -m benchmarks.tensor_core_sums

The centred form in float16, summed 16 products at a time, towards zero, and promoted to float64 every so many rows,
beside sums that round, and beside the whole numbers of `gpustab.kernels.integer_gram`, which are exact. A card lost
four times as much as this model at 4,096 rows; nothing promises by how much a card truncates, so this is no bound.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels import centred, gram, integer_gram, procrustes
from tests import generators

RUNS, WORDS, DIMENSION, NOISE = 3, 8192, 32, 0.03
STEP = 16
"""Products that a tensor core adds up before it rounds."""
ROWS = (64, 256, 1024, 4096)


def towards_zero(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 numbers as the nearest float32 ones that are not larger.

    >>> towards_zero(np.array([1 + 2.0**-24, -1 - 1.5 * 2.0**-23])).tolist() == [1.0, -1 - 2.0**-23]
    True
    """
    near = x.astype(np.float32)
    over = np.abs(near.astype(np.float64)) > np.abs(x)
    near[over] = np.nextafter(near[over], np.float32(0))
    return near.astype(np.float64)


def product(x: NDArray[np.float64], rows: int, *, truncated: bool) -> NDArray[np.float64]:
    """Return ``XᵀX`` of float16 values ``(v, n)`` as such sums give it, promoted every ``rows`` rows."""
    total = np.zeros((x.shape[1], x.shape[1]))
    for start in range(0, len(x), rows):
        part = np.zeros_like(total)
        for at in range(start, min(start + rows, len(x)), STEP):
            part = part + x[at : at + STEP].T @ x[at : at + STEP]
            part = towards_zero(part) if truncated else part.astype(np.float32).astype(np.float64)
        total += part
    return total


def blocks(flat: Tensor, members: int) -> Tensor:
    """Return a Gram of members side by side, ``(m d, m d)``, as a block Gram."""
    d = len(flat) // members
    i, j = torch.triu_indices(members, members)
    return flat.view(members, d, members, d).transpose(1, 2)[i, j]


def main() -> None:
    stack = generators.noisy_copies(RUNS, WORDS, DIMENSION, NOISE)
    maps = procrustes.procrustes(stack.mT @ stack[0]).maps
    rows = centred.centred_rows(stack, maps)
    true = centred.centred_pip_loss(gram.block_gram(rows)).total
    print(f"reduced PIP loss {float(true.mean()) / (2 * WORDS):.4f}, {WORDS} words, {DIMENSION} dimensions")
    steps = rows.abs().amax((1, 2))
    half = (rows / steps[:, None, None]).half().double().transpose(0, 1).flatten(1).numpy()
    scale = (steps[:, None] * steps)[tuple(torch.triu_indices(RUNS + 1, RUNS + 1))][:, None, None]
    for length in ROWS:
        errors = []
        for truncated in (True, False):
            found = blocks(torch.from_numpy(product(half, length, truncated=truncated)), RUNS + 1) * scale
            errors.append(float((centred.centred_pip_loss(found).total / true - 1).abs().max()))
        print(f"one term of float16, {length:5} rows a sum: truncated {errors[0]:.1e}, rounded {errors[1]:.1e}")
    for slices in (2, 3):
        total = gram.empty_moments(RUNS + 1, DIMENSION)
        rounded = integer_gram.round_rows(rows, slices, torch.Generator().manual_seed(0))
        integer_gram.add_digits_(total, rounded, rows, torch.ones(WORDS, dtype=torch.bool))
        found = centred.centred_pip_loss(total.gram).total
        plain = centred.plain_gram(total.gram, maps)
        bound = integer_gram.rounding_error(total.gram, plain, found, rounded.steps, WORDS).max()
        print(
            f"whole numbers of {slices} digits: {float((found / true - 1).abs().max()):.1e}, bound {float(bound):.1e}"
        )


if __name__ == "__main__":
    main()
