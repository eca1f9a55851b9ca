"""How well p@n would be predicted if the model were exact: the part of a disagreement that few runs alone explain."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels import prediction
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.runs.runs import Runs

CANDIDATES = 300
"""Words of highest mean cosine that are simulated; of others hardly any comes among 50 neighbours."""
_TARGETS = 32


def exact_agreement(
    runs: Runs, targets: Tensor, lengths: Sequence[int], seed: int, gamma: float | None = None
) -> engine.Agreement:
    """Return how predicted and measured p@n agree for as many simulated runs of independent normals.

    Every simulated run draws each cosine from the normal of its measured mean and SD; from these runs p@n is measured,
    and predicted by their own means and SDs, as from real ones.

    Args:
        runs: the runs whose means and SDs are taken.
        targets: ``(T,)`` row numbers.
        lengths: values of n.
        seed: of the normals.
        gamma: SD of all cosines, drawn and predicted with: the model of the structure factor.
    """
    generator = torch.Generator().manual_seed(seed)
    parts = [_simulated(runs, part, lengths, generator, gamma) for part in targets.split(_TARGETS)]
    predicted, measured = (torch.cat(field, 1) for field in zip(*parts, strict=True))
    return engine.agreement(predicted, measured)


def _simulated(
    runs: Runs, targets: Tensor, lengths: Sequence[int], generator: torch.Generator, gamma: float | None
) -> tuple[Tensor, Tensor]:
    """Predicted and measured p@n of simulated runs, each ``(N, t)``."""
    found = engine.query_cosines(runs, targets.to(runs.device))
    itself = torch.arange(runs.words, device=runs.device) == targets.to(runs.device)[:, None]
    k = min(CANDIDATES, runs.words - 1)
    mean, words = (x.cpu() for x in found.mean.masked_fill(itself, -torch.inf).topk(k))
    sd = found.sd.cpu().gather(1, words) if gamma is None else torch.full_like(mean, gamma)
    values = mean + sd * torch.randn(len(runs), *mean.shape, dtype=torch.float64, generator=generator)
    nearest = values.topk(max(lengths), dim=2).indices
    spread = values.std(0) if gamma is None else sd
    probabilities = engine.top_n_probabilities(values.mean(0), spread, lengths)
    return prediction.predicted_overlap(probabilities, lengths), neighbour_overlap(nearest, lengths).p_word
