"""A probe: which class a word has, told from its vector by softmax regression, of many runs at once.

It stands for whatever is trained on top of word vectors. Its start and the order of its examples come from a seed, so
that runs can be told apart by their vectors alone, and by the seed alone.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want

__all__ = ["predicted"]

_BATCH, _EPOCHS, _RATE, _START = 32, 40, 2.0, 0.01
"""Examples of a step, passes, rate of the first step (it falls to 0 in equal parts), and SD of the first weights."""


def predicted(learned: Tensor, classes: Tensor, asked: Tensor, seed: int) -> Tensor:
    """Return the class that a probe of every run tells of each word, ``(R, m)`` int64.

    ``P(c | x) ∝ exp(wᵀx + b)``, by stochastic gradient descent on the logarithmic loss. All runs have the same start
    and the same order of examples.

    Args:
        learned: ``(R, n, d)`` vectors of the words that are learned from; of about unit length.
        classes: ``(n,)`` int64, their classes, counted from 0.
        asked: ``(R, m, d)`` vectors of the words that are asked for.
        seed: of start and order.

    Raises:
        ValueError: for shapes that do not fit.

    >>> x = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]).repeat(1, 20, 1)
    >>> predicted(x, torch.arange(40) % 2, x[:, :2], 0).tolist()
    [[0, 1]]
    """
    want("learned", learned, "(R, n, d)")
    want("asked", asked, "(R, m, d)")
    if classes.shape != learned.shape[1:2] or learned.shape[::2] != asked.shape[::2]:
        shapes = ", ".join(str(tuple(x.shape)) for x in (learned, classes, asked))
        raise ValueError(f"learned, classes and asked have shapes {shapes}, wanted (R, n, d), (n,) and (R, m, d)")
    runs, n, d = learned.shape
    generator = torch.Generator("cpu").manual_seed(seed)
    wanted = one_hot(classes).to(learned)
    start = _START * torch.randn(d, wanted.shape[1], generator=generator, dtype=torch.float64, device="cpu")
    weights = start.to(learned).repeat(runs, 1, 1)
    bias = learned.new_zeros(runs, 1, wanted.shape[1])
    orders = [torch.randperm(n, generator=generator, device="cpu").split(_BATCH) for _ in range(_EPOCHS)]
    batches = [part.to(learned.device) for order in orders for part in order]
    for step, part in enumerate(batches):
        x = learned[:, part]
        beyond = torch.softmax(product(x, weights) + bias, 2) - wanted[part]
        rate = _RATE * (1 - step / len(batches)) / len(part)
        weights -= rate * product(x.mT, beyond)
        bias -= rate * beyond.sum(1, keepdim=True)
    return (product(asked, weights) + bias).argmax(2)
