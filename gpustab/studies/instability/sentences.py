"""The verdict of the study: what a reader is told first of each technique, by rules that the observations share.

``benchmarks/verdicts.py`` and ``benchmarks/sentences.py`` count how often each rule is wrong at 3 to 16 runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.averaging_observations import fall
from gpustab.studies.instability.frequency_observations import FLAT, is_flat
from gpustab.studies.shared.claims import records
from gpustab.studies.shared.documents import documents
from gpustab.studies.shared.wording import number_span


def verdict(tables: Mapping[str, Table], techniques: Sequence[str], silent: Mapping[str, str]) -> list[str]:
    """Return the sentences, those of the first technique first.

    Args:
        tables: of the study, ``observations`` among them.
        techniques: their names.
        silent: why, of the techniques on which no verdict is given: nothing is said of them.
    """
    spoken = [name for name in techniques if name not in silent]
    said = [most_stable(tables, spoken)]
    for name in spoken:
        of_it = [*_of_documents(tables, name), *_of_frequency(tables, name), *_of_averages(tables, name)]
        said += [f"{name}: {sentence}" if len(techniques) > 1 else sentence for sentence in of_it]
    said += [f"No verdict is given on {name}: {reason}." for name, reason in silent.items()]
    return [*filter(None, said), *_tally(tables["observations"], spoken)]


def most_stable(tables: Mapping[str, Table], spoken: Sequence[str]) -> str:
    """Return which technique varies least, by bootstrap runs, or shuffled ones where fewer than two have them.

    Empty where fewer than two can be compared.

    The two lowest losses of several that are equal differ by less than two that were named before: the rate of false
    verdicts is at most that of one comparison.
    """
    for sampling in ("bootstrap", "shuffled"):
        losses = {row["technique"]: _loss(row) for row in records(tables, "table_2_8", sampling=sampling)}
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


def documents_of(tables: Mapping[str, Table], name: str) -> tuple[str, str] | None:
    """Return bootstrap runs beside shuffled ones, as :func:`gpustab.studies.shared.documents.documents` does."""
    losses = {row["sampling"]: _loss(row) for row in records(tables, "table_2_8", technique=name)}
    there = {"shuffled", "bootstrap"} <= set(losses)
    return documents(losses["shuffled"], losses["bootstrap"]) if there else None


def _of_documents(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    if found := documents_of(tables, name):
        yield found[1]


def _of_frequency(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    """Whether another training moves rare words more."""
    for row in records(tables, "frequency", technique=name, quantity="intrinsic", least_frequency=0):
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


class Averaging(NamedTuple):
    """What averaging does.

    Attributes:
        verdict: ``"helps"``, ``"harms"`` or ``"open"``.
        part: how much averages differ, without the full stop.
    """

    verdict: str
    part: str


def averaging(tables: Mapping[str, Table], name: str) -> Averaging | None:
    """Return what averaging gains, by the largest averages; nothing where no loss of theirs is known."""
    levels = [
        row for row in records(tables, "figure_3_5", technique=name, renormalised=False) if row["runs_beneath"] > 1
    ]
    row = max(levels, key=lambda level: level["runs_beneath"], default={"ratio_cosine": math.nan})
    if not math.isfinite(row["ratio_cosine"]):  # equal runs have no loss to be a part of
        return None
    n = row["runs_beneath"]
    low, high = (x / math.sqrt(n) for x in fall(row).interval)
    part = (
        f"averages of {n} runs differ {number(row['ratio_cosine'], 2)} times as much as runs ({number_span(low, high)}"
    )
    if high < 1:
        return Averaging("helps", f"{part}; independent errors would give {1 / math.sqrt(n):.2f})")
    return Averaging("harms" if low > 1 else "open", f"{part})")


_AVERAGING = {
    "helps": "Averaging helps",
    "harms": "Averaging harms",
    "open": "Whether averaging helps cannot be told from these runs",
}


def _of_averages(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    if found := averaging(tables, name):
        yield f"{_AVERAGING[found.verdict]}: {found.part}."


def _tally(observations: Table, spoken: Sequence[str]) -> Iterator[str]:
    """How many of the thesis' statements these runs bear out."""
    found = Counter(row["agrees"] for row in observations.records() if row["technique"] in ("", *spoken))
    if found["yes"] + found["no"] + found["undecided"]:
        yield (
            f"Statements of Rettenmeier (2020) that these runs bear out: {found['yes']}; contradict: {found['no']}; "
            f"leave open: {found['undecided']}."
        )
