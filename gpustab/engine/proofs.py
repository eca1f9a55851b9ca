"""The small problems of the fast paths of measuring, see :mod:`gpustab.machine.proof`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor
from torch.nn.functional import normalize

from gpustab.kernels import centred, gram, integer_gram
from gpustab.kernels.arithmetic import product
from gpustab.kernels.search import half_bound
from gpustab.machine.device import Compute
from gpustab.machine.proof import Proof, prove

_WORDS, _RUNS, _DIM = 48, 3, 20
_SEED = 20_261_129


def works(path: str, compute: Compute) -> bool:
    """Tell whether a path may be taken by all processes that share the work: by all of them, or by none."""
    return bool(compute.ranks.least(proved(path, compute.device).works))


def proved(path: str, device: torch.device) -> Proof:
    """Return how one of :data:`PATHS` does on a device; it is tried once a process."""
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda", torch.cuda.current_device())
    return _proved(path, device)


@cache
def _proved(path: str, device: torch.device) -> Proof:
    problem, allowed = PATHS[path]
    return prove(path, device, lambda: problem(device), allowed)


def _stack(words: int = _WORDS, d: int = _DIM) -> Tensor:
    """Rows of some runs that share most of what they are, ``(R, v, d)`` float64 on the CPU."""
    g = torch.Generator("cpu").manual_seed(_SEED)
    shared = torch.randn(words, d, dtype=torch.float64, generator=g, device="cpu")
    own = torch.randn(_RUNS, words, d, dtype=torch.float64, generator=g, device="cpu")
    return normalize(shared + own / 3, dim=2)


def _words(device: torch.device) -> float:
    """Relative error of words' mean losses by the fused kernel."""
    from gpustab.kernels.triton.packed_gram import pack_gram
    from gpustab.kernels.triton.wordwise import packed_wordwise

    stack = _stack().to(device)
    maps = torch.eye(_DIM, dtype=torch.float64, device=device).expand(_RUNS, -1, -1)
    rows = centred.centred_rows(stack, maps)
    frame_gram = gram.block_gram(rows)
    present = torch.ones(_RUNS, _WORDS, dtype=torch.bool, device=device)
    true = centred.centred_wordwise_pip(rows, frame_gram, _WORDS, present).mean
    found = packed_wordwise(rows.float(), pack_gram(frame_gram, _WORDS), terms=2).mean
    return float((found / true - 1).abs().max())


def _whole_numbers(device: torch.device) -> float:
    """Largest difference of a Gram of digits from that of the whole numbers that they are: none."""
    rounded = integer_gram.round_rows(_stack().to(device), 3, torch.Generator(device).manual_seed(_SEED))
    high, middle, low = rounded.digits.double().unbind(1)
    numbers = (high * 128 + middle) * 128 + low  # (R, width, c)
    true = product(numbers.flatten(0, 1), numbers.flatten(0, 1).mT).view(*numbers.shape[:2], *numbers.shape[:2])
    return float((integer_gram._cross_blocks(rounded.digits, rounded.digits) - true).abs().max())


def _halves(device: torch.device) -> float:
    """Largest error of scores of float16 rows."""
    rows = _stack()[0].to(device)
    scores = product(rows.half(), rows.half().mT).double()
    return float((scores - product(rows, rows.mT)).abs().max())


def _bfloat16(device: torch.device) -> float:
    """Largest error of a Gram of bfloat16 rows, as a share of its largest entry; the rows are rounded in both."""
    rows = _stack(gram.ROWS_PER_MATMUL).to(device).bfloat16()
    true = gram.block_gram(rows.double())
    return float((gram.block_gram(rows).double() - true).abs().max() / true.abs().max())


WORDS, WHOLE_NUMBERS, HALVES, BFLOAT16 = "words, fused", "whole numbers", "float16 search", "bfloat16 Gram"
PATHS: dict[str, tuple[Callable[[torch.device], float], float]] = {
    WORDS: (_words, 1e-4),
    WHOLE_NUMBERS: (_whole_numbers, 0.0),
    HALVES: (_halves, half_bound(_DIM)),
    BFLOAT16: (_bfloat16, 2.0**-14),
}
"""What is tried, and by how much it may err: the fused words by ten times what their rounding changes, whole numbers by
nothing, scores by their proven bound, sums of 4,096 rows by what tensor cores truncate."""
