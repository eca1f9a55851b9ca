"""A word's nearest neighbours in each run side by side, and how sure each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

import torch

from gpustab import engine
from gpustab.errors import InputError, option
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import chance_overlap, mean_over_measured
from gpustab.machine.device import Compute
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_word, show
from gpustab.statistics.shares import wilson
from gpustab.studies.frame import Answer, answering
from gpustab.studies.shared.spaces import look_at


def neighbours_of(group: Runs | Group, word: str | bytes, n: int = 10, *, compute: Compute | None = None) -> Result:
    """Return the n nearest neighbours of a word in every run, and for each in how many runs it is among them.

    The share of runs carries its 95 % Wilson interval. The same runs that choose the neighbours judge them, so shares
    look too stable; what an unseen run would share is told by ``p``, the mean p@n over pairs of runs.

    Args:
        group: one group.
        word: the query.
        n: length of the lists.
        compute: device, precision, back end; default: where the runs lie.

    Raises:
        InputError: if the word is not in the vocabulary, or n is below 1.
    """
    if n < 1:
        raise InputError(f"n is {n}, wanted at least 1")
    with answering("neighbours", groups=group, compute=compute) as answer:
        runs = answer.take(group)
        if word not in runs.vocabulary:
            raise InputError(_why_missing(runs, as_word(word)))
        _find(runs, runs.vocabulary.index_of(word), n, answer)
    return answer.result


def _find(there: Runs, query: int, n: int, answer: Answer) -> None:
    result, compute = answer.result, answer.compute
    runs = engine.place(there, compute)
    found = engine.neighbour_pass(runs, torch.tensor([query]), n, compute)
    lists = found.indices[:, 0].cpu()  # (R, k)
    overlap = engine.overlap_pass(found, [found.k], compute)
    p, chance = pair_statistics(overlap.p[0]), mean_over_measured(chance_overlap(runs.present), overlap.targets)
    having = int(found.present[:, 0].sum())
    shares = Table.of(_shares(runs, query, lists))
    result.settings |= {"word": runs.vocabulary.text(query), "n": found.k}
    result.groups = [
        {
            "name": runs.name,
            "word": runs.vocabulary.text(query),
            "n": found.k,
            "runs": list(runs.names),
            "p": p.mean,
            "p_sd": p.sd,
            "p_se": p.se,
            "chance_p": found.k * chance,
            "lists": [[runs.vocabulary.text(k) for k in row if k >= 0] for row in lists.tolist()],
        }
    ]
    result.tables = {"shares": shares, "lists": Table.of(_listed(runs, found), _Listed._fields, long=True)}
    answer.notes[runs.name] = look_at(runs, compute)
    if found.k < n:
        result.notes.append(f"There are only {found.k} other words, so the lists are that long.")
    if having < len(runs):
        result.notes.append(f"{len(runs) - having} of {len(runs)} runs do not have the word.")
    if having > 1:
        result.notes.append(
            f"These {having} runs both chose and judge the neighbours; of an unseen run's {found.k} neighbours "
            f"expect {p.mean:.0%} to be the same as any one run's."
        )


class _Share(NamedTuple):
    """How sure one neighbour is: in how many runs it is one, of how many that have it and the query."""

    neighbour: str
    runs: int
    of: int
    share: float
    low: float
    high: float
    cosine: float
    cosine_sd: float


def _shares(runs: Runs, query: int, lists: torch.Tensor) -> list[_Share]:
    """All words that are neighbours in some run, the most certain first, then the nearest.

    Certain is what has a high lower end of its interval: 9 of 10 runs (0.60) come before 2 of 2 (0.34), which is a
    higher share but says less. Where all runs have all words that is the order of the shares.
    """
    candidates, hits = lists[lists >= 0].unique(return_counts=True)
    statistics = engine.pair_cosines(runs, torch.full_like(candidates, query), candidates)
    cosines, sds = statistics.mean.tolist(), statistics.sd.tolist()
    # A run that lacks the neighbour could not have it in its list: it says nothing of it.
    found = zip(candidates.tolist(), hits.tolist(), statistics.runs.tolist(), cosines, sds, strict=True)
    shares = [
        (row, _Share(runs.vocabulary.text(row), n, of, n / of, *wilson(n, of), cosine, sd))
        for row, n, of, cosine, sd in found
    ]
    return [share for _, share in sorted(shares, key=lambda x: (-x[1].low, -x[1].cosine, x[0]))]


class _Listed(NamedTuple):
    """One neighbour of one run."""

    run: str
    rank: int
    neighbour: str
    cosine: float


def _listed(runs: Runs, found: engine.NeighbourPass) -> Iterator[_Listed]:
    for name, row, values in zip(runs.names, found.indices[:, 0].tolist(), found.cosines[:, 0].tolist(), strict=True):
        for rank, (k, cosine) in enumerate(zip(row, values, strict=True), 1):
            if k >= 0:
                yield _Listed(name, rank, runs.vocabulary.text(k), cosine)


def _why_missing(runs: Runs, word: bytes) -> str:
    hint = ""
    near = get_close_matches(show(word).strip().lower(), map(show, runs.vocabulary), n=3, cutoff=0.75)
    if near:
        hint = f"; near it are {', '.join(near)}"
    if runs.joining.rule == "joint" and runs.joining.dropped:
        union = option("vocabulary", "union")
        hint += f"; {runs.joining.dropped:,} words are not in all runs: {union} keeps those in several"
    return f"the word '{show(word)}' is not in the vocabulary of group '{runs.name}'{hint}"
