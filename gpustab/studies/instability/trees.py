"""Trees of averages, level by level, beside averages onto one reference. Rettenmeier 2020, §3.2.1 and 3.2.2.

What aligning adds to an average (eq. 3.4), and why the tree is better than one reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from gpustab import engine
from gpustab.engine.cosines import row_products
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import Average, aligned_average, cross_gram, leaf
from gpustab.kernels.gram import block_gram, squared_norms
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import pip_from_norms, reduced
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import free_memory
from gpustab.results import Column, Sheet, Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate, jackknife_error, ratio
from gpustab.studies.instability.technique import Technique

T = TypeVar("T")


class Term(NamedTuple):
    """Eq. 3.4: its second term, over disjoint pairs of runs; errors by leaving out one of these."""

    technique: str
    pairs_of_runs: int
    mean: float
    se: float
    sd_of_cosines: Annotated[float, Column(about="σ")]
    mean_by_pair: Annotated[float, Column(about="what a word pair's own mean is beyond noise, as a part of σ")]
    mean_by_pair_se: float
    variance_of_half: Annotated[float, Column(about="as a part of σ²/2, that of the first term")]
    variance_of_half_se: float

    @property
    def parts(self) -> tuple[Estimate, Estimate, Estimate]:
        """The mean and the means of word pairs as parts of σ, and the variance as a part of σ²/2, with their errors."""
        mean = Estimate.of_runs(self.mean, self.se, self.pairs_of_runs).over(self.sd_of_cosines)
        by_pair = Estimate.of_runs(self.mean_by_pair, self.mean_by_pair_se, self.pairs_of_runs)
        return mean, by_pair, Estimate.of_runs(self.variance_of_half, self.variance_of_half_se, self.pairs_of_runs)


class TreeRow(NamedTuple):
    """§3.2.2: losses between averages of one kind, as parts of that between runs."""

    technique: str
    average: Annotated[str, Column(about="tree, or one reference")]
    spaces: int
    same_runs: Annotated[float, Column(about="of the same runs, by other orders or references")]
    same_runs_se: float
    halves_of: Annotated[int, Column(about="runs of a half")]
    splits: int
    between_halves: Annotated[float, Column(about="of the runs; mean over the splits")]
    between_halves_sd: Annotated[float, Column(about="over the splits: a mean errs less, but all are of the same runs")]
    one_over_root_n: float

    @property
    def of_same_runs(self) -> Estimate:
        """The loss between averages of the same runs, with its error."""
        return Estimate.of_runs(self.same_runs, self.same_runs_se, self.spaces)

    @property
    def of_halves(self) -> Estimate:
        """The loss between averages of two halves of the runs, with its error."""
        return Estimate.of_runs(self.between_halves, self.between_halves_sd, self.splits)


TERM = Sheet("alignment_term", Term, "one row a technique")
TREE, ONE_REFERENCE = "tree", "one reference"
"""The kinds of averages of this table."""
TREES = Sheet("table_tree", TreeRow, "one row a technique and kind of average")

ORDERS = 4
"""Trees over that many orders of the runs; the result depends a little on the order."""
_TRIES = 50


@dataclass(frozen=True)
class RunByRun(Sequence[T]):
    """Something of every run, made when somebody asks for it."""

    runs: Runs
    made: Callable[[int], T]

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, r: int) -> T:  # type: ignore[override]  # slices are not needed
        if not 0 <= r < len(self):
            raise IndexError(r)
        return self.made(r)


@dataclass(frozen=True)
class Level:
    """The averages of equally many runs in one tree.

    Attributes:
        beneath: runs beneath each.
        averages: two or more, over disjoint runs.
        runs: the numbers of the runs beneath each.
        rest: what the tree has beside them, of fewer runs.
    """

    beneath: int
    averages: Sequence[Average]
    runs: list[list[int]]
    rest: Sequence[Average] = ()


def levels_of(runs: Runs, order: list[int], *, renormalise: bool) -> Iterator[Level]:
    """Yield the levels of the tree over the runs in some order that have two or more equal averages, any R.

    The average of all runs stands alone and is left out. Who keeps no level holds no more than one and a half.
    """
    ordered = runs.take(order)
    if len(runs) > 1:
        leaves = RunByRun(ordered, lambda r: leaf(ordered.run(r), r, ordered.present[r]))
        yield _level(leaves, [[r] for r in range(len(runs))], order)
    for nodes in engine.average_levels(ordered, renormalise=renormalise):
        if len(_equal(nodes)) > 1:
            # No name for the averages here: the next level is formed while this one is let go.
            rest = nodes[len(_equal(nodes)) :]
            yield replace(_level(_equal(nodes), [node.runs for node in _equal(nodes)], order), rest=rest)


def _equal(nodes: Sequence[Average]) -> list[Average]:
    """Those averages of a level that are of the most runs."""
    most = max(len(node.runs) for node in nodes)
    return [node for node in nodes if len(node.runs) == most]


def _level(averages: Sequence[Average], beneath: Sequence[Sequence[int]], order: list[int]) -> Level:
    return Level(len(beneath[0]), averages, [[order[r] for r in group] for group in beneath])


def top_of(runs: Runs, below: Sequence[Average] = ()) -> Average:
    """Return the average of all runs, or of those beneath some averages of them."""
    for level in engine.average_levels(runs, below=below):
        top = level[0]
    return top


def _stem_size(runs: int) -> int:
    """Return of how many runs the highest averages are that a tree and those over its two halves have in common."""
    half = runs // 2
    return half & -half


def keep_stem(technique: Technique, order: list[int], level: Level) -> None:
    """Keep a level of a tree for :func:`stem_of`, if it is that one, and those of all orders are small."""
    nodes = [*level.averages, *level.rest] if level.beneath == _stem_size(len(order)) > 1 else []
    size = sum(node.vectors.nbytes for node in nodes)
    if nodes and size * ORDERS <= free_memory(technique.runs.device) // 8:
        technique.stems[tuple(order)] = nodes


def stem_of(technique: Technique, order: list[int]) -> list[Average]:
    """Return averages of which the tree over an order of the runs and those over its halves are made; maybe none."""
    if (kept := technique.stems.pop(tuple(order), None)) is not None:
        return kept
    size = _stem_size(len(order))
    levels = levels_of(technique.runs, order, renormalise=False) if size > 1 else ()
    return next(([*level.averages, *level.rest] for level in levels if level.beneath == size), [])


def orders_of(runs: int, seed: int) -> list[list[int]]:
    """Return the given order of the runs and some drawn ones, no two of them of one tree: 3 runs have only 3 trees."""
    generator = torch.Generator().manual_seed(seed)
    orders = [list(range(runs))]
    trees = {_tree(orders[0])}
    for _ in range(_TRIES):
        order = torch.randperm(runs, generator=generator, device="cpu").tolist()
        if _tree(order) not in trees:
            orders.append(order)
            trees.add(_tree(order))
        if len(orders) == ORDERS:
            break
    return orders


def _tree(order: list[int]) -> Any:
    """The tree over an order of runs, as nested sets: which of two averages is turned onto the other is no matter."""
    nodes: list[Any] = list(order)
    while len(nodes) > 1:
        pairs = [frozenset(nodes[k : k + 2]) for k in range(0, len(nodes) - 1, 2)]
        nodes = pairs + nodes[2 * len(pairs) :]
    return nodes[0]


def as_runs(runs: Runs, averages: Sequence[Average]) -> Runs:
    """Return averages as runs over the vocabulary of the runs they are made of, so that they can be measured alike."""
    vectors = [node.vectors for node in averages]
    lengths = torch.stack([torch.linalg.vector_norm(x, dim=1) for x in vectors])
    present = torch.stack([node.weights > 0 for node in averages]) & (lengths > 0)
    return replace(
        runs,
        rows=tuple(vectors),
        names=tuple(f"average of {len(node.runs)} from run {node.runs[0]}" for node in averages),
        present=present,
        means=torch.zeros(len(vectors), runs.dimension, dtype=torch.float64, device=runs.device),
        lengths=lengths.masked_fill(~present, 1),
        centre=False,
        unit=True,
    )


def joint_rows(runs: Runs, joint: Tensor) -> RunByRun[Tensor]:
    """Return the prepared rows of the joint words of every run."""
    return RunByRun(runs, lambda r: runs.run(r)[joint])


def naive_average(spaces: Sequence[Tensor], reference: int) -> Tensor:
    """Return the mean ``(v, d)`` of all spaces ``(v, d)`` turned onto one of them, eq. 3.7; one by one."""
    onto = spaces[reference]
    total = torch.zeros_like(onto)
    for x in spaces:
        total += product(x, procrustes(cross_gram(x, onto)[None]).maps[0].to(x.dtype))
    return total / len(spaces)


def alignment_tables(technique: Technique) -> dict[str, Table]:
    """Look at the second term of eq. 3.4 and compare the tree with averages onto one reference.

    Returns:
        ``alignment_term``: mean and variance over pairs of runs of ``m_k·m_l − (v_k·v_l + u_k·u_l)/2``, the variance as
        a part of ``σ²/2``, that of the first term. ``table_tree``: losses between averages of the same runs by another
        order or another reference, and between the two halves of the runs, as parts of the loss of runs. Parts of a
        spread that is 0 are undefined.
    """
    return TERM.named([_term(technique)]) | TREES.named(_trees(technique))


def _term(technique: Technique) -> Term:
    rows = joint_rows(technique.runs, technique.joint)
    first, second = technique.word_pairs()
    cosine = technique.as_copies(torch.stack([row_products(x, first, second) for x in rows], 1))  # (pairs, R)
    terms = []
    for a in range(0, len(rows) - 1, 2):  # disjoint pairs of runs
        middle = aligned_average(leaf(rows[a], a), leaf(rows[a + 1], a + 1)).vectors
        terms.append(row_products(middle, first, second) - cosine[:, a : a + 2].mean(1))
    return term_of(technique.name, torch.stack(terms, 1), cosine)


def term_of(name: str, term: Tensor, cosine: Tensor) -> Term:
    """Describe the second term over disjoint pairs of runs ``(pairs, k)`` beside the cosines in runs ``(pairs, R)``."""
    k = term.shape[1]
    left_out = (
        [_term_parts(_without(term, [a]), _without(cosine, [2 * a, 2 * a + 1])) for a in range(k)] if k > 1 else []
    )
    parts = zip(_term_parts(term, cosine), *left_out, strict=True)
    by_pair, half = ((value, jackknife_error(others)) for value, *others in parts)
    se = float(term.mean(0).std()) / math.sqrt(k) if k > 1 else math.nan
    return Term(name, k, float(term.mean()), se, math.sqrt(float(cosine.var(1).mean())), *by_pair, *half)


def _term_parts(term: Tensor, cosine: Tensor) -> tuple[float, float]:
    """Means by word pair as a part of σ, and the variance as a part of σ²/2; NaN for one pair of runs."""
    if term.shape[1] < 2:
        return math.nan, math.nan
    variance = float(cosine.var(1).mean())
    return ratio(_spread(term), math.sqrt(variance)), ratio(float(term.var(1).mean()), variance / 2)


def _without(values: Tensor, columns: Sequence[int]) -> Tensor:
    return values[:, [k for k in range(values.shape[1]) if k not in columns]]


def _spread(term: Tensor) -> float:
    """Root mean square over word pairs of the mean over ``k`` columns, freed of its noise."""
    square = term.mean(1).square().mean() - term.var(1).mean() / term.shape[1]
    return math.sqrt(max(float(square), 0.0))


def _trees(technique: Technique) -> Iterator[TreeRow]:
    runs, joint = technique.runs, technique.joint
    rows, base = joint_rows(runs, joint), 0.0
    if not technique.is_one:  # root mean square loss of the runs, as below
        norms = technique.norms if runs.unit else engine.norms_pass(replace(runs, unit=True), technique.compute)
        base, _ = _rms(norms, len(joint))
    orders = orders_of(len(runs), technique.seed)
    half = len(runs) // 2
    splits = [(order[:half], order[half : 2 * half]) for order in orders]
    trees = [tops_of(technique, order, half) for order in orders]
    tops = {
        TREE: [top for top, _ in trees],
        ONE_REFERENCE: [naive_average(rows, reference) for reference in range(min(len(orders), len(runs)))],
    }
    halves = {
        TREE: [parts for _, parts in trees],
        ONE_REFERENCE: [[naive_average(joint_rows(runs.take(part), joint), 0) for part in split] for split in splits],
    }
    for kind, spaces in tops.items():
        loss, error = _rms_loss(spaces)
        losses = [ratio(_rms_loss(parts)[0], base) for parts in halves[kind]]
        between = torch.tensor(losses, dtype=torch.float64, device="cpu")
        parts = (ratio(loss, base), ratio(error, base), half, len(splits), float(between.mean()))
        spread = float(between.std()) if len(splits) > 1 else math.nan
        yield TreeRow(technique.name, kind, len(spaces), *parts, spread, 1 / math.sqrt(half))


def tops_of(technique: Technique, order: list[int], half: int) -> tuple[Tensor, list[Tensor]]:
    """Return the averages of all runs in some order, and of either half of it, over the joint words."""
    runs, joint = technique.runs.take(order), technique.joint
    stem = stem_of(technique, order)
    nodes = half // _stem_size(len(order))  # beneath a half
    parts = []
    for number in range(2):
        if stem:
            parts.append(top_of(runs, stem[number * nodes : (number + 1) * nodes]))
        else:
            parts.append(top_of(runs.take(list(range(number * half, (number + 1) * half)))))
    return top_of(runs, stem).vectors[joint], [part.vectors[joint] for part in parts]


def _rms_loss(spaces: Sequence[Tensor]) -> tuple[float, float]:
    """Root mean square reduced loss of all pairs of spaces, rows scaled to unit length, and its jackknife error."""
    # Averages of runs of unequal dimension are as wide as the widest of their own; zeros change no inner product.
    widest = max(x.shape[1] for x in spaces)
    padded = [torch.nn.functional.pad(x, (0, widest - x.shape[1])) for x in spaces]
    rows = torch.nn.functional.normalize(torch.stack(padded), dim=2)
    return _rms(squared_norms(block_gram(rows)), rows.shape[1])


def _rms(norms: Tensor, words: int) -> tuple[float, float]:
    """The same of ``‖C_ij‖²``, ``(R, R)``."""
    squares = reduced(pip_from_norms(norms).total, words).square()
    mean = pair_statistics(pair_matrix(squares, len(norms)))
    loss = math.sqrt(mean.mean)
    return loss, ratio(mean.se, 2 * loss)
