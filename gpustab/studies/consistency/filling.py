"""Filling the tables with what was measured of one background and one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpustab.errors import option
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.consistency import rows
from gpustab.studies.consistency.models import ADDITIVE, Model, OfRun
from gpustab.studies.consistency.own import own_row
from gpustab.studies.consistency.prepare import Prepared, known_share
from gpustab.studies.shared.frame import Answer


def add(answer: Answer, case: str, name: str, more: Sequence[dict[str, Any]], *, long: bool = False) -> None:
    """Add rows of one background and text to a table."""
    table = Table.of([{"group": case, **row} for row in more], long=long)
    if name in answer.result.tables:
        answer.result.tables[name].extend(table)
    elif table:
        answer.result.tables[name] = table


def add_runs(answer: Answer, case: str, found: Sequence[OfRun]) -> None:
    """Add what is of single runs: the neighbours of the first, updates, which are of all, and the grid's means."""
    add(answer, case, "neighbours", found[0].nearest)
    add(answer, case, "updates", found[0].updates)
    grid = [_mean_of(settings) for settings in zip(*(one.grid for one in found), strict=True)]
    add(answer, case, "grid", grid)
    if lost := sum(one.diverged for one in found):
        of = f" in {lost} of {len(found)} runs" if len(found) > 1 else ""
        answer.result.alarms.append(f"{case}: Nonce2Vec diverged{of}, and is left out; lower {option('alpha')}.")


def _mean_of(settings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One setting of the grid over the runs; none where it diverged in one."""
    means = {}
    for name in ("same", "null", "auc"):
        values = [row[name] for row in settings]
        means[name] = None if None in values else sum(values) / len(values)
    return settings[0] | means


def add_models(answer: Answer, case: str, runs: Runs, prepared: Prepared, models: dict[str, list[Model]]) -> None:
    """Add the rows of all models."""
    known = int(runs.joint.sum())
    for model, each in models.items():
        numbers = [one.numbers for one in each]
        about = {"background": runs.name, "text": prepared.text.name}
        add(answer, case, "consistency", [about | rows.of_model(model, numbers, prepared)])
        add(answer, case, "runs", rows.of_runs(runs.names, model, numbers))
        _compare(answer, case, model, models)
        if ranks := [one.ranks for one in each if one.ranks]:
            add(answer, case, "ranks", [rows.of_ranks(model, ranks, known)])
            add(answer, case, "own", [own_row(model, [one.own for one in each if one.own])])
    sums = models[ADDITIVE]
    terms = rows.of_terms(prepared, [one.numbers for one in sums], [one.own for one in sums if one.own])
    add(answer, case, "terms", terms, long=True)


def _compare(answer: Answer, case: str, model: str, models: dict[str, list[Model]]) -> None:
    """Add the difference of a model to the additive one with the same window, over the same terms."""
    kind, _, window = model.partition(" ")
    other = f"{ADDITIVE} {window}" if kind == "SVD" else ADDITIVE
    if kind != ADDITIVE:
        one, two = ([run.numbers for run in models[name]] for name in (model, other))
        answer.result.contrasts.append(rows.of_contrast(case, model, other, one, two))


def summary(case: str, runs: Runs, prepared: Prepared) -> dict[str, Any]:
    """Return what was measured, for the head of the page."""
    sizes = prepared.samples.sizes
    return {
        "name": case,
        "text": prepared.text.name,
        "source": prepared.text.source,
        "runs": list(runs.names),
        "words": int(runs.joint.sum()),
        "known": known_share(prepared.text, prepared.found.rows),
        "terms": len(prepared.samples.terms),
        "samples": len(sizes),
        "sentences": float(sizes.mean()),
        "full": float((sizes >= sizes.max()).mean()),
    }
