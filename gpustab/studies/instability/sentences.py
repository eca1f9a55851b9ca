"""The verdict of the study: what a reader is told first of each technique, by rules that the observations share.

``benchmarks/verdicts.py`` and ``benchmarks/sentences.py`` count how often each rule is wrong at 3 to 16 runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.averaging_observations import fall
from gpustab.studies.instability.frequency_observations import FLAT, is_flat
from gpustab.studies.shared.documents import documents
from gpustab.studies.shared.verdicts import rows
from gpustab.studies.shared.wording import listed, number_span


def verdict(tables: Mapping[str, Table], techniques: Sequence[str], alarms: Sequence[str]) -> list[str]:
    """Return the sentences, those of the first technique first.

    Args:
        tables: of the study, ``observations`` among them.
        techniques: their names.
        alarms: of groups ``technique/sampling``: nothing is said of a technique that has one.
    """
    silent = silent_of(techniques, alarms)
    spoken = [name for name in techniques if name not in silent]
    said = []
    if len(spoken) > 1:
        said.append(_most_stable(tables, spoken))
    for name in spoken:
        of_it = [*_of_documents(tables, name), *_of_frequency(tables, name), *_of_averages(tables, name)]
        said += [f"{name}: {sentence}" if len(techniques) > 1 else sentence for sentence in of_it]
    if silent:
        said.append(f"No verdict is given on {listed(silent)}: see the warnings.")
    return [*filter(None, said), *_tally(tables["observations"], spoken)]


def silent_of(techniques: Sequence[str], alarms: Sequence[str]) -> list[str]:
    """Return the techniques of which nothing is said: a group ``technique/sampling`` has set off an alarm."""
    return [name for name in techniques if any(alarm.startswith(f"{name}/") for alarm in alarms)]


def _most_stable(tables: Mapping[str, Table], spoken: Sequence[str]) -> str:
    """Which technique varies least, by bootstrap runs, or shuffled ones where fewer than two have them.

    The two lowest losses of several that are equal differ by less than two that were named before: the rate of false
    verdicts is at most that of one comparison.
    """
    for sampling in ("bootstrap", "shuffled"):
        losses = {row["technique"]: _loss(row) for row in rows(tables, "table_2_8", sampling=sampling)}
        if len(set(losses) & set(spoken)) > 1:
            break
    else:
        return ""
    first, second, *_ = sorted(set(losses) & set(spoken), key=lambda name: losses[name].value)
    values = f"(reduced PIP loss: {first} {losses[first].text()}, {second} {losses[second].text()})"
    if losses[second].minus(losses[first]).interval[0] > 0:
        return f"Of {sampling} runs, those of {first} differ least {values}."
    return f"Which of {first} and {second} is the more stable cannot be told from these {sampling} runs {values}."


def _loss(row: Mapping[str, Any]) -> Estimate:
    return Estimate.of_runs(row["reduced_pip"], row["se"], row["runs"])


def _of_documents(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    """Bootstrap runs beside shuffled ones."""
    losses = {row["sampling"]: _loss(row) for row in rows(tables, "table_2_8", technique=name)}
    if {"shuffled", "bootstrap"} <= set(losses):
        yield documents(losses["shuffled"], losses["bootstrap"])[1]


def _of_frequency(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    """Whether another training moves rare words more."""
    for row in rows(tables, "frequency", technique=name, quantity="intrinsic", least_frequency=0):
        if math.isnan(row["change"]):
            continue
        found = is_flat(row, FLAT["intrinsic"])
        by = f"by {row['change']:+.0%} ({row['low']:+.0%} to {row['high']:+.0%})"
        if found == "yes":
            small = f"which is small (within {FLAT['intrinsic']:.0%})"
            yield f"From rare words to frequent ones, what another training changes differs {by}, {small}."
        elif found == "no":
            rises = "grows" if row["change"] > 0 else "falls"
            yield f"From rare words to frequent ones, what another training changes {rises}: {by}."
        else:
            yield f"Whether another training moves rare words more than frequent ones cannot be told: they differ {by}."


def _of_averages(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    """What averaging gains, by the largest averages."""
    levels = [row for row in rows(tables, "figure_3_5", technique=name, renormalised=False) if row["runs_beneath"] > 1]
    row = max(levels, key=lambda level: level["runs_beneath"], default={"ratio_cosine": math.nan})
    if not math.isfinite(row["ratio_cosine"]):  # equal runs have no loss to be a part of
        return
    n = row["runs_beneath"]
    low, high = (x / math.sqrt(n) for x in fall(row).interval)
    part = (
        f"averages of {n} runs differ {number(row['ratio_cosine'], 2)} times as much as runs ({number_span(low, high)}"
    )
    if high < 1:
        yield f"Averaging helps: {part}; independent errors would give {1 / math.sqrt(n):.2f})."
    elif low > 1:
        yield f"Averaging harms: {part})."
    else:
        yield f"Whether averaging helps cannot be told from these runs: {part})."


def _tally(observations: Table, spoken: Sequence[str]) -> Iterator[str]:
    """How many of the thesis' statements these runs bear out."""
    found = Counter(row["agrees"] for row in observations.rows() if row["technique"] in ("", *spoken))
    if found["yes"] + found["no"] + found["undecided"]:
        yield (
            f"Statements of Rettenmeier (2020) that these runs bear out: {found['yes']}; contradict: {found['no']}; "
            f"leave open: {found['undecided']}."
        )
