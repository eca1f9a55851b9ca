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
    names = [tuple(word.lower().replace(b" ", b"_") for word in pair) for pair in test.pairs]
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
        yield Quality(prepared.group, model, len(pairs), terms, rho.value, *rho.interval)


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
    if math.isnan(row.rho):
        return f"{capital(row.model)} cannot be judged by {row.pairs} scored pairs."
    clear = "agrees with the scores" if row.low > 0 else "surely agrees with no score"
    clear = clear if row.low > 0 or row.high < 0 else "may agree with the scores or not"
    span = f"{number(row.low, 2)} to {number(row.high, 2)}"
    return f"{capital(row.model)} {clear} (ρ {number(row.rho, 2)}, {span}; {row.pairs} pairs)."
