"""Counts how often each rule of `gpustab study thresholds` is wrong, and how often it says nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.threshold_verdicts --sets 200 --out benchmarks/results

Thresholds of one run: pairs are drawn whose threshold is planted; *false* is a proven threshold below the plant (or
any, where nothing is planted), *missed* none proven, *above* how far the proven one lies over the true one. Rules over
runs: *false* is the wrong verdict, *missed* "undecided".
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import torch

from benchmarks.setting import keep
from benchmarks.verdict_cases.case import Case
from benchmarks.verdicts import RUNS, table
from gpustab.results import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.thresholds.claims import higher, stable
from gpustab.studies.thresholds.claims_of_paper import shape_of
from gpustab.studies.thresholds.distributions import Law, Moments, distance
from gpustab.studies.thresholds.evaluation import at_random, rho_of
from gpustab.studies.thresholds.numbers import row_of, score_row
from gpustab.studies.thresholds.page import of_paper, of_scores
from gpustab.studies.thresholds.rules import RULES, cuts, levels, lower_edge, rungs
from gpustab.studies.thresholds.study import verdict as verdict_of
from gpustab.studies.thresholds.tables import OverRuns, Score, Size
from tests.studies.thresholds.planted import planted

STEP = 0.01


def of_one_run(sets: int, seed: int = 0) -> list[dict]:
    """Return rates of proven thresholds by number of words, with and without word effects."""
    rows = []
    for effect, plant, words in ((e, p, w) for e in (0.0, 0.3) for p in (0.0, 9.0) for w in (100, 300, 600)):
        rng = np.random.default_rng([seed, words])
        drawn = max(20, sets * 100 // words)
        found = {rule: [_proven(rng, words, plant, effect, rule) for _ in range(drawn)] for rule in RULES}
        for rule, own in found.items():
            above = [value - truth for value, truth in own if value is not None]
            false = sum(value is not None and value < truth - STEP for value, truth in own)
            rows.append(
                {
                    "rule": f"proven, {rule}",
                    "planted": plant if plant < 1 else None,
                    "word_effects": effect,
                    "words": words,
                    "sets": drawn,
                    "false": false / drawn,
                    "missed": 1 - len(above) / drawn,
                    "above": fmean(above) if above and plant < 1 else None,
                }
            )
            print({key: round(x, 3) if isinstance(x, float) else x for key, x in rows[-1].items()}, flush=True)
    return rows


def _proven(rng: np.random.Generator, words: int, plant: float, effect: float, rule: str) -> tuple[float | None, float]:
    """The proven threshold of a drawn set, and where the level is reached: at slope 1, so far above the plant."""
    ladder = rungs(planted(rng, words, plant, effect=effect))
    (cut,) = (cut for cut in cuts(ladder, 0.99) if cut.rule == rule)
    spread = float(ladder.sums.overall.variance.sqrt())
    # The mean of the lowest is 0; that of all is known up to word effects, which all groups share.
    level = 0.1 * spread if rule == "clear" else 0.2 / math.sqrt(2 * math.pi)
    assert math.isfinite(levels(ladder)[rule])
    truth = plant + level if plant < 1 else math.inf
    return (None if cut.proven is None else lower_edge(int(ladder.first[cut.proven]))), truth


def cases() -> Iterator[Case]:
    """Rules over runs: thresholds that scatter, that differ, and shapes."""
    for sd, right in ((0.003, "yes"), (0.01, "yes"), (0.02, "-"), (0.04, "no"), (0.1, "no")):
        yield Case("stable over runs", f"SD {sd}", right, _scattered(sd))
    for gap, right in ((0.0, "-"), (0.02, "yes"), (0.1, "yes")):
        yield Case("higher threshold", f"{gap} higher, SD 0.01", right, _apart(gap))
    for gap, right in ((0.0, "-"), (0.1, "yes")):
        yield Case("extremes of 12 groups", f"one {gap} higher, SD 0.01", right, _extremes(gap))
    for gap, sd, right in ((0.0, 0.02, "-"), (0.0, 0.1, "-"), (0.1, 0.02, "yes"), (0.3, 0.1, "yes")):
        yield Case("paper's rule and size", f"sizes {gap} apart, SD {sd}", right, _sizes(gap, sd))
    for kind, right, sets in (("chance", "-", 1.0), ("noise", "-", 0.3), ("range", "yes", 0.2)):
        for part in (0.05, 0.2):
            truth, draw = f"{part:.0%} left out: {kind}", _narrowed(kind, part)
            yield Case("narrower range, 6 tests", truth, right, draw, part=sets)
    for skew, right in ((0.0, "same"), (0.03, "same"), (0.3, "-"), (0.6, "different")):
        yield Case("one shape", f"skewness {skew} apart", right, _shapes(skew), part=0.1)


def _threshold(mean: float, sd: float, runs: int, rng: np.random.Generator) -> list[float]:
    return (np.round((mean + sd * rng.normal(size=runs)) / STEP) * STEP).tolist()


def _scattered(sd: float) -> Callable[[int, np.random.Generator], str]:
    return lambda runs, rng: stable(stdev(_threshold(0.2, sd, runs, rng)), runs)


def _apart(gap: float) -> Callable[[int, np.random.Generator], str]:
    def draw(runs: int, rng: np.random.Generator) -> str:
        found = [_threshold(mean, 0.01, runs, rng) for mean in (0.2 + gap, 0.2)]
        errors = [math.hypot(stdev(own) / math.sqrt(runs), STEP / math.sqrt(12)) for own in found]
        a, b = (Estimate.of_runs(fmean(own), error, runs) for own, error in zip(found, errors, strict=True))
        return higher(a, b)

    return draw


def _extremes(gap: float) -> Callable[[int, np.random.Generator], str]:
    def draw(runs: int, rng: np.random.Generator) -> str:
        found = [_threshold(0.2 + gap * (k == 0), 0.01, runs, rng) for k in range(12)]
        rows = [over_row(f"g{k}", own) for k, own in enumerate(found)]
        rows += [row._replace(rule="clear") for row in rows]
        return _said(any("fits all" in s and "No threshold" in s for s in verdict_of({"thresholds": Table.of(rows)})))

    return draw


def over_row(group: str, values: list[float]) -> OverRuns:
    """A row of the table of thresholds, of one rule over runs."""
    return row_of(group, "value", "chance", values, [0.5])


def _sizes(gap: float, sd: float) -> Callable[[int, np.random.Generator], str]:
    """The paper's threshold at five least group sizes, of which the smallest lies higher."""

    def draw(runs: int, rng: np.random.Generator) -> str:
        found = [_threshold(gap * (k == 0), sd, runs, rng) for k in range(5)]
        rows = [
            Size("g", 100 * 10**k, None, fmean(own), stdev(own), min(own), max(own), runs, runs)
            for k, own in enumerate(found)
        ]
        return _said(any(of_paper({"paper_sizes": Table.of(rows)})))

    return draw


def _narrowed(kind: str, part: float) -> Callable[[int, np.random.Generator], str]:
    """Six tests of 350 pairs, of which a part is left out.

    *chance*: as many at random, the same in all runs. *noise*: the least similar, among which scores are noise.
    *range*: the least similar, where scores follow the cosine everywhere alike.
    """

    def draw(runs: int, rng: np.random.Generator) -> str:
        rows = [_of_test(f"t{k}", kind, part, runs, rng) for k in range(6)]
        return _said(any(of_scores({"scores": Table.of(rows)})))

    return draw


def _of_test(name: str, kind: str, part: float, runs: int, rng: np.random.Generator) -> dict:
    true = rng.normal(size=350)
    scored = true + rng.normal(size=350)
    least = true < np.quantile(true, part)
    if kind == "noise":
        scored[least] = rng.normal(size=int(least.sum())) + scored.mean()
    gold, dropped = torch.from_numpy(scored), torch.from_numpy(rng.permutation(least))
    own, drawn = [], None
    for _ in range(runs):
        cosines = torch.from_numpy(0.2 + 0.1 * (true + 0.3 * rng.normal(size=350)))
        low = dropped if kind == "chance" else cosines < cosines.quantile(part)
        rho = rho_of(cosines, gold)
        # Runs drop the same pairs at random in the study too: what the draws of the first change stands for all.
        if drawn is None:
            mean, sd = at_random(cosines, gold, int(low.sum()), 0)
            drawn = mean - rho, sd
        own.append(score_of(name, cosines, gold, low, (rho + drawn[0], drawn[1])))
    return score_row(own)


def score_of(test: str, cosines: torch.Tensor, gold: torch.Tensor, low: torch.Tensor, drawn: tuple) -> Score:
    """Score one run as the study does, with the pairs given that are left out."""
    n, below, above = len(gold), int(low.sum()), rho_of(cosines[~low], gold[~low])
    return Score("g", "r", test, "chance", 0.1, n, 0, below, n - below, None, above, None, *drawn)


def _said(sentence: bool) -> str:
    """A sentence that is told only where the rule holds."""
    return "yes" if sentence else "undecided"


def _law(skew: float, rng: np.random.Generator) -> Law:
    """A gamma of a skewness near 0.3, as skip-gram's, which scatters from run to run by 0.005."""
    shape = 4 / (0.3 + skew + 0.005 * rng.normal()) ** 2
    values = np.sort(rng.gamma(shape, size=20_000))
    powers = np.array([np.sum(values**k) for k in (1, 2, 3, 4)])
    return Law("", values, (np.arange(20_000) + 0.5) / 20_000, Moments.of_powers(20_000, powers))


def _shapes(skew: float) -> Callable[[int, np.random.Generator], str]:
    def draw(runs: int, rng: np.random.Generator) -> str:
        runs = min(runs, 8)  # pairs grow as the square, and the verdict rests on the extremes of all
        first, second = ([_law(s, rng) for _ in range(runs)] for s in (0.0, skew))
        within = max(distance(a, b) for own in (first, second) for a, b in pairwise(own))
        return shape_of([distance(a, b) for a in first for b in second], within)

    return draw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--rule", default="", help="only rules over runs whose name holds this")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    place = None if chosen.out is None else chosen.out / "threshold_verdicts.json"
    known = json.loads(place.read_text(encoding="utf-8")) if chosen.rule and place and place.exists() else {}
    one = known.get("one_run", []) if chosen.rule else of_one_run(chosen.sets)
    print(f"{'rule':<24} {'truth':<38} {'is':<4} false/missed in % at " + ", ".join(f"R = {r}" for r in RUNS))
    over = [case for case in cases() if chosen.rule in case.rule]
    rows = table(over, RUNS, chosen.sets)
    made = {(row["rule"], row["truth"]) for row in rows}
    rows = [row for row in known.get("over_runs", []) if (row["rule"], row["truth"]) not in made] + rows
    if place:
        keep({"runs": RUNS, "one_run": one, "over_runs": rows}, place)


if __name__ == "__main__":
    main()
