"""Planted thresholds, for `study thresholds`: those that words prove, and those that runs move, or that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch
from scipy.stats import gamma

from benchmarks.placebos.cells import DRAWN, NEITHER, Row, World, never, should
from benchmarks.placebos.drawn.case import RUNS, Draw, Rng, drawn
from gpustab.results import Table
from gpustab.studies.thresholds.claims import Apart
from gpustab.studies.thresholds.distributions import Law, Moments, compare
from gpustab.studies.thresholds.evaluation import at_random, change_sd, rho_of
from gpustab.studies.thresholds.numbers import row_of, score_row
from gpustab.studies.thresholds.page import of_paper, of_scores
from gpustab.studies.thresholds.rules import RULES, cuts, lower_edge, rungs
from gpustab.studies.thresholds.tables import Comparison, OverRuns, Score, ScoreOverRuns, Size
from tests.studies.thresholds.planted import planted

STEP = 0.01
WORDS = (100, 300, 600)


def proofs(sets: int) -> Iterator[Row]:
    """Yield how often a threshold is proven below where it truly is, in one run of so many words."""
    for effect in (0.0, 0.3):
        for words in WORDS:
            rng, of = np.random.default_rng([0, words]), max(20, sets * 100 // words)
            for rule in RULES:
                proven = [_proven(rng, words, effect, rule) for _ in range(of)]
                said = [own for own in proven if own[0] is not None]
                wrong = sum(value < truth - STEP for value, truth in said if value is not None)
                about = f"a threshold proven below the true one, {rule}, {words} words, word effects of {effect:g}"
                yield Row("thresholds.meaningful", about, DRAWN, 1, of, len(said), wrong, of - len(said))


def _proven(rng: Rng, words: int, effect: float, rule: str) -> tuple[float | None, float]:
    """The proven threshold of a drawn set, and where the level is reached, at slope 1."""
    ladder = rungs(planted(rng, words, 0.0, effect=effect))
    (cut,) = (cut for cut in cuts(ladder, 0.99) if cut.rule == rule)
    spread = float(ladder.sums.overall.variance.sqrt())
    # The mean of the lowest is 0; that of all is known up to word effects, which all groups share.
    truth = 0.1 * spread if rule == "clear" else 0.2 / math.sqrt(2 * math.pi)
    return (None if cut.proven is None else lower_edge(int(ladder.first[cut.proven]))), truth


def _values(mean: float, sd: float, runs: int, rng: Rng) -> list[float]:
    return (np.round((mean + sd * rng.normal(size=runs)) / STEP) * STEP).tolist()


def over_row(group: str, values: list[float]) -> OverRuns:
    """A row of the table of thresholds, of one rule over runs."""
    return row_of(group, "value", "chance", values, [0.5])


def _scattered(sd: float) -> Draw:
    return lambda runs, rng: over_row("g", _values(0.2, sd, runs, rng))


def _apart(gap: float, groups: int) -> Draw:
    """The highest and the lowest threshold of some groups, of which one lies so much higher, SD 0.01 each."""

    def draw(runs: int, rng: Rng) -> Apart:
        rows = [over_row(f"g{k}", _values(0.2 + gap * (k == 0), 0.01, runs, rng)) for k in range(groups)]
        rows.sort(key=lambda row: row.mean or 0.0)
        return Apart(rows[-1], rows[0], groups)

    return draw


def _sizes(gap: float, sd: float) -> Draw:
    """The paper's threshold at five least group sizes, of which the smallest lies higher; the page asks its claim."""

    def draw(runs: int, rng: Rng) -> None:
        sizes = [_values(gap * (k == 0), sd, runs, rng) for k in range(5)]
        rows = [
            Size("g", 100 * 10**k, None, fmean(own), stdev(own), min(own), max(own), runs, runs)
            for k, own in enumerate(sizes)
        ]
        list(of_paper({"paper_sizes": Table.of(rows)}))

    return draw


def _narrowed(kind: str, part: float) -> Draw:
    """Six tests of 350 pairs, of which a part is left out; the page asks its claim.

    *chance*: as many at random, the same in all runs. *noise*: the least similar, among which scores are noise.
    *range*: the least similar, where scores follow the cosine everywhere alike.
    """

    def draw(runs: int, rng: Rng) -> None:
        list(of_scores({"scores": Table.of([_of_test(f"t{k}", kind, part, runs, rng) for k in range(6)])}))

    return draw


def _of_test(name: str, kind: str, part: float, runs: int, rng: Rng) -> ScoreOverRuns:
    true = rng.normal(size=350)
    scored = true + rng.normal(size=350)
    least = true < np.quantile(true, part)
    if kind == "noise":
        scored[least] = rng.normal(size=int(least.sum())) + scored.mean()
    gold, dropped = torch.from_numpy(scored), torch.from_numpy(rng.permutation(least))
    own, drawn_of = [], None
    for _ in range(runs):
        cosines = torch.from_numpy(0.2 + 0.1 * (true + 0.3 * rng.normal(size=350)))
        low = dropped if kind == "chance" else cosines < cosines.quantile(part)
        rho = rho_of(cosines, gold)
        # Runs drop the same pairs at random in the study too: what the draws of the first change stands for all.
        if drawn_of is None:
            mean, sd = at_random(cosines, gold, int(low.sum()), 0)
            drawn_of = mean - rho, sd
        own.append(_score(name, cosines, gold, low, (rho + drawn_of[0], drawn_of[1])))
    return score_row(own)


def _score(test: str, cosines: torch.Tensor, gold: torch.Tensor, low: torch.Tensor, at_chance: Any) -> Score:
    """Score one run as the study does, with the pairs given that are left out."""
    n, below, above = len(gold), int(low.sum()), rho_of(cosines[~low], gold[~low])
    error = change_sd(cosines, gold, low, 0)
    return Score("g", "r", test, "chance", 0.1, n, 0, below, n - below, None, above, None, *at_chance, error)


def _law(skew: float, rng: Rng) -> Law:
    """A gamma of a skewness near 0.3, as skip-gram's, which scatters from run to run by 0.005; by its quantiles.

    A space has millions of pairs, so that its distribution is known: values drawn at random would be farther apart.
    """
    shares = (np.arange(4000) + 0.5) / 4000
    values = gamma.ppf(shares, 4 / (0.3 + skew + 0.005 * rng.normal()) ** 2)
    powers = np.array([np.sum(values**k) for k in (1, 2, 3, 4)])
    return Law("", values, shares, Moments.of_powers(len(values), powers))


def _shapes(skew: float) -> Draw:
    """Two groups whose distributions are so far apart in skewness."""

    def draw(runs: int, rng: Rng) -> Comparison:
        groups = {name: [_law(own, rng) for _ in range(runs)] for name, own in (("a", 0.0), ("b", skew))}
        return next(row for row in compare(groups, 1, 0) if row.first != row.second)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of thresholds over runs."""
    yes, no, name = should("yes", "no"), should("no", "yes"), "thresholds.stays"
    for sd, truth in ((0.003, yes), (0.01, yes), (0.02, NEITHER), (0.04, no), (0.1, no)):
        about = f"SD {sd} over runs" + ", the margin" * (truth is NEITHER)
        yield drawn(name, about, truth, _scattered(sd))
    name = "thresholds.no-one-fits"
    for gap in (0.02, 0.1):
        yield drawn(name, f"one of two groups {gap} higher, SD 0.01", yes, _apart(gap, 2))
    yield drawn(name, "12 equal groups, SD 0.01", never("yes"), _apart(0.0, 12))
    yield drawn(name, "one of 12 groups 0.1 higher, SD 0.01", yes, _apart(0.1, 12))
    name = "thresholds.hangs-on-size"
    for gap, sd, truth in ((0.0, 0.02, never("yes")), (0.0, 0.1, never("yes")), (0.1, 0.02, yes), (0.3, 0.1, yes)):
        yield drawn(name, f"one of five sizes {gap:g} higher, SD {sd}", truth, _sizes(gap, sd))
    name = "thresholds.narrows-range"
    for part in (0.05, 0.2):
        of = f"{part:.0%} of the pairs of six tests left out: ".replace("%", " %")
        yield drawn(name, f"{of}at random", never("yes"), _narrowed("chance", part))
        yield drawn(name, f"{of}the least similar, scored by chance", never("yes"), _narrowed("noise", part), part=0.3)
        yield drawn(name, f"{of}the least similar", should("yes"), _narrowed("range", part), part=0.2)
    name, few = "thresholds.one-shape", RUNS[:-1]
    same, different = should("same", "different"), should("different", "same")
    for skew, truth in ((0.03, same), (0.3, never("same", "different")), (0.6, different)):
        about = f"skewness {skew} apart" + ", the margin" * (skew == 0.3)
        yield drawn(name, about, truth, _shapes(skew), few, 0.1)
