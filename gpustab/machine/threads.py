"""Pieces of work that threads do side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TypeVar

import torch

S = TypeVar("S")
T = TypeVar("T")


def in_order(work: Callable[[S], T], pieces: Sequence[S], jobs: int | None = None) -> Iterator[T]:
    """Yield what becomes of every piece, in order; what one raises is raised here, and none is begun after it.

    Args:
        work: called in some thread with each piece.
        pieces: what to work on.
        jobs: threads; default one per core.

    >>> list(in_order(abs, [-1, 2, -3], jobs=2))
    [1, 2, 3]
    """
    failed = Event()

    def attempt(piece: S) -> T:
        if failed.is_set():
            raise CancelledError  # which nobody sees: the pieces before this one have begun
        try:
            return work(piece)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        waiting = [pool.submit(attempt, piece) for piece in pieces]
        try:
            yield from (piece.result() for piece in waiting)
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def one_core_each() -> Iterator[None]:
    """Let torch use one thread in every thread that begins within: those of :func:`in_order` are enough."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
