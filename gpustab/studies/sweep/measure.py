"""What is measured of the runs of one setting, and how far its numbers are from the baseline's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from gpustab import engine
from gpustab.evaluation.usual import usual_scores
from gpustab.kernels.jackknife import PairStatistics, pair_matrix, pair_statistics
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import extrinsic
from gpustab.studies.shared import spaces
from gpustab.studies.shared.same_runs import fingerprints
from gpustab.studies.shared.unfit import Unfit, unfit

NEIGHBOURS = 10
EXTRINSIC = "extrinsic"
SHARE = "share_of_chance"
_P = f"p@{NEIGHBOURS}"
_REST = ("chance", "mean_cosine", _P, f"{_P}_se", "seconds")


class Score(NamedTuple):
    """Scores of one sampling of a setting on one test."""

    setting: str
    sampling: str
    test: str
    used: int
    total: int
    runs: int
    mean: float
    sd: float


class Measured(NamedTuple):
    """The numbers of one setting.

    Attributes:
        words: what they are over: the words of all runs of all samplings.
        settings: one row per sampling; where runs are shuffled and bootstrap ones, a row ``extrinsic`` too.
        scores: one row per sampling and test; tests without a score are left out.
        fingerprints: of the runs, by sampling: the same runs have the same ones; ``None`` if nobody looked.
        unfit: by sampling, what forbids to compare its runs.
    """

    words: frozenset[bytes]
    settings: Table
    scores: Table
    fingerprints: dict[str, list[bytes]] | None = None
    unfit: Mapping[str, Unfit] = MappingProxyType({})


FEW_PAIRS = 50
"""Fewer judged pairs give no score: Spearman's correlation of 50 has a 95 % interval of ± 0.28."""


def measure(
    name: str,
    groups: Mapping[str, Runs],
    seconds: Mapping[str, float],
    seed: int,
    compute: Compute,
    notes: dict[str, list[str]],
) -> Measured:
    """Measure reduced PIP loss, p@10 and scores of a setting's samplings, all over the same words.

    Args:
        name: of the setting.
        groups: its runs by sampling.
        seconds: per run, by sampling.
        seed: of the draw of target words where there are more than 20,000.
        compute: device, precision, back end.
        notes: by group; those on this setting are added.

    Returns:
        The numbers; SEs of losses and p@10 are jackknife errors over runs, NaN for fewer than three.
    """
    restricted, _ = over_common_words(list(groups.values()))
    settings: list[dict[str, Any]] = []
    scores: list[Score] = []
    losses: dict[str, PairStatistics] = {}
    forbids: dict[str, Unfit] = {}
    words = frozenset(restricted[0].joint_words())
    for sampling, there in zip(groups, restricted, strict=True):
        runs = engine.place(there, compute)
        told = notes[f"{name}/{sampling}"] = []
        losses[sampling], others, forbids[sampling] = _stability(name, runs, seed, compute, told)
        loss = losses[sampling]
        rest = dict(zip(_REST, (*others, seconds[sampling]), strict=True))
        settings.append(_setting(name, sampling, int(runs.joint.sum()), loss.mean, loss.se) | rest)
        scores += [Score(name, sampling, *row) for row in _score_rows(runs, compute, told)]
    if losses.keys() >= {"shuffled", "bootstrap"}:
        added = _extrinsic(losses, notes[f"{name}/bootstrap"])
        settings.append(_setting(name, EXTRINSIC, len(words), *added) | dict.fromkeys(_REST))
    prints = {sampling: fingerprints(runs) for sampling, runs in groups.items()}
    return Measured(words, Table.of(settings), Table.of(scores, Score._fields), prints, forbids)


def _setting(name: str, sampling: str, words: int, loss: float, se: float) -> dict[str, Any]:
    return {"setting": name, "sampling": sampling, "words": words, "reduced_pip": loss, "se": se}


def _stability(
    name: str, runs: Runs, seed: int, compute: Compute, notes: list[str]
) -> tuple[PairStatistics, tuple[float, float, float, float], Unfit]:
    """Return the reduced PIP loss; its chance level, the mean cosine, p@10 its error; and what forbids."""
    pip = engine.pip_pass(runs, compute)
    found = engine.neighbour_pass(runs, engine.draw_targets(runs, None, seed), NEIGHBOURS, compute)
    overlap = pair_statistics(engine.overlap_pass(found, [found.k], compute).p[0])
    mean_cosine = math.nan if pip.scale is None else float(pip.scale.mean_cosine.mean())
    chance = math.nan if pip.scale is None else float(pip.scale.chance.square().mean().sqrt())
    ties = {found.k: int(found.tied[:, :, found.k - 1].sum())}
    flaws = spaces.flaws_of(runs, pip)
    notes += spaces.of_group(runs, pip, found, [NEIGHBOURS], ties, flaws=flaws)
    loss = pair_statistics(pair_matrix(pip.reduced, len(runs)))
    return loss, (chance, mean_cosine, overlap.mean, overlap.se), unfit(flaws, name)


def _score_rows(runs: Runs, compute: Compute, notes: list[str]) -> Iterator[tuple[str, int, int, int, float, float]]:
    for test, used, total, by_run in usual_scores(runs, compute, notes):
        if by_run.mean is None:
            notes.append(f"Not scored: {test}, of which {used} of {total} can be asked.")
        else:
            if used < FEW_PAIRS:
                notes.append(
                    f"{test} rests on {used} of {total} pairs: with fewer than {FEW_PAIRS} a score is mostly chance, "
                    "and no reason to prefer a setting."
                )
            yield test, used, total, by_run.n, by_run.mean, math.nan if by_run.sd is None else by_run.sd


def _extrinsic(losses: Mapping[str, PairStatistics], notes: list[str]) -> tuple[float, float]:
    shuffled, bootstrap = losses["shuffled"], losses["bootstrap"]
    added = extrinsic(shuffled.mean, bootstrap.mean, shuffled.se, bootstrap.se)
    if added.value is None:
        notes.append(f"These differ less than shuffled runs: the extrinsic square is {added.signed_square:.2g}.")
    return math.nan if added.value is None else added.value, math.nan if added.se is None else added.se


class ChangeRow(NamedTuple):
    """One measure of one setting against the baseline."""

    setting: str
    sampling: Annotated[str, Column(about="of the runs; extrinsic: what the draw of documents adds")]
    measure: Annotated[str, Column(about="reduced_pip, share_of_chance, p@10 or the name of a test")]
    baseline: float
    value: float
    difference: Annotated[float, Column(about="from the baseline")]
    se: Annotated[float, Column(about="of the difference, by propagation")]
    percent: Annotated[float, Column(about="the difference in percent of the baseline")]
    percent_se: float


CHANGES = Sheet("changes", ChangeRow, "one row a setting, sampling and measure")


class Change(NamedTuple):
    """A difference from the baseline, and in percent of it, each with its standard error."""

    difference: float
    se: float
    percent: float
    percent_se: float


def change(baseline: float, value: float, baseline_se: float, value_se: float) -> Change:
    """Return ``b − a`` and ``100 (b/a − 1)`` with ``SE = (100/a) √(se_b² + (b/a)² se_a²)``, by propagation.

    The two are taken for independent, which settings that read the same draws are not quite.

    Returns:
        NaN for percent of a baseline that is not positive, and for errors where one is NaN.

    Example:
        >>> [round(x, 4) for x in change(0.0179, 0.0179 * (1 - 0.116), 0.0002, 0.0001)]  # table 3.1, Hindi
        [-0.0021, 0.0002, -11.6, 1.1348]
    """
    error = math.hypot(baseline_se, value_se)
    if not baseline > 0:
        return Change(value - baseline, error, math.nan, math.nan)
    part = value / baseline
    percent_se = 100 / baseline * math.hypot(value_se, part * baseline_se)
    return Change(value - baseline, error, 100 * (part - 1), percent_se)


def change_table(baseline: Measured, others: dict[str, Measured]) -> Table[ChangeRow]:
    """Return one row per setting, sampling and measure that both the setting and the baseline have."""
    before, rows = numbers_of(baseline), []
    for name, measured in others.items():
        for (sampling, what), (value, se) in numbers_of(measured).items():
            if (sampling, what) not in before:
                continue
            was, was_se = before[sampling, what]
            rows.append(ChangeRow(name, sampling, what, was, value, *change(was, value, was_se, se)))
    return CHANGES.table(rows)


def numbers_of(measured: Measured) -> dict[tuple[str, str], tuple[float, float]]:
    """Return values with their standard errors, by sampling and measure."""
    numbers = {}
    for row in measured.settings.records():
        numbers[row["sampling"], "reduced_pip"] = row["reduced_pip"], row["se"]
        if row["sampling"] != EXTRINSIC:
            # A loss that rises less than its chance level tells of spaces that spread out, not of instability.
            if chance := row.get("chance"):
                numbers[row["sampling"], SHARE] = row["reduced_pip"] / chance, row["se"] / chance
            numbers[row["sampling"], _P] = row[_P], row[f"{_P}_se"]
    for row in measured.scores.records():
        numbers[row["sampling"], row["test"]] = row["mean"], row["sd"] / math.sqrt(row["runs"])
    return numbers
