"""How the runs of a group are read and joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.formats.options import LoadOptions
from gpustab.options import Option, Options

Rule = Literal["joint", "union"]
LEAST_RUNS = 2
"""Stability is measured between runs: fewer are refused."""


@dataclass(frozen=True)
class Loading(Options):
    """How the runs of a group are read and joined.

    Attributes:
        vocabulary: ``"joint"``: words of all runs; ``"union"``: words of at least ``min_runs`` runs. Default: as it was
            packed, or ``"joint"``.
        min_runs: of ``vocabulary`` ``"union"``: runs that a word must be in; default 2.
        centre: subtract the mean over the joint words, before scaling to unit length.
        unit: scale rows to unit length.
        options: how files are read.
        device: where tensors shall lie: ``"cpu"``, ``"cuda"``, ... or ``"auto"``.
        jobs: files read at once, by threads; default one per core.
        allow_small_overlap: measure runs that share fewer than one word in twenty of the smallest vocabulary.
    """

    vocabulary: Rule | None = None
    min_runs: Annotated[int | None, Option(low=1)] = None
    centre: Annotated[bool, Option(flags=("--centre", "--center"))] = False
    unit: Annotated[bool, Option(typed=False)] = True
    options: Annotated[LoadOptions, Option(typed=False)] = LoadOptions()
    device: Annotated[str, Option(typed=False)] = "cpu"
    jobs: Annotated[int | None, Option(low=1)] = None
    allow_small_overlap: bool = False
