"""The run set: a folder that holds many runs, in groups.

``RUNSET/manifest.json`` names the groups and everything they were made with, and is written last. Each group is a
*leaf* folder ``RUNSET/<technique>/<sampling>/`` of ``run-000.safetensors`` ... The leaves of a *packed* run set
(:mod:`gpustab.runs.packing`) hold ``packed-000.safetensors`` ... instead, whose rows are the same words in the same
order, and ``packed.json``, written after them; without it the folder is no leaf.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats.atomic import write_text
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.spaces.space import Space

SCHEMA = "gpustab.runset/1"
PACKED_SCHEMA = "gpustab.packed/2"
MANIFEST = "manifest.json"
PACKED = "packed.json"
UNFINISHED = "unfinished-pack"
"""What a pack needs on the way lies here, in the run set to be."""


@dataclass(frozen=True)
class Group:
    """One leaf: the runs that may be compared with each other.

    Attributes:
        name: ``<technique>/<sampling>``, the leaf's path below the run set.
        folder: the leaf folder.
        files: its run files in order.
    """

    name: str
    folder: Path
    files: tuple[Path, ...]

    @property
    def packed(self) -> bool:
        """Whether the leaf is packed."""
        return (self.folder / PACKED).is_file()


def is_leaf(folder: Path) -> bool:
    """Return whether a folder holds run files, or a finished pack of them."""
    return (folder / PACKED).is_file() or any(folder.glob("run-*.safetensors"))


def open_leaf(folder: Path, name: str | None = None) -> Group:
    """Return the group of a leaf folder.

    Raises:
        InputError: if it holds no run file, or its ``packed.json`` is damaged.
    """
    if (folder / PACKED).is_file():
        files = tuple(folder / name for name in packed_files(read_manifest(folder / PACKED, PACKED_SCHEMA)))
    else:
        files = tuple(sorted(folder.glob("run-*.safetensors")))
    if not files:
        raise InputError(f"{folder}: no run-NNN.safetensors in this folder")
    return Group(name or folder.name, folder, files)


def open_runset(folder: Path) -> list[Group]:
    """Return the groups of a run set, or of a single leaf.

    Raises:
        InputError: if the folder is neither, or the manifest does not describe what is there.
    """
    if is_leaf(folder):
        leaf = folder.resolve()
        return [open_leaf(folder, f"{leaf.parent.name}/{leaf.name}")]  # as its run set calls it
    manifest = read_manifest(folder / MANIFEST, SCHEMA)
    groups = []
    for entry in manifest["groups"]:
        group = open_leaf(folder / entry["path"], entry["path"])
        if len(group.files) < entry["runs"]:
            raise InputError(f"{group.folder}: the manifest names {entry['runs']} runs, {len(group.files)} are there")
        # More files than the manifest knows are runs that are being added.
        groups.append(replace(group, files=group.files[: entry["runs"]]))
    return groups


def packed_files(manifest: Mapping[str, Any]) -> list[str]:
    """Return the file names that a packed leaf's manifest gives to its runs."""
    return [Path(run["file"]).name for run in manifest["runs"]]


def read_manifest(path: Path, schema: str) -> dict[str, Any]:
    """Return the content of a manifest.

    Raises:
        InputError: if it is missing (then what is there instead is said), damaged, or of another schema.
    """
    if not path.is_file():
        raise InputError(
            f"{path.parent}: neither run-NNN.safetensors nor a {path.name} in this folder, so it is no run set; "
            f"{_what_instead(path.parent)}"
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        found = manifest["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a run-set manifest ({error})") from None
    if found != schema:
        raise InputError(f"{path}: schema '{found}', wanted '{schema}'")
    return dict(manifest)


def _what_instead(folder: Path) -> str:
    if (folder / UNFINISHED).is_dir():
        return "it is an unfinished pack: finish it by the same call of gpustab pack"
    inside = sorted(str(leaf.relative_to(folder)) for leaf in folder.glob("**/") if is_leaf(leaf))
    if inside:
        groups = ", ".join(inside[:6])
        return f"groups are below it: {groups}; give these folders, or finish a stopped training by the same call"
    return "if it holds vector files, name the files"


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Write a manifest, whole or not at all."""
    # ASCII: names of files and words need not be UTF-8, and only as escapes do their surrogates come through.
    write_text(path, json.dumps(content, indent=2) + "\n")


def write_leaf(spaces: Sequence[Space], folder: Path) -> Group:
    """Write runs as ``run-000.safetensors`` ... into a leaf folder, each file atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, space in enumerate(spaces):
        write_safetensors(space, folder / f"run-{number:03d}.safetensors")
    return open_leaf(folder)


def write_runset(groups: Mapping[str, Sequence[Space]], folder: str | os.PathLike[str], **parameters: Any) -> None:
    """Write groups of runs as a run set; the manifest comes last.

    Args:
        groups: ``{"<technique>/<sampling>": runs}``.
        folder: the run set; its manifest must not exist yet.
        **parameters: everything else the manifest is to record.

    Raises:
        InputError: if the folder already holds a finished run set.
    """
    folder = Path(folder)
    if (folder / MANIFEST).exists():
        raise InputError(f"{folder}: a run set is already there")
    for name, spaces in groups.items():
        write_leaf(spaces, folder / name)
    update_manifest(folder, {name: len(spaces) for name, spaces in groups.items()}, parameters)


def update_manifest(folder: Path, groups: Mapping[str, int], made: Mapping[str, Any]) -> None:
    """Write the manifest of a run set, or add finished groups to the one that is there.

    Args:
        folder: the run set.
        groups: number of runs by leaf path; a group that is there already keeps the larger number.
        made: what the groups were made with; kept with each of them.
    """
    path = folder / MANIFEST
    entries = {entry["path"]: entry for entry in read_manifest(path, SCHEMA)["groups"]} if path.is_file() else {}
    for name, runs in groups.items():
        runs = max(runs, entries.get(name, {}).get("runs", 0))
        entries[name] = {"path": name, "runs": runs, "made": dict(made)}
    versions = {"gpustab": version("gpustab"), "torch": torch.__version__}
    write_manifest(path, {"schema": SCHEMA, "versions": versions, "groups": list(entries.values())})
