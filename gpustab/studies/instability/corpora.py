"""Several corpora beside each other: does what other documents add go with their size, and are curves alike?

Rettenmeier 2020, §2.3, observation 4, eq. 2.43, and §2.3.1, observation 1, figure 2.9.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import Family
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate, ratio
from gpustab.statistics.ranks import permuted_correlation
from gpustab.studies.instability.frequency import BATCHES, TRENDS
from gpustab.studies.instability.losses import EXTRINSIC
from gpustab.studies.instability.technique import Technique
from gpustab.studies.shared.frame import made_of


class CorpusRow(NamedTuple):
    """Eq. 2.43: what other documents add to a technique on one corpus, beside the size of that."""

    technique: Annotated[str, Column(about="as it is called in the other tables")]
    trained_by: Annotated[str, Column(about="the technique without its corpus")]
    corpus: str
    vocabulary: Annotated[int, Column(about="words in all shuffled runs")]
    tokens: Annotated[float, Column(about="occurrences of these in a run; NaN of runs without counts")]
    words_per_token: Annotated[
        float, Column("words per token", 2, "the thesis' quotient of vocabulary and corpus size")
    ]
    intrinsic: Annotated[float, Column(about="reduced PIP loss of shuffled runs; NaN without bootstrap runs")]
    signed_square: Annotated[float, Column(about="bootstrap² − intrinsic²; NaN without bootstrap runs")]
    extrinsic: Annotated[float | None, Column(about="root of the square; none of a negative one")]
    se: float | None


class OverCorpora(NamedTuple):
    """How the extrinsic instability of a technique goes with words per token, over so many sizes of corpora."""

    rho: float
    p: float
    corpora: int


CORPORA = Sheet("corpora", CorpusRow, "one row a technique and corpus, where there are several corpora")


def corpus_table(technique: Technique, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return ``corpora`` with the row of one technique on its corpus.

    Args:
        technique: what is measured.
        tables: of the technique, ``table_2_11`` among them if it has bootstrap runs.
    """
    runs, joint = technique.runs, technique.joint
    # Counts are totals over the runs.
    tokens = math.nan if runs.counts is None else float(runs.counts[joint].double().sum()) / len(runs)
    part = next(EXTRINSIC.rows(tables), None)
    row = CorpusRow(
        technique.name,
        *technique.place,
        vocabulary=len(joint),
        tokens=tokens,
        words_per_token=ratio(len(joint), tokens),
        intrinsic=part.intrinsic if part else math.nan,
        signed_square=part.signed_square if part else math.nan,
        extrinsic=part.extrinsic if part else None,
        se=part.se if part else None,
    )
    return CORPORA.named([row])


def places_of(techniques: Sequence[Family[Runs | Group]]) -> dict[str, tuple[str, str]]:
    """Return what every technique was trained by, and what its corpus is called, by the technique's name.

    A corpus is the text that the run set names, with period, half, unit or part; or else the run set itself. Two texts
    of one name have their tokens beside it. Two run sets of one technique on one text are two techniques on it.
    """
    texts = {technique.name: _text_of(technique.members[0]) for technique in techniques}
    alike = Counter(label for label, _ in {(label, text.get("hash", "")) for label, text in texts.values()})
    corpora = {
        name: f"{label} ({text['tokens']:,} running words)" if alike[label] > 1 and "tokens" in text else label
        for name, (label, text) in texts.items()
    }
    settings = Counter((technique.key.technique, corpora[technique.name]) for technique in techniques)
    places = {}
    for technique in techniques:
        by, corpus = technique.key.technique, corpora[technique.name]
        own = f"{by}, {dict(technique.key.part).get('runset', '')}" if settings[by, corpus] > 1 else by
        places[technique.name] = own, corpus
    return places


def _text_of(group: Runs | Group) -> tuple[str, dict[str, Any]]:
    """What the corpus of a group is called, and what its run set says of it."""
    runset = [value for name, value in group.key.part if name == "runset"]
    key = replace(group.key, part=tuple(pair for pair in group.key.part if pair[0] != "runset"))
    made = made_of(replace(group, key=key)) if isinstance(group, Group) else {}  # as the run set itself calls it
    text: dict[str, Any] = made.get("corpus", {})
    parts = [text["name"]] if text else runset
    parts = [*parts, *(f"{name}={value}" for name, value in key.part)]
    parts += [f"{key.unit}s"] * (key.unit != "document") + [f"{100 * key.fraction:g} %"] * (key.fraction != 1)
    return ", ".join(parts) or "whole corpus", text


def place_of(tables: Mapping[str, Table]) -> Callable[[str], tuple[str, str]]:
    """Return a function that tells what a technique was trained by, and on which corpus; one corpus has no name."""
    table = CORPORA.of(tables)
    known = dict(zip(table["technique"], zip(table["trained_by"], table["corpus"], strict=True), strict=True))
    return lambda name: known.get(name, (name, ""))


def over_corpora(rows: Sequence[CorpusRow]) -> OverCorpora:
    """Return Spearman's ρ of the extrinsic instability with words per token, eq. 2.43, and its p by all orders."""
    known = [row for row in rows if math.isfinite(row.words_per_token + row.signed_square)]
    sizes, squares = ([getattr(row, name) for row in known] for name in ("words_per_token", "signed_square"))
    rho, p = (
        permuted_correlation(torch.tensor(sizes, device="cpu"), torch.tensor(squares, device="cpu"))
        if len(known) > 2
        else (math.nan, math.nan)
    )
    return OverCorpora(rho, p, len(set(sizes)))


class Curves(NamedTuple):
    """How much curves over frequency differ, squared, each by its own mean, freed of the noise of words and of runs.

    Attributes:
        techniques: between techniques on one corpus.
        corpora: between corpora of one technique.
        more: by how much the first is larger, with its error over batches and over runs.
    """

    techniques: float
    corpora: float
    more: Estimate


class Curve(NamedTuple):
    """One quantity of a technique over frequency, by its mean.

    Attributes:
        values: ``(20,)``, by batch.
        noise: squared errors of these, of words and of runs.
        slope: mean over batches of what the runs' part is: all runs may be steeper than others by chance.
    """

    values: NDArray[np.float64]
    noise: NDArray[np.float64]
    slope: float


def curves(tables: Mapping[str, Table]) -> Curves | None:
    """Return how much curves differ between techniques (NaN of one) and between corpora; nothing of one corpus.

    ``⟨(y_b − y'_b)² − s_b² − s'_b²⟩`` over the 20 batches from rare to frequent words, over the quantities that both
    have, and over all pairs. Noise of the runs is that of the fitted change: pairs of curves are all the steeper or the
    flatter for it, so that a mean square ``D`` freed of its ``n`` has the variance ``2 n² + 4 D n``, and no less of
    several pairs, which share curves.
    """
    place, drawn = place_of(tables), dict(_curves(tables))
    apart: dict[bool, list[tuple[NDArray[np.float64], float]]] = {True: [], False: []}
    for (a, x), (b, y) in combinations(drawn.items(), 2):
        (by, corpus), (other, on) = place(a), place(b)
        both = [(x[quantity], y[quantity]) for quantity in sorted(x.keys() & y.keys())]
        alike = by.partition(", ")[0] == other.partition(", ")[0]  # two settings of a technique are no two techniques
        if both and alike != (corpus == on):
            squares = [np.square(one.values - two.values) - one.noise - two.noise for one, two in both]
            slopes = [one.slope + two.slope for one, two in both]
            apart[alike].append((np.mean(squares, axis=0), float(np.mean(slopes))))
    if not apart[True]:
        return None
    nothing = [(np.full_like(apart[True][0][0], np.nan), math.nan)]
    pairs = [apart[False] or nothing, apart[True]]
    techniques, corpora = (np.mean([square for square, _ in some], axis=0) for some in pairs)
    slopes = [float(np.mean([slope for _, slope in some])) for some in pairs]
    more, means = techniques - corpora, (float(techniques.mean()), float(corpora.mean()))
    of_runs = sum(2 * n * n + 4 * max(mean, 0.0) * n for mean, n in zip(means, slopes, strict=True))
    error = math.sqrt(float(more.var(ddof=1)) / len(more) + of_runs)
    return Curves(means[0], means[1], Estimate.of_runs(float(more.mean()), error, len(more)))


def _curves(tables: Mapping[str, Table]) -> Iterator[tuple[str, dict[str, Curve]]]:
    """The curves of every technique by quantity; of a mean that is not above 0 nothing is a part."""
    trends = TRENDS.of(tables).where(least_frequency=0)
    errors = dict(zip(zip(trends["technique"], trends["quantity"], strict=True), trends["change_runs_se"], strict=True))
    for technique, part in BATCHES.of(tables).split("technique"):
        found = {}
        for quantity, rows in part.split("quantity"):
            mean, se, frequency = (np.asarray(rows[name], np.float64) for name in ("mean", "se", "frequency"))
            if len(mean) > 1 and mean.mean() > 0:
                decades = np.log10(frequency)
                along = np.square((decades - decades.mean()) / (decades[-1] - decades[0]))
                of_runs = errors.get((technique, quantity), math.nan) ** 2 * along
                noise = np.square(se / mean.mean()) + of_runs
                found[quantity] = Curve(mean / mean.mean(), noise, float(of_runs.mean()))
        yield technique, found
