"""Rows of the study's tables from what was measured in each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpustab.spaces.words import show
from gpustab.studies.consistency.measures import (
    NUMBERS,
    Consistency,
    LeftOut,
    over_runs,
    size_constant,
    words_of_pairs,
)
from gpustab.studies.consistency.places import Own, Ranks
from gpustab.studies.consistency.prepare import Prepared


def of_model(model: str, found: Sequence[Consistency], prepared: Prepared) -> dict[str, Any]:
    """Return the numbers of one model, means over R background runs, each with its interval over terms.

    ``c``, of the additive model alone, is the constant of the size law of sums, see
    :func:`~gpustab.studies.consistency.measures.size_constant`; ``same_sd``, ``auc_sd`` ... are standard deviations
    over runs.
    """
    row: dict[str, Any] = {"model": model, "runs": len(found), "terms": len(prepared.samples.terms)}
    for name in NUMBERS:
        mean = over_runs([one.numbers[name] for one in found])
        row[name] = mean.value
        row[f"{name}_low"], row[f"{name}_high"] = mean.estimate.interval
        values = [one.numbers[name].value for one in found]
        row[f"{name}_sd"] = float(np.std(values, ddof=1)) if len(found) > 1 else None
    words = words_of_pairs(prepared.samples, prepared.words.cpu().numpy())
    row |= {"rank": float(np.mean([one.rank for one in found])), "among": found[0].among, "words": words}
    return row | {"c": size_constant(row["same"], words) if model in ("additive", "additive (centred)") else None}


def of_contrast(
    group: str, model: str, other: str, found: Sequence[Consistency], against: Sequence[Consistency]
) -> dict[str, Any]:
    """Return the difference of two models' cosine and AUC, with intervals over the terms, which are the same."""
    row: dict[str, Any] = {"group": group, "model": model, "against": other}
    for name in ("same", "auc"):
        one, two = (over_runs([x.numbers[name] for x in part]) for part in (found, against))
        difference = LeftOut(one.value - two.value, one.without - two.without)
        row[name] = difference.value
        row[f"{name}_low"], row[f"{name}_high"] = difference.estimate.interval
    return row


def of_ranks(model: str, found: Sequence[Ranks], words: int) -> dict[str, Any]:
    """Return the places among the background's words, means over runs."""
    means = {name: float(np.mean([getattr(one, name) for one in found])) for name in Ranks._fields}
    return {"model": model, **means, "words": words}


def of_runs(names: Sequence[str], model: str, found: Sequence[Consistency]) -> list[dict[str, Any]]:
    """Return the numbers of every background run by itself."""
    of = names if len(names) == len(found) else ("no background",)  # the SVD model has none
    return [
        {"run": name, "model": model, **{key: one.numbers[key].value for key in NUMBERS}}
        for name, one in zip(of, found, strict=True)
    ]


def of_terms(prepared: Prepared, raw: Sequence[Consistency], own: Sequence[Own]) -> list[dict[str, Any]]:
    """Return the numbers of every term in the additive model, means over runs.

    Args:
        prepared: the samples.
        raw: of every run.
        own: of every run.
    """
    means = {name: np.mean([one.by_term[name] for one in raw], axis=0) for name in ("same", "null", "auc", "rank")}
    means["own"] = np.mean([one.cosine for one in own], axis=0)
    sizes = np.bincount(prepared.samples.term, prepared.samples.sizes)
    return [
        {
            "term": show(prepared.text.words[word]),
            "occurrences": int(prepared.text.counts[word]),
            "sentences": int(sizes[k]),
            **{name: float(values[k]) for name, values in means.items()},
        }
        for k, word in enumerate(prepared.samples.terms.tolist())
    ]
