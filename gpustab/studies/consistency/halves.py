"""Are the halves of a text less alike than parts drawn at random? Permuting sentences, and whole documents.

A half split compared with samples of another size says nothing of development. Here the parts are as large: the
sentences of each term change places, or the documents do, which is the stricter test, since the sentences of a document
are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.additive import additive
from gpustab.studies.consistency.measures import unit
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.consistency.samples import Samples, middle
from gpustab.studies.consistency.text import Text

_PERMUTATIONS = 6
"""Stream of the seed."""

_FEWEST = 4
"""Documents that can be permuted."""

_ROUNDING = 1e-12


def part_cosines(sums: Tensor, first: Tensor, least: int = 1) -> Tensor:
    """Return the cosine of the sum of some rows and of the sum of the others, NaN where a part is too small.

    The split itself has no part smaller than ``least``, or the term would not be there; so must the others, or they
    would be less alike because of their sizes.

    Args:
        sums: ``(n, d)`` sums of the sentences of one term.
        first: ``(B, n)`` bool: sentences of the first part, B times.
        least: sentences of a part.

    >>> part_cosines(torch.eye(2), torch.tensor([[True, False], [True, True]])).tolist()
    [0.0, nan]
    """
    part = product(first.to(sums.dtype), sums)
    cosine = row_dot(unit(part), unit(sums.sum(0) - part))
    both = (first.sum(1) >= least) & ((~first).sum(1) >= least)
    return torch.where(both, cosine, torch.nan)


def halves_and_random(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[dict[str, Any]]:
    """Return for permuted sentences and for permuted documents how alike halves and random parts are.

    ``p`` is the share of the permutations, with the split itself, whose mean cosine over terms is no larger. Tokens are
    counted whatever ``count`` is, since types do not add up. Means over background runs come before the comparison.
    """
    samples, text = prepared.samples, prepared.text
    single = _one_a_sentence(samples)
    counted = prepared.of(single, runs, options)
    vectors = [additive(counted, runs, r) for r in range(len(runs))]
    cut = middle(text)
    generator = np.random.default_rng([options.seed, _PERMUTATIONS])
    documents = _document_parts(text, options.permutations, generator)
    found = {"sentences": list[Tensor](), "documents": list[Tensor]()}
    for k in range(len(samples.terms)):
        own = np.flatnonzero(single.term == k)
        members = single.members[own]
        halves = members < cut
        by_sentence = np.stack([halves, *(generator.permutation(halves) for _ in range(options.permutations))])
        parts = {"sentences": by_sentence}
        if documents is not None:
            parts["documents"] = np.concatenate([halves[None], documents[:, text.documents[members]]])
        for name, first in parts.items():
            mask = torch.from_numpy(first).to(counted.words.device)
            cosines = [part_cosines(x[torch.from_numpy(own).to(x.device)], mask, options.least) for x in vectors]
            found[name].append(torch.stack(cosines).mean(0).cpu())
    return list(_rows(found))


def _one_a_sentence(samples: Samples) -> Samples:
    return samples._replace(term=samples.term[samples.owner], starts=np.arange(len(samples.members) + 1))


def _document_parts(text: Text, permutations: int, generator: np.random.Generator) -> NDArray[np.bool_] | None:
    """Return which documents are in the first part, ``(B, documents)``: in random order, up to half of the tokens."""
    sizes = np.bincount(text.documents, np.diff(text.starts))
    if (sizes > 0).sum() < _FEWEST:
        return None
    found = np.zeros((permutations, len(sizes)), dtype=np.bool_)
    for row in found:
        order = generator.permutation(len(sizes))
        row[order] = np.cumsum(sizes[order]) - sizes[order] / 2 < sizes.sum() / 2
    return found


def _rows(found: dict[str, list[Tensor]]) -> Iterator[dict[str, Any]]:
    for name, cosines in found.items():
        if not cosines:
            continue
        table = torch.stack(cosines)  # (T, B + 1); a term with too small a part is left out of that mean
        means = table.nanmean(0)
        own = (table[:, 1:] <= table[:, :1] + _ROUNDING).sum(1) + 1
        yield {
            "permuted": name,
            "terms": len(table),
            "halves": float(means[0]),
            "random": float(means[1:].mean()),
            "p": float(((means <= means[0] + _ROUNDING).sum()) / table.shape[1]),
            "unlike_terms": float((own <= 0.05 * table.shape[1]).double().mean()),
        }
