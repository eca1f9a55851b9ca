"""Table 4.3: technique × way × sampling over the languages of SemEval-2020 task 1, trained in one call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from gpustab.results.page import number
from gpustab.statistics.intervals import jackknife_error
from gpustab.studies.change.task import Judged, sd


class Cell(NamedTuple):
    """One row of table 4.3: a way of one series, mean over the languages.

    Attributes:
        technique: what was trained.
        sampling: how each run's text was drawn.
        way: IR, AA or EA, see :class:`~gpustab.studies.change.task.Score`.
        size: runs of each period behind it, of the language that has fewest.
        languages: how many it is a mean over.
        accuracy: mean over the languages.
        accuracy_sd: of that mean over pairs of runs (IR), or over the halves of the runs (AA and EA), which as in the
            thesis is an upper limit.
        accuracy_se: jackknife error over the runs, the k-th of all periods and languages left out together.
        spearman: likewise.
        spearman_sd: likewise.
        spearman_se: likewise.
        majority: accuracy of calling all targets of a language what most of them are, mean over the languages.
    """

    technique: str
    sampling: str
    way: str
    size: int
    languages: int
    accuracy: float
    accuracy_sd: float
    accuracy_se: float
    spearman: float
    spearman_sd: float
    spearman_se: float
    majority: float


def cells(judged: Sequence[Judged]) -> Iterator[Cell]:
    """Yield the rows of table 4.3 from what the series of all languages said; languages without truth are left out."""
    places = dict.fromkeys((own.technique, own.sampling, own.way) for own in judged)
    for place in places:
        own = [x for x in judged if (x.technique, x.sampling, x.way) == place and not math.isnan(x.majority)]
        if own:
            accuracy, ranks = _over_languages(own, "accuracy"), _over_languages(own, "spearman")
            size, majority = min(x.size for x in own), fmean(x.majority for x in own)
            yield Cell(*place, size, len(own), *accuracy, *ranks, majority)


def _over_languages(own: Sequence[Judged], name: str) -> tuple[float, float, float]:
    """Mean over the languages, its SD over draws and its jackknife error; NaN where languages have other numbers."""
    draws, left = ([getattr(x, f"{name}_{kind}") for x in own] for kind in ("draws", "without"))
    return fmean(getattr(x, name) for x in own), _spread(draws, sd), _spread(left, jackknife_error)


def _spread(lists: Sequence[Sequence[float]], measure: Any) -> float:
    if len({len(values) for values in lists}) > 1:
        return math.nan
    return float(measure([fmean(values) for values in zip(*lists, strict=True)]))


def sentence(rows: Sequence[Any]) -> list[str]:
    """Return what the grid comes to: the best ranks, and whether any way classifies better than the larger class.

    The best of many cells is best by luck too, so it is said to be the best of so many.
    """
    ranked = [row for row in rows if math.isfinite(row["spearman"])]
    if not ranked:
        return []
    best = max(ranked, key=lambda row: row["spearman"])
    above = sum(row["accuracy"] > row["majority"] for row in rows)
    many = f"{above} of {len(rows)} ways classify" if above else "no way classifies"
    return [
        f"The best ranks of {len(ranked)} ways are those of {best['technique']}/{best['sampling']} {best['way']}: "
        f"Spearman's ρ {number(best['spearman'], 3)}, mean of {best['languages']} languages; {many} better than "
        f"calling all targets what most are ({number(rows[0]['majority'], 3)})."
    ]
