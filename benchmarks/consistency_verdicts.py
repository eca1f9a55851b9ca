"""Counts how often the rules of `gpustab study consistency` are wrong, and how often they say nothing.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.consistency_verdicts --out benchmarks/results

Vectors are drawn as the study has them: every sample is what all contexts share, what its term has of its own, and
chance; every run of the background bends all of them in its own way, the same for both texts, and adds noise. *False*
is a verdict that is not true, *missed* "cannot be told" where there is something to be told.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gpustab.studies.consistency.measures import Consistency, consistency_of, over_runs
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.sentences import told_apart
from gpustab.studies.consistency.sentences_of_models import models_part
from gpustab.studies.consistency.sentences_of_terms import CLOSEST, closest, own_part
from gpustab.studies.consistency.sentences_of_texts import texts_part
from gpustab.studies.consistency.texts import contrast

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
    row = contrast(one, two) | {"text": "A", "against": "B", "words": 1}
    cosine, auc = texts_part(row)[0].split("-")
    nothing = measured(drawn(generator, terms, 0.0, 1.0), bent, generator)
    kinds = [told_apart(_row(found))[0] for found in (nothing, two)]
    of_models = _models(drawn(generator, terms, 0.7, 1.0), change, bent, generator)
    said = {"cosine": cosine, "AUC": auc, "nothing": kinds[0], "something": kinds[1], "models": of_models}
    return Counter(f"{what} {verdict}" for what, verdict in said.items())


def _row(found: Sequence[Consistency]) -> dict[str, Any]:
    row: dict[str, Any] = {"terms": len(found[0].by_term["same"])}
    for name in ("same", "null", "auc"):
        mean = over_runs([one.numbers[name] for one in found])
        row[name] = mean.value
        row[f"{name}_low"], row[f"{name}_high"] = mean.estimate.interval
    return row


def _models(x: Array, change: bool, bent: Sequence[Array], generator: np.random.Generator) -> str:
    """The verdict on two models of the same samples: as good as each other, or the first with noise of its own."""
    from gpustab.studies.consistency.rows import of_contrast

    noise = [(1.5 if k == 0 and change else 0.5) * generator.normal(size=x.shape) for k in range(2)]
    one, two = (measured(x + part, bent, generator) for part in noise)
    return models_part(of_contrast("g", "A", "B", one, two), len(x) // SAMPLES)[0]


def of_groups(generator: np.random.Generator, terms: int, gap: float) -> Counter[str]:
    """Return the verdict on groups of terms whose excess is normal, the paper's closest group so far above."""
    rows = []
    for name in (CLOSEST, "low in text, low in general", "high in text, high in general"):
        excess = 0.2 + gap * (name == CLOSEST) + 0.2 * generator.normal(size=terms)
        half = _half(excess)
        mean = float(excess.mean())
        rows.append({"terms_of": name, "terms": terms, "cosine": 0.3 + mean, "null": 0.3, "excess": mean,
                     "excess_low": mean - half, "excess_high": mean + half})  # fmt: skip
    own = gap + 0.2 * generator.normal(size=terms)
    low, high = own.mean() - _half(own), own.mean() + _half(own)
    row = {"terms": terms, "cosine": 0.3, "null": 0.3, "place": 1.0, "excess_low": low, "excess_high": high}
    return Counter([f"groups {closest(rows)[0]}", f"own {own_part(row)[0]}"])


def _half(values: Array) -> float:
    from gpustab.statistics.intervals import t_quantile

    return t_quantile(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5


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
        text = json.dumps({"wrong": {str(k): v for k, v in WRONG.items()}, "rates": rows}, indent=1)
        (chosen.out / "consistency_verdicts.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
