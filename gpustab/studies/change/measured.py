"""What two epochs said, which is kept until the study is done, so that a stopped one goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError, option
from gpustab.evaluation.semeval import ChangeTask, read_semeval
from gpustab.studies.change.epoch import Between
from gpustab.studies.change.languages import languages_in
from gpustab.studies.change.laws import Rows, rows_of
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.series import Series
from gpustab.studies.change.tables import Floors, Pair, floors_of, pair_row, reliability, word_rows
from gpustab.studies.change.task import Judged, Score, judge, missing, score_of


class Measured(NamedTuple):
    """What two epochs said, as plain values.

    Attributes:
        pair: row of the table of pairs; ``None`` if no word is frequent enough in both.
        words: rows of the table of words.
        rows: what the laws need.
        scores: of SemEval's targets.
        judged: the same, with what their spread is from.
        missing: targets that one of the epochs lacks.
        unscored: why none of them could be scored.
        reliability: of the order of the words.
        floors: how far runs of one epoch lie apart, of a bootstrap series.
    """

    pair: Pair | None
    words: list[dict[str, Any]]
    rows: Rows | None
    scores: list[Score]
    judged: list[Judged]
    missing: list[str]
    unscored: str
    reliability: float
    floors: Floors | None


KINDS = (Measured, Pair, Rows, Score, Judged, Floors)


def task_of(series: Series, options: ChangeOptions) -> ChangeTask | None:
    """The targets that a series is judged by.

    Raises:
        InputError: if it has not two epochs, or the files cannot be read.
    """
    if options.semeval is None:
        return None
    if len(series.epochs) != 2:
        raise InputError(f"{option('semeval')} is for two periods, not {len(series.epochs)}")
    if not series.language:
        return read_semeval(options.semeval)
    places = languages_in(Path(options.semeval))
    return read_semeval(next(place for place in places if place.resolve().name == series.language))


def measured(
    series: Series, found: Between, options: ChangeOptions, task: ChangeTask | None, own: Floors | None
) -> Measured:
    """Return what two epochs said.

    Args:
        series: of which they are.
        found: their measurement.
        options: of the study.
        task: by which they are judged.
        own: the sampling floor of these epochs.
    """
    floors = floors_of(found) if series.key.sampling == "bootstrap" else None
    lacking = [] if task is None else missing(found, task)
    judged, unscored = _judged(series, found, task, options)
    scores = [score_of(series.name, task, len(task.targets) - len(lacking), own) for own in judged] if task else []
    tested = bool(found.tested.any())
    return Measured(
        pair_row(series, found, own) if tested else None,
        list(word_rows(series.name, found, own)),
        rows_of(found),
        scores,
        judged,
        lacking,
        unscored,
        reliability(found),
        floors,
    )


def _judged(
    series: Series, found: Between, task: ChangeTask | None, options: ChangeOptions
) -> tuple[list[Judged], str]:
    """Judge the targets, or say why that cannot be done; of several languages one alone stops nothing.

    Raises:
        InputError: if the one language cannot be judged.
    """
    if task is None:
        return [], ""
    try:
        return list(judge(series.key, found, task, options.spread)), ""
    except InputError as error:
        if not series.language:
            raise
        return [], str(error)
