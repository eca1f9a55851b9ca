"""Nonce2Vec over all samples: what it needs, one setting, and the paper's grid (Bloem et al. 2019, §7)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.registry import read_space
from gpustab.kernels.training.nonce import train_nonce
from gpustab.machine.progress import Progress
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.consistency.schedules import Pairs, draw_negatives, padded, training_pairs
from gpustab.studies.consistency.text import Ids

GRID = {
    "alpha": (0.1, 0.5, 1.0, 1.5),
    "negatives": (1, 3, 5),
    "sample": (100.0, 3000.0, 5000.0, 10_000.0, 20_000.0),
    "alpha_decay": (30.0, 70.0, 100.0, 180.0),
    "sample_decay": (1.0, 1.3, 1.9, 2.5),
    "window_decay": (1, 3, 5),
}
"""The settings of the paper's grid search, 2,880 in all; the window is 15 in each."""

_STEPS = 1 << 28
"""Bytes of the output rows of some problems that train their own."""


class Output(NamedTuple):
    """What Nonce2Vec needs beside the word vectors.

    Attributes:
        vectors: ``(v, d)`` float64 output vectors, row by row the words of the background.
        counts: ``(v,)`` of the background.
    """

    vectors: Tensor
    counts: Ids


def read_output(runs: Runs, options: ConsistencyOptions, device: torch.device) -> Output:
    """Return the output vectors of a background of one run.

    Raises:
        InputError: if there are none, or no counts, or they do not belong to this background.
    """
    why = "Nonce2Vec trains by the background's output vectors and draws negatives by its counts"
    if options.output_vectors is None:
        raise InputError(
            f"{why}; files of vectors hold neither output: name a file of them, by the same words, with "
            f"{option('output_vectors')} (of gensim: model.syn1neg beside model.wv)"
        )
    if runs.counts is None:
        raise InputError(f"{why}, and '{runs.name}' has no counts; a run set and gensim's own files have them")
    if len(runs) > 1:
        raise InputError(f"output vectors belong to one run, and '{runs.name}' has {len(runs)}; give one run")
    space = read_space(options.output_vectors)
    if space.dimension != runs.dimension:
        raise InputError(f"{options.output_vectors}: {space.dimension} dimensions, the background has {runs.dimension}")
    missing = [word for word in runs.vocabulary if word not in space.vocabulary]
    if missing:
        raise InputError(
            f"{options.output_vectors}: {len(missing):,} of {runs.words:,} words of the background have no output "
            "vector there"
        )
    rows = torch.tensor([space.vocabulary.index_of(word) for word in runs.vocabulary])
    counts = runs.counts.cpu().numpy()
    if (counts > 0).sum() < 2:
        raise InputError(f"'{runs.name}' has fewer than two words with counts; negatives cannot be drawn")
    return Output(space.vectors[rows].double().to(device), counts)


def pairs_of(prepared: Prepared, output: Output, options: ConsistencyOptions) -> Pairs:
    """Return all that is to be trained, in order."""
    rows = prepared.found.rows
    counts = np.where(rows >= 0, output.counts[rows], 0)
    return training_pairs(prepared.text, prepared.samples, rows, counts, options)


def trained(start: Tensor, output: Output, pairs: Pairs, options: ConsistencyOptions) -> Tensor:
    """Return the vectors of all samples, trained from their sums, ``(P, d)``.

    Args:
        start: ``(P, d)`` sums of the additive model.
        output: output vectors and counts.
        pairs: what is trained.
        options: rate, negatives, and whether output vectors are trained too.
    """
    negatives = draw_negatives(pairs.row, output.counts, options.negatives, options.seed)
    steps, rates = padded(pairs, negatives, len(start), options.alpha, options.alpha_decay)
    ids, alpha = torch.from_numpy(steps).to(start.device), torch.from_numpy(rates).to(start.device)
    updated = options.output == "updated"
    at_once = max(1, _STEPS // (8 * start.shape[1] * max(ids[0].numel(), 1))) if updated else len(start)
    found = [
        train_nonce(x, output.vectors, own, rate, update_output=updated)
        for x, own, rate in zip(start.split(at_once), ids.split(at_once), alpha.split(at_once), strict=True)
    ]
    return torch.cat(found)


def updates(group: str, prepared: Prepared, pairs: Pairs) -> list[dict[str, Any]]:
    """Return how many updates the sentences of a sample give, the first, the second, ...: means over the samples."""
    sizes = prepared.samples.sizes
    found = []
    for s in range(int(sizes.max())):
        samples = int((sizes > s).sum())
        mean = int((pairs.sentence == s).sum()) / samples
        found.append({"group": group, "sentence": s + 1, "samples": samples, "updates": mean})
    return found


def grid(
    group: str, start: Tensor, prepared: Prepared, output: Output, options: ConsistencyOptions, report: Progress
) -> Iterator[dict[str, Any]]:
    """Yield cosine, null level and AUC of every setting of the paper's grid."""
    schedule = ("sample", "sample_decay", "window_decay")
    rest = [name for name in GRID if name not in schedule]
    outside = list(itertools.product(*(GRID[name] for name in schedule)))
    for k, outer in enumerate(outside):
        settings: dict[str, Any] = dict(zip(schedule, outer, strict=True))
        report(f"{group}: grid of Nonce2Vec", k / len(outside))
        pairs = pairs_of(prepared, output, replace(options, **settings))
        for inner in itertools.product(*(GRID[name] for name in rest)):
            chosen: dict[str, Any] = dict(zip((*schedule, *rest), (*outer, *inner), strict=True))
            vectors = trained(start, output, pairs, replace(options, **chosen))
            numbers = {}
            if bool(torch.isfinite(vectors).all()):
                found = consistency_of(vectors, prepared.samples, prepared.allowed).numbers
                numbers = {name: found[name].value for name in ("same", "null", "auc")}
            yield {"group": group, **chosen, **{name: numbers.get(name) for name in ("same", "null", "auc")}}
