"""Joining the vocabularies of several runs into one, by word and never by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError
from gpustab.runs import Joining, Rule, Runs, prepare
from gpustab.space import Space
from gpustab.vocabulary import Vocabulary, show

_SAMPLE = 5


class Header(NamedTuple):
    """What joining needs to know of one run: everything but its vectors.

    Attributes:
        name: of the run.
        vocabulary: its ``v_r`` words.
        counts: ``(v_r,)`` or ``None``.
        defined: ``(v_r,)`` bool; False for a zero vector, which has no cosine.
    """

    name: str
    vocabulary: Vocabulary
    counts: Tensor | None
    defined: Tensor


def header(space: Space) -> Header:
    """Return the header of a run."""
    return Header(space.name, space.vocabulary, space.counts, space.vectors.any(dim=1))


class Plan(NamedTuple):
    """A joined vocabulary and where its words stand in every run.

    Attributes:
        vocabulary: the joined words in canonical order.
        counts: ``(v,)`` total counts, or ``None`` unless every run has counts.
        joining: the account of what was kept and dropped.
        rows: for every run ``(v,)`` row numbers, −1 where the run lacks the word.
    """

    vocabulary: Vocabulary
    counts: Tensor | None
    joining: Joining
    rows: list[Tensor]


def plan_join(headers: Sequence[Header], *, vocabulary: Rule = "joint", min_runs: int | None = None) -> Plan:
    """Find the joined vocabulary of several runs.

    The order is: descending total count where every run has counts, else mean position in the runs; ties by bytes.
    So nothing depends on the order in which the runs are given. A zero vector is undefined in its run: under the
    joint rule the word is left out and reported.

    Args:
        headers: one per run.
        vocabulary: ``"joint"`` keeps the words of all runs, ``"union"`` those of at least ``min_runs``.
        min_runs: under ``"union"``; default 2, since a word in one run has no stability.

    Raises:
        InputError: if fewer than two words are left, or ``min_runs`` is impossible.
    """
    runs = len(headers)
    need = runs if vocabulary == "joint" else (min(2, runs) if min_runs is None else min_runs)
    if not 1 <= need <= runs:
        raise InputError(f"min_runs is {min_runs}, wanted 1 to {runs} for {runs} runs")
    index: dict[bytes, int] = {}
    ids = [
        np.fromiter((index.setdefault(w, len(index)) for w in h.vocabulary), np.int64, len(h.vocabulary))
        for h in headers
    ]
    words = list(index)
    has, defined = np.zeros(len(words), np.int64), np.zeros(len(words), np.int64)
    for own, one in zip(ids, headers, strict=True):
        has[own] += 1
        defined[own] += one.defined.numpy()
    counts = _total_counts(ids, headers, len(words))
    order = _canonical_order(words, ids, has, counts)
    keep = order[defined[order] >= need]
    if len(keep) < 2:
        raise InputError(_nothing_shared(headers, len(keep), need))
    undefined = order[(has[order] >= need) & (defined[order] < has[order])]
    dropped = order[has[order] < need]
    return Plan(
        Vocabulary(words[i] for i in keep),
        None if counts is None else torch.from_numpy(counts[keep]),
        Joining(
            vocabulary,
            need,
            len(words),
            len(dropped),
            tuple(words[i] for i in dropped[:_SAMPLE]),
            len(undefined),
            tuple(words[i] for i in undefined[:_SAMPLE]),
        ),
        [_rows_of(own, keep, len(words)) for own in ids],
    )


def take_rows(vectors: Tensor, rows: Tensor) -> Tensor:
    """Return a copy of the given rows, zero where the row number is −1."""
    return vectors[rows.clamp(min=0)].masked_fill_((rows < 0)[:, None], 0)


def join(
    spaces: Iterable[Space],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    centre: bool = False,
    unit: bool = True,
    group: str = "runs",
    notes: tuple[str, ...] = (),
) -> Runs:
    """Bring spaces to one vocabulary; the spaces themselves are not changed.

    Args:
        spaces: the runs.
        vocabulary: see :func:`plan_join`.
        min_runs: see :func:`plan_join`.
        centre: subtract the mean over the joint words.
        unit: scale rows to unit length.
        group: name of the group.
        notes: sentences to keep with the runs.

    Example:
        >>> from gpustab.formats.memory import from_pair
        >>> a = from_pair(["x", "y", "z"], torch.eye(3), "a")
        >>> b = from_pair(["z", "x", "w"], torch.eye(3), "b")
        >>> runs = join([a, b])
        >>> list(runs.vocabulary), runs.joining.dropped
        ([b'x', b'z'], 2)
    """
    waiting = list(spaces)
    plan = plan_join([header(space) for space in waiting], vocabulary=vocabulary, min_runs=min_runs)
    names = _names(waiting)
    # Each space is let go as soon as its rows are taken: two copies of all vectors never exist at once.
    rows = tuple(take_rows(waiting.pop(0).vectors, where) for where in plan.rows)
    return prepare(
        plan.vocabulary,
        rows,
        names,
        plan.joining,
        group=group,
        counts=plan.counts,
        centre=centre,
        unit=unit,
        notes=notes,
    )


def _total_counts(ids: list[NDArray[np.int64]], headers: Sequence[Header], n: int) -> NDArray[np.int64] | None:
    total = np.zeros(n, np.int64)
    for own, one in zip(ids, headers, strict=True):
        if one.counts is None:
            return None
        total[own] += one.counts.numpy()
    return total


def _canonical_order(
    words: Sequence[bytes], ids: list[NDArray[np.int64]], has: NDArray[np.int64], counts: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    positions = np.zeros(len(words), np.int64)
    for own in ids:
        positions[own] += np.arange(len(own))
    key = (positions / has if counts is None else -counts).tolist()
    return np.array(sorted(range(len(words)), key=lambda i: (key[i], words[i])), dtype=np.int64)


def _rows_of(own: NDArray[np.int64], keep: NDArray[np.int64], n: int) -> Tensor:
    row_of = np.full(n, -1, np.int64)
    row_of[own] = np.arange(len(own))
    return torch.from_numpy(row_of[keep])


def _names(spaces: Sequence[Space]) -> tuple[str, ...]:
    """Short names where they differ, the full sources where they do not."""
    short = tuple(space.name for space in spaces)
    full = tuple(space.report.source if space.report else space.name for space in spaces)
    for names in (short, full):
        if len(set(names)) == len(names):
            return names
    return tuple(f"{name} #{i}" for i, name in enumerate(short))


def _nothing_shared(headers: Sequence[Header], kept: int, need: int) -> str:
    examples = "; ".join(f"{h.name} has {', '.join(show(w) for w in list(h.vocabulary)[:3])} ..." for h in headers[:2])
    return (
        f"the runs have {'no word' if not kept else 'only one word'} in common "
        f"({need} of {len(headers)} runs must have it with a non-zero vector): {examples}"
    )
