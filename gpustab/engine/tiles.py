"""The pass for more runs than memory has blocks for: tile by tile of the block Gram, each read while it is there.

A tile holds the blocks between two groups of runs. Losses need their norms only, and words' losses the rows of the runs
at hand, so that beside a tile and a chunk of rows no more is held than some numbers for every pair, and for every run
and word: memory does not depend on how many runs there are. Every block is formed once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.gram import counted_words, gram_fits, gram_pass, measure_alone_
from gpustab.engine.neighbours import NeighbourPass
from gpustab.engine.precision import FLOAT64, largest_condition, rounding_error, tolerated, worst_condition
from gpustab.kernels import centred
from gpustab.kernels.gram import ROWS_PER_MATMUL, squared_norms
from gpustab.kernels.pip_loss import PipLoss, pip_from_norms
from gpustab.kernels.run_blocks import add_cross_, run_groups, side_by_side, squared_block_norms, word_products
from gpustab.kernels.word_pairs import PairSums, WordwisePip
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.log import log
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_WORDS = 1024
"""Rows at a time: sums of that length are short, and what is formed of them stays near the processor."""


class TilePass(NamedTuple):
    """What a pass over all tiles finds.

    Attributes:
        loss: PIP losses of all pairs and their condition numbers.
        error: bound on the relative error of the losses.
        norms: ``(R, R)`` float64, ``‖C_ij‖²``.
        squares: ``(R,)`` float64, the sum of the squared lengths of each run's rows.
        sums: ``(R, d)`` float64, the sum of each run's rows.
        wordwise: every word's loss over all pairs, if it was asked for.
        lists: the nearest neighbours of all words, where they were asked for and came with their losses.
        inner: ``(v, R, R)`` float64, ``⟨z_ik, z_jk⟩`` of every word k, likewise; see :mod:`gpustab.engine.rows`.
    """

    loss: PipLoss
    error: float
    norms: Tensor
    squares: Tensor
    sums: Tensor
    wordwise: WordwisePip | None
    lists: NeighbourPass | None = None
    inner: Tensor | None = None


class UnresolvedError(ArithmeticError):
    """Float32 products do not resolve a loss that has come up."""


@telling_memory
def tile_pass(
    runs: Runs, compute: Compute, counted: Tensor, dtype: torch.dtype, arithmetic: torch.dtype | None = None
) -> TilePass:
    """Measure all pairs of runs, tile by tile.

    Args:
        runs: the runs.
        compute: how to compute.
        counted: ``(v,)`` bool, the words to sum over.
        dtype: of the products of the Gram.
        arithmetic: of the words' losses; ``None``: these are not wanted.

    Raises:
        UnresolvedError: as soon as float32 does not suffice.
    """
    groups = _groups(runs, compute)

    def work(words: int) -> TilePass:
        return _Tiles(runs, compute, counted, dtype, arithmetic, words).all(groups)

    most = _WORDS if compute.device.type == "cpu" else ROWS_PER_MATMUL
    width = max(map(len, groups)) * runs.dimension
    return with_smaller_tiles(work, min(compute.tile(64 * width, runs.words), most), compute.ranks)


def _groups(runs: Runs, compute: Compute) -> list[list[int]]:
    """Groups of runs as large as each other, so that a tile of two takes a quarter of what a tile may take."""
    budget = compute.ranks.least(compute.tile(1, 2**62))
    size = max(1, math.isqrt(budget // 32) // runs.dimension)
    return [part.tolist() for part in torch.arange(len(runs), device="cpu").tensor_split(-(-len(runs) // size))]


class _Tiles:
    """The state of one pass."""

    def __init__(
        self,
        runs: Runs,
        compute: Compute,
        counted: Tensor,
        dtype: torch.dtype,
        arithmetic: torch.dtype | None,
        words: int,
    ) -> None:
        self.runs, self.compute, self.counted, self.dtype = runs, compute, counted, dtype
        self.arithmetic, self.chunk, self.count = arithmetic, words, int(counted.sum())
        self.all_count = bool(counted.all())
        r, device = len(runs), runs.device
        self.norms = torch.zeros(r, r, dtype=torch.float64, device=device)
        self.sums = torch.zeros(r, runs.dimension, dtype=torch.float64, device=device)
        self.squares = torch.zeros(r, dtype=torch.float64, device=device)
        self.known = torch.ones(r, r, dtype=torch.bool, device="cpu")  # the pairs that float64 products resolve
        wanted = arithmetic is not None
        self.own = torch.zeros(r, runs.words if wanted else 0, dtype=torch.float64, device=device)
        self.ranks = compute.ranks
        mine = runs.present.split(words, dim=1)[self.ranks.rank :: self.ranks.world]
        self.pairs = [PairSums(have) for have in mine] if wanted else []

    def all(self, groups: list[list[int]]) -> TilePass:
        # Groups with themselves first: what two runs differ by needs the norms of both.
        for group in groups:
            self.measure(group, group)
        require_finite(self.runs, [self.sums])
        for number, first in enumerate(groups):
            for second in groups[number + 1 :]:
                self.measure(first, second)
        loss = pip_from_norms(self.norms)
        errors = rounding_error(loss.condition, self.dtype)
        close = (~self.known).triu(1).nonzero().tolist()
        if close:
            log.info("group '%s': %d pairs are measured in a frame of their own", self.runs.name, len(close))
        for a, b in close:
            self.one_pair(a, b, loss, errors)
        wordwise = self.result() if self.arithmetic else None
        return TilePass(loss, worst_condition(errors), self.norms, self.squares, self.sums, wordwise)

    def result(self) -> WordwisePip:
        """Put the words of all processes together."""
        found = torch.zeros(len(WordwisePip._fields), self.runs.words, dtype=torch.float64, device=self.runs.device)
        rank, world = self.ranks.share
        for number, pairs in enumerate(self.pairs):
            part = slice((rank + number * world) * self.chunk, (rank + number * world + 1) * self.chunk)
            found[:, part] = torch.stack([field.double() for field in pairs.result()])
        self.ranks.total_(found)  # what another process measured is 0 here
        words = WordwisePip(*found)
        return words._replace(pairs=words.pairs.long())

    def measure(self, first: list[int], second: list[int]) -> None:
        """Form the tile of two groups, or of one with itself, and read it."""
        members = self.runs.take(first if first is second else first + second)
        tile = self.tile(members, first, second)
        i, j = (slice(group[0], group[-1] + 1) for group in (first, second))
        norms = squared_block_norms(tile)
        if first is second:
            norms = norms.triu() + norms.triu(1).mT
            self.squares[i] = tile.diagonal(dim1=0, dim2=2).diagonal(dim1=0, dim2=1).sum(1)
        self.norms[i, j], self.norms[j, i] = norms, norms.mT
        self.known[i, j] = self.resolved(i, j, first is second)
        if self.arithmetic:
            self.words(members, tile, first, second)

    def tile(self, members: Runs, first: list[int], second: list[int]) -> Tensor:
        """Sum up ``C_ij`` over the words that count, ``(I, d, J, d)``; of a group with itself only ``j >= i``."""
        n, d = len(first), self.runs.dimension
        tile = torch.zeros(n, d, len(second), d, dtype=torch.float64, device=self.runs.device)
        sums = torch.zeros(len(members), d, dtype=torch.float64, device=self.runs.device)
        for start, chunk in members.chunks(self.chunk, dtype=self.dtype, share=self.ranks.share):
            if not self.all_count:
                chunk *= self.counted[start : start + self.chunk, None]
            rows = side_by_side(chunk)
            if first is second:
                for a, b in run_groups(n, rows):
                    add_cross_(tile[a:b, :, a:], rows[:, a:b], rows[:, a:])
                sums += chunk.sum(1, dtype=torch.float64)
            else:
                add_cross_(tile, rows[:, :n], rows[:, n:])
        self.ranks.total_(tile, sums)
        if first is second:
            self.sums[first] = sums
        return tile

    def resolved(self, i: slice, j: slice, within: bool) -> Tensor:
        """Tell which pairs of a tile the products resolve, ``(I, J)`` bool on the CPU."""
        own = self.norms.diagonal()
        size = own[i, None] + own[None, j]
        condition = size / (size - 2 * self.norms[i, j]).clamp(min=0)
        if within:
            condition.fill_diagonal_(1)
        if self.dtype == torch.float64:
            return (condition * FLOAT64 <= tolerated(self.compute)).cpu()
        if worst_condition(condition) > largest_condition(self.compute, self.runs.dimension):
            raise UnresolvedError
        return torch.ones(condition.shape, dtype=torch.bool, device="cpu")

    def words(self, members: Runs, tile: Tensor, first: list[int], second: list[int]) -> None:
        """Add the pairs of a tile to every word's statistics."""
        assert self.arithmetic is not None  # noqa: S101  # there are statistics
        n, within = len(first), first is second
        chunks = members.chunks(self.chunk, dtype=self.arithmetic, share=self.ranks.share)
        for (start, chunk), pairs in zip(chunks, self.pairs, strict=True):
            rows = side_by_side(chunk)
            others = rows if within else rows[:, n:]
            part = slice(start, start + self.chunk)
            both = [
                word_products(rows[:, a], tile[a, :, a * within :].to(rows.dtype), others[:, a * within :])
                for a in range(n)
            ]
            if within:
                for a, i in enumerate(first):
                    self.own[i, part] = both[a][0]
            for a, i in enumerate(first):
                skipped = a + 1 if within else 0  # the pairs of this group come once
                if skipped < len(second):
                    j = slice(second[skipped], second[-1] + 1)
                    squares = self.own[i, part] + self.own[j, part] - 2 * both[a][within:].double()
                    pairs.add(i, j, squares.clamp(min=0) / (4 * self.count), self.known[i, j].to(squares.device))

    def one_pair(self, a: int, b: int, loss: PipLoss, errors: Tensor) -> None:
        """Measure two runs that are nearer to each other than plain float64 products resolve: nothing cancels here."""
        at = a * len(self.runs) - a * (a + 1) // 2 + b - a - 1
        maps, frame_gram = measure_alone_(self.runs, self.compute, self.counted, at, loss, errors)
        pair = self.runs.take([a, b])
        chunks = pair.chunks(self.chunk, share=self.ranks.share)
        for (start, chunk), pairs in zip(chunks, self.pairs, strict=self.arithmetic is not None):
            have = pair.present[:, start : start + self.chunk]
            rows = centred.centred_rows(chunk, maps, have)
            words = centred.centred_wordwise_pip(rows, frame_gram, self.count, have)
            pairs.add(a, slice(b, b + 1), words.square[None])


@telling_memory
def norms_pass(runs: Runs, compute: Compute = DEFAULT, words: Tensor | None = None) -> Tensor:
    """Return ``‖C_ij‖²`` of all pairs of runs and of every run with itself, ``(R, R)``, by float64 products.

    Where the block Gram is larger than memory should be, it is formed and read tile by tile.

    Args:
        runs: the runs.
        compute: how to compute.
        words: ``(v,)`` bool, those to sum over; default: the joint ones.
    """
    if gram_fits(runs, compute):
        return squared_norms(gram_pass(runs, compute, torch.float64, words).gram)
    return tile_pass(runs, compute, counted_words(runs, words), torch.float64).norms
