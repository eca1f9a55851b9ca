"""What a path that was given stands for: a file, a folder, or a pattern of files."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from gpustab.errors import InputError


def files_of(source: str | os.PathLike[str]) -> list[Path]:
    """Return the files and folders behind one path; a pattern (``run*.txt``) gives those that fit it, sorted by name.

    A shell fills in patterns itself, but neither Python nor the shell of Windows does.

    Raises:
        InputError: if there is nothing of this name, or nothing that fits the pattern.
    """
    path = Path(source)
    if path.exists():
        return [path]
    # Not Path.glob, which takes no absolute patterns.
    if found := sorted(map(Path, glob.glob(str(source), recursive=True))):  # noqa: PTH207
        return found
    if {"*", "?"} & set(str(source)):
        raise InputError(f"{path}: there is no such file, and none fits this pattern{_several(str(source))}")
    from gpustab.formats.source import near_file  # NumPy comes with it, and the help shall not wait for that

    raise InputError(f"{path}: there is no such file{_several(str(source)) or _deeper(path) or near_file(path)}")


def _deeper(path: Path) -> str:
    """Say so where a technique is left out between a run set and its sampling."""
    from gpustab.runs.manifest import MANIFEST, is_leaf  # torch comes with it, and the help shall not wait for that

    there = sorted(found for found in path.parent.glob(f"*/{glob.escape(path.name)}") if is_leaf(found))
    in_set = path.name and (path.parent / MANIFEST).is_file()
    return f"; meant may be {' or '.join(map(str, there[:3]))}" if in_set and there else ""


def _several(source: str) -> str:
    """Say so where the path is several paths with commas between."""
    parts = [part.strip() for part in source.split(",")]
    there = [part for part in parts if part and Path(part).exists()]
    if len(parts) < 2 or not there:
        return ""
    return f"; {' and '.join(there[:3])} {'is' if len(there) == 1 else 'are'} there: give files apart, without commas"
