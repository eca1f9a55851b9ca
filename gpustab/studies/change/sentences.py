"""What the changes come to, in sentences with a margin and an error."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.change.grid import sentence as of_grid
from gpustab.studies.change.tables import floor_series
from gpustab.studies.shared.wording import number_span

MARGIN = 0.1
"""A change within a tenth of the sampling floor is no more than it."""

RELIABLE = 0.9
"""From this reliability on a list of words is shown as a finding."""
WORDS = 20
"""Length of a list of words on the page; the tables have all."""

Row = Mapping[str, Any]


def verdict(tables: Mapping[str, Table], rate: float = 0.05) -> list[str]:
    """Return the answer: change against its floors, pair by pair, words that differ, then the law of frequency."""
    floors = floor_series(tables["pairs"])
    rows = [row for row in tables["pairs"].rows() if row["series"] not in floors]
    shown = [row for row in rows if not row["control"]]
    said = [of_pair(row) for row in shown[:_MOST]]
    if len(shown) > _MOST:
        said.append(f"{len(shown) - _MOST} more pairs of epochs are in the table.")
    if shown and all(row["bootstrap"] for row in shown):
        said.append(
            "These are bootstrap runs, whose changes hold the sampling of documents twice over: train shuffled runs "
            "too, for which they are the floor."
        )
    elif shown and all(row["sampling_floor"] is None for row in shown):
        said.append(
            "How far apart two samplings of one epoch's documents would lie is not known: train bootstrap runs too. "
            "Without them no change can be told from other documents of the same time."
        )
    grid = list(tables["grid"].rows()) if "grid" in tables else []
    return (
        of_grid(grid)
        + said
        + of_words(tables.get("discoveries"), rate)
        + list(of_control(rows))
        + list(of_laws(tables["laws"], floors))
    )


_MOST = 4


def against_floor(row: Row) -> str:
    """Return ``"more"``, ``"no more"`` or ``"open"``: is the change beyond that of two samplings of one epoch?

    ``"more"`` if it is surely above what :func:`expected` makes of the floor, ``"no more"`` if surely below 1.1 floors.
    Between the two nobody can tell, with however many runs. Errors are those over runs, and over words. In 120 sets
    each of 200 words at 3, 4, 6, 8 and 16 runs ``benchmarks/change_verdicts.py`` counts no false verdict where nothing
    moved, none of ``"no more"`` where all words did, and ``"more"`` in 83, 96, 100, 100 and 100 % for steps of 0.6
    word lengths' SD, in 6, 15, 38, 50 and 75 % for steps of 0.3.
    """
    if row["sampling_floor"] is None:
        return "open"
    change, floor = _change(row), Estimate(row["sampling_floor"], row["sampling_se"], _freedom(row))
    words = Estimate(0.0, row["beyond_se_words"], int(row["tested"]) - 1)
    low = change.minus(expected(row)).interval[0] - words.half
    high = change.minus(floor.over(1 / (1 + MARGIN))).interval[1] + words.half
    return "more" if low > 0 else "no more" if high < 0 else "open"


def expected(row: Row) -> Estimate:
    """Return the change that sampled documents alone can come to between two epochs.

    A bootstrap run draws from an epoch's own documents, so that noise of sampling is in its rows twice and they are
    longer: of one training noise t, sampling noise s and unit signal, cosines are ``(1 + s)/(1 + 2s + t)`` between
    bootstrap runs, ``(1 + s)/(1 + s + t)`` between shuffled runs of one epoch, and ``1/(1 + s + t)`` between runs of
    two epochs in which nothing changed. From the first two, as changes b and a, the last is
    ``1 − (1 − a) b / (1 − b)``: the floor is too low by ``(1 − a)/(1 − b)``. On speeches dealt out at random it was
    less so, which keeps this on the safe side.
    """
    floor, training = row["sampling_floor"], row["training_floor"]
    by_floor, by_training = (1 - training) / (1 - floor) ** 2, floor / (1 - floor)
    error = math.hypot(by_floor * row["sampling_se"], by_training * row["training_se"])
    return Estimate(floor * (1 - training) / (1 - floor), error, _freedom(row))


def of_pair(row: Row) -> str:
    """Return how far words moved between two epochs, beside the floors."""
    start = (
        f"From {row['first']} to {row['second']}, {row['tested']:,} words moved by {number(row['change'], 2)} between "
        "two runs"
    )
    floor = row["sampling_floor"]
    ends = {
        "more": "; two samplings of one epoch's documents differ by {}, so contexts differ beyond the sampling of "
        "documents.",
        "no more": "; two samplings of one epoch's documents differ by {}: as much as the epochs do.",
        "open": "; two samplings of one epoch's documents differ by {}: whether the epochs do more cannot be told.",
    }
    compared = "." if floor is None else ends[against_floor(row)].format(number(floor, 2))
    return f"{start}{compared} {_without_training(row)}"


def _without_training(row: Row) -> str:
    """Say what is left of the change without training noise, which is not what the floor is compared with."""
    if math.isnan(row["corrected"]):
        return "With one run, how much of it is training noise cannot be told."
    low, high = _corrected(row).interval
    span = "" if math.isnan(low) else f" ({number_span(low, high)})"
    return f"Without the noise of training the change is {number(row['corrected'], 2)}{span}."


def unreliable(name: str, known: float) -> str:
    """Return why a list of words is not shown."""
    told = "unknown" if math.isnan(known) else f"{known:.2f}"
    return f"{name}: no list, since its order is not reliable ({told}, wanted {RELIABLE}); train more runs."


def of_words(table: Table | None, rate: float) -> list[str]:
    """Return how many words' contexts differ beyond the sampling of authors, a sentence for every two epochs."""
    if table is None:
        return []
    found: dict[tuple[str, str], list[bool]] = {}
    for row in table.rows():
        found.setdefault((row["first"], row["second"]), []).append(row["found"])
    return [
        f"Contexts differ beyond author sampling for {sum(own):,} of {len(own):,} words from {first} to {second} (of "
        f"those found, {rate:.0%} may be false)."
        for (first, second), own in found.items()
    ]


def of_control(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how far words move where nothing changed, if there is a control."""
    genuine = [row["corrected"] for row in rows if not row["control"]]
    control = [row["corrected"] for row in rows if row["control"]]
    if not (genuine and control):
        return
    end = {
        "more": ", which is more than such splits differ by.",
        "open": "; whether that is more cannot be told from these splits.",
        "unknown": ". Two splits or more would tell how far that is chance (train --control 2).",
    }[against_control(rows)]
    yield (
        f"Where documents were dealt out at random, so that nothing changed, words moved by "
        f"{number(fmean(control), 2)} without the noise of training, between epochs by {number(fmean(genuine), 2)}{end}"
    )


def against_control(rows: Sequence[Row]) -> str:
    """Return ``"more"``, ``"open"`` or ``"unknown"``: do epochs differ more than documents dealt out at random?

    The splits' corrected changes vary about their mean, pair of epochs by pair, with a pooled SD s; where nothing
    changed the epochs are one split more. ``"more"`` if the mean difference is above ``t s √(1 + 1/k)`` for k splits,
    one-sided at 2.5 %, and errors over runs. Pairs share epochs, so the mean over them is given no smaller error.
    ``"unknown"`` for fewer than two splits. Of 120 sets each at 3 runs and 2, 3 splits, and 8 runs and 2, 3 splits
    ``benchmarks/change_verdicts.py`` counts 0, 0, 3 and 1 false ones, and sees steps of 0.3 word lengths' SD in 61,
    100, 64 and 100 %.
    """
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in rows:
        found.setdefault((row["first"], row["second"]), ([], []))[bool(row["control"])].append(row["corrected"])
    pairs = [(fmean(own), splits) for own, splits in found.values() if own and splits]
    freedom = sum(len(splits) - 1 for _, splits in pairs)
    if not freedom or not all(math.isfinite(x) for own, splits in pairs for x in (own, *splits)):
        return "unknown"
    spread = math.sqrt(sum((x - fmean(splits)) ** 2 for _, splits in pairs for x in splits) / freedom)
    fewest = min(len(splits) for _, splits in pairs)
    runs = max(_corrected(row).half for row in rows)
    half = math.hypot(t_quantile(freedom) * spread * math.sqrt(1 + 1 / fewest), runs)
    return "more" if fmean(own - fmean(splits) for own, splits in pairs) > half else "open"


def _corrected(row: Row) -> Estimate:
    return Estimate(row["corrected"], row["corrected_se"], _freedom(row))


def of_laws(laws: Table, floors: Container[str] = ()) -> Iterator[str]:
    """Yield what frequency explains of change, against the control of the same sampling."""
    rows = [row for row in laws.rows() if math.isfinite(row["r2_se"]) and row["series"] not in floors]
    genuine, control = ([row for row in rows if row["control"] is which] for which in (False, True))
    if not genuine:
        return
    first = genuine[-1]
    share = f"Frequency explains {first['r2_marginal']:.0%} of the variance of log change"
    if not control:
        yield (
            f"{share}. How much of that is noise cannot be told: the noise of sampled documents follows frequency too. "
            "A control, documents dealt out at random, tells (train --control 1)."
        )
        return
    other = fmean(row["r2_marginal"] for row in control)
    which = law_verdict(first, control)
    end = {
        "more": "more than where nothing changed ({}): rarer words changed more than noise says.",
        "less": "less than where nothing changed ({}), so these data do not show that rarer words change more.",
        "open": "and {} where nothing changed; a difference cannot be told from these words.",
    }[which]
    yield f"{share}, {end.format(f'{other:.0%}')}"


def law_verdict(genuine: Row, control: Sequence[Row]) -> str:
    """Return ``"more"``, ``"less"`` or ``"open"``: does frequency explain more than in the control?

    Errors are those over words and over runs together; several control splits are averaged, and their spread counts if
    it is larger. Of 120 sets of 300 words in two pairs of epochs ``benchmarks/change_verdicts.py`` counts 3 false
    verdicts under one law and sees β of −0.5, −0.6, −0.7 against −0.4 in 26, 71 and 98 %.
    """
    values = [row["r2_marginal"] for row in control]
    spread = (
        math.sqrt(sum((x - fmean(values)) ** 2 for x in values) / (len(values) - 1) / len(values))
        if len(values) > 1
        else 0.0
    )
    error = max(spread, fmean(_error(row) for row in control))
    difference = genuine["r2_marginal"] - fmean(values)
    half = 1.96 * math.hypot(_error(genuine), error)
    return "more" if difference > half else "less" if difference < -half else "open"


def _error(row: Row) -> float:
    """Of R², over words and over runs; one run has none of the latter."""
    runs = row["r2_se_runs"]
    return math.hypot(row["r2_se"], runs) if math.isfinite(runs) else float(row["r2_se"])


def _change(row: Row) -> Estimate:
    return Estimate(row["change"], row["change_se"], _freedom(row))


def _freedom(row: Row) -> int:
    """Of the jackknife over the runs of two epochs: those of the epoch that has fewer."""
    return int(min(row["runs_first"], row["runs_second"])) - 1
