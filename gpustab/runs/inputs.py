"""The files that runs were read from, with size and hash, so that a number can be traced to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from pathlib import Path
from typing import Any

from gpustab.runs.group import Group
from gpustab.runs.manifest import PACKED
from gpustab.runs.runs import Runs

Input = dict[str, Any]


def files_of(groups: Iterable[Runs | Group]) -> list[Input]:
    """Return path, size in bytes and SHA-256 of every file that groups are read from; runs in memory have none.

    Reading them once more takes about a second for a gigabyte. Of a packed leaf its account is named, which has the
    hashes of its runs; files that are gone are not named.
    """
    paths = dict.fromkeys(path for group in groups if isinstance(group, Group) for path in _paths(group))
    with ThreadPoolExecutor() as pool:
        return list(pool.map(_input, paths))


def _paths(group: Group) -> Iterator[Path]:
    if group.folder is not None and group.packed:
        yield group.folder / PACKED
        return
    for source in group.sources:
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            yield Path(source)


def _input(path: Path) -> Input:
    with path.open("rb") as file:
        return {"path": str(path), "bytes": path.stat().st_size, "sha256": file_digest(file, "sha256").hexdigest()}
