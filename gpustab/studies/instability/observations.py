"""The observations of the thesis, §2.1.3 to 2.3.1, beside what the runs at hand show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate, correlation_interval
from gpustab.studies.instability.averaging_observations import of_analogies, of_averaging
from gpustab.studies.instability.consistency import BATCHES
from gpustab.studies.instability.frequency_observations import of_words
from gpustab.studies.instability.space_observations import of_orders, of_spaces
from gpustab.studies.shared.claims import (
    Observation,
    Verdict,
    decide,
    records,
    shown,
    within,
)

NORMAL_FROM = 6
"""Of fewer runs Student's t with 5 degrees of freedom looks normal to the test."""
NORMAL, NOT_NORMAL = 0.05, 0.03
INDEPENDENT = 0.05
CONSISTENT = 0.9
AGREES = 0.95
PROXY = 1000
UNRELATED = 0.2
"""Correlation of p@n with the distance up to which they are unrelated: 4 % of the variance."""


def observation_table(tables: Mapping[str, Table], silent: Mapping[str, str] | None = None) -> Table:
    """Return the table of all observations that the other tables of the study tell something of.

    Args:
        tables: of the study.
        silent: why, of the techniques on which no verdict is given: their runs test nothing, and they are compared
            with no other.
    """
    reasons = silent or {}
    sound = {name: _without(table, reasons) for name, table in tables.items()} if reasons else tables
    single = [
        *_of_cosines(tables),
        *_of_neighbours(tables),
        *of_spaces(tables),
        *of_words(tables),
        *of_averaging(tables),
    ]
    compared = [*of_orders(sound), *of_analogies(sound)]
    return Table.of([*(_withheld(row, reasons) for row in single), *compared], Observation._fields)


def _without(table: Table, techniques: Collection[str]) -> Table:
    if "technique" not in table:
        return table
    return table.take(k for k, name in enumerate(table["technique"]) if name not in techniques)


def _withheld(row: Observation, reasons: Mapping[str, str]) -> Observation:
    """An observation of runs that are not sound says what was measured, and neither yes nor no."""
    if row.technique not in reasons:
        return row
    return row._replace(agrees="no test", shows=f"no verdict, since {reasons[row.technique]}; measured: {row.shows}")


def _of_cosines(tables: Mapping[str, Table]) -> Iterator[Observation]:
    for row in records(tables, "distribution", hypothesis="normal"):
        shows = (
            f"p < 0.05 in {row['below_0.05']:.1%} of {row['tested']:,} (normals: {row['normals_below_0.05']:.1%}); "
            f"distance {row['distance']:.3f} ± {row['distance_band']:.3f}, p = {row['p']:.2g}"
        )
        rule = (
            f"distance of the p-values from those of simulated normals at most {NORMAL}, from {NORMAL_FROM} runs on; "
            f"no above {NOT_NORMAL}"
        )
        claim = "Cosines of a word pair are normal over runs"
        yield Observation("2.1.3", claim, row["technique"], shows, normal(row), rule)
    for row in records(tables, "distribution", hypothesis="independent, disjoint"):
        found = Estimate.of_runs(row["correlation"], row["correlation_se"], row["runs"])
        shows = (
            f"mean correlation {found.text('+.3f')}, p = {row['correlation_p']:.2g} by permuted runs; p < 0.05 in "
            f"{row['below_0.05']:.1%} of {row['tested']:,} (normals: {row['normals_below_0.05']:.1%})"
        )
        rule = f"interval of the mean correlation within ±{INDEPENDENT}; no if outside and p < 0.01"
        claim = "Cosines of disjoint word pairs are independent over runs"
        yield Observation("2.1.3", claim, row["technique"], shows, independent(found, row["correlation_p"]), rule)


def normal(row: Mapping[str, Any]) -> Verdict:
    """Judge normality by the distance of Shapiro-Wilk p-values from those of normals, and by how sure that is."""
    distance, band = row["distance"], row["distance_band"]
    if distance + band <= NORMAL:
        return "yes" if row["runs"] >= NORMAL_FROM else "undecided"
    return "no" if distance - band > NOT_NORMAL else "undecided"


def independent(correlation: Estimate, p: float) -> Verdict:
    """Judge independence by the mean correlation over couples; a no wants the permuted runs to say so too."""
    found = within(correlation, -INDEPENDENT, INDEPENDENT)
    return "undecided" if found == "no" and not p < 0.01 else found


def _of_neighbours(tables: Mapping[str, Table]) -> Iterator[Observation]:
    yield from _of_consistency(tables)
    for row in records(tables, "table_a_2", n=1):
        low, high = correlation_interval(row["plain_pearson"], row["targets"])
        shows = (
            f"ρ = {shown(row['plain_pearson'], '.3f')} [{shown(low, '.3f')}, {shown(high, '.3f')}], bias "
            f"{row['plain_bias']:+.3f}, RMSE {row['plain_rmse']:.3f}; corrected "
            f"{shown(row['corrected_pearson'], '.3f')}, {row['corrected_bias']:+.3f}, {row['corrected_rmse']:.3f}; "
            f"were the model exact {shown(row['exact_pearson'], '.3f')}, {row['exact_bias']:+.3f}, "
            f"{row['exact_rmse']:.3f}"
        )
        claim = "p@1 is predicted by independent normals"
        agrees = predicted((low, high), row["exact_pearson"], row["targets"])
        yield Observation("A.4", claim, row["technique"], shows, agrees, _PREDICTED)
    for row in records(tables, "table_2_5", n=1):
        low, high = correlation_interval(row["pearson"], row["targets"])
        shows = (
            f"ρ = {shown(row['pearson'], '.3f')} [{shown(low, '.3f')}, {shown(high, '.3f')}], bias {row['bias']:+.3f}; "
            f"were it exact {shown(row['exact_pearson'], '.3f')}"
        )
        agrees = predicted((low, high), row["exact_pearson"], row["targets"])
        yield Observation("2.2.2", "p@1 is its structure factor", row["technique"], shows, agrees, _PREDICTED)
    yield from _of_distance(tables)
    sizes = {row["technique"]: row["words"] for row in records(tables, "proxy")}  # the last one is the largest
    for row in records(tables, "table_2_6", words="all"):
        if (value := row[str(PROXY)]) == value:  # NaN where there are fewer words
            v = sizes[row["technique"]]
            interval = correlation_interval(value, row["targets"])
            shows = f"ρ = {value:.3f} of {PROXY:,} words with all {v:,} (thesis: 0.974 to 0.981)"
            agrees = decide(interval, AGREES, 1) if v >= 2 * PROXY else "no test"
            claim = "The word-wise PIP loss is consistent over sampled proxies"
            rule = f"Spearman's ρ above {AGREES} with its interval; no test where the proxy is most of all words"
            yield Observation("2.2.3", claim, row["technique"], shows, agrees, rule)


_PREDICTED = (
    f"interval of Pearson's ρ above {AGREES}, which of fewer than 16 runs not even an exact model shows; no if below, "
    "and below what as few runs of an exact model reach"
)


def predicted(interval: tuple[float, float], exact: float, targets: int) -> Verdict:
    """Judge a prediction by its correlation with the measured; few runs keep an exact model from agreeing too.

    Of two exact models the first is missed in 98 % of the sets at 3 to 6 runs, 79 % at 8 and 1 % at 16, the second in
    98 %, 100 % and 44 %: a yes wants about 16 runs or more. A no is told from 4 to 6 runs on.
    """
    found = decide(interval, AGREES, 1)
    if found == "no" and not interval[1] < correlation_interval(exact, targets)[0]:
        return "undecided"
    return found


def _of_consistency(tables: Mapping[str, Table]) -> Iterator[Observation]:
    known = {row["technique"]: row for row in records(tables, "consistency")}
    for row in records(tables, "table_2_3", metric="p", n=2):
        if row["@50"] is None:
            continue
        shows = f"ρ = {shown(row['@50'], '.2f')} as measured (thesis: 0.65 word2vec, 0.42 GloVe, 0.29 fastText)"
        agrees: Verdict = "undecided"
        if found := known.get(row["technique"]):
            estimate = Estimate(found["correlation"], found["se"], BATCHES - 1)
            shows += (
                f"; {estimate.text('.2f')} free of noise, by halves of the runs, whose p@2 agree at "
                f"{shown(found['reliability'], '.2f')}, p@50 at {shown(found['other_reliability'], '.2f')}"
            )
            agrees = decide(estimate.interval, -1, CONSISTENT)
        claim = "p@n is inconsistent over n"
        rule = f"interval of Spearman's ρ over words of p@2 and p@50, freed of noise, below {CONSISTENT}; wants 4 runs"
        yield Observation("2.2.2", claim, row["technique"], shows, agrees, rule)


def _of_distance(tables: Mapping[str, Table]) -> Iterator[Observation]:
    by_length = {(row["technique"], row["n"]): row for row in records(tables, "distance")}
    for (technique, n), row in by_length.items():
        if n != max(length for name, length in by_length if name == technique):
            continue
        found = _with_distance(row)
        shows = (
            f"Spearman's ρ of p@{n} with the word's PIP loss {shown(row['measured'], '+.2f')} as measured, "
            f"{found.text('+.2f')} free of noise, by halves of the runs"
        )
        if (first := by_length[technique, 1]) is not row:
            shows += f"; of p@1 {_with_distance(first).text('+.2f')}"
        claim = "p@n is unrelated to the distance of a word over runs"
        rule = f"interval of ρ, freed of noise, within ±{UNRELATED}; no if outside; wants 4 runs"
        yield Observation("2.2.2", claim, technique, shows, unrelated(row), rule)


def _with_distance(row: Mapping[str, Any]) -> Estimate:
    return Estimate(row["correlation"], row["se"], BATCHES - 1)


def unrelated(row: Mapping[str, Any]) -> Verdict:
    """Judge p@n unrelated to the PIP loss by their correlation over words, freed of noise."""
    return within(_with_distance(row), -UNRELATED, UNRELATED)
