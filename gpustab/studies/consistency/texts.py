"""Several texts on one background, compared at equal samples: is the more homogeneous text more consistent?

Sums of m words have a cosine of 1 / (1 + c / m), and larger samples are told apart better too. So the samples of all
texts are cut to one number of context words, drawn at random from each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from gpustab.errors import InputError
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.additive import additive
from gpustab.studies.consistency.measures import Consistency, consistency_of, over_runs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.consistency.samples import of_members

NUMBERS = ("same", "null", "auc")

_WORDS = 7
"""Stream of the seed."""

_LOST = 0.25
"""Share of a text's terms that may be too rare in context words for the common size."""


def common_words(parts: Sequence[Prepared]) -> int:
    """Return the largest number of context words that three of four terms have in all samples, in every text."""
    return int(min(np.quantile(_least(part), _LOST, method="lower") for part in parts))


def _least(prepared: Prepared) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Context words of every term's smallest sample, ``(T,)``."""
    least = np.full(len(prepared.samples.terms), np.inf)
    np.minimum.at(least, prepared.samples.term, prepared.words.cpu().numpy())
    return least


def of_size(prepared: Prepared, words: int, seed: int) -> Prepared:
    """Return samples with exactly so many of their context words, drawn at random; terms with fewer are left out."""
    enough = _least(prepared) >= words
    samples = prepared.samples
    good = enough[samples.term]
    counts = prepared.counts[np.flatnonzero(good)].tocoo()
    row, column = (np.repeat(part, counts.data.astype(np.int64)) for part in (counts.row, counts.col))
    order = np.lexsort((np.random.default_rng([seed, _WORDS]).random(len(row)), row))
    row, column = row[order], column[order]
    kept = np.arange(len(row)) - np.searchsorted(row, row) < words
    drawn = sparse.coo_matrix((np.ones(int(kept.sum())), (row[kept], column[kept])), counts.shape).tocsr()
    there = good[samples.owner]
    some = of_members(samples.terms, samples.term, samples.owner[there], samples.members[there])
    return prepared.with_counts(some, drawn)


def compare_texts(parts: Sequence[Prepared], runs: Runs, options: ConsistencyOptions) -> list[dict[str, Any]]:
    """Return the numbers of every pair of texts at equal samples, and their differences with intervals.

    Args:
        parts: samples of every text, by the same options: their number, window and subsampling are equal.
        runs: the background.
        options: of the study.

    Raises:
        InputError: if the samples of a text are so small that none of a common size are left.
    """
    words = common_words(parts)
    cut = [of_size(part, words, options.seed) for part in parts] if words else []
    lost = [part.text.name for part in cut if len(part.samples.terms) < 2 or not part.allowed.any()]
    if lost or not cut:
        raise InputError(
            f"{some_words([name.encode() for name in lost or [parts[0].text.name]])}: too few context words to compare "
            "texts at equal samples; give more terms or more text"
        )
    found = [
        [consistency_of(additive(part, runs, r), part.samples, part.allowed) for r in range(len(runs))] for part in cut
    ]
    return [
        {"text": cut[a].text.name, "against": cut[b].text.name, "words": words, **contrast(found[a], found[b])}
        for a, b in combinations(range(len(parts)), 2)
    ]


def contrast(one: Sequence[Consistency], two: Sequence[Consistency]) -> dict[str, Any]:
    """Return the numbers of two texts, means over the runs of one background, and the intervals of their differences.

    The error of a difference has two parts: over the terms of each text, by jackknife, and over the runs, whose
    differences are paired. With one run only the first is known: then the difference is one of this background.
    """
    row: dict[str, Any] = {"runs": len(one), "terms": len(one[0].by_term["same"])}
    row["terms_against"] = len(two[0].by_term["same"])
    for name in NUMBERS:
        parts = [[run.numbers[name] for run in text] for text in (one, two)]
        row[name], row[f"{name}_against"] = (over_runs(part).value for part in parts)
        found = difference(parts[0], parts[1])
        row[f"{name}_difference"] = found.value
        row[f"{name}_low"], row[f"{name}_high"] = found.interval
    return row


def difference(one: Sequence[Any], two: Sequence[Any]) -> Estimate:
    """Return the difference of two texts in one number, from its values without each term in every run.

    The degrees of freedom of the sum of errors are Welch and Satterthwaite's.
    """
    first, second = over_runs(one).estimate, over_runs(two).estimate
    errors = [(first.se, first.freedom), (second.se, second.freedom)]
    if len(one) > 1:
        apart = [a.value - b.value for a, b in zip(one, two, strict=True)]
        errors.append((float(np.std(apart, ddof=1)) / math.sqrt(len(apart)), len(apart) - 1))
    variance = sum(se**2 for se, _ in errors)
    below = sum(se**4 / freedom for se, freedom in errors if se > 0)
    freedom = int(variance**2 / below) if below > 0 else min(freedom for _, freedom in errors)
    return Estimate(first.value - second.value, math.sqrt(variance), freedom)
