"""Steps of word2vec in Triton: what the kernel of :mod:`gpustab.kernels.training.triton_word2vec` does for one word.

The rows of a step are tiles that are read once and written once: the output rows ``(K + 1, d)``, and one input row of
skip-gram or those of CBOW's window, ``(2 window, d)``, padded to powers of two and masked. All are read before any is
written, and the threads of a program meet in between and afterwards.

word2vec moves output rows one after the other. That differs from a tile only where a noise word comes twice, and then
in closed form: as ``y += g x`` moves ``x·y`` by ``g ‖x‖²``, the product of a later slot is ``f_k + ‖x‖² Σ g_j`` over
the earlier slots j of the same word, and its row ``y + x Σ g_j``. The last slot writes the row. So does the last slot
of a word that stands m times in a window of CBOW: it is moved m times by the same ``Σ g y``.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from gpustab.kernels.training.word2vec import LARGEST, SCALE, SHIFT

__all__ = ["jit", "train_pairs", "train_window"]

_TRITON = find_spec("triton") is not None
if _TRITON:  # else nothing here can be launched, see gpustab.kernels.dispatch
    import triton
    import triton.language as tl

    _LARGEST, _SCALE, _SHIFT = tl.constexpr(LARGEST), tl.constexpr(SCALE), tl.constexpr(SHIFT)


def jit(function: Callable[..., Any]) -> Any:
    """Return the function for Triton; as it is where there is none."""
    # A kernel for every epoch, or for vocabularies of a multiple of 16, would only be compiled again.
    return triton.jit(function, do_not_specialize=["epoch", "words"]) if _TRITON else function


@jit
def _noise_words(
    random: tl.tensor,
    slot: tl.tensor,
    word: tl.tensor,
    threshold: tl.tensor,
    alias: tl.tensor,
    words: tl.tensor,
    NEGATIVE: tl.constexpr,
) -> tl.tensor:
    """Return the word in slot 0 and its noise words in the slots after it, −1 where one is passed over."""
    many = random * 0 + words.to(tl.uint32)
    cell = tl.umulhi(random, many)
    part = ((random * many) >> 1).to(tl.int32)
    noise = tl.where(part < tl.load(threshold + cell), cell.to(tl.int32), tl.load(alias + cell))
    noise = tl.where((slot <= NEGATIVE) & (noise != word), noise, -1)
    return tl.where(slot == 0, word, noise)


@jit
def _slope(product: tl.tensor, label: tl.tensor, used: tl.tensor, rate: tl.tensor) -> tl.tensor:
    """``α (label − σ)``; zero for slots that are passed over."""
    slope = rate * (label - tl.sigmoid(product * _SCALE + _SHIFT))
    return tl.where(used & (tl.abs(product) < _LARGEST), slope, 0.0)


@jit
def _move_outputs(
    x: tl.tensor, y: tl.tensor, target: tl.tensor, rate: tl.tensor, SLOTS: tl.constexpr
) -> tuple[tl.tensor, tl.tensor, tl.tensor]:
    """Return what a step adds to input rows ``(d)``, to output rows ``(K + 1, d)``, and which slots write theirs."""
    slot = tl.arange(0, SLOTS)
    used = target >= 0
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
    return step, (before + slope)[:, None] * x[None, :], used & last


@jit
def _train_pair(
    x_row: tl.tensor,
    outputs: tl.tensor,
    target: tl.tensor,
    rate: tl.tensor,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
    SLOTS: tl.constexpr,
) -> None:
    """Move one input row, and the output rows of a word and its noise words."""
    lane = tl.arange(0, LANES)
    inside = (lane < DIM)[None, :]
    x_row += lane
    y_rows = outputs + target.to(tl.int64)[:, None] * DIM + lane[None, :]
    # Past the first-level cache: the times of the kernel were measured so.
    x = tl.load(x_row, mask=lane < DIM, other=0.0, cache_modifier=".cg")
    y = tl.load(y_rows, mask=(target >= 0)[:, None] & inside, other=0.0, cache_modifier=".cg")
    step, move, written = _move_outputs(x, y, target, rate, SLOTS)
    tl.debug_barrier()  # every thread has read
    tl.store(y_rows, y + move, mask=written[:, None] & inside)
    tl.store(x_row, x + step, mask=lane < DIM)
    tl.debug_barrier()  # every thread has written


@jit
def train_pairs(
    tokens: tl.tensor,
    inputs: tl.tensor,
    outputs: tl.tensor,
    targets: tl.tensor,
    threshold: tl.tensor,
    alias: tl.tensor,
    key: tl.tensor,
    epoch: tl.tensor,
    t: tl.tensor,
    words: tl.tensor,
    rate: tl.tensor,
    place: tl.tensor,
    first: tl.tensor,
    stop: tl.tensor,
    WINDOW: tl.constexpr,
    NEGATIVE: tl.constexpr,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
    SLOTS: tl.constexpr,
    DRAWN: tl.constexpr,
) -> None:
    """Train skip-gram on the word at ``place`` and its context words from ``first`` to ``stop``, one by one."""
    # Noise words of all contexts at once, because within a pair every thread would compute the same random words.
    drawn = tl.arange(0, DRAWN)
    nth = drawn // SLOTS
    slot = drawn % SLOTS
    word = tl.load(tokens + place)
    random = tl.philox(key, drawn * 0 + t, drawn * 0 + epoch, 1 + nth, slot - 1)[0]
    found = _noise_words(random, slot, word, threshold, alias, words, NEGATIVE)
    tl.store(targets + drawn, found, mask=nth <= 2 * WINDOW)
    tl.debug_barrier()  # every thread has written
    for other in range(first, stop):
        if other != place:
            x_row = inputs + tl.load(tokens + other).to(tl.int64) * DIM
            target = tl.load(targets + (other - place + WINDOW) * SLOTS + tl.arange(0, SLOTS))
            _train_pair(x_row, outputs, target, rate, DIM, LANES, SLOTS)


@jit
def train_window(
    tokens: tl.tensor,
    inputs: tl.tensor,
    outputs: tl.tensor,
    threshold: tl.tensor,
    alias: tl.tensor,
    key: tl.tensor,
    epoch: tl.tensor,
    t: tl.tensor,
    words: tl.tensor,
    rate: tl.tensor,
    place: tl.tensor,
    first: tl.tensor,
    stop: tl.tensor,
    NEGATIVE: tl.constexpr,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
    SLOTS: tl.constexpr,
    CONTEXTS: tl.constexpr,
) -> None:
    """Train CBOW on the word at ``place`` and its context words from ``first`` to ``stop``."""
    lane = tl.arange(0, LANES)
    inside = (lane < DIM)[None, :]
    slot = tl.arange(0, SLOTS)
    random = tl.philox(key, slot * 0 + t, slot * 0 + epoch, slot * 0, slot)[0]
    target = _noise_words(random, slot, tl.load(tokens + place), threshold, alias, words, NEGATIVE)
    nth = tl.arange(0, CONTEXTS)
    other = first + nth
    other = tl.where(other < place, other, other + 1)
    here = other < stop
    context = tl.load(tokens + other, mask=here, other=-1)
    same = (context[:, None] == context[None, :]) & here[:, None]  # (contexts, contexts)
    last = tl.sum((same & (nth[None, :] > nth[:, None])).to(tl.int32), 1) == 0
    times = tl.sum(same.to(tl.float32), 1)
    x_rows = inputs + context.to(tl.int64)[:, None] * DIM + lane[None, :]
    y_rows = outputs + target.to(tl.int64)[:, None] * DIM + lane[None, :]
    # Past the first-level cache: the times of the kernel were measured so.
    rows = tl.load(x_rows, mask=here[:, None] & inside, other=0.0, cache_modifier=".cg")
    y = tl.load(y_rows, mask=(target >= 0)[:, None] & inside, other=0.0, cache_modifier=".cg")
    x = tl.sum(rows, 0) * (1.0 / tl.maximum(tl.sum(here.to(tl.float32), 0), 1.0))
    step, move, written = _move_outputs(x, y, target, rate, SLOTS)
    tl.debug_barrier()  # every thread has read
    tl.store(y_rows, y + move, mask=written[:, None] & inside)
    tl.store(x_rows, rows + times[:, None] * step[None, :], mask=(here & last)[:, None] & inside)
    tl.debug_barrier()  # every thread has written
