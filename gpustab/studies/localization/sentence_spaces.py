"""How far the spaces of sentences differ between runs of a model: PIP loss, and shared nearest sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.runs.load import load_runs
from gpustab.studies.localization.builder import Corpus
from gpustab.studies.localization.models.model import Embedding, Model
from gpustab.studies.localization.tables import distinct

_NEIGHBOURS = 10


class SpaceStability(NamedTuple):
    """Runs of one model, over the base sentences.

    Attributes:
        model: its name.
        runs: how many.
        sentences: different ones that every run has a vector of.
        pip: mean reduced PIP loss of two runs, as a share of that of unrelated ones: 0 identical, 1 chance.
        neighbours: mean share of the ten nearest sentences that two runs have in common.
    """

    model: str
    runs: int
    sentences: int
    pip: float
    neighbours: float


def vectors_of(model: Model, corpus: Corpus) -> Tensor | None:
    """Return the vectors of the different base sentences, ``(n, d)`` on the CPU; ``None`` for other models."""
    if not isinstance(model, Embedding):
        return None
    return model.vectors([base.tokens for base in distinct(corpus.bases)]).float().cpu()


def space_stability(name: str, runs: Sequence[Tensor], compute: Compute) -> SpaceStability | None:
    """Return how far two runs and more differ; ``None`` for fewer runs, or as few sentences as a list holds.

    Args:
        name: of the model.
        runs: ``(n, d)`` of every run; a sentence without a vector in one run is left out of all.
        compute: how to compute.
    """
    if len(runs) < 2:
        return None
    there = torch.stack([own.isfinite().all(1) & own.any(1) for own in runs]).all(0)
    sentences = int(there.sum())
    if sentences <= _NEIGHBOURS + 1:
        return None
    words = [f"s{k}" for k in range(sentences)]
    joined = engine.place(load_runs([(words, own[there].numpy()) for own in runs]), compute)
    found = engine.pip_pass(joined, compute)
    lists = engine.neighbour_pass(joined, torch.arange(sentences, device=joined.device), _NEIGHBOURS, compute)
    first, second = torch.triu_indices(len(runs), len(runs), 1)
    shared = engine.overlap_pass(lists, [_NEIGHBOURS], compute)
    loss = found.reduced if found.scale is None else found.reduced / found.scale.chance
    return SpaceStability(
        name, len(runs), sentences, float(loss.mean()), float(shared.p[0].cpu()[first, second].mean())
    )
