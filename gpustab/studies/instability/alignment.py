"""What aligning adds to an average, and why the tree is better than one reference. Rettenmeier 2020, §3.2.1-3.2.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import aligned_average, cross_gram, leaf
from gpustab.kernels.gram import block_gram, squared_norms
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import pip_from_norms, reduced
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import DEFAULT, Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import jackknife_error, ratio
from gpustab.studies.instability.cosines import draw_words
from gpustab.studies.instability.trees import orders_of, top_of
from gpustab.studies.shared.spaces import are_one, as_copies


class JointRows(Sequence[Tensor]):
    """The prepared rows of the joint words, run by run, each read when somebody asks for it."""

    def __init__(self, runs: Runs, joint: Tensor) -> None:
        self._runs = runs
        self._joint = joint

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, r: int) -> Tensor:  # type: ignore[override]  # slices are not needed
        if not 0 <= r < len(self):
            raise IndexError(r)
        return self._runs.run(r)[self._joint]

    def take(self, order: list[int]) -> JointRows:
        """Return some of the runs."""
        return JointRows(self._runs.take(order), self._joint)


def naive_average(spaces: Sequence[Tensor], reference: int) -> Tensor:
    """Return the mean ``(v, d)`` of all spaces ``(v, d)`` turned onto one of them, eq. 3.7; one by one."""
    onto = spaces[reference]
    total = torch.zeros_like(onto)
    for x in spaces:
        total += product(x, procrustes(cross_gram(x, onto)[None]).maps[0].to(x.dtype))
    return total / len(spaces)


def alignment_tables(
    name: str, runs: Runs, pairs: int, seed: int, same: Tensor | None = None, compute: Compute = DEFAULT
) -> dict[str, Table]:
    """Look at the second term of eq. 3.4 and compare the tree with averages onto one reference.

    Returns:
        ``alignment_term``: mean and variance over pairs of runs of ``m_k·m_l − (v_k·v_l + u_k·u_l)/2``, the variance as
        a part of ``σ²/2``, that of the first term; ``mean_by_pair`` is the root mean square of what a word pair's own
        mean is beyond noise, as a part of σ. ``table_tree``: losses between averages of the same runs by
        another order or another reference, and between the two halves of the runs, as parts of the loss of runs.
        Parts of a spread that is 0 are undefined; runs of pairs in ``same`` are one space twice.
    """
    joint = runs.joint.nonzero().flatten()
    rows = JointRows(runs, joint)
    first, second = draw_words(len(joint), pairs, seed)[:, :2].to(joint.device).T
    base = 0.0 if are_one(same) else _rms(engine.norms_pass(replace(runs, unit=True), compute), len(joint))[0]
    return {
        "alignment_term": Table.of([_term(name, rows, first, second, same)]),
        "table_tree": Table.of(_trees(name, runs, rows, joint, seed, base)),
    }


class Term(NamedTuple):
    """The second term of eq. 3.4, over disjoint pairs of runs; errors by leaving out one of these."""

    technique: str
    pairs_of_runs: int
    mean: float
    se: float
    sd_of_cosines: float
    mean_by_pair: float
    mean_by_pair_se: float
    variance_of_half: float
    variance_of_half_se: float


def _term(name: str, rows: Sequence[Tensor], first: Tensor, second: Tensor, same: Tensor | None) -> Term:
    cosine = as_copies(torch.stack([(x[first] * x[second]).sum(1) for x in rows], 1), same)  # (pairs, R)
    terms = []
    for a in range(0, len(rows) - 1, 2):  # disjoint pairs of runs
        middle = aligned_average(leaf(rows[a], a), leaf(rows[a + 1], a + 1)).vectors
        terms.append((middle[first] * middle[second]).sum(1) - cosine[:, a : a + 2].mean(1))
    return term_of(name, torch.stack(terms, 1), cosine)


def term_of(name: str, term: Tensor, cosine: Tensor) -> Term:
    """Describe the second term over disjoint pairs of runs ``(pairs, k)`` beside the cosines in runs ``(pairs, R)``."""
    k = term.shape[1]
    left_out = (
        [_term_parts(_without(term, [a]), _without(cosine, [2 * a, 2 * a + 1])) for a in range(k)] if k > 1 else []
    )
    parts = zip(_term_parts(term, cosine), *left_out, strict=True)
    by_pair, half = ((value, jackknife_error(rest)) for value, *rest in parts)
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


class TreeRow(NamedTuple):
    """Losses between averages of one kind, as parts of that between runs.

    Attributes:
        same_runs: of the same runs, by other orders or references; its error is over these.
        between_halves: of the runs; mean over some splits, and the SD over them. A mean of splits errs less than one
            split, but all are of the same runs.
    """

    technique: str
    average: str
    spaces: int
    same_runs: float
    same_runs_se: float
    halves_of: int
    splits: int
    between_halves: float
    between_halves_sd: float
    one_over_root_n: float


def _trees(name: str, runs: Runs, rows: JointRows, joint: Tensor, seed: int, base: float) -> Iterator[TreeRow]:
    orders = orders_of(len(runs), seed)
    half = len(runs) // 2
    splits = [(order[:half], order[half : 2 * half]) for order in orders]
    tops = {
        "tree": [_top(runs, order, joint) for order in orders],
        "one reference": [naive_average(rows, reference) for reference in range(min(len(orders), len(runs)))],
    }
    halves = {
        "tree": lambda part: _top(runs, part, joint),
        "one reference": lambda part: naive_average(rows.take(part), 0),
    }
    for kind, spaces in tops.items():
        loss, error = _rms_loss(spaces)
        losses = [ratio(_rms_loss([*map(halves[kind], split)])[0], base) for split in splits]
        between = torch.tensor(losses, dtype=torch.float64)
        parts = (ratio(loss, base), ratio(error, base), half, len(splits), float(between.mean()))
        spread = float(between.std()) if len(splits) > 1 else math.nan
        yield TreeRow(name, kind, len(spaces), *parts, spread, 1 / math.sqrt(half))


def _top(runs: Runs, order: list[int], joint: Tensor) -> Tensor:
    return top_of(runs.take(order)).vectors[joint]


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
    found = pair_statistics(pair_matrix(squares, len(norms)))
    loss = math.sqrt(found.mean)
    return loss, ratio(found.se, 2 * loss)
