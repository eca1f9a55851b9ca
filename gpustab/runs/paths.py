"""What a path that was given stands for: a file, a folder, or a pattern of files."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
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
    from gpustab.formats.source import near_file  # which only a message needs

    raise InputError(f"{path}: there is no such file{_several(str(source)) or _deeper(path) or near_file(path)}")


def look(sources: Sequence[str | os.PathLike[str]], least: int) -> None:
    """See that runs are there, before anything is imported that reads them; what they are is seen later.

    Args:
        sources: paths and patterns.
        least: so many files there must be, where no folder is among them.

    Raises:
        InputError: if one is not there, or they are too few.
    """
    files = [file for source in sources for file in files_of(source)]
    if not files:
        raise InputError("no runs were given")
    if len(files) < least and not any(file.is_dir() for file in files):
        raise InputError(too_few("runs", len(files)))


def too_few(group: str, runs: int) -> str:
    """Return the message on a group without two runs."""
    who = "only" if group == "runs" else f"group '{group}' has only"
    was = " is given" if group == "runs" else ""
    return f"{who} {runs} run{was}; give at least two, since stability is measured between runs"


def _deeper(path: Path) -> str:
    """Say so where a technique is left out between a run set and its sampling, or the run set with it."""
    from gpustab.runs.key import SAMPLINGS
    from gpustab.runs.manifest import MANIFEST, is_leaf  # which only a message needs

    in_set, sampling = (path.parent / MANIFEST).is_file(), path.name.partition("-")[0] in SAMPLINGS
    if not path.name or not (in_set or sampling):
        return ""
    above = "*" if in_set else "*/*"
    there = sorted(found for found in path.parent.glob(f"{above}/{glob.escape(path.name)}") if is_leaf(found))
    if there:
        return f"; meant may be {' or '.join(map(str, there[:3]))}"
    return f"; a group is called RUNSET/TECHNIQUE/{path.name}" if sampling else ""


def _several(source: str) -> str:
    """Say so where the path is several paths with commas between."""
    parts = [part.strip() for part in source.split(",")]
    there = [part for part in parts if part and Path(part).exists()]
    if len(parts) < 2 or not there:
        return ""
    return f"; {' and '.join(there[:3])} {'is' if len(there) == 1 else 'are'} there: give files apart, without commas"
