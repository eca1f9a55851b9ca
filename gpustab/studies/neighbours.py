"""A word's nearest neighbours in each run side by side, and how sure each of them is."""

from __future__ import annotations

import time
from difflib import get_close_matches
from typing import Any

import torch

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.cosine import CosineStatistics
from gpustab.kernels.jackknife import pair_statistics
from gpustab.machine.device import Compute
from gpustab.results import Result, Table, environment
from gpustab.runs import Runs
from gpustab.spaces.vocabulary import as_word, show
from gpustab.statistics.shares import wilson


def neighbours_of(runs: Runs, word: str | bytes, n: int = 10, *, compute: Compute | None = None) -> Result:
    """Return the n nearest neighbours of a word in every run, and for each in how many runs it is among them.

    The share of runs carries its 95 % Wilson interval. The same runs that choose the neighbours judge them, so shares
    look too stable; what an unseen run would share is told by ``p``, the mean p@n over pairs of runs.

    Args:
        runs: one group.
        word: the query.
        n: length of the lists.
        compute: device, precision, back end; default: where the runs lie.

    Raises:
        InputError: if the word is not in the vocabulary, or n is below 1.
    """
    started = time.perf_counter()
    if n < 1:
        raise InputError(f"n is {n}, wanted at least 1")
    if word not in runs.vocabulary:
        raise InputError(_why_missing(runs, as_word(word)))
    compute = compute or Compute(runs.device)
    query = runs.vocabulary.index_of(word)
    runs = engine.place(runs, compute)
    found = engine.neighbour_pass(runs, torch.tensor([query]), n, compute)
    lists = found.indices[:, 0].cpu()  # (R, k)
    overlaps = engine.overlap_pass(found, [found.k], compute)
    p = pair_statistics(overlaps.p[0])
    candidates, hits = lists[lists >= 0].unique(return_counts=True)
    statistics = engine.pair_cosines(runs, torch.full_like(candidates, query), candidates)
    # The most certain first, then the nearest.
    order = sorted(
        range(len(candidates)), key=lambda c: (-int(hits[c]), -float(statistics.mean[c]), int(candidates[c]))
    )
    having = int(found.present[:, 0].sum())
    shares = [_share(runs, candidates, hits, statistics, c, having) for c in order]
    result = Result(
        "neighbours",
        {
            "word": runs.vocabulary.text(query),
            "n": found.k,
            "centre": runs.centre,
            "unit": runs.unit,
            "vocabulary": runs.joining.rule,
            "min_runs": runs.joining.min_runs,
        },
    )
    result.groups = [
        {
            "name": runs.group,
            "word": runs.vocabulary.text(query),
            "n": found.k,
            "runs": list(runs.names),
            "p": p.mean,
            "p_sd": p.sd,
            "p_se": p.se,
            "chance_p": found.k / (runs.words - 1),
            "neighbours": [list(row.values()) for row in shares],
            "lists": [[runs.vocabulary.text(k) for k in row if k >= 0] for row in lists.tolist()],
        }
    ]
    result.tables = {
        "shares": {name: [row[name] for row in shares] for name in shares[0]},
        "lists": _list_table(runs, found),
    }
    if found.k < n:
        result.notes.append(f"There are only {found.k} other words, so the lists are that long.")
    if having < len(runs):
        result.notes.append(f"{len(runs) - having} of {len(runs)} runs do not have the word.")
    if having > 1:
        result.notes.append(
            f"These {having} runs both chose and judge the neighbours; of an unseen run's {found.k} neighbours "
            f"expect {p.mean:.0%} to be the same as any one run's."
        )
    result.environment = environment(compute.device) | {"seconds": time.perf_counter() - started}
    return result


def _share(
    runs: Runs, candidates: torch.Tensor, hits: torch.Tensor, statistics: CosineStatistics, c: int, having: int
) -> dict[str, Any]:
    low, high = wilson(int(hits[c]), having)
    return {
        "neighbour": runs.vocabulary.text(int(candidates[c])),
        "runs": int(hits[c]),
        "share": int(hits[c]) / having,
        "low": low,
        "high": high,
        "cosine": float(statistics.mean[c]),
        "cosine_sd": float(statistics.sd[c]),
    }


def _list_table(runs: Runs, found: engine.NeighbourPass) -> Table:
    """One row per run and rank."""
    table: Table = {"run": [], "rank": [], "neighbour": [], "cosine": []}
    for name, row, values in zip(runs.names, found.indices[:, 0].tolist(), found.cosines[:, 0].tolist(), strict=True):
        for rank, (k, cosine) in enumerate(zip(row, values, strict=True), 1):
            if k >= 0:
                for column, value in zip(table.values(), (name, rank, runs.vocabulary.text(k), cosine), strict=True):
                    column.append(value)
    return table


def _why_missing(runs: Runs, word: bytes) -> str:
    hint = ""
    near = get_close_matches(show(word).strip().lower(), map(show, runs.vocabulary), n=3, cutoff=0.75)
    if near:
        hint = f"; near it are {', '.join(near)}"
    if runs.joining.rule == "joint" and runs.joining.dropped:
        hint += f"; {runs.joining.dropped:,} words are not in all runs: --vocabulary union keeps those in several"
    return f"the word '{show(word)}' is not in the vocabulary of group '{runs.group}'{hint}"
