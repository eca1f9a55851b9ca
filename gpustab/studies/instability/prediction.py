"""Can p@n be predicted from means and SDs of cosines, and from the means alone? Rettenmeier 2020, §2.2.2, A.4, A.5."""

from __future__ import annotations

from typing import Any

import torch

from gpustab import engine
from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.instability.distance import WithDistance, with_distance
from gpustab.studies.instability.exact_model import exact_agreement
from gpustab.studies.instability.how_many import word_matrices
from gpustab.studies.instability.overlap import measure
from gpustab.studies.shared.spaces import are_one

MODELS = ("plain", "corrected", "structure")
EPSILON = 1e-4
"""Leaving out words changes no p@n by more than twice this: a hundredth of the errors of the model itself."""


def prediction_tables(
    name: str, runs: Runs, targets: int, seed: int, compute: Compute, same: torch.Tensor | None = None
) -> dict[str, Table]:
    """Compare predicted with measured p@n over a seeded draw of target words.

    The predictions are ``plain`` (independent normals), ``corrected`` (for the correlation among a target's nearest
    neighbours) and ``structure``, the structure factor ρ@n: the same means, all SDs equal to their mean γ.

    Args:
        name: of the technique.
        runs: at least 3 that have all words.
        targets: how many words are drawn.
        seed: of that draw.
        compute: how to compute.
        same: ``(R, R)`` bool, pairs of runs that are one space twice.

    Returns:
        ``predictions`` (one row per word and n), ``table_a_2`` (Pearson, bias, RMSE of both models,
        and ``exact_…``: of the first if it were true, with as many runs, see :mod:`.exact_model`) and
        ``table_2_5`` (Pearson's ρ between structure factor and measured p@n; ``exact_pearson``: were that model true)
        and ``distance`` (p@n beside the words' PIP loss, freed of the noise of few runs, see :mod:`.distance`).

    Raises:
        InputError: if all runs are one space, so that there is nothing to predict.
    """
    if are_one(same):
        raise InputError("no cosine varies over the runs, so that there is nothing to predict")
    rows = engine.draw_targets(runs, targets, seed)
    lists, overlap, lengths = measure(runs, compute, rows)
    found = engine.predict_pass(runs, rows, lengths, compute, epsilon=EPSILON)
    p_word = overlap.p_word.cpu()
    models = {model: getattr(found, model).cpu() for model in MODELS}
    agreements = {model: engine.agreement(values, p_word) for model, values in models.items()}
    words = [runs.vocabulary.text(k) for k in rows.tolist()]
    predictions = Table(
        {
            "technique": [name] * (len(words) * len(lengths)),
            "word": words * len(lengths),
            "n": [n for n in lengths for _ in words],
            "measured": p_word.flatten().tolist(),
            **{model: values.flatten().tolist() for model, values in models.items()},
            "correlation": found.correlation.tolist() * len(lengths),
        },
        long=True,
    )
    accuracy = Table({"technique": [name] * len(lengths), "n": list(lengths), "targets": [len(words)] * len(lengths)})
    accuracy["measured"] = p_word.mean(1).tolist()
    for model in MODELS[:2]:
        accuracy |= {f"{model}_{field}": getattr(agreements[model], field).tolist() for field in _FIELDS}
    exact = exact_agreement(runs, rows, lengths, seed)
    accuracy |= {f"exact_{field}": getattr(exact, field).tolist() for field in _FIELDS}
    structure: dict[str, Any] = {
        "technique": [name] * len(lengths),
        "n": list(lengths),
        "pearson": agreements["structure"].pearson.tolist(),
        "bias": agreements["structure"].bias.tolist(),
        "targets": [len(words)] * len(lengths),
        "exact_pearson": exact_agreement(runs, rows, lengths, seed, found.gamma).pearson.tolist(),
        "gamma": [found.gamma] * len(lengths),
        "candidates": [int(found.candidates[2].double().mean())] * len(lengths),
        "pearson_with_pip": _with_pip(runs, rows, p_word, compute),
    }
    distances = word_matrices(runs, rows, compute)
    distance = Table.of(with_distance(name, lists, distances, compute, seed), WithDistance._fields)
    return {"predictions": predictions, "table_a_2": accuracy, "table_2_5": Table(structure), "distance": distance}


_FIELDS = ("pearson", "bias", "rmse")


def _with_pip(runs: Runs, rows: torch.Tensor, p_word: torch.Tensor, compute: Compute) -> list[float]:
    """Pearson's ρ of measured p@n with the word's PIP loss, which is free of the means: what p@n says of distance."""
    words = engine.wordwise_pass(runs, engine.gram_pass(runs, compute), compute)
    loss = words.mean.cpu()[rows].expand_as(p_word)
    pearson: list[float] = engine.agreement(loss, p_word).pearson.tolist()
    return pearson
