"""Counts how often the rules of `gpustab study consistency` are wrong, and how often they say nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.consistency_verdicts --out benchmarks/results

Vectors are drawn as the study has them: every sample is what all contexts share, what its term has of its own, and
chance; every run of the background bends all of them in its own way, the same for both texts, and adds noise. *False*
is a verdict that is not true, *missed* "cannot be told" where there is something to be told.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.setting import keep
from gpustab.small_data.text import Samples
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.claims import BETTER_TEXT, HIGHER_COSINE, TOLD_APART
from gpustab.studies.consistency.claims_of_vectors import BETTER_MODEL, CLOSEST_GROUP, OWN_NEARER, ModelPair
from gpustab.studies.consistency.comparisons import text_pair
from gpustab.studies.consistency.measures import Consistency, consistency_of
from gpustab.studies.consistency.models import contrast, model_numbers
from gpustab.studies.consistency.tables import CLOSEST, Domain, OwnVectors

RUNS, TERMS = (1, 3, 6, 16), (5, 20, 60)
SAMPLES, DIMENSION = 3, 12
Array = np.ndarray[Any, np.dtype[np.float64]]


def drawn(generator: np.random.Generator, terms: int, own: float, common: float) -> Array:
    """Return samples of terms, ``(P, d)``."""
    words = own * generator.normal(size=(terms, DIMENSION)).repeat(SAMPLES, 0)
    chance = generator.normal(size=(terms * SAMPLES, DIMENSION))
    return words + chance + common * np.eye(DIMENSION)[0] * np.sqrt(DIMENSION)


def measured(x: Array, bent: Sequence[Array], generator: np.random.Generator) -> list[Consistency]:
    """Return the consistency in every run."""
    terms = len(x) // SAMPLES
    term = np.arange(terms).repeat(SAMPLES)
    samples = Samples(np.arange(terms), term, np.arange(len(x)), np.arange(len(x) + 1))
    different = torch.from_numpy(term[:, None] != term)
    runs = [x @ part + 0.2 * generator.normal(size=x.shape) for part in bent]
    return [consistency_of(torch.from_numpy(one), samples, different) for one in runs]


def of_texts(generator: np.random.Generator, terms: int, runs: int, change: bool) -> Counter[str]:
    """Return the verdicts on two texts: of one law, or the first with less of its own and more in common."""
    bent = [np.eye(DIMENSION) + 0.15 * generator.normal(size=(DIMENSION, DIMENSION)) for _ in range(runs)]
    laws = ((0.5, 1.6), (1.0, 0.8)) if change else ((0.7, 1.0), (0.7, 1.0))
    one, two = (measured(drawn(generator, terms, *law), bent, generator) for law in laws)
    pair = text_pair("g", 1, ("A", one), ("B", two))
    nothing = measured(drawn(generator, terms, 0.0, 1.0), bent, generator)
    kinds = [TOLD_APART.judge(model_numbers("g", "b", "t", "m", each, 1.0)) for each in (nothing, two)]
    of_models = _models(drawn(generator, terms, 0.7, 1.0), change, bent, generator)
    verdicts = {
        "cosine": HIGHER_COSINE.judge(pair),
        "AUC": BETTER_TEXT.judge(pair),
        "nothing": kinds[0],
        "something": kinds[1],
        "models": of_models,
    }
    return Counter(f"{what} {verdict}" for what, verdict in verdicts.items())


def _models(x: Array, change: bool, bent: Sequence[Array], generator: np.random.Generator) -> str:
    """The verdict on two models of the same samples: as good as each other, or the first with noise of its own."""
    noise = [(1.5 if k == 0 and change else 0.5) * generator.normal(size=x.shape) for k in range(2)]
    one, two = (measured(x + part, bent, generator) for part in noise)
    return BETTER_MODEL.judge(ModelPair(contrast("g", "A", "B", one, two), len(x) // SAMPLES))


def of_groups(generator: np.random.Generator, terms: int, gap: float) -> Counter[str]:
    """Return the verdict on groups of terms whose excess is normal, the paper's closest group so far above."""
    rows = []
    for name in (CLOSEST, "low in text, low in general", "high in text, high in general"):
        excess = 0.2 + gap * (name == CLOSEST) + 0.2 * generator.normal(size=terms)
        mean = _mean(excess)
        rows.append(Domain("g", name, terms, 0.3 + mean.value, 0.3, mean.value, *mean.interval))
    mean = _mean(gap + 0.2 * generator.normal(size=terms))
    row = OwnVectors("g", "m", terms, 0.3 + mean.value, 0.3, mean.value, *mean.interval, place=1.0)
    return Counter([f"groups {CLOSEST_GROUP.judge(rows)}", f"own {OWN_NEARER.judge(row)}"])


def _mean(values: Array) -> Estimate:
    return Estimate.of_runs(float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5, len(values))


WRONG = {
    False: ("cosine higher", "cosine lower", "AUC higher", "AUC lower", "nothing apart", "models better",
            "models worse", "groups closest", "groups not", "own nearer", "own farther"),
    True: ("cosine lower", "AUC higher", "models better", "models equal", "something alike", "groups not",
           "own farther"),
}  # fmt: skip
SILENT = {
    True: ("cosine open", "AUC open", "models open", "something open", "something few", "groups open", "own open")
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    rows = []
    for terms in TERMS:
        for change in (False, True):
            for runs in RUNS:
                sets = max(30, min(chosen.sets, chosen.sets * 60 // (terms * runs)))
                generator = np.random.default_rng([terms, runs, change])
                found: Counter[str] = Counter()
                for _ in range(sets):
                    found += of_texts(generator, terms, runs, change)
                    found += of_groups(generator, terms, 0.3 * change)
                rates = {key: found[key] / sets for key in (*WRONG[change], *SILENT.get(change, ())) if found[key]}
                rows.append({"terms": terms, "runs": runs, "something": change, "sets": sets, "rates": rates})
                print(rows[-1], flush=True)
    if chosen.out:
        wrong = {str(k): v for k, v in WRONG.items()}
        keep({"wrong": wrong, "rates": rows}, chosen.out / "consistency_verdicts.json")


if __name__ == "__main__":
    main()
