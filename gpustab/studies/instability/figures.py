"""Figures of the thesis, drawn from the tables of the study: chapters 2 and 3, and how many runs suffice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from gpustab.report.svg.charts import (
    HOLLOW,
    MARKS,
    WHISKERS,
    Axis,
    Bars,
    Cloud,
    Curve,
    Cuts,
    Level,
    Note,
    at,
    curve,
    floats,
    known,
    lines,
)
from gpustab.report.svg.colours import nth, told
from gpustab.report.svg.picture import Figures, PanelsBy, Picture, Tables, by_turns, drawn_from, each
from gpustab.report.svg.plot import Named
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.instability.tables import pearson

_SHARP = 1e-9
"""Standard deviations up to this count as 0, as in :mod:`gpustab.kernels.prediction`."""
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

_panels = partial(PanelsBy, "technique")


def _short(value: float | None) -> str | None:
    """Two digits of what is known."""
    return number(value, 2) if value is not None and math.isfinite(value) else None


def _one_pair(name: str, rows: Table) -> str:
    """A histogram over the runs, a tick per run, and a normal of the same mean and SD (``ddof = 1``)."""
    values = np.asarray(rows["cosine"], np.float64)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    varies = sd > _SHARP  # bars and normals of rounding errors cannot be drawn
    spread = 4 * sd if varies else 0.01
    low, high = min(mean - spread, values.min()), max(mean + spread, values.max())
    ends = None if varies else (mean - spread, mean + spread)
    heights, edges = np.histogram(values, max(4, round(math.sqrt(len(values)))), range=ends, density=True)
    highest = 1 / (sd * math.sqrt(2 * math.pi)) if varies else 0
    xs = np.linspace(low, high, 120)
    normal = highest * np.exp(-(((xs - mean) / sd) ** 2) / 2) if varies else xs
    pair = f"{rows['first'][0]} and {rows['second'][0]}"
    return lines(
        Axis(f"cosine of {pair}", low, high),
        Axis("density", 0, 1.08 * max(heights.max(), highest)),
        [
            Bars(edges.tolist(), heights.tolist(), "g0", "runs"),
            Cuts(values.tolist(), "g0 line thin", tall=9),
            *([Curve(xs.tolist(), normal.tolist(), "g1", name="normal")] if varies else []),
        ],
        f"Cosine of {pair} over {len(values)} runs, {name}",
        name=name,
        keyed=True,
    )


def _mean_and_sd(rows: Table) -> str:
    return f"{number(np.mean(rows['cosine']), 3)} ± {number(np.std(rows['cosine'], ddof=1), 2)}"


def _pair(rows: Table) -> str:
    return f"The cosine of {rows['first'][0]} and {rows['second'][0]} over the runs, mean ± SD:"


def _whitened(name: str, rows: Table) -> str:
    """A histogram of whitened cosines beside the law of normals at R runs, and the normal."""
    z, width = floats(rows["z"]), rows["z"][1] - rows["z"][0]
    edges = [*(x - width / 2 for x in z), z[-1] + width / 2]
    steps = [x + side * width / 2 for x in z for side in (-1, 1)]
    normal = [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) for x in z]
    return lines(
        Axis("whitened cosine (SDs)", edges[0], edges[-1]),
        Axis("density", 0, 1.05 * max([*rows["density"], 0.4])),
        [
            Bars(edges, rows["density"], "g0", "cosines"),
            Curve(steps, [y for y in rows["normals"] for _ in range(2)], "g1", name="normals, as many runs"),
            Curve(z, normal, "ink", name="normals, many runs", parts=(_DASH,)),
        ],
        f"Whitened cosines, {name}",
        name=name,
        keyed=True,
    )


def _off_normal(rows: Table) -> str | None:
    differences = known(a - b for a, b in each(rows, "density", "normals"))
    return _short(max(map(abs, differences))) if differences else None


def _p_values(name: str, rows: Table) -> str:
    """Shares of p-values beside those of simulated normals at the same R."""
    parts = [(str(test), part, _ratios(part)) for test, part in rows.split("hypothesis")]
    top = max(2.0, 1.05 * max(known(x for _, _, ratios in parts for x in ratios), default=2.0))
    drawn = [
        Curve([low + 0.025 for low in part["p_from"]], ratios, *nth(k), test, parts=(_THIN, MARKS), size=3)
        for k, (test, part, ratios) in enumerate(parts)
    ]
    x, y = Axis("p-value", 0, 1), Axis("pairs / simulated normals", 0, top)
    return lines(x, y, [Level(1), *drawn], f"p-values against those of normals, {name}", name=name, keyed=True)


def _ratios(part: Table) -> list[float]:
    return [a / b if b else math.nan for a, b in each(part, "share", "normals")]


def _smallest(rows: Table) -> str | None:
    low = min(rows["p_from"])
    found = [(test, _short(_ratios(part.where(p_from=low))[0])) for test, part in rows.split("hypothesis")]
    return "; ".join(f"× {ratio} ({test})" for test, ratio in found if ratio) or None


def _against_measured(models: Mapping[str, str], title: str, name: str, rows: Table) -> str:
    """Predicted against measured p@n, by every model; the words furthest off are named."""
    n, words = rows["n"][0], _furthest(rows, list(models)[-1])
    drawn = [
        curve(rows, "measured", model, nth(k), MARKS if k else HOLLOW, name=label, size=2.6)
        for k, (model, label) in enumerate(models.items())
    ]
    return lines(
        Axis(f"measured p@{n}", 0, 1.3, at(x / 5 for x in range(6))),
        Axis(title, -0.03, 1.03),
        [Curve([0, 1], [0, 1], "axis", parts=("",)), *drawn, *(_word(*point) for point in words)],
        f"{title} against measured p@{n}, {name}",
        name=name,
        keyed=True,
    )


def _furthest(rows: Table, model: str) -> list[tuple[float, float, str]]:
    """The points furthest from the diagonal whose names do not overlap."""
    kept: list[tuple[float, float, str]] = []
    for x, y, word in sorted(each(rows, "measured", model, "word"), key=lambda row: -abs(row[0] - row[1])):
        if math.isfinite(x + y) and all(abs(x - a) > _LABEL_SIZE[0] or abs(y - b) > _LABEL_SIZE[1] for a, b, _ in kept):
            kept.append((x, y, word))
        if len(kept) == _LABELS:
            break
    return kept


def _word(x: float, y: float, word: str) -> Note:
    above = y > x and x > 0.3
    return Note(word, x, y, -5 if above else 5, -3, anchor="end" if above else "start")


def _error(rows: Table) -> str | None:
    errors = known(abs(a - b) for a, b in each(rows, "corrected", "measured"))
    return _short(sum(errors) / len(errors)) if errors else None


def _correlation(rows: Table) -> str | None:
    pairs = [(a, b) for a, b in each(rows, "structure", "measured") if math.isfinite(a + b)]
    return _short(pearson([a for a, _ in pairs], [b for _, b in pairs]))


def _predicted(n: int) -> PanelsBy:
    return _panels(
        "predictions",
        partial(_against_measured, _MODELS, f"predicted p@{n}"),
        f"Predicted p@{n} is off by, on average over words:",
        _error,
        {"n": n},
    )


@drawn_from("batches")
def frequency(batches: Table, tables: Tables) -> Picture:
    """Figures 2.8 and 2.9: intrinsic and extrinsic instability of words, and the means of batches."""
    words = tables.get("words")
    if not words:
        return Picture()
    halves = {quantity: batches.where(quantity=quantity) for quantity in _QUANTITIES}
    first, second = (
        list(filter(None, (_over_frequency(name, words, rows, quantity) for name, rows in half.split("technique"))))
        for quantity, half in halves.items()
    )
    said = told((name, text) for name, rows in halves["intrinsic"].split("technique") if (text := _rarest(rows)))
    title = f"Mean intrinsic instability of the rarest and of the most frequent words: {said}" if said else ""
    return Picture(title, by_turns(first, second))


def _rarest(rows: Table) -> str | None:
    ends = [_short(rows["mean"][k]) for k in (0, -1)]
    return f"{ends[0]} and {ends[1]}" if all(ends) else None


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
    high = max([ordered[int(_SHOWN * (len(ordered) - 1))], *known(means)])
    low, top = min(0.0, ordered[0], *known(means)), 1.15 * high or 1.0
    named = _frequent(words, values) if intrinsic else []
    return lines(
        Axis("occurrences in the corpus", min(xs), max(max(xs), 1.01 * min(xs)), log=True),
        Axis(title, low, top),
        [
            Cloud(points, style),
            Curve(batches["frequency"], means, "ink", parts=(_THIN, MARKS), size=3),
            *(Note(word, x, min(max(y, low), top), -3, -6) for word, x, y in named),
        ],
        f"{title} over frequency, {name}",
        name=name,
    )


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
        _panels("figure_3_2", partial(_densities, axis), title, _sds, {"panel": panel})(tables)
        for panel, axis in (("deviation", "cosine − its mean over runs"), ("mean", "mean cosine"))
    )
    if not left.panels:  # runs that are all equal have no deviations
        return Picture(panels=right.panels)
    return Picture(left.title, by_turns(left.panels, right.panels))


def _sds(rows: Table) -> str | None:
    """The SDs of the two histograms about 0."""
    found = []
    for _, part in rows.split("runs_beneath"):
        total = sum(part["density"])
        if not total > 0:
            return None
        found.append(math.sqrt(sum(w * x * x for w, x in each(part, "density", "cosine")) / total))
    return " and ".join(text for sd in found if (text := _short(sd)))


def _densities(title: str, name: str, rows: Table) -> str:
    heights = known(rows["density"])
    if not known(rows["cosine"]) or not max(heights) > 0:
        return ""
    drawn = [
        curve(part, "cosine", "density", nth(k), name="runs" if n == 1 else f"averages of {n:.0f}")
        for k, (n, part) in enumerate(rows.split("runs_beneath"))
    ]
    x, y = Axis(title), Axis("density", 0, 1.05 * max(heights))
    return lines(x, y, drawn, f"Densities, {title}, {name}", name=name, keyed=True, height=230)


def _averages(name: str, rows: Table) -> str:
    """Loss between averages of n runs over n, as a part of that between runs."""
    plain, n = rows.where(renormalised=False), "runs_beneath"
    counts = floats(plain[n])
    shown = [*plain["one_over_root_n"], *(x for _, _, column in _AVERAGES for x in rows[column])]
    values = [x for x in known(shown) if x > 0]
    drawn = [
        curve(rows.where(renormalised=renormalised), n, column, nth(k), _THIN, MARKS, name=label)
        for k, (label, renormalised, column) in enumerate(_AVERAGES)
    ]
    return lines(
        Axis("runs averaged, n", counts[0], max(counts[-1], 1.01 * counts[0]), at(counts), log=True),
        Axis("loss / loss between runs", 0.9 * min(values), 1.1 * max(values), at(_PARTS), log=True),
        [curve(plain, n, "one_over_root_n", "ink", _THIN, name="1/√n"), *drawn],
        f"Loss between averages of n runs, {name}",
        name=name,
        keyed=True,
    )


def _of_largest(rows: Table) -> str | None:
    plain = rows.where(renormalised=False)
    value = _short(plain["ratio_cosine"][-1])
    return f"{value} at n = {plain['runs_beneath'][-1]}" if value else None


def _score_gains(name: str, rows: Table) -> str:
    """Mean score of averages of n runs over n, as a difference from that of runs."""
    drawn = []
    for k, (test, part) in enumerate(rows.split("test")):
        gains, errors = _gains(part)
        xs = [n * 1.04 ** (k - 1) for n in part["runs_beneath"]]  # bars stand beside each other
        low, high = ([g + sign * e for g, e in zip(gains, errors, strict=True)] for sign in (-1, 1))
        drawn.append(Curve(xs, gains, *nth(k), str(test), low, high, (WHISKERS, _THIN, MARKS)))
    ends = known(end for each in drawn for end in (*each.low, *each.high))
    if not ends:
        return ""
    counts, pad = sorted({float(n) for n in rows["runs_beneath"]}), 0.08 * (max(ends) - min(ends)) or 1.0
    return lines(
        Axis("runs averaged, n", 0.9 * counts[0], 1.12 * counts[-1], at(counts), log=True),
        Axis("gain, points ± SE", min(ends) - pad, max(ends) + pad),
        [Level(0), *drawn],
        f"Gain of averages of n runs, {name}",
        name=name,
    )


def _gains(part: Table) -> tuple[list[float], list[float]]:
    """Points on runs, and their errors as if of other runs."""
    values = floats(part["mean"])
    own = [(sd or 0) / math.sqrt(count) for sd, count in each(part, "sd", "spaces")]
    errors = [0.0, *(100 * math.hypot(own[0], error) for error in own[1:])]
    return [100 * (x - values[0]) for x in values], errors


def _largest_gain(rows: Table) -> str | None:
    gains = {test: _gains(part)[0][-1] for test, part in rows.split("test")}
    best = max(gains, key=lambda test: gains[test] if math.isfinite(gains[test]) else -math.inf)
    return f"{gains[best]:+.1f} ({best})" if math.isfinite(gains[best]) else None


def _errors(name: str, rows: Table) -> str:
    """Relative standard errors by the number of runs; those of equal runs are 0, and have no place on the axis."""
    values = [100 * x for x in known([*rows["jackknife"], *rows["subsampling"]]) if x > 0]
    if not values:
        return ""
    counts = sorted({float(n) for n in rows["runs"]})
    drawn = []
    for k, (quantity, part) in enumerate(rows.split("quantity")):
        drawn.append(curve(part, "runs", "jackknife", nth(k), _THIN, MARKS, name=str(quantity), scale=100))
        drawn.append(curve(part, "runs", "subsampling", nth(k), _DASH, HOLLOW, scale=100))
    ticks = at(n for n in counts if n in _RUNS)
    return lines(
        Axis("runs, R", counts[0], max(counts[-1], 1.01 * counts[0]), ticks, log=True),
        Axis("standard error of the value", 0.85 * min(values), 1.18 * max(values), at(_PERCENT, " %"), log=True),
        drawn,
        f"Standard errors against the number of runs, {name}",
        name=name,
        keyed=True,
        more=[Named("by subsampling", "hollow ink", 0)],
    )


def _largest_error(rows: Table) -> str | None:
    last = max(rows["runs"])
    errors = {name: error for name, error in each(rows.where(runs=last), "quantity", "jackknife") if known([error])}
    if not errors:
        return None
    worst = max(errors, key=lambda name: errors[name])
    return f"{100 * errors[worst]:.2g} % ({worst}) with {last} runs"


FIGURES: Figures = {
    "figure_2_2": (
        "Figure 2.2: the cosine of two words over the runs, beside a normal of its mean and SD",
        _panels("figure_2_2", _one_pair, _pair, _mean_and_sd),
    ),
    "figure_2_3": (
        "Figures 2.3, 2.4: p-values against those of simulated normals at as many runs",
        _panels("p_values", _p_values, "Pairs with the smallest p-values, against simulated normals:", _smallest),
    ),
    "figure_2_5": (
        "Figure 2.5: whitened cosines of random word pairs",
        _panels(
            "whitened",
            _whitened,
            "The density of whitened cosines differs from that of normals by at most:",
            _off_normal,
        ),
    ),
    "figure_a_2": ("Figure A.2: predicted against measured p@1; the words furthest off are named", _predicted(1)),
    "figure_a_3": ("Figure A.3: predicted against measured p@2; the words furthest off are named", _predicted(2)),
    "predicted_10": ("Predicted against measured p@10; the words furthest off are named", _predicted(10)),
    "figure_2_7": (
        "Figure 2.7: structure factor, from means alone, against measured p@1",
        _panels(
            "predictions",
            partial(_against_measured, {"structure": ""}, "structure factor ρ@1"),
            "Correlation of the structure factor with measured p@1:",
            _correlation,
            {"n": 1},
        ),
    ),
    "figure_2_8": ("Figures 2.8, 2.9: instability of words over frequency", frequency),
    "figure_3_2": ("Figure 3.2: cosines of runs and of averages of two", cosines),
    "figure_3_5": (
        "Figure 3.5: loss between averages of n disjoint runs",
        _panels(
            "figure_3_5",
            _averages,
            "Loss between averages of n runs, as a part of that between runs (cosines):",
            _of_largest,
        ),
    ),
    "figure_3_6": (
        "Figure 3.6: scores of averages of n runs, less those of runs",
        _panels(
            "scores",
            _score_gains,
            "Points that the largest averages gain on runs, of the test with the largest gain:",
            _largest_gain,
        ),
    ),
    "how_many": (
        "How many runs: standard error by the jackknife (filled) and by subsampling (hollow)",
        _panels("how_many", _errors, "Largest standard error of a value:", _largest_error),
    ),
}
"""Caption and drawing of every figure, in reading order."""
