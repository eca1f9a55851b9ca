"""The numbers of a layer: debiased CKA, Procrustes loss and shared neighbours of every pair of models.

CKA and the Procrustes loss are read from sums over the sentences, of which few are held at a time; each is also told
without every part of the text. Neighbours are among some sentences, which are held.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.overlap import shared_neighbours
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.similarity import centred, equally_far, unbiased_hsic, with_lengths
from gpustab.statistics.intervals import Estimate, jackknife_error

Floats = NDArray[np.float64]
Read = Callable[[int, int, int], Tensor]
"""Rows ``(stop − start, d)`` of a model's number, a first sentence and the one after the last."""

PARTS = 20
"""Parts of the text, each left out once: their sentences stand beside each other, so that topics stay together."""
MOST = 2000
"""Sentences that neighbours are sought among."""
SHIFTS = 3
"""So often the rows of one model are dealt out to other sentences."""
_ROWS = 2048
_PAIRS = 16
"""So many at once."""


class LayerNumbers(NamedTuple):
    """What is measured in one layer, for P pairs of models.

    Attributes:
        cka: ``(P, 1 + parts)`` 1 − debiased CKA: of all sentences, and without each part of the text.
        procrustes: ``(P, 1 + parts)`` what no turning and stretching brings together, a part of the differences between
            sentences; without a part, by the map of all.
        shared: ``(P, 1 + parts)`` 1 − share of the nearest sentences that both models have.
        dealt_cka: ``(P,)`` as ``cka``, of rows that are dealt out to other sentences: the mean of some ways.
        dealt_procrustes: ``(P,)`` likewise.
        own: ``(P, t)`` 1 − cosine of a sentence in both models, one turned onto the other.
        own_shared: ``(P, t)`` share of its nearest sentences that both have.
        nearest: ``(M, t)`` the nearest sentence, a number among those that neighbours are sought among.
    """

    cka: Floats
    procrustes: Floats
    shared: Floats
    dealt_cka: Floats
    dealt_procrustes: Floats
    own: Floats
    own_shared: Floats
    nearest: NDArray[np.int64]


class _Sums(NamedTuple):
    """Sums over some sentences: rows with their squared lengths, by model, and their products, by pair of models.

    Attributes:
        sentences: how many.
        pairs: Q pairs: of each of M models with itself, then of two.
        totals: ``(M, d + 1)``.
        grams: ``(Q, d + 1, d + 1)``.
    """

    sentences: int
    pairs: Sequence[tuple[int, int]]
    totals: Tensor
    grams: Tensor

    def less(self, other: _Sums) -> _Sums:
        return _Sums(self.sentences - other.sentences, self.pairs, self.totals - other.totals, self.grams - other.grams)

    def _ends(self) -> tuple[Tensor, Tensor]:
        first, second = zip(*self.pairs, strict=True)
        return self.totals[list(first)], self.totals[list(second)]

    def hsics(self) -> Tensor:
        """Unbiased HSIC of every pair, ``(Q,)``."""
        parts = zip(self.grams.split(_PAIRS), *(ends.split(_PAIRS) for ends in self._ends()), strict=True)
        return torch.cat([unbiased_hsic(gram, x, y, self.sentences) for gram, x, y in parts])

    def ckas(self, own: Tensor | None = None) -> Tensor:
        """Debiased CKA of the pairs of two models, ``(P,)``; by the HSIC of each with itself, if that is known."""
        models, hsics = len(self.totals), self.hsics()
        own = hsics[:models] if own is None else own
        first, second = (list(ends) for ends in zip(*self.pairs[models:], strict=True))
        return hsics[models:] / (own[first] * own[second]).sqrt()

    def crosses(self) -> Tensor:
        """The centred products of two models' rows, ``(P, d, d)``."""
        models = len(self.totals)
        x, y = (ends[models:, :-1] for ends in self._ends())
        return centred(self.grams[models:, :-1, :-1], x, y, self.sentences)

    def sizes(self) -> Tensor:
        """The sums of squares of the centred rows, ``(M,)``."""
        raw = self.grams[: len(self.totals), :-1, :-1].diagonal(dim1=1, dim2=2).sum(1)
        return raw - self.totals[:, :-1].square().sum(1) / self.sentences

    def fits(self, maps: Tensor) -> Tensor:
        """What maps bring together of two models' rows, a part of their lengths, ``(P,)``."""
        models, sizes = len(self.totals), self.sizes().sqrt()
        x, y = (ends[models:, :-1] for ends in self._ends())
        raw = torch.stack([(turn * gram).sum() for turn, gram in zip(maps, self.grams[models:, :-1, :-1], strict=True)])
        means = (product(x[:, None], maps)[:, 0] * y).sum(1) / self.sentences
        first, second = (list(ends) for ends in zip(*self.pairs[models:], strict=True))
        return (raw - means) / (sizes[first] * sizes[second])


def parts_of(sentences: int) -> list[tuple[int, int]]:
    """Return where the parts of the text begin and end.

    >>> parts_of(45)[:3], len(parts_of(45))
    ([(0, 2), (2, 4), (4, 6)], 20)
    """
    ends = [k * sentences // PARTS for k in range(PARTS + 1)]
    return list(pairwise(ends))


def kept_of(sentences: int) -> NDArray[np.int64]:
    """Return the numbers of the sentences that neighbours are sought among, evenly from the whole text."""
    return np.unique(np.linspace(0, sentences - 1, min(sentences, MOST)).round().astype(np.int64))


def measure_layer(
    read: Read, models: int, sentences: int, pairs: Sequence[tuple[int, int]], n: int, where: str = "a layer"
) -> LayerNumbers:
    """Return the numbers of one layer.

    Args:
        read: gives rows.
        models: M.
        sentences: how many, no fewer than twice :data:`PARTS`.
        pairs: P pairs ``i < j`` of models.
        n: length of the lists of nearest sentences.
        where: stands before an error.

    Raises:
        InputError: if all sentences have one vector in a model.
    """
    shift = [read(k, 0, min(sentences, _ROWS)).double().mean(0) for k in range(models)]

    def lifted(model: int, start: int, stop: int) -> Tensor:
        return with_lengths(read(model, start, stop).double() - shift[model])

    every = [*((k, k) for k in range(models)), *pairs]
    whole, bounds = _sums(lifted, models, 0, sentences, every), parts_of(sentences)
    own = whole.hsics()[:models]
    for k in range(models):
        if not own[k] > 0:
            raise InputError(f"{where}: {equally_far(f'model {k + 1}')}")
    maps = procrustes(whole.crosses()).maps
    cka, loss = (np.empty((len(pairs), 1 + PARTS)) for _ in range(2))
    for column, part in enumerate([None, *bounds]):
        sums = whole if part is None else whole.less(_sums(lifted, models, *part, every))
        cka[:, column] = 1 - sums.ckas()
        # The best map changes with the sentences by so little that the fit does not (envelope theorem).
        loss[:, column] = 1 - sums.fits(maps).square()
    dealt = [_dealt(lifted, whole, own, k) for k in _shifts(sentences)]
    kept = kept_of(sentences)
    spaces = [_centred_rows(read, k, kept, whole.totals[k][:-1] / sentences + shift[k]) for k in range(models)]
    lists = torch.stack([top_k(rows, torch.arange(len(kept), device="cpu"), n).indices for rows in spaces])
    common = shared_neighbours(lists, [lists.shape[2]])[0].double() / lists.shape[2]  # (t, M, M)
    own_shared = np.stack([common[:, i, j].numpy() for i, j in pairs])
    return LayerNumbers(
        np.maximum(cka, 0.0),
        np.maximum(loss, 0.0),
        1 - np.stack([_without_parts(shares, kept, bounds) for shares in own_shared]),
        np.mean([cka_ for cka_, _ in dealt], axis=0),
        np.mean([loss_ for _, loss_ in dealt], axis=0),
        np.stack([_apart(spaces[i], spaces[j], turn) for (i, j), turn in zip(pairs, maps, strict=True)]),
        own_shared,
        lists[:, :, 0].numpy(),
    )


def _chunks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    yield from ((first, min(first + _ROWS, stop)) for first in range(start, stop, _ROWS))


def _sums(lifted: Read, models: int, start: int, stop: int, pairs: Sequence[tuple[int, int]]) -> _Sums:
    totals = grams = torch.zeros((), dtype=torch.float64, device="cpu")
    for chunk in _chunks(start, stop):
        rows = [lifted(k, *chunk) for k in range(models)]
        totals = totals + torch.stack([x.sum(0) for x in rows])
        grams = grams + torch.stack([product(rows[i].mT, rows[j]) for i, j in pairs])
    return _Sums(stop - start, pairs, totals, grams)


def _shifts(sentences: int) -> list[int]:
    return [(k + 1) * sentences // (SHIFTS + 1) for k in range(SHIFTS)]


def _dealt(lifted: Read, whole: _Sums, own: Tensor, by: int) -> tuple[Floats, Floats]:
    """Both measures where the second model's row of a sentence is that of the one so many sentences on."""
    models, n = len(whole.totals), whole.sentences
    grams = torch.zeros_like(whole.grams)
    for start, stop in _chunks(0, n):
        first = [lifted(k, start, stop) for k in range(models)]
        second = [_around(lifted, k, start + by, stop + by, n) for k in range(models)]
        for place, (i, j) in enumerate(whole.pairs):
            grams[place] += product(first[i].mT, second[j])
    sums = whole._replace(grams=grams)
    one, two = (list(ends) for ends in zip(*whole.pairs[models:], strict=True))
    sizes = whole.sizes().sqrt()
    fits = torch.linalg.svdvals(sums.crosses()).sum(1) / (sizes[one] * sizes[two])
    return np.asarray(1 - sums.ckas(own).numpy()), np.asarray(1 - fits.square().numpy())


def _around(lifted: Read, model: int, start: int, stop: int, n: int) -> Tensor:
    """Rows from a number on, the first ones after the last."""
    parts = [(start, min(stop, n)), (max(start, n) - n, stop - n)]
    return torch.cat([lifted(model, *part) for part in parts if part[0] < part[1]])


def _centred_rows(read: Read, model: int, kept: NDArray[np.int64], mean: Tensor) -> Tensor:
    rows = []
    for start, stop in _chunks(0, int(kept[-1]) + 1):
        own = kept[(kept >= start) & (kept < stop)] - start
        rows.append(read(model, start, stop)[torch.from_numpy(own)].double() - mean)
    return torch.cat(rows)


def _apart(x: Tensor, y: Tensor, turn: Tensor) -> Floats:
    """1 − cosine of rows, x turned onto y."""
    cosines = torch.nn.functional.cosine_similarity(product(x, turn), y)
    return np.asarray((1 - cosines).clamp(min=0).numpy())


def _without_parts(shares: Floats, kept: NDArray[np.int64], bounds: Sequence[tuple[int, int]]) -> Floats:
    """The mean over all sentences, and without those of each part."""
    own = [(kept >= start) & (kept < stop) for start, stop in bounds]
    return np.array([shares.mean(), *(shares[~part].mean() for part in own)])


class Means(NamedTuple):
    """What is measured by layer, as means over pairs of models, with what its errors are told from.

    Attributes:
        whole: ``(L,)``.
        parts: ``(L, parts)`` without each part of the text.
        models: ``(L, R)`` without each model; ``(L, 0)`` of fewer than three.
    """

    whole: Floats
    parts: Floats
    models: Floats

    @classmethod
    def of(cls, values: Floats, pairs: Sequence[tuple[int, int]], models: int) -> Means:
        """Return the means of ``(L, P, 1 + parts)``."""
        over = values.mean(1)
        without = [values[:, [k not in pair for pair in pairs], 0].mean(1) for k in range(models * (models > 2))]
        return cls(over[:, 0], over[:, 1:], np.stack(without, 1) if without else np.empty((len(over), 0)))

    def number(self, of: Callable[[Floats], Floats]) -> Estimate:
        """Return a number that is told from all layers, ``(L, …)`` to ``(…)``.

        Its error is over other sentences, and over other models where there are three or more: the sum of both squares.
        """
        models = self.models.shape[1]
        errors = [jackknife_error(of(self.parts).tolist())]
        errors += [jackknife_error(of(self.models).tolist())] if models else []
        return Estimate.of_runs(float(of(self.whole)), math.hypot(*errors), models or PARTS)

    def layer(self, layer: int) -> Estimate:
        """Return the number of one layer."""
        return self.number(lambda values: values[layer])
