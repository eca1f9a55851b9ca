"""Scores of a model by comparison and number of changes with their intervals, beside a loop over sentences and draws.

Distances are drawn: three nouns and two verbs a sentence, two sentences a component. The loop counts sentence by
sentence and draws whole components sample by sample; for a share of the samples, scaled.
"""

from __future__ import annotations

import random
from functools import partial
from statistics import quantiles

import numpy as np

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.studies.localization.distances import Distances
from gpustab.studies.localization.scores import scores
from gpustab.studies.localization.substitution import KINDS
from gpustab.studies.localization.tables import COMPARISONS, UNRELATED, Score

DRAWS, LOOPED = 1000, 10
CHANGES = 3


def drawn(bases: int) -> tuple[Distances, list[int]]:
    generator = np.random.default_rng(0)
    chains = {kind: generator.integers(0, 40, (bases, CHANGES)) / 40 for kind in (*KINDS, UNRELATED)}
    known = {kind: np.ones((bases, CHANGES), bool) for kind in KINDS}
    return Distances(generator.integers(0, 40, bases) / 40, chains, known), [k // 2 for k in range(bases)]


def looped(distances: Distances, component: list[int], draws: int) -> list[tuple[str, int, int, int, float, float]]:
    """Name, k, farther, equal, and the interval of the share, by one sentence after the other."""
    found = []
    chance = random.Random(0)
    for one in COMPARISONS:
        for k in range(1, CHANGES + 1):
            far, near = distances.of(one.far, k).tolist(), distances.of(one.near, k).tolist()
            members: dict[int, list[bool]] = {}
            farther = equal = 0
            for a, b, of in zip(far, near, component, strict=True):
                farther, equal = farther + (a > b), equal + (a == b)
                members.setdefault(of, []).append(a > b)
            means = []
            for _ in range(draws):
                hits = [hit for of in chance.choices(list(members), k=len(members)) for hit in members[of]]
                means.append(sum(hits) / len(hits))
            ends = quantiles(means, n=40)
            found.append((one.name, k, farther, equal, ends[0], ends[-1]))
    return found


def error(found: list[Score], truth: list[tuple[str, int, int, int, float, float]]) -> float:
    """Largest difference of a count."""
    ours = {(row.comparison, row.k): (row.farther, row.equal) for row in found}
    return float(max(abs(a - b) for name, k, *x, _, _ in truth for a, b in zip(ours[name, k], x, strict=True)))


def race(bench: Bench, bases: int) -> list[Row]:
    distances, component = drawn(bases)
    truth = looped(distances, component, 2)
    naive = Contender(
        "loop",
        partial(looped, distances, component, LOOPED),
        lambda _: 0.0,
        0,
        LOOPED / DRAWS,
        f"{LOOPED} samples timed",
    )
    call = partial(scores, "m", 1, distances, component, DRAWS, 0, open_=False)
    return bench.race(
        "scores with intervals",
        {"sentences": bases},
        [naive, Contender("gpustab", call, partial(error, truth=truth), 0)],
    )


def main() -> None:
    bench = start("localization", __doc__)
    sizes = [200] if bench.quick else [500, 1000, 2000, 4000, 8000]
    rows = [race(bench, bases) for bases in sizes]
    bench.growth("sentences", [own[-1] for own in rows])
    bench.finish()


if __name__ == "__main__":
    main()
