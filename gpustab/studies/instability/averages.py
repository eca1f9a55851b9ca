"""What averaging does to distances and cosines, level by level of the tree. Rettenmeier 2020, §3.2.

Figures 3.2 and 3.5, eq. 3.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.engine.cosines import row_products
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import Average
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.pip_loss import pip_from_norms, reduced
from gpustab.results import Column, Sheet, Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate, expected_sd
from gpustab.studies.instability.technique import Technique
from gpustab.studies.instability.trees import Level, as_runs, keep_stem, levels_of, orders_of


class LevelLoss(NamedTuple):
    """Figure 3.5: the loss between averages of n runs, as a part of that between runs."""

    technique: str
    renormalised: Annotated[bool, Column(about="whether levels are scaled to unit length")]
    runs_beneath: Annotated[int, Column(about="n")]
    averages: int
    orders: Annotated[int, Column(about="of the runs, over which losses are root mean squares")]
    ratio_dot: Annotated[float, Column(about="by dot products")]
    ratio_cosine: Annotated[float, Column(about="by cosines")]
    cosine_sd: Annotated[float, Column(about="over the orders")]
    ratio_cosine_matrices: Annotated[float, Column(about="of means of cosine matrices: if aligning cost nothing")]
    one_over_root_n: float

    @property
    def fall(self) -> Estimate:
        """The loss between averages of n runs by 1/√n of that between runs.

        Its error is the SD over orders of the runs: the mean over orders errs less, but all are of the same runs.
        """
        root = math.sqrt(self.runs_beneath)
        return Estimate.of_runs(self.ratio_cosine * root, self.cosine_sd * root, self.orders)


class CosineRatios(NamedTuple):
    """Eq. 3.6: means and SDs of cosines of averages, as parts of those of runs."""

    technique: str
    renormalised: bool
    runs_beneath: int
    averages: Annotated[int, Column(about="behind each number; errors are by leaving out one with its runs")]
    mean: Annotated[
        float,
        Column(about="of the mean cosines; NaN where that of the runs is 0 within its error, as in a centred space"),
    ]
    slope: Annotated[float, Column(about="through 0 of the averages' mean cosines on the runs' over word pairs")]
    slope_se: float
    sd: Annotated[float, Column(about="of mean SDs")]
    sd_se: float
    rms_sd: Annotated[float, Column(about="of their root mean squares")]
    dot_mean: Annotated[float, Column(about="of mean dot products")]
    dot_sd: Annotated[float, Column(about="of their mean SDs")]


class Bin(NamedTuple):
    """Figure 3.2: one bar of a histogram of cosines."""

    technique: str
    panel: Annotated[str, Column(about="deviation from a pair's mean, or that mean")]
    runs_beneath: int
    cosine: float
    density: float


LEVELS = Sheet("figure_3_5", LevelLoss, "one row a technique, way of averaging and level of the tree")
COSINE_RATIOS = Sheet("cosine_ratios", CosineRatios, "one row a technique, way of averaging and level of the tree")
HISTOGRAMS = Sheet("figure_3_2", Bin, "one row a technique, panel, level and bin", long=True)

Values = tuple[Tensor, Tensor]
"""Dot products and cosines of word pairs, each ``(pairs, k)`` in k spaces."""

_ERRORS_FROM_0 = 5
"""A mean cosine nearer to 0 than so many of its errors has no ratio to speak of."""


def averaging_tables(technique: Technique) -> dict[str, Table]:
    """Measure averages of n runs at every level of the tree, with and without renormalising the levels.

    Losses are root mean squares over pairs of averages of disjoint runs and over several orders of the runs, as a part
    of that of the runs. Means and SDs are over averages, of random word pairs' cosines; ⟨σ⟩ is freed of the bias of an
    SD of few values, which differs between levels. Parts of what is 0, between runs that are all equal, are undefined.

    Returns:
        ``figure_3_5`` (losses), ``cosine_ratios`` (eq. 3.6) and ``figure_3_2`` (histograms of runs and averages).
    """
    name, runs = technique.name, technique.runs
    orders = orders_of(len(runs), technique.seed)
    single = _measure(technique, next(levels_of(runs, orders[0], renormalise=False)), runs)
    plain = [list(_tree(technique, order, [single.ordered(order)])) for order in orders]
    scaled = (
        list(_tree(technique, order, [tree[0], *(level.scaled() for level in tree[1:2])], renormalise=True))
        for order, tree in zip(orders, plain, strict=True)
    )
    dots, cosines = (technique.as_copies(x) for x in single.values)
    base = single.squares * (not technique.is_one)
    losses, ratios = [], []
    for renormalise, trees in ((False, plain), (True, scaled)):
        for levels in zip(*trees, strict=True):
            losses.append(_level_loss(name, renormalise, levels, base))
            some = levels if levels[0].beneath > 1 else levels[:1]  # no order changes what single runs say
            values = [(level.runs, level.values) for level in some]
            ratios.append(cosine_ratios(name, renormalise, levels[0].beneath, values, (dots, cosines)))
    bins = _histograms(name, plain[0][:2]) if len(plain[0]) > 1 else ()
    return LEVELS.named(losses) | COSINE_RATIOS.named(ratios) | HISTOGRAMS.named(bins)


class _Measured(NamedTuple):
    """A measured level: the runs beneath its averages, mean squared losses (3,), values of word pairs."""

    beneath: int
    runs: list[list[int]]
    squares: Tensor
    values: Values

    def ordered(self, order: list[int]) -> _Measured:
        """Return the level of single runs in another order: no loss is another, and values only change places."""
        dots, cosines = (values[:, order] for values in self.values)
        return self._replace(runs=[[r] for r in order], values=(dots, cosines))

    def scaled(self) -> _Measured:
        """Return this level, of averages of two runs, with rows scaled to unit length: dot products are cosines."""
        _, cosine, matrices = self.squares
        return self._replace(squares=torch.stack([cosine, cosine, matrices]), values=(self.values[1],) * 2)


def _tree(
    technique: Technique, order: list[int], known: Sequence[_Measured], *, renormalise: bool = False
) -> Iterator[_Measured]:
    """Measure the levels of a tree, but for the first ones that are known; each is let go as soon as it is measured."""
    for place, level in enumerate(levels_of(technique.runs, order, renormalise=renormalise)):
        if not renormalise:
            keep_stem(technique, order, level)
        if place < len(known):
            yield known[place]
        else:
            yield _measure(technique, level, as_runs(technique.runs, level.averages), scaled=renormalise)


def _measure(technique: Technique, level: Level, spaces: Runs, *, scaled: bool = False) -> _Measured:
    """Measure a level, whose averages are these spaces; ``scaled`` says that their rows are of unit length."""
    first, second = (technique.joint[words] for words in technique.word_pairs())
    return _Measured(
        level.beneath, level.runs, _squares(technique, spaces, level, scaled), _values(level.averages, first, second)
    )


def _level_loss(name: str, renormalise: bool, levels: Sequence[_Measured], base: Tensor) -> LevelLoss:
    by_order = torch.stack([level.squares for level in levels])  # (orders, 3)
    dot, cosine, matrices = (by_order.mean(0) / base).sqrt().nan_to_num(torch.nan, torch.nan).tolist()
    sd = float((by_order[:, 1] / base[1]).sqrt().std()) if len(levels) > 1 else math.nan
    n, averages = levels[0].beneath, len(levels[0].runs)
    return LevelLoss(name, renormalise, n, averages, len(levels), dot, cosine, sd, matrices, 1 / math.sqrt(n))


def _squares(technique: Technique, spaces: Runs, level: Level, scaled: bool) -> Tensor:
    """Mean squared losses between spaces by dot products, by cosines, and of cosine matrices of their runs, (3,)."""
    words, single = len(technique.joint), level.beneath == 1

    def norms(unit: bool) -> Tensor:
        if single and unit == spaces.unit:
            return technique.norms
        return engine.norms_pass(replace(spaces, unit=unit), technique.compute, technique.runs.joint)

    of_cosines = norms(True)
    of_dots = of_cosines if scaled or (single and spaces.unit) else norms(False)
    losses = [reduced(pip_from_norms(x).total, words) for x in (of_dots, of_cosines)]
    losses.append(matrix_losses(technique.norms, level.runs, words))
    return torch.stack([x.square().mean() for x in losses])


def matrix_losses(norms: Tensor, groups: list[list[int]], words: int) -> Tensor:
    """Return the reduced losses between means of cosine matrices of disjoint groups of runs, ``(pairs,)``.

    What averages would reach if aligning cost nothing: the mean of n cosine matrices is that of the concatenation,
    divided by √n, and its loss falls as 1/√n in root mean square.

    Args:
        norms: ``(R, R)``, ``‖C_ij‖²``.
        groups: the runs of each mean.
        words: of the vocabulary.
    """
    member = norms.new_zeros(len(groups), len(norms))
    for own, group in zip(member, groups, strict=True):
        own[group] = 1 / len(group)
    inner = product(product(member, norms), member.mT)
    i, j = run_pairs(len(groups))
    square: Tensor = (inner[i, i] + inner[j, j] - 2 * inner[i, j]).clamp(min=0)
    return square.sqrt() / (2 * words)


def _values(averages: Sequence[Average], first: Tensor, second: Tensor) -> Values:
    """Dot products and cosines of word pairs in every average, each ``(pairs, k)``."""
    dots, cosines = [], []
    for node in averages:
        lengths = torch.linalg.vector_norm(node.vectors, dim=1)
        dots.append(row_products(node.vectors, first, second))
        cosines.append(dots[-1] / (lengths[first] * lengths[second]))
    return torch.stack(dots, 1), torch.stack(cosines, 1)


def _histograms(name: str, levels: Sequence[_Measured], bins: int = 60) -> Iterator[Bin]:
    """Figure 3.2: deviations of cosines from their pair's mean, and these means, of runs and of averages of two."""
    cosines = [level.values[1] for level in levels]
    # Deviations from a mean of k values are too small by √(1 − 1/k).
    centred = [(x - x.mean(1, keepdim=True)) / math.sqrt(1 - 1 / x.shape[1]) for x in cosines]
    reach = float(centred[0].abs().quantile(0.999)) if centred[0].numel() < 2**24 else float(centred[0].abs().max())
    means = [x.mean(1) for x in cosines]
    low, high = (float(f(torch.cat(means))) for f in (torch.min, torch.max))
    for panel, values, span in (("deviation", centred, (-reach, reach)), ("mean", means, (low, high))):
        if span[0] == span[1]:  # runs that do not differ have no deviations to be drawn
            continue
        width = (span[1] - span[0]) / bins
        for level, x in zip(levels, values, strict=True):
            density = torch.histc(x.cpu(), bins, *span) / x.numel() / width
            for k, value in enumerate(density.tolist()):
                yield Bin(name, panel, level.beneath, span[0] + (k + 0.5) * width, value)


def cosine_ratios(
    name: str, renormalised: bool, beneath: int, orders: Sequence[tuple[list[list[int]], Values]], single: Values
) -> CosineRatios:
    """Compare one level of some trees with the runs.

    Args:
        name: of the technique.
        renormalised: whether levels are scaled to unit length.
        beneath: runs beneath each average.
        orders: for every order of the runs, which runs are beneath each average, and the values in the averages.
        single: the values in the runs.
    """
    dot, cosine = single
    of_dot, of_cosine = _spread(dot), _spread(cosine)
    numbers, errors = [], []
    for groups, (dots, cosines) in orders:
        spread_of_dots, _ = _spread(dots) / of_dot
        spread, square = _spread(cosines) / of_cosine
        means = [(x.mean() / y.mean()) for x, y in ((cosines, cosine), (dots, dot))]
        numbers.append(torch.stack([slope(cosines, cosine), spread, square.sqrt(), *means, spread_of_dots]))
        errors.append(_variances(groups, cosines, cosine))
    over_orders = torch.stack(numbers).mean(0).nan_to_num(math.nan, math.nan, math.nan)
    rise, sd, rms_sd, mean, dot_mean, dot_sd = over_orders.tolist()
    if not _clear_of_0(cosine):
        mean = dot_mean = math.nan
    if math.isnan(rms_sd):  # equal runs have nothing that averaging could change
        rise = math.nan
    rise_se, sd_se = torch.stack(errors).mean(0).sqrt().tolist()
    averages = len(orders[0][0])
    return CosineRatios(name, renormalised, beneath, averages, mean, rise, rise_se, sd, sd_se, rms_sd, dot_mean, dot_sd)


def slope(averages: Tensor, runs: Tensor) -> Tensor:
    """Return the slope through 0 of the mean values of word pairs in averages ``(pairs, k)`` on those in runs."""
    x, y = runs.mean(1), averages.mean(1)
    return (x * y).sum() / x.square().sum()


def _spread(values: Tensor) -> Tensor:
    """Mean SD over spaces, freed of the bias of an SD of few values, and mean variance, of ``(pairs, k)``: (2,)."""
    if values.shape[1] < 2:
        return values.new_full((2,), math.nan)
    variance = values.var(1)
    return torch.stack([variance.sqrt().mean() / expected_sd(values.shape[1]), variance.mean()])


def _variances(groups: list[list[int]], averages: Tensor, runs: Tensor) -> Tensor:
    """Squared jackknife errors of slope and SD ratio, leaving out one average with the runs beneath it, (2,)."""
    k = len(groups)
    if k < 2:
        return runs.new_full((2,), math.nan)
    (y, of_averages), (x, of_runs) = _without(averages, [[a] for a in range(k)]), _without(runs, groups)
    slopes = (x * y).sum(0) / x.square().sum(0)
    return (k - 1) * torch.stack([slopes, of_averages / of_runs]).var(1, correction=0)


def _without(values: Tensor, groups: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Means ``(pairs, k)`` of values ``(pairs, n)`` and their mean unbiased SDs ``(k,)``, each without a group.

    Of values less their mean, what is left sums to what is taken out, with the other sign.
    """
    mean = values.mean(1, keepdim=True)
    centred = values - mean
    left = [values.shape[1] - len(group) for group in groups]
    member = values.new_zeros(values.shape[1], len(groups))
    for a, group in enumerate(groups):
        member[group, a] = 1
    out, squares = product(centred, member), product(centred.square(), member)
    n = values.new_tensor(left)
    rest = centred.square().sum(1, keepdim=True) - squares - out.square() / n
    sds = (rest.clamp(min=0) / (n - 1)).sqrt().mean(0)
    return mean - out / n, sds / values.new_tensor([expected_sd(m) if m > 1 else math.nan for m in left])


def _clear_of_0(cosines: Tensor) -> bool:
    means = cosines.mean(1)
    error = float(means.std()) / math.sqrt(len(means)) if len(means) > 1 else math.nan
    return abs(float(means.mean())) > _ERRORS_FROM_0 * error
