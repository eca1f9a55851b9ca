"""Word pairs of one run in groups, by similarity and by place in lists, and what the baseline says of each (§4.2).

Groups are sums that add up, with errors of differences of their means where pairs share words. Two pairs that share a
word are correlated, others are not. With ``E_wg`` the sum of the residuals of word w's pairs in group g by the group's
size, ``Var(mean_g − mean_h) = Σ_w (E_wg − E_wh)²`` less the squares of single pairs, which that counts twice: the
cluster-robust variance of dyads (Aronow, Samii & Assenova 2015) of a difference of means. A bootstrap of words is
dearer and wrong: its weights w_i·w_j triple the part that belongs to the single pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.cosine import cosines
from gpustab.kernels.similarity_groups import GROUPS, GroupTables, group_numbers, value_groups
from gpustab.kernels.similarity_lists import ListTables, list_groups
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Law, of_steps

REFERENCE = 0.01
"""Part of all pairs that form the lowest rung, which the others are compared with."""


class Sums(NamedTuple):
    """G groups of word pairs; all float64, on the CPU.

    Attributes:
        n: ``(G,)`` pairs that have a baseline value.
        total: ``(G,)`` sum of their values.
        square: ``(G,)`` sum of the squares of their values.
        word_n: ``(w, G)`` pairs of every word; a pair counts for both its words.
        word_total: ``(w, G)`` sum of their values.
    """

    n: Tensor
    total: Tensor
    square: Tensor
    word_n: Tensor
    word_total: Tensor

    @property
    def mean(self) -> Tensor:
        """``(G,)`` mean value; NaN of an empty group."""
        return self.total / self.n

    @property
    def deviation(self) -> Tensor:
        """``(G,)`` sum of the squared distances from the group's mean; 0 of an empty group."""
        # Values of a baseline have a common size, so that this difference cancels little.
        return (self.square - (self.total.square() / self.n).where(self.n > 0, 0)).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """``(G,)`` variance with ``ddof = 1``; NaN for fewer than two pairs."""
        return (self.deviation / (self.n - 1)).where(self.n > 1, torch.nan)

    @property
    def overall(self) -> Sums:
        """All pairs as one group."""
        return merged(self, torch.zeros(len(self.n), dtype=torch.long, device="cpu"))

    @property
    def residuals(self) -> Tensor:
        """``(w, G)`` sums over every word's pairs of value less the group's mean, by the group's size; 0 if empty."""
        return ((self.word_total - self.word_n * self.mean) / self.n).where(self.n > 0, 0)

    @property
    def effective_words(self) -> Tensor:
        """``(G,)`` how many words make up a group, by ``(Σ n_w)² / Σ n_w²``; 0 if empty."""
        squares = self.word_n.square().sum(0)
        return (self.word_n.sum(0).square() / squares).where(squares > 0, 0)


def merged(sums: Sums, pool: Tensor) -> Sums:
    """Return the sums of larger groups; group g goes to ``pool[g]``, ``(G,)`` int64, those of −1 are left out."""
    size = int(pool.max()) + 1 if len(pool) else 0
    kept = pool >= 0

    def gathered(part: Tensor) -> Tensor:
        out = part.new_zeros(*part.shape[:-1], size)
        return out.index_add_(part.ndim - 1, pool[kept], part[..., kept])

    n, total, square, word_n, word_total = map(gathered, sums)
    return Sums(n, total, square, word_n, word_total)


def of_tables(tables: GroupTables | ListTables, values: Tensor, *, pool: Tensor | None = None, half: bool) -> Sums:
    """Return the sums of a pass.

    Args:
        tables: counts by group and level, and by word.
        values: ``(K,)`` value of every level, NaN for none.
        pool: ``(G,)`` the group of each row of the counts, if those by word are of larger groups.
        half: whether the counts hold every pair twice.
    """
    known = ~values.isnan()
    counts = tables.counts[:, known].double().cpu() / (2 if half else 1)
    worth = values[known].double().cpu()
    n, total, square = (_gathered((counts * worth**k).sum(1), pool) for k in (0, 1, 2))
    return Sums(n, total, square, tables.word_counts.double().cpu(), tables.word_sums.cpu())


def _gathered(part: Tensor, pool: Tensor | None) -> Tensor:
    return part if pool is None else part.new_zeros(int(pool.max()) + 1).index_add_(0, pool, part)


def of_pairs(group: Tensor, pairs: Tensor, values: Tensor, groups: int, words: int) -> Sums:
    """Return the sums of single pairs.

    Args:
        group: ``(n,)`` group of every pair.
        pairs: ``(n, 2)`` its words, 0 .. words − 1.
        values: ``(n,)`` its values.
        groups: how many groups there are, G.
        words: how many words, w.
    """
    values = values.double()
    one = torch.ones_like(values)
    zeros = torch.zeros(groups, dtype=torch.float64, device="cpu")
    n, total, square = (zeros.index_add(0, group, part) for part in (one, values, values**2))
    key = (pairs * groups + group[:, None]).flatten()
    zeros = torch.zeros(words * groups, dtype=torch.float64, device="cpu")
    word_n, word_total = (
        zeros.index_add(0, key, part.repeat_interleave(2)).view(words, groups) for part in (one, values)
    )
    return Sums(n, total, square, word_n, word_total)


def adjusted_mean(sums: Sums) -> Tensor:
    """Return the mean of every group without word effects, ``(G,)``.

    Half the variance of Leacock and Chodorow's measure is words being near to everything or to nothing, mostly by the
    number of their senses: ``mean_g − Σ_w n_wg a_w / n_g`` with a_w the mean of the word's pairs less that of all.
    """
    own = sums.word_n.sum(1)
    effect = (sums.word_total.sum(1) / own).where(own > 0, 0) - sums.total.sum() / sums.n.sum()
    return sums.mean - (sums.word_n * effect[:, None].where(own[:, None] > 0, 0)).sum(0) / sums.n


class Differences(NamedTuple):
    """Group means less a reference's mean.

    Attributes:
        value: ``(G,)``; NaN where a side has no pair.
        se: ``(G,)`` dyadic standard error, not below that of independent pairs; NaN for fewer than two pairs.
        freedom: ``(G,)`` degrees of freedom: the fewer effective words of the two sides, less one; at least 1.
    """

    value: Tensor
    se: Tensor
    freedom: Tensor


def against(sums: Sums, reference: Sums, inside: bool = False) -> Differences:
    """Return how the groups differ from a reference.

    Args:
        sums: G groups.
        reference: one group, over the same words.
        inside: whether the reference holds the pairs of all groups, as that of all pairs does.
    """
    between = (sums.residuals - reference.residuals).square().sum(0)
    own = _squared(sums) + _squared(reference)
    if inside:  # a pair of both sides has one weight, 1/n_g − 1/n
        own = own - 2 * sums.deviation / (sums.n * reference.n)
    enough = (sums.n > 1) & (reference.n > 1)
    # The estimate from few words may come out small, even negative: not below the error of independent pairs, `own`.
    se = torch.maximum(between - own, own.clamp(min=0)).sqrt().where(enough, torch.nan)
    words = torch.minimum(sums.effective_words, reference.effective_words.expand_as(sums.n))
    return Differences(sums.mean - reference.mean, se, (words - 1).clamp(min=1))


def _squared(sums: Sums) -> Tensor:
    return sums.deviation / sums.n.square()


_BLOCK = 256
"""Words whose levels are held at a time: more are no faster on a CPU."""

_BYTES = 24_000
"""Of a word of a block: its column of distances over the synsets above a large vocabulary."""


@telling_memory
def value_sums(
    runs: Runs, r: int, baseline: Baseline, compute: Compute, told: Callable[[float], None] | None = None
) -> tuple[Sums, Law]:
    """Return the 201 groups of 0.01 of one run, and the distribution of the baseline over its pairs (figure 19).

    Args:
        runs: the runs.
        r: which of them.
        baseline: what pairs are compared with.
        compute: how to compute.
        told: called with the finished part.

    Raises:
        InputError: if the baseline has no value for any pair.
    """
    rows = baseline.rows.to(runs.device)
    if not isinstance(baseline, Levels):
        unit = runs.select(r, rows).cpu()
        similarity = cosines(unit[baseline.pairs[:, 0]], unit[baseline.pairs[:, 1]])
        group = group_numbers(similarity).long()
        sums = of_pairs(group, baseline.pairs, baseline.values, GROUPS, len(rows))
        values, numbers = baseline.values.unique(return_counts=True)
        return sums, of_steps(baseline.name, values.numpy(), numbers.double().numpy())
    unit = runs.select(r, rows, dtype=compute.dtype)
    most = compute.tile(_BYTES + 64 * len(rows), _BLOCK if runs.device.type == "cpu" else 16 * _BLOCK)
    tables = with_smaller_tiles(lambda block: value_groups(unit, baseline.block, baseline.values, block, told), most)
    sums = of_tables(tables, baseline.values, half=True)
    if not float(sums.n.sum()):
        raise InputError(f"{runs.names[r]}: {baseline.name} has a value for no pair of its {len(rows):,} words")
    known = ~baseline.values.isnan()
    numbers = tables.counts[:, known].sum(0).double()
    return sums, of_steps(baseline.name, baseline.values[known].cpu().numpy(), numbers.cpu().numpy())


_WINDOWS = 60
"""Windows of places, as broad as they are far from the first; one place holds too few pairs and too few words."""

WINDOW = 0.16
"""Width of a window as a part of its place, in a dictionary of some thousand words; less of a larger one."""


class Lists(NamedTuple):
    """Pairs of one run by place.

    Attributes:
        places: one group per place, without words.
        windows: one group per window of places, from the last window to the first: from dissimilar to similar.
        to: ``(W,)`` last place of every window, from 1, in the same order.
        last: ``(v,)`` for how many lists every word is the last.
    """

    places: Sums
    windows: Sums
    to: Tensor
    last: Tensor


@telling_memory
def list_sums(
    runs: Runs, r: int, baseline: Levels, compute: Compute, told: Callable[[float], None] | None = None
) -> Lists:
    """Return the groups by place of one run; the lists hold all joint words, those that the baseline lacks too.

    A pair may stand in two lists, of either word; both count, and their covariance is counted once too often, which
    makes the errors a little larger.
    """
    joint = runs.joint.nonzero().flatten()
    unit = runs.select(r, joint, dtype=compute.dtype)
    known = torch.searchsorted(joint, baseline.rows.to(joint.device))
    window = windows_of(len(joint)).to(joint.device)
    most = compute.tile(64 * len(joint), _BLOCK if runs.device.type == "cpu" else 8 * _BLOCK)

    def work(block: int) -> Lists:
        tables = list_groups(unit, known, baseline.block, baseline.values, window, block, told)
        by_window = of_tables(tables, baseline.values, pool=window.cpu(), half=False)
        nobody = tables._replace(word_counts=tables.word_counts[:0], word_sums=tables.word_sums[:0])
        pool = torch.arange(len(by_window.n), device="cpu").flip(0)
        to = torch.bincount(window.cpu()).cumsum(0).flip(0)
        by_place = of_tables(nobody, baseline.values, half=False)
        return Lists(by_place, merged(by_window, pool), to, tables.last.cpu())

    return with_smaller_tiles(work, most)


def windows_of(words: int) -> Tensor:
    """Return the window of every place, ``(v − 1,)``: about 60, log-spaced, and the last 1 % as one.

    >>> windows_of(5).tolist(), int(windows_of(6000).max()) + 1
    ([0, 1, 2, 3], 54)
    """
    places = words - 1
    tail = max(1, round(REFERENCE * places))
    edges = (
        torch.logspace(0, math.log10(max(places - tail, 1)), _WINDOWS, dtype=torch.float64, device="cpu").round().long()
    )
    return torch.searchsorted(edges.unique(), torch.arange(1, places + 1, device="cpu"), right=False)
