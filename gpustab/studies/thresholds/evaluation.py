"""Word similarity tests with and without the pairs below a threshold (§5, tables 2 to 7), and what leaving out does.

Pairs are left out by the space's own similarity. That narrows the range of what is correlated, so that ρ falls by
construction, whichever threshold: leaving out is no neutral act. Beside the paper's ρ stand the ρ after as many pairs
were left out at random, and the *tied* one: pairs below get one value, so that they are not compared with each other
but still lie below the rest; it keeps the same pairs in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.evaluation.lookup import Lookup
from gpustab.evaluation.similarity_file import SimilarityTest
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs
from gpustab.statistics.ranks import spearman

FEWEST = 3
"""Pairs that a rank correlation needs."""

_DRAWS = 100


class Score(NamedTuple):
    """One run on one test at one threshold.

    Attributes:
        group: name of the group.
        run: name of the run.
        test: name of the test.
        rule: which threshold.
        cut: pairs must be more similar than this; ``None`` where the run has no such threshold.
        total: pairs of the test.
        unknown: pairs with a word that not every run has.
        below: known pairs at or below the cut.
        used: known pairs above it.
        rho: Spearman's ρ over all known pairs.
        above: the paper's: over the pairs above the cut.
        tied: over all known pairs, those below tied.
        dropped: mean over 100 draws of as many known pairs, left out at random.
        dropped_sd: their standard deviation.
    """

    group: str
    run: str
    test: str
    rule: str
    cut: float | None
    total: int
    unknown: int
    below: int
    used: int
    rho: float | None
    above: float | None
    tied: float | None
    dropped: float | None
    dropped_sd: float | None


def scores(
    runs: Runs,
    test: SimilarityTest,
    cuts: Mapping[str, list[float | None]],
    compute: Compute,
    seed: int,
) -> Iterator[Score]:
    """Yield the scores of every run at its own thresholds, which have names."""
    lookup = Lookup(runs, None, ignore_case=True)
    rows = [(lookup.row(a), lookup.row(b)) for a, b in test.pairs]
    known = [k for k, (a, b) in enumerate(rows) if a is not None and b is not None]
    gold = torch.tensor([test.gold[k] for k in known], dtype=torch.float64)
    pairs = torch.tensor([rows[k] for k in known], dtype=torch.long).view(-1, 2)
    cosines = engine.pair_values(runs, pairs[:, 0], pairs[:, 1], compute).cpu() if known else torch.zeros(0, len(runs))
    for r, name in enumerate(runs.names):
        own = cosines[:, r]
        for rule, by_run in cuts.items():
            cut = by_run[r]
            low = own <= (-2.0 if cut is None else cut)
            mean, sd = at_random(own, gold, int(low.sum()), seed)
            yield Score(
                runs.name,
                name,
                test.name,
                rule,
                cut,
                len(rows),
                len(rows) - len(known),
                int(low.sum()),
                int((~low).sum()),
                rho_of(own, gold),
                rho_of(own[~low], gold[~low]),
                rho_of(own.masked_fill(low, -2.0), gold),
                mean,
                sd,
            )


def rho_of(similarity: Tensor, gold: Tensor) -> float | None:
    """Return Spearman's ρ, ``None`` for fewer than three pairs or values that are all equal."""
    if len(gold) < FEWEST:
        return None
    value = float(spearman(similarity[None], gold[None]))
    return None if value != value else value


def at_random(similarity: Tensor, gold: Tensor, dropped: int, seed: int) -> tuple[float | None, float | None]:
    """Return mean and standard deviation of ρ over draws that each leave so many pairs out."""
    left = len(gold) - dropped
    if left < FEWEST or not dropped:
        return (rho_of(similarity, gold), 0.0) if not dropped and left >= FEWEST else (None, None)
    generator = torch.Generator().manual_seed(seed)
    kept = torch.stack([torch.randperm(len(gold), generator=generator)[:left] for _ in range(_DRAWS)])
    values = spearman(similarity[kept], gold[kept])
    values = values[~values.isnan()]
    return (float(values.mean()), float(values.std())) if len(values) > 1 else (None, None)
