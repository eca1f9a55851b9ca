"""Nonce2Vec over all samples: the output vectors it trains by, what it trains on, one setting, and the paper's grid.

It starts from the sums of the additive model (Bloem et al. 2019, sections 5 and 7). For every sample its (context word,
rate) steps lie in order in one padded array. Sentences are subsampled more, and read with a smaller window, the later
they come; the learning rate falls with every pair of a word and a target. These are the public code's rules; where the
paper says otherwise the notes of the study tell.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.registry import read_output_vectors
from gpustab.kernels.training.nonce import train_nonce
from gpustab.runs.group import Group
from gpustab.runs.manifest import output_file
from gpustab.runs.runs import Runs
from gpustab.small_data.additive import Instances, chances, instances
from gpustab.small_data.text import Ids, Samples, Text

_KEEP, _NEGATIVES = 4, 5
"""Streams of the seed."""

_LEAST_WINDOW = 3
_LEAST_RATE = 1e-4

GRID = {
    "alpha": (0.1, 0.5, 1.0, 1.5),
    "negatives": (1, 3, 5),
    "sample": (100.0, 3000.0, 5000.0, 10_000.0, 20_000.0),
    "alpha_decay": (30.0, 70.0, 100.0, 180.0),
    "sample_decay": (1.0, 1.3, 1.9, 2.5),
    "window_decay": (1, 3, 5),
}
"""The settings of the paper's grid search, 2,880 in all; the window is 15 in each."""

_OF_TRAINING = ("alpha", "negatives", "alpha_decay")
"""Those that leave the schedule as it is: 36 trainings have one."""

_AT_ONCE = 1024
"""Samples whose steps lie in memory at once: 150 steps of six words each take 7 MB."""

_WHY = "Nonce2Vec trains by the background's output vectors and draws negatives by its counts"


class Settings(NamedTuple):
    """How Nonce2Vec is trained: what ``gpustab study consistency --help`` says of the options of these names.

    Where ``updated`` output vectors are trained too (public code), else left as they are (paper).
    """

    alpha: float
    negatives: int
    sample: float
    alpha_decay: float
    sample_decay: float
    window_decay: int
    window: int = 15
    updated: bool = False
    seed: int = 0


class Output(NamedTuple):
    """What Nonce2Vec needs beside the word vectors of a run.

    Attributes:
        vectors: ``(v, d)`` float64 output vectors, row by row the words of the background; zero rows have no counts.
        counts: ``(v,)`` of the background's words, means over its runs, so that every run has the same schedule.
    """

    vectors: Tensor
    counts: Ids


class Outputs:
    """The output vectors of the runs of a background, a file each, read one run at a time."""

    def __init__(self, runs: Runs, files: Sequence[Path], device: torch.device) -> None:
        self.files = dict(zip(runs.names, files, strict=True))
        self._device = device

    def digest(self, name: str) -> str:
        """Return a digest of the file of one run's output vectors."""
        with self.files[name].open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def of(self, runs: Runs, r: int) -> Output:
        """Return those of one run.

        Raises:
            InputError: if they do not belong to this background.
        """
        path = self.files[runs.names[r]]
        space = read_output_vectors(path)
        if space.dimension != runs.rows[r].shape[1]:
            raise InputError(f"{path}: {space.dimension} dimensions, the background has {runs.rows[r].shape[1]}")
        vectors = torch.zeros(runs.words, space.dimension, device="cpu")
        there = runs.joint.cpu()
        words = [runs.vocabulary[k] for k in there.nonzero().flatten().tolist()]
        if missing := sum(word not in space.vocabulary for word in words):
            of = f"{missing:,} of {len(words):,} words of the background"
            raise InputError(f"{path}: {of} have no output vector there")
        vectors[there] = space.vectors[torch.tensor([space.vocabulary.index_of(word) for word in words], device="cpu")]
        if torch.equal(vectors, runs.rows[r][0 : runs.words].cpu() * there[:, None]):
            raise InputError(f"{path}: these are the word vectors of '{runs.name}', no output vectors")
        return Output(vectors.double().to(self._device), counts_of(runs))


def counts_of(runs: Runs) -> Ids:
    """Return how often a run has every word, a mean over runs; 0 for words that not all runs have.

    Raises:
        InputError: if the background has no counts, or too few.
    """
    if runs.counts is None:
        raise InputError(f"{_WHY}, and '{runs.name}' has no counts; a run set and gensim's own files have them")
    counts: Ids = np.where(runs.joint.cpu().numpy(), runs.counts.cpu().numpy() // len(runs), 0)
    if (counts > 0).sum() < 2:
        raise InputError(f"'{runs.name}' has fewer than two words with counts; negatives cannot be drawn")
    return counts


def find_outputs(group: Runs | Group, runs: Runs, vectors: str | None, device: torch.device) -> Outputs:
    """Return where the output vectors of a background's runs lie: beside the files of its runs, as it was given.

    A file of ``vectors`` may be named for a background of one run.

    Raises:
        InputError: if there are none, or no counts.
    """
    if vectors is not None:
        if len(runs) > 1:
            raise InputError(
                f"{option('output_vectors')} names those of one run, and '{runs.name}' has {len(runs)}; give one run, "
                f"or a run set that was trained with {option('keep_output')}"
            )
        counts_of(runs)
        return Outputs(runs, [Path(vectors)], device)
    if isinstance(group, Group) and group.packed:
        raise InputError(f"{_WHY}, and a packed run set has none: give the run set that '{runs.name}' was packed from")
    files = [output_file(Path(source)) for source in _sources(group)]
    lost = [file for file in files if not file.is_file()]
    if lost or not files:
        what = f" ({lost[0]} is not there)" if lost and isinstance(group, Group) and group.folder else ""
        raise InputError(
            f"{_WHY}, and of '{runs.name}' there are its word vectors alone{what}: train it with "
            f"{option('keep_output')}, which trains the runs that are there again and keeps their output vectors "
            f"beside them, or name a full model of gensim's or a file of vectors by the same words with "
            f"{option('output_vectors')}"
        )
    counts_of(runs)
    return Outputs(runs, files, device)


def _sources(group: Runs | Group) -> list[str | os.PathLike[str]]:
    """The files of a group's runs; none of runs in memory."""
    if isinstance(group, Runs) or not all(isinstance(s, str | os.PathLike) for s in group.sources):
        return []
    return list(group.sources)


class Pairs(NamedTuple):
    """Pairs of a word to be predicted and a target, in the order of training.

    Attributes:
        problem: ``(n,)`` sample of the pair.
        sentence: ``(n,)`` number of its sentence within the sample.
        time: ``(n,)`` number of the pair within the sample, from 1; pairs of two targets, which are not trained, count.
        row: ``(n,)`` background row of the word to be predicted.
    """

    problem: Ids
    sentence: Ids
    time: Ids
    row: Ids


def window_of(sentence: int, first: int, decay: int) -> int:
    """Return the window in a sentence of a sample, counted from 0.

    It falls by ``decay`` as long as it is 4 or more: from 15 by 5 it is 15, 10, 5, 0, so that nothing is trained after
    the third sentence.

    >>> [window_of(s, 15, 5) for s in range(5)], [window_of(s, 15, 3) for s in range(6)]
    ([15, 10, 5, 0, 0], [15, 12, 9, 6, 3, 3])
    """
    window = first
    for _ in range(sentence):
        if window - 1 < _LEAST_WINDOW:
            break
        window -= decay
    return max(window, 0)


def first_chances(
    text: Text, samples: Samples, tokens: Instances, counts: Ids, threshold: float
) -> NDArray[np.float64]:
    """Return the probability of every instance to be kept in a first sentence, ``(n,)``.

    word2vec's, with the word's count in the background and in its sample, and a threshold that is no rate: it
    multiplies the tokens of the sample.
    """
    owner = samples.owner[tokens.member]
    sizes = np.bincount(owner, minlength=len(samples.term))
    words = text.tokens[tokens.place]
    _, inverse, times = np.unique(owner * len(text.words) + words, return_inverse=True, return_counts=True)
    count = np.maximum(counts[words], 0) + times[inverse]
    return chances(count, sizes[owner], threshold)


def training_pairs(text: Text, samples: Samples, rows: Ids, counts: Ids, settings: Settings) -> Pairs:
    """Return all pairs of all samples, whose sentences are read in order; words that the background lacks are left out.

    Of every word of the text there are its row in the background, −1 for none, and its count there.
    """
    tokens = instances(text, samples)
    tokens = tokens.take(tokens.target | (rows[text.tokens[tokens.place]] >= 0))
    number = samples.place
    chance = first_chances(text, samples, tokens, counts, settings.sample)
    chance = chance / settings.sample_decay ** number[tokens.member].astype(np.float64)
    uniform = np.random.default_rng([settings.seed, _KEEP]).random(len(chance))
    tokens = tokens.take((uniform < chance) | tokens.target)
    windows = np.array([window_of(s, settings.window, settings.window_decay) for s in range(number.max() + 1)])
    return _pairs(text, samples, rows, tokens, number, windows)


def _pairs(text: Text, samples: Samples, rows: Ids, tokens: Instances, number: Ids, windows: Ids) -> Pairs:
    """Pairs (p, q) of two places of a sentence, q a target, at most a window apart; by sentence, p, q."""
    targets = np.flatnonzero(tokens.target)
    reach = windows[number[tokens.member[targets]]]
    bounds = (
        np.searchsorted(tokens.member, tokens.member[targets], "left"),
        np.searchsorted(tokens.member, tokens.member[targets], "right"),
    )
    low, high = np.maximum(targets - reach, bounds[0]), np.minimum(targets + reach + 1, bounds[1])
    lengths = high - low
    q = np.repeat(targets, lengths)
    p = np.arange(lengths.sum()) + np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
    p, q = p[p != q], q[p != q]
    order = np.lexsort((q, p))
    p = p[order]
    owner = samples.owner[tokens.member[p]]
    first = np.searchsorted(owner, np.arange(len(samples.term)))
    time = np.arange(len(p)) - first[owner] + 1
    trained = ~tokens.target[p]
    row = rows[text.tokens[tokens.place[p]]]
    return Pairs(*(part[trained] for part in (owner, number[tokens.member[p]], time, row)))


def rates_of(time: Ids, alpha: float, decay: float) -> NDArray[np.float64]:
    """Return the learning rate at a pair, ``max(α exp(−(t − 1) / λ), 10⁻⁴)``."""
    return np.maximum(alpha * np.exp(-(time - 1) / decay), _LEAST_RATE)


def draw_negatives(context: Ids, counts: Ids, number: int, seed: int) -> Ids:
    """Draw words in proportion to their count^0.75, none the context word itself, ``(n, K)``.

    Args:
        context: ``(n,)`` words to be predicted.
        counts: ``(v,)`` of the background's words.
        number: K.
        seed: of the draw.
    """
    total = np.cumsum(counts.astype(np.float64) ** 0.75)
    generator = np.random.default_rng([seed, _NEGATIVES])
    drawn = np.full((len(context), number), -1)
    again = np.ones(drawn.shape, dtype=np.bool_)
    while again.any():
        drawn[again] = np.searchsorted(total, generator.random(int(again.sum())) * total[-1], "right")
        again = drawn == context[:, None]
    return drawn


def padded(pairs: Pairs, negatives: Ids, problems: int, alpha: float, decay: float) -> tuple[Ids, NDArray[np.float64]]:
    """Return the steps as arrays: ids ``(P, S, K + 1)`` and rates ``(P, S)``, 0 where a problem has no step."""
    first = np.searchsorted(pairs.problem, np.arange(problems))
    step = np.arange(len(pairs.problem)) - first[pairs.problem]
    longest = int(step.max()) + 1 if len(step) else 0
    ids = np.zeros((problems, longest, negatives.shape[1] + 1), dtype=np.int64)
    rates = np.zeros((problems, longest))
    ids[pairs.problem, step] = np.concatenate([pairs.row[:, None], negatives], 1)
    rates[pairs.problem, step] = rates_of(pairs.time, alpha, decay)
    return ids, rates


def trained(start: Tensor, output: Output, pairs: Pairs, settings: Settings) -> Tensor:
    """Return the vectors of all samples, trained by pairs from their sums of the additive model, ``(P, d)``."""
    negatives, parts = draw_negatives(pairs.row, output.counts, settings.negatives, settings.seed), []
    for first in range(0, len(start), _AT_ONCE):
        x = start[first : first + _AT_ONCE]
        part = slice(*np.searchsorted(pairs.problem, [first, first + len(x)]).tolist())
        some = Pairs(pairs.problem[part] - first, *(column[part] for column in pairs[1:]))
        steps, rates = padded(some, negatives[part], len(x), settings.alpha, settings.alpha_decay)
        ids, alpha = torch.from_numpy(steps).to(x.device), torch.from_numpy(rates).to(x.device)
        parts.append(train_nonce(x, output.vectors, ids, alpha, update_output=settings.updated))
    return torch.cat(parts)


def schedules(settings: Settings) -> Iterator[Settings]:
    """Yield the settings of the grid that have schedules of their own; each is of 36 trainings."""
    return _varied(settings, [name for name in GRID if name not in _OF_TRAINING])


def trainings(schedule: Settings) -> Iterator[Settings]:
    """Yield the settings of the grid that have one schedule, and so the same pairs."""
    return _varied(schedule, _OF_TRAINING)


def _varied(settings: Settings, names: Sequence[str]) -> Iterator[Settings]:
    for values in itertools.product(*(GRID[name] for name in names)):
        varied: dict[str, Any] = dict(zip(names, values, strict=True))
        yield settings._replace(**varied)
