"""What changed between epochs: displacement with its errors and floors, words, and the law of frequency.

An epoch of the texts is a *period* in whatever people read, since training has epochs of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.studies.change import follow
from gpustab.studies.change.blocks import COLUMNS, Text, discovered_words
from gpustab.studies.change.excess import Excess, FrequencyClass, by_frequency, changes_of, excesses
from gpustab.studies.change.grid import Cell, cells
from gpustab.studies.change.law_rows import Law
from gpustab.studies.change.laws import Laws
from gpustab.studies.change.measure import FloorsOf, measure
from gpustab.studies.change.measured import KINDS
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.sentences import verdict
from gpustab.studies.change.series import Series, series_of
from gpustab.studies.change.tables import Pair
from gpustab.studies.change.task import Judged, Score
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Groups, answering, groups_of

_COLUMNS: dict[str, Any] = {
    "pairs": Pair,
    "laws": Law,
    "frequency": FrequencyClass,
    "trajectories": follow.Step,
    "neighbours": follow.Near,
    "task": Score,
    "grid": Cell,
}


def change(
    groups: Groups,
    options: ChangeOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
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
        finished: folder where pairs of epochs that are measured are kept, so that a stopped call goes on from there;
            who calls removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`ChangeOptions`.

    Returns:
        Tables ``pairs``, ``words`` (long), ``laws``, ``excess`` (long), ``frequency``, ``trajectories``,
        ``neighbours``, ``task``, ``grid``, and of a text ``discoveries``; the columns are told by
        :class:`~gpustab.studies.change.tables.Pair`, :class:`~gpustab.studies.change.law_rows.Law`,
        :class:`~gpustab.studies.change.excess.Excess`, :class:`~gpustab.studies.change.excess.FrequencyClass`,
        :class:`~gpustab.studies.change.follow.Step`, :class:`~gpustab.studies.change.follow.Near`,
        :class:`~gpustab.studies.change.task.Score` and :class:`~gpustab.studies.change.grid.Cell`.

    Raises:
        InputError: if the groups are no epochs, two epochs share no words, or a word to follow is in no epoch.
    """
    options = chosen(ChangeOptions, options, choices)
    with answering("change", options, groups, compute, progress) as answer:
        result = answer.result
        result.tables = {name: Table.of([], kind._fields) for name, kind in _COLUMNS.items()}
        result.tables |= {"words": Table(long=True), "excess": Table.of([], Excess._fields, long=True)}
        # Bootstrap series come first: they are the floor of the others.
        series = sorted(series_of(groups_of(groups)), key=lambda own: own.key.sampling != "bootstrap")
        genuine = next((one for one in series if not one.control), series[0])
        text = Text(genuine, options, answer.report) if options.authors is not None else None
        done = Finished(finished, KINDS)
        floors: FloorsOf = {}
        found: list[tuple[Series, Laws]] = []
        judged: list[Judged] = []
        for number, own in enumerate(series):
            law, said = measure(own, options, answer, floors, (number / len(series), 1 / len(series)), done)
            found += [(own, law)] if law is not None else []
            judged += said if own.language else []
        result.tables["grid"].extend(Table.of(cells(judged), Cell._fields))
        for rows in _excesses(found):
            result.tables["excess"].extend(Table.of(rows, Excess._fields, long=True))
            result.tables["frequency"].extend(Table.of(by_frequency(rows), FrequencyClass._fields))
        if text is not None:
            result.tables["discoveries"] = Table.of(
                discovered_words(text, options, answer.report, done), COLUMNS, long=True
            )
        result.verdict = verdict(result.tables, options.rate)
    return result


def _excesses(found: Sequence[tuple[Series, Laws]]) -> Iterator[list[Excess]]:
    """Yield the words' excess over the law in every series whose epochs are genuine."""
    for series, own in found:
        if series.control:
            continue
        splits = [changes_of(law) for other, law in found if other.control and other.genuine == series.key]
        noise = {key: [one[key] for one in splits if key in one] for key in changes_of(own)}
        yield excesses(series.name, own, noise)
