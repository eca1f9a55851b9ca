"""The pass over all rows: what they add up to, the state of everything that is said of whole spaces.

*Centred*: all runs in one frame, their mean and deviations. Rounding to bfloat16 changes a plain loss by up to 3e-6 per
unit of its condition number: by 6e-4 at a reduced loss of 0.014 (LSA on sotu). The centred form loses 2e-5 at most at
any loss (0.0003 to 0.07; 6,000 to 20,000 words), for one thin product more. In float64 it resolves losses down to the
last bit of the vectors. Any orthogonal maps are right, so a sample of the words suffices to find them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.neighbours import NeighbourPass
from gpustab.engine.precision import FLOAT64, WANTED
from gpustab.errors import InputError, OutOfMemoryError
from gpustab.kernels import centred, gram, procrustes
from gpustab.kernels.arithmetic import product
from gpustab.kernels.pip_loss import PipLoss, WordwisePip
from gpustab.kernels.similarity import with_lengths
from gpustab.machine.device import DEFAULT, Compute, free_memory
from gpustab.machine.out_of_memory import is_out_of_memory, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_FRAME_WORDS = 4 * gram.ROWS_PER_MATMUL
"""Words by which the frame is found; more of them change no digit of the losses."""


def place(runs: Runs, compute: Compute) -> Runs:
    """Return runs ready for a device: their rows too where these take at most half of its free memory.

    Rows that do not fit stay where they are and travel chunk by chunk; the numbers are the same.
    """
    size = sum(rows.shape[0] * rows.shape[1] * 4 for rows in runs.rows)
    return _moved(runs, compute.device, rows=size <= free_memory(compute.device) // 2)


@telling_memory
def _moved(runs: Runs, device: torch.device, *, rows: bool) -> Runs:
    try:
        return runs.to(device, rows=rows)
    except (RuntimeError, MemoryError) as error:
        if not (rows and is_out_of_memory(error)):
            raise
    return runs.to(device, rows=False)  # what is free may lie in pieces, or others take it meanwhile


def joint_words(runs: Runs) -> int:
    """Return how many words all runs have.

    Raises:
        InputError: if they are fewer than two, so that no PIP loss is defined.
    """
    joint = int(runs.joint.sum())
    if joint < 2:
        raise InputError(f"group '{runs.name}': {joint} words are in all runs; a PIP loss needs at least two")
    return joint


def draw_proxy(runs: Runs, words: int, seed: int) -> Tensor:
    """Return a mask ``(v,)`` of so many joint words, drawn at random: a sampled proxy of the vocabulary.

    Rettenmeier 2020, §2.2.3.3. A PIP loss over m of v words has ``E[D²_m] = D² (1 − 1/m) / (1 − 1/v)``. The exact loss
    over all words costs little, so a proxy serves comparisons with published numbers.

    Raises:
        InputError: for fewer than two words, or more than there are.
    """
    joint = runs.joint.cpu().nonzero().flatten()
    if not 2 <= words <= len(joint):
        raise InputError(f"proxy is {words}, wanted 2 to {len(joint)} joint words")
    mask = torch.zeros(runs.words, dtype=torch.bool, device="cpu")
    mask[joint[torch.randperm(len(joint), generator=torch.Generator().manual_seed(seed), device="cpu")[:words]]] = True
    return mask.to(runs.device)


class CentredGram(NamedTuple):
    """The runs in one frame.

    Attributes:
        maps: ``(R, d, d)`` float64 orthogonal maps into the frame.
        gram: ``((R+1)(R+2)/2, d, d)`` float64 block Gram of their mean and deviations.
    """

    maps: Tensor
    gram: Tensor


class GramPass(NamedTuple):
    """What one pass over all rows collects.

    Attributes:
        moments: of the joint words, or those of the proxy; ``None`` where they do not fit.
        words: how many these are.
        dtype: of the products.
        centred: the form that it was collected in, if it was the centred one.
        arithmetic: in which words are to be measured by it; default: that of the products.
        wordwise: where no moments are kept, the words' losses, if they were asked for.
        norms: where no moments are kept, ``‖C_ij‖²``, ``(R, R)``.
        counted: ``(v,)`` bool, the words that were summed over, where they are not summed here in float64.
        lists: the nearest neighbours of all words, where they were asked for and came with the losses.
        inner: ``(v, R, R)`` float64, ``⟨z_ik, z_jk⟩`` of every word k, likewise; see :mod:`gpustab.engine.rows`.
    """

    moments: gram.Moments | None
    words: int
    dtype: torch.dtype
    centred: CentredGram | None = None
    arithmetic: torch.dtype | None = None
    wordwise: WordwisePip | None = None
    counted: Tensor | None = None
    lists: NeighbourPass | None = None
    norms: Tensor | None = None
    inner: Tensor | None = None

    @property
    def gram(self) -> Tensor:
        """``(R(R+1)/2, d, d)`` float64 block Gram."""
        if self.moments is None:
            raise OutOfMemoryError("the block Gram of all runs was not kept, as it is larger than memory should be")
        return self.moments.gram


def cross_gram(runs: Runs, basis: GramPass, i: int, j: int) -> Tensor:
    """Return ``C_ij`` of two runs, ``i < j``, ``(d, d)``; summed again where the block Gram was not kept."""
    if basis.moments is None:
        return gram_pass(runs.take([i, j]), dtype=torch.float64, proxy=basis.counted).gram[1]
    return gram.blocks_of_run(basis.gram, len(runs), i)[j - i]


def gram_fits(runs: Runs, compute: Compute) -> bool:
    """Tell whether the block Gram of all runs may be held: in an eighth of free memory on a CPU, in a tile on a GPU."""
    size = len(runs) * (len(runs) + 1) // 2 * runs.dimension**2 * 8
    of_cpu = compute.device.type == "cpu" and compute.memory is None
    return size <= compute.ranks.least(free_memory(compute.device) // 8 if of_cpu else compute.tile(1, 2**62))


@telling_memory
def gram_pass(
    runs: Runs, compute: Compute = DEFAULT, dtype: torch.dtype | None = None, proxy: Tensor | None = None
) -> GramPass:
    """Accumulate the moments of all runs over the joint words, chunk by chunk.

    Args:
        runs: the runs.
        compute: how to compute.
        dtype: of the products; default: what ``compute`` says.
        proxy: ``(v,)`` mask of the words to take instead of all joint ones, see :func:`draw_proxy`.

    Raises:
        InputError: see :func:`joint_words`.
    """
    dtype, counted = dtype or compute.dtype, counted_words(runs, proxy)

    def add(total: gram.Moments, chunk: Tensor, here: Tensor) -> None:
        gram.add_(total, chunk, here, dtype)

    summed = accumulate(runs, compute, counted, dtype, len(runs), add)
    return GramPass(summed, int(counted.sum()), dtype)


def lengths_pass(runs: Runs, basis: GramPass, compute: Compute, proxy: Tensor | None = None) -> gram.Moments:
    """Accumulate the moments of centred rows and their squared lengths, see :func:`similarity.with_lengths`.

    Unit rows need no pass: all their squared lengths are 1, and the moments of the rows say all.
    """
    moments = basis.moments
    assert moments is not None  # noqa: S101  # asked for with all that is read from them
    if runs.unit:
        own = moments.sums[:, :, None]
        first, second = torch.triu_indices(len(runs), len(runs), device=own.device)
        corner = moments.words.to(own.dtype).expand(len(first), 1, 1)
        upper = torch.cat([moments.gram, own[first]], 2)
        whole = torch.cat([upper, torch.cat([own[second].mT, corner], 2)], 1)
        return gram.Moments(whole, torch.cat([moments.sums, corner[0].expand(len(runs), 1)], 1), moments.words)
    mean = (moments.sums / moments.words)[:, None]

    def add(total: gram.Moments, chunk: Tensor, here: Tensor) -> None:
        gram.add_(total, with_lengths((chunk - mean) * here[:, None]), here, torch.float64)

    return accumulate(runs, compute, counted_words(runs, proxy), torch.float64, len(runs), add, more=1)


@telling_memory
def centred_pass(runs: Runs, compute: Compute, dtype: torch.dtype, proxy: Tensor | None = None) -> GramPass:
    """Accumulate the same from mean and deviations of the runs in one frame; deviations are rounded to ``dtype``."""
    counted, maps = counted_words(runs, proxy), common_frame(runs)
    formed = torch.float64 if dtype == torch.float64 else torch.float32  # enough to form deviations of 8 bits
    rotate = maps.to(formed)

    def add(total: gram.Moments, chunk: Tensor, here: Tensor) -> None:
        gram.add_(total, centred.centred_rows(chunk, rotate), here, dtype)

    summed = accumulate(runs, compute, counted, formed, len(runs) + 1, add)
    return in_frame(maps, summed, int(counted.sum()), formed)


def in_frame(maps: Tensor, summed: gram.Moments, words: int, arithmetic: torch.dtype) -> GramPass:
    """Return what was collected of mean and deviations, with the moments of the runs themselves."""
    sums = product(maps, (summed.sums[0] + summed.sums[1:])[:, :, None]).squeeze(2)  # back out of the frame
    plain = gram.Moments(centred.plain_gram(summed.gram, maps), sums, summed.words)
    return GramPass(plain, words, arithmetic, CentredGram(maps, summed.gram))


def common_frame(runs: Runs) -> Tensor:
    """Return orthogonal maps ``(R, d, d)`` float64 that bring every run near to the first one."""
    words = min(runs.words, _FRAME_WORDS)
    chunk = runs.chunk(0, words) * runs.joint[:words, None]  # the most frequent words
    cross = product(chunk.mT, chunk[0].expand(len(runs), -1, -1))
    require_finite(runs, [cross])
    # A run that shares no direction with the first one may be mapped anyhow.
    cross[(cross == 0).all(-1).all(-1)] = torch.eye(runs.dimension, dtype=cross.dtype, device=cross.device)
    return procrustes.procrustes(cross).maps


def centred_loss(basis: GramPass) -> PipLoss:
    """Return the losses of all pairs from deviations."""
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    return centred.centred_pip_loss(basis.centred.gram)


def centred_errors(basis: GramPass, loss: PipLoss) -> Tensor:
    """Return the relative errors of losses from float64 deviations, ``(R(R-1)/2,)``; ``inf`` for equal runs.

    Losses err by the last digits of the rows they are formed of. Runs that differ by no more than these are equal: on
    one processor nothing is left of their difference, on another what rounding their two maps has left.
    """
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    apart, digits = centred.distances(basis.centred.gram), _last_digits(basis)
    return (loss.condition * digits / apart).masked_fill(apart * WANTED <= digits, torch.inf)


def unresolved(basis: GramPass, loss: PipLoss, tolerated: float) -> list[int]:
    """Return the places of pairs that are too near to each other for a frame in which other runs are far.

    Their deviations nearly cancel: what is left is 0 on one processor, noise on another. Where all runs are equal,
    there is nothing to be resolved, and two runs have the frame that is best for them.
    """
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    squares = gram.run_squares(centred.DeviationGram.of(basis.centred.gram).blocks)
    if len(squares) == 2:
        return []
    i, j = gram.run_pairs(len(squares), squares.device)
    far = (squares[i] + squares[j]).sqrt() * WANTED > _last_digits(basis)
    places: list[int] = (far & ~(loss.condition * FLOAT64 <= tolerated)).nonzero().flatten().tolist()
    return places


def _last_digits(basis: GramPass) -> Tensor:
    """What the rows of every pair may differ by in their last digits, ``(R(R-1)/2,)``."""
    squares = gram.run_squares(basis.gram)
    i, j = gram.run_pairs(len(squares), squares.device)
    return (squares[i] + squares[j]).sqrt() * FLOAT64


def measure_alone_(
    runs: Runs, compute: Compute, counted: Tensor, at: int, loss: PipLoss, errors: Tensor
) -> CentredGram:
    """Measure one pair in a frame of its own, in place: nothing cancels, however near the two are to each other.

    Args:
        runs: all of them.
        compute: how to compute.
        counted: ``(v,)`` bool, the words to sum over.
        at: place of the pair in the order of :func:`gpustab.kernels.gram.run_pairs`.
        loss: of all pairs.
        errors: of all pairs, see :func:`centred_errors`.
    """
    pair = gram.run_pairs(len(runs))[:, at]
    basis = centred_pass(runs.take(pair.tolist()), compute, torch.float64, counted)
    alone = centred_loss(basis)
    loss.total[at], loss.condition[at] = alone.total[0], alone.condition[0]
    errors[at] = centred_errors(basis, alone)[0]
    assert basis.centred is not None  # noqa: S101  # of centred_pass
    return basis.centred


def counted_words(runs: Runs, proxy: Tensor | None) -> Tensor:
    """Return the words to sum over, ``(v,)`` bool: the joint ones, or those of a proxy.

    Raises:
        InputError: see :func:`joint_words`.
    """
    if proxy is None:
        joint_words(runs)
    return runs.joint if proxy is None else proxy


def accumulate(
    runs: Runs,
    compute: Compute,
    counted: Tensor,
    dtype: torch.dtype,
    members: int,
    add: Callable[[gram.Moments, Tensor, Tensor], None],
    width: int = 24,
    more: int = 0,
) -> gram.Moments:
    """Sum up moments of some members over chunks of words, in smaller tiles where memory runs out.

    ``add`` is given chunks ``(R, c, d)``, zero where words do not count, and which words do, ``(c,)`` bool; ``width``
    bytes are held for every number of a chunk. The members have ``more`` columns than the runs.
    """
    all_count, d = bool(counted.all()), runs.dimension

    def work(tile: int) -> gram.Moments:
        total = gram.empty_moments(members, d + more, runs.device)
        for start, chunk in runs.chunks(tile, dtype=dtype, share=compute.ranks.share):
            here = counted[start : start + tile]
            if not all_count:
                chunk *= here[:, None]
            add(total, chunk, here)
        compute.ranks.total_(*total)
        return total

    tile = compute.tile(len(runs) * d * width, runs.words)
    # Whole matmuls: a chunk of 4,097 rows would cost one of a single row.
    summed = with_smaller_tiles(work, tile // gram.ROWS_PER_MATMUL * gram.ROWS_PER_MATMUL or tile, compute.ranks)
    require_finite(runs, [summed.sums])
    return summed
