"""The searches of neighbours beside each other: which is the faster here, so that ``--backend auto`` may take it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from gpustab.bench.bed import CPU_SIZE, CUDA_SIZE
from gpustab.bench.clock import time_call
from gpustab.bench.spaces import synthetic_runs
from gpustab.engine import neighbour_pass
from gpustab.errors import GpustabError
from gpustab.machine import measured
from gpustab.machine.device import Compute, choose_backend
from gpustab.results import Content, Table

_FEW = 1738
"""Words of a small corpus, beside those of the bench."""
_TARGETS, _NEAREST = 2000, 10


def usual_sizes(device: torch.device) -> list[tuple[int, int]]:
    """Return words and dimensions of what is measured on a device."""
    usual = CUDA_SIZE if device.type == "cuda" else CPU_SIZE
    return [(_FEW, usual.dimension), (usual.words, usual.dimension)]


def compare_searches(
    device: torch.device, seconds: float, seed: int, sizes: Sequence[tuple[int, int]] | None = None
) -> list[dict[str, Any]]:
    """Time the searches of the 10 nearest neighbours by torch, the plain path, and by FAISS, where it works here.

    Args:
        device: where.
        seconds: time for the calls of one.
        seed: of the space.
        sizes: words and dimensions; default: :func:`usual_sizes`.

    Returns:
        A row for each size and way; ``status`` is "checked", or "refused" where the lists are not those of torch.
    """
    ways = ["torch", *(["faiss"] if choose_backend("faiss", device) == "faiss" else [])]
    rows: list[dict[str, Any]] = []
    for words, dimension in usual_sizes(device) if sizes is None else sizes:
        runs = synthetic_runs(2, words, dimension, device, seed).take([0])
        targets = torch.arange(min(words, _TARGETS), device=device)
        plain = neighbour_pass(runs, targets, _NEAREST, Compute(device)).indices
        for way in ways:
            compute = Compute(device, backend="faiss" if way == "faiss" else "torch")
            equal = torch.equal(neighbour_pass(runs, targets, _NEAREST, compute).indices, plain)
            row = {"search": way, "words": words, "dimensions": dimension, "status": "checked" if equal else "refused"}
            timing = time_call(partial(neighbour_pass, runs, targets, _NEAREST, compute), device, seconds)
            rows.append(row | {"seconds": timing.seconds, "spread": timing.spread, "repeats": timing.repeats})
    return rows


def add_choice(result: Content, device: torch.device, seconds: float, seed: int) -> None:
    """Measure the searches, add them to what the bench says, and keep them for ``--backend auto``."""
    rows = compare_searches(device, seconds, seed)
    result.tables["searches"] = Table({name: [row[name] for row in rows] for name in rows[0]})
    sizes: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["status"] == "checked":
            sizes.setdefault(f"{row['words']} x {row['dimensions']}", {})[row["search"]] = row["seconds"]
    if any(len(ways) < 2 for ways in sizes.values()):
        result.notes.append("FAISS does not work here, or errs: torch searches the neighbours.")
        return
    ratios = [ways["faiss"] / ways["torch"] for ways in sizes.values()]
    span = " and ".join(f"{max(ratio, 1 / ratio):.1f}" for ratio in ratios)
    winners = ["torch" if ratio >= 1 else "FAISS" for ratio in ratios]
    said = f"{winners[0]} is {span} times as fast" if len(set(winners)) == 1 else f"{' and '.join(winners)} are faster"
    where = " and ".join(f"{row['words']:,}" for row in rows if row["search"] == "torch")
    try:
        path = measured.keep(device, sizes)
    except GpustabError as error:
        result.notes.append(f"Neighbours: {said} at {where} words; this could not be kept ({error}).")
        return
    taken = measured.faster(device)
    result.notes.append(f"Neighbours: {said} at {where} words; --backend auto takes {taken} here from now on ({path}).")
