"""Measuring one series: its pairs of epochs one after the other, the law of frequency, and the words to follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpustab.errors import InputError, near, option
from gpustab.machine.environment import environment
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.studies.change import follow
from gpustab.studies.change.epoch import Epoch, between, read
from gpustab.studies.change.law_rows import Law, laws
from gpustab.studies.change.laws import Laws, Rows
from gpustab.studies.change.measured import Measured, measured, task_of
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.series import Series, gaps
from gpustab.studies.change.tables import Floors
from gpustab.studies.change.task import Judged, Score
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer
from gpustab.studies.shared.same_runs import fingerprints, said_of, same_runs

FloorsOf = dict[tuple[Any, str, str], tuple[str, Floors]]
"""Floors of two epochs, with the name of all that they depend on, by family and epochs."""


def measure(
    series: Series,
    options: ChangeOptions,
    answer: Answer,
    floors: FloorsOf,
    part: tuple[float, float],
    finished: Finished,
) -> tuple[Laws | None, list[Judged]]:
    """Measure one series and add it to the answer.

    Args:
        series: the epochs.
        options: of the study.
        answer: to which it is added.
        floors: of the bootstrap series that were measured before; those of this one are added.
        part: of the whole work, that is done before and that this is.
        finished: what an earlier call had measured.

    Returns:
        The law of frequency, ``None`` if there is none, which a note explains; and what was said of SemEval's targets.
    """
    answer.result.notes += gaps(series)
    parts: list[Rows] = []
    judged: list[Judged] = []
    without_counts: list[str] = []
    kept: list[Epoch] = []
    for first, second in _pairs(series, options, answer, part, kept):
        same = same_runs({own.runs.name: own.runs for own in (first, second)})
        answer.result.alarms += said_of(same)
        found = _finished(series, first, second, options, answer, floors, finished)
        _add(series, first.name, second.name, found, options, answer)
        parts += [found.rows] if found.rows else []
        if found.pair is not None and found.rows is None:
            without_counts = [f"{series.name}: these files hold no counts: all words are taken, and no law is fitted."]
        judged += found.judged
    answer.result.notes += without_counts
    answer.result.groups.append(
        {
            "name": series.name,
            "epochs": list(series.epochs),
            "runs": [len(member) for member in series.members],
            "control": series.control,
        }
    )
    _follow(series, kept, options, answer)
    return _laws(series, parts, options, answer), judged


def _add(series: Series, first: str, second: str, found: Measured, options: ChangeOptions, answer: Answer) -> None:
    """Add what two epochs said to the answer."""
    tables = answer.result.tables
    tables["task"].extend(Table.of(found.scores, Score._fields))
    if found.unscored:
        answer.result.notes.append(f"{series.name}: not scored: {found.unscored}.")
    elif found.missing:
        answer.result.notes.append(
            f"{series.name}: {counted(len(found.missing), 'target', 'is/are', of=found.scores[0].targets)} not in both "
            f"periods, and not scored: {', '.join(found.missing)}."
        )
    if found.pair is None:
        answer.result.notes.append(
            f"{series.name}: no word occurs {options.min_count:,} times in both {first} and "
            f"{second}; {option('min_count')} takes rarer ones."
        )
        return
    tables["pairs"].extend(Table.of([found.pair]))
    tables["words"].extend(Table.of(found.words))
    pair = {"series": series.name, "first": first, "second": second}
    answer.result.contrasts.append(pair | {"reliability": found.reliability})


def _pairs(
    series: Series, options: ChangeOptions, answer: Answer, part: tuple[float, float], kept: list[Epoch]
) -> Iterator[tuple[Epoch, Epoch]]:
    """Yield every epoch with the next one, reading one at a time; those whose words are followed are kept."""
    before: Epoch | None = None
    for k, (name, group) in enumerate(zip(series.epochs, series.members, strict=True)):
        here = part[0] + part[1] * k / len(series.epochs)
        answer.report(f"{series.name}: {name}", here)
        epoch = read(name, group, answer, here)
        if options.followed:
            kept.append(epoch)
        if before is not None:
            yield before, epoch
        before = epoch


def _finished(
    series: Series,
    first: Epoch,
    second: Epoch,
    options: ChangeOptions,
    answer: Answer,
    floors: FloorsOf,
    finished: Finished,
) -> Measured:
    """Measure two epochs, if that is not done yet."""
    where = (series.family, first.name, second.name)
    drawn = series.key.sampling == "bootstrap"
    name, own = ("", None) if drawn else floors.get(where, ("", None))
    task = task_of(series, options)
    said = [series.name, series.control, first.name, second.name, options.min_count, options.spread, name]
    said += [str(answer.compute.dtype), environment(answer.compute.device).get("gpustab")]
    said += [[epoch.tokens, epoch.runs.centre, epoch.runs.unit] for epoch in (first, second)]
    runs = [digest.hex() for epoch in (first, second) for digest in fingerprints(epoch.runs)]
    key = digest_of(said, None if task is None else vars(task), runs)
    found: Measured | None = finished.get(key)
    if found is None:
        found = measured(series, between(first, second, options.min_count), options, task, own)
        finished.put(key, found)
    if found.floors is not None:
        floors[where] = key, found.floors
    return found


def _laws(series: Series, parts: list[Rows], options: ChangeOptions, answer: Answer) -> Laws | None:
    if not parts:
        return None
    try:
        own = Laws(parts, options.per_pair)
        found = list(laws(series.name, series.control, own, options))
    except InputError as error:
        answer.result.notes.append(f"{series.name}: no law of frequency: {error}.")
        return None
    answer.result.tables["laws"].extend(Table.of(found, Law._fields))
    return own


def _follow(series: Series, epochs: list[Epoch], options: ChangeOptions, answer: Answer) -> None:
    """Add the way of every word that was asked for.

    Raises:
        InputError: if there is no such epoch, or a word is in none.
    """
    if not epochs:
        return
    wanted = options.reference or series.epochs[0]
    if wanted not in series.epochs:
        raise InputError(
            f"{option('reference', wanted)}: there is no such period{near(wanted, series.epochs)}; there are "
            f"{', '.join(series.epochs)}"
        )
    reference, tables = series.epochs.index(wanted), answer.result.tables
    for word in options.followed:
        rows = list(follow.steps(series.name, epochs, reference, word))
        near_by = [
            row for epoch in epochs for row in follow.neighbours(series.name, epoch, word, options.n, answer.compute)
        ]
        if not near_by:
            raise InputError(f"the word '{word}' is in no period of '{series.name}'")
        if not rows:
            answer.result.notes.append(f"{series.name}: '{word}' is not in {wanted}, so its way cannot be drawn.")
        tables["trajectories"].extend(Table.of(rows, follow.Step._fields))
        tables["neighbours"].extend(Table.of(near_by, follow.Near._fields))
        absent = [name for name in series.epochs if name not in {row.epoch for row in near_by}]
        if absent:
            answer.result.notes.append(f"{series.name}: '{word}' is not in {', '.join(absent)}.")
