"""Main memory: what is free, and what fits."""

from __future__ import annotations

from gpustab.errors import OutOfMemoryError, option


def available_memory() -> int | None:
    """Return the bytes of main memory that are free, or ``None`` where the system does not tell (only Linux does)."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123  # no file of ours
            available = next(line for line in lines if line.startswith("MemAvailable"))
        return int(available.split()[1]) * 1024
    except (OSError, StopIteration):
        return None


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
