"""The run set: a folder that holds many runs, in groups.

``RUNSET/manifest.json`` names the groups and everything they were made with, and is written last. Each group is a
*leaf* folder ``RUNSET/<technique>/<sampling>/`` of ``run-000.safetensors`` ... A leaf may be *packed*: ``packed/``
then holds one shared vocabulary and every run's raw rows in that order, so that equal rows of all runs can be read
slice by slice from disk; its own manifest is written last, so that an unfinished one is not taken for a whole one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats import read_space
from gpustab.formats.atomic import write_text
from gpustab.formats.safetensors_file import write_safetensors
from gpustab.formats.safetensors_rows import open_rows
from gpustab.plan import header, plan_join, take_rows
from gpustab.prepare import prepare
from gpustab.runs import Joining, Rule, Runs
from gpustab.space import Space
from gpustab.vocabulary import Vocabulary

SCHEMA = "gpustab.runset/1"
PACKED_SCHEMA = "gpustab.packed/1"
_MANIFEST = "manifest.json"
_PACKED = "packed"


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
        """Whether a finished packed form is there."""
        return (self.folder / _PACKED / _MANIFEST).is_file()


def is_leaf(folder: Path) -> bool:
    """Return whether a folder holds run files."""
    return any(folder.glob("run-*.safetensors"))


def open_leaf(folder: Path, name: str | None = None) -> Group:
    """Return the group of a leaf folder.

    Raises:
        InputError: if it holds no run file.
    """
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
    manifest = _read_manifest(folder / _MANIFEST, SCHEMA)
    groups = []
    for entry in manifest["groups"]:
        group = open_leaf(folder / entry["path"], entry["path"])
        if len(group.files) < entry["runs"]:
            raise InputError(f"{group.folder}: the manifest names {entry['runs']} runs, {len(group.files)} are there")
        # More files than the manifest knows are runs that are being added.
        groups.append(replace(group, files=group.files[: entry["runs"]]))
    return groups


def _read_manifest(path: Path, schema: str) -> dict[str, Any]:
    if not path.is_file():
        inside = sorted(str(leaf.relative_to(path.parent)) for leaf in path.parent.glob("**/") if is_leaf(leaf))
        hint = (
            f"groups are below it: {', '.join(inside[:6])}; finish a stopped training by the same call"
            if inside
            else ("if it holds vector files, name the files")
        )
        raise InputError(
            f"{path.parent}: neither run-NNN.safetensors nor a {path.name} in this folder, so it is no run set; {hint}"
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        found = manifest["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a run-set manifest ({error})") from None
    if found != schema:
        raise InputError(f"{path}: schema '{found}', wanted '{schema}'")
    return dict(manifest)


def _write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


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
    if (folder / _MANIFEST).exists():
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
    path = folder / _MANIFEST
    entries = {entry["path"]: entry for entry in _read_manifest(path, SCHEMA)["groups"]} if path.is_file() else {}
    for name, runs in groups.items():
        runs = max(runs, entries.get(name, {}).get("runs", 0))
        entries[name] = {"path": name, "runs": runs, "made": dict(made)}
    versions = {"gpustab": version("gpustab"), "torch": torch.__version__}
    _write_manifest(path, {"schema": SCHEMA, "versions": versions, "groups": list(entries.values())})


def pack_leaf(group: Group, *, vocabulary: Rule = "joint", min_runs: int | None = None) -> None:
    """Write the packed form of a leaf, run by run, so that memory does not grow with the number of runs.

    Args:
        group: the leaf.
        vocabulary: which words are packed, see :func:`gpustab.plan.plan_join`.
        min_runs: see there.
    """
    packed = group.folder / _PACKED
    packed.mkdir(exist_ok=True)
    (packed / _MANIFEST).unlink(missing_ok=True)
    plan = plan_join([header(read_space(f)) for f in group.files], vocabulary=vocabulary, min_runs=min_runs)
    for file, rows in zip(group.files, plan.rows, strict=True):
        space = read_space(file)
        vectors = take_rows(space.vectors, rows)
        write_safetensors(Space(plan.vocabulary, vectors, plan.counts, space.name, space.metadata), packed / file.name)
    joining = asdict(plan.joining)
    for key in ("dropped_sample", "undefined_sample"):
        joining[key] = [word.decode("utf-8", "surrogateescape") for word in joining[key]]
    names = [f.stem for f in group.files]
    _write_manifest(packed / _MANIFEST, {"schema": PACKED_SCHEMA, "runs": names, "joining": joining})


def open_packed(group: Group, *, centre: bool = False, unit: bool = True) -> Runs:
    """Return the runs of a packed leaf; their rows stay on disk and are read slice by slice.

    Raises:
        InputError: if the packed form is unfinished or does not fit its manifest.
    """
    packed = group.folder / _PACKED
    manifest = _read_manifest(packed / _MANIFEST, PACKED_SCHEMA)
    names = tuple(manifest["runs"])
    files = [packed / f"{name}.safetensors" for name in names]
    account = manifest["joining"]
    for key in ("dropped_sample", "undefined_sample"):
        account[key] = tuple(word.encode("utf-8", "surrogateescape") for word in account[key])
    rows = tuple(open_rows(file) for file in files)
    words = Vocabulary.from_tensors(rows[0].tensor("words", torch.uint8), rows[0].tensor("offsets", torch.int64))
    counts = rows[0].tensor("counts", torch.int64) if "counts" in rows[0].names else None
    for file, part in zip(files, rows, strict=True):
        if part.shape[0] != len(words):
            raise InputError(f"{file}: {part.shape[0]} rows, but the shared vocabulary has {len(words)} words")
    return prepare(words, rows, names, Joining(**account), group=group.name, counts=counts, centre=centre, unit=unit)
