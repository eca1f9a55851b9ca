"""Joining several runs into one vocabulary, by word and never by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gpustab.runs.joining import require_overlap
from gpustab.runs.key import Key
from gpustab.runs.loading import Rule
from gpustab.runs.plan import Plan, headers_of, letter_case, plan_join, take_rows
from gpustab.runs.prepare import prepare
from gpustab.runs.runs import Runs
from gpustab.spaces.load_report import LoadReport
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word, show


class Named(Protocol):
    """What has a name and perhaps a report, as a :class:`Space` has."""

    @property
    def name(self) -> str:
        """Short name."""

    @property
    def report(self) -> LoadReport | None:
        """What reading it found."""


def join(
    spaces: Iterable[Space],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    allow_small_overlap: bool = False,
    centre: bool = False,
    unit: bool = True,
    key: Key = Key(),
    notes: tuple[str, ...] = (),
) -> Runs:
    """Bring spaces to one vocabulary; the spaces themselves are not changed.

    Args:
        spaces: the runs.
        vocabulary: see :func:`gpustab.runs.plan.plan_join`.
        min_runs: see :func:`gpustab.runs.plan.plan_join`.
        allow_small_overlap: join runs that share hardly any word, see :mod:`gpustab.runs.joining`.
        centre: subtract the mean over the joint words.
        unit: scale rows to unit length.
        key: what group they form.
        notes: sentences to keep with the runs.

    Raises:
        InputError: if the runs share too few words, or for the reasons of :func:`gpustab.runs.plan.plan_join`.

    Example:
        >>> import torch
        >>> from gpustab.formats.memory import from_pair
        >>> a = from_pair(["x", "y", "z"], torch.eye(3), "a")
        >>> b = from_pair(["z", "x", "w"], torch.eye(3), "b")
        >>> runs = join([a, b])
        >>> list(runs.vocabulary), runs.joining.dropped
        ([b'x', b'z'], 2)
    """
    waiting = list(spaces)
    plan = _plan(waiting, vocabulary, min_runs, allow_small_overlap)
    names = run_names(waiting)
    notes += load_notes(waiting, names)
    # Each space is let go as soon as its rows are taken: two copies of all vectors never exist at once.
    rows = tuple(take_rows(waiting.pop(0).vectors, where) for where in plan.rows)
    return prepare(
        plan.vocabulary, rows, names, plan.joining, key=key, counts=plan.counts, centre=centre, unit=unit, notes=notes
    )


def _plan(spaces: Sequence[Space], vocabulary: Rule, min_runs: int | None, allow_small_overlap: bool) -> Plan:
    words, headers = headers_of(spaces)
    plan = plan_join(words, headers, vocabulary=vocabulary, min_runs=min_runs)
    kept = len(plan.vocabulary)
    require_overlap(plan.joining, kept, allow_small_overlap, lambda: letter_case(words, headers, kept))
    return plan


def run_names(spaces: Sequence[Named]) -> tuple[str, ...]:
    """Return short names where they differ, the full sources where they do not."""
    # Names come from files: their bytes may be no text, or control a terminal.
    short = tuple(show(as_word(space.name)) for space in spaces)
    full = tuple(show(as_word(space.report.source if space.report else space.name)) for space in spaces)
    for names in (short, full):
        if len(set(names)) == len(names):
            return names
    return tuple(f"{name} #{i}" for i, name in enumerate(short))


def load_notes(spaces: Sequence[Named], names: Sequence[str]) -> tuple[str, ...]:
    """Return what reading the runs found; the same sentence about many runs is said once."""
    about: dict[str, list[str]] = {}
    for space, name in zip(spaces, names, strict=True):
        for note in space.report.notes if space.report else ():
            about.setdefault(note, []).append(name)
    return tuple(
        f"{', '.join(those[:3])}{f' and {len(those) - 3} more' if len(those) > 3 else ''}: {note}"
        for note, those in about.items()
    )
