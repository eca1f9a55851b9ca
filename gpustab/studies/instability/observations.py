"""The observations of the thesis, §2.1.3 to 2.3.1, beside what the runs at hand show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate, correlation_interval, sd_interval
from gpustab.studies.instability.averaging_observations import of_averaging
from gpustab.studies.instability.consistency import BATCHES
from gpustab.studies.instability.frequency_observations import of_words
from gpustab.studies.shared.verdicts import (
    AS_IN_THESIS,
    Observation,
    Verdict,
    above,
    decide,
    rising,
    rows,
    shown,
    within,
)

_ORDERS = {
    "fixed": ("sgns", "glove", "fasttext"),
    "shuffled": ("glove", "sgns", "fasttext"),
    "bootstrap": ("fasttext", "sgns", "glove"),
}
"""Table 2.9, from stable to unstable."""

NORMAL_FROM = 6
"""Of fewer runs Student's t with 5 degrees of freedom looks normal to the test."""
NORMAL, NOT_NORMAL = 0.05, 0.03
INDEPENDENT = 0.05
CONSISTENT = 0.9
AGREES = 0.95
VARIES = 0.04
"""Largest SD of the loss: the thesis' own table 2.8 has 0.0002 to 0.037 of it, 19 of 63 above 0.01."""
EQUIVALENT = 0.05
PROXY = 1000


def observation_table(tables: Mapping[str, Table]) -> Table:
    """Return the table of all observations that the other tables of the study tell something of."""
    found = [*_of_cosines(tables), *_of_neighbours(tables), *_of_spaces(tables), *of_words(tables)]
    return Table.of([*found, *of_averaging(tables)], Observation._fields)


def _of_cosines(tables: Mapping[str, Table]) -> Iterator[Observation]:
    for row in rows(tables, "distribution", hypothesis="normal"):
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
    for row in rows(tables, "distribution", hypothesis="independent, disjoint"):
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
    for row in rows(tables, "table_a_2", n=1):
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
    for row in rows(tables, "table_2_5", n=1):
        low, high = correlation_interval(row["pearson"], row["targets"])
        shows = (
            f"ρ = {shown(row['pearson'], '.3f')} [{shown(low, '.3f')}, {shown(high, '.3f')}], bias {row['bias']:+.3f}; "
            f"were it exact {shown(row['exact_pearson'], '.3f')}"
        )
        agrees = predicted((low, high), row["exact_pearson"], row["targets"])
        yield Observation("2.2.2", "p@1 is its structure factor", row["technique"], shows, agrees, _PREDICTED)
    sizes = {row["technique"]: row["words"] for row in rows(tables, "proxy")}  # the last one is the largest
    for row in rows(tables, "table_2_6", words="all"):
        if (value := row[str(PROXY)]) == value:  # NaN where there are fewer words
            v = sizes[row["technique"]]
            interval = correlation_interval(value, row["targets"])
            shows = f"ρ = {value:.3f} of {PROXY:,} words with all {v:,} (thesis: 0.974 to 0.981)"
            agrees = decide(interval, AGREES, 1) if v >= 2 * PROXY else "no test"
            claim = "The word-wise PIP loss is consistent over sampled proxies"
            rule = f"Spearman's ρ above {AGREES} with its interval; no test where the proxy is most of all words"
            yield Observation("2.2.3", claim, row["technique"], shows, agrees, rule)


_PREDICTED = f"interval of Pearson's ρ above {AGREES}; no if below, and below what as few runs of an exact model reach"


def predicted(interval: tuple[float, float], exact: float, targets: int) -> Verdict:
    """Judge a prediction by its correlation with the measured; few runs keep an exact model from agreeing too."""
    found = decide(interval, AGREES, 1)
    if found == "no" and not interval[1] < correlation_interval(exact, targets)[0]:
        return "undecided"
    return found


def _of_consistency(tables: Mapping[str, Table]) -> Iterator[Observation]:
    known = {row["technique"]: row for row in rows(tables, "consistency")}
    for row in rows(tables, "table_2_3", metric="p", n=2):
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


def _of_spaces(tables: Mapping[str, Table]) -> Iterator[Observation]:
    losses = {(row["technique"], row["sampling"]): row for row in rows(tables, "table_2_8")}
    for (technique, sampling), row in losses.items():
        low, high = sd_interval(row["relative_sd"], row["runs"])
        shows = (
            f"SD {shown(row['relative_sd'], '.2%')} of the loss [{shown(low, '.2%')}, {shown(high, '.2%')}]; of one "
            f"word {shown(row['word_relative_sd'], '.1%')}, as of χ with "
            f"{shown(row['word_degrees_of_freedom'], '.0f')} degrees of freedom, not {row['words']:,}"
        )
        rule = f"interval of the SD below {VARIES:.0%}, the largest of the thesis' table 2.8"
        claim = f"Losses hardly vary between pairs, {sampling}"
        yield Observation("2.3, 1", claim, technique, shows, decide((low, high), 0, VARIES), rule)
    for sampling, order in _ORDERS.items():
        there = [losses[name, sampling] for name in order if (name, sampling) in losses]
        if len(there) > 1:
            shows = ", ".join(f"{row['technique']} {_loss(row).text('.5f')}" for row in there)
            claim = f"{sampling}: " + " < ".join(AS_IN_THESIS[row["technique"]] for row in there)
            rule = "95 % interval of each step above 0; no if one is below"
            yield Observation("2.3, 2", claim, "", shows, rising([_loss(row) for row in there]), rule)
    yield from _of_fixed_glove(tables, losses)
    for row in rows(tables, "table_2_11"):
        square = Estimate.of_runs(row["signed_square"], row["square_se"], row["runs"])
        shows = f"I² = {square.text()}; {row['negative_words']} words negative"
        claim = "Bootstrap runs differ more than shuffled ones: an extrinsic part"
        yield Observation("2.3, 3", claim, row["technique"], shows, above(square, 0), "95 % interval of I² above 0")
    claim = "The extrinsic instability falls with corpus size and rises with vocabulary size"
    yield Observation("2.3, 4", claim, "", "one corpus", "no test", "wants several corpora")


def _loss(row: Mapping[str, Any]) -> Estimate:
    return Estimate.of_runs(row["reduced_pip"], row["se"], row["runs"])


def _of_fixed_glove(
    tables: Mapping[str, Table], losses: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Iterator[Observation]:
    claim = "GloVe: fixed and shuffled do not differ"
    rule = f"95 % interval of the difference within ±{EQUIVALENT:.0%} of the loss"
    fixed, shuffled = losses.get(("glove", "fixed")), losses.get(("glove", "shuffled"))
    same = {(row["first"], row["second"]) for row in rows(tables, "same_runs", technique="glove")}
    if not shuffled:
        return
    if not fixed:
        yield Observation("2.3, 2", claim, "glove", "no fixed runs", "no test", rule)
    elif same & {("fixed", "shuffled"), ("shuffled", "fixed")}:
        shows = "fixed and shuffled runs are the same runs, bit for bit: no test"
        yield Observation("2.3, 2", claim, "glove", shows, "no test", rule)
    else:
        difference = _loss(fixed).minus(_loss(shuffled)).over(shuffled["reduced_pip"])
        shows = (
            f"{_loss(fixed).text('.5f')}, {_loss(shuffled).text('.5f')}: "
            f"{shown(difference.value, '+.1%')} ± {shown(difference.half, '.1%')}"
        )
        agrees = within(difference, -EQUIVALENT, EQUIVALENT)
        yield Observation("2.3, 2", claim, "glove", shows, agrees, rule)
