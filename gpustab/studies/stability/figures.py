"""The figures of stability, from its tables of pairs and words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.kernels.jackknife import pair_statistics
from gpustab.report.describe import SUMMARIES
from gpustab.report.origin import in_words
from gpustab.report.svg.axes import Axis, at, known, round_ticks, short
from gpustab.report.svg.charts import BANDED, Curve, Layer, Note, lines
from gpustab.report.svg.colours import Series, called, listing, series
from gpustab.report.svg.matrix import Array, Cell, by_likeness, matrix, side_of_square
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import HEADED, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.results.table import Values
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.wording import of_list
from gpustab.studies.stability.contrasts import ACROSS
from gpustab.studies.stability.word_figures import frequency, length, lengths, words

_VISIBLE = 0.0005
"""Shares that are less apart are drawn at the same tenth of a unit."""


def runs_of(pairs: Table) -> list[str]:
    """Return the runs of one group, in their order."""
    return list(dict.fromkeys(chain(pairs["run_i"], pairs["run_j"])))


def distances(pairs: Table, values: Values) -> Array:
    """Return the ``(R, R)`` matrix of values of one group's pairs; zero diagonal, NaN where a pair has no value."""
    place = {run: k for k, run in enumerate(runs_of(pairs))}
    matrix = np.full((len(place), len(place)), math.nan)
    np.fill_diagonal(matrix, 0.0)
    one, other = (np.fromiter(map(place.__getitem__, pairs[name]), np.int64) for name in ("run_i", "run_j"))
    matrix[one, other] = matrix[other, one] = values
    return matrix


def estimate(pairs: Table, column: str) -> Estimate:
    """Return the mean of a column over one group's pairs, with its jackknife error over runs."""
    matrix = torch.from_numpy(distances(pairs, pairs[column]))
    over_pairs = pair_statistics(matrix)
    return Estimate.of_runs(over_pairs.mean, over_pairs.se, len(matrix))


@drawn_from("pairs")
def neighbours(pairs: Table, tables: Tables) -> Picture:
    """Shared neighbours over the length of the lists, with 95 % intervals over runs, and chance."""
    ns, n = lengths(pairs), length(pairs) or 0
    if len(ns) < 2:
        return Picture(missing="The picture of p@n over n needs two list lengths or more, such as 1 and 10.")
    drawn, names = series(pairs["group"]), called(pairs["group"])
    estimates = {group: {k: estimate(part, f"p@{k}") for k in ns} for group, part in pairs.split("group")}
    shares = []
    for group, by_n in estimates.items():
        low, high = zip(*(of.interval for of in by_n.values()), strict=True)
        values = [of.value for of in by_n.values()]
        shares.append(Curve(list(by_n), values, *drawn[group], names[group], low, high, BANDED))
    said = "; ".join(
        f"{names[group]}: " + ", ".join(f"{number(of.value, 2)} at {k}" for k, of in of_n.items())
        for group, of_n in estimates.items()
    )
    panel = lines(
        Axis("n nearest neighbours", ticks=at(_apart(ns)), log=True),
        Axis("share that two runs have in common, p@n", 0, 1),
        [*shares, *_chance(tables, ns, drawn)],
        f"Shared neighbours over the length of the lists. {said}",
    )
    return Picture(_shared({names[group]: of[n] for group, of in estimates.items()}, n), [panel])


def _shared(shares: Mapping[str, Estimate], n: int) -> str:
    """What other draws of the documents cost, where the intervals part; else what each group shares."""
    drawn, trained = shares.get("bootstrap"), shares.get("shuffled")
    if drawn and trained and drawn.interval[1] < trained.interval[0]:
        return (
            f"Draw the documents again, and {_of(drawn, n)} of {n} neighbours come back; train again, and "
            f"{_of(trained, n)} do"
        )
    of_n = listing((name, _of(share, n)) for name, share in shares.items())
    return f"Of the {n} nearest neighbours two runs have in common: {of_n}"


def _chance(tables: Tables, ns: Sequence[int], drawn: Mapping[str, Series]) -> list[Layer]:
    """What unrelated runs of every group would share, in the group's colour; in grey where several groups agree.

    Nothing is drawn where the longest lists hold all words.
    """
    summaries = tables.get(SUMMARIES, Table())
    groups = zip(summaries.get("name", ()), summaries.get("neighbours", ()), strict=True)
    levels = {group: _levels(of_n, ns) for group, of_n in groups if group in drawn and of_n}
    ends = [ys[-1] for ys in levels.values() if ys[-1] < 1]
    if not ends:
        return []
    apart: dict[tuple[float, ...], list[str]] = {}
    for group, ys in sorted(levels.items(), key=lambda item: item[1]):
        alike = next((other for other in apart if np.allclose(ys, other, 0, _VISIBLE, equal_nan=True)), ys)
        apart.setdefault(alike, []).append(group)
    of_one = {ys: names[0] for ys, names in apart.items() if len(names) == 1 < len(levels)}
    curves = [
        Curve(ns, ys, drawn[of_one[ys]].style, parts=("line thin dash",))
        if ys in of_one
        else Curve(ns, ys, "axis", parts=("thin dash",))
        for ys in apart
    ]
    return [*curves, Note("chance", y=max(ends), dy=-5)]


def _levels(of_n: Mapping[str, Mapping[str, float]], ns: Sequence[int]) -> tuple[float, ...]:
    """The chance level of one group at every length that its lists have: proportional to the length."""
    longest = max(map(int, of_n))
    of_one = of_n[str(longest)]["chance_p"] / longest
    return tuple(n * of_one if n <= longest else math.nan for n in ns)


def _apart(ns: list[int]) -> list[int]:
    """Lengths whose numbers do not run into each other on the axis."""
    apart = ns[:1]
    for n in ns[1:]:
        if math.log(n / apart[-1]) > 0.07 * math.log(ns[-1] / ns[0]):
            apart.append(n)
    return apart


def _of(share: Estimate, n: int) -> str:
    """A mean number of neighbours, with its interval where there is one."""
    span = f" ({of_list(share, n)})" if share.half == share.half else ""
    return f"{n * share.value:.1f}{span}"


@drawn_from("pairs")
def side_by_side(pairs: Table, _: Tables) -> Picture:
    """The loss of every group between identical and chance, each with its interval."""
    losses = {group: estimate(part, "reduced_pip") for group, part in pairs.split("group")}
    chances = {
        group: float(np.sqrt(np.mean(np.asarray(part["chance_reduced_pip"], np.float64) ** 2)))
        for group, part in pairs.split("group")
    }
    if len(losses) < 2:
        return Picture()
    drawn, names = series(losses), called(losses)
    top = 1.03 * max(known([*chances.values(), *(x for loss in losses.values() for x in (loss.value, *loss.interval))]))
    rows: list[Row] = []
    for group, loss in losses.items():
        chance = Upright(chances[group], "axis dash", (-7, 7), "" if rows else "chance")
        dot = Dot(loss.value, *drawn[group], *loss.interval)
        rows.append(Row(f"{short(in_words(group), 40)}: {_with_error(loss)}", [dot, chance], drawn[group].style))
    axis = Axis("reduced PIP loss (0: identical)", 0, top, round_ticks(0, top))
    label = "; ".join(f"{group} {_with_error(loss)}" for group, loss in losses.items())
    shares = listing((names[group], _percent(loss.value, chances[group])) for group, loss in losses.items())
    title = f"How far the runs of a group lie apart, in parts of chance: {shares}"
    return Picture(title, [dots(rows, axis, HEADED, f"Groups side by side. {label}")])


_OF_RUNS = (
    "Each cell is a pair of runs: the stronger, the further apart. Runs stand in the order of their likeness, so that "
    "odd ones come last. A block between two groups is the mean of up to four runs of each."
)


@drawn_from("pairs")
def runs(pairs: Table, tables: Tables) -> Picture:
    """Run by run: groups apart, runs in order of likeness; between groups the mean over some pairs of their runs."""
    parts = [(group, part) for group, part in pairs.split("group") if part.height > 1]
    if not parts:
        return Picture(missing="The picture of single runs needs three runs of a group.")
    drawn, names = series(group for group, _ in parts), called(group for group, _ in parts)
    run_names = [runs_of(part) for _, part in parts]
    values = [distances(part, part["reduced_pip"]) for _, part in parts]
    orders = [by_likeness(within) for within in values]
    shares = [_shares(part) for _, part in parts]
    places = [(group, run) for group, order in enumerate(orders) for run in order]
    shades = np.full((len(places), len(places)), math.nan)
    ends = pairwise(np.cumsum([0, *map(len, orders)]).tolist())
    for (first, last), (_, part), share, order in zip(ends, parts, shares, orders, strict=True):
        shades[first:last, first:last] = distances(part, share)[np.ix_(order, order)]
    apart = _between(tables.get(ACROSS.name, Table()))

    def cell(i: int, j: int) -> Cell:
        (group, a), (_, b) = places[i], places[j]
        if a == b:
            return Cell(0.0, "", run_names[group][a])
        share, both = shades[i, j], f"{run_names[group][a]} and {run_names[group][b]}"
        text = f"{100 * share:.0f}" if share == share else ""
        return Cell(share, text, f"{both}: {number(values[group][a, b])}, {f'{text} %' if text else '–'} of chance")

    def block(g: int, h: int) -> Cell | None:
        share = apart.get(frozenset((parts[g][0], parts[h][0])))
        if share is None:
            return None
        text = f"{100 * share:.0f}"
        return Cell(share, text, f"{names[parts[g][0]]} and {names[parts[h][0]]}: {text} % of chance, mean")

    spans = listing((names[group], _span(share)) for (group, _), share in zip(parts, shares, strict=True))
    others = ", ".join(
        f"{' and '.join(names[group] for group, _ in parts if group in pair)} {100 * share:.0f}"
        for pair, share in apart.items()
        if pair <= set(names)
    )
    panel = matrix(
        [
            short(_run(names[parts[group][0]] if len(parts) > 1 else "", run_names[group][run]), 16)
            for group, run in places
        ],
        [drawn[parts[group][0]].style for group, _ in places],
        cell,
        f"Run by run, percent of chance. Within groups: {spans}. Between groups: {others or 'not measured'}",
        [k + 1 for k, (one, two) in enumerate(pairwise(places)) if one[0] != two[0]],
        shades=shades,
        groups=[short(names[group], 20) for group, _ in parts],
        block=block,
    )
    side = side_of_square(len(places))
    beyond = f" Of so many runs a cell is the mean of {side} × {side} pairs." if side > 1 else ""
    beyond += f" Percent of chance between groups: {others}." if others else ""
    return Picture(f"Two runs of a group are apart by {spans} percent of chance", [panel], caption=_OF_RUNS + beyond)


def _between(table: Table) -> dict[frozenset[str], float]:
    """By two groups the mean loss of their runs as a share of chance."""
    shares: dict[frozenset[str], list[float]] = {}
    for row in ACROSS.rows({ACROSS.name: table}):
        if row.chance_reduced_pip > 0:
            shares.setdefault(frozenset((row.group, row.other)), []).append(row.reduced_pip / row.chance_reduced_pip)
    return {pair: sum(some) / len(some) for pair, some in shares.items()}


def _run(group: str, name: str) -> str:
    """What a run is called in the picture: by its number where that is all its name says.

    >>> _run("fixed", "run-003"), _run("", "speeches.txt")
    ('fixed 3', 'speeches.txt')
    """
    found = re.fullmatch(r"run-(\d+)", name)
    return f"{group} {int(found[1]) if found else name}".strip()


def _shares(pairs: Table) -> NDArray[np.float64]:
    """The loss of every pair of one group as a part of chance; NaN where that is not known."""
    loss, chance = (np.asarray(pairs[name], np.float64) for name in ("reduced_pip", "chance_reduced_pip"))
    return np.divide(loss, chance, out=np.full_like(loss, math.nan), where=chance > 0)


def _span(shares: NDArray[np.float64]) -> str:
    """The nearest and the furthest pair, in percent of chance."""
    shares = shares[~np.isnan(shares)]
    if not len(shares):
        return "–"
    low, high = f"{100 * shares.min():.0f}", f"{100 * shares.max():.0f}"
    return low if low == high else f"{low}–{high}"


def _with_error(loss: Estimate) -> str:
    half = loss.half
    return f"{number(loss.value)} ± {number(half, 2)}" if half == half else number(loss.value)


def _percent(value: float, chance: float) -> str:
    return f"{100 * value / chance:.0f} %" if chance > 0 else "–"


FIGURES: Figures = {
    "neighbours": (
        "Share of a word's n nearest neighbours in one run that are among the n nearest in another: mean over words "
        "and pairs of runs. Bands are 95 % intervals over runs; dashed: what unrelated runs would share.",
        neighbours,
    ),
    "groups": (
        "Mean reduced PIP loss over pairs of runs, with its 95 % interval over runs; dashed: unrelated spaces of the "
        "same mean cosine.",
        side_by_side,
    ),
    "losses": ("", words),
    "runs": (_OF_RUNS, runs),
    "frequency": (
        "Every word by how often it occurs; stronger where more words lie. Line: median; dashed: the middle 80 % of "
        "words of like frequency. What a bootstrap run reads may hold a word less often than the corpus does.",
        frequency,
    ),
}
"""How to read every figure, and its drawing, in reading order."""
