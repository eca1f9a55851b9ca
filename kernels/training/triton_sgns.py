"""Skip-gram with negative sampling of R runs at once: the fused twin of :mod:`gpustab.kernels.training.sgns`.

One program trains one run, pair after pair, as one thread of word2vec does; 128 runs fill a card of 132
multiprocessors. A pair's ``K + 1`` output rows are a tile ``(K + 1, d)``, padded to powers of two and masked, that is
read once and written once. The rows of a run belong to one program, whose threads meet after reading and after
writing: no atomic additions, so that equal input gives equal bits on equal cards.

The rows of a tile are read before any is written, but word2vec moves them one after the other. That differs only where
a noise word comes twice, and then in closed form: as ``y += g x`` moves ``x·y`` by ``g ‖x‖²``, the product of a later
slot is ``f_k + ‖x‖² Σ g_j`` over the earlier slots j of the same word, and its row ``y + x Σ g_j``. The last slot
writes the row.

With more programs a run (Hogwild, Recht et al. 2011) each trains an equal part of the tokens, all on the same rows at
the same time, with atomic additions: their order, and with it the result, differs from call to call. The learning rate
follows a program's own progress, so that all have the same at the same time.

Cost. The State of the Union addresses (1.93 M tokens, 1.36 M after thinning; d = 100, K = 5, 5 epochs) are 41 M pairs
a run, of ``6 (K + 1) d`` operations and ``2 (K + 2) d`` floats each: neither decides. The pairs of a run wait for each
other (rows from second-level cache, about 640 instructions of one warp, three barriers): 1.4 µs a pair on an H200, 60 s
for 1 run as for 128. With 16 to 128 programs a run it takes 12.6 s, bound by atomic additions, and the runs are less
alike than they should be: reduced PIP 0.0224 within, where one program and gensim have 0.0204.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from gpustab.kernels.training.sgns import LARGEST, SCALE, SHIFT, TRAIN, Model, Noise, Reading, Recipe

_TRITON = find_spec("triton") is not None
if _TRITON:  # else nothing here can be launched, see gpustab.kernels.dispatch
    import triton
    import triton.language as tl

    _LARGEST, _SCALE, _SHIFT = tl.constexpr(LARGEST), tl.constexpr(SCALE), tl.constexpr(SHIFT)

_ELEMENTS_PER_WARP = 512
_MOST_WARPS = 16


def _jit(function: Callable[..., Any]) -> Any:
    # A kernel for every epoch, or for vocabularies of a multiple of 16, would only be compiled again.
    return triton.jit(function, do_not_specialize=["epoch", "words"]) if _TRITON else function


@_jit
def _draw_targets(
    targets: tl.tensor,
    threshold: tl.tensor,
    alias: tl.tensor,
    key: tl.tensor,
    t: tl.tensor,
    epoch: tl.tensor,
    word: tl.tensor,
    words: tl.tensor,
    WINDOW: tl.constexpr,
    NEGATIVE: tl.constexpr,
    SLOTS: tl.constexpr,
    DRAWN: tl.constexpr,
) -> None:
    """Write the word and its noise words, −1 where one is passed over, for every context that a window may have.

    All at once, because within a pair every thread would compute the same random words.
    """
    place = tl.arange(0, DRAWN)
    nth = place // SLOTS
    slot = place % SLOTS
    random = tl.philox(key, place * 0 + t, place * 0 + epoch, 1 + nth, slot - 1)[0]
    many = random * 0 + words.to(tl.uint32)
    cell = tl.umulhi(random, many)
    part = ((random * many) >> 1).to(tl.int32)
    noise = tl.where(part < tl.load(threshold + cell), cell.to(tl.int32), tl.load(alias + cell))
    noise = tl.where((slot <= NEGATIVE) & (noise != word), noise, -1)
    tl.store(targets + place, tl.where(slot == 0, word, noise), mask=nth <= 2 * WINDOW)
    tl.debug_barrier()  # every thread has written


@_jit
def _slope(
    product: tl.tensor,
    label: tl.tensor,
    used: tl.tensor,
    rate: tl.tensor,
) -> tl.tensor:
    """``α (label − σ)``; zero for slots that are passed over."""
    slope = rate * (label - tl.sigmoid(product * _SCALE + _SHIFT))
    return tl.where(used & (tl.abs(product) < _LARGEST), slope, 0.0)


@_jit
def _train_pair(
    x_row: tl.tensor,
    outputs: tl.tensor,
    targets: tl.tensor,
    rate: tl.tensor,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
    SLOTS: tl.constexpr,
    HOGWILD: tl.constexpr,
) -> None:
    """Move one input row, and the output rows of a word (slot 0) and its noise words."""
    slot = tl.arange(0, SLOTS)
    lane = tl.arange(0, LANES)
    target = tl.load(targets + slot)
    used = target >= 0
    x_row += lane
    y_rows = outputs + target.to(tl.int64)[:, None] * DIM + lane[None, :]
    # Past the first-level cache, which does not see what programs elsewhere write.
    x = tl.load(x_row, mask=lane < DIM, other=0.0, cache_modifier=".cg")
    y = tl.load(y_rows, mask=used[:, None] & (lane < DIM)[None, :], other=0.0, cache_modifier=".cg")
    same = (target[:, None] == target[None, :]) & used[:, None]  # (slots, slots)
    earlier = same & (slot[None, :] < slot[:, None])
    last = tl.sum((same & (slot[None, :] > slot[:, None])).to(tl.int32), 1) == 0
    repeats = tl.max(tl.sum(earlier.to(tl.int32), 1), 0)
    label = tl.where(slot == 0, 1.0, 0.0)
    product = tl.sum(x[None, :] * y, 1)
    length = tl.sum(x * x, 0)
    slope = _slope(product, label, used, rate)
    before = tl.zeros((SLOTS,), tl.float32)  # sum of the slopes of earlier slots of the same word
    for _ in range(repeats):
        before = tl.sum(tl.where(earlier, slope[None, :], 0.0), 1)
        slope = _slope(product + length * before, label, used, rate)
    step = tl.sum(slope[:, None] * y, 0) + tl.sum(slope * before, 0) * x
    move = (before + slope)[:, None] * x[None, :]
    written = (used & last)[:, None] & (lane < DIM)[None, :]
    if HOGWILD:
        tl.atomic_add(y_rows, move, mask=written, sem="relaxed")
        tl.atomic_add(x_row, step, mask=lane < DIM, sem="relaxed")
    else:
        tl.debug_barrier()  # every thread has read
        tl.store(y_rows, y + move, mask=written)
        tl.store(x_row, x + step, mask=lane < DIM)
    tl.debug_barrier()  # every thread has written


@_jit
def _train_runs(
    tokens: tl.tensor,
    texts: tl.tensor,
    cuts: tl.tensor,
    firsts: tl.tensor,
    stops: tl.tensor,
    keys: tl.tensor,
    threshold: tl.tensor,
    alias: tl.tensor,
    inputs: tl.tensor,
    outputs: tl.tensor,
    targets: tl.tensor,
    epoch: tl.tensor,
    words: tl.tensor,
    first_rate: tl.tensor,
    last_rate: tl.tensor,
    EPOCHS: tl.constexpr,
    WINDOW: tl.constexpr,
    NEGATIVE: tl.constexpr,
    SLOTS: tl.constexpr,
    DRAWN: tl.constexpr,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
    HOGWILD: tl.constexpr,
) -> None:
    """Program ``(r, p)`` trains run r on the p-th part of its tokens."""
    run = tl.program_id(0)
    program = run * tl.num_programs(1) + tl.program_id(1)
    origin = tl.load(cuts + program - tl.program_id(1) + run)  # of the run
    begin = tl.load(cuts + program + run)
    end = tl.load(cuts + program + run + 1)
    length = (end - begin).to(tl.float32)
    key = tl.load(keys + run)
    row = run.to(tl.int64) * words
    threshold += row
    alias += row
    inputs += row * DIM
    outputs += row * DIM
    targets += program * DRAWN
    for text in range(tl.load(firsts + program), tl.load(stops + program)):
        low = tl.load(texts + text)
        high = tl.load(texts + text + 1)
        for place in range(tl.maximum(low, begin), tl.minimum(high, end)):
            word = tl.load(tokens + place)
            done = (epoch + tl.cast(place - begin, tl.float32) / length) / EPOCHS
            rate = tl.maximum(last_rate, first_rate - (first_rate - last_rate) * done)
            t = tl.cast(place - origin, tl.int32)
            draw = tl.philox(key, t, epoch, t * 0, t * 0)[0]
            width = 1 + tl.umulhi(draw, draw * 0 + WINDOW).to(tl.int32)
            _draw_targets(targets, threshold, alias, key, t, epoch, word, words, WINDOW, NEGATIVE, SLOTS, DRAWN)
            for other in range(tl.maximum(low, place - width), tl.minimum(high, place + width + 1)):
                if other != place:
                    x_row = inputs + tl.load(tokens + other).to(tl.int64) * DIM
                    drawn = targets + (other - place + WINDOW) * SLOTS
                    _train_pair(x_row, outputs, drawn, rate, DIM, LANES, SLOTS, HOGWILD)


def train_epoch(
    reading: Reading,
    noise: Noise,
    model: Model,
    seeds: Sequence[int],
    epoch: int,
    recipe: Recipe,
    *,
    programs_per_run: int = 1,
    warps: int | None = None,
) -> None:
    """Train R runs for one epoch on their GPU, in place; see :func:`gpustab.kernels.training.sgns.train_epoch`.

    Args:
        reading: what the runs read in this epoch.
        noise: their tables.
        model: their vectors.
        seeds: their training seeds.
        epoch: counted from 0.
        recipe: see :class:`gpustab.kernels.training.sgns.Recipe`.
        programs_per_run: 1 is word2vec with one thread; more are Hogwild.
        warps: per program; never changes what is drawn, but may change how sums are rounded.
    """
    _, words, dim = model.inputs.shape
    lanes, slots = triton.next_power_of_2(dim), triton.next_power_of_2(recipe.negative + 1)
    if warps is None:
        warps = min(max(lanes * slots // _ELEMENTS_PER_WARP, 1), _MOST_WARPS)
    drawn = triton.next_power_of_2((2 * recipe.window + 1) * slots)
    device = model.inputs.device
    keys = torch.tensor([seed | TRAIN << 32 for seed in seeds], device=device)
    targets = torch.empty(len(seeds), programs_per_run, drawn, dtype=torch.int32, device=device)
    _train_runs[(len(seeds), programs_per_run)](
        reading.tokens, reading.texts, *_parts(reading, programs_per_run), keys, noise.threshold, noise.alias,
        model.inputs, model.outputs, targets, epoch, words, recipe.rate, recipe.last_rate, EPOCHS=recipe.epochs,
        WINDOW=recipe.window, NEGATIVE=recipe.negative, SLOTS=slots, DRAWN=drawn, DIM=dim, LANES=lanes,
        HOGWILD=programs_per_run > 1, num_warps=warps, enable_fp_fusion=True,
    )  # fmt: skip


def _parts(reading: Reading, programs: int) -> tuple[Tensor, Tensor, Tensor]:
    """Cut the tokens of every run into equal parts.

    Returns:
        The cuts ``(R, programs + 1)``, places in ``reading.tokens``; for every part, ``(R, programs)``, its first text
        and the text after its last.
    """
    ends = reading.texts[reading.runs]  # (R + 1,)
    share = torch.arange(programs + 1, device=ends.device)
    cuts = ends[:-1, None] + (ends[1:] - ends[:-1])[:, None] * share // programs
    firsts = torch.searchsorted(reading.texts, cuts[:, :-1].contiguous(), right=True) - 1
    stops = torch.searchsorted(reading.texts, cuts[:, 1:].contiguous())
    return cuts, firsts, stops
