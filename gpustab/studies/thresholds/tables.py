"""The tables of the study, filled group by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np

from gpustab.kernels.similarity_groups import GROUPS
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Baseline
from gpustab.studies.thresholds.distributions import Distribution
from gpustab.studies.thresholds.evaluation import Score
from gpustab.studies.thresholds.one_run import RunFound
from gpustab.studies.thresholds.over_runs import over_runs, size_rows
from gpustab.studies.thresholds.welch import upper_edge

Tables = dict[str, Table]

LONG = ("groups", "places", "windows", "similarities", "similarity_by_place")
"""One row a group or place and run: for files."""


def add(
    tables: Tables,
    group: str,
    runs: Sequence[str],
    distributions: Sequence[Distribution],
    found: Sequence[RunFound],
) -> None:
    """Add one group of runs to all tables but those of scores and shapes; without a baseline nothing is found."""
    if found:
        _add_found(tables, group, runs, found)
    moments = [_moments(group, name, own) for name, own in zip(runs, distributions, strict=True)]
    _extend(tables, "moments", moments)
    _extend(tables, "similarities", list(_similarities(group, distributions)))
    _extend(tables, "similarity_by_place", list(_by_place(group, distributions)))


def _add_found(tables: Tables, group: str, runs: Sequence[str], found: Sequence[RunFound]) -> None:
    """Add what the baseline says."""
    _extend(tables, "thresholds", [row._asdict() for row in over_runs(group, found)])
    by_run = [{"group": group, **row._asdict()} for run in found for row in run.thresholds]
    _extend(tables, "thresholds_by_run", by_run)
    _extend(tables, "paper_sizes", size_rows(group, found))
    lists = [
        {"group": group, "run": name, **run.paper_lists._asdict()}
        for name, run in zip(runs, found, strict=True)
        if run.paper_lists is not None
    ]
    _extend(tables, "paper_lists", lists)
    for name, run in zip(runs, found, strict=True):
        own = {"group": group, "run": name}
        _extend(tables, "groups", [own | row._asdict() for row in run.groups])
        _extend(tables, "windows", [own | row._asdict() for row in run.windows])
        places = zip(run.place_means.tolist(), run.place_pairs.tolist(), strict=True)
        rows = [own | {"place": k, "pairs": n, "mean": mean} for k, (mean, n) in enumerate(places, 1)]
        _extend(tables, "places", rows)


def _extend(tables: Tables, name: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        tables.setdefault(name, Table(long=name in LONG)).extend(Table.of(rows))


def _moments(group: str, run: str, own: Distribution) -> dict[str, Any]:
    return {
        "group": group,
        "run": run,
        **own.law.moments._asdict(),
        "lowest": own.lowest,
        "highest": own.highest,
        "words": own.words,
    }


def _similarities(group: str, distributions: Sequence[Distribution]) -> Iterator[dict[str, Any]]:
    """Share of the similarities in each interval of 0.01: mean, least and largest over runs."""
    shares = np.stack([own.counts / own.counts.sum() for own in distributions])
    for k in range(GROUPS):
        column = shares[:, k]
        if column.any():
            yield {
                "group": group,
                "similarity": upper_edge(k),
                "share": float(column.mean()),
                "least": float(column.min()),
                "largest": float(column.max()),
            }


def _by_place(group: str, distributions: Sequence[Distribution]) -> Iterator[dict[str, Any]]:
    """Mean similarity to the j-th most similar word (avg_sim(j)): mean, least and largest over runs."""
    values = np.stack([own.by_place for own in distributions])
    for j in range(values.shape[1]):
        column = values[:, j]
        yield {
            "group": group,
            "place": j + 1,
            "similarity": float(column.mean()),
            "least": float(column.min()),
            "largest": float(column.max()),
        }


def add_scores(tables: Tables, rows: Sequence[Score]) -> None:
    """Add the scores of one group, run by run and over the runs (tables 2 to 7)."""
    _extend(tables, "scores_by_run", [row._asdict() for row in rows])
    kinds = dict.fromkeys((row.group, row.test, row.rule) for row in rows)
    for kind in kinds:
        own = [row for row in rows if (row.group, row.test, row.rule) == kind]
        _extend(tables, "scores", [score_row(own)])


def score_row(own: Sequence[Score]) -> dict[str, Any]:
    """Return the scores of one test and rule over runs."""
    first = own[0]
    row: dict[str, Any] = {
        "group": first.group,
        "test": first.test,
        "rule": first.rule,
        "total": first.total,
        "unknown": first.unknown,
        "below": fmean(x.below for x in own),
        "used": fmean(x.used for x in own),
        "runs": len(own),
    }
    for name in ("rho", "above", "tied", "dropped"):
        values = [value for x in own if (value := getattr(x, name)) is not None]
        row[name] = fmean(values) if values else None
        row[f"{name}_sd"] = stdev(values) if len(values) > 1 else None
    draws = [x.dropped_sd for x in own if x.dropped_sd is not None]
    row["draw_sd"] = fmean(draws) if draws else None
    return row


def summary(runs: Runs, base: Baseline | None, tables: Tables, found: Sequence[RunFound]) -> dict[str, Any]:
    """Return the group's entry in the JSON."""
    rows = list(tables["thresholds"].records(group=runs.name)) if found else []
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "words": int(runs.joint.sum()),
        "dimension": runs.dimension,
        "baseline": None if base is None else _of_baseline(base, found[0]),
        "thresholds": {f"{row['kind']}: {row['rule']}": row["mean"] for row in rows},
    }


def _of_baseline(base: Baseline, first: RunFound) -> dict[str, Any]:
    known = {"name": base.name, "words": len(base.rows)}
    return known | {"pairs": first.pairs, "mean": first.mean, "sd": first.sd}
