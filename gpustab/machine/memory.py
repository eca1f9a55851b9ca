"""Main memory: what is free, and what fits."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpustab.errors import OutOfMemoryError, option

_ROOT = Path("/")
_NAMES = {
    "": ("memory.max", "memory.current", "inactive_file"),  # version 2 of control groups, and their one hierarchy
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),  # version 1
}
"""Where a control group tells its limit, what is in use, and how much of that are files read, which make room."""


def available_memory(root: Path = _ROOT) -> int | None:
    """Return the bytes of main memory that are free, or ``None`` where the system does not tell (only Linux does).

    A container may use less than the machine has free: the control groups of this process limit it, or ``ulimit``.

    Args:
        root: of the file system.
    """
    try:
        lines = (root / "proc/meminfo").read_text("ascii").splitlines()
        machine = int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) * 1024
    except (OSError, StopIteration):
        return None
    return min([machine, *_room_in_groups(root), *_room_in_address_space(root)])


def _room_in_address_space(root: Path) -> Iterator[int]:
    """Yield what ``ulimit -v`` leaves this process, if it limits it."""
    try:
        lines = (root / "proc/self/limits").read_text("ascii").splitlines()
        most = next(line for line in lines if line.startswith("Max address space")).split()[3]
        if most != "unlimited":
            pages = int((root / "proc/self/statm").read_text("ascii").split()[0])
            yield max(0, int(most) - pages * mmap.PAGESIZE)
    except (OSError, StopIteration, ValueError):
        return


def _room_in_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process leaves it."""
    try:
        groups = (root / "proc/self/cgroup").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return
    for group in groups:
        _, controllers, path = group.split(":", 2)
        for kind, names in _NAMES.items():
            if kind in controllers.split(","):
                hierarchy = root / "sys/fs/cgroup" / kind
                # The groups above limit it too; seen from within a container, only the uppermost may be there.
                own = hierarchy / path.strip("/")
                folders = [own, *own.parents]
                yield from _room(folders[: folders.index(hierarchy) + 1], *names)


def _room(folders: Sequence[Path], limit: str, used: str, files: str) -> Iterator[int]:
    for folder in folders:
        try:
            most = (folder / limit).read_text("ascii").strip()
            if most != "max":
                statistics = dict(line.split() for line in (folder / "memory.stat").read_text("ascii").splitlines())
                in_use = int((folder / used).read_text("ascii")) - int(statistics.get(files, 0))
                yield max(0, int(most) - in_use)
        except (OSError, ValueError):
            continue  # no such group here, or no memory counted in it


def affordable(rows: int, dimension: int) -> int:
    """Return the rows, if a matrix of so many fits the memory that is free.

    Raises:
        OutOfMemoryError: if it does not.
    """
    size, free = rows * dimension * 4, available_memory()
    if free is not None and size > free:
        raise OutOfMemoryError(
            f"{rows} rows of {dimension} values take {size / 2**30:.1f} GiB, {free / 2**30:.1f} are free; "
            f"{option('limit')} or {option('only')} reads less"
        )
    return rows
