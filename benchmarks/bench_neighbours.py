"""Exact nearest neighbours and the overlap of their lists, beside a full sort, bare top-k searches and Python sets.

The error of a search is the part of the targets whose list is not the one of a full sort by float64 cosine. A bare
float32 search proves nothing and ranks near-ties by rounding, so some of its lists may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product
from unittest import mock

import numpy as np
import torch
from torch import Tensor

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.engine import NeighbourPass, overlap_pass
from gpustab.kernels import neighbours
from gpustab.kernels.neighbours import RESOLUTION, Neighbours, top_k
from gpustab.kernels.overlap import Overlap
from gpustab.machine.device import Compute, choose_backend
from tests import generators, oracles

BLOCK = 1000
"""Targets whose cosines with all words the naive and the bare methods hold at once."""

LENGTHS = (1, 2, 5, 10, 25, 50)
"""List lengths of the overlap."""

BARE = 0.02
"""Part of the lists that a bare float32 search may get wrong."""


def full_sort(vectors: Tensor, targets: Tensor, k: int) -> Tensor:
    """Rank all words for every target in numpy float64: cosine on the grid, then row number."""
    unit = oracles.unit(vectors.cpu().numpy())
    lists = []
    for own in targets.cpu().split(BLOCK):
        cosines = np.round(unit[own] @ unit.T / RESOLUTION)
        cosines[np.arange(len(own)), own] = -np.inf
        lists.append(np.argsort(-cosines, axis=1, kind="stable")[:, :k])
    return torch.from_numpy(np.concatenate(lists))


def bare_torch(single: Tensor, targets: Tensor, k: int) -> Tensor:
    """Float32 matmul and top-k; the first hit is taken for the word itself."""
    return torch.cat([(single[own] @ single.mT).topk(k + 1).indices[:, 1:] for own in targets.split(BLOCK)])


def bare_faiss(single: Tensor, targets: Tensor, k: int) -> Tensor:
    """FAISS alone, on the rows' device; the first hit is taken for the word itself."""
    import faiss

    if single.device.type == "cpu":
        found = faiss.knn(single[targets].numpy(), single.numpy(), k + 1, metric=faiss.METRIC_INNER_PRODUCT)[1]
        return torch.from_numpy(found)[:, 1:]
    import faiss.contrib.torch_utils

    resources = faiss.StandardGpuResources()
    return faiss.knn_gpu(resources, single[targets], single, k + 1, metric=faiss.METRIC_INNER_PRODUCT)[1][:, 1:]


def wrong_lists(found: Neighbours | Tensor, truth: Tensor) -> float:
    """Part of the targets whose list differs; of the first targets where the truth is known for these only."""
    lists = found.indices if isinstance(found, Neighbours) else found
    return float((lists.cpu()[: len(truth)] != truth).any(1).float().mean())


def faiss_here(bench: Bench) -> bool:
    return choose_backend("faiss", bench.device) == "faiss"


def exact(bench: Bench, vectors: Tensor, targets: Tensor, k: int, truth: Tensor) -> Iterator[Contender]:
    """The kernel with every back end that is here; on a CPU torch in both ways, of which it takes one by the rows."""
    check = partial(wrong_lists, truth=truth)
    for backend in ("torch", "faiss") if faiss_here(bench) else ("torch",):
        yield Contender(f"gpustab, {backend}", partial(top_k, vectors, targets, k, backend=backend), check, 0)
    if bench.device.type == "cpu":
        for way, first in (("float64 alone", len(vectors) + 1), ("float32 proposes", 0)):
            call = partial(from_rows, first, partial(top_k, vectors, targets, k))
            yield Contender(f"gpustab, torch, {way}", call, check, 0)


def from_rows(first: int, call: Callable[[], Neighbours]) -> Neighbours:
    """Search with proposals of torch from so many rows on."""
    with mock.patch.object(neighbours, "_PROPOSED_FROM", first):
        return call()


def bare(bench: Bench, vectors: Tensor, targets: Tensor, k: int, truth: Tensor) -> Iterator[Contender]:
    """The searches that users write, from float32 unit rows."""
    single = torch.nn.functional.normalize(vectors, dim=1).float().contiguous()
    methods = {"torch": bare_torch, "faiss": bare_faiss} if faiss_here(bench) else {"torch": bare_torch}
    for name, method in methods.items():
        call = partial(method, single, targets, k)
        yield Contender(f"bare {name} top-k, float32", call, partial(wrong_lists, truth=truth), BARE, note="no proof")


def search(bench: Bench, v: int, d: int, most: int, sorted_targets: int) -> None:
    """Neighbours of the first words, the full sort for fewer of them."""
    vectors = generators.anisotropic(v, d).to(bench.device)
    targets = torch.arange(min(v, most), device=bench.device)
    naive_targets = min(len(targets), sorted_targets)
    for k in (10, 50):
        truth = full_sort(vectors, targets[:naive_targets], k)
        naive = Contender(
            "numpy float64, full sort",
            partial(full_sort, vectors, targets[:naive_targets], k),
            partial(wrong_lists, truth=python_lists(vectors, targets[:5], k)),
            0,
            naive_targets / len(targets),
            "" if naive_targets == len(targets) else f"{naive_targets:,} targets timed, scaled",
        )
        contenders = [naive, *exact(bench, vectors, targets, k, truth), *bare(bench, vectors, targets, k, truth)]
        job, size = "neighbours", {"v": v, "d": d, "k": k, "targets": len(targets)}
        bench.race(job, size, contenders)
        without_faiss(bench, job, size)


def python_lists(vectors: Tensor, targets: Tensor, k: int) -> Tensor:
    """A few lists by the tests' oracle."""
    rows = vectors.cpu().numpy()
    return torch.tensor([oracles.top_k(rows, target, k) for target in targets.tolist()])


def without_faiss(bench: Bench, job: str, size: dict[str, int]) -> None:
    if not faiss_here(bench):
        reason = "FAISS does not work on this device" if find_spec("faiss") else "FAISS is not installed"
        for method in ("gpustab, faiss", "bare faiss top-k, float32"):
            bench.leave_out(job, size, method, reason)


def collapsed(bench: Bench, v: int, d: int, targets: int) -> None:
    """The price of proof: in a collapsed space float32 hardly tells the words apart."""
    own = torch.arange(targets, device=bench.device)
    for name, vectors in (("ordinary", generators.anisotropic(v, d)), ("collapsed", generators.collapsed(1, v, d)[0])):
        rows = vectors.to(bench.device)
        truth = full_sort(rows, own[:200], 10)
        contenders = exact(bench, rows, own, 10, truth)
        bench.race(f"neighbours, {name} space", {"v": v, "d": d, "targets": targets, "k": 10}, list(contenders))


def planted_lists(runs: int, targets: int, k: int) -> Tensor:
    """``(R, t, k)`` lists of words drawn from twice as many, so that half of two lists is shared on average."""
    draws = torch.rand(runs, targets, 2 * k, generator=generators.generator(0)).argsort(dim=2)[:, :, :k]
    return draws + 2 * k * torch.arange(targets)[:, None]


def overlap(bench: Bench, runs: int, targets: int, set_targets: int) -> None:
    """All pairs of runs at all lengths; Python sets for some targets only."""
    lists = planted_lists(runs, targets, max(LENGTHS)).to(bench.device)
    cosines = torch.zeros(lists.shape, dtype=torch.float64, device=bench.device)
    present = torch.ones(runs, targets, dtype=torch.bool, device=bench.device)
    words = torch.arange(targets, device=bench.device)
    found = NeighbourPass(words, max(LENGTHS), lists, cosines, cosines.bool(), present)
    some = lists[:, :set_targets].tolist()
    truth = by_sets(some, LENGTHS)
    naive = Contender(
        "Python sets",
        partial(by_sets, some, LENGTHS),
        lambda result: float((result - truth).abs().max()),
        0,
        set_targets / targets,
        "" if set_targets == targets else f"{set_targets} targets timed, scaled",
    )
    ours = Contender(
        "gpustab",
        partial(overlap_pass, found, LENGTHS, Compute(bench.device)),
        partial(overlap_error, truth=truth),
        1e-12,
    )
    bench.race("overlap, all pairs, 6 lengths", {"R": runs, "targets": targets}, [naive, ours])


def by_sets(lists: Sequence[Sequence[list[int]]], lengths: Sequence[int]) -> Tensor:
    """``(2, N, t)``: mean over the pairs of p@n and of j@n, per target."""
    parts = [oracles.overlap(lists, n) for n in lengths]
    return torch.tensor(np.array([[part[which].mean(0) for part in parts] for which in (0, 1)]))


def overlap_error(found: Overlap, truth: Tensor) -> float:
    words = torch.stack([found.p_word, found.j_word])[:, :, : truth.shape[2]]
    return float((words.cpu() - truth).abs().max())


def growth(bench: Bench, variable: str, values: list[int], rest: dict[str, int], targets: int) -> None:
    """Time for a fixed number of targets while the vocabulary or the dimension grows."""
    rows: list[Row] = []
    for value in values:
        size = {name: {**rest, variable: value}[name] for name in ("v", "d")}
        vectors = generators.anisotropic(**size).to(bench.device)
        own = torch.arange(targets, device=bench.device)
        truth = full_sort(vectors, own[:50], 10)
        contenders = list(exact(bench, vectors, own, 10, truth))
        rows += bench.race("neighbours, growth", {**size, "targets": targets, "k": 10}, contenders)
    for backend in ("torch", "faiss"):
        bench.growth(variable, [row for row in rows if row.method == f"gpustab, {backend}"])


def main() -> None:
    bench = start("neighbours", __doc__)
    step = 10 if bench.quick else 1
    for v, d in product((500, 1738, 6000, 20000, 60000), (50, 100, 300)):
        search(bench, max(v // step, 100), d, 600 if v > 6000 else 2000, 200)
    collapsed(bench, 5000 // step, 100, 5000 // step)
    collapsed(bench, 20000 // step, 300, 2000 // step)
    for runs, set_targets in ((4, 1000), (16, 100), (128, 5))[: 2 if bench.quick else 3]:
        overlap(bench, runs, 1000, set_targets)
    growth(bench, "v", [v // step for v in (5000, 10000, 20000, 40000, 80000)], {"d": 100}, 1000 // step)
    growth(bench, "d", [50, 100, 200, 400], {"v": 20000 // step}, 1000 // step)
    bench.finish()


if __name__ == "__main__":
    main()
