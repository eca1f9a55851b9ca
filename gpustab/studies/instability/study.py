"""The instability of word embeddings: chapters 2 and 3 of Rettenmeier 2020 on the runs at hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from gpustab import engine
from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress, no_progress
from gpustab.results import Result, Table, environment
from gpustab.runs import Runs
from gpustab.studies.instability.alignment import alignment_tables
from gpustab.studies.instability.averages import averaging_tables
from gpustab.studies.instability.extrinsic import instability_tables
from gpustab.studies.instability.frequency import frequency_tables
from gpustab.studies.instability.how_many import how_many_table
from gpustab.studies.instability.normality import distribution_tables
from gpustab.studies.instability.observations import observation_table
from gpustab.studies.instability.overlap import overlap_tables
from gpustab.studies.instability.pip import identity_table, proxy_tables
from gpustab.studies.instability.prediction import prediction_tables
from gpustab.studies.instability.quality import quality_tables
from gpustab.studies.instability.rows import records
from gpustab.studies.instability.techniques import Technique, techniques_of
from gpustab.studies.tables import extend

Tables = dict[str, Table]

_IDENTITY_WORDS = 100


def instability(
    groups: Runs | Sequence[Runs],
    *,
    pairs: int = 10_000,
    targets: int = 300,
    seed: int = 0,
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Result:
    """Repeat the measurements of the thesis' chapters 2 and 3 on some groups of runs.

    Groups ``<technique>/shuffled``, ``/bootstrap`` and ``/fixed`` are matched by technique; without bootstrap runs
    there is no extrinsic instability, the rest is there. Groups are never pooled. Averages hold all runs of a technique
    in float64, several times.

    Args:
        groups: from :func:`gpustab.load_groups`, joined by ``"joint"``, 3 or more runs each.
        pairs: random word pairs of the distribution tests and of the averages' cosines.
        targets: words whose p@n is predicted.
        seed: of every draw.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.

    Returns:
        Tables named by the thesis' numbers, see :mod:`gpustab.studies.instability.titles`; ``observations`` says what
        agrees. One group per technique; every observation is also a contrast.

    Raises:
        InputError: for fewer than 3 runs in a group, no shuffled runs, or numbers below 1.
    """
    started = time.perf_counter()
    groups = [groups] if isinstance(groups, Runs) else list(groups)
    if not groups or pairs < 1 or targets < 1:
        raise InputError(f"{len(groups)} groups, pairs is {pairs}, targets is {targets}; wanted at least 1 of each")
    compute = compute or Compute(groups[0].device)
    techniques, notes = techniques_of([engine.place(runs, compute) for runs in groups])
    result = Result("instability", {"pairs": pairs, "targets": targets, "seed": seed}, notes=notes)
    report = progress or no_progress
    for number, technique in enumerate(techniques):
        steps = _steps(technique, pairs, targets, seed, compute, result.notes)
        for step, (title, work) in enumerate(steps):
            report(f"{technique.name}: {title}", (number + step / len(steps)) / len(techniques))
            for name, table in work().items():
                if table:
                    extend(result.tables.setdefault(name, {}), table)
        trends = frequency_tables(_of_technique(result.tables["words"], technique.name))
        for name, table in trends.items():
            extend(result.tables.setdefault(name, {}), table)
    result.tables = {"observations": observation_table(result.tables), **result.tables}
    result.groups = [_summary(technique, result.tables) for technique in techniques]
    result.contrasts = [{"name": "observation", **row} for row in records(result.tables["observations"])]
    result.notes = list(dict.fromkeys(result.notes)) + _general_notes(techniques)
    result.settings |= {"centre": groups[0].centre, "unit": groups[0].unit, "precision": compute.precision}
    result.environment = environment(compute.device) | {"seconds": time.perf_counter() - started}
    return result


def _steps(
    technique: Technique, pairs: int, targets: int, seed: int, compute: Compute, notes: list[str]
) -> list[tuple[str, Callable[[], Tables]]]:
    name, runs = technique.name, technique.shuffled

    def distribution() -> Tables:
        if len(runs) > 3:
            return distribution_tables(name, runs, pairs, seed, compute)
        notes.append(f"{name}: the distribution over runs is left out, it wants at least 4 runs.")
        return {}

    def quality() -> Tables:
        tables, reasons = quality_tables(name, runs, compute)
        notes.extend(reasons)
        return tables

    return [
        ("PIP loss", lambda: instability_tables(technique, compute)),
        ("distribution of cosines", distribution),
        ("neighbours", lambda: overlap_tables(technique, seed, compute)),
        ("sampled proxies", lambda: proxy_tables(name, runs, seed, compute)),
        ("variances", lambda: {"identity": identity_table(name, runs, _IDENTITY_WORDS, seed, compute)}),
        ("averages", lambda: averaging_tables(name, runs, pairs, seed)),
        ("alignment", lambda: alignment_tables(name, runs, pairs, seed)),
        ("scores", quality),
        ("how many runs", lambda: {"how_many": how_many_table(name, runs, seed, compute)}),
        ("prediction", lambda: prediction_tables(name, runs, targets, seed, compute)),
    ]


def _of_technique(table: Table, name: str) -> Table:
    here = [k for k, technique in enumerate(table["technique"]) if technique == name]
    return {column: [values[k] for k in here] for column, values in table.items()}


def _summary(technique: Technique, tables: Tables) -> dict[str, Any]:
    losses = {row["sampling"]: row for row in records(tables["table_2_8"], technique=technique.name)}
    extrinsic = next(records(tables.get("table_2_11"), technique=technique.name), {})
    return {
        "name": technique.name,
        "runs": {sampling: list(runs.names) for sampling, runs in technique.groups.items()},
        "words": losses["shuffled"]["words"],
        "dimension": technique.shuffled.dimension,
        "pip": {sampling: {key: row[key] for key in ("reduced_pip", "sd", "se")} for sampling, row in losses.items()},
        "extrinsic": extrinsic.get("extrinsic"),
        "signed_square": extrinsic.get("signed_square"),
    }


def _general_notes(techniques: Sequence[Technique]) -> list[str]:
    fewest = min(len(technique.shuffled) for technique in techniques)
    notes = [f"{t.name}: without bootstrap runs, no extrinsic part." for t in techniques if "bootstrap" not in t.groups]
    return [
        *notes,
        f"Means and SDs that predict p@n are estimates from {fewest} or more runs, the same that are measured: the "
        "means scatter by σ/√R, which spreads the words and raises the prediction.",
        "Intervals of trends take words for a sample of the language's; all of them are measured by the same runs.",
    ]
