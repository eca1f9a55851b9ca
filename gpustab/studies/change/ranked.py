"""How well each measure of change ranks the words that people judged, by a table of any columns.

All measures rank the same words, or they could not be compared: those with a value that are frequent enough for
neighbours. What is left out is counted and said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import torch
from torch import Tensor

from gpustab.errors import InputError, near, option, some_of
from gpustab.evaluation.semeval import ChangeTask
from gpustab.evaluation.truth import FEWEST, Truth, read_truth
from gpustab.kernels.kept import Kept as KeptWords
from gpustab.results.page import counted
from gpustab.spaces.words import printable
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.ranks import spearman, spearman_interval
from gpustab.studies.change.claims import BARELY
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.periods import Between, aligned
from gpustab.studies.change.semeval import judge, missing, why_none
from gpustab.studies.change.series import Series
from gpustab.studies.change.tables_of_tasks import Ranked

Ranking = tuple[list[Ranked], list[str]]
"""Rows, and what is said of words that were left out."""


def truths_of(every: Sequence[Series], options: ChangeOptions) -> list[Truth]:
    """Return the columns that the words of every series are ranked by.

    Raises:
        InputError: if the file cannot be read, or it is not told which periods a column is about.
    """
    if options.truth is None:
        return []
    columns = read_truth(options.truth, options.truth_columns)
    for series in every:
        if series.language:
            raise InputError(f"{option('truth')} is for the periods of one language; give their run sets")
        earlier = series.periods[:-1]
        for column in columns:
            asked = f"{column.name}:{'changed' if column.sign > 0 else 'unchanged'}"
            if not column.period and len(earlier) > 1:
                raise InputError(
                    f"{option('truth_columns', asked)}: of which two periods? Name the earlier one: "
                    f"{', '.join(f'{asked}:{name}' for name in earlier)}"
                )
            if column.period and column.period not in earlier:
                raise InputError(
                    f"{option('truth_columns', f'{asked}:{column.period}')}: no two periods begin with it"
                    f"{near(column.period, earlier)}; there are {', '.join(earlier)}"
                )
    return columns


def ranked(series: Series, both: Between, kept: KeptWords | None, truths: Sequence[Truth], spread: float) -> Ranking:
    """Return the rows of those columns that are about these two periods.

    Args:
        series: whose periods these are.
        both: the periods.
        kept: neighbours that the tested words keep, if there are enough words.
        truths: the columns.
        spread: see :class:`ChangeOptions`.

    Raises:
        InputError: if no word of a column is in both periods.
    """
    rows: list[Ranked] = []
    said: list[str] = []
    changes = cache(lambda: aligned(both))  # of all columns
    for truth in truths:
        if truth.period in ("", both.first.name):
            found, sentences = _by_column(series, both, changes, kept, truth, spread)
            rows += found
            said += sentences
    return rows, said


def _by_column(
    series: Series,
    both: Between,
    each_change: Callable[[], Tensor],
    kept: KeptWords | None,
    truth: Truth,
    spread: float,
) -> tuple[list[Ranked], list[str]]:
    changes = truth.changes
    whole = ChangeTask(truth.name, tuple(changes), {}, changes)
    lacking = set(missing(both, whole))
    if len(lacking) == len(changes):
        raise InputError(why_none(whole, both.words))
    lost = None if kept is None else kept.lost(BARELY)
    if lost is not None and not bool(lost.value.isfinite().any()):
        lost = None  # one run of a period: what two of them share is unknown
    place = {word: k for k, word in enumerate(both.tested_words)}
    known = [word for word in changes if word not in lacking]
    if lost is not None:
        known = [word for word in known if word in place and math.isfinite(lost.value[place[word]])]
    left = [word for word in changes if word not in lacking and word not in set(known)]
    listed = len(changes) + len(truth.undefined)
    said = [
        _left_out(truth.undefined, listed, "has/have", "no value"),
        _left_out(sorted(lacking), listed, "is/are", "not in all runs of both periods"),
        _left_out(left, listed, "is/are", f"too rare to have neighbours ({option('min_count')} takes rarer ones)"),
        "" if lost is not None else "what neighbours lost is unknown (too few words or runs), so it ranks nothing",
    ]
    rows: list[Ranked] = []
    if len(known) < FEWEST or len({changes[word] for word in known}) < 2:
        said.append(
            f"{counted(len(known), 'word', 'is left/are left')}, too few or all of one value, so nothing is ranked"
        )
    else:
        where = (
            series.name,
            series.of,
            both.first.name,
            both.second.name,
            truth.name,
            "changed" if truth.sign > 0 else "unchanged",
        )
        runs = min(len(both.first.runs), len(both.second.runs))
        task = ChangeTask(truth.name, tuple(known), {}, {word: changes[word] for word in known})
        ways = [
            (x.way, x.scores[1], jackknife_error([y[1] for y in x.without]))
            for x in judge(series.key, both, each_change, task, spread)
        ]
        if lost is not None:
            at = torch.tensor([place[word] for word in known], device="cpu")
            people = torch.tensor([changes[word] for word in known], dtype=torch.float64, device="cpu")
            rho, first, second = (_each(part[..., at].reshape(-1, len(at)), people) for part in lost)
            ways.append(("neighbours", rho[0], math.hypot(jackknife_error(first), jackknife_error(second))))
        rows = [
            Ranked(*where, way, rho, se, runs, *spearman_interval(rho, len(known)), len(known), listed)
            for way, rho, se in ways
        ]
    return rows, [f"{truth.name}, {both.first.name} to {both.second.name}: {text}." for text in said if text]


def _left_out(words: Sequence[str], listed: int, verbs: str, why: str) -> str:
    if not words:
        return ""
    return f"{counted(len(words), 'word', verbs, of=listed)} {why}: {some_of([printable(word) for word in words], 5)}"


def _each(rows: Tensor, people: Tensor) -> list[float]:
    """Spearman's ρ of every row ``(M, T)``; NaN of one that has an undefined value.

    Shares of neighbours are fractions with many ties, which rounding would break.
    """
    found = spearman(rows.round(decimals=9), people.expand_as(rows))
    return torch.where(rows.isfinite().all(1), found, torch.nan).tolist()
