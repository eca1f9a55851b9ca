"""The figures of stability, from its tables of pairs and words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from scipy.stats import mannwhitneyu

from gpustab.kernels.jackknife import pair_statistics
from gpustab.report.describe import SUMMARIES
from gpustab.report.origin import in_words
from gpustab.report.svg.axes import Axis, at, known, round_ticks, short
from gpustab.report.svg.charts import BANDED, Cloud, Curve, Layer, Note, corner, lines
from gpustab.report.svg.colours import Series, called, listing, series
from gpustab.report.svg.matrix import Array, Cell, by_likeness, matrix
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import HEADED, Dot, Ridge, Row, Upright, dots, ridges
from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate, ratio_of
from gpustab.studies.stability.contrasts import ACROSS

Values = np.ndarray[tuple[int], np.dtype[np.float64]]

_BATCHES = 16
_FEWEST = 200
"""Words that the picture over frequency needs at least: a dozen in each batch."""
_SOME = 20
_MOST_GROUPS = 4
_VISIBLE = 0.0005
"""Shares that are less apart are drawn at the same tenth of a unit."""
_LEAST, _SURE = 0.05, 0.01
"""Difference of median p@n that a title speaks of, and the p-value that it needs."""
_NOISE = 1e-6
"""Losses of equal runs are rounding errors of float32, and have no distribution."""


def runs_of(pairs: Table) -> list[str]:
    """Return the runs of one group, in their order."""
    return list(dict.fromkeys([*pairs["run_i"], *pairs["run_j"]]))


def distances(pairs: Table, column: str) -> Array:
    """Return the ``(R, R)`` matrix of one group's pairs; zero diagonal, NaN where a pair has no value."""
    place = {run: k for k, run in enumerate(runs_of(pairs))}
    matrix = np.full((len(place), len(place)), math.nan)
    np.fill_diagonal(matrix, 0.0)
    for a, b, value in zip(pairs["run_i"], pairs["run_j"], pairs[column], strict=True):
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = value
    return matrix


def estimate(pairs: Table, column: str) -> Estimate:
    """Return the mean of a column over one group's pairs, with its jackknife error over runs."""
    over_pairs = pair_statistics(torch.from_numpy(distances(pairs, column)))
    return Estimate.of_runs(over_pairs.mean, over_pairs.se, len(runs_of(pairs)))


def lengths(table: Table) -> list[int]:
    """Return the list lengths n of which a table has p@n."""
    return sorted(int(name[2:]) for name in table if name.startswith("p@") and name[2:].isdecimal())


def length(table: Table) -> int | None:
    """Return the list length that figures speak of: 10, else the next shorter one, else the shortest."""
    known = lengths(table)
    return max((n for n in known if n <= 10), default=min(known, default=None))


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
    low, high = (n * min(max(x, 0.0), 1.0) for x in share.interval)
    span = f" ({low:.1f}–{high:.1f})" if low == low else ""
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
    title = _further({names[group]: loss for group, loss in losses.items()})
    title = title or f"How far the runs of a group lie apart, in parts of chance: {shares}"
    return Picture(title, [dots(rows, axis, HEADED, f"Groups side by side. {label}")])


def _further(losses: Mapping[str, Estimate]) -> str:
    """How much further apart bootstrap runs are than shuffled ones, if they surely are; else nothing."""
    drawn, trained = losses.get("bootstrap"), losses.get("shuffled")
    ratio = ratio_of(drawn, trained) if drawn and trained else None
    if ratio is None or not ratio.interval[0] > 1:
        return ""
    return f"The choice of documents moves the cosines {number(ratio.value, 2)} times as far as another training"


@drawn_from("words")
def words(table: Table, _: Tables) -> Picture:
    """Ridges of equal height over one axis, each with its median; the largest losses are cut off, and counted."""
    parts = [(group, _known(part["pip_mean"])) for group, part in table.split("group")]
    parts = [(group, values) for group, values in parts if len(values) >= _SOME and values.max() > _NOISE]
    if not parts:
        return Picture(missing=f"The distribution of the words' losses needs {_SOME} words whose losses differ.")
    low = min(float(np.quantile(values, 0.001)) for _, values in parts)
    high = max(float(np.quantile(values, 0.995)) for _, values in parts)
    drawn, names = series(group for group, _ in parts), called(group for group, _ in parts)
    nine = listing((names[group], f"{_quantile(v, 0.05)}–{_quantile(v, 0.95)}") for group, v in parts)
    panel = ridges(
        [Ridge(in_words(group), values, drawn[group].style) for group, values in parts],
        Axis("PIP loss of a word, mean over pairs of runs", low, high),
        f"Distribution of the words' losses: nine of ten lie within {nine}",
    )
    beyond = sum(int((values > high).sum()) for _, values in parts)
    caption = "Ridges have equal heights; the upright line is the median."
    caption += f" Beyond the right end: {counted(beyond, 'word')}." if beyond else ""
    return Picture(f"Nine of ten words have a loss of {nine}", [panel], caption=caption)


def _quantile(values: Values, q: float) -> str:
    return number(float(np.quantile(values, q)), 2)


def _counts(column: object) -> Values:
    """Counts of words; 0 where they are not known."""
    return np.nan_to_num(np.asarray(column, np.float64))


def _known(column: object) -> Values:
    values = np.asarray(column, np.float64)
    return values[np.isfinite(values)]


_OF_RUNS = (
    "Each cell is a pair of runs: the stronger, the further apart. Runs stand in the order of their likeness (average "
    "linkage), so that odd ones come last. A block between two groups is the mean of up to four runs of each."
)


@drawn_from("pairs")
def runs(pairs: Table, tables: Tables) -> Picture:
    """Run by run: groups apart, runs in order of likeness; between groups the mean over some pairs of their runs."""
    parts = [(group, part) for group, part in pairs.split("group") if part.height > 1]
    if not parts:
        return Picture(missing="The picture of single runs needs three runs of a group.")
    drawn, names = series(group for group, _ in parts), called(group for group, _ in parts)
    run_names = [runs_of(part) for _, part in parts]
    values = [distances(part, "reduced_pip") for _, part in parts]
    chances = [distances(part, "chance_reduced_pip") for _, part in parts]
    places = [(group, run) for group, within in enumerate(values) for run in by_likeness(within)]
    apart = _between(tables.get(ACROSS.name, Table()))

    def cell(i: int, j: int) -> Cell | None:
        (group, a), (_, b) = places[i], places[j]
        if a == b:
            return Cell(0.0, "", run_names[group][a])
        value, chance = values[group][a, b], chances[group][a, b]
        share = value / chance if chance > 0 else math.nan
        title = f"{run_names[group][a]} and {run_names[group][b]}: {number(value)}, {_percent(value, chance)} of chance"
        return Cell(share, f"{100 * share:.0f}" if share == share else "", title)

    def block(g: int, h: int) -> Cell | None:
        share = apart.get(frozenset((parts[g][0], parts[h][0])))
        if share is None:
            return None
        text = f"{100 * share:.0f}"
        return Cell(share, text, f"{names[parts[g][0]]} and {names[parts[h][0]]}: {text} % of chance, mean")

    spans = listing((names[group], _span(v, c)) for (group, _), v, c in zip(parts, values, chances, strict=True))
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
        groups=[short(names[group], 16) for group, _ in parts],
        block=block,
    )
    beyond = f" Percent of chance between groups: {others}." if others else ""
    return Picture(f"Two runs of a group are apart, in percent of chance: {spans}", [panel], caption=_OF_RUNS + beyond)


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


def _span(values: Array, chances: Array) -> str:
    """The nearest and the furthest pair, in percent of chance."""
    upper = np.triu_indices(len(values), 1)
    shares = 100 * values[upper] / np.where(chances[upper] > 0, chances[upper], np.nan)
    shares = shares[~np.isnan(shares)]
    if not len(shares):
        return "–"
    low, high = f"{shares.min():.0f}", f"{shares.max():.0f}"
    return low if low == high else f"{low}–{high}"


def _with_error(loss: Estimate) -> str:
    half = loss.half
    return f"{number(loss.value)} ± {number(half, 2)}" if half == half else number(loss.value)


def _percent(value: float, chance: float) -> str:
    return f"{100 * value / chance:.0f} %" if chance > 0 else "–"


class Band(NamedTuple):
    """Quantiles of words of like frequency: 0.1, 0.5 and 0.9 of each batch, at the batch's mean log frequency."""

    x: Values
    low: Values
    middle: Values
    high: Values


@drawn_from("words")
def frequency(table: Table, _: Tables) -> Picture:
    """Per group one panel for the loss of words over their frequency, one for p@n: Rettenmeier 2020, 2.8 and 2.9."""
    groups = [(group, part, _counts(part["count"])) for group, part in table.split("group")]
    groups = [(group, part, counts) for group, part, counts in groups if (counts > 0).sum() >= _FEWEST]
    if not groups:
        return Picture(
            missing=f"The pictures over frequency need the counts of {_FEWEST} words, which these files do not have."
        )
    n, drawn = length(table), series(table["group"])
    columns = ["pip_mean", *([f"p@{n}"] if n else [])]
    panels, bands = [], []
    ends: dict[tuple[str, str], tuple[Values, Values]] = {}
    for group, part, counts in groups[:_MOST_GROUPS]:
        for column in columns:
            values = np.asarray(part[column], np.float64)
            known = np.isfinite(values) & (counts > 0)
            if known.sum() >= _FEWEST:
                band = by_frequency(counts[known], values[known])
                panels.append(_over_frequency(counts[known], values[known], band, group, drawn[group].style, column))
                bands.append((group, column, band))
                ends[group, column] = _extremes(counts[known], values[known])
    return Picture(_ends(bands, columns[-1], ends), panels)


def _extremes(counts: Values, values: Values) -> tuple[Values, Values]:
    """The values of the rarest and of the most frequent sixteenth of the words."""
    first, *_, last = np.array_split(np.argsort(counts, kind="stable"), _BATCHES)
    return values[first], values[last]


def by_frequency(counts: Values, values: Values) -> Band:
    """Return quantiles of sixteen batches of equally many words, from the rarest to the most frequent."""
    parts = np.array_split(np.argsort(counts, kind="stable"), _BATCHES)
    x = np.array([np.exp(np.log(counts[part]).mean()) for part in parts])
    low, middle, high = np.array([np.quantile(values[part], (0.1, 0.5, 0.9)) for part in parts]).T
    return Band(x, low, middle, high)


def _over_frequency(counts: Values, values: Values, band: Band, group: str, style: str, column: str) -> str:
    losses = column == "pip_mean"
    title = "PIP loss of a word" if losses else f"{column} of a word"
    top = float(np.quantile(values, 0.995)) * 1.1 if losses else 1.0
    quantiles = ((band.low, "line thin dash"), (band.high, "line thin dash"), (band.middle, "line"))
    return lines(
        Axis("occurrences in what one run reads", float(counts.min()), float(counts.max()), log=True),
        Axis(title, 0.0, top),
        [
            Cloud(zip(counts, values, strict=True), style),
            *(Curve(list(band.x), list(np.minimum(ys, top)), "ink", parts=(part,)) for ys, part in quantiles),
        ],
        f"{title} over its frequency, {group}. Median {number(band.middle[0], 3)} for the rarest sixteenth of the "
        f"words, {number(band.middle[-1], 3)} for the most frequent.",
        over=[corner(in_words(group), f"{style} own bold")],
        height=240,
        words=(group, "count", column),
    )


def _ends(
    bands: list[tuple[str, str, Band]], column: str, ends: Mapping[tuple[str, str], tuple[Values, Values]]
) -> str:
    """From the rarest to the most frequent words, of p@n where there is one: the same scale for all.

    Where bootstrap runs part the two surely (rank-sum test over words, p below 0.01) and by half a neighbour of ten or
    more, that is the finding.
    """
    for group, of, band in bands:
        low, high = band.middle[0], band.middle[-1]
        apart = group.endswith("bootstrap") and of == column != "pip_mean" and abs(high - low) >= _LEAST
        if apart and mannwhitneyu(*ends[group, of]).pvalue < _SURE:
            return (
                f"Rare words depend {'more' if low < high else 'less'} on the choice of documents: in bootstrap runs "
                "the "
                f"median {of} is {number(low, 2)} for the rarest sixteenth (about {band.x[0]:,.0f} occurrences) "
                f"and {number(high, 2)} for the most frequent (about {band.x[-1]:,.0f})"
            )
    wanted = column if any(of == column for _, of, _ in bands) else "pip_mean"
    names = called(group for group, _, _ in bands)
    name = "PIP loss" if wanted == "pip_mean" else wanted
    said = [(names[group], band.middle) for group, of, band in bands if of == wanted]
    each = listing((group, f"{number(middle[0], 2)} to {number(middle[-1], 2)}") for group, middle in said)
    return f"From the rarest to the most frequent sixteenth of the words the median {name} goes from {each}"


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
        "words of like frequency.",
        frequency,
    ),
}
"""How to read every figure, and its drawing, in reading order."""
