"""Vectors of few samples a term, for `study consistency`: by the number of terms, and of runs of the background.

They are drawn as the study has them: every sample is what all contexts share, what its term has of its own, and
chance; every run of the background bends all of them in its own way, the same for both texts, and adds noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from benchmarks.placebos.cells import Truth, World, never, should
from benchmarks.placebos.drawn.case import Rng, drawn
from gpustab.small_data.text import Samples
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.claims import BETTER_TEXT, GROUPED_FEWEST, HIGHER_COSINE
from gpustab.studies.consistency.claims_of_vectors import BETTER_MODEL
from gpustab.studies.consistency.comparisons import text_pair
from gpustab.studies.consistency.measures import Consistency, consistency_of
from gpustab.studies.consistency.models import contrast
from gpustab.studies.consistency.quality import auc_of_groups
from gpustab.studies.consistency.tables import CLOSEST, Domain, Grouped, OwnVectors

RUNS = (1, 3, 6, 16)
TERMS = {5: 0.75, 20: 0.25, 60: 0.15}
"""How many terms there are, and which part of the sets is drawn of so many."""
SAMPLES, DIMENSION = 3, 12
Array = np.ndarray[Any, np.dtype[np.float64]]


def _samples(rng: Rng, terms: int, own: float, common: float) -> Array:
    """Samples of terms, ``(P, d)``."""
    words = own * rng.normal(size=(terms, DIMENSION)).repeat(SAMPLES, 0)
    chance = rng.normal(size=(terms * SAMPLES, DIMENSION))
    return words + chance + common * np.eye(DIMENSION)[0] * np.sqrt(DIMENSION)


def _bends(runs: int, rng: Rng) -> list[Array]:
    """What every run of the background does to all vectors."""
    return [np.eye(DIMENSION) + 0.15 * rng.normal(size=(DIMENSION, DIMENSION)) for _ in range(runs)]


def _measured(x: Array, bent: Sequence[Array], rng: Rng) -> list[Consistency]:
    """The consistency in every run."""
    terms = len(x) // SAMPLES
    term = np.arange(terms).repeat(SAMPLES)
    samples = Samples(np.arange(terms), term, np.arange(len(x)), np.arange(len(x) + 1))
    different = torch.from_numpy(term[:, None] != term)
    return [consistency_of(torch.from_numpy(x @ b + 0.2 * rng.normal(size=x.shape)), samples, different) for b in bent]


def _texts(terms: int, *laws: tuple[float, float]) -> Callable[[int, Rng], None]:
    """Two texts, each with so much of its terms' own and so much in common."""

    def ask(runs: int, rng: Rng) -> None:
        bent = _bends(runs, rng)
        one, two = (_measured(_samples(rng, terms, *law), bent, rng) for law in laws)
        pair = text_pair("g", 1, ("A", one), ("B", two))
        HIGHER_COSINE.judge(pair)
        BETTER_TEXT.judge(pair)

    return ask


def _models(terms: int, noise: float) -> Callable[[int, Rng], None]:
    """Two models of the same samples, of which the first adds so much noise, the second half a word's length."""

    def ask(runs: int, rng: Rng) -> None:
        bent, x = _bends(runs, rng), _samples(rng, terms, 0.7, 1.0)
        one, two = (_measured(x + own * rng.normal(size=x.shape), bent, rng) for own in (noise, 0.5))
        BETTER_MODEL.judge(contrast("g", ("A", "B"), {"A": one, "B": two}, {}))

    return ask


def _groups(terms: int, gap: float) -> Callable[[int, Rng], list[Domain]]:
    """Groups of terms whose excess is normal, the paper's closest group so far above."""

    def draw(_runs: int, rng: Rng) -> list[Domain]:
        rows = []
        for name in (CLOSEST, "low in text, low in general", "high in text, high in general"):
            mean = _mean(0.2 + gap * (name == CLOSEST) + 0.2 * rng.normal(size=terms))
            rows.append(Domain("g", name, terms, 0.3 + mean.value, 0.3, mean.value, *mean.interval))
        return rows

    return draw


def _grouped(terms: int, size: float) -> Callable[[int, Rng], Grouped]:
    """Four groups of terms, each with so much in common, beside clusters of terms that are none."""

    def draw(_runs: int, rng: Rng) -> Grouped:
        label, cluster = (rng.permutation(np.arange(terms) % many) for many in (4, 3))
        x = rng.normal(size=(terms, DIMENSION)) + rng.normal(size=(3, DIMENSION))[cluster]
        x += size * rng.normal(size=(4, DIMENSION))[label]
        auc = auc_of_groups(torch.from_numpy(x / np.linalg.norm(x, axis=1, keepdims=True)), label)
        return Grouped("g", "m", terms, 4, auc.value, *auc.estimate.interval)

    return draw


def _own(terms: int, gap: float) -> Callable[[int, Rng], OwnVectors]:
    """Samples that are nearer to their own term by so much."""

    def draw(_runs: int, rng: Rng) -> OwnVectors:
        mean = _mean(gap + 0.2 * rng.normal(size=terms))
        return OwnVectors("g", "m", terms, 0.3 + mean.value, 0.3, mean.value, *mean.interval, place=1.0)

    return draw


def _mean(values: Array) -> Estimate:
    return Estimate.of_runs(float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5, len(values))


def worlds() -> Iterator[World]:
    """Yield the worlds of texts, models and groups of terms."""
    either, worse = never("higher", "lower"), should("worse", "better", "equal")
    for terms, part in TERMS.items():
        of = f", {terms} terms"

        def both(cosine: Truth, auc: Truth) -> dict[str, Truth]:
            return {"consistency.higher-cosine": cosine, "consistency.better-text": auc}

        yield World(
            f"two texts of one law{of}", _texts(terms, (0.7, 1.0), (0.7, 1.0)), both(either, either), RUNS, part
        )
        about = f"a text with more in common and less of its terms' own (AUC 0.64 beside 0.86){of}"
        truths = both(should("higher", "lower"), should("lower", "higher"))
        yield World(about, _texts(terms, (0.5, 1.6), (1.0, 0.8)), truths, RUNS, part)
        name = "consistency.better-model"
        yield World(f"two models as good{of}", _models(terms, 0.5), {name: never("better", "worse")}, RUNS, part)
        yield World(f"a model with three times the noise{of}", _models(terms, 1.5), {name: worse}, RUNS, part)
        groups, nearest = never("closest", "not"), should("closest", "not")
        yield drawn("consistency.closest", f"no group closer{of}", groups, _groups(terms, 0.0), (1,), 2)
        yield drawn("consistency.closest", f"one closer by 0.3, SD 0.2{of}", nearest, _groups(terms, 0.3), (1,), 2)
        if terms >= GROUPED_FEWEST:
            name, sides = "consistency.groups-nearer", (never("nearer", "documents"), should("nearer", "no"))
            for size, said, truth in zip((0.0, 1.2), ("groups dealt out", "four groups"), sides, strict=True):
                yield drawn(name, f"{said} beside three clusters{of}", truth, _grouped(terms, size), (1,), 2)
        truth = should("nearer", "farther")
        yield drawn("consistency.own-nearer", f"nearer by 0.3, SD 0.2{of}", truth, _own(terms, 0.3), (1,), 2)
