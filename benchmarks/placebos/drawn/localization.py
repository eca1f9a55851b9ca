"""Sentences whose shares are planted, for `study localization`.

Two sentences are of a component, and agree more often than by chance; runs differ from each other (SD 0.02 of the
share) and turn single sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.placebos.cells import Truth, World, never, should
from benchmarks.placebos.drawn.case import Draw, Rng, drawn
from gpustab.studies.localization.claims import Tests
from gpustab.studies.localization.claims_of_vectors import RunVectors
from gpustab.studies.localization.distances import Array, Distances
from gpustab.studies.localization.scores import bootstrap_weights, interval_over_runs, negation
from gpustab.studies.localization.study import between_unrelated, copies
from gpustab.studies.localization.tables import UNRELATED, ModelScore, Negation

DRAWS, RUN_SD = 300, 0.02
FEW, MANY = 60, 1000
"""Components of sentences."""
_NOTHING = ModelScore(**dict.fromkeys(ModelScore._fields, 0.0))  # type: ignore[arg-type]
SURE = _NOTHING._replace(half_low=0.98, half_high=1.0, components=MANY)
"""A word that surely is told from a synonym."""


def hits(p: float, runs: int, components: int, rng: Rng) -> tuple[Array, np.ndarray]:
    """Hits ``(R, n)`` of two sentences a component, and the component of each.

    Every sentence has a leaning of its own, half shared with its component, and every run one towards all sentences; a
    run's hit is whether leaning and noise lie below the quantile of p.
    """
    own = (rng.normal(size=(components, 2)) + rng.normal(size=(components, 1))) / 2**0.5
    shared = np.sqrt(0.7) * own.reshape(-1) + np.sqrt(0.3) * rng.normal(size=(runs, 2 * components))
    shares = np.clip(p + RUN_SD * rng.normal(size=(runs, 1)), 0.01, 0.99)
    edges = np.quantile(rng.normal(size=20_000), shares[:, 0])[:, None]
    return (shared < edges).astype(float), np.repeat(np.arange(components), 2)


def placed(opposite: float, components: int = MANY, synonym: float | None = None) -> Draw:
    """The tests of a model that puts so many antonyms farther than synonyms, and random nouns surely or so many."""
    weights = bootstrap_weights(components, DRAWS, 1)

    def score(p: float, runs: int, rng: Rng) -> ModelScore:
        low, high = interval_over_runs(*hits(p, runs, components, rng), weights)[1:]
        return _NOTHING._replace(half_low=low, half_high=high, components=components)

    def draw(runs: int, rng: Rng) -> Tests:
        return Tests("m", SURE if synonym is None else score(synonym, runs, rng), score(opposite, runs, rng))

    return draw


def bent(bend: float) -> Draw:
    """Sixty sentences whose second antonym lies ``bend`` off the line; runs move it by a tenth of the noise."""

    def draw(runs: int, rng: Rng) -> Negation:
        steps, sentence = 0.1 * np.arange(1, 4), rng.normal(0, 0.03, (60, 3))
        moved = bend + 0.003 * rng.normal(size=runs)
        distances = [
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
        return negation("m", distances, list(range(60)), DRAWS, 0)

    return draw


def copied(apart: float) -> Draw:
    """Two runs of one model whose distances are so far apart; the study asks its claim of each two runs."""

    def draw(_runs: int, rng: Rng) -> None:
        first = rng.random(50)
        copies([Distances(own, {}, {}) for own in (first, first + apart * rng.normal(size=50))])

    return draw


def collapsed(spread: float) -> Draw:
    """Float32 vectors of 50 dimensions around one direction."""

    def draw(_runs: int, rng: Rng) -> RunVectors:
        vectors = (1 + spread * rng.normal(size=(80, 50))).astype(np.float32).astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        apart = 1 - (vectors * np.roll(vectors, 1, 0)).sum(1)
        unrelated = between_unrelated(Distances(apart, {UNRELATED: apart[:, None]}, {}))
        return RunVectors("m", unrelated, 80, 0, 0)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of sentences: truths on both sides of a margin, and at it."""
    name, wrong = "localization.places-by", ("meaning", "likeness", "form")

    def only(right: str) -> Truth:
        return should(right, *(verdict for verdict in wrong if verdict != right))

    for components in (FEW, MANY):
        for p, truth in (
            (0.35, only("likeness")),
            (0.5, only("likeness")),
            (0.55, never(*wrong)),
            (0.65, only("meaning")),
            (0.8, only("meaning")),
        ):
            margin = ", the margin" * (p == 0.55)
            about = f"{100 * p:.0f} % of antonyms farther{margin}, {components} components"
            yield drawn(name, about, truth, placed(p, components))
    about = "50 % of nouns and of antonyms farther, 1000 components"
    yield drawn(name, about, only("form"), placed(0.5, synonym=0.5))
    about = "55 % of nouns farther, the margin, and 80 % of antonyms, 1000 components"
    yield drawn(name, about, never(*wrong), placed(0.8, synonym=0.55))
    name = "localization.second-negation"
    yield drawn(name, "a bend of −0.03", should("back", "not back"), bent(-0.03))
    yield drawn(name, "a bend of −0.01, the margin", never("back", "not back"), bent(-0.01))
    yield drawn(name, "no bend", should("not back", "back"), bent(0.0))
    yield drawn(name, "a bend of 0.03", should("not back", "back"), bent(0.03))
    yes, no = should("yes", "no"), should("no", "yes")
    yield drawn("localization.copies", "float32 rounding between two runs", yes, copied(1e-7), (2,))
    yield drawn("localization.copies", "two runs whose distances are 0.001 apart", no, copied(1e-3), (2,))
    yield drawn("localization.collapsed", "vectors 0.00001 around one direction", yes, collapsed(1e-5), (1,))
    yield drawn("localization.collapsed", "vectors 0.01 around one direction", no, collapsed(1e-2), (1,))
