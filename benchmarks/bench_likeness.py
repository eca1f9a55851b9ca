"""Likeness of two tables, each measure beside the packages that have it: the same number, and how long it takes.

Peers are taken where they are installed: TorchMetrics, netrep and ReSi (``repsim.measures``) from their repositories,
and the papers' own code for PWCCA (``pwcca`` of google/svcca) and eigenspaces (``anchor`` of anchor-stability). What a
peer returns in another form is brought to ours first, as the name of the job says. The truth is the formula written out
in float64, as in the tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from benchmarks.harness import Bench, Contender, start
from gpustab import functional
from tests import generators, oracles

Array = np.ndarray
ANOTHER = {
    ("PWCCA, centred", "pwcca"): "another number: weighted without C^{-1/2}, so not by canonical variables",
    ("PWCCA, centred", "repsim"): "another number: a copy of svcca's code",
}
"""Peers that do not compute what the papers print."""

OWNERS = {"torchmetrics": "TorchMetrics", "netrep": "netrep", "repsim": "ReSi", "pwcca": "svcca", "anchor": "anchor"}


class Measure(NamedTuple):
    """A measure, its formula, and the peers that have it, by module."""

    name: str
    ours: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    truth: Callable[[Array, Array], float]
    peers: dict[str, Callable[[Array, Array], float]]


def netrep(alpha: float, score: str) -> Callable[[Array, Array], float]:
    def call(x: Array, y: Array) -> float:
        metric = import_module("netrep.metrics").LinearMetric(alpha=alpha, score_method=score)
        return float(metric.fit_score(x, y))

    return call


def resi(module: str, name: str, **choices: Any) -> Callable[[Array, Array], float]:
    def call(x: Array, y: Array) -> float:
        return float(getattr(import_module(f"repsim.measures.{module}"), name)(x, y, "nd", **choices))

    return call


def then(form: Callable[[float], float], call: Callable[[Array, Array], float]) -> Callable[[Array, Array], float]:
    return lambda x, y: form(call(x, y))


def torchmetrics(x: Array, y: Array) -> float:
    from torchmetrics.functional.shape import procrustes_disparity

    return float(procrustes_disparity(torch.from_numpy(x)[None], torch.from_numpy(y)[None]))


def netrep_cka(x: Array, y: Array) -> float:
    return math.cos(import_module("netrep.metrics.cka").LinearCKA().score(x, y))


def anchor(call: Callable[[Any, Any], float]) -> Callable[[Array, Array], float]:
    def called(x: Array, y: Array) -> float:
        words = [str(k) for k in range(len(x))]
        embedding = import_module("anchor.embedding").Embedding
        return float(call(embedding(vecs=x, vocab=words), embedding(vecs=y, vocab=words)))

    return called


def pwcca(x: Array, y: Array) -> float:
    # Centred before: of other columns the code adds the means to the canonical variables.
    return float(import_module("pwcca").compute_pwcca(oracles.centred(x).T, oracles.centred(y).T)[0])


def centred(x: torch.Tensor) -> torch.Tensor:
    return x - x.mean(0)


def lists(x: Array, y: Array) -> list[list[list[int]]]:
    """The ten nearest neighbours of every word in both."""
    return [[oracles.top_k(part, word, 10) for word in range(len(x))] for part in (x, y)]


def rank_correlation(distance: str) -> Callable[[Array, Array], float]:
    return lambda x, y: float(spearmanr(pdist(x, distance), pdist(y, distance)).statistic)


MEASURES = [
    Measure(
        "Procrustes distance, centred",
        lambda x, y: functional.procrustes(centred(x), centred(y), normalize=False, reduced=False).distance,
        lambda x, y: oracles.procrustes_distance(oracles.centred(x), oracles.centred(y)),
        {"netrep": netrep(1, "euclidean"), "repsim": resi("procrustes", "procrustes_size_and_shape_distance")},
    ),
    Measure(
        "disparity",
        functional.disparity,
        lambda x, y: 1 - math.cos(oracles.shape_angle(oracles.centred(x), oracles.centred(y))) ** 2,
        {
            "torchmetrics": torchmetrics,
            "repsim": then(
                lambda d: 1 - (1 - d**2 / 2) ** 2, resi("procrustes", "orthogonal_procrustes_centered_and_normalized")
            ),
        },
    ),
    Measure(
        "angle of shapes",
        functional.angular,
        lambda x, y: oracles.shape_angle(oracles.centred(x), oracles.centred(y)),
        {"netrep": netrep(1, "angular"), "repsim": resi("procrustes", "orthogonal_angular_shape_metric_centered")},
    ),
    Measure(
        "angle between Procrustes and CCA, alpha 0.5",
        lambda x, y: functional.angular(x, y, alpha=0.5),
        lambda x, y: oracles.shape_angle(*(oracles.partly_whitened(part, 0.5) for part in (x, y))),
        {"netrep": netrep(0.5, "angular")},
    ),
    Measure(
        "linear CKA",
        functional.linear_cka,
        oracles.linear_cka,
        {"netrep": netrep_cka, "repsim": resi("cka", "centered_kernel_alignment")},
    ),
    Measure(
        "mean CCA",
        lambda x, y: functional.cca(x, y).mean,
        lambda x, y: float(oracles.canonical_correlations(x, y).mean()),
        {"netrep": then(math.cos, netrep(0, "angular"))},
    ),
    Measure(
        "SVCCA, of variance 1",
        lambda x, y: functional.cca(x, y).svcca,
        lambda x, y: float(
            oracles.canonical_correlations(oracles.explaining(x, 0.99), oracles.explaining(y, 0.99)).mean()
        ),
        # Scaled, or it keeps one direction: it compares shares with 0.99 of the variance itself.
        {
            "repsim": lambda x, y: resi("cca", "svcca")(
                *(oracles.centred(a) / np.linalg.norm(oracles.centred(a)) for a in (x, y))
            )
        },
    ),
    Measure(
        "PWCCA, centred",
        lambda x, y: functional.cca(x, y).pwcca,
        oracles.pwcca,
        {"pwcca": pwcca, "repsim": lambda x, y: resi("cca", "pwcca")(oracles.centred(x), oracles.centred(y))},
    ),
    Measure(
        "RSA, correlation and Spearman",
        lambda x, y: functional.rdm(x, y, distance="correlation", comparison="spearman"),
        rank_correlation("correlation"),
        {"repsim": resi("rsa", "representational_similarity_analysis")},
    ),
    Measure(
        "RSA, Euclidean and Spearman",
        lambda x, y: functional.rdm(x, y, distance="euclidean", comparison="spearman"),
        rank_correlation("euclidean"),
        {"repsim": resi("rsa", "representational_similarity_analysis", inner="euclidean")},
    ),
    Measure(
        "eigenspace overlap",
        lambda x, y: functional.eigenspaces(x, y).overlap,
        oracles.eigenspace_overlap,
        {
            "anchor": anchor(lambda a, b: a.eigen_overlap(b)),
            "repsim": resi("eigenspace_overlap", "eigenspace_overlap_score"),
        },
    ),
    Measure(
        "eigenspace instability",
        lambda x, y: functional.eigenspaces(x, y).instability,
        oracles.eigenspace_instability,
        {"anchor": anchor(lambda a, b: a.eis(b, a, b))},
    ),
    Measure(
        "ten neighbours, Jaccard",
        lambda x, y: functional.neighbour_overlap(x, y, 10, jaccard=True),
        lambda x, y: float(oracles.overlap(lists(x, y), 10)[1].mean()),
        {"repsim": resi("nearest_neighbor", "jaccard_similarity", n_jobs=1)},
    ),
    Measure(
        "ten neighbours, by rank",
        lambda x, y: functional.rank_similarity(x, y, 10),
        lambda x, y: float(np.mean([oracles.rank_similarity(pair) for pair in zip(*lists(x, y), strict=True)])),
        {"repsim": resi("nearest_neighbor", "rank_similarity", n_jobs=1)},
    ),
]


def contenders(bench: Bench, measure: Measure, size: dict[str, int], x: Array, y: Array) -> Iterator[Contender]:
    """The peers that are here, and ours."""
    truth = measure.truth(x, y)

    def error(found: float) -> float:
        return abs(float(found) - truth) / abs(truth)

    for module, call in measure.peers.items():
        if find_spec(module) is None:
            bench.leave_out(measure.name, size, OWNERS[module], f"{module} is not installed")
        else:
            note = ANOTHER.get((measure.name, module), "")
            yield Contender(OWNERS[module], lambda call=call: call(x, y), error, 1.0 if note else 1e-6, note=note)
    tensors = torch.from_numpy(x), torch.from_numpy(y)
    yield Contender("gpustab", lambda: measure.ours(*tensors), error, 1e-9)


def main() -> None:
    bench = start("likeness", __doc__)
    torch.set_num_threads(1)
    size = {"v": 200, "d": 10} if bench.quick else {"v": 2000, "d": 100}
    x = generators.anisotropic(size["v"], size["d"])
    y = x + 0.5 * torch.randn(x.shape, dtype=x.dtype, generator=generators.generator(1))
    for measure in MEASURES:
        bench.race(measure.name, size, list(contenders(bench, measure, size, x.numpy(), y.numpy())))
    bench.finish()


if __name__ == "__main__":
    main()
