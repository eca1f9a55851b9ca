"""How consistency grows with the sentences of a sample (Bloem et al. 2019, table 2), over all terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpustab.runs.runs import Runs
from gpustab.studies.consistency.additive import additive
from gpustab.studies.consistency.measures import consistency_of, over_runs, size_constant, words_of_pairs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import Prepared

SIZES = (1, 2, 3, 4, 8, 10, 20, 50, 100)
"""Sentences of a sample; the paper has 1, 2, 3, 4, 8 and all."""


def by_sentences(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[dict[str, Any]]:
    """Return the additive model's numbers from n sentences a sample.

    All sizes are of the same terms: those whose samples are as large as the largest size shown, which is the largest
    that two terms and half of those with three sentences reach. ``law`` is ``1 / (1 + c / m)`` with c from the largest
    size alone.
    """
    largest = _largest(prepared)
    same_terms = prepared.samples.first(largest)
    found = []
    for n in (n for n in SIZES if n <= largest):
        part = prepared.of(same_terms.first(n), runs, options)
        if not part.allowed.any() or not bool((part.words > 0).any()):
            continue
        each = [consistency_of(additive(part, runs, r), part.samples, part.allowed) for r in range(len(runs))]
        row: dict[str, Any] = {"n": n, "terms": len(part.samples.terms)}
        row["words"] = words_of_pairs(part.samples, part.words.cpu().numpy())
        row |= {name: over_runs([one.numbers[name] for one in each]).value for name in ("same", "null", "auc")}
        same = over_runs([one.numbers["same"] for one in each]).estimate
        found.append(row | {"same_low": same.interval[0], "same_high": same.interval[1]})
    return list(_with_law(found))


def _largest(prepared: Prepared) -> int:
    samples = prepared.samples
    least = np.full(len(samples.terms), np.iinfo(np.int64).max)
    np.minimum.at(least, samples.term, samples.sizes)
    return max((n for n in SIZES if (least >= n).sum() >= max(2, (least >= 3).sum() / 2)), default=1)


def _with_law(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if not found:
        return
    constant = size_constant(found[-1]["same"], found[-1]["words"])
    for row in found:
        own = size_constant(row["same"], row["words"])
        yield row | {"c": own, "law": row["words"] / (row["words"] + constant)}
