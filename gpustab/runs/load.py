"""One way in: files, run sets and objects in memory become runs over one vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from gpustab.errors import InputError, some_of
from gpustab.formats.objects import is_one
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import is_space
from gpustab.machine.log import log
from gpustab.runs.group import Group, Source, want_two
from gpustab.runs.joining import Loading, Rule
from gpustab.runs.key import Key
from gpustab.runs.paths import files_of
from gpustab.runs.runs import Runs
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space


def open_groups(
    sources: Source | Iterable[Source],
    loading: Loading | None = None,
    *,
    name: str | None = None,
    single_runs: bool = False,
) -> list[Group]:
    """Return the groups of runs behind some sources; nothing of the runs is read before :meth:`Group.load`.

    Args:
        sources: one source or several: files or a pattern of them (``"run*.txt"``), leaf or run-set folders, or
            objects in memory. Every leaf of a run set is a group of its own; everything else forms one group.
        loading: how the groups are read when they are.
        name: of the group that files and objects form; default ``"runs"``.
        single_runs: also take groups of one run: what is asked is no stability.

    Raises:
        InputError: for folders that are no run set, or fewer than two runs in a group.
    """
    single, folders = sort_out(sources)
    groups = [Group(Key(name or "runs"), tuple(single))] if single else []
    groups = groups if single_runs else [want_two(group) for group in groups]
    groups += _distinct(folders if single_runs else measurable(folders))
    if not groups:
        raise InputError("no runs were given")
    return [replace(group, loading=loading or Loading()) for group in groups]


class LoadArguments(TypedDict, total=False):
    """What :func:`load_runs` and :func:`load_groups` take by name: the fields of :class:`Loading`, and two more."""

    vocabulary: Rule | None
    min_runs: int | None
    centre: bool
    unit: bool
    options: LoadOptions | None
    device: str
    jobs: int | None
    allow_small_overlap: bool
    center: bool
    """The other spelling of ``centre``."""
    name: str | None
    """Of the group that files and objects form; default ``"runs"``."""


def load_groups(sources: Source | Iterable[Source], **arguments: Unpack[LoadArguments]) -> list[Runs]:
    """Return the groups of runs behind some sources.

    Every leaf of a run set is a group of its own; everything else that is given forms one group. Those who have many
    groups hold one at a time by :func:`open_groups`.

    Args:
        sources: one source or several: files, leaf or run-set folders, or objects in memory.
        **arguments: the fields of :class:`Loading`, ``name`` of the group that files and objects form (default
            ``"runs"``), and ``center`` for ``centre``.

    Raises:
        InputError: for unusable sources, fewer than two runs in a group, or runs without common words.
    """
    return [group.load() for group in _opened(sources, arguments)]


def load_runs(sources: Source | Iterable[Source], **arguments: Unpack[LoadArguments]) -> Runs:
    """Return the runs of one group.

    Args:
        sources: one source or several, as of :func:`load_groups`.
        **arguments: as of :func:`load_groups`.

    Raises:
        InputError: as :func:`load_groups`, and if the sources form several groups: groups are never pooled.

    Example:
        >>> import numpy as np
        >>> words, rng = ["the", "of", "and", "to"], np.random.default_rng(0)
        >>> load_runs([(words, rng.normal(size=(4, 3))) for _ in range(2)])
        Runs('runs': 2 runs, 4 words (joint), 3 dimensions, cpu)
    """
    return only_group(_opened(sources, arguments)).load()


def _opened(sources: Source | Iterable[Source], arguments: LoadArguments) -> list[Group]:
    """Return the groups behind sources, to be loaded as the arguments say."""
    fields: dict[str, Any] = {**arguments, "options": arguments.get("options") or LoadOptions()}
    name, center = fields.pop("name", None), fields.pop("center", False)
    fields["centre"] = fields.get("centre", False) or center
    return open_groups(sources, Loading(**fields), name=name)


def only_group(groups: Sequence[Group], given: str = "") -> Group:
    """Return the only group, or refuse several, with their whole paths; ``given`` is what was typed for them."""
    if len(groups) > 1:
        names = [str(group.folder or group.name) for group in groups]
        said = f"{given}: " if given else ""
        raise InputError(f"{said}{len(groups)} groups, and groups are never pooled; name one of them: {some_of(names)}")
    return groups[0]


def sort_out(sources: Source | Iterable[Source]) -> tuple[list[Source], list[Group]]:
    """Split sources into single runs and the groups of folders.

    Raises:
        InputError: for a path with nothing behind it, a folder that is no run set, or one that is given twice.
    """
    if sources is None:
        raise InputError("no runs were given")
    lone = isinstance(sources, str | os.PathLike | Space) or hasattr(sources, "index_to_key") or is_one(sources)
    single: list[Source] = []
    folders: list[Group] = []
    given_as: dict[Path, Path] = {}
    for given in [sources] if lone else sources:
        for source in files_of(given) if isinstance(given, str | os.PathLike) else [given]:
            if isinstance(source, Path) and source.is_dir() and not is_space(source):
                groups = open_runset(source)
                _want_once(groups, source, given_as)
                folders += groups
            else:
                single.append(source)
    return single, folders


def _want_once(groups: list[Group], source: Path, given_as: dict[Path, Path]) -> None:
    """Refuse groups that were given before; ``given_as`` keeps by which path each leaf was."""
    for group in groups:
        assert group.folder is not None  # noqa: S101  # it is of a run set
        before = given_as.setdefault(group.folder.resolve(), source)
        if before is not source:
            same = before.resolve() == source.resolve()
            raise InputError(
                f"{source}: is given twice" if same else f"{group.folder}: is given twice, by {before} and by {source}"
            )


def measurable(groups: list[Group]) -> list[Group]:
    """Return the groups that have two runs; one unfinished group does not keep the others from being measured.

    Raises:
        InputError: if no group has two.
    """
    thick = [group for group in groups if len(group) > 1]
    for group in groups if thick else ():
        if len(group) < 2:
            log.warning("group '%s' has only %d run and was left out", group.name, len(group))
    return thick or [want_two(group) for group in groups]


def _distinct(groups: list[Group]) -> list[Group]:
    """Groups of several run sets may have one key; then each is also called by its run set."""
    if len({group.key for group in groups}) == len(groups):
        return groups
    parts = [(*group.key.part, ("runset", _runset(group))) for group in groups]
    return [replace(group, key=replace(group.key, part=part)) for group, part in zip(groups, parts, strict=True)]


def _runset(group: Group) -> str:
    """The run set that a group lies in, as it was typed where that says something."""
    folder = group.folder.as_posix().removesuffix(group.key.path).rstrip("/") if group.folder else ""
    return folder if folder.strip("./") else str(Path(folder).resolve())
