"""Skip-gram with negative sampling (Mikolov et al. 2013, eq. 4) of R runs: what they read and draw, and the plain loop.

A pair of a word w and a context word c in its window moves the input row ``x`` of c and output rows ``y`` of w (label
1) and of K noise words (label 0): ``g = α (label − σ)``, ``y += g x`` one after the other, and at last
``x += Σ g y`` with the rows y as they were before. The order of everything is that of word2vec and of gensim: the
texts, the words w of a text, the words c of the window from left to right, w and then the noise words. So are these:

- The half width of the window is drawn from 1 to ``window`` for every word w, among the words that are left after
  frequent words have been thinned out, and never reaches beyond a text.
- A noise word is drawn with probability ``count^0.75 / Σ count^0.75``; one that is w is passed over, not redrawn.
- The learning rate falls linearly over the tokens of all epochs.

Both read σ from a table of 1,000 values over −6 to 6, at place ``⌊83 (x·y + 6)⌋``, although a unit has 83⅓ places:
on the average that is ``σ(0.996 x·y − 0.03)``, which is taken here without the steps. It is no trifle: with a true σ
the mean cosine of 24 runs of a small corpus (9,000 tokens) is 0.511, with this 0.508, with gensim 0.507, each ± 0.0007.

Where word2vec and gensim 4.4 differ from each other: a pair with ``|x·y| >= 6`` is passed over, as gensim does
(word2vec takes σ as 0 or 1); input rows start uniformly within ±0.5/d in word2vec and ±1/d in gensim, here as the
caller wants. On that small corpus the start is not forgotten: within the runs the reduced PIP loss is 0.0393 with
±0.5/d, 0.0453 with ±1/d, 0.0452 with gensim, and 0.0452 between gensim and ±1/d. Where both are coarser than this:
word2vec draws noise words from a table of 10⁸ places, and both lower the learning rate only every 10,000 tokens, which
matters where an epoch has few times as many.

Random numbers are Philox words of key (training seed, purpose), so that the loop here and its fused twin draw alike:

- start values: word ``i d + j`` of stream 0 for coordinate j of word i;
- thinning: word i of stream ``epoch`` for token i of what the run reads;
- window: the first word of counter ``(t, epoch, 0, 0)`` for the token at place t of the thinned text of the run;
- noise: the first word of counter ``(t, epoch, 1 + q − t + window, k)`` for noise word k of its context at place q.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.training.philox import philox, random_words
from gpustab.kernels.training.sgns_reading import Reading, keep_thresholds, read_units, side_by_side, thin

__all__ = [
    "Model",
    "Noise",
    "Reading",
    "Recipe",
    "draw_noise",
    "keep_thresholds",
    "noise_tables",
    "read_units",
    "side_by_side",
    "start_model",
    "thin",
    "train_epoch",
]

START, TRAIN = 0, 2
"""Second word of the key; 1 is that of thinning."""

LARGEST = 6.0
"""Pairs whose product reaches it are passed over."""

SCALE, SHIFT = 0.996, -0.03
"""Of a product, before σ: 83 · 12 / 1000, and 6 · 0.996 − 6 and half a step of 12 / 1000 less."""

_CENTRES = 1000
"""Words whose noise is drawn at once in the plain loop."""


class Recipe(NamedTuple):
    """How runs are trained.

    Attributes:
        window: largest half width.
        negative: noise words K of a pair.
        epochs: of the whole training.
        rate: learning rate at its start.
        last_rate: at its end.
    """

    window: int
    negative: int
    epochs: int
    rate: float
    last_rate: float


class Noise(NamedTuple):
    """Tables from which a noise word is drawn with one look-up (Walker 1977).

    Attributes:
        threshold: ``(R, v)`` int32, in units of 2⁻³¹: the part of a cell that is the cell's own word.
        alias: ``(R, v)`` int32: the word of the rest of the cell.
    """

    threshold: Tensor
    alias: Tensor


class Model(NamedTuple):
    """Vectors in training.

    Attributes:
        inputs: ``(R, v, d)`` float32, the vectors that are wanted.
        outputs: ``(R, v, d)`` float32.
    """

    inputs: Tensor
    outputs: Tensor


def start_model(
    words: int, dim: int, seeds: Sequence[int], device: torch.device | None = None, *, spread: float = 0.5
) -> Model:
    """Return untrained vectors: inputs uniform within ±spread/d, outputs zero.

    >>> model = start_model(words=3, dim=2, seeds=[1, 2])
    >>> model.inputs.shape, bool(model.inputs.abs().max() <= 0.25), bool(model.outputs.any())
    (torch.Size([2, 3, 2]), True, False)
    """
    inputs = torch.empty(len(seeds), words, dim, device=device)
    for run, seed in enumerate(seeds):
        uniform = random_words(words * dim, (seed, START), device=device).double() / 2**32 - 0.5
        inputs[run] = (uniform * (2 * spread / dim)).view(words, dim)
    return Model(inputs, torch.zeros_like(inputs))


def noise_tables(weights: Tensor) -> Noise:
    """Return the tables of one run, ``(v,)`` each, that draw words in proportion to weights.

    Every cell holds ``1/v`` of the probability: words with less are filled up by those with more, in order.

    >>> noise_tables(torch.tensor([1.0, 0.0, 3.0, 0.0])).alias.tolist()
    [2, 2, 2, 2]
    """
    share = weights.double() * (len(weights) / weights.double().sum())
    enough = share >= share.max().clamp(max=1)  # rounding may leave none at 1
    light, heavy = (~enough).nonzero().flatten(), enough.nonzero().flatten()
    lack, surplus = pad((1 - share[light]).cumsum(0), (1, 0)), (share[heavy] - 1).clamp(min=0).cumsum(0)
    own, alias = share.clone(), torch.arange(len(share), device=share.device)
    # A word with less is filled by the first with more whose surplus those before it have not used up ...
    alias[light] = heavy[torch.searchsorted(surplus, lack[:-1], right=True).clamp(max=len(heavy) - 1)]
    # ... and what a word with more lacks itself once it is used up comes from the next.
    end = torch.searchsorted(lack, surplus).clamp(max=len(light))
    own[heavy] = 1 + surplus - lack[end]
    alias[heavy] = torch.cat([heavy[1:], heavy[-1:]])
    return Noise((own * 2**31).round().clamp(0, 2**31 - 1).int(), alias.int())


def train_epoch(reading: Reading, noise: Noise, model: Model, seeds: Sequence[int], epoch: int, recipe: Recipe) -> None:
    """Train R runs for one epoch on the CPU, in place, one pair after the other: slow, and the oracle of its twin.

    Args:
        reading: what the runs read in this epoch.
        noise: their tables, see :func:`noise_tables`.
        model: their vectors.
        seeds: their training seeds.
        epoch: counted from 0.
        recipe: see :class:`Recipe`.
    """
    texts, runs = reading.texts.tolist(), reading.runs.tolist()
    for run, seed in enumerate(seeds):
        inputs, outputs = model.inputs[run].numpy(), model.outputs[run].numpy()
        first, last = texts[runs[run]], texts[runs[run + 1]]
        tokens = reading.tokens[first:last]
        tables = Noise(noise.threshold[run], noise.alias[run])
        for text in range(runs[run], runs[run + 1]):
            begin, end = texts[text] - first, texts[text + 1] - first
            for place, context, targets in _pairs(tokens, begin, end, tables, (seed, TRAIN), epoch, recipe):
                done = (epoch + place / len(tokens)) / recipe.epochs
                rate = max(recipe.last_rate, recipe.rate - (recipe.rate - recipe.last_rate) * done)
                _train_pair(inputs[context], outputs, targets, rate)


def _train_pair(x: NDArray[np.float32], outputs: NDArray[np.float32], targets: list[int], rate: float) -> None:
    """Move one input row, and the output rows of a word and its noise words."""
    step = np.zeros_like(x)
    for label, target in zip([1] + [0] * (len(targets) - 1), targets, strict=True):
        if not label and target == targets[0]:
            continue
        y = outputs[target]
        product = float(x @ y)
        if abs(product) < LARGEST:
            g = np.float32(rate * (label - 1 / (1 + math.exp(-SCALE * product - SHIFT))))
            step += g * y
            y += g * x
    x += step


def _pairs(
    tokens: Tensor, begin: int, end: int, tables: Noise, key: tuple[int, int], epoch: int, recipe: Recipe
) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the pairs of one text: place of the word, context word, and the word with its noise words."""
    zero = torch.zeros((), dtype=torch.int64)
    offset = torch.cat([torch.arange(-recipe.window, 0), torch.arange(1, recipe.window + 1)])
    for some in torch.arange(begin, end).split(_CENTRES):
        width = 1 + (philox((some, zero + epoch, zero, zero), key)[0] * recipe.window >> 32)
        other = some[:, None] + offset
        place, where = ((offset.abs() <= width[:, None]) & (other >= begin) & (other < end)).nonzero(as_tuple=True)
        t, q = some[place], other[place, where]
        counter = (t[:, None], zero + epoch, 1 + recipe.window + (q - t)[:, None], torch.arange(recipe.negative))
        targets = torch.cat([tokens[t][:, None], draw_noise(tables, philox(counter, key)[0])], 1)
        yield from zip(t.tolist(), tokens[q].tolist(), targets.tolist(), strict=True)


def draw_noise(tables: Noise, random: Tensor) -> Tensor:
    """Return the words that random words draw from one run's tables: high bits choose a cell, low bits a part of it."""
    product = random * len(tables.alias)
    cell, part = product >> 32, (product & 0xFFFFFFFF) >> 1
    return torch.where(part < tables.threshold[cell], cell, tables.alias[cell].long())
