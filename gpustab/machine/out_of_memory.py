"""What to do when memory runs out: tell it plainly, or go on in smaller tiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch

from gpustab.errors import OutOfMemoryError, first_line, option
from gpustab.machine.log import log
from gpustab.machine.ranks import ALONE, Ranks

_SMALLEST_TILE = 16
_NO_MEMORY = (
    "out of memory",
    "alloc_failed",  # CUBLAS_STATUS_ALLOC_FAILED and those of the other libraries
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "bad_alloc",
    "cudamalloc",
)
"""What torch, the libraries beneath it and FAISS say when memory runs out."""

T = TypeVar("T")
P = ParamSpec("P")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out, on any device."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and any(said in text for said in _NO_MEMORY)


def telling_memory(work: Callable[P, T]) -> Callable[P, T]:
    """Let a function raise an OutOfMemoryError where torch says it in the text of a RuntimeError.

    For what is not done in tiles, or beside them.
    """

    @wraps(work)
    def told(*args: P.args, **options: P.kwargs) -> T:
        try:
            return work(*args, **options)
        except (RuntimeError, MemoryError) as error:
            if isinstance(error, OutOfMemoryError) or not is_out_of_memory(error):
                raise
            said = first_line(error)
            raise OutOfMemoryError(f"out of memory: {said}; {option('limit')} reads fewer words") from error

    return told


def with_smaller_tiles(work: Callable[[int], T], tile: int, ranks: Ranks = ALONE) -> T:
    """Call ``work(tile)``; when memory runs out, start it again with half the tile. Tiles never change results.

    Several processes take one tile, the smallest of theirs, and do not change it: the others would not know.

    Raises:
        OutOfMemoryError: if even the smallest tile does not fit.
    """
    if ranks.world > 1:
        return telling_memory(work)(ranks.least(tile))
    while True:
        try:
            return work(tile)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if tile <= _SMALLEST_TILE:
                raise OutOfMemoryError(f"out of memory even with {tile} rows at a time: {error}") from error
            tile //= 2
        # Outside the handler: the traceback would keep the failed tile's tensors alive.
        log.warning("out of memory; trying again with %d rows at a time", tile)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
