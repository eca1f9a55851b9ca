"""word2vec with negative sampling of R runs at once: the fused twin of :mod:`gpustab.kernels.training.word2vec`.

One program trains one run, step after step, as one thread of word2vec does; 128 runs fill a card of 132
multiprocessors. The rows of a run belong to one program, whose threads meet after reading and after writing: no atomic
additions, so that equal input gives equal bits on equal cards. Steps: :mod:`gpustab.kernels.training.triton_steps`.

Cost of skip-gram. The State of the Union addresses (1.93 M tokens, 1.36 M after thinning; d = 100, K = 5, 5 epochs) are
41 M pairs a run, of ``6 (K + 1) d`` operations and ``2 (K + 2) d`` floats each: neither decides. The pairs of a run
wait for each other (rows from second-level cache, about 640 instructions of one warp, three barriers): 1.4 µs a pair on
an H200, 60 s for 1 run as for 128. Several programs a run (Hogwild, Recht et al. 2011) took 12.6 s and are gone: their
runs are less alike than they should be, reduced PIP 0.0224 within, where one program and gensim have 0.0204.

CBOW has not run on a card: it is compared with the plain loop in Triton's interpreter. It takes one step a word, 6.8 M
here, of up to ``2 window + K + 1`` rows. Compiled for compute capability 9.0 a thread has 107 registers (skip-gram 96)
and spills none of them; with a window of 64 at d = 512 it does.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import torch

from gpustab.kernels.training.noise import Noise
from gpustab.kernels.training.reading import Reading
from gpustab.kernels.training.triton_steps import jit, train_pairs, train_window
from gpustab.kernels.training.word2vec import TRAIN, Model, Recipe

__all__ = ["train_epoch"]

if find_spec("triton") is not None:  # else nothing here can be launched, see gpustab.kernels.dispatch
    import triton
    import triton.language as tl

_ELEMENTS_PER_WARP = 512
_MOST_WARPS = 16


@jit
def _train_runs(
    tokens: tl.tensor,
    texts: tl.tensor,
    runs: tl.tensor,
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
    CBOW: tl.constexpr,
    EPOCHS: tl.constexpr,
    WINDOW: tl.constexpr,
    NEGATIVE: tl.constexpr,
    SLOTS: tl.constexpr,
    CONTEXTS: tl.constexpr,
    DRAWN: tl.constexpr,
    DIM: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """Program r trains run r."""
    run = tl.program_id(0)
    first_text = tl.load(runs + run)
    last_text = tl.load(runs + run + 1)  # the first of the next run
    begin = tl.load(texts + first_text)
    length = (tl.load(texts + last_text) - begin).to(tl.float32)
    key = tl.load(keys + run)
    row = run.to(tl.int64) * words
    threshold += row
    alias += row
    inputs += row * DIM
    outputs += row * DIM
    targets += run * DRAWN
    for text in range(first_text, last_text):
        low = tl.load(texts + text)
        high = tl.load(texts + text + 1)
        for place in range(low, high):
            done = (epoch + tl.cast(place - begin, tl.float32) / length) / EPOCHS
            rate = tl.maximum(last_rate, first_rate - (first_rate - last_rate) * done)
            t = tl.cast(place - begin, tl.int32)
            draw = tl.philox(key, t, epoch, t * 0, t * 0)[0]
            width = 1 + tl.umulhi(draw, draw * 0 + WINDOW).to(tl.int32)
            first = tl.maximum(low, place - width)
            stop = tl.minimum(high, place + width + 1)
            if CBOW:
                train_window(
                    tokens, inputs, outputs, threshold, alias, key, epoch, t, words, rate, place, first, stop,
                    NEGATIVE, DIM, LANES, SLOTS, CONTEXTS,
                )  # fmt: skip
            else:
                train_pairs(
                    tokens, inputs, outputs, targets, threshold, alias, key, epoch, t, words, rate, place, first, stop,
                    WINDOW, NEGATIVE, DIM, LANES, SLOTS, DRAWN,
                )  # fmt: skip


def train_epoch(
    reading: Reading,
    noise: Noise,
    model: Model,
    seeds: Sequence[int],
    epoch: int,
    recipe: Recipe,
    *,
    warps: int | None = None,
) -> None:
    """Train R runs for one epoch on their GPU, in place; see :func:`gpustab.kernels.training.word2vec.train_epoch`.

    Args:
        reading: what the runs read in this epoch.
        noise: their tables.
        model: their vectors.
        seeds: their training seeds.
        epoch: counted from 0.
        recipe: see :class:`gpustab.kernels.training.word2vec.Recipe`.
        warps: per program; never changes what is drawn, but may change how sums are rounded.
    """
    _, words, dim = model.inputs.shape
    sizes = _sizes(recipe, dim)
    if warps is None:
        tile = sizes["LANES"] * max(sizes["SLOTS"], sizes["CONTEXTS"])
        warps = min(max(tile // _ELEMENTS_PER_WARP, 1), _MOST_WARPS)
    device = model.inputs.device
    keys = torch.tensor([seed | TRAIN << 32 for seed in seeds], device=device)
    targets = torch.empty(len(seeds), sizes["DRAWN"], dtype=torch.int32, device=device)
    _train_runs[(len(seeds),)](
        reading.tokens, reading.texts, reading.runs, keys, noise.threshold, noise.alias,
        model.inputs, model.outputs, targets, epoch, words, recipe.rate, recipe.last_rate, **sizes,
        num_warps=warps, enable_fp_fusion=True,
    )  # fmt: skip


def _sizes(recipe: Recipe, dim: int) -> dict[str, int]:
    """Return what a kernel is compiled for; what the other technique alone needs is 1."""
    slots = triton.next_power_of_2(recipe.negative + 1)
    return {
        "CBOW": recipe.cbow,
        "EPOCHS": recipe.epochs,
        "WINDOW": recipe.window,
        "NEGATIVE": recipe.negative,
        "SLOTS": slots,
        "CONTEXTS": triton.next_power_of_2(2 * recipe.window) if recipe.cbow else 1,
        "DRAWN": 1 if recipe.cbow else triton.next_power_of_2((2 * recipe.window + 1) * slots),
        "DIM": dim,
        "LANES": triton.next_power_of_2(dim),
    }
