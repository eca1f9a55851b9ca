"""One way in: files, run sets and objects in memory become runs over one vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats import LoadOptions, read_space
from gpustab.formats.memory import from_keyed_vectors, from_pair
from gpustab.machine.device import log
from gpustab.runs import Rule, Runs
from gpustab.runs.join import join
from gpustab.runs.packing.open import open_packed
from gpustab.runs.runset import Group, open_runset
from gpustab.spaces.space import Space

Source = Any
"""A path (file, leaf or run set), gensim KeyedVectors, a ``(words, array)`` pair, or a :class:`Space`."""


def load_space(source: Source, options: LoadOptions | None = None, *, number: int = 0) -> Space:
    """Return one run from a file or an object in memory.

    Args:
        source: a path, :class:`Space`, ``KeyedVectors`` (or a model with ``.wv``), or ``(words, array)``.
        options: how a file is read.
        number: used to name an object that has no name.

    Raises:
        InputError: if the source cannot be used; the message names the place.
    """
    options = options or LoadOptions()
    name = f"run-{number:03d}"
    if isinstance(source, Space):
        return source
    if isinstance(source, str | os.PathLike):
        space = read_space(Path(source), options)
        log.info("%s", space.report)
        return space
    if hasattr(source, "index_to_key") or hasattr(source, "wv"):
        return from_keyed_vectors(source, name)
    if isinstance(source, tuple) and len(source) == 2:
        return from_pair(source[0], source[1], name)
    raise InputError(
        f"source {number} is a {type(source).__name__}; wanted a path, KeyedVectors or a (words, array) pair"
    )


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
) -> list[Runs]:
    """Return the groups of runs behind some sources.

    Every leaf of a run set is a group of its own; everything else that is given forms one group named ``runs``.

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

    Raises:
        InputError: for unusable sources, fewer than two runs in a group, or runs without common words.
    """
    options = options or LoadOptions()
    choices: dict[str, Any] = {"centre": centre, "unit": unit}
    rule: dict[str, Any] = {"vocabulary": vocabulary or "joint", "min_runs": min_runs}
    single, folders = sort_out(sources)
    groups = []
    if single:
        _want_two(len(single), "runs")
        groups.append(join(_spaces(single, options, jobs), **rule, **choices))
    for group in _distinct(measurable(folders)):
        if group.packed:
            groups.append(open_packed(group, vocabulary=vocabulary, min_runs=min_runs, options=options, **choices))
        else:
            groups.append(join(_spaces(group.files, options, jobs), group=group.name, **rule, **choices))
    if not groups:
        raise InputError("no runs were given")
    return [runs if device == "cpu" else runs.to(_device(device)) for runs in groups]


def load_runs(sources: Source | Iterable[Source], **choices: Any) -> Runs:
    """Return the runs of one group; see :func:`load_groups` for sources and choices.

    Raises:
        InputError: as :func:`load_groups`, and if the sources form several groups: groups are never pooled.

    Example:
        >>> import numpy as np
        >>> words, rng = ["the", "of", "and", "to"], np.random.default_rng(0)
        >>> load_runs([(words, rng.normal(size=(4, 3))) for _ in range(2)])
        Runs('runs': 2 runs, 4 words (joint), 3 dimensions, cpu)
    """
    groups = load_groups(sources, **choices)
    if len(groups) > 1:
        raise InputError(f"{len(groups)} groups, wanted one of them: {', '.join(g.group for g in groups)}")
    return groups[0]


def sort_out(sources: Source | Iterable[Source]) -> tuple[list[Source], list[Group]]:
    """Split sources into single runs and the groups of folders."""
    lone = isinstance(sources, str | os.PathLike | Space) or hasattr(sources, "index_to_key")
    single: list[Source] = []
    folders: list[Group] = []
    for source in [sources] if lone else sources:
        if isinstance(source, str | os.PathLike) and Path(source).is_dir():
            folders += open_runset(Path(source))
        else:
            single.append(source)
    return single, folders


def measurable(groups: list[Group]) -> list[Group]:
    """Return the groups that have two runs; one unfinished group does not keep the others from being measured.

    Raises:
        InputError: if no group has two.
    """
    thick = [group for group in groups if len(group.files) > 1]
    for group in groups if thick else ():
        if group not in thick:
            log.warning("group '%s' has only %d run and was left out", group.name, len(group.files))
    return thick or [want_two(group) for group in groups]


def want_two(group: Group) -> Group:
    """Return the group, or refuse it with fewer than two runs."""
    _want_two(len(group.files), group.name)
    return group


def _distinct(groups: list[Group]) -> list[Group]:
    """Groups of several run sets may have one name; then each is called by its folder."""
    names = [group.name for group in groups]
    return [replace(g, name=str(g.folder)) if names.count(g.name) > 1 else g for g in groups]


def _spaces(sources: Sequence[Source], options: LoadOptions, jobs: int | None) -> Iterator[Space]:
    """Yield the runs in order; they are read by threads, of which NumPy and the decompressors let several work."""
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        waiting = [pool.submit(load_space, source, options, number=number) for number, source in enumerate(sources)]
        try:
            yield from (space.result() for space in waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _want_two(runs: int, group: str) -> None:
    if runs < 2:
        raise InputError(
            f"group '{group}' has only {runs} run; give at least two, since stability is measured between runs"
        )


def _device(name: str) -> str:
    from gpustab.machine.device import choose_device

    return str(choose_device(name))
