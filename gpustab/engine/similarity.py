"""Similarity of representations between all pairs of runs, read from the block Gram that the PIP loss is read from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass, gram_pass, place
from gpustab.engine.pip import PipPass, pip_pass
from gpustab.errors import InputError
from gpustab.kernels import similarity
from gpustab.kernels.gram import Moments, block_positions, diagonal_blocks, run_pairs, squared_norms
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import DEFAULT, Compute, telling_memory
from gpustab.options import SIMILARITIES
from gpustab.runs.join import join
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space

_EXPLAINED = 0.99
"""Part of the variance that SVCCA keeps."""
_CONSTANT = 1e-12
"""Part of its size that a run must vary by: what a float64 difference of sums leaves of equal rows is 1e-14."""


def similarity_matrix(runs: Runs, metric: str = "pip", *, compute: Compute | None = None) -> Tensor:
    """Return how similar, or how far apart, all pairs of runs are, over the joint words; exactly.

    ============== ================================================================= ========= ======== =============
    metric         what                                                              range     equal is same under
    ============== ================================================================= ========= ======== =============
    ``pip``        reduced PIP loss, ``‖V_iV_iᵀ − V_jV_jᵀ‖ / (2v)``                   [0, 1]    0        turns
    ``procrustes`` ``min_A ‖V_i A − V_j‖ / √v``, A orthogonal (size-and-shape)        [0, √2]   0        turns
    ``angular``    ``arccos (max_A ⟨V_i A, V_j⟩ / (‖V_i‖ ‖V_j‖))``                    [0, π/2]  0        turns, scale
    ``cka``        linear CKA, ``‖C_ij‖² / (‖C_ii‖ ‖C_jj‖)`` of centred columns       [0, 1]    1        turns, scale
    ``cca``        mean canonical correlation                                        [0, 1]    1        linear maps
    ``svcca``      the same of the directions that explain 99 % of the variance      [0, 1]    1        turns, scale
    ``rdm``        correlation of the cosines of all pairs of words                   [−1, 1]   1        turns
    ``pwcca``      projection-weighted, the mean of both directions                  [0, 1]    1        scale
    ============== ================================================================= ========= ======== =============

    Ranges are those of unit rows. ``cka`` and the canonical correlations centre columns themselves and so are the same
    for shifted runs; the others do so only for runs loaded with ``centre=True``. Distances by Procrustes below 1e-8 are
    rounding; a canonical direction whose variance is less than 1e-10 of the largest is none.

    Args:
        runs: from :func:`gpustab.load_runs`.
        metric: one of these names.
        compute: how to compute; default: where the runs lie.

    Returns:
        ``(R, R)`` float64, symmetric; what equal runs have on the diagonal.

    Raises:
        InputError: for another name, or a run whose rows are all equal.

    Example:
        >>> import numpy as np
        >>> from gpustab import load_runs
        >>> words, space = ["a", "b", "c", "d"], np.random.default_rng(0).normal(size=(4, 2))
        >>> runs = load_runs([(words, space), (words, space[:, ::-1])])  # a mirrored copy
        >>> [[round(x, 6) for x in row] for row in similarity_matrix(runs, "cka").tolist()]
        [[1.0, 1.0], [1.0, 1.0]]
    """
    compute = compute or Compute(runs.device)
    _known(metric)
    placed = place(runs, compute)
    values = similarity_pass(placed, pip_pass(placed, compute), [metric], compute)[metric]
    return pair_matrix(values, len(runs)).fill_diagonal_(SIMILARITIES[metric])


@telling_memory
def similarity_pass(
    runs: Runs, pip: PipPass, metrics: Sequence[str], compute: Compute = DEFAULT, proxy: Tensor | None = None
) -> dict[str, Tensor]:
    """Return some metrics of all pairs of runs, each ``(R(R-1)/2,)`` float64; see :func:`similarity_matrix`.

    Args:
        runs: the runs.
        pip: their PIP losses, with the Gram that they were read from.
        metrics: names of metrics. Those that share work share it.
        compute: how to compute what the losses leave open.
        proxy: ``(v,)`` mask of the words to take instead of all joint ones, as for the losses.

    Raises:
        InputError: for another name, a run whose rows are all equal, or two that share no direction.
    """
    for metric in metrics:
        _known(metric)
    if not metrics:
        return {}
    basis = pip.basis
    if set(metrics) - {"pip"} and (basis.moments is None or basis.dtype != torch.float64):
        # Canonical correlations divide by variances as small as 1e-10 of the largest, which only float64 resolves.
        basis = gram_pass(runs, compute, torch.float64, proxy)
    spaces = _Spaces(runs, pip, basis)
    try:
        return {metric: _MEASURES[metric](spaces) for metric in metrics}
    except ValueError as error:
        raise InputError(f"group '{runs.name}': {error}") from error


def _known(metric: str) -> None:
    if metric not in SIMILARITIES:
        raise InputError(f"metric is '{metric}', wanted one of {', '.join(SIMILARITIES)}")


class _Row(NamedTuple):
    """Blocks of the pairs of one run with the later ones."""

    i: int
    others: slice
    cross: Tensor


class _Spaces:
    """What metrics are made of; the work of a run is done once, that of a pair once for all metrics that need it."""

    def __init__(self, runs: Runs, pip: PipPass, basis: GramPass) -> None:
        self.runs, self.pip, self.words, self._basis = runs, pip, basis.words, basis
        self.positions = block_positions(len(runs), runs.device)

    @property
    def moments(self) -> Moments:
        """Of all runs; only metrics beside the PIP loss need them."""
        assert self._basis.moments is not None  # noqa: S101  # made where they are needed
        return self._basis.moments

    def rows(self) -> Iterator[_Row]:
        """The pairs, run by run: copies of the blocks of all pairs at once would be gigabytes."""
        for i in range(len(self.runs) - 1):
            yield _Row(i, slice(i + 1, None), self.moments.gram[self.positions[i, i + 1 :]])

    def centred_rows(self) -> Iterator[_Row]:
        """The same of centred columns."""
        sums = self.moments.sums
        for row in self.rows():
            first = sums[row.i].expand(len(row.cross), -1)
            yield row._replace(cross=similarity.centred(row.cross, first, sums[row.others], self.words))

    @cached_property
    def own(self) -> Tensor:
        """``C_ii`` of centred columns, ``(R, d, d)``."""
        sums = self.moments.sums
        own = similarity.centred(diagonal_blocks(self.moments.gram), sums, sums, self.words)
        constant = own.diagonal(dim1=1, dim2=2).sum(1) <= _CONSTANT * self.sizes
        if constant.any():
            raise ValueError(f"all rows of {self.runs.names[int(constant.nonzero()[0])]} are equal")
        return own

    @cached_property
    def sizes(self) -> Tensor:
        """``‖V_i‖²``, ``(R,)``."""
        return diagonal_blocks(self.moments.gram).diagonal(dim1=1, dim2=2).sum(1)

    @cached_property
    def aligned(self) -> Tensor:
        """``⟨A_ij, C_ij⟩`` of all pairs."""
        return torch.cat([(self._maps(row) * row.cross).sum((1, 2)) for row in self.rows()])

    def _maps(self, row: _Row) -> Tensor:
        zero = (row.cross == 0).flatten(1).all(1)
        if zero.any():
            other = self.runs.names[row.i + 1 + int(zero.nonzero()[0])]
            raise ValueError(f"{self.runs.names[row.i]} and {other} share no direction")
        return procrustes(row.cross).maps

    @cached_property
    def canonical(self) -> similarity.Canonical:
        """Canonical correlations of all directions, of all pairs."""
        return self.canonical_of(1.0)

    def canonical_of(self, explained: float) -> similarity.Canonical:
        """Canonical correlations of all pairs, of the directions that explain a part of the variance."""
        white = similarity.whitening(self.own, explained)
        found = [
            similarity.canonical_correlations(
                similarity.Whitening(*(field[row.i].expand_as(field[row.others]) for field in white)),
                row.cross,
                similarity.Whitening(*(field[row.others] for field in white)),
            )
            for row in self.centred_rows()
        ]
        correlations, rank, mean, weighted = zip(*found, strict=True)
        return similarity.Canonical(
            torch.cat(correlations), torch.cat(rank), torch.cat(mean), torch.cat(weighted, dim=1)
        )

    def pair_of(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """A value of every run as the first and as the second of all pairs."""
        i, j = torch.triu_indices(len(values), len(values), 1, device=values.device)
        return values[i], values[j]


def _shape(spaces: _Spaces) -> Tensor:
    first, second = spaces.pair_of(spaces.sizes)
    distance: Tensor = similarity.shape_distance(first, spaces.aligned, second) / spaces.words**0.5
    return distance


def _angle(spaces: _Spaces) -> Tensor:
    first, second = spaces.pair_of(spaces.sizes)
    return similarity.angular_distance(first, spaces.aligned, second)


def _rdm(spaces: _Spaces) -> Tensor:
    if not spaces.runs.unit:
        raise ValueError("rdm compares cosines, and wants runs loaded with unit=True")
    table = similarity.cosine_correlation(squared_norms(spaces.moments.gram), spaces.moments.sums, spaces.words)
    i, j = run_pairs(len(table), table.device)
    return table[i, j]


def _cka(spaces: _Spaces) -> Tensor:
    own = spaces.own
    return torch.cat(
        [
            similarity.linear_cka(own[row.i].expand_as(row.cross), row.cross, own[row.others])
            for row in spaces.centred_rows()
        ]
    )


_MEASURES: dict[str, Callable[[_Spaces], Tensor]] = {
    "pip": lambda spaces: spaces.pip.reduced,
    "procrustes": _shape,
    "angular": _angle,
    "cka": _cka,
    "cca": lambda spaces: spaces.canonical.mean,
    "svcca": lambda spaces: spaces.canonical_of(_EXPLAINED).mean,
    "rdm": _rdm,
    "pwcca": lambda spaces: spaces.canonical.projection_weighted.mean(0),
}


def compare_layers(
    first: Sequence[Space], second: Sequence[Space], metric: str = "cka", *, compute: Compute | None = None
) -> Tensor:
    """Return how similar every layer of one model is to every layer of another, over the same texts.

    Args:
        first: from :func:`gpustab.layer_outputs`.
        second: the same of the other model, or of the same one trained again.
        metric: see :func:`gpustab.similarity_matrix`; vectors are taken as they are, not scaled to unit length.
        compute: how to compute.

    Returns:
        ``(L1, L2)`` float64.

    Raises:
        InputError: as :func:`gpustab.similarity_matrix`, or if a model has no layers.
    """
    if not (first and second):
        raise InputError(f"the models have {len(first)} and {len(second)} layers, wanted one at least of each")
    together = similarity_matrix(join([*first, *second], unit=False), metric, compute=compute)
    return together[: len(first), len(first) :]
