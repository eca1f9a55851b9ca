"""Errors of what the passes return, against plain float64 on the same device: small subsets, written from the formulas.

Nothing is timed that does not pass. Every function returns one number that is 0 for a perfect answer, and NaN for one
that is not finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from gpustab.engine import NeighbourPass
from gpustab.kernels.averaging import Average
from gpustab.kernels.cosine import CosineStatistics
from gpustab.kernels.overlap import Overlap
from gpustab.runs.runs import Runs

_RUNS, _WORDS, _TARGETS, _MAPS = 4, 50, 20, 20
"""How many of each are checked."""

_SCORES = 1 << 27
"""Cosines that a check may hold at once, 1 GiB."""


def losses(runs: Runs, reduced: Tensor) -> float:
    """Largest relative error of the reduced PIP losses between the first runs, all words in one float64 product."""
    some = min(len(runs), _RUNS)
    spaces = [_unit(runs, r) for r in range(some)]
    size = [float((x.mT @ x).square().sum()) for x in spaces]
    error = torch.zeros((), dtype=torch.float64, device="cpu")
    for pair, (i, j) in enumerate(torch.triu_indices(len(runs), len(runs), 1, device="cpu").T.tolist()):
        if j < some:
            square = size[i] + size[j] - 2 * float((spaces[i].mT @ spaces[j]).square().sum())
            truth = max(square, 0.0) ** 0.5 / (2 * runs.words)
            error = torch.maximum(error, (reduced[pair].cpu() / truth - 1).abs())  # keeps NaN, as max() does not
    return float(error)


def word_means(runs: Runs, mean: Tensor) -> float:
    """Largest relative error of some words' mean PIP loss, from their cosines with all words in all runs."""
    words = _spread(runs.words, _WORDS, runs.device)
    i, j = torch.triu_indices(len(runs), len(runs), 1, device=runs.device)
    truth = []
    for some in words.split(max(1, _SCORES // (len(runs) * runs.words))):
        cosines = torch.stack([(x := _unit(runs, r))[some] @ x.mT for r in range(len(runs))], 1)  # (some, R, v)
        distance = torch.cdist(cosines, cosines, compute_mode="donot_use_mm_for_euclid_dist")  # (some, R, R)
        truth.append(distance[:, i, j].mean(1) / (2 * runs.words**0.5))
    return float((mean[words] / torch.cat(truth) - 1).abs().max())


def maps(cross: Tensor, found: Tensor) -> float:
    """Largest entry of ``|AᵀA − I|`` of all maps, or by how much some miss the best ``⟨A, C⟩ = Σ singular values``."""
    identity = torch.eye(found.shape[-1], dtype=found.dtype, device=found.device)
    errors = [(part.mT @ part - identity).abs().amax() for part in found.split(256)]
    some = cross[:_MAPS].double()
    best = torch.linalg.svdvals(some).sum(1)
    errors.append((1 - (found[:_MAPS] * some).sum((1, 2)) / best).abs().amax())
    return float(torch.stack(errors).amax())


def levels(tree: Sequence[Sequence[Average]]) -> float:
    """Largest distance of a row of each level's first average from that of the two beneath it, aligned by SVD."""
    errors = []
    for below, level in pairwise(tree):
        x, y = (node.vectors.double() for node in below[:2])
        u, _, vt = torch.linalg.svd(x.mT @ y)
        n, m = (len(node.runs) for node in below[:2])
        truth = (n * (x @ (u @ vt)) + m * y) / (n + m)
        errors.append(torch.linalg.vector_norm(level[0].vectors.double() - truth, dim=1).amax())
    return float(torch.stack(errors).amax())


def neighbours(runs: Runs, found: NeighbourPass) -> float:
    """Largest difference of cosines between the lists of some targets and a full float64 ranking in the first runs."""
    picked = _spread(len(found.targets), _TARGETS, runs.device)
    own = found.targets[picked]
    errors = []
    for r in range(min(len(runs), _RUNS)):
        x = _unit(runs, r)
        cosines = (x[own] @ x.mT).scatter_(1, own[:, None], -torch.inf)
        best = cosines.topk(found.k, dim=1).values
        listed = cosines.gather(1, found.indices[r, picked])
        errors += [(found.cosines[r, picked] - best).abs().amax(), (listed - best).abs().amax()]
    return float(torch.stack(errors).amax())


def overlaps(found: NeighbourPass, shared: Overlap, lengths: Sequence[int]) -> float:
    """Largest error of p@n and j@n of some targets, from comparing every entry of two lists with every other."""
    runs = len(found.indices)
    i, j = torch.triu_indices(runs, runs, 1, device=found.indices.device)
    errors = []
    for target in _spread(len(found.targets), _TARGETS, found.indices.device).tolist():
        lists = found.indices[:, target]
        equal = lists[:, None, :, None] == lists[None, :, None, :]  # (R, R, k, k)
        for position, n in enumerate(lengths):
            m = equal[..., :n, :n].sum((2, 3))[i, j].double()
            for value, truth in ((shared.p_word, m / n), (shared.j_word, m / (2 * n - m))):
                errors.append((value[position, target] - truth.mean()).abs())
    return float(torch.stack(errors).amax())


def cosines(runs: Runs, queries: Tensor, found: CosineStatistics) -> float:
    """Largest error of mean and SD (``ddof = 1``) over the runs of the queries' cosines with some words."""
    words = _spread(runs.words, _WORDS, runs.device)
    values = torch.stack([(x := _unit(runs, r))[queries] @ x[words].mT for r in range(len(runs))])
    errors = [found.mean[:, words] - values.mean(0), found.sd[:, words] - values.std(0)]
    return float(torch.stack(errors).abs().amax())


def _unit(runs: Runs, r: int) -> Tensor:
    rows = runs.rows[r][0 : runs.words].double()
    return torch.nn.functional.normalize(rows, dim=1)


def _spread(size: int, wanted: int, device: torch.device) -> Tensor:
    """Evenly spread numbers below ``size``, first and last among them."""
    return torch.linspace(0, size - 1, min(size, wanted), dtype=torch.float64, device=device).round().long()
