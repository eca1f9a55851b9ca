"""Manifests: the small JSON files that say what lies in a folder, written last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.atomic import write_text
from gpustab.runs.files import run_files
from gpustab.runs.folders import way_on

SCHEMA = "gpustab.runset/2"
FIRST_SCHEMA = "gpustab.runset/1"
"""Before groups had fields: it names each by its path alone."""
PACKED_SCHEMA = "gpustab.packed/2"
MANIFEST = "manifest.json"
PACKED = "packed.json"
UNFINISHED = "unfinished-pack"
"""What a pack needs on the way lies here, in the run set to be."""


_PACKED_FIELDS = {"dtype": str, "words": int, "joining": dict, "options": dict, "notes": list, "runs": list}
_RUN_FIELDS = {"name": str, "file": str, "bytes": int, "sha256": str, "rounding": float, "source": dict}
_JOINING_FIELDS = {
    "rule": str,
    "min_runs": int,
    "seen": int,
    "dropped": int,
    "dropped_sample": list,
    "undefined": int,
    "undefined_sample": list,
    "smallest": int,
}
_FOLDERS = 2000
"""So many folders are looked through for what might have been meant."""


def read_manifest(path: Path, *schemas: str, fields: Mapping[str, type] | None = None) -> dict[str, Any]:
    """Return the content of a manifest.

    Args:
        path: of the file.
        *schemas: those that will do.
        fields: what it must have, and of which kind.

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
    if found not in schemas:
        raise InputError(f"{path}: schema '{found}', wanted '{schemas[0]}'")
    return want_fields(path, manifest, fields or {}, "it")


def want_fields(path: Path, found: Any, fields: Mapping[str, type], what: str) -> dict[str, Any]:
    """Return a part of a manifest that is an object and has its fields.

    Args:
        path: of the manifest.
        found: the part.
        fields: their kinds by their names.
        what: the part, as the subject of a sentence.

    Raises:
        InputError: naming what is missing or of another kind.
    """
    if not isinstance(found, dict):
        raise InputError(f"{path}: damaged: {what} is {found!r}, no object")
    for name, kind in fields.items():
        if name not in found:
            raise InputError(f"{path}: damaged: {what} has no '{name}'")
        value = found[name]
        if not isinstance(value, (int, float) if kind is float else kind):
            raise InputError(f"{path}: damaged: the '{name}' that {what} has is {value!r}, no {_KINDS[kind]}")
    return found


_KINDS = {str: "text", int: "whole number", float: "number", dict: "object", list: "list"}


def read_packed(folder: Path) -> dict[str, Any]:
    """Return what the manifest of a packed leaf says.

    Raises:
        InputError: if it is missing or damaged.
    """
    path = folder / PACKED
    content = read_manifest(path, PACKED_SCHEMA, fields=_PACKED_FIELDS)
    # Packs of before the rule on small overlaps do not say how many words their smallest run had.
    content["joining"] = want_fields(path, {"smallest": 0} | content["joining"], _JOINING_FIELDS, "its 'joining'")
    for number, run in enumerate(content["runs"]):
        want_fields(path, run, _RUN_FIELDS, f"run {number}")
    if not content["runs"]:
        raise InputError(f"{path}: damaged: it has no runs")
    return content


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Write a manifest, whole or not at all."""
    # ASCII: names of files and words need not be UTF-8, and only as escapes do their surrogates come through.
    write_text(path, json.dumps(content, indent=2) + "\n")


def inside(folder: Path, path: str) -> Path:
    """Return a path that a manifest names, below the manifest's folder.

    Raises:
        InputError: if it leads out of the folder.
    """
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or ":" in path:
        raise InputError(f"{folder}: its manifest names '{path}', which is not below the folder")
    found = folder / path
    if not found.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{folder}: its manifest names '{path}', which a symbolic link leads out of the folder; "
            "name the leaf itself"
        )
    return found


def is_leaf(folder: Path) -> bool:
    """Return whether a folder holds run files, or a finished pack of them."""
    return (folder / PACKED).is_file() or bool(run_files(folder))


def _what_instead(folder: Path) -> str:
    if (folder / UNFINISHED).is_dir():
        return "it is an unfinished pack: finish it by the same call of gpustab pack"
    folders = islice(folder.glob("**/"), _FOLDERS)
    below = sorted(str(leaf.relative_to(folder)) for leaf in folders if is_leaf(leaf))
    if below:
        groups = ", ".join(below[:6])
        return f"groups are below it: {groups}; give these folders, or finish a stopped training by the same call"
    return way_on(folder)
