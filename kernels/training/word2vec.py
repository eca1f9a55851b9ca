"""word2vec with negative sampling (Mikolov et al. 2013, eq. 4) of R runs: skip-gram and CBOW, by a plain loop.

A step has the input rows of context words, whose mean is ``x``, and the output rows ``y`` of a word w (label 1) and of
K noise words (label 0): ``g = α (label − σ)``, ``y += g x`` one after the other, and at last ``Σ g y``, with the rows
y as they were before, is added to the input row of every context word. Skip-gram takes a step for each context word
of w, alone; CBOW takes one for the whole window. What CBOW adds is not divided by the number of context words, as the
gradient would be, and a word that stands twice in a window counts twice in the mean and is moved twice: so it is in
word2vec and in gensim 4.4 (``cbow_mean=1``; with 0, the sum, gensim does divide). A window without a context moves
nothing. The order of everything is that of word2vec and of gensim: the texts, the words w of a text, the context words
from left to right, w and then the noise words. So are these:

- The half width of the window is drawn from 1 to ``window`` for every word w, among the words that are left after
  frequent words have been thinned out, and never reaches beyond a text.
- A noise word is drawn with probability ``count^0.75 / Σ count^0.75``; one that is w is passed over, not redrawn.
  Skip-gram draws K for each context word, CBOW K for each w.
- The learning rate falls linearly over the tokens of all epochs.

Both read σ from a table of 1,000 values over −6 to 6, at place ``⌊83 (x·y + 6)⌋``, although a unit has 83⅓ places:
on the average that is ``σ(0.996 x·y − 0.03)``, which is taken here without the steps. It is no trifle: with a true σ
the mean cosine of 24 runs of a small corpus (9,000 tokens) is 0.511, with this 0.508, with gensim 0.507, each ± 0.0007.

Where word2vec and gensim 4.4 differ from each other, in skip-gram as in CBOW: a product ``|x·y| >= 6`` is passed over,
as gensim does (word2vec takes σ as 0 or 1); input rows start uniformly within ±0.5/d in word2vec and ±1/d in gensim,
here as the caller wants. On that small corpus the start is not forgotten: within the runs the reduced PIP loss is
0.0393 with ±0.5/d, 0.0453 with ±1/d, 0.0452 with gensim, and 0.0452 between gensim and ±1/d (skip-gram). word2vec
begins CBOW with a learning rate of 0.05, gensim with 0.025, here as the caller wants. Where both are coarser than
this: word2vec draws noise words from a table of 10⁸ places, and both lower the learning rate only every 10,000
tokens, which matters where an epoch has few times as many.

Random numbers are Philox words of key (training seed, purpose), so that the loop here and its fused twin draw alike:

- start values: word ``i d + j`` of stream 0 for coordinate j of word i;
- thinning: word i of stream ``epoch`` for token i of what the run reads;
- window: the first word of counter ``(t, epoch, 0, 0)`` for the token at place t of the thinned text of the run;
- noise of skip-gram: the first word of counter ``(t, epoch, 1 + q − t + window, k)`` for noise word k, from 0, of its
  context at place q; the third number is 1 to ``2 window + 1``;
- noise of CBOW: the first word of counter ``(t, epoch, 0, 1 + k)`` for noise word k of that token. Its third number is
  0 where that of skip-gram is not, and its fourth is not where that of a window is: no counter has two uses, in
  one training or in two of the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.training.noise import Noise, draw_noise
from gpustab.kernels.training.philox import philox, random_words
from gpustab.kernels.training.reading import Reading

__all__ = ["LARGEST", "Model", "Recipe", "Step", "start_model", "train_epoch"]

START, TRAIN = 0, 2
"""Second word of the key; 1 is that of thinning."""

LARGEST = 6.0
"""Words whose product reaches it are passed over."""

SCALE, SHIFT = 0.996, -0.03
"""Of a product, before σ: 83 · 12 / 1000, and 6 · 0.996 − 6 and half a step of 12 / 1000 less."""

_CENTRES = 1000
"""Words whose noise is drawn at once in the plain loop."""


class Recipe(NamedTuple):
    """How runs are trained.

    Attributes:
        window: largest half width.
        negative: noise words K of a step.
        epochs: of the whole training.
        rate: learning rate at its start.
        last_rate: at its end.
        cbow: whether a step has the whole window; else it is skip-gram's, with one context word.
    """

    window: int
    negative: int
    epochs: int
    rate: float
    last_rate: float
    cbow: bool = False


class Model(NamedTuple):
    """Vectors in training.

    Attributes:
        inputs: ``(R, v, d)`` float32, the vectors that are wanted.
        outputs: ``(R, v, d)`` float32.
    """

    inputs: Tensor
    outputs: Tensor


class Step(NamedTuple):
    """What a step is of.

    Attributes:
        place: of the word w in what the run reads.
        contexts: context words, from left to right; skip-gram's is one.
        targets: the word w, then its noise words.
    """

    place: int
    contexts: list[int]
    targets: list[int]


def start_model(
    words: int, dim: int, seeds: Sequence[int], device: torch.device | None = None, *, spread: float = 0.5
) -> Model:
    """Return untrained vectors: inputs uniform within ±spread/d, outputs zero.

    >>> model = start_model(words=3, dim=2, seeds=[1, 2])
    >>> model.inputs.shape, bool(model.inputs.abs().max() <= 0.25), bool(model.outputs.any())
    (torch.Size([2, 3, 2]), True, False)
    """
    inputs = torch.empty(len(seeds), words, dim, device=device or "cpu")
    for run, seed in enumerate(seeds):
        uniform = random_words(words * dim, (seed, START), device=device).double() / 2**32 - 0.5
        inputs[run] = (uniform * (2 * spread / dim)).view(words, dim)
    return Model(inputs, torch.zeros_like(inputs))


def train_epoch(reading: Reading, noise: Noise, model: Model, seeds: Sequence[int], epoch: int, recipe: Recipe) -> None:
    """Train R runs for one epoch on the CPU, in place, one step after the other: slow, and the oracle of its twin.

    Args:
        reading: what the runs read in this epoch.
        noise: their tables, see :func:`gpustab.kernels.training.noise.noise_tables`.
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
            for step in _steps(tokens, begin, end, tables, (seed, TRAIN), epoch, recipe):
                done = (epoch + step.place / len(tokens)) / recipe.epochs
                rate = max(recipe.last_rate, recipe.rate - (recipe.rate - recipe.last_rate) * done)
                _train(inputs, outputs, step.contexts, step.targets, rate)


def _train(
    inputs: NDArray[np.float32], outputs: NDArray[np.float32], contexts: list[int], targets: list[int], rate: float
) -> None:
    """Move the input rows of context words, and the output rows of a word and its noise words."""
    x = inputs[contexts].sum(0) * np.float32(1 / len(contexts))
    move = np.zeros_like(x)
    for label, target in zip([1] + [0] * (len(targets) - 1), targets, strict=True):
        if not label and target == targets[0]:
            continue
        y = outputs[target]
        product = float(x @ y)
        if abs(product) < LARGEST:
            g = np.float32(rate * (label - 1 / (1 + math.exp(-SCALE * product - SHIFT))))
            move += g * y
            y += g * x
    for context in contexts:
        inputs[context] += move


def _steps(
    tokens: Tensor, begin: int, end: int, tables: Noise, key: tuple[int, int], epoch: int, recipe: Recipe
) -> Iterator[Step]:
    """Yield the steps of one text, whose tokens are those from ``begin`` to ``end``."""
    zero, kth = torch.zeros((), dtype=torch.int64, device="cpu"), torch.arange(recipe.negative, device="cpu")
    offset = torch.cat(
        [torch.arange(-recipe.window, 0, device="cpu"), torch.arange(1, recipe.window + 1, device="cpu")]
    )
    for some in torch.arange(begin, end, device="cpu").split(_CENTRES):
        width = 1 + (philox((some, zero + epoch, zero, zero), key)[0] * recipe.window >> 32)
        other = some[:, None] + offset
        inside = (offset.abs() <= width[:, None]) & (other >= begin) & (other < end)
        if recipe.cbow:
            many = inside.sum(1)
            t = some[many > 0]
            contexts = [tokens[q].tolist() for q in other[inside].split(many[many > 0].tolist())]
            counter = (t[:, None], zero + epoch, zero, 1 + kth)
        else:
            place, where = inside.nonzero(as_tuple=True)
            t, q = some[place], other[place, where]
            contexts = tokens[q][:, None].tolist()
            counter = (t[:, None], zero + epoch, 1 + recipe.window + (q - t)[:, None], kth)
        targets = torch.cat([tokens[t][:, None], draw_noise(tables, philox(counter, key)[0])], 1)
        yield from map(Step, t.tolist(), contexts, targets.tolist())
