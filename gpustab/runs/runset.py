"""The run set: a folder that holds many runs, in groups.

``RUNSET/manifest.json`` names the groups and everything they were made with, and is written last. Each group is a
*leaf* folder ``RUNSET/<technique>/<sampling>/`` of ``run-000.safetensors`` ... The leaves of a *packed* run set
(:mod:`gpustab.runs.packing`) hold ``packed-000.safetensors`` ... instead, whose rows are the same words in the same
order, and ``packed.json``, written after them; without it the folder is no leaf.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.errors import InputError, naming, some_of
from gpustab.formats.atomic import clear_abandoned, make_folder
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.runs.group import Group
from gpustab.runs.key import Key
from gpustab.runs.lock import clear_lock, one_at_a_time
from gpustab.runs.manifest import (
    FIRST_SCHEMA,
    MANIFEST,
    OUTPUT,
    PACKED,
    SCHEMA,
    UNFINISHED,
    inside,
    is_leaf,
    is_runset,
    read_manifest,
    read_packed,
    run_file,
    run_files,
    want_fields,
    write_manifest,
)
from gpustab.runs.place import check_place
from gpustab.spaces.space import Space

log = logging.getLogger("gpustab")

_PURPOSE = "manifest"
_ABOVE = 6
"""A leaf lies at most so many folders below its run set's manifest."""


def open_leaf(folder: Path, key: Key | None = None) -> Group:
    """Return the group of a leaf folder.

    Args:
        folder: the leaf.
        key: what it is; default: what the manifest of the run set around it says, else what its path says.

    Raises:
        InputError: if it holds no run file, or its ``packed.json`` is damaged.
    """
    if (folder / PACKED).is_file():
        files = tuple(inside(folder, run["file"]) for run in read_packed(folder)["runs"])
    else:
        files = tuple(run_files(folder))
    if not files:
        raise InputError(f"{folder}: no run-NNN.safetensors in this folder")
    return Group(key or _key_of(folder), files, folder)


def open_runset(folder: Path) -> list[Group]:
    """Return the groups of a run set, of a technique in one, or of a single leaf; nothing of their runs is read.

    A folder of run sets, as a sweep leaves it, is the groups of them all, each also called by its run set.

    Raises:
        InputError: if the folder is none of these, or the manifest does not describe what is there.
    """
    if is_leaf(folder):
        return [open_leaf(folder)]
    if found := _run_sets(folder):
        return [
            replace(group, key=replace(group.key, part=(*group.key.part, ("runset", own.name))))
            for own in found
            for group in open_runset(own)
        ]
    root = folder if is_runset(folder) or not _is_technique(folder) else folder.parent
    groups = []
    entries = read_entries(root)
    if not entries:
        raise InputError(f"{root / MANIFEST}: names no groups; call train or encode again, which writes it anew")
    for entry in entries:
        if root != folder and not entry.path.startswith(f"{folder.name}/"):
            continue
        group = open_leaf(inside(root, entry.path), entry.key)
        if len(group) < entry.runs:
            raise InputError(f"{group.folder}: the manifest names {entry.runs} runs, {len(group)} are there")
        # More files than the manifest knows are runs that are being added.
        groups.append(Group(group.key, group.sources[: entry.runs], group.folder))
    _tell_unnamed(folder, {group.folder for group in groups})
    return groups


def _tell_unnamed(folder: Path, named: Set[Path | None]) -> None:
    """Warn of groups that no manifest names: of a training that has not ended, or of a manifest that is damaged."""
    found = (path.parent for name in (run_file(Path(), 0).name, PACKED) for path in folder.rglob(name))
    leaves = sorted(
        leaf for leaf in found if leaf not in named and leaf.name != OUTPUT and UNFINISHED not in leaf.parts
    )
    if left := [str(leaf.relative_to(folder)) for leaf in leaves if not lies_in_another(leaf, folder)]:
        log.warning(
            "%s: its manifest does not name %s: left out, as of a call that has not ended; call train or encode "
            "again, or remove what is none of it",
            folder,
            some_of(left, 3),
        )


def lies_in_another(leaf: Path, folder: Path) -> bool:
    """Tell whether a leaf below a run set is one of another run set, which lies within it."""
    return any(is_runset(leaf.parents[k]) for k in range(len(leaf.relative_to(folder).parts) - 1))


def _run_sets(folder: Path) -> list[Path]:
    """The run sets in a folder that is none itself, a sweep's baseline first, numbers by size."""
    if is_runset(folder) or not folder.is_dir():
        return []
    found = list(filter(is_runset, folder.iterdir()))

    def place(own: Path) -> tuple[bool, list[tuple[float, str]]]:
        parts = re.split(r"(\d+(?:\.\d+)?)", own.name)
        return not own.name.endswith("-baseline"), [(float(p), "") if k % 2 else (-1, p) for k, p in enumerate(parts)]

    return sorted(found, key=place)


def _is_technique(folder: Path) -> bool:
    """Tell a folder that a run set keeps groups in."""
    if not is_runset(folder.parent):
        return False
    return any(entry.path.startswith(f"{folder.name}/") for entry in read_entries(folder.parent))


_ENTRY_FIELDS = {"path": str, "runs": int}


class Entry(NamedTuple):
    """What a manifest says of one group: what it is, its path below the run set, how many runs, how they were made."""

    key: Key
    path: str
    runs: int
    made: dict[str, Any]


def read_entries(folder: Path) -> list[Entry]:
    """Return what the manifest of a run set says of its groups.

    Raises:
        InputError: if it is missing or damaged.
    """
    path = folder / MANIFEST
    manifest = read_manifest(path, SCHEMA, FIRST_SCHEMA, fields={"groups": list})
    first = manifest["schema"] == FIRST_SCHEMA
    entries: list[Entry] = []
    for number, found in enumerate(manifest["groups"]):
        entry = {"made": {}} | want_fields(
            path, found, _ENTRY_FIELDS | ({} if first else {"key": dict}), f"group {number}"
        )
        want_fields(path, entry, {"made": dict}, f"group {number}")
        if not entry["runs"]:
            raise InputError(f"{path}: damaged: group {number} has no runs")
        if entry["path"] in {before.path for before in entries}:
            raise InputError(f"{path}: damaged: group {number} is there twice: {entry['path']}")
        with naming(f"{path}: damaged: group {number}"):
            key = Key.of_path(entry["path"]) if first else Key.of_record(entry["key"])
        entries.append(Entry(key, entry["path"], entry["runs"], entry["made"]))
    return entries


def runset_above(leaf: Path) -> Path | None:
    """Return the run set that a leaf lies in: the nearest folder above it that has a manifest."""
    return next((folder for folder in list(leaf.resolve().parents)[:_ABOVE] if is_runset(folder)), None)


def _key_of(leaf: Path) -> Key:
    """What the manifest above a leaf calls it, else what its path says."""
    leaf, folder = leaf.resolve(), runset_above(leaf)
    if folder:
        path = leaf.relative_to(folder).as_posix()
        if found := [entry.key for entry in read_entries(folder) if entry.path == path]:
            return found[0]
    return Key.of_path(f"{leaf.parent.name}/{leaf.name}")


def write_leaf(spaces: Sequence[Space], folder: Path) -> Group:
    """Write runs as ``run-000.safetensors`` ... into a leaf folder, each file atomically."""
    make_folder(folder)
    for number, space in enumerate(spaces):
        write_safetensors(space, run_file(folder, number))
    return open_leaf(folder)


def write_runset(
    groups: Mapping[Key | str, Sequence[Space]], folder: str | os.PathLike[str], **parameters: Any
) -> None:
    """Write groups of runs as a run set; the manifest comes last.

    Args:
        groups: runs by what they are, a :class:`Key` or ``"<technique>/<sampling>"``.
        folder: the run set; its manifest must not exist yet.
        **parameters: everything else the manifest is to record.

    Raises:
        InputError: if the folder already holds a finished run set, or things of others.
    """
    folder = Path(folder)
    if is_runset(folder):
        raise InputError(f"{folder}: a run set is already there")
    check_place(folder)
    named = {Key.of_path(key) if isinstance(key, str) else key: spaces for key, spaces in groups.items()}
    for key, spaces in named.items():
        write_leaf(spaces, folder / key.path)
    update_manifest(folder, {key: len(spaces) for key, spaces in named.items()}, parameters)


def clear_manifest(folder: Path) -> None:
    """Clear away what killed calls left beside a manifest: its lock, and what they had written of one."""
    clear_lock(folder, _PURPOSE)
    clear_abandoned(folder / MANIFEST)


def names_runs(folder: Path, groups: Mapping[Key, int]) -> bool:
    """Tell whether the manifest of a run set names so many runs of each group: then it need not be written again.

    What killed calls left beside it is cleared away.
    """
    clear_manifest(folder)
    named = {entry.key: entry.runs for entry in read_entries(folder)} if (folder / MANIFEST).is_file() else {}
    return all(named.get(key, -1) >= runs for key, runs in groups.items())


def update_manifest(folder: Path, groups: Mapping[Key, int], made: Mapping[str, Any]) -> None:
    """Write the manifest of a run set, or add finished groups to the one that is there.

    Calls that finish groups of one run set at the same time do so one after the other, and none is lost.

    Args:
        folder: the run set.
        groups: number of runs by group; a group that is there already keeps the larger number.
        made: what the groups were made with; kept with each of them.
    """
    path = folder / MANIFEST
    with one_at_a_time(folder, _PURPOSE):
        clear_abandoned(path)
        entries = {entry.key: entry for entry in read_entries(folder)} if path.is_file() else {}
        for key, runs in groups.items():
            before = entries.get(key, Entry(key, key.path, 0, {}))
            entries[key] = Entry(key, before.path, max(runs, before.runs), dict(made))
        content = [entry._asdict() | {"key": entry.key.record()} for entry in entries.values()]
        versions = {"gpustab": version("gpustab"), "torch": torch.__version__}
        write_manifest(path, {"schema": SCHEMA, "versions": versions, "groups": content})
