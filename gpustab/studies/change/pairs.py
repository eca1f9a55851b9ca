"""What two periods come to, as rows and plain values that are kept until the study is done: a stopped one goes on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.evaluation.semeval import ChangeTask, read_semeval
from gpustab.evaluation.truth import Truth
from gpustab.kernels.displacement import Jackknifed
from gpustab.kernels.kept import Kept as KeptWords
from gpustab.studies.change.claims import BARELY, NOISY
from gpustab.studies.change.laws import Rows, rows_of
from gpustab.studies.change.nearest import Samplings, kept_row, kept_words
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.periods import Between, aligned
from gpustab.studies.change.ranked import ranked
from gpustab.studies.change.semeval import Judged, judge, languages_in, missing, score_of, targets_of
from gpustab.studies.change.series import Series
from gpustab.studies.change.tables import Kept, Pair, Word
from gpustab.studies.change.tables_of_tasks import Ranked, Score, Target

Floats = NDArray[np.float64]


class Floors(NamedTuple):
    """How far two bootstrap runs of one period lie apart, or which neighbours they share, mean of two periods.

    Attributes:
        words: their names.
        value: ``(v,)`` of every word.
        without_first: ``(R₁, v)`` without each run of the earlier period.
        without_second: ``(R₂, v)`` without each run of the later one.
    """

    words: list[str]
    value: Floats
    without_first: Floats
    without_second: Floats

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        """Return the mean over those words that have a floor, and its error over runs."""
        mask = torch.tensor(np.isin(self.words, words), device="cpu")
        return Jackknifed(*map(torch.from_numpy, self[1:])).mean(mask)[:2]

    @property
    def by_word(self) -> dict[str, float]:
        """The floor of every word."""
        return dict(zip(self.words, self.value.tolist(), strict=True))


Beside = tuple[Floors, Floors | None]
"""Of the change, and of the neighbours that are kept, unless there are too few words."""


class Outcome(NamedTuple):
    """What two periods come to: rows of tables, what the laws need, SemEval's targets with what their spread is from.

    There is no pair if no word is frequent enough in both; ``unscored`` says why no target could be scored; floors are
    there of a bootstrap series alone; ``lacking`` are anchors that are not in all runs of both, and ``targets``
    SemEval's by the averages of all runs; ``left_out`` says which words of a table of judgements are not ranked.
    """

    pair: Pair | None
    words: list[Word]
    rows: Rows | None
    scores: list[Score]
    judged: list[Judged]
    missing: list[str]
    unscored: str
    reliability: float
    floors: Beside | None
    lacking: list[str]
    targets: list[Target]
    kept: Kept | None
    reliability_of_neighbours: float
    ranked: list[Ranked]
    left_out: list[str]


KINDS = (Outcome, Pair, Word, Rows, Score, Judged, Floors, Target, Kept, Ranked)
"""What is kept."""


def task_of(series: Series, options: ChangeOptions) -> ChangeTask | None:
    """The targets that a series is judged by.

    Raises:
        InputError: if it has not two periods, or the files cannot be read.
    """
    if options.semeval is None:
        return None
    if len(series.periods) != 2:
        raise InputError(f"{option('semeval')} is for two periods, not {len(series.periods)}")
    if not series.language:
        return read_semeval(options.semeval)
    places = languages_in(Path(options.semeval))
    return read_semeval(next(place for place in places if place.resolve().name == series.language))


def outcome_of(
    series: Series,
    both: Between,
    options: ChangeOptions,
    task: ChangeTask | None,
    beside: Beside | None,
    truths: Sequence[Truth] = (),
) -> Outcome:
    """Return what two periods of a series come to, beside the sampling floors of these periods."""
    floors, shares = beside or (None, None)
    kept = kept_words(both, options.nearest)
    lacking = [] if task is None else missing(both, task)
    judged, unscored = _judged(series, both, task, options)
    bootstrap = series.key.sampling == "bootstrap"
    scores = [score_of(series.name, task, len(task.targets) - len(lacking), way) for way in judged] if task else []
    return Outcome(
        pair_row(series, both, floors) if bool(both.tested.any()) else None,
        word_rows(series.name, both, floors, kept),
        rows_of(both),
        scores,
        judged,
        lacking,
        unscored,
        reliability(both),
        (_floors(both.words, both.moves.within), kept and _floors(both.tested_words, kept.within))
        if bootstrap
        else None,
        both.alignment.lacking(both.first, both.second),
        targets_of(series.name, both, task) if judged and task else [],
        kept and kept_row(series, both, kept, _samplings(both, kept, shares)),
        math.nan if kept is None else reliability_of(*_lost(kept)),
        *ranked(series, both, kept, truths, options.spread),
    )


def _samplings(both: Between, kept: KeptWords, shares: Floors | None) -> Samplings | None:
    if shares is None:
        return None
    value, se = shares.of(both.tested_words)
    return value, se, _words_error(both.tested_words, kept.shared.value, shares)


def _floors(words: list[str], within: Jackknifed) -> Floors:
    return Floors(words, *(part.numpy() for part in within))


def _judged(series: Series, both: Between, task: ChangeTask | None, options: ChangeOptions) -> tuple[list[Judged], str]:
    """Judge the targets, or say why that cannot be done; of several languages one alone stops nothing.

    Raises:
        InputError: if the one language cannot be judged.
    """
    if task is None:
        return [], ""
    try:
        return list(judge(series.key, both, lambda: aligned(both), task, options.spread)), ""
    except InputError as error:
        if not series.language:
            raise
        return [], str(error)


def pair_row(series: Series, both: Between, floors: Floors | None) -> Pair:
    """Return the row of a pair of periods."""
    rows, moves = both.tested, both.moves
    change, change_se, _ = moves.change.mean(rows)
    sampling, sampling_se = (None, None) if floors is None else floors.of(both.tested_words)
    pairs, freed = moves.pairs.flatten(), _freed(both).mean(rows)
    return Pair(
        series.name,
        series.of,
        series.split,
        series.control,
        series.key.sampling == "bootstrap",
        both.first.name,
        both.second.name,
        len(both.words),
        int(rows.sum()),
        len(both.first.runs),
        len(both.second.runs),
        change,
        float(pairs.std()) if len(pairs) > 1 else float("nan"),
        change_se,
        *both.averaged.mean(rows)[:2],
        freed.value,
        freed.se,
        freed.words,
        *moves.within.mean(rows)[:2],
        float(both.halves[rows].mean()),
        sampling,
        sampling_se,
        None if floors is None else _words_error(both.tested_words, both.moves.change.value[both.tested], floors),
        *both.frames,
        both.alignment.how,
        both.residual.rows,
        both.residual.fit,
        both.residual.held_out,
        both.residual.by_all,
        both.first.mean_cosine,
        both.second.mean_cosine,
        both.first.without_noise and both.second.without_noise,
        both.first.without_noise or both.second.without_noise,
    )


def _freed(both: Between) -> Jackknifed:
    """Return the changes without the noise of training; undefined where that is most of what two runs of one have.

    Planted changes of 0.36 come out as 0.36, 0.34, 0.24 and 0.07 where two runs of a period lie 0.06, 0.33, 0.69 and
    0.8 apart: each pair of runs is turned by its own noise.
    """
    corrected, within = both.moves.corrected, float(both.moves.within.value[both.tested].mean())
    unlike = 1 - (both.first.mean_cosine + both.second.mean_cosine) / 2
    return Jackknifed(*(part * torch.nan for part in corrected)) if within > NOISY * unlike else corrected


def _words_error(words: Sequence[str], values: Tensor, floors: Floors) -> float:
    """Standard error over words of the mean of their values, ``(t,)``, beyond the floor."""
    drawn, rows = floors.by_word, zip(words, values.tolist(), strict=True)
    beyond = torch.tensor(
        [value - drawn[word] for word, value in rows if word in drawn], dtype=torch.float64, device="cpu"
    )
    return float(beyond.std() / len(beyond) ** 0.5) if len(beyond) > 1 else float("nan")


def word_rows(series: str, both: Between, floors: Floors | None, kept: KeptWords | None = None) -> list[Word]:
    """Return the row of every tested word, those first that changed most beyond the floor (else most, corrected)."""
    changes = (both.moves.change, both.averaged, _freed(both))
    columns = [column.tolist() for change in changes for column in (change.value, change.se)]
    columns.append(both.moves.within.value.tolist())
    counts = [[None] * len(both.words) if count is None else count.tolist() for count in both.counts]
    drawn = {} if floors is None else floors.by_word
    rows: list[Word] = []
    parts: Iterator[tuple[float, ...]] = repeat((math.nan,) * 3)
    if kept is not None:
        parts = zip(*(part.tolist() for part in (kept.shared.value, *_lost(kept))), strict=True)
    for k, neighbours in zip(both.tested.nonzero().flatten().tolist(), parts, strict=False):
        floor, values = drawn.get(both.words[k]), [column[k] for column in columns]
        where = (series, both.first.name, both.second.name, both.words[k])
        beyond = None if floor is None else values[0] - floor
        rows.append(Word._make((*where, *(count[k] for count in counts), *values, floor, beyond, *neighbours)))
    return sorted(rows, key=_order)


def _lost(kept: KeptWords) -> tuple[Tensor, Tensor]:
    lost = kept.lost(BARELY)
    return lost.value, lost.se


def _order(row: Word) -> tuple[float, str]:
    """Most changed first: beyond the sampling floor, corrected, or as it is, whichever is known."""
    value = next((x for x in (row.excess, row.corrected, row.change) if x is not None and x == x), 0.0)
    return -value, row.word


def reliability(both: Between) -> float:
    """Return the part of the words' variance in corrected change that is not error over runs; NaN if unknown.

    A list of most changed words is worth reading where other runs would give nearly the same.
    """
    return reliability_of(both.moves.corrected.value[both.tested], both.moves.corrected.se[both.tested])


def reliability_of(value: Tensor, se: Tensor) -> float:
    """Return the part of the variance of some values, ``(t,)``, that is not their error; NaN if unknown."""
    known = value.isfinite() & se.isfinite()
    if int(known.sum()) < 3:
        return float("nan")
    return float((1 - se[known].square().mean() / torch.var(value[known])).clamp(min=0))
