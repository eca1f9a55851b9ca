"""Word similarity: Spearman's ρ between cosines and human scores, run by run over the same pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.evaluation.files import SimilarityTest
from gpustab.evaluation.lookup import Lookup, RunScores
from gpustab.kernels.cosine import cosines
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.ranks import spearman

OutOfVocabulary = Literal["drop", "zero", "error"]

_FEWEST = 3


@dataclass(frozen=True)
class SimilarityScore:
    """How well the runs agree with people on one test.

    Attributes:
        test: name of the test.
        rho: Spearman's ρ in [−1, 1], one per run; undefined values are ``None``.
        used: pairs that ρ is over, the same in every run.
        total: pairs of the test.
        missing: words of the test that not every run has, in the order of the test.
        out_of_vocabulary: what was done with their pairs.
        reason: why ρ is undefined, in all runs or in some; ``None`` where it is defined.
        notes: what a reader must know, in sentences.
    """

    test: str
    rho: RunScores
    used: int
    total: int
    missing: tuple[bytes, ...]
    out_of_vocabulary: OutOfVocabulary
    reason: str | None
    notes: tuple[str, ...]


def score_similarity(
    runs: Runs,
    test: SimilarityTest,
    *,
    out_of_vocabulary: OutOfVocabulary = "drop",
    ignore_case: bool = False,
    restrict: int | None = None,
) -> SimilarityScore:
    """Return Spearman's ρ between the runs' cosines and the scores of a test.

    Only words that every run has count as known, so that all runs are judged by the same pairs. The policy matters:
    with gold 1 2 7 8 9, right cosines and the last pair unknown, dropping gives ρ = 1 and zero gives ρ = 0.

    Args:
        runs: the runs.
        test: the pairs and their scores.
        out_of_vocabulary: pairs with an unknown word: ``"drop"`` leaves them out, ``"zero"`` gives them cosine 0
            (gensim's ``dummy4unknown``), ``"error"`` refuses.
        ignore_case: compare words in upper case on both sides, as gensim's ``case_insensitive``, which is on there;
            of several variants of a word the first in the order of the vocabulary is taken.
        restrict: look only among so many words, see :class:`gpustab.evaluation.lookup.Lookup`; gensim's default is
            300,000.

    Raises:
        InputError: for an unknown policy, or unknown words under ``"error"``.

    Example:
        >>> from gpustab import load_runs
        >>> words, x = ["a", "b", "c", "d"], np.array([[1, 0], [1, 0.1], [1, 1], [0, 1]])
        >>> pairs = ((b"a", b"b"), (b"a", b"c"), (b"a", b"d"), (b"a", b"e"))
        >>> test = SimilarityTest("mine", pairs, (9, 5, 1, 3), "tab", None, 3, 0, 0, ())
        >>> score = score_similarity(load_runs([(words, x), (words, x)]), test)
        >>> score.rho.values, score.used, score.total, score.missing
        ((1.0, 1.0), 3, 4, (b'e',))
    """
    if out_of_vocabulary not in get_args(OutOfVocabulary):
        raise InputError(f"out_of_vocabulary is {out_of_vocabulary!r}, wanted 'drop', 'zero' or 'error'")
    lookup = Lookup(runs, restrict, ignore_case)
    pairs, notes = lookup.known(test.pairs, test.rivals)
    missing = tuple(dict.fromkeys(word for pair in pairs for word in pair if lookup.row(word) is None))
    if missing and out_of_vocabulary == "error":
        raise InputError(f"test '{test.name}': not every run has {len(missing)} of its words: {some_words(missing)}")
    rows = [(lookup.row(first), lookup.row(second)) for first, second in pairs]
    known = np.array([first is not None and second is not None for first, second in rows], dtype=bool)
    used = np.ones_like(known) if out_of_vocabulary == "zero" else known
    gold = np.array(test.gold, dtype=np.float64)[used]
    values: tuple[float | None, ...] = (None,) * len(runs)
    reason = _undefined(gold)
    if reason is None:
        similarity = np.zeros((len(runs), len(rows)))
        similarity[:, known] = _cosines(runs, [row for row, yes in zip(rows, known, strict=True) if yes])
        own = torch.from_numpy(similarity[:, used])
        rho = spearman(torch.from_numpy(gold).expand_as(own), own)
        values = tuple(None if math.isnan(value) else value for value in rho.tolist())
        flat = [name for name, value in zip(runs.names, values, strict=True) if value is None]
        reason = f"all cosines are equal in {', '.join(flat)}" if flat else None
    return SimilarityScore(
        test.name,
        RunScores(values),
        int(used.sum()),
        len(rows),
        missing,
        out_of_vocabulary,
        reason,
        test.notes + notes + lookup.notes + lookup.merged(word for pair in pairs for word in pair),
    )


def _undefined(gold: NDArray[np.float64]) -> str | None:
    if len(gold) < _FEWEST:
        return f"{len(gold)} pairs are left, and a rank correlation needs at least {_FEWEST}"
    return "all gold scores are equal" if (gold == gold[0]).all() else None


def _cosines(runs: Runs, pairs: list[Any]) -> NDArray[np.float64]:
    """``(R, n)`` cosines of pairs of rows; only the rows of these words are read."""
    wanted, places = torch.tensor(pairs, device="cpu").unique(return_inverse=True)
    found = []
    for r in range(len(runs)):
        own = runs.select(r, wanted)
        found.append(cosines(own[places[:, 0]], own[places[:, 1]]).cpu())
    return torch.stack(found).numpy()
