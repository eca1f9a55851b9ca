"""Analogies a : b :: c : ? by 3CosAdd and 3CosMul, exact, with the tie rule of the neighbours.

The rule: inputs are excluded by their index; the answer has the highest float64 score; scores within
:data:`gpustab.kernels.neighbours.RESOLUTION` of it (relative above 1) are tied, and the lowest row number (the
canonical word order) wins. A float32 search works with upper bounds of the scores: where the second highest bound
lies below the exact score of the first, the answer is proven; the other questions are asked again in float64.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.cosine import cosines
from gpustab.kernels.neighbours import RESOLUTION
from gpustab.kernels.search import rounding_bound

__all__ = ["Method", "solve_analogies"]

Method = Literal["3CosAdd", "3CosMul"]

_QUESTIONS = 512
"""Questions in one tile of the search: those of one section share their words, so their cosines are few."""

_COLUMNS = 8192
"""Rows that are raised to float64 at a time."""

_SLACK = 2.0**-20
"""Widens the bound on a cosine by more than all further float32 roundings of a score: three sums at most 3 (together
below 2⁻²¹), or two products of numbers at most 1 (relative 2⁻²³ against 2⁻²¹)."""


@torch.no_grad()  # answers have no gradient, and the rows may be those of a layer in training
def solve_analogies(
    vectors: Tensor,
    questions: Tensor,
    *,
    method: Method = "3CosAdd",
    excluded: Tensor | None = None,
    epsilon: float = 0.001,
    search_scores: int = 2**20,
) -> Tensor:
    """Return for every question the row that answers "a is to b as c is to ...".

    3CosAdd is ``argmax_x cos(x, b) + cos(x, c) − cos(x, a)``; 3CosMul is ``argmax_x s(x, b) s(x, c) / (s(x, a) + ε)``
    with ``s = (1 + cos) / 2`` in [0, 1] (Levy & Goldberg 2014, eq. 3 and 4 and footnote 7).

    Args:
        vectors: ``(v, d)`` non-zero rows of any length and float dtype; cosines are those of these very numbers.
        questions: ``(q, 3)`` int64 row numbers a, b, c.
        method: ``"3CosAdd"`` or ``"3CosMul"``.
        excluded: ``(q, e)`` further rows that must not be the answer, repeats allowed; the inputs never are.
        epsilon: of 3CosMul.
        search_scores: how many scores one tile may hold, in float64 those of 16 questions at least; changes memory,
            never the result.

    Returns:
        ``(q,)`` int64 row numbers; −1 where every row is excluded.

    Raises:
        ValueError: for a zero row, a row number outside ``0 .. v − 1``, or ε not above 0.

    Example:
        >>> x = torch.tensor([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 0.0, 0.0]])
        >>> solve_analogies(x, torch.tensor([[0, 1, 2]])).tolist()
        [3]
    """
    barred = questions if excluded is None else torch.cat([questions, excluded], dim=1)
    _check(vectors, questions, barred, method, epsilon)
    answers = torch.full_like(questions[:, 0], -1)
    proven = torch.zeros_like(answers, dtype=torch.bool)
    columns = max(1, search_scores // _QUESTIONS)
    single = _unit_float32(vectors)
    everything = torch.arange(len(questions), device=questions.device)
    for part in everything.split(_QUESTIONS):
        rows, second = _search(single, questions[part], barred[part], columns, method, epsilon)
        own = cosines(vectors[rows][:, None], vectors[questions[part]])  # (q, 3)
        exact = _scores(own.mT, torch.tensor([[0, 1, 2]], device=own.device), 0, method, epsilon)[0]
        answers[part] = rows
        # Not <=, or ties would pass. Without any candidate, row −1 is the answer and the second bound is −∞.
        proven[part] = second.double() < _tied_from(exact)
    again = (~proven).nonzero().flatten()
    for part in again.split(max(16, search_scores // len(vectors))):
        answers[part] = _solve_in_float64(vectors, questions[part], barred[part], method, epsilon)
    return answers


def _check(vectors: Tensor, questions: Tensor, barred: Tensor, method: Method, epsilon: float) -> None:
    if vectors.ndim != 2 or questions.ndim != 2 or questions.shape[1] != 3:
        raise ValueError(
            f"vectors have shape {tuple(vectors.shape)} and questions {tuple(questions.shape)}, "
            "wanted (v, d) and (q, 3)"
        )
    if method not in ("3CosAdd", "3CosMul"):
        raise ValueError(f"method is {method!r}, wanted '3CosAdd' or '3CosMul'")
    if not epsilon > 0:
        raise ValueError(f"epsilon is {epsilon}, wanted above 0")
    if len(barred) and not 0 <= int(barred.min()) <= int(barred.max()) < len(vectors):
        raise ValueError(
            f"questions reach from {int(barred.min())} to {int(barred.max())}, rows from 0 to {len(vectors) - 1}"
        )
    zero = (vectors == 0).all(1)
    if zero.any():
        raise ValueError(f"row {int(zero.nonzero()[0])} is zero: its cosine is undefined")


def _search(
    single: Tensor, questions: Tensor, barred: Tensor, columns: int, method: Method, epsilon: float
) -> tuple[Tensor, Tensor]:
    """Return the rows with the highest upper bound of a score, and the second highest bounds, each ``(q,)``.

    The row is −1 where every row is barred.
    """
    words, places = questions.unique(return_inverse=True)
    own, margin = single[words], rounding_bound(single.shape[1]) + _SLACK
    best = single.new_full((len(questions),), -torch.inf)
    second, rows = best.clone(), torch.full_like(questions[:, 0], -1)
    for start in range(0, len(single), columns):
        block = single[start : start + columns]
        bounds = _scores(product(own, block.mT), places, margin, method, epsilon)  # (q, c)
        question, which = ((barred >= start) & (barred < start + len(block))).nonzero(as_tuple=True)
        bounds[question, barred[question, which] - start] = -torch.inf
        highest, at = bounds.max(1)
        bounds.scatter_(1, at[:, None], -torch.inf)
        second = torch.maximum(torch.maximum(second, bounds.amax(1)), torch.minimum(best, highest))
        rows = torch.where(highest > best, at + start, rows)
        best = torch.maximum(best, highest)
    return rows, second


def _scores(own: Tensor, places: Tensor, margin: float, method: Method, epsilon: float) -> Tensor:
    """Return the highest scores ``(q, c)`` that cosines within a margin of ``own (u, c)`` can give.

    Both methods grow with the cosines of b and c and fall with that of a; ``places (q, 3)`` says where these stand.
    """
    a, b, c = places.unbind(1)
    low, high = own - margin, own + margin
    if method == "3CosAdd":
        return high[b].add_(high[c]).sub_(low[a])
    low, high = ((1 + low) / 2).clamp_(min=0).add_(epsilon), (1 + high) / 2
    return high[b].mul_(high[c]).div_(low[a])


def _solve_in_float64(vectors: Tensor, questions: Tensor, barred: Tensor, method: Method, epsilon: float) -> Tensor:
    """Score every row in float64, and answer by the tie rule."""
    words, places = questions.unique(return_inverse=True)
    own = _unit(vectors[words])
    scores = torch.cat(
        [
            _scores(product(own, _unit(block).mT).clamp(-1, 1), places, 0, method, epsilon)
            for block in vectors.split(_COLUMNS)
        ],
        dim=1,
    )  # (q, v)
    scores.scatter_(1, barred, -torch.inf)
    best = scores.amax(1)
    numbers = torch.arange(len(vectors), device=vectors.device)
    return torch.where(scores >= _tied_from(best)[:, None], numbers, len(vectors)).amin(1)


def _tied_from(best: Tensor) -> Tensor:
    """The lowest score that is tied with the best one; 3CosMul reaches 1/ε, where rounding grows in proportion."""
    return best - RESOLUTION * best.abs().clamp(min=1)


def _unit(rows: Tensor) -> Tensor:
    rows = rows.double()
    length: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return rows / length


def _unit_float32(vectors: Tensor) -> Tensor:
    return torch.cat([_unit(block).float() for block in vectors.split(_COLUMNS)])
