"""The measures of all pairs of runs that are read from their moments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import similarity
from gpustab.kernels.distances import cosine_correlation
from gpustab.kernels.gram import Moments, block_positions, diagonal_blocks, run_pairs, squared_norms
from gpustab.kernels.procrustes import procrustes

EXPLAINED = 0.99
"""Part of the variance that SVCCA keeps."""
_CONSTANT = 1e-12
"""Part of its size that a run must vary by: what a float64 difference of sums leaves of equal rows is 1e-14."""


class _Row(NamedTuple):
    """Blocks of the pairs of one run with the later ones."""

    i: int
    others: slice
    cross: Tensor


@dataclass(frozen=True)
class Spaces:
    """What metrics are made of; the work of a run is done once, that of a pair once for all metrics that need it.

    Attributes:
        names: of the runs.
        unit: whether their rows are unit.
        words: how many words were summed over.
        kept: moments of all runs; only metrics beside the PIP loss need them.
        loss: ``(R(R-1)/2,)`` reduced PIP losses.
        with_lengths: moments with the squared lengths of the rows, where they were asked for.
    """

    names: Sequence[str]
    unit: bool
    words: int
    kept: Moments | None
    loss: Tensor
    with_lengths: Moments | None = None

    @property
    def moments(self) -> Moments:
        """Of all runs."""
        assert self.kept is not None  # noqa: S101  # made where they are needed
        return self.kept

    def rows(self, gram: Tensor | None = None) -> Iterator[_Row]:
        """The pairs, run by run: copies of the blocks of all pairs at once would be gigabytes."""
        gram = self.moments.gram if gram is None else gram
        positions = block_positions(len(self.names), gram.device)
        for i in range(len(self.names) - 1):
            yield _Row(i, slice(i + 1, None), gram[positions[i, i + 1 :]])

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
            raise ValueError(f"all rows of {self.names[int(constant.nonzero()[0])]} are equal")
        return own

    @property
    def lifted(self) -> Moments:
        """Moments with the squared lengths of the rows."""
        assert self.with_lengths is not None  # noqa: S101  # made where it is asked for
        return self.with_lengths

    @cached_property
    def hsics(self) -> Tensor:
        """The unbiased HSIC of every run with itself, ``(R,)``."""
        sums = self.lifted.sums
        own = similarity.unbiased_hsic(diagonal_blocks(self.lifted.gram), sums, sums, self.words)
        if bool((own <= 0).any()):
            raise ValueError(similarity.equally_far(self.names[int((own <= 0).nonzero()[0])]))
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
            other = self.names[row.i + 1 + int(zero.nonzero()[0])]
            raise ValueError(f"{self.names[row.i]} and {other} share no direction")
        return procrustes(row.cross).maps

    @cached_property
    def canonical(self) -> similarity.Canonical:
        """Canonical correlations of all directions, of all pairs."""
        return self.canonical_of(1.0)

    def canonical_of(self, explained: float) -> similarity.Canonical:
        """Canonical correlations of all pairs, of the directions that explain a part of the variance."""
        floor = similarity.resolved(diagonal_blocks(self.moments.gram), self.own, self.words)
        white = similarity.whitening(self.own, explained, floor)
        found = [
            similarity.canonical_correlations(_of_one(white, row), row.cross, _of_others(white, row))
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


def _of_one(white: similarity.Whitening, row: _Row) -> similarity.Whitening:
    return similarity.Whitening(*(field[row.i].expand_as(field[row.others]) for field in white))


def _of_others(white: similarity.Whitening, row: _Row) -> similarity.Whitening:
    return similarity.Whitening(*(field[row.others] for field in white))


def _shape(spaces: Spaces) -> Tensor:
    first, second = spaces.pair_of(spaces.sizes)
    distance: Tensor = similarity.shape_distance(first, spaces.aligned, second) / spaces.words**0.5
    return distance


def _angle(spaces: Spaces) -> Tensor:
    first, second = spaces.pair_of(spaces.sizes)
    return similarity.angular_distance(first, spaces.aligned, second)


def _rdm(spaces: Spaces) -> Tensor:
    if not spaces.unit:
        raise ValueError("rdm compares cosines, and wants runs loaded with unit=True")
    norms = squared_norms(spaces.moments.gram)
    table = cosine_correlation(norms, spaces.moments.sums, spaces.words, spaces.names)
    i, j = run_pairs(len(table), table.device)
    return table[i, j]


def _cka(spaces: Spaces) -> Tensor:
    own = spaces.own
    return torch.cat(
        [
            similarity.linear_cka(own[row.i].expand_as(row.cross), row.cross, own[row.others])
            for row in spaces.centred_rows()
        ]
    )


def _debiased_cka(spaces: Spaces) -> Tensor:
    hsic, lifted, own = partial(similarity.unbiased_hsic, words=spaces.words), spaces.lifted, spaces.hsics
    found = []
    for row in spaces.rows(lifted.gram):
        first = lifted.sums[row.i].expand(len(row.cross), -1)
        found.append(
            similarity.debiased_cka(
                own[row.i].expand(len(row.cross)), hsic(row.cross, first, lifted.sums[row.others]), own[row.others]
            )
        )
    return torch.cat(found)


def _eigenspace_overlap(spaces: Spaces) -> Tensor:
    white = similarity.whitening(diagonal_blocks(spaces.moments.gram))
    rows = spaces.rows()
    return torch.cat(
        [similarity.eigenspace_overlap(_of_one(white, row), row.cross, _of_others(white, row)) for row in rows]
    )


def _eigenspace_instability(spaces: Spaces) -> Tensor:
    own = diagonal_blocks(spaces.moments.gram)
    return torch.cat(
        [
            similarity.eigenspace_instability(own[row.i].expand_as(row.cross), row.cross, own[row.others])
            for row in spaces.rows()
        ]
    )


MEASURES: dict[str, Callable[[Spaces], Tensor]] = {
    "pip": lambda spaces: spaces.loss,
    "procrustes": _shape,
    "angular": _angle,
    "eigenspace_instability": _eigenspace_instability,
    "eigenspace_overlap": _eigenspace_overlap,
    "cka": _cka,
    "debiased_cka": _debiased_cka,
    "cca": lambda spaces: spaces.canonical.mean,
    "svcca": lambda spaces: spaces.canonical_of(EXPLAINED).mean,
    "rdm": _rdm,
    "pwcca": lambda spaces: spaces.canonical.projection_weighted.mean(0),
}
"""Of every pair ``i < j``, ``(R(R-1)/2,)`` float64, by the names of :data:`gpustab.options.SIMILARITIES`."""
