"""Every drawn world, by what it is about: parts of the bench."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.placebos.cells import DRAWN, Row, World, cells
from benchmarks.placebos.drawn import (
    averages,
    bootstrap,
    calibration,
    change,
    consistency,
    cosines,
    frequency,
    localization,
    losses,
    neighbours,
    stability,
    thresholds,
)

AS_MANY = 5
"""Sets that are drawn for one of real text, since they cost little."""
WORLDS: dict[str, Callable[[], Iterator[World]]] = {
    module.__name__.rpartition(".")[2]: module.worlds
    for module in (
        averages, bootstrap, calibration, change, consistency, cosines, frequency, localization, losses, neighbours,
        stability, thresholds,
    )
}  # fmt: skip


def _rows(worlds: Callable[[], Iterator[World]], _folder: Path, sets: int) -> Iterator[Row]:
    for world in worlds():
        yield from cells(world, DRAWN, AS_MANY * sets)


def _proofs(_folder: Path, sets: int) -> Iterator[Row]:
    return thresholds.proofs(AS_MANY * sets)


PARTS = {f"drawn-{name}": partial(_rows, worlds) for name, worlds in WORLDS.items()} | {"drawn-proofs": _proofs}
"""As the parts of real text are called, but that these want no runs."""
