"""Exact nearest neighbours by cosine, with one tie rule for every back end, batch size and device.

The rule: the word itself is removed by its index; the others are ranked by float64 cosine, descending; neighbours
whose cosines follow each other within :data:`RESOLUTION` are tied and rank by row number (the canonical word order).
A float32 search (torch or FAISS) only proposes candidates, on a card a float16 one before it where that pays; they are
ranked again in float64, and a query whose candidates are not *proven* to hold the whole answer goes on to the next
search, at last in float64 among all rows. That comes first where ranking again takes longer than it saves, as in most
vocabularies on a CPU. It alone answers in spaces in which float32 proves nothing: where all words, or thousands of
them, have nearly the same direction, their cosines differ by less than the rounding of float32 (2e-5 at d = 300).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.search import Backend as Backend
from gpustab.kernels.search import Search, half_bound, halves_pay, rounding_bound, searcher
from gpustab.kernels.shapes import want

__all__ = ["RESOLUTION", "Backend", "Neighbours", "lists_of_cosines", "top_k"]

RESOLUTION = 2.0**-40
"""Closest cosines that count as different (9e-13): far below any meaning, far above what the order of a float64 sum
changes, so that devices agree. Rounding to a grid instead would part equal cosines that straddle one of its steps."""

_QUERIES, _GATHERED = 1 << 16, 1 << 29
"""Queries re-ranked at a time, and bytes of their gathered rows."""

_QUERIES_ON_CPU, _GATHERED_ON_CPU = 16, 1 << 22
"""The same on a CPU, in whose cache they are to stay: half the time of 512 at once."""

_PROPOSED = 8
"""Proposals are worth their while up to this part of the rows: a gathered row costs as much as 15 in one product."""

_PROPOSED_FROM = 8000
"""Rows from which on torch proposes on a CPU. On two cores, k = 10 and 50, d = 50 to 300, float64 alone takes 0.4 to
0.7 of the time at 1,738 rows, 0.6 to 0.9 at 6,000, 1.1 to 1.8 at 20,000 and 1.6 to 2.4 at 60,000."""

_FEW_OF_A_ROW = 16
"""Scores of a row up to which torch finds the highest sooner than numpy, which takes half the time for 50."""

_OF_MANY = 8
"""Rows of many that are alike, whose sum tells which columns are high in all: the sum of all tells hardly more."""

_TIED = 4
"""Candidates of a first search in float64 beyond those that it needs: hardly any are tied."""

_RAISED = 1 << 26
"""Bytes up to which a CPU raises all rows to float64 at once."""

_COLUMNS = 8192
"""Rows that are raised to float64 at a time."""


class Neighbours(NamedTuple):
    """The k nearest neighbours of t targets.

    Attributes:
        indices: ``(t, k)`` int64 row numbers, nearest first.
        cosines: ``(t, k)`` float64 in [−1, 1].
        tied: ``(t, k)`` bool; whether the next neighbour (rank r + 1, also beyond the k-th) is tied, so
            that a list cut here depends on the tie rule.
    """

    indices: Tensor
    cosines: Tensor
    tied: Tensor


class _Task(NamedTuple):
    """What is asked, and where answers go."""

    vectors: Tensor
    lengths: Tensor
    targets: Tensor
    result: Neighbours


@torch.no_grad()  # indices have no gradient, and the rows may be those of a layer in training
def top_k(
    vectors: Tensor,
    targets: Tensor,
    k: int,
    *,
    backend: Backend = "torch",
    search_scores: int = 2**26,
    halves: bool = True,
    tell: Callable[[str, int], None] | None = None,
) -> Neighbours:
    """Return the k nearest neighbours of the target rows among all rows.

    Args:
        vectors: ``(v, d)`` non-zero rows of any length and float dtype; cosines are those of these very numbers.
        targets: ``(t,)`` row numbers.
        k: number of neighbours; cut to ``v − 1``.
        backend: ``"torch"`` or ``"faiss"``; the neighbours are the same.
        search_scores: how many scores one tile of the search may hold; changes memory, never the result.
        halves: whether float16 may propose first, where it pays; changes time, never the result.
        tell: called with ``"float16"`` or ``"float32"`` and how many queries its search did not prove.

    Raises:
        ValueError: for a row without a length, a target outside ``0 .. v − 1``, or k < 1.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> top_k(x, torch.tensor([0, 3]), 2).indices.tolist()
        [[2, 3], [2, 0]]
    """
    v, d = _check(vectors, targets, k)
    k = min(k, v - 1)
    candidates = k + 2 + max(16, k // 4)  # itself, the one after the cut, and room for near-ties of float32
    few = v < _PROPOSED_FROM and backend == "torch" and vectors.device.type == "cpu"
    proposing = candidates * _PROPOSED <= v and not few
    lengths, single = _measured(vectors, proposing)
    if vectors.device.type == "cpu" and vectors.numel() * 8 <= _RAISED:
        vectors = vectors.double()  # once, instead of for every candidate
    result = Neighbours(
        targets.new_empty(len(targets), k),
        lengths.new_empty(len(targets), k),
        torch.empty(len(targets), k, dtype=torch.bool, device=targets.device),
    )
    task = _Task(vectors, lengths, targets, result)
    waiting = torch.arange(len(targets), device=targets.device)
    if proposing and len(waiting):
        search = searcher(backend, vectors.device, search_scores)
        tile = max(1, search_scores // (candidates * max(d, 8)))
        for name, rows, margin in _searches(single, len(targets), halves and backend == "torch"):
            if len(waiting):
                propose = (_propose(task, part, rows, search, candidates, margin) for part in waiting.split(tile))
                waiting = torch.cat(list(propose))
                if tell:
                    tell(name, len(waiting))
            del rows
    else:
        candidates = k + 2 + _TIED
    del single
    while len(waiting):
        # Sorting all rows takes no longer than finding a large part of them.
        candidates = candidates if candidates * _PROPOSED <= v else v
        tile = max(1, search_scores // (v * (8 if candidates == v else 2)))
        waiting = torch.cat([_search_in_float64(task, part, candidates) for part in waiting.split(tile)])
        candidates *= 4
    return result


def lists_of_cosines(cosines: Tensor, targets: Tensor, k: int, dimension: int) -> tuple[Neighbours, Tensor]:
    """Read lists in R runs from cosines that were formed for another end, instead of forming them once more.

    Args:
        cosines: ``(t, R, v)`` float64 products of unit rows with all rows; a target's own becomes −∞ in place.
        targets: ``(t,)`` row numbers.
        k: number of neighbours, at most ``v − 1``.
        dimension: of the rows, for the error of their products.

    Returns:
        The neighbours, every field ``(t, R, k)``, their cosines right to
        :func:`~gpustab.kernels.search.rounding_bound`; and ``(t, R)`` bool, which lists are surely those of
        :func:`top_k`: of the others, another order of the sums could part a near tie.
    """
    (*shape, v), error = cosines.shape, rounding_bound(dimension, 2.0**-53)
    cosines[torch.arange(len(targets), device=targets.device), :, targets] = -torch.inf
    m = min(v, k + 1 + _TIED)
    found, scores = (torch.cat(parts) for parts in zip(*(_highest_of_alike(some, m) for some in cosines), strict=True))
    found, scores = _descending(found, scores)
    beyond = scores[:, -1] + 2 * error if m < v else scores.new_full((len(scores),), -torch.inf)
    clear = ((scores.diff(dim=1) + RESOLUTION).abs() > 4 * error).all(1)
    lists, proven = _lists(found, scores, beyond, k, v)
    return Neighbours(*(field.unflatten(0, shape) for field in lists)), (proven & clear).view(shape)


def _searches(single: Tensor, queries: int, halves: bool) -> Iterator[tuple[str, Tensor, float]]:
    """Yield the searches that propose, the coarsest first: name, unit rows, and by how much a score may err."""
    v, d = single.shape
    if halves and halves_pay(single.device, queries * v * d):
        yield "float16", single.half(), half_bound(d)
    yield "float32", single, rounding_bound(d)


def _check(vectors: Tensor, targets: Tensor, k: int) -> torch.Size:
    want("vectors", vectors, "(v, d)")
    if len(vectors) < 2:
        raise ValueError(f"vectors have shape {tuple(vectors.shape)}, wanted (v, d) with v of at least 2")
    if k < 1:
        raise ValueError(f"k is {k}, wanted at least 1")
    if len(targets) and not 0 <= int(targets.min()) <= int(targets.max()) < len(vectors):
        raise ValueError(
            f"targets reach from {int(targets.min())} to {int(targets.max())}, rows from 0 to {len(vectors) - 1}"
        )
    return vectors.shape


def _measured(vectors: Tensor, unit: bool) -> tuple[Tensor, Tensor]:
    """Float64 lengths ``(v,)`` and, if wanted, contiguous float32 unit rows ``(v, d)``; in pieces to spare memory."""
    lengths = torch.empty(len(vectors), dtype=torch.float64, device=vectors.device)
    single = torch.empty(vectors.shape if unit else (0,), dtype=torch.float32, device=vectors.device)
    for start in range(0, len(vectors), 4096):
        part = slice(start, start + 4096)
        rows = vectors[part].double()
        lengths[part] = torch.linalg.vector_norm(rows, dim=1)
        if unit:
            single[part] = rows / lengths[part, None]
    wrong = ~((lengths > 0) & lengths.isfinite())
    if wrong.any():
        row = int(wrong.nonzero()[0])
        what = "zero" if not vectors[row].any() else f"of length {float(lengths[row])}"
        raise ValueError(f"row {row} is {what}: its cosine is undefined")
    return lengths, single


def _propose(task: _Task, queries: Tensor, single: Tensor, search: Search, m: int, margin: float) -> Tensor:
    """Answer the queries for which m candidates of a search prove the answer; return the others."""
    own = task.targets[queries]
    found, scores = search(single, own, m)  # (q, m)
    exact = _cosines(task.vectors, task.lengths, own, found)
    scores = scores.double()
    # The bound is checked on what was found: a product that something made less precise after all proves nothing.
    sound = ((scores - exact).abs() <= margin).all(1)
    return _settle(task, queries, found, exact, (scores.amin(1) + margin).where(sound, torch.inf))


def _search_in_float64(task: _Task, queries: Tensor, m: int) -> Tensor:
    """The same by float64 cosines with all rows, of which the m highest are ranked; all of them prove everything."""
    vectors, lengths, targets, _ = task
    own = targets[queries]
    rows = vectors[own].double() / lengths[own, None]
    columns = zip(vectors.split(_COLUMNS), lengths.split(_COLUMNS), strict=True)
    parts = [product(rows, (part.double() / length[:, None]).mT) for part, length in columns]
    scores = torch.cat(parts, 1) if len(parts) > 1 else parts[0]  # (q, v)
    if m == len(vectors):
        found, beyond = (
            torch.arange(m, device=own.device).expand(len(own), -1),
            scores.new_full((len(own),), -torch.inf),
        )
        left = _settle(task, queries, found, scores.clamp_(-1, 1), beyond)
        task.result.cosines[queries] = _cosines(vectors, lengths, own, task.result.indices[queries])
        return left
    scores, found = _highest(scores, m)
    # Cosines as after a proposal: the last bit of a large product depends on what else is in it.
    cosines = _cosines(vectors, lengths, own, found)
    return _settle(task, queries, found, cosines, scores.amin(1) + 2 * rounding_bound(vectors.shape[1], 2.0**-53))


def _highest(scores: Tensor, m: int) -> tuple[Tensor, Tensor]:
    """Return the m highest scores of every row in any order, and their places, ``(q, m)`` both."""
    if scores.device.type != "cpu" or m <= _FEW_OF_A_ROW:
        return scores.topk(m, dim=1, sorted=False)
    found = torch.from_numpy(np.argpartition(scores.numpy(), scores.shape[1] - m, axis=1)[:, -m:])
    return scores.gather(1, found), found


def _highest_of_alike(scores: Tensor, m: int) -> tuple[Tensor, Tensor]:
    """Return places and values of the m highest scores of rows that are alike, such as those of a word in many runs.

    Columns that can hold none of them are left out first.
    """
    if scores.device.type != "cpu":
        return _highest(scores, m)[::-1]
    values = scores.numpy()
    likely = values[:: max(1, len(values) // _OF_MANY)].sum(0).argpartition(-m)[-m:]
    # No row's m-th highest score is below the lowest of any m of its scores.
    columns = np.flatnonzero((values >= values[:, likely].min(1, keepdims=True)).any(0))
    highest, places = _highest(torch.from_numpy(values.take(columns, axis=1)), m)
    return torch.from_numpy(columns)[places], highest


def _settle(task: _Task, queries: Tensor, found: Tensor, cosines: Tensor, beyond: Tensor) -> Tensor:
    """Fill in the result of the queries that candidates prove; return the others.

    Args:
        task: of which these are queries.
        queries: ``(q,)`` places in the targets.
        found: ``(q, m)`` rows.
        cosines: ``(q, m)`` float64, theirs.
        beyond: ``(q,)`` what no other row's cosine exceeds.
    """
    result, own = task.result, task.targets[queries]
    found, cosines = _descending(found, cosines.masked_fill(found == own[:, None], -torch.inf))
    lists, proven = _lists(found, cosines, beyond, result.indices.shape[1], len(task.vectors))
    done = queries[proven]
    for field, its in zip(result, lists, strict=True):
        field[done] = its[proven]
    return queries[~proven]


def _lists(found: Tensor, cosines: Tensor, beyond: Tensor, k: int, v: int) -> tuple[Neighbours, Tensor]:
    """Return the lists of candidates ``(q, m)``, descending, and which of them no other row can change."""
    rows, cosines, cluster = _rank(found, cosines, v)
    # A row outside the list must lie below the k-th neighbour and below everything that is tied with it.
    tied_with_last = cosines.masked_fill(cluster != cluster[:, k - 1 : k], torch.inf).amin(1)
    following = torch.nn.functional.pad(cluster[:, 1:], (0, 1), value=-1)
    lists = Neighbours(rows[:, :k], cosines[:, :k], (cluster == following)[:, :k])
    return lists, tied_with_last - RESOLUTION > beyond


def _descending(found: Tensor, cosines: Tensor) -> tuple[Tensor, Tensor]:
    """Sort candidates ``(q, m)`` by descending cosine."""
    cosines, order = cosines.sort(dim=1, descending=True)
    return found.gather(1, order), cosines


def _rank(rows: Tensor, cosines: Tensor, v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Sort tied ones of descending candidates by row, in place; returns rows, cosines and the number of the tie."""
    apart = cosines[:, :-1] - cosines[:, 1:] > RESOLUTION
    cluster = torch.nn.functional.pad(apart.long().cumsum(1), (1, 0))
    tied = (~apart.all(1)).nonzero().flatten()  # few: only these are sorted again
    if len(tied):
        order = (cluster[tied] * v + rows[tied]).argsort(dim=1)
        rows[tied], cosines[tied] = rows[tied].gather(1, order), cosines[tied].gather(1, order)
    return rows, cosines, cluster


def _cosines(vectors: Tensor, lengths: Tensor, own: Tensor, found: Tensor) -> Tensor:
    """Float64 cosines of queries ``(q,)`` with their candidates ``(q, m)``."""
    most, gathered = (_QUERIES_ON_CPU, _GATHERED_ON_CPU) if vectors.device.type == "cpu" else (_QUERIES, _GATHERED)
    size = min(most, max(1, gathered // (8 * found.shape[1] * vectors.shape[1])))
    parts = zip(found.split(size), own.split(size), strict=True)
    dots = torch.cat([_dots(vectors, q, f) for f, q in parts])
    return (dots / (lengths[found] * lengths[own][:, None])).clamp(-1, 1)


def _dots(vectors: Tensor, own: Tensor, found: Tensor) -> Tensor:
    """Float64 inner products ``(q, m)`` of queries with their candidates."""
    rows = vectors.index_select(0, found.flatten()).double().view(*found.shape, -1)
    queries = vectors[own].double()
    if vectors.device.type == "cpu":  # half the time of products that are summed up, and of bmm: the bits of the pair
        return torch.from_numpy(np.vecdot(rows.numpy(), queries[:, None].numpy()))
    return product(rows, queries[:, :, None]).squeeze(2)
