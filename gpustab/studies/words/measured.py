"""Numbers of the words by all runs, by all without one and by halves of them; and tables of their regressions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet, Table
from gpustab.runs.runs import Runs
from gpustab.spaces.words import show
from gpustab.statistics.intervals import pearson
from gpustab.studies.instability.losses import gram_of_words, word_matrices
from gpustab.studies.words.claims import EFFECTS, PARTS_OF, Effect, Part
from gpustab.studies.words.factors import FACTORS, Design, Floats, Words
from gpustab.studies.words.options import WordsOptions
from gpustab.studies.words.regression import Known, Regression, fit, regress

LOSS = "PIP loss"
_WORDS = 1024
"""Words whose pairs of runs are held at once."""
_HALVES = 4
"""Runs from which on each half of them has a pair."""


class Fitted(NamedTuple):
    """How well all factors together tell the words' stability."""

    group: str
    measure: Annotated[str, Column("stability by", about="as in the table of effects")]
    runs: int
    words: Annotated[int, Column(about="of which all factors are known")]
    r2: Annotated[float, Column("R²", 2, "part of the differences between words that all factors explain")]
    low: Annotated[float, Column(about="95 % interval: errors over runs and over words")]
    high: float
    half_r2: Annotated[float, Column("R² of half", 2, "the same by half of the runs, mean of the two halves")]
    held_out: Annotated[
        float, Column("R² on the others", 2, "of the regression on half of the runs, judged by the other half")
    ]
    most: Annotated[
        float, Column("at most", 2, "Pearson's r of the words' stability in both halves: no factors could reach more")
    ]


class WordRow(NamedTuple):
    """One word: its stability, and what is known of it."""

    group: str
    word: str
    shared: Annotated[float, Column("p@n", about="share of its n neighbours that two runs have in common")]
    loss: Annotated[float, Column("PIP loss", about="reduced, mean over the pairs of runs")]
    frequency: Annotated[float | None, Column(about="occurrences in a run, logarithm to base 10")]
    spread: Annotated[
        float | None, Column(about="documents that have it, by those that chance would give it, logarithm to base 2")
    ]
    place: Annotated[float | None, Column(about="mean place in the text, from 0 to 1")]
    letters: float | None
    senses: Annotated[float | None, Column(about="in WordNet, logarithm to base 2")]
    part_of_speech: Annotated[str, Column(about="under which WordNet has most of its senses")]
    nearest: Annotated[float, Column(about="cosine with its nearest word, mean over runs")]


FITS = Sheet("fits", Fitted, "one row a group and measure of stability")
WORDS = Sheet("words", WordRow, "one row a group and word of which all factors are known", long=True)


class Measured(NamedTuple):
    """The words' numbers by some subsets of the runs, each ``(s, t)``; NaN of a subset without a pair.

    Attributes:
        shared: p@n.
        loss: reduced PIP loss.
        nearest: mean cosine with the nearest word.
    """

    shared: Floats
    loss: Floats
    nearest: Floats


def subsets_of(runs: int) -> NDArray[np.bool_]:
    """Return all runs, all without each, and the two halves, ``(R + 3, R)``; runs take turns in the halves.

    >>> subsets_of(3).astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    first = np.arange(runs) % 2 == 0
    return np.vstack([np.ones(runs, bool), ~np.eye(runs, dtype=bool), first, ~first])


def measure(runs: Runs, targets: Tensor, n: int, compute: Compute) -> Measured:
    """Return the words' p@n, loss and nearest cosine by all runs, without each, and by the two halves."""
    runs = engine.place(runs, compute)
    count, some = len(runs), torch.from_numpy(subsets_of(len(runs))).double()
    pairs = (some[:, :, None] * some[:, None, :]).flatten(1)  # (s, R²)
    pairs[:, :: count + 1] = 0
    pairs /= pairs.sum(1, keepdim=True)  # 0 / 0 of a subset without a pair
    lists = engine.neighbour_pass(runs, targets, n, compute)
    basis = gram_of_words(runs, compute)
    found = torch.empty(2, len(some), len(targets), dtype=torch.float64, device="cpu")
    for start in range(0, len(targets), _WORDS):
        part = slice(start, start + _WORDS)
        shared = shared_neighbours(lists.indices[:, part], [lists.k])[0].cpu().double() / lists.k
        losses = word_matrices(runs, targets[part].to(runs.device), compute, basis).cpu()
        for k, matrices in enumerate((shared, losses)):
            found[k, :, part] = product(pairs, matrices.flatten(1).mT)
    nearest = product(some / some.sum(1, keepdim=True), lists.cosines[:, :, 0].cpu())
    return Measured(*(x.numpy() for x in (*found, nearest)))


def word_rows(
    group: str, names: Sequence[bytes], known: Sequence[Words], measured: Measured, kept: NDArray[np.bool_]
) -> Iterator[WordRow]:
    """Yield the rows of words of which all is known."""
    columns = {name: x for one in known for name, x in one.columns.items()}

    def of(name: str, k: int) -> float | None:
        return float(columns[name][k]) if name in columns else None

    for k in np.flatnonzero(kept).tolist():
        own = next((kind for kind in ("verb", "adjective", "adverb", "other") if of(kind, k)), "noun")
        yield WordRow(
            group,
            show(names[k]),
            shared=float(measured.shared[0, k]),
            loss=float(measured.loss[0, k]),
            frequency=of("frequency", k),
            spread=of("spread", k),
            place=of("place", k),
            letters=of("letters", k),
            senses=of("senses", k),
            part_of_speech=own if "verb" in columns else "",
            nearest=float(measured.nearest[0, k]),
        )


def regression_tables(
    group: str, design: Design, measured: Measured, options: WordsOptions, *, silent: bool = False
) -> dict[str, Table]:
    """Return the tables of the regressions of both measures of stability.

    Args:
        group: name of the group.
        design: what is known of the words.
        measured: their numbers by all runs, without each, and by the halves.
        options: length of the lists, and the seed.
        silent: whether nothing may be judged.
    """
    count, kept, tables = len(measured.shared) - 3, design.kept, dict[str, Table]()
    designs = []
    for nearest in measured.nearest[:, kept]:
        x = design.x.copy()
        if "nearest" in design.names:
            x[:, design.names.index("nearest")] = nearest
        designs.append(x)
    with np.errstate(divide="ignore"):
        measures = {f"p@{options.n}": measured.shared[:, kept], LOSS: -np.log(measured.loss[:, kept])}
    for measure_, values in measures.items():
        found = regress(designs[: count + 1], values[: count + 1], design.factors, design.classes, options.seed)
        whose = (group, measure_)
        words_ = 0 if silent else int(kept.sum())
        scale = options.n if measure_ != LOSS else 100.0
        EFFECTS.add(tables, _effects(whose, count, words_, found, design, values[0], scale))
        PARTS_OF.add(tables, _parts(whose, count, words_, found, design))
        halves = _halves(designs[count + 1 :], values[count + 1 :], design, count)
        r2 = found.number("r2")
        FITS.add(tables, [Fitted(*whose, count, int(kept.sum()), r2.value, *r2.interval, *halves)])
    return tables


def _effects(
    whose: tuple[str, str], runs: int, words_: int, found: Regression, design: Design, values: Floats, scale: float
) -> Iterator[Effect]:
    for k, name in enumerate(design.names):
        effect, slope, step = found.number("effects", k), found.number("slopes", k), scale * FACTORS[name].step
        yield Effect(
            *whose,
            name,
            runs,
            words_,
            alone=pearson(design.x[:, k].tolist(), values.tolist()),
            effect=effect.value,
            low=effect.interval[0],
            high=effect.interval[1],
            runs_se=effect.runs_se,
            words_se=effect.words_se,
            change=step * slope.value,
            change_low=step * slope.interval[0],
            change_high=step * slope.interval[1],
            step=FACTORS[name].said,
        )


def _parts(whose: tuple[str, str], runs: int, words_: int, found: Regression, design: Design) -> Iterator[Part]:
    for k, name in enumerate(design.factors):
        part: Known = found.number("partial", k)
        yield Part(*whose, name, runs, words_, part.value, *part.interval)


def _halves(designs: Sequence[Floats], values: Floats, design: Design, runs: int) -> tuple[float, float, float]:
    """R² by half of the runs, the same judged by the other half, and what could be reached there."""
    if runs < _HALVES:
        return math.nan, math.nan, math.nan
    own, others = [], []
    for k in (0, 1):
        made, y = fit(designs[k], values[k], [], design.classes), values[1 - k]
        own.append(made.r2)
        missed = np.square(y - made.predict(designs[k])).sum()
        others.append(1 - missed / np.square(y - y.mean()).sum() if np.ptp(y) else math.nan)
    return float(np.mean(own)), float(np.mean(others)), pearson(values[0].tolist(), values[1].tolist())
