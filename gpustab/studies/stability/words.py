"""Words beside words of like frequency: every word's error and place, and whether these runs can rank words at all.

Two rankings are judged, by PIP loss and by p@n: skip-gram's words are told apart by half as many runs by p@10, those of
LSA and GloVe by their losses. Lists are of the residual: what a word is beside the 200 words of like frequency.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.runs.runs import Runs
from gpustab.statistics.levels import highest_tenth, of_losses, of_shares
from gpustab.statistics.ranks import spearman
from gpustab.statistics.reliability import (
    LEAST,
    SINGLE,
    Reliability,
    WordValues,
    common_error,
    parts,
    pooled_error,
    reliability,
)
from gpustab.statistics.windows import LIKE, local_median, place
from gpustab.studies.shared.claims import too_noisy
from gpustab.studies.stability.claims import CANNOT

LISTED = 10
FEW = 1.5
"""By so much the noise of words is taken for larger where three or four runs tell it: of the words that three runs
named without it 8 % were not in the least stable tenth."""


class Ranking(NamedTuple):
    """How far one number ranks the words, and with frequency removed; ``None`` where nobody knows.

    The name is ``"pip"`` or ``"p@n"``.
    """

    name: str
    whole: Reliability | None
    like: Reliability | None


class Words(NamedTuple):
    """What is known of every word; tensors are ``(v,)``, NaN where nothing is.

    Attributes:
        n: list length of p.
        pip: mean PIP loss.
        pip_se: its error; pooled over words of like frequency where all runs have the word, else the jackknife's.
        pip_place: which part of the words of like frequency has a smaller loss, 0 to 1.
        p: p@n.
        p_se: its error, as above.
        p_place: which part of the words of like frequency has a higher p@n, 0 to 1.
        least: probability of being in the least stable tenth of the words of like frequency, by p@n.
        rankings: by PIP loss and by p@n.
        agreement: Spearman's ρ over words of PIP loss and p@n, and how many words stand behind it.
    """

    n: int
    pip: Tensor
    pip_se: Tensor
    pip_place: Tensor
    p: Tensor
    p_se: Tensor
    p_place: Tensor
    least: Tensor
    rankings: tuple[Ranking, Ranking]
    agreement: tuple[float, int]

    @property
    def best(self) -> Ranking | None:
        """The ranking that tells words of like frequency apart best; ``None`` where neither can be judged."""
        judged = [ranking for ranking in self.rankings if ranking.like is not None]
        return max(judged, key=_known, default=None)

    def listed(self) -> tuple[list[int], list[int]]:
        """Return the least and the most stable words beside their like, as row numbers; none if nothing ranks them."""
        best = self.best
        if best is None or not _known(best) >= CANNOT:
            return [], []
        values = self.pip.log() if best.name == "pip" else 1 - self.p
        rows = (~(values.isnan() | self.p_place.isnan() | self.pip_place.isnan())).nonzero().flatten()
        beside = values[rows] - local_median(values[rows])
        order = rows[beside.argsort(stable=True)].tolist()
        count = min(LISTED, len(order) // 2)
        return order[::-1][:count], order[:count]


def _known(ranking: Ranking) -> float:
    assert ranking.like is not None  # noqa: S101  # of best
    value = ranking.like.value
    return value if value == value else -1.0


def look_at_words(
    runs: Runs,
    pip: engine.PipPass,
    words: WordwisePip,
    n: int,
    overlap: engine.WordOverlap,
    pairs: Tensor,
    targets: Tensor,
) -> Words:
    """Bring every word's numbers beside those of words of like frequency; the words of the group are in that order.

    Targets are row numbers, ``(t,)``, whose p@n over pairs are the overlap; p@n of the pairs of runs is ``(R, R)``.
    """
    count, joint, targets = len(runs), runs.joint.cpu(), targets.cpu()
    everywhere = joint.nonzero().flatten()
    losses = WordValues(*(x.cpu().double()[everywhere] for x in words[:3]))
    own = joint[targets]
    shared = WordValues(*(x.cpu().double()[own] for x in overlap))
    rows = targets[own]
    common = [
        common_error(matrix.cpu(), float(x.mean.mean()))
        for matrix, x in ((pair_matrix(pip.reduced, count), losses), (pairs, shared))
    ]
    scales = (of_losses, of_shares)
    rankings = [
        Ranking(name, *(reliability(x, count, level, like=like, scale=scale) for like in (None, LIKE)))
        for name, x, level, scale in zip(("pip", f"p@{n}"), (losses, shared), common, scales, strict=True)
    ]
    error = pooled_error(shared, count)
    scattered = {
        "pip": words.mean.cpu().double(),
        "pip_se": _put(words.se.cpu().double(), everywhere, pooled_error(losses, count)),
        "pip_place": _put(_gap(runs), everywhere, place(losses.mean)),
        "p": _put(_gap(runs), targets, overlap.mean.cpu()),
        "p_se": _put(_put(_gap(runs), targets, overlap.se.cpu()), rows, error),
        "p_place": _put(_gap(runs), rows, place(-shared.mean)),
        "least": _put(_gap(runs), rows, least_stable(shared, count, common[1])),
    }
    both = scattered["pip"][None, rows], scattered["p"][None, rows]
    agreement = float(spearman(*both)) if len(rows) > 3 else float("nan")
    return Words(n, rankings=(rankings[0], rankings[1]), agreement=(agreement, len(rows)), **scattered)


def least_stable(shared: WordValues, runs: int, common: float) -> Tensor:
    """Return how probably each word is in the least stable tenth of its like, by p@n; NaN where too few runs tell."""
    if runs < LEAST or too_noisy(float(shared.mean.mean()), runs):
        return torch.full_like(shared.mean, torch.nan)
    p, noise = of_shares(shared.mean, parts(shared.sd, shared.se, runs).noise(runs) - common)
    return highest_tenth(-p, noise * (FEW if runs < SINGLE else 1))


def _gap(runs: Runs) -> Tensor:
    return torch.full((runs.words,), torch.nan, dtype=torch.float64, device="cpu")


def _put(column: Tensor, rows: Tensor, values: Tensor) -> Tensor:
    if len(rows):
        column = column.index_copy(0, rows, values)
    return column
