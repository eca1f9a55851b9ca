"""Manifests: the small JSON files that say what lies in a folder, written last."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.atomic import write_text

SCHEMA = "gpustab.runset/2"
FIRST_SCHEMA = "gpustab.runset/1"
"""Before groups had fields: it names each by its path alone."""
PACKED_SCHEMA = "gpustab.packed/2"
MANIFEST = "manifest.json"
PACKED = "packed.json"
UNFINISHED = "unfinished-pack"
"""What a pack needs on the way lies here, in the run set to be."""


def read_manifest(path: Path, *schemas: str, required: Sequence[str] = ()) -> dict[str, Any]:
    """Return the content of a manifest.

    Args:
        path: of the file.
        *schemas: those that will do.
        required: keys that it must have.

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
    if missing := [key for key in required if key not in manifest]:
        raise InputError(f"{path}: damaged: it has no '{missing[0]}'")
    return dict(manifest)


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
    return folder / path


def is_leaf(folder: Path) -> bool:
    """Return whether a folder holds run files, or a finished pack of them."""
    return (folder / PACKED).is_file() or any(folder.glob("run-*.safetensors"))


def _what_instead(folder: Path) -> str:
    if (folder / UNFINISHED).is_dir():
        return "it is an unfinished pack: finish it by the same call of gpustab pack"
    below = sorted(str(leaf.relative_to(folder)) for leaf in folder.glob("**/") if is_leaf(leaf))
    if below:
        groups = ", ".join(below[:6])
        return f"groups are below it: {groups}; give these folders, or finish a stopped training by the same call"
    return "if it holds vector files, name the files"
