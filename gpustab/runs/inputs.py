"""The files that runs were read from, with size and hash, so that a number can be traced to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any, overload

from gpustab.machine.threads import in_order
from gpustab.runs.group import Group
from gpustab.runs.manifest import PACKED
from gpustab.runs.runs import Runs

Input = dict[str, Any]


class Inputs(Sequence[Input]):
    """Path, size in bytes and SHA-256 of every file that groups are read from; runs in memory have none.

    Files are hashed when somebody looks at an entry: that takes about half a second for a gigabyte, and what is only
    printed shows none. One that has changed or gone until then is named without a hash. Of a packed leaf its account is
    named, which has the hashes of its runs; files that are gone now are not named.
    """

    def __init__(self, groups: Iterable[Runs | Group]) -> None:
        paths = dict.fromkeys(path for group in groups if isinstance(group, Group) for path in _paths(group))
        self._seen = [(path, _state(path)) for path in paths]

    def __len__(self) -> int:
        return len(self._seen)

    @overload
    def __getitem__(self, i: int) -> Input: ...
    @overload
    def __getitem__(self, i: slice) -> list[Input]: ...
    def __getitem__(self, i: int | slice) -> Input | list[Input]:
        """Return one entry, or some."""
        return self._hashed[i]

    @cached_property
    def _hashed(self) -> list[Input]:
        return list(in_order(_input, self._seen))


def _paths(group: Group) -> Iterator[Path]:
    if group.folder is not None and group.packed:
        yield group.folder / PACKED
        return
    for source in group.sources:
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            yield Path(source)


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _input(seen: tuple[Path, tuple[int, int]]) -> Input:
    path, state = seen
    return {"path": str(path), "bytes": state[0], "sha256": _hash(path, state)}


def _hash(path: Path, state: tuple[int, int]) -> str | None:
    try:
        if _state(path) != state:
            return None
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
