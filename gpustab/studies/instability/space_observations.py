"""The observations of the thesis on whole spaces, §2.3, beside what the runs at hand show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.shared.claims import (
    AS_IN_THESIS,
    Observation,
    above,
    decide,
    records,
    rising,
    shown,
    within,
)

_ORDERS = {
    "fixed": ("sgns", "glove", "fasttext"),
    "shuffled": ("glove", "sgns", "fasttext"),
    "bootstrap": ("fasttext", "sgns", "glove"),
}
"""Table 2.9, from stable to unstable."""

VARIES = 0.04
"""Largest SD of the loss: the thesis' own table 2.8 has 0.0002 to 0.037 of it, 19 of 63 above 0.01."""
EQUIVALENT = 0.05
ONE_PAIR = 0.05
"""SD of one pair's loss, as a part of the mean, up to which one pair says how unstable a technique is."""


def of_spaces(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the losses between spaces tell of each technique."""
    losses = {(row["technique"], row["sampling"]): row for row in records(tables, "table_2_8")}
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
    yield from of_two_runs(tables)
    yield from _of_fixed_glove(tables, losses)
    for row in records(tables, "table_2_11"):
        square = Estimate.of_runs(row["signed_square"], row["square_se"], row["runs"])
        shows = f"I² = {square.text()}; {row['negative_words']} words negative"
        claim = "Bootstrap runs differ more than shuffled ones: an extrinsic part"
        yield Observation("2.3, 3", claim, row["technique"], shows, above(square, 0), "95 % interval of I² above 0")
    claim = "The extrinsic instability falls with corpus size and rises with vocabulary size"
    yield Observation("2.3, 4", claim, "", "one corpus", "no test", "wants several corpora")


def of_orders(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether techniques have the thesis' order, from stable to unstable."""
    losses = {(row["technique"], row["sampling"]): row for row in records(tables, "table_2_8")}
    for sampling, order in _ORDERS.items():
        there = [losses[name, sampling] for name in order if (name, sampling) in losses]
        if len(there) > 1:
            shows = ", ".join(f"{row['technique']} {_loss(row).text('.5f')}" for row in there)
            claim = f"{sampling}: " + " < ".join(AS_IN_THESIS[row["technique"]] for row in there)
            rule = "95 % interval of each step above 0; no if one is below"
            yield Observation("2.3, 2", claim, "", shows, rising([_loss(row) for row in there]), rule)


def of_two_runs(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield whether one pair of runs says how unstable a technique is: by the SD of losses over pairs of new runs."""
    sizes = {row["technique"]: row["runs"] for row in records(tables, "how_many", quantity="reduced PIP loss")}
    for row in records(tables, "how_many", quantity="reduced PIP loss", runs=2):
        low, high = sd_interval(row["subsampling"], sizes[row["technique"]])
        shows = (
            f"the loss of one pair of runs scatters by {shown(row['subsampling'], '.2%')} of the mean over new runs "
            f"[{shown(low, '.2%')}, {shown(high, '.2%')}]"
        )
        rule = f"interval of that SD below {ONE_PAIR:.0%}: one pair is within {2 * ONE_PAIR:.0%}, 19 times in 20"
        claim = "Two runs suffice to measure the instability of a technique"
        yield Observation("2.3, 1", claim, row["technique"], shows, decide((low, high), 0, ONE_PAIR), rule)


def _loss(row: Mapping[str, Any]) -> Estimate:
    return Estimate.of_runs(row["reduced_pip"], row["se"], row["runs"])


def _of_fixed_glove(
    tables: Mapping[str, Table], losses: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Iterator[Observation]:
    claim = "GloVe: fixed and shuffled do not differ"
    rule = f"95 % interval of the difference within ±{EQUIVALENT:.0%} of the loss"
    fixed, shuffled = losses.get(("glove", "fixed")), losses.get(("glove", "shuffled"))
    same = {(row["first"], row["second"]) for row in records(tables, "same_runs", technique="glove")}
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
