"""The PIP loss itself: sampled proxies against the exact value, and what it means. Rettenmeier 2020, §2.2.3."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.gram import run_pairs
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import ratio
from gpustab.statistics.ranks import rank_correlations
from gpustab.studies.shared.spaces import are_one

PROXIES = (100, 1000, 10_000, 100_000)
PAIRS = 10
"""Pairs of runs over which table 2.6 averages, as the thesis does."""
TARGETS = 1000
WHOLE = 10_000
"""Up to so many words the identity is also verified over all pairs of words."""
_QUERIES = 256


def proxy_tables(name: str, runs: Runs, seed: int, compute: Compute, same: Tensor | None = None) -> dict[str, Table]:
    """Compare losses over m words drawn at random with the exact ones.

    Word by word: Spearman's ρ over 1,000 target words between two independent draws of m and m' words, averaged over
    at most 10 pairs of runs. Globally: ``E[D²_m] = D² (1 − 1/m) / (1 − 1/v)``.

    Args:
        name: of the technique.
        runs: the runs.
        seed: of the draws.
        compute: how to compute.
        same: ``(R, R)`` bool, pairs that are one space twice: their words have no ranks, and nothing is a part of
            their loss. They are left out.

    Returns:
        ``table_2_6`` and ``proxy`` (root mean square of ``D_m / D`` beside what is expected, one row per m).
    """
    words = engine.joint_words(runs)
    sizes = [m for m in PROXIES if m < words] + [words]
    generator = torch.Generator().manual_seed(seed)
    targets = engine.draw_targets(runs, min(TARGETS, runs.words), seed)
    every = run_pairs(len(runs)).T
    every = every if same is None else every[~same[every[:, 0], every[:, 1]]]
    pairs = every[torch.randperm(len(every), generator=generator)[:PAIRS]].tolist()
    correlations, squares = [], []
    for pair in pairs:
        both = runs.take(pair)
        draws = [[_draw(both, m, words, generator) for m in sizes] for _ in range(2)]
        losses = [[_pair_losses(both, draw, compute) for draw in row] for row in draws]
        columns = torch.stack([word[targets] for row in losses for word, _ in row], 1)
        table = rank_correlations(columns)[: len(sizes), len(sizes) :]
        correlations.append((table + table.mT) / 2)
        exact = losses[0][-1][1]
        squares += [[ratio(loss, exact) ** 2 for _, loss in row] for row in losses]
    nothing = [torch.full((len(sizes), len(sizes)), math.nan, dtype=torch.float64)]
    mean = torch.stack(correlations or nothing).nanmean(0)
    ratios = torch.tensor(squares or [[math.nan] * len(sizes)], dtype=torch.float64).nanmean(0).sqrt()
    labels = [str(m) for m in sizes[:-1]] + ["all"]
    table_2_6 = Table(
        {
            "technique": [name] * len(sizes),
            "words": labels,
            "pairs_of_runs": [len(pairs)] * len(sizes),
            "targets": [len(targets)] * len(sizes),
        }
    )
    for label in (*map(str, PROXIES), "all"):
        column = mean[:, labels.index(label)].tolist() if label in labels else [math.nan] * len(sizes)
        table_2_6[label] = column
    proxy = Table(
        {
            "technique": [name] * len(sizes),
            "words": sizes,
            "ratio": ratios.tolist(),
            "expected": [math.sqrt((1 - 1 / m) / (1 - 1 / words)) for m in sizes],
        }
    )
    return {"table_2_6": table_2_6, "proxy": proxy}


class Identity(NamedTuple):
    """Eq. 2.35: mean squared losses from the Gram and from variances of cosines."""

    technique: str
    scope: str
    mean_square: float
    from_variances: float
    largest_difference: float
    squared_mean: float


def identity_table(name: str, runs: Runs, words: int, seed: int, compute: Compute, same: Tensor | None = None) -> Table:
    """Verify ``⟨d²⟩ = Σ_l σ²_kl / (2v)`` (eq. 2.35, exact for squares and ddof 1) for some words and globally.

    The left side comes from the block Gram, the right side from the SDs over runs of all the word's cosines.

    Returns:
        One row per scope: the words together (their sums, and the largest relative difference of any), and all words
        where there are at most 10,000; ``squared_mean`` is ``⟨d⟩² / ⟨d²⟩``, which the printed equation takes for 1.
    """
    measured = engine.wordwise_pass(runs, engine.gram_pass(runs, compute), compute)
    joint = runs.joint.nonzero().flatten()
    drawn = joint[torch.randperm(len(joint), generator=torch.Generator().manual_seed(seed))[:words]]
    scopes = [(f"{len(drawn)} words", drawn)] + ([("all words", joint)] if len(joint) <= WHOLE else [])
    rows_found = []
    for scope, rows in scopes:
        left, right = measured.square[rows].cpu(), _from_variances(runs, rows, joint).cpu()
        # A word that no run moves has no relative difference; of copies there is rounding only.
        varies = (left > 0) & (right > 0) & (not are_one(same))
        relative = ((left - right).abs() / right)[varies]
        difference = float(relative.max()) if len(relative) else math.nan
        jensen = float((measured.mean[rows].cpu().square() / left)[varies].mean())
        rows_found.append(Identity(name, scope, float(left.mean()), float(right.mean()), difference, jensen))
    return Table.of(rows_found)


def _from_variances(runs: Runs, rows: Tensor, joint: Tensor) -> Tensor:
    """``Σ_l σ²_kl / (2v)`` of the words k, over the joint words l."""
    parts = [
        engine.query_cosines(runs, part).sd[:, joint].square().sum(1) / (2 * len(joint))
        for part in rows.split(_QUERIES)
    ]
    return torch.cat(parts)


def _draw(runs: Runs, m: int, words: int, generator: torch.Generator) -> Tensor | None:
    """A mask of m joint words, or ``None`` for all."""
    seed = int(torch.randint(2**31, (), generator=generator))
    return None if m == words else engine.draw_proxy(runs, m, seed)


def _pair_losses(pair: Runs, proxy: Tensor | None, compute: Compute) -> tuple[Tensor, float]:
    """Word-wise losses ``(v,)`` and the reduced loss of one pair of runs, both over the proxy's words."""
    found = engine.pip_pass(pair, compute, proxy)
    return engine.wordwise_pass(pair, found.basis, compute).mean.cpu(), float(found.reduced[0])
