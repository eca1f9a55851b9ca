"""Quality beside consistency: a model that gives every term one vector is consistent, and agrees with nobody."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from gpustab.evaluation.files import read_similarity
from gpustab.results.page import number
from gpustab.runs.runs import Runs
from gpustab.small_data.additive import centred, mean_context
from gpustab.spaces.words import show
from gpustab.statistics.ranks import spearman
from gpustab.studies.consistency.measures import Array, LeftOut, unit
from gpustab.studies.consistency.samples import Prepared
from gpustab.studies.consistency.tables import ADDITIVE, CENTRED, Quality
from gpustab.studies.shared.wording import capital

FEWEST_PAIRS = 8
"""Scored pairs below which a rank correlation says nothing."""


def quality_of(runs: Runs, prepared: Prepared, encoded: Mapping[str, Tensor], scores: str) -> Iterator[Quality]:
    """Yield how models agree with scored pairs of terms, with the jackknife error over terms.

    Args:
        runs: the background, of whose first run the additive model is.
        prepared: the samples.
        encoded: of every encoder the vectors of samples, ``(P, d)``; a term's vector is their mean.
        scores: a file of scored pairs; those without two terms that have samples are left out.
    """
    test = read_similarity(Path(scores))
    means = mean_context(prepared.frequencies.rows[prepared.text.tokens[prepared.kept]], runs, 0, prepared.words.device)
    sums = prepared.sums(runs, 0)
    vectors = {ADDITIVE: sums, CENTRED: centred(sums, prepared.words, means), **encoded}
    samples, words = prepared.samples, prepared.text.words
    place = {words[term]: k for k, term in enumerate(samples.terms.tolist())}
    names = [tuple(show(word).lower().replace(" ", "_").encode() for word in pair) for pair in test.pairs]
    known = [k for k, (a, b) in enumerate(names) if a in place and b in place and a != b]
    pairs = np.array([[place[name] for name in names[k]] for k in known], np.int64).reshape(-1, 2)
    gold = np.array([test.gold[k] for k in known])
    owner = torch.from_numpy(samples.term)
    for model, rows in vectors.items():
        total = torch.zeros(len(samples.terms), rows.shape[1], dtype=torch.float64, device="cpu")
        means = unit(total.index_add_(0, owner, unit(rows.cpu())))
        cosines = (means[pairs[:, 0]] * means[pairs[:, 1]]).sum(1).numpy()
        rho = _rho(cosines, gold, pairs).estimate
        terms = len(np.unique(pairs))
        yield Quality(prepared.group, model, len(pairs), len(names), terms, rho.value, *rho.interval)


def _rho(cosines: Array, gold: Array, pairs: np.ndarray) -> LeftOut:
    """Spearman's ρ, and what it is without each of the terms that stand in a pair."""

    def of(kept: np.ndarray) -> float:
        if kept.sum() < FEWEST_PAIRS or np.ptp(cosines[kept]) < 1e-12:
            return math.nan
        return float(spearman(torch.from_numpy(cosines[kept])[None], torch.from_numpy(gold[kept])[None]))

    every = np.ones(len(pairs), np.bool_)
    return LeftOut(of(every), np.array([of(~(pairs == term).any(1)) for term in np.unique(pairs)]))


def quality_in_words(row: Quality) -> str:
    """Return how a model agrees with the scores, in a sentence."""
    model, pairs = capital(row.model), f"{row.pairs} of {row.given} scored pairs"
    if row.pairs < FEWEST_PAIRS:
        return f"{model} cannot be judged: {pairs} have samples of both terms, and the test needs {FEWEST_PAIRS}."
    if math.isnan(row.rho):
        return f"{model} cannot be judged: it gives {pairs} one cosine."
    if math.isnan(row.low):
        return f"{model} cannot be judged: of {pairs} too few are left without one of their {row.terms} terms."
    numbers = f"(ρ {number(row.rho, 2)}, {number(row.low, 2)} to {number(row.high, 2)}; {pairs})"
    if row.high < 0:
        return (
            f"{model} runs against the scores {numbers}: terms of a high score are less alike. If the scores are "
            "distances, turn them round."
        )
    return f"{model} {'agrees with the scores' if row.low > 0 else 'may agree with the scores or not'} {numbers}."
