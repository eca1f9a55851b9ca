"""GloVe (Pennington et al. 2014): AdaGrad on many entries of the matrix of co-occurrence counts at once.

Half the loss of eq. 8, as the reference implementation has it, with the weights of eq. 9:

``J = ½ Σ_ij f(X_ij) (w_i · c_j + b_i + b'_j − log X_ij)²``,  ``f(x) = min(1, (x / x_max)^α)``

The biases are two more columns, ``w̃ = [w, b, 1]`` and ``c̃ = [c, 1, b']``, so that the bracket is
``w̃_i · c̃_j − log X_ij``: a product of two tables, taken only where X has entries. Gradients are sums over the
entries of a row in the order of their columns, never atomic additions: equal input gives equal bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, pad

from gpustab.kernels.arithmetic import full_precision

__all__ = [
    "MOST_PLACES",
    "Batch",
    "Factors",
    "block_diagonal",
    "descend",
    "differences",
    "gradients",
    "loss",
    "make_factors",
    "weighting",
]

MOST_PLACES = 2**31 - 1
"""Entries, and coordinates of a table, of one step: they are numbered in 32 bits."""


class Batch(NamedTuple):
    """Entries of a count matrix that are used in one step, by rows and by columns.

    Attributes:
        word_ends: ``(n + 1,)`` int32: the entries of row i are ``word_ends[i] .. word_ends[i + 1] - 1``.
        contexts: ``(m,)`` int32, the column of every entry, ascending within a row.
        context_ends: ``(n + 1,)`` int32, the same for the columns' entries, column by column.
        words: ``(m,)`` int32, the row of every entry, column by column.
        order: ``(m,)`` int32, the places that the entries have row by row, column by column.
        log: ``(m,)``, ``log X_ij``, row by row.
        weight: ``(m,)``, ``f(X_ij)``, row by row.
    """

    word_ends: Tensor
    contexts: Tensor
    context_ends: Tensor
    words: Tensor
    order: Tensor
    log: Tensor
    weight: Tensor

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        return Batch(*(part.to(device) for part in self))


class Factors(NamedTuple):
    """Augmented vectors of words or of contexts, and what AdaGrad remembers of them.

    Attributes:
        rows: ``(n, d + 2)``: d coordinates and the columns ``[b, 1]`` of words or ``[1, b']`` of contexts.
        history: ``(n, d + 2)``: 1 + sum of the squares of earlier steps before they were scaled.
        one: which column is the constant.
    """

    rows: Tensor
    history: Tensor
    one: int

    @property
    def vectors(self) -> Tensor:
        """``(n, d)`` the coordinates without the biases."""
        return self.rows[:, :-2]


def make_factors(start: Tensor) -> tuple[Factors, Factors]:
    """Return the tables of words and contexts for the start values ``(2, n, d + 1)``, biases last."""
    word, context = start
    one = torch.ones_like(word[:, :1])
    last = word.shape[1]
    word = torch.cat([word, one], 1)
    context = torch.cat([context[:, :-1], one, context[:, -1:]], 1)
    return Factors(word, torch.ones_like(word), last), Factors(context, torch.ones_like(context), last - 1)


def weighting(counts: Tensor, x_max: float, alpha: float) -> Tensor:
    """Return ``f(x) = min(1, (x / x_max)^α)``, eq. 9.

    >>> weighting(torch.tensor([1.0, 16.0, 99.0]), x_max=16, alpha=0.75)
    tensor([0.1250, 1.0000, 1.0000])
    """
    return (counts / x_max).pow(alpha).clamp(max=1)


def block_diagonal(batches: Sequence[Batch]) -> Batch:
    """Return several batches as one: block r has the rows and columns of batch r.

    Blocks share no row, so that training them together is training each of them alone.

    Raises:
        ValueError: for more entries or rows than 32 bits number.
    """
    numbers = {"entries": sum(len(b.log) for b in batches), "rows": sum(len(b.word_ends) - 1 for b in batches)}
    for what, number in numbers.items():
        if number > MOST_PLACES:
            raise ValueError(f"{number:,} {what} in one step, wanted at most {MOST_PLACES:,}")
    entries, rows = 0, 0
    moved = []
    for batch in batches:
        places = {"word_ends": batch.word_ends[1:] + entries, "context_ends": batch.context_ends[1:] + entries}
        names = {"contexts": batch.contexts + rows, "words": batch.words + rows}
        moved.append(batch._replace(**places, **names, order=batch.order + entries))
        entries, rows = entries + len(batch.log), rows + len(batch.word_ends) - 1
    whole = Batch(*(torch.cat(parts) for parts in zip(*moved, strict=True)))
    return whole._replace(word_ends=pad(whole.word_ends, (1, 0)), context_ends=pad(whole.context_ends, (1, 0)))


def differences(batch: Batch, word: Factors, context: Factors) -> Tensor:
    """Return ``w_i · c_j + b_i + b'_j − log X_ij`` of every entry, ``(m,)``."""
    size = (len(word.rows), len(context.rows))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        minus_log = torch.sparse_csr_tensor(
            batch.word_ends, batch.contexts, -batch.log, size, check_invariants=False, device=batch.log.device
        )
    with full_precision(word.rows.device):
        found: Tensor = torch.sparse.sampled_addmm(minus_log, word.rows, context.rows.mT).values()
    return found


def loss(batch: Batch, word: Factors, context: Factors) -> Tensor:
    """Return ``½ f(X_ij) (...)²`` of every entry, ``(m,)``; their sum is half of eq. 8."""
    return batch.weight * differences(batch, word, context).square() / 2


def gradients(batch: Batch, word: Factors, context: Factors, rate: float = 1.0) -> tuple[Tensor, Tensor]:
    """Return ``∂J/∂w̃_i = Σ_j f(X_ij) (...) c̃_j`` and ``∂J/∂c̃_j = Σ_i f(X_ij) (...) w̃_i``, times ``rate``.

    Both are ``(n, d + 2)``; the constant columns have no gradient.
    """
    slope = differences(batch, word, context).mul_(batch.weight).mul_(rate)
    of_word = _sums(batch.word_ends, slope, batch.contexts, context.rows)
    of_context = _sums(batch.context_ends, slope.index_select(0, batch.order), batch.words, word.rows)
    of_word[:, word.one] = 0
    of_context[:, context.one] = 0
    return of_word, of_context


def _sums(ends: Tensor, factors: Tensor, chosen: Tensor, rows: Tensor) -> Tensor:
    """Return the sums of ``factor · rows[chosen]`` from end to end: a sparse matrix times a dense one."""
    return embedding_bag(chosen, rows, ends, mode="sum", per_sample_weights=factors, include_last_offset=True)


def descend(batch: Batch, word: Factors, context: Factors, rate: float) -> None:
    """Take one AdaGrad step ``s / √(1 + Σ s²)``, ``s = rate · gradient``, in place; the sum includes this step.

    The reference implementation, too, sums squares of the gradient *times the learning rate*, so that steps shrink
    much later than in the textbook. It leaves the present step out of the sum; with it no coordinate moves by more
    than 1, however many entries of a row come at once.
    """
    for table, scaled in zip((word, context), gradients(batch, word, context, rate), strict=True):
        # Not addcmul: whether it rounds once or twice may depend on where an element lies in memory.
        table.history.add_(scaled.square())
        table.rows.addcdiv_(scaled, table.history.sqrt(), value=-1)
