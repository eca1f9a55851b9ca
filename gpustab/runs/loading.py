"""How the runs of a group are read and joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.formats.options import LoadOptions
from gpustab.options import Option

Rule = Literal["joint", "union"]
LEAST_RUNS = 2
"""Stability is measured between runs: fewer are refused."""


@dataclass(frozen=True)
class Loading:
    """How the runs of a group are read and joined.

    Attributes:
        vocabulary: ``"joint"``: words of all runs; ``"union"``: words of at least ``min_runs`` runs. Default: as it was
            packed, or ``"joint"``.
        min_runs: under ``"union"``, default 2.
        centre: subtract the mean over the joint words (before scaling to unit length).
        unit: scale rows to unit length.
        options: how files are read.
        device: where tensors shall lie: ``"cpu"``, ``"cuda"``, ... or ``"auto"``.
        jobs: files read at once, by threads; default one per core.
        allow_small_overlap: measure runs that share fewer than one word in twenty of the smallest vocabulary.
    """

    vocabulary: Annotated[Rule | None, Option("Words of all runs (joint, the default), or of at least --min-runs.")] = (
        None
    )
    min_runs: Annotated[int | None, Option("With --vocabulary union; default 2.", low=1)] = None
    centre: Annotated[
        bool, Option("Subtract the mean vector before scaling to unit length.", ("--centre", "--center"))
    ] = False
    unit: bool = True
    options: LoadOptions = LoadOptions()
    device: str = "cpu"
    jobs: Annotated[int | None, Option("Files read at once; default one per core.", low=1)] = None
    allow_small_overlap: Annotated[bool, Option("Measure runs that share fewer than 1 word in 20.")] = False
