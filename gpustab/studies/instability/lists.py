"""One word's neighbours: beside each other in two runs and in two averages, and how sure each is by its cosines.

Rettenmeier 2020, tables 2.2, 2.4 and 3.5, and eq. 3.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels import prediction
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_word, show
from gpustab.studies.instability.trees import as_runs, top_of

LENGTH = 15
"""Neighbours of the tables 2.2 and 3.5."""
RANKS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
"""Places that table 2.4 shows."""
_LENGTHS = (10, 15)
_EPSILON = 1e-6
"""What leaving out far words may change of a probability in table 2.4."""


class Beside(NamedTuple):
    """Tables 2.2 and 3.5: a neighbour in two spaces; its cosines with the target, and its places, from 1."""

    technique: str
    target: str
    runs_beneath: int
    neighbour: str
    first_rank: int
    first_cosine: float
    second_rank: int
    second_cosine: float


class Overlap(NamedTuple):
    """Eq. 3.8: the neighbours of one target that two spaces share."""

    technique: str
    target: str
    runs_beneath: int
    n: int
    p: float
    j: float


class Estimate(NamedTuple):
    """Table 2.4: mean and SD (``ddof = 1``) of a cosine over the runs, and the probabilities p_#1 and p_#2."""

    technique: str
    target: str
    rank: int
    neighbour: str
    mean: float
    sd: float
    p_1: float
    p_2: float


class PairCosine(NamedTuple):
    """Figure 2.2: the cosine of two words in one run."""

    technique: str
    first: str
    second: str
    run: str
    cosine: float


def list_tables(
    name: str, runs: Runs, word: str, compute: Compute, other: str | None = None
) -> tuple[dict[str, Table], list[str]]:
    """List the neighbours of a word in the first two runs, in the averages of either half of the runs, and by means.

    Args:
        name: of the technique.
        runs: at least 3.
        word: the target.
        compute: how to compute.
        other: the word whose cosine with the target is given run by run; default: the nearest by mean cosine.

    Returns:
        ``table_2_2``, ``table_3_5`` (empty below 4 runs: an average is of two or more), ``lists_shared`` (p@n and j@n
        of both), ``table_2_4`` and ``figure_2_2`` (one row per run); and sentences on what could not be listed.
    """
    target, half = _row_of(runs, word), len(runs) // 2
    if target is None:
        return {}, [f"{name}: no lists of neighbours, the word '{show(as_word(word))}' is not in all runs."]
    notes = []
    listed, shared = beside(name, runs.take([0, 1]), target, 1)
    averaged = Table.of([], Beside._fields)
    if half > 1:
        # Disjoint trees: no run is beneath both.
        parts = [list(range(half)), list(range(half, 2 * half))]
        averages = [top_of(runs.take(part)) for part in parts]
        averaged, more = beside(name, as_runs(runs.take([0, 1]), averages), target, half)
        shared.extend(more)
    else:
        notes.append(f"{name}: no lists of averages (table 3.5), two averages of two want 4 runs.")
    estimates = Table.of(_estimates(name, runs, target, compute), Estimate._fields)
    second = _row_of(runs, estimates["neighbour"][0] if other is None else other)
    pair = [] if second is None else _pair(name, runs, target, second, compute)
    if second is None:
        text = show(as_word(str(other)))
        notes.append(f"{name}: no cosines with '{text}' (figure 2.2), it is not in all runs.")
    return {
        "table_2_2": listed,
        "table_3_5": averaged,
        "lists_shared": shared,
        "table_2_4": estimates,
        "figure_2_2": Table.of(pair, PairCosine._fields, long=True),
    }, notes


def _row_of(runs: Runs, word: str) -> int | None:
    """The row of a word that all runs have."""
    if as_word(word) not in runs.vocabulary:
        return None
    row = runs.vocabulary.index_of(word)
    return row if runs.joint[row] else None


def _pair(name: str, runs: Runs, first: int, second: int, compute: Compute) -> Iterator[PairCosine]:
    values = engine.pair_values(runs, torch.tensor([first]), torch.tensor([second]), compute)[0].tolist()
    for run, value in zip(runs.names, values, strict=True):
        yield PairCosine(name, runs.vocabulary.text(first), runs.vocabulary.text(second), run, value)


def beside(name: str, two: Runs, target: int, beneath: int) -> tuple[Table, Table]:
    """Compare the neighbours of a target in two spaces.

    Args:
        name: of the technique.
        two: the spaces as runs.
        target: row number.
        beneath: runs that each space is made of.

    Returns:
        The 15 nearest words of the first space, then those that only the second has among its 15, see
        :class:`Beside`; and the shares of common neighbours, see :class:`Overlap`.
    """
    cosines = [_cosines(two, r, target) for r in range(2)]
    (first, second), others = map(_ranks, cosines), int(two.joint.sum()) - 1
    text = two.vocabulary.text
    either = ((first <= LENGTH) | (second <= LENGTH)).nonzero().flatten().tolist()
    either.sort(key=lambda k: int(first[k]) if first[k] <= LENGTH else LENGTH + int(second[k]))
    x, y = cosines
    listed = [
        Beside(name, text(target), beneath, text(k), int(first[k]), float(x[k]), int(second[k]), float(y[k]))
        for k in either
    ]
    shared = []
    for n in sorted({min(n, others) for n in _LENGTHS}):
        common = int(((first <= n) & (second <= n)).sum())
        shared.append(Overlap(name, text(target), beneath, n, common / n, common / (2 * n - common)))
    return Table.of(listed), Table.of(shared)


def _cosines(runs: Runs, r: int, target: int) -> Tensor:
    """Cosines of a target with all words in one run, ``(v,)`` float64; −∞ for itself and words that a run lacks."""
    values = engine.query_cosines(runs.take([r]), torch.tensor([target], device=runs.device)).mean[0]
    values[target] = -torch.inf
    return values.masked_fill(~runs.joint, -torch.inf).cpu()


def _ranks(cosines: Tensor) -> Tensor:
    """Places by falling cosine from 1, equal ones by row number; beyond the last for a word without a cosine."""
    order = cosines.argsort(descending=True, stable=True)
    ranks = torch.empty_like(order)
    ranks[order] = torch.arange(1, len(order) + 1)
    return ranks.masked_fill(cosines == -torch.inf, 2**62)


def _estimates(name: str, runs: Runs, target: int, compute: Compute) -> Iterator[Estimate]:
    """Means, SDs and probabilities at the places of :data:`RANKS`.

    Words that are neither shown nor near enough to matter are left out, which changes no probability by more than
    1e-6; probabilities below 1e-12 are 0.
    """
    statistics = engine.query_cosines(runs, torch.tensor([target], device=runs.device))
    mean = statistics.mean.masked_fill(~runs.joint, -torch.inf)
    mean[:, target] = -torch.inf
    sd = statistics.sd.nan_to_num(0.0)
    others = int(runs.joint.sum()) - 1
    order = mean[0].argsort(descending=True, stable=True)[:others]
    ranks = [rank for rank in RANKS if rank <= others]
    lengths = [n for n in (1, 2) if n <= others]
    limit = prediction.top_n_threshold(mean, sd, max(lengths), _EPSILON)
    near = prediction.reaches(mean, sd, limit, _EPSILON / (2 * others))[0]
    near[order[[rank - 1 for rank in ranks]]] = True
    kept = near.nonzero().flatten()
    found = engine.top_n_probabilities(mean[:, kept], sd[:, kept], lengths, numbers=compute.tile(16, 2**32))
    places = {k: column for column, k in enumerate(kept.tolist())}
    for rank in ranks:
        k = int(order[rank - 1])
        p = [float(found[m, 0, places[k]]) if m < len(lengths) else 1.0 for m in range(2)]
        text = runs.vocabulary.text
        yield Estimate(name, text(target), rank, text(k), float(mean[0, k]), float(sd[0, k]), *p)
