"""Figures of the thesis, drawn from the tables of the study: chapters 2 and 3, and how many runs suffice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gpustab.kernels.prediction import SHARP
from gpustab.report.origin import technique
from gpustab.report.svg.axes import Axis, Named, at, floats, known
from gpustab.report.svg.charts import (
    HOLLOW,
    MARKS,
    WHISKERS,
    Bars,
    Cloud,
    Curve,
    Cuts,
    Layer,
    Level,
    Note,
    curve,
    lines,
)
from gpustab.report.svg.colours import listing, nth
from gpustab.report.svg.picture import Figures, Picture, Tables, by_turns, drawn_from, each, panels_by
from gpustab.results import Table
from gpustab.results.page import number, signed
from gpustab.statistics.intervals import pearson
from gpustab.studies.instability.corpora import curves

_LABELS = 6
_LABEL_SIZE = (0.3, 0.06)
"""Width and height of a name, as parts of an axis."""
_MODELS = {"plain": "independent", "corrected": "with their correlation"}
_QUANTITIES = {
    "intrinsic": ("intrinsic instability", "intrinsic_square", "g0"),
    "extrinsic squared": ("extrinsic instability", "extrinsic_square", "g1"),
}
_NAMED = (0, 12, 150)
"""Ranks of the words that are named over frequency."""
_SHOWN = 0.999
"""A few outliers would flatten everything else: words above this quantile are not in the picture."""
_THIN, _DASH = "line thin", "line thin dash"
_AVERAGES = (
    ("cosines", False, "ratio_cosine"),
    ("cosines, levels renormalised", True, "ratio_cosine"),
    ("dot products", False, "ratio_dot"),
    ("means of cosine matrices", False, "ratio_cosine_matrices"),
)
_PARTS = (1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)
_RUNS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
_PERCENT = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)

_by_technique = partial(panels_by, "technique")


def _keyed(what: str, name: str, x: Axis, y: Axis, layers: Sequence[Layer], **more: Any) -> str:
    """The panel of a technique, with a key."""
    return lines(x, y, layers, f"{what}, {name}", name=technique(name), keyed=True, **more)


def _short(value: float | None) -> str | None:
    """Two digits of what is known."""
    return number(value, 2) if value is not None and math.isfinite(value) else None


def _pair(rows: Table) -> str:
    return f"{rows['first'][0]} and {rows['second'][0]}"


@_by_technique(
    "figure_2_2",
    lambda rows: f"The cosine of {_pair(rows)} over the runs, mean and SD:",
    lambda rows: f"{number(np.mean(rows['cosine']), 3)} (SD {number(np.std(rows['cosine'], ddof=1), 2)})",
)
def one_pair(name: str, rows: Table) -> str:
    """Figure 2.2: a histogram over the runs, a tick per run, and a normal of the same mean and SD (``ddof = 1``)."""
    values = np.asarray(rows["cosine"], np.float64)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    varies = sd > SHARP  # bars and normals of rounding errors cannot be drawn
    spread = 4 * sd if varies else 0.01
    low, high = min(mean - spread, values.min()), max(mean + spread, values.max())
    ends = None if varies else (mean - spread, mean + spread)
    heights, edges = np.histogram(values, max(4, round(math.sqrt(len(values)))), range=ends, density=True)
    layers = [Bars(edges.tolist(), heights.tolist(), "g0", "runs"), Cuts(values.tolist(), "g0 line thin", tall=9)]
    highest = 0.0
    if varies:
        highest, xs = 1 / (sd * math.sqrt(2 * math.pi)), np.linspace(low, high, 120)
        normal = np.exp(-(((xs - mean) / sd) ** 2) / 2) * highest
        layers.append(Curve(xs.tolist(), normal.tolist(), "g1", name="normal"))
    x, y = Axis(f"cosine of {_pair(rows)}", low, high), Axis("density", 0, 1.08 * max(heights.max(), highest))
    return _keyed(f"Cosine of {_pair(rows)} over {len(values)} runs", name, x, y, layers)


@_by_technique(
    "whitened",
    "The density of whitened cosines differs from that of normals by at most:",
    lambda rows: _short(max(known(abs(a - b) for a, b in each(rows, "density", "normals")), default=None)),
)
def whitened(name: str, rows: Table) -> str:
    """Figure 2.5: a histogram of whitened cosines beside the law of normals at R runs, and the normal."""
    z, width = floats(rows["z"]), rows["z"][1] - rows["z"][0]
    edges = [*(x - width / 2 for x in z), z[-1] + width / 2]
    steps = [x + side * width / 2 for x in z for side in (-1, 1)]
    normal = [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) for x in z]
    layers = [
        Bars(edges, rows["density"], "g0", "cosines"),
        Curve(steps, [y for y in rows["normals"] for _ in range(2)], "g1", name="normals, as many runs"),
        Curve(z, normal, "ink", name="normals, many runs", parts=(_DASH,)),
    ]
    y = Axis("density", 0, 1.05 * max([*rows["density"], 0.4]))
    return _keyed("Whitened cosines", name, Axis("whitened cosine (SDs)", edges[0], edges[-1]), y, layers)


def _ratios(part: Table) -> list[float]:
    return [a / b if b else math.nan for a, b in each(part, "share", "normals")]


def _smallest(rows: Table) -> str | None:
    low = min(rows["p_from"])
    ratios = [(test, _short(_ratios(part.where(p_from=low))[0])) for test, part in rows.split("hypothesis")]
    return "; ".join(f"× {ratio} ({test})" for test, ratio in ratios if ratio) or None


@_by_technique("p_values", "Pairs with the smallest p-values, against simulated normals:", _smallest)
def p_values(name: str, rows: Table) -> str:
    """Figures 2.3 and 2.4: shares of p-values beside those of simulated normals at the same R."""
    drawn = [
        Curve([low + 0.025 for low in part["p_from"]], _ratios(part), *nth(k), test, parts=(_THIN, MARKS), size=3)
        for k, (test, part) in enumerate(rows.split("hypothesis"))
    ]
    top = max(2.0, 1.05 * max(known(y for each in drawn for y in each.y), default=2.0))
    x, y = Axis("p-value", 0, 1), Axis("pairs / simulated normals", 0, top)
    return _keyed("p-values against those of normals", name, x, y, [Level(1), *drawn])


def _against_measured(models: Mapping[str, str], title: str, name: str, rows: Table) -> str:
    """Predicted against measured p@n, by every model; the words furthest off are named."""
    n, words = rows["n"][0], _furthest(rows, list(models)[-1])
    drawn = [
        curve(rows, "measured", model, nth(k), MARKS if k else HOLLOW, name=label, size=2.6)
        for k, (model, label) in enumerate(models.items())
    ]
    x, y = Axis(f"measured p@{n}", 0, 1.3, at(x / 5 for x in range(6))), Axis(title, -0.03, 1.03)
    layers = [Curve([0, 1], [0, 1], "axis", parts=("",)), *drawn, *words]
    return _keyed(f"{title} against measured p@{n}", name, x, y, layers)


def _furthest(rows: Table, model: str) -> list[Note]:
    """The names of the points furthest from the diagonal that do not overlap."""
    kept: list[tuple[float, float, str]] = []
    for x, y, word in sorted(each(rows, "measured", model, "word"), key=lambda row: -abs(row[0] - row[1])):
        if math.isfinite(x + y) and all(abs(x - a) > _LABEL_SIZE[0] or abs(y - b) > _LABEL_SIZE[1] for a, b, _ in kept):
            kept.append((x, y, word))
    left = [y > x and x > 0.3 for x, y, _ in kept[:_LABELS]]
    return [
        Note(word, x, y, -5 if before else 5, -3, anchor="end" if before else "start")
        for (x, y, word), before in zip(kept, left, strict=False)
    ]


def _error(rows: Table) -> str | None:
    errors = known(abs(a - b) for a, b in each(rows, "corrected", "measured"))
    return _short(sum(errors) / len(errors)) if errors else None


def _predicted(n: int) -> Callable[[Tables], Picture]:
    """Figures A.2 and A.3: predicted against measured p@n, by both models."""
    of = _by_technique("predictions", f"Predicted p@{n} is off by, on average over words:", _error, n=n)
    return of(partial(_against_measured, _MODELS, f"predicted p@{n}"))


def _correlation(rows: Table) -> str | None:
    pairs = [(a, b) for a, b in each(rows, "structure", "measured") if math.isfinite(a + b)]
    return _short(pearson([a for a, _ in pairs], [b for _, b in pairs]))


structure = _by_technique("predictions", "Correlation of the structure factor with measured p@1:", _correlation, n=1)(
    partial(_against_measured, {"structure": ""}, "structure factor ρ@1")
)


@drawn_from("batches")
def frequency(batches: Table, tables: Tables) -> Picture:
    """Figures 2.8 and 2.9: intrinsic and extrinsic instability of words, and the means of batches."""
    words = tables.get("words")
    if not words:
        return Picture()
    halves = {quantity: batches.where(quantity=quantity).split("technique") for quantity in _QUANTITIES}
    panels = [
        list(filter(None, (_over_frequency(name, words, rows, quantity) for name, rows in half)))
        for quantity, half in halves.items()
    ]
    ends = [(name, _short(rows["mean"][0]), _short(rows["mean"][-1])) for name, rows in halves["intrinsic"]]
    said = listing((name, f"{rare} and {frequent}") for name, rare, frequent in ends if rare and frequent)
    title = f"Mean intrinsic instability of the rarest and of the most frequent words: {said}" if said else ""
    return Picture(title, by_turns(*panels))


def _over_frequency(name: str, words: Table, batches: Table, quantity: str) -> str:
    """One quantity; ⟨d²⟩ and J² can be averaged, their signed roots are drawn."""
    words, intrinsic = words.where(technique=name), quantity == "intrinsic"
    title, column, style = _QUANTITIES[quantity]
    values = [_root(x) for x in words[column]]
    points = [(x, y) for x, y in zip(words["frequency"], values, strict=True) if x > 0 and math.isfinite(y)]
    if not points:
        return ""
    means = [x if intrinsic else _root(x) for x in batches["mean"]]
    xs, ordered = [x for x, _ in points], sorted(y for _, y in points)
    low = min(0.0, ordered[0], *known(means))
    top = 1.15 * max([ordered[int(_SHOWN * (len(ordered) - 1))], *known(means)]) or 1.0
    layers = [
        Cloud(points, style),
        Curve(batches["frequency"], means, "ink", parts=(_THIN, MARKS), size=3),
        *(Note(word, x, min(max(y, low), top), -3, -6) for word, x, y in _frequent(words, values) if intrinsic),
    ]
    x = Axis("how often a word stands in the corpus", min(xs), max(max(xs), 1.01 * min(xs)), log=True)
    return lines(x, Axis(title, low, top), layers, f"{title} over frequency, {name}", name=technique(name))


@drawn_from("corpora")
def by_corpus(corpora: Table, tables: Tables) -> Picture:
    """Figure 2.9 beside 2.8: the curves of a technique over frequency, each by its own mean, by corpus."""
    batches, parts, found = tables.get("batches", Table()), corpora.split("trained_by"), curves(tables)
    panels = [
        list(filter(None, (_of_corpora(*part, batches.where(quantity=what), title) for part in parts)))
        for what, (title, _, _) in _QUANTITIES.items()
    ]
    if not found:
        return Picture()
    between, beside = (_short(math.sqrt(max(x, 0.0))) for x in (found.corpora, found.techniques))
    title = f"Curves over frequency differ by {between} of their mean between corpora of one technique"
    return Picture(f"{title}, by {beside} between techniques on one corpus" if beside else title, by_turns(*panels))


def _of_corpora(technique: str, corpora: Table, batches: Table, title: str) -> str:
    """The curves of one technique; nothing of fewer than two corpora, and of a mean that is not above 0."""
    drawn: list[Curve] = []
    for name, corpus in each(corpora, "technique", "corpus"):
        part = batches.where(technique=name)
        mean = sum(part["mean"]) / part.height if part.height else 0
        if mean > 0:
            drawn.append(curve(part, "frequency", "mean", nth(len(drawn)), _THIN, MARKS, name=corpus, scale=1 / mean))
    if len(drawn) < 2:
        return ""
    xs, ys = [x for one in drawn for x in one.x], [y for one in drawn for y in one.y]
    x = Axis("how often a word stands in the corpus", min(xs), max(xs), log=True)
    y = Axis(f"{title}, by its mean", min(0.0, *ys), 1.05 * max(ys))
    return _keyed(f"{title} over frequency by corpus", technique, x, y, drawn)


def _root(square: float | None) -> float:
    return math.nan if square is None else math.copysign(math.sqrt(abs(square)), square)


def _frequent(words: Table, values: list[float]) -> list[tuple[str, float, float]]:
    """A few words along the frequencies, to be named where they stand."""
    order = sorted(range(words.height), key=lambda k: -words["frequency"][k])
    picked = [order[k] for k in _NAMED if k < len(order) and math.isfinite(values[order[k]])]
    return [(words["word"][k], words["frequency"][k], values[k]) for k in picked]


def cosines(tables: Tables) -> Picture:
    """Figure 3.2: deviations of cosines and their means, of runs and of averages of two; two panels a technique."""
    title = "SD of the cosines about their mean, runs and averages of two:"
    left, right = (
        _by_technique("figure_3_2", title, _sds, panel=panel)(partial(_densities, axis))(tables)
        for panel, axis in (("deviation", "cosine − its mean over runs"), ("mean", "mean cosine"))
    )
    if not left.panels:  # runs that are all equal have no deviations
        return Picture(panels=right.panels)
    return Picture(left.title, by_turns(left.panels, right.panels))


def _sds(rows: Table) -> str | None:
    """The SDs of the two histograms about 0."""
    sds = []
    for _, part in rows.split("runs_beneath"):
        total = sum(part["density"])
        if not total > 0:
            return None
        sds.append(math.sqrt(sum(w * x * x for w, x in each(part, "density", "cosine")) / total))
    return " and ".join(text for sd in sds if (text := _short(sd)))


def _densities(title: str, name: str, rows: Table) -> str:
    heights = known(rows["density"])
    if not known(rows["cosine"]) or not max(heights) > 0:
        return ""
    drawn = [
        curve(part, "cosine", "density", nth(k), name="runs" if n == 1 else f"averages of {n:.0f}")
        for k, (n, part) in enumerate(rows.split("runs_beneath"))
    ]
    return _keyed(f"Densities, {title}", name, Axis(title), Axis("density", 0, 1.05 * max(heights)), drawn, height=230)


def _of_largest(rows: Table) -> str | None:
    plain = rows.where(renormalised=False)
    value = _short(plain["ratio_cosine"][-1])
    return f"{value} at n = {plain['runs_beneath'][-1]}" if value else None


@_by_technique("figure_3_5", "Loss between averages of n runs, as a part of that between runs (cosines):", _of_largest)
def averaging(name: str, rows: Table) -> str:
    """Figure 3.5: loss between averages of n runs over n."""
    plain, n = rows.where(renormalised=False), "runs_beneath"
    drawn = [
        curve(rows.where(renormalised=renormalised), n, column, nth(k), _THIN, MARKS, name=label)
        for k, (label, renormalised, column) in enumerate(_AVERAGES)
    ]
    law = curve(plain, n, "one_over_root_n", "ink", _THIN, name="1/√n")
    shown = [*plain["one_over_root_n"], *(y for _, _, column in _AVERAGES for y in rows[column])]
    values = [y for y in known(shown) if y > 0]
    x = Axis("runs averaged, n", law.x[0], max(law.x[-1], 1.01 * law.x[0]), at(law.x), log=True)
    y = Axis("loss / loss between runs", 0.9 * min(values), 1.1 * max(values), at(_PARTS), log=True)
    return _keyed("Loss between averages of n runs", name, x, y, [law, *drawn])


def _gains(part: Table) -> tuple[list[float], list[float]]:
    """Points on runs, and their errors as if of other runs."""
    values = floats(part["mean"])
    errors = [(sd or 0) / math.sqrt(count) for sd, count in each(part, "sd", "spaces")]
    of_gains = [0.0, *(100 * math.hypot(errors[0], error) for error in errors[1:])]
    return [100 * (x - values[0]) for x in values], of_gains


def _best(rows: Table) -> str | None:
    gains = {test: _gains(part)[0][-1] for test, part in rows.split("test")}
    best = max(gains, key=lambda test: gains[test] if math.isfinite(gains[test]) else -math.inf)
    return f"{signed(gains[best], 1)} ({best})" if math.isfinite(gains[best]) else None


@_by_technique("scores", "Points that the largest averages gain on runs, of the test with the largest gain:", _best)
def scores(name: str, rows: Table) -> str:
    """Figure 3.6: mean score of averages of n runs over n, as a difference from that of runs."""
    drawn = []
    for k, (test, part) in enumerate(rows.split("test")):
        gains, errors = _gains(part)
        xs = [n * 1.04 ** (k - 1) for n in part["runs_beneath"]]  # bars stand beside each other
        low, high = ([g + sign * e for g, e in zip(gains, errors, strict=True)] for sign in (-1, 1))
        drawn.append(Curve(xs, gains, *nth(k), test, low, high, (WHISKERS, _THIN, MARKS)))
    ends = known(end for each in drawn for end in (*each.low, *each.high))
    if not ends:
        return ""
    counts, pad = sorted({float(n) for n in rows["runs_beneath"]}), 0.08 * (max(ends) - min(ends)) or 1.0
    x = Axis("runs averaged, n", 0.9 * counts[0], 1.12 * counts[-1], at(counts), log=True)
    y = Axis("gain, points (bars: one SE)", min(ends) - pad, max(ends) + pad)
    return lines(x, y, [Level(0), *drawn], f"Gain of averages of n runs, {name}", name=technique(name))


def _largest_error(rows: Table) -> str | None:
    last = max(rows["runs"])
    errors = {name: error for name, error in each(rows.where(runs=last), "quantity", "jackknife") if known([error])}
    worst = max(errors, key=lambda name: errors[name], default=None)
    return f"{100 * errors[worst]:.2g} % ({worst}) with {last} runs" if worst else None


@_by_technique("how_many", "Largest standard error of a value:", _largest_error)
def how_many(name: str, rows: Table) -> str:
    """Relative standard errors by the number of runs; those of equal runs are 0, and have no place on the axis."""
    values = [100 * x for x in known([*rows["jackknife"], *rows["subsampling"]]) if x > 0]
    if not values:
        return ""
    counts = sorted({float(n) for n in rows["runs"]})
    drawn = []
    for k, (quantity, part) in enumerate(rows.split("quantity")):
        drawn.append(curve(part, "runs", "jackknife", nth(k), _THIN, MARKS, name=quantity, scale=100))
        drawn.append(curve(part, "runs", "subsampling", nth(k), _DASH, HOLLOW, scale=100))
    ticks, more = at(n for n in counts if n in _RUNS), [Named("by subsampling", "hollow ink", 0)]
    x = Axis("runs, R", counts[0], max(counts[-1], 1.01 * counts[0]), ticks, log=True)
    ends = 0.85 * min(values), 1.18 * max(values)
    y = Axis("standard error of the value", *ends, at(_PERCENT, " %"), log=True)
    return _keyed("Standard errors against the number of runs", name, x, y, drawn, more=more)


FIGURES: Figures = {
    "figure_2_2": ("Figure 2.2: the cosine of two words over the runs, beside a normal of its mean and SD", one_pair),
    "figure_2_3": ("Figures 2.3, 2.4: p-values against those of simulated normals at as many runs", p_values),
    "figure_2_5": ("Figure 2.5: whitened cosines of random word pairs", whitened),
    "figure_a_2": ("Figure A.2: predicted against measured p@1; the words furthest off are named", _predicted(1)),
    "figure_a_3": ("Figure A.3: predicted against measured p@2; the words furthest off are named", _predicted(2)),
    "predicted_10": ("Predicted against measured p@10; the words furthest off are named", _predicted(10)),
    "figure_2_7": ("Figure 2.7: structure factor, from means alone, against measured p@1", structure),
    "figure_2_8": ("Figures 2.8, 2.9: instability of words over frequency", frequency),
    "figure_2_9": (
        "Figures 2.8, 2.9: means of 20 batches of words over frequency (of extrinsic instability: its square), as "
        "parts of the mean of all, by corpus",
        by_corpus,
    ),
    "figure_3_2": ("Figure 3.2: cosines of runs and of averages of two", cosines),
    "figure_3_5": ("Figure 3.5: loss between averages of n disjoint runs", averaging),
    "figure_3_6": ("Figure 3.6: scores of averages of n runs, less those of runs", scores),
    "how_many": ("How many runs: standard error by the jackknife (filled) and by subsampling (hollow)", how_many),
}
"""Caption and drawing of every figure, in reading order."""
