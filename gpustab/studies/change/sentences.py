"""What the changes come to, in sentences that show the interval by which each was chosen.

The rules are those of :mod:`gpustab.studies.change.rules`. People read *period* for an epoch of the texts, since
training has epochs too.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from statistics import fmean

from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.studies.change.grid import sentence as of_grid
from gpustab.studies.change.named import asked, splits_of
from gpustab.studies.change.rules import (
    Row,
    against_control,
    against_floor,
    beyond,
    beyond_margin,
    control_difference,
    corrected_of,
    expected,
    law_difference,
    law_verdict,
)
from gpustab.studies.change.tables import floor_series
from gpustab.studies.shared.wording import listed, number_span, signed_span

RELIABLE = 0.9
"""From this reliability on a list of words is shown as a finding."""
WORDS = 20
"""Length of a list of words on the page; the tables have all."""
_MOST = 3
"""So many pairs of periods are told of; the table has all."""


def verdict(tables: Mapping[str, Table], rate: float = 0.05) -> list[str]:
    """Return the answer: between which periods contexts differ beyond noise, then how far, pair by pair."""
    pairs = tables["pairs"]
    series = asked(pairs)
    shown = [row for name in series for row in pairs.records(series=name)]
    said = [
        (f"{row['series']}: " if len(series) > 1 else "") + of_pair(row, splits_of(pairs, row), scale=k == 0)
        for k, row in enumerate(shown[:_MOST])
    ]
    if (more := len(shown) - _MOST) > 0:
        said[-1] += f" {counted(more, 'more pair')} of periods {'is' if more == 1 else 'are'} in the table below."
    floors = floor_series(pairs)
    control = list(of_control([row for row in pairs.records() if row["series"] not in floors]))
    sampling = list(of_sampling(shown))
    return [
        *of_grid(list(tables["grid"].records()) if "grid" in tables else []),
        *(sampling or control or _lacking(shown)),
        *said,
        *(control if sampling else []),
        *of_words(tables.get("discoveries"), rate),
    ]


def of_sampling(rows: Sequence[Row]) -> Iterator[str]:
    """Yield between which periods contexts differ beyond the sampling of documents, if that was measured."""
    several = len({row["series"] for row in rows}) > 1
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["sampling_floor"] is not None:
            name = f"from {row['first']} to {row['second']}" + (f" ({row['series']})" if several else "")
            found.setdefault(against_floor(row), []).append(name)
    parts = [
        said.format(listed(found[which]))
        for which, said in {
            "more": "contexts differ beyond the sampling of documents {}",
            "no more": "contexts differ no more than two samplings of one period's documents {}",
            "open": "whether contexts differ beyond the sampling of documents {} cannot be told",
        }.items()
        if which in found
    ]
    if parts:
        said = "; ".join(parts)
        yield f"{said[0].upper()}{said[1:]}."


def _lacking(shown: Sequence[Row]) -> Iterator[str]:
    """Say what is missing for a verdict."""
    if shown and all(row["bootstrap"] for row in shown):
        yield (
            "These are bootstrap runs, whose changes hold the sampling of documents twice over: train shuffled runs "
            "too, for which they are the floor."
        )
    elif shown:
        yield (
            "No change can be told yet from other documents of the same time: how far apart two samplings of one "
            "period's documents would lie is not known. Train bootstrap runs too, or a control (train --control 2)."
        )


def of_pair(row: Row, splits: Sequence[Row] = (), *, scale: bool = False) -> str:
    """Return how far words moved between two periods, beside the floors.

    Args:
        row: of the table of pairs.
        splits: the same of documents dealt out at random.
        scale: whether it is said what the numbers mean.
    """
    words, moved = counted(row["tested"], "word"), number(row["change"], 2)
    start = f"From {row['first']} to {row['second']}, {words} moved by {moved} between a run of each"
    what = f" (0: used alike; {number(unlike(row), 2)}: two different words)" if scale else ""
    return f"{start}{what}.{_compared(row)} {_without_training(row, splits)}"


def unlike(row: Row) -> float:
    """Return how far two different words of one period lie apart, mean of both periods."""
    return 1 - fmean((row["mean_cosine_first"], row["mean_cosine_second"]))


def _compared(row: Row) -> str:
    """Say how the change compares with the sampling floor, with the interval that decides."""
    if row["sampling_floor"] is None:
        return ""
    floor = f" Two samplings of one period's documents differ by {number(row['sampling_floor'], 2)}"
    which = against_floor(row)
    if which == "no more":
        less = signed_span(*beyond_margin(row))
        return f"{floor}, as much as the periods do: the change less 1.1 times that, {less}, is below 0."
    low, high = beyond(row)
    comes = f"which alone can come to {number(expected(row).value, 2)} between periods"
    if math.isnan(low):
        return f"{floor}, {comes}; so few runs give no interval of what is beyond that."
    end = "is above 0" if which == "more" else "would have to be above 0 to tell a change"
    return f"{floor}, {comes}: what is beyond that, {signed_span(low, high)}, {end}."


def _without_training(row: Row, splits: Sequence[Row]) -> str:
    """Say what is left of the change without training noise, which is not what the floor is compared with."""
    if math.isnan(row["corrected"]):
        return "With one run, how much of it is training noise cannot be told."
    low, high = corrected_of(row).interval
    span = "" if math.isnan(low) else f" ({number_span(low, high)})"
    value = number(row["corrected"], 2)
    said = f"Without the noise of training the change is {value}{span}"
    if not splits:
        return f"{said}."
    at_random = number(fmean(split["corrected"] for split in splits), 2)
    return f"{said}, where documents were dealt out at random, so that nothing changed, {at_random}."


def unreliable(name: str, known: float) -> str:
    """Return why a list of words is not shown."""
    told = "unknown" if math.isnan(known) else f"{known:.2f}"
    return f"{name}: no list, since its order is not reliable ({told}, wanted {RELIABLE}); train more runs."


def of_words(table: Table | None, rate: float) -> list[str]:
    """Return how many words' contexts differ beyond the sampling of authors, between every two periods."""
    if table is None or not table.height:
        return []
    found: dict[tuple[str, str], list[bool]] = {}
    for row in table.records():
        found.setdefault((row["first"], row["second"]), []).append(row["found"])
    each = [
        f"{sum(own):,} of {counted(len(own), 'word')} from {first} to {second}"
        for (first, second), own in found.items()
    ]
    return [f"Contexts differ beyond author sampling for {listed(each)} (of those found, {rate:.0%} may be false)."]


def of_control(rows: Sequence[Row]) -> Iterator[str]:
    """Yield whether periods differ more than documents dealt out at random, if there is a control."""
    found = control_difference(rows)
    if found is None or math.isnan(found.value):
        return
    mean = f", mean of {found.pairs} pairs of periods," if found.pairs > 1 else ""
    by, way = number(abs(found.value), 2), "more" if found.value > 0 else "less"
    beside = "as much as" if by == "0" else f"by {by} {way} than"
    span = signed_span(found.value - found.half, found.value + found.half)
    yield {
        "more": f"Periods differ more than documents dealt out at random do: the difference{mean} is "
        f"{number(found.value, 2)} ({span}, above 0), without the noise of training.",
        "open": "Whether periods differ more than documents dealt out at random cannot be told from these splits: the "
        f"difference{mean} is {number(found.value, 2)}, and its interval, {span}, would have to be above 0.",
        "unknown": f"Periods differ {beside} documents dealt out at random{mean} without "
        "the noise of training. Two splits or more would tell how far that is chance (train --control 2).",
    }[against_control(rows)]


def of_laws(laws: Table, floors: Container[str] = ()) -> Iterator[str]:
    """Yield what frequency explains of change, against the control of the same sampling."""
    rows = [row for row in laws.records() if math.isfinite(row["r2_se"]) and row["series"] not in floors]
    genuine, control = ([row for row in rows if row["control"] is which] for which in (False, True))
    if not genuine:
        return
    first = genuine[-1]
    share = f"Frequency explains {first['r2_marginal']:.0%} of how words differ in change (R² of its logarithm)"
    if not control:
        yield (
            f"{share}. How much of that is noise cannot be told: the noise of sampled documents follows frequency too. "
            "A control, documents dealt out at random, tells (train --control 1)."
        )
        return
    low, high = law_difference(first, control)
    span = signed_span(100 * low, 100 * high, digits=0)
    both = f"{share}, and {fmean(row['r2_marginal'] for row in control):.0%} where nothing changed"
    yield {
        "more": f"{both}. The difference, {span} points, is above 0: rarer words changed more than noise says.",
        "less": f"{both}. The difference, {span} points, is below 0, so these data do not show that rarer words "
        "change more.",
        "open": f"{both}. Whether rarer words changed more than noise says cannot be told: the difference, {span} "
        "points, would have to be above 0.",
    }[law_verdict(first, control)]
