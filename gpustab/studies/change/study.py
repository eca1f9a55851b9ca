"""What changed between epochs: displacement with its errors and floors, words, and the law of frequency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gpustab.errors import InputError, near, option
from gpustab.evaluation.semeval import read_semeval
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.studies.change import follow
from gpustab.studies.change.blocks import COLUMNS, discovered_words
from gpustab.studies.change.epoch import Between, Epoch, between, read
from gpustab.studies.change.laws import Law, Rows, laws, rows_of
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.sentences import verdict
from gpustab.studies.change.series import Series, series_of
from gpustab.studies.change.tables import Floors, Pair, pair_row, reliability, word_rows
from gpustab.studies.change.task import Score, missing, scores
from gpustab.studies.frame import Answer, Groups, answering, groups_of

_COLUMNS: dict[str, Any] = {
    "pairs": Pair,
    "laws": Law,
    "trajectories": follow.Step,
    "neighbours": follow.Near,
    "task": Score,
}


def change(
    groups: Groups,
    options: ChangeOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Measure how far words moved from each epoch to the next.

    Groups whose keys have an epoch form series that differ in nothing else; each series is measured by itself. Two
    groups without epochs are the earlier and the later one. The bootstrap series of a family tells how far two
    samplings of one epoch's documents lie apart, the floor of its shuffled or fixed series.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`; two epochs are in memory at a time,
            all of them if words are followed.
        options: which words are looked at, and how.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`ChangeOptions`.

    Returns:
        Tables ``pairs``, ``words`` (long), ``laws``, ``trajectories``, ``neighbours``, ``task``, and of a corpus
        ``discoveries``; the columns are told by
        :class:`~gpustab.studies.change.tables.Pair`, :class:`~gpustab.studies.change.laws.Law`,
        :class:`~gpustab.studies.change.follow.Step` and :class:`~gpustab.studies.change.follow.Near`.

    Raises:
        InputError: if the groups are no epochs, two epochs share no words, or a word to follow is in no epoch.
    """
    options = chosen(ChangeOptions, options, choices)
    with answering("change", options, groups, compute, progress) as answer:
        result = answer.result
        result.tables = {name: Table.of([], kind._fields) for name, kind in _COLUMNS.items()}
        result.tables["words"] = Table(long=True)
        # Bootstrap series come first: they are the floor of the others.
        series = sorted(series_of(groups_of(groups)), key=lambda own: own.key.sampling != "bootstrap")
        floors: dict[tuple[Any, str, str], Floors] = {}
        for number, own in enumerate(series):
            _measure(own, options, answer, floors, (number / len(series), 1 / len(series)))
        if options.corpus is not None:
            own = next((one for one in series if not one.control), series[0])
            rows = discovered_words(own.epochs, options, answer.report)
            result.tables["discoveries"] = Table.of(rows, COLUMNS, long=True)
        result.verdict = verdict(result.tables, options.rate)
    return result


def _measure(
    series: Series,
    options: ChangeOptions,
    answer: Answer,
    floors: dict[tuple[Any, str, str], Floors],
    part: tuple[float, float],
) -> None:
    """Measure one series and add it to the answer."""
    tables, parts = answer.result.tables, []
    kept: list[Epoch] = []
    for found in _pairs(series, options, answer, part, kept):
        where = (series.family, found.first.name, found.second.name)
        if series.key.sampling == "bootstrap":
            floors[where] = Floors({word: k for k, word in enumerate(found.words)}, found.moves.within)
        own = None if series.key.sampling == "bootstrap" else floors.get(where)
        if not found.tested.any():
            answer.result.notes.append(
                f"{series.name}: no word occurs {options.min_count:,} times in both {found.first.name} and "
                f"{found.second.name}; {option('min_count')} takes rarer ones."
            )
            continue
        tables["pairs"].extend(Table.of([pair_row(series.name, series.control, found, own)]))
        tables["words"].extend(Table.of(word_rows(series.name, found, own)))
        _score(series, found, options, answer)
        answer.result.contrasts.append(
            {"series": series.name, "first": found.first.name, "second": found.second.name}
            | {"reliability": reliability(found)}
        )
        parts += [rows] if (rows := rows_of(found)) else []
    answer.result.groups.append(
        {
            "name": series.name,
            "epochs": list(series.epochs),
            "runs": [len(member) for member in series.members],
            "control": series.control,
        }
    )
    _add_laws(series, parts, options, answer)
    _follow(series, kept, options, answer)


def _score(series: Series, found: Between, options: ChangeOptions, answer: Answer) -> None:
    """Add the scores of SemEval's targets, and say which of them are missing."""
    if options.semeval is None:
        return
    if len(series.epochs) != 2:
        raise InputError(f"{option('semeval')} is for two epochs, not {len(series.epochs)}")
    asked = read_semeval(options.semeval)
    answer.result.tables["task"].extend(Table.of(scores(series.name, found, asked, options.spread), Score._fields))
    if lacking := missing(found, asked):
        answer.result.notes.append(
            f"{series.name}: {len(lacking)} of {len(asked.targets)} targets are not in both epochs and are not scored: "
            f"{', '.join(lacking)}."
        )


def _pairs(
    series: Series, options: ChangeOptions, answer: Answer, part: tuple[float, float], kept: list[Epoch]
) -> Iterator[Between]:
    """Yield every epoch with the next one, reading one at a time; those whose words are followed are kept."""
    before: Epoch | None = None
    for k, (name, group) in enumerate(zip(series.epochs, series.members, strict=True)):
        here = part[0] + part[1] * k / len(series.epochs)
        answer.report(f"{series.name}: {name}", here)
        epoch = read(name, group, answer, here)
        if options.followed:
            kept.append(epoch)
        if before is not None:
            yield between(before, epoch, options.min_count)
        before = epoch


def _add_laws(series: Series, parts: Sequence[Rows], options: ChangeOptions, answer: Answer) -> None:
    if not parts:
        return
    try:
        found = list(laws(series.name, series.control, parts, options))
    except InputError as error:
        answer.result.notes.append(f"{series.name}: no law of frequency: {error}.")
        return
    answer.result.tables["laws"].extend(Table.of(found, Law._fields))


def _follow(series: Series, epochs: Sequence[Epoch], options: ChangeOptions, answer: Answer) -> None:
    """Add the way of every word that was asked for.

    Raises:
        InputError: if there is no such epoch, or a word is in none.
    """
    if not epochs:
        return
    wanted = options.reference or series.epochs[0]
    if wanted not in series.epochs:
        raise InputError(
            f"{option('reference', wanted)}: there is no such epoch{near(wanted, series.epochs)}; there are "
            f"{', '.join(series.epochs)}"
        )
    reference, tables = series.epochs.index(wanted), answer.result.tables
    for word in options.followed:
        rows = list(follow.steps(series.name, epochs, reference, word))
        near_by = [
            row for epoch in epochs for row in follow.neighbours(series.name, epoch, word, options.n, answer.compute)
        ]
        if not near_by:
            raise InputError(f"the word '{word}' is in no epoch of '{series.name}'")
        if not rows:
            answer.result.notes.append(f"{series.name}: '{word}' is not in {wanted}, so its way cannot be drawn.")
        tables["trajectories"].extend(Table.of(rows, follow.Step._fields))
        tables["neighbours"].extend(Table.of(near_by, follow.Near._fields))
        absent = [name for name in series.epochs if name not in {row.epoch for row in near_by}]
        if absent:
            answer.result.notes.append(f"{series.name}: '{word}' is not in {', '.join(absent)}.")
