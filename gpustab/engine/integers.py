"""The pass in whole numbers: when a card takes it, with how many digits, and how much its losses may err.

On a datacentre card float64 products are all that a pass waits for, and integer units add up products of int8 at thirty
times their rate. Two digits take four products, three take nine. Predicted of an H200, not measured (128 runs ×
200,000 words × 300 dimensions, 7.1 s in float64): 1.1 s for two digits, 2.4 s for three, and 0.4 s to form the rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass, accumulate, centred_errors, centred_loss, common_frame, in_frame
from gpustab.engine.proofs import WHOLE_NUMBERS, works
from gpustab.kernels import centred, gram, integer_gram
from gpustab.kernels.pip_loss import PipLoss
from gpustab.machine.device import Compute, fast_integers
from gpustab.runs.runs import Runs

WANTED = {"auto": 1e-5, "1e-6": 1e-6}
"""Relative error that no loss may exceed, by the precision that was asked for; other precisions take no integers."""
WANTED_OF_WORDS = 5e-5
"""The same of the losses of words, as a share of their root mean square."""
_SURELY = 0.8
"""Share of what is allowed that an estimate may reach."""
_WORTH = 2e12
"""Operations of a block Gram from which on a card is worth asking: 0.05 s of float64."""
_RUNS, _WORDS = 4, gram.ROWS_PER_MATMUL
"""What is looked at beforehand."""
_BITS = {2: "int15", 3: "int22"}
_WIDTH = 80
"""Bytes that are held for every number of a chunk: float64 rows and what is made of them, and digits."""
_SEED = 20_240_701


class WholeNumberPass(NamedTuple):
    """What a pass in whole numbers finds.

    Attributes:
        basis: the Gram, as deviations in one frame and as the runs' own.
        loss: of all pairs.
        precision: ``"int15"`` or ``"int22"``.
        error: bound on the relative error of the losses.
        error_of_words: bound on the error of a word's loss, as a share of the root mean square of these.
    """

    basis: GramPass
    loss: PipLoss
    precision: str
    error: float
    error_of_words: float

    def resolves(self, compute: Compute) -> bool:
        """Tell whether the losses and those of the words are as exact as was asked for."""
        return self.error <= WANTED[compute.precision] and self.error_of_words <= WANTED_OF_WORDS


def takes_integers(compute: Compute) -> bool:
    """Tell whether a precision allows whole numbers, and the device is fast at them and has proved that it has them."""
    if compute.precision not in WANTED or not fast_integers(compute.device):
        return False
    return works(WHOLE_NUMBERS, compute)


def slices_to_try(runs: Runs, compute: Compute, counted: Tensor) -> int:
    """Return with how many digits to begin, 0 for float64; a wrong guess costs time alone."""
    words, r = int(counted.sum()), len(runs)
    if r * (r + 1) * runs.dimension**2 * words < _WORTH:
        return 0
    return choose_slices(_likely_error(runs, counted), WANTED[compute.precision])


def choose_slices(likely: float, wanted: float) -> int:
    """Return the fewest digits whose error is likely to be small enough, 0 where float64 alone has it.

    Args:
        likely: the bound for two digits; a third one divides it by 128.
        wanted: what it may be.

    >>> choose_slices(7e-6, 1e-5), choose_slices(7e-6, 1e-6), choose_slices(1e-3, 1e-6)
    (2, 3, 0)
    """
    finer = integer_gram.largest(2) / integer_gram.largest(3)
    errors = {2: likely, 3: likely * finer}
    return next((slices for slices, error in errors.items() if error <= _SURELY * wanted), 0)


def _likely_error(runs: Runs, counted: Tensor) -> float:
    """Estimate the bound for two digits from a few words of a few runs: it falls with the root of the words."""
    some, words = runs.take(list(range(min(_RUNS, len(runs))))), counted.nonzero().flatten()
    sample = min(_WORDS, len(words))
    words = words[torch.arange(sample, device=words.device) * len(words) // sample]
    stack = torch.stack([some.select(r, words) for r in range(len(some))])
    rows = centred.centred_rows(stack, common_frame(some))
    frame_gram = gram.block_gram(rows)
    steps = rows.abs().amax((1, 2)) / integer_gram.largest(2)
    total = centred.centred_pip_loss(frame_gram).total
    bound = integer_gram.rounding_error(frame_gram, gram.block_gram(stack), total, steps, sample)
    return float(bound.max()) * math.sqrt(sample / int(counted.sum()))


def next_slices(slices: int) -> int:
    """Return with how many digits to go on where some do not suffice, 0 for float64."""
    return slices + 1 if slices + 1 in _BITS else 0


def whole_number_pass(runs: Runs, compute: Compute, counted: Tensor, slices: int) -> WholeNumberPass:
    """Accumulate mean and deviations of the runs in one frame, rounded to whole numbers of so many digits."""
    maps, words = common_frame(runs), int(counted.sum())
    steps = torch.zeros(len(runs) + 1, dtype=torch.float64, device=runs.device)
    draws = torch.Generator(runs.device).manual_seed(_SEED + compute.ranks.rank)

    def add(total: gram.Moments, chunk: Tensor, here: Tensor) -> None:
        for part, counts in zip(chunk.split(integer_gram.LONGEST, 1), here.split(integer_gram.LONGEST), strict=True):
            rows = centred.centred_rows(part, maps)
            rounded = integer_gram.round_rows(rows, slices, draws)
            torch.maximum(steps, rounded.steps, out=steps)
            integer_gram.add_digits_(total, rounded, rows, counts)

    summed = accumulate(runs, compute, counted, torch.float64, len(runs) + 1, add, _WIDTH)
    compute.ranks.largest_(steps)
    basis = in_frame(maps, summed, words, torch.float64)
    loss, plain = centred_loss(basis), basis.gram
    error = integer_gram.rounding_error(summed.gram, plain, loss.total, steps, words).max()
    of_words = integer_gram.word_error(summed.gram, plain, loss.total, steps, words).max()
    formed = centred_errors(basis, loss).nan_to_num(torch.inf).max()  # infinite for equal runs
    return WholeNumberPass(basis, loss, _BITS[slices], float(error + formed), float(of_words))
