"""Counts how often each rule of `gpustab study localization` is wrong over several runs, and how often it says nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.localization_verdicts --sets 200 --out benchmarks/results

Sentences are drawn whose shares are planted: two of a component, which agree more often than by chance, and runs that
differ from each other (SD 0.02 of the share) and turn single sentences. *False* is the share of sets with the wrong
verdict, *missed* that of undecided ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.setting import keep
from benchmarks.verdict_cases.case import Case
from benchmarks.verdicts import RUNS, table
from gpustab.studies.localization.claims import COLLAPSED, EQUAL, RunVectors, placed, told_apart
from gpustab.studies.localization.distances import Array, Distances
from gpustab.studies.localization.scores import bootstrap_weights, interval_over_runs, negation
from gpustab.studies.localization.study import between_unrelated, copies
from gpustab.studies.localization.tables import UNRELATED

DRAWS, RUN_SD = 300, 0.02
FEW, MANY = 60, 1000
"""Components of sentences."""

Draw = Callable[[int, np.random.Generator], str]


def hits(p: float, runs: int, components: int, rng: np.random.Generator) -> tuple[Array, np.ndarray]:
    """Hits ``(R, n)`` of two sentences a component, and the component of each.

    Every sentence has a leaning of its own, half shared with its component, and every run one towards all sentences; a
    run's hit is whether leaning and noise lie below the quantile of p.
    """
    own = (rng.normal(size=(components, 2)) + rng.normal(size=(components, 1))) / 2**0.5
    shared = np.sqrt(0.7) * own.reshape(-1) + np.sqrt(0.3) * rng.normal(size=(runs, 2 * components))
    shares = np.clip(p + RUN_SD * rng.normal(size=(runs, 1)), 0.01, 0.99)
    edges = np.quantile(rng.normal(size=20_000), shares[:, 0])[:, None]
    return (shared < edges).astype(float), np.repeat(np.arange(components), 2)


def _told(p: float, components: int) -> Draw:
    weights = bootstrap_weights(components, DRAWS, 1)

    def draw(runs: int, rng: np.random.Generator) -> str:
        found, component = hits(p, runs, components, rng)
        said = told_apart(components, *interval_over_runs(found, component, weights)[1:])
        return "undecided" if said == "open" else said

    return draw


def _placed(synonym: float, opposite: float) -> Draw:
    weights = bootstrap_weights(MANY, DRAWS, 1)

    def draw(runs: int, rng: np.random.Generator) -> str:
        tests = []
        for p in (synonym, opposite):
            found, component = hits(p, runs, MANY, rng)
            tests.append(told_apart(MANY, *interval_over_runs(found, component, weights)[1:]))
        said = placed(*tests)
        return "undecided" if said == "open" else said

    return draw


def _negation(bend: float) -> Draw:
    """Sixty sentences whose second antonym lies ``bend`` off the line; runs move it by a tenth of the noise."""

    def draw(runs: int, rng: np.random.Generator) -> str:
        steps, sentence = 0.1 * np.arange(1, 4), rng.normal(0, 0.03, (60, 3))
        moved = bend + 0.003 * rng.normal(size=runs)
        said = [
            Distances(
                np.zeros(60),
                {
                    "verb_antonym": steps + sentence + [0, own, 0] + rng.normal(0, 0.01, (60, 3)),
                    "verb_synonym": steps / 2 + rng.normal(0, 0.03, (60, 3)),
                },
                {},
            )
            for own in moved
        ]
        found = negation("m", said, list(range(60)), DRAWS, 0).verdict
        return "undecided" if found == "open" else found

    return draw


def _copied(copied: bool) -> Draw:
    """Runs of one model, of which the last is the first but for float32 rounding, or near it as two trainings are."""

    def draw(runs: int, rng: np.random.Generator) -> str:
        found = [rng.random(50) for _ in range(runs)]
        found[-1] = found[0] + (1e-7 if copied else 1e-3) * rng.normal(size=50)
        named = copies([Distances(own, {}, {}) for own in found])
        return "yes" if named == {runs - 1: 0} else "no" if not named else "other"

    return draw


def _collapsed(spread: float) -> Draw:
    """Float32 vectors of 50 dimensions around one direction."""

    def draw(_runs: int, rng: np.random.Generator) -> str:
        vectors = (1 + spread * rng.normal(size=(80, 50))).astype(np.float32).astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        apart = 1 - (vectors * np.roll(vectors, 1, 0)).sum(1)
        unrelated = between_unrelated(Distances(apart, {UNRELATED: apart[:, None]}, {}))
        return COLLAPSED.judge(RunVectors("m", unrelated, 80, 0, 0))

    return draw


def cases() -> Iterator[Case]:
    """Yield all rules, each with truths on both sides of its margin and at it."""
    for components in (FEW, MANY):
        for p, right in ((0.5, "no"), (0.5 + EQUAL, "-"), (0.65, "yes"), (0.8, "yes"), (0.35, "reversed")):
            yield Case(
                "farther than chance", f"{100 * p:.0f} % of {components} components", right, _told(p, components)
            )
    for synonym, opposite, right in (
        (0.8, 0.8, "meaning"),
        (0.8, 0.5, "likeness"),
        (0.5, 0.5, "form"),
        (0.55, 0.8, "-"),
    ):
        truth = f"{100 * synonym:.0f} and {100 * opposite:.0f} %"
        yield Case("placed by", truth, right, _placed(synonym, opposite))
    for bend, right in ((-0.03, "back"), (0.0, "-"), (0.03, "not back")):
        yield Case("double negation", f"bend of {bend}", right, _negation(bend))
    yield Case("copy among runs", "float32 rounding", "yes", _copied(copied=True))
    yield Case("copy among runs", "distances 0.001 apart", "no", _copied(copied=False))
    for spread, right in ((1e-5, "yes"), (1e-2, "no")):
        yield Case("collapsed", f"spread {spread:g}", right, _collapsed(spread))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    print(f"{'rule':<24} {'truth':<38} {'is':<4} false/missed in % at " + ", ".join(f"R = {r}" for r in RUNS))
    rows = table(cases(), RUNS, chosen.sets)
    if chosen.out:
        keep({"runs": RUNS, "rows": rows}, chosen.out / "localization_verdicts.json")


if __name__ == "__main__":
    main()
