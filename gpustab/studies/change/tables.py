"""The rows of the study's tables of pairs of epochs and of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.displacement import Jackknifed
from gpustab.results import Table
from gpustab.studies.change.epoch import Between
from gpustab.studies.change.series import Series

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two epochs; changes are means over the tested words, each 1 − cosine.

    Attributes:
        series: name.
        of: the series that it is a control of, or itself.
        split: number of the control; empty where it is none.
        control: whether nothing changed between them.
        bootstrap: whether the runs read draws of their documents.
        first: the earlier epoch.
        second: the later one.
        words: joint words, over which the spaces are aligned.
        tested: those that are frequent enough in both.
        runs_first: runs of the earlier epoch.
        runs_second: of the later one.
        change: between individual runs, mean over all pairs of a run of each: IR, and EA word by word.
        change_sd: over these pairs.
        change_se: jackknife error of the mean over the runs of both epochs.
        averaged: between the aligned averages of all runs: AA.
        averaged_se: its jackknife error.
        corrected: free of training noise.
        corrected_se: its jackknife error.
        training_floor: between two runs of one epoch, mean of both epochs.
        training_se: its jackknife error.
        averaged_floor: between averages of half of an epoch's runs.
        sampling_floor: between two bootstrap runs of one epoch, mean of both; ``None`` where there are none.
        sampling_se: its jackknife error.
        beyond_se_words: error of change − sampling floor over words.
        mean_cosine_first: of two different words, in the earlier epoch's runs.
        mean_cosine_second: in the later one's.
    """

    series: str
    of: str
    split: str
    control: bool
    bootstrap: bool
    first: str
    second: str
    words: int
    tested: int
    runs_first: int
    runs_second: int
    change: float
    change_sd: float
    change_se: float
    averaged: float
    averaged_se: float
    corrected: float
    corrected_se: float
    training_floor: float
    training_se: float
    averaged_floor: float
    sampling_floor: float | None
    sampling_se: float | None
    beyond_se_words: float | None
    mean_cosine_first: float
    mean_cosine_second: float


class Floors(NamedTuple):
    """How far two bootstrap runs of one epoch lie apart, mean of two epochs.

    Attributes:
        words: their names.
        value: ``(v,)`` of every word.
        without_first: ``(R₁, v)`` without each run of the earlier epoch.
        without_second: ``(R₂, v)`` without each run of the later one.
    """

    words: list[str]
    value: Floats
    without_first: Floats
    without_second: Floats

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        """Return the mean over those words that have a floor, and its error over runs."""
        mask = torch.tensor(np.isin(self.words, words))
        return Jackknifed(*map(torch.from_numpy, self[1:])).mean(mask)


def floors_of(found: Between) -> Floors:
    """Return the floors of two epochs of bootstrap runs."""
    return Floors(found.words, *(part.numpy() for part in found.moves.within))


def pair_row(series: Series, found: Between, floors: Floors | None) -> Pair:
    """Return the row of a pair of epochs."""
    rows = found.tested
    change, change_se = found.moves.change.mean(rows)
    averaged, averaged_se = found.averaged.mean(rows)
    corrected, corrected_se = found.moves.corrected.mean(rows)
    training, training_se = found.moves.within.mean(rows)
    sampling, sampling_se = (None, None) if floors is None else floors.of(_tested(found))
    pairs = found.moves.pairs.flatten()
    return Pair(
        series.name,
        series.of,
        series.split,
        series.control,
        series.key.sampling == "bootstrap",
        found.first.name,
        found.second.name,
        len(found.words),
        int(rows.sum()),
        len(found.first.runs),
        len(found.second.runs),
        change,
        float(pairs.std()) if len(pairs) > 1 else float("nan"),
        change_se,
        averaged,
        averaged_se,
        corrected,
        corrected_se,
        training,
        training_se,
        float(found.halves[rows].mean()),
        sampling,
        sampling_se,
        None if floors is None else _words_error(found, floors),
        found.first.mean_cosine,
        found.second.mean_cosine,
    )


def _words_error(found: Between, floors: Floors) -> float:
    """Standard error over words of the mean change beyond the floor."""
    drawn = dict(zip(floors.words, floors.value.tolist(), strict=True))
    rows = zip(_tested(found), found.moves.change.value[found.tested].tolist(), strict=True)
    beyond = torch.tensor([change - drawn[word] for word, change in rows if word in drawn], dtype=torch.float64)
    return float(beyond.std() / len(beyond) ** 0.5) if len(beyond) > 1 else float("nan")


def _tested(found: Between) -> list[str]:
    return [word for word, kept in zip(found.words, found.tested.tolist(), strict=True) if kept]


def word_rows(series: str, found: Between, floors: Floors | None) -> Iterator[dict[str, Any]]:
    """Yield the row of every tested word, those first that changed most beyond the floor (else most, corrected)."""
    columns: dict[str, Tensor] = {
        "change": found.moves.change.value,
        "change_se": found.moves.change.se,
        "averaged": found.averaged.value,
        "averaged_se": found.averaged.se,
        "corrected": found.moves.corrected.value,
        "corrected_se": found.moves.corrected.se,
        "training_floor": found.moves.within.value,
    }
    counts = [None if own is None else own.tolist() for own in found.counts]
    lists = {name: own.tolist() for name, own in columns.items()}
    drawn = {} if floors is None else dict(zip(floors.words, floors.value.tolist(), strict=True))
    rows = []
    for k in found.tested.nonzero().flatten().tolist():
        floor = drawn.get(found.words[k])
        rows.append(
            {"series": series, "first": found.first.name, "second": found.second.name, "word": found.words[k]}
            | {
                f"count_{which}": None if own is None else own[k]
                for which, own in zip(("first", "second"), counts, strict=True)
            }
            | {name: own[k] for name, own in lists.items()}
            | {"sampling_floor": floor, "excess": None if floor is None else lists["change"][k] - floor}
        )
    yield from sorted(rows, key=_order)


def _order(row: Mapping[str, Any]) -> tuple[float, str]:
    """Most changed first: beyond the sampling floor, corrected, or as it is, whichever is known."""
    value = next((x for name in ("excess", "corrected", "change") if (x := row[name]) is not None and x == x), 0.0)
    return -value, row["word"]


def reliability(found: Between) -> float:
    """Return the part of the words' variance in corrected change that is not error over runs; NaN if unknown.

    A list of most changed words is worth reading where this is 0.9 or more: other runs would give nearly the same.
    """
    value, se = (own[found.tested] for own in (found.moves.corrected.value, found.moves.corrected.se))
    known = value.isfinite() & se.isfinite()
    if int(known.sum()) < 3:
        return float("nan")
    return float((1 - se[known].square().mean() / torch.var(value[known])).clamp(min=0))


def floor_series(pairs: Table) -> set[str]:
    """Return the bootstrap series that serve as the floor of others."""
    served = any(row["sampling_floor"] is not None for row in pairs.records())
    return {row["series"] for row in pairs.records() if served and row["bootstrap"]}
