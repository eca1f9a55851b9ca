"""One way in: files, run sets and objects in memory become runs over one vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.checkpoints.folder import is_checkpoint
from gpustab.formats.objects import is_one
from gpustab.formats.options import LoadOptions
from gpustab.machine.device import log
from gpustab.runs.group import Group, want_two
from gpustab.runs.key import Key
from gpustab.runs.loading import Loading, Rule
from gpustab.runs.paths import files_of
from gpustab.runs.runs import Runs
from gpustab.runs.runset import open_runset
from gpustab.runs.sources import Source
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


def load_groups(
    sources: Source | Iterable[Source],
    *,
    vocabulary: Rule | None = None,
    min_runs: int | None = None,
    centre: bool = False,
    unit: bool = True,
    options: LoadOptions | None = None,
    device: str = "cpu",
    jobs: int | None = None,
    name: str | None = None,
    center: bool = False,
    allow_small_overlap: bool = False,
) -> list[Runs]:
    """Return the groups of runs behind some sources.

    Every leaf of a run set is a group of its own; everything else that is given forms one group. Those who have many
    groups hold one at a time by :func:`open_groups`.

    Args:
        sources: one source or several: files, leaf or run-set folders, or objects in memory.
        vocabulary: ``"joint"``: words of all runs; ``"union"``: words of at least ``min_runs`` runs. Default: as it was
            packed, or ``"joint"``.
        min_runs: under ``"union"``, default 2.
        centre: subtract the mean over the joint words (before scaling to unit length).
        unit: scale rows to unit length.
        options: how files are read.
        device: where tensors shall lie: ``"cpu"``, ``"cuda"``, ... or ``"auto"``.
        jobs: files read at once, by threads; default one per core.
        name: of the group that files and objects form; default ``"runs"``.
        center: the other spelling of ``centre``.
        allow_small_overlap: measure runs that share fewer than one word in twenty of the smallest vocabulary.

    Raises:
        InputError: for unusable sources, fewer than two runs in a group, or runs without common words.
    """
    loading = _loading(locals())
    return [group.load() for group in open_groups(sources, loading, name=name)]


def load_runs(
    sources: Source | Iterable[Source],
    *,
    vocabulary: Rule | None = None,
    min_runs: int | None = None,
    centre: bool = False,
    unit: bool = True,
    options: LoadOptions | None = None,
    device: str = "cpu",
    jobs: int | None = None,
    name: str | None = None,
    center: bool = False,
    allow_small_overlap: bool = False,
) -> Runs:
    """Return the runs of one group; see :func:`load_groups` for the arguments.

    Raises:
        InputError: as :func:`load_groups`, and if the sources form several groups: groups are never pooled.

    Example:
        >>> import numpy as np
        >>> words, rng = ["the", "of", "and", "to"], np.random.default_rng(0)
        >>> load_runs([(words, rng.normal(size=(4, 3))) for _ in range(2)])
        Runs('runs': 2 runs, 4 words (joint), 3 dimensions, cpu)
    """
    loading = _loading(locals())
    return only_group(open_groups(sources, loading, name=name)).load()


def _loading(arguments: Mapping[str, Any]) -> Loading:
    """Return how runs are loaded, of the arguments that one of the functions above was called with."""
    chosen = {field.name: arguments[field.name] for field in fields(Loading)}
    chosen["centre"] |= arguments["center"]
    chosen["options"] = chosen["options"] or LoadOptions()
    return Loading(**chosen)


def only_group(groups: Sequence[Group]) -> Group:
    """Return the only group, or refuse several."""
    if len(groups) > 1:
        raise InputError(
            f"{len(groups)} groups, and groups are never pooled; name one of them: {', '.join(g.name for g in groups)}"
        )
    return groups[0]


def sort_out(sources: Source | Iterable[Source]) -> tuple[list[Source], list[Group]]:
    """Split sources into single runs and the groups of folders.

    Raises:
        InputError: for a path with nothing behind it, a folder that is no run set, or one that is given twice.
    """
    lone = isinstance(sources, str | os.PathLike | Space) or hasattr(sources, "index_to_key") or is_one(sources)
    single: list[Source] = []
    folders: list[Group] = []
    given_as: dict[Path, Path] = {}
    for given in [sources] if lone else sources:
        for source in files_of(given) if isinstance(given, str | os.PathLike) else [given]:
            if isinstance(source, Path) and source.is_dir() and not is_checkpoint(source):
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
