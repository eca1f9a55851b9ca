"""Pieces of work that threads do side by side, or ahead: the next piece is read while the present one is worked on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TypeVar

import torch
from torch import Tensor

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
        waiting = deque(pool.submit(attempt, piece) for piece in pieces)
        try:
            while waiting:
                yield waiting.popleft().result()  # which is kept no longer
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


def side_by_side(work: Callable[[S], T], pieces: Sequence[S], device: torch.device) -> Iterator[T]:
    """Yield what becomes of every piece, in order; on a CPU every thread of torch works on pieces of its own.

    A step of a few milliseconds gains little from several threads, and what NumPy does has one.

    >>> list(side_by_side(abs, [-1, 2], torch.device("cpu")))
    [1, 2]
    """
    jobs = min(workers(device), len(pieces))
    if jobs < 2:
        yield from map(work, pieces)
        return
    with one_core_each():
        yield from in_order(work, pieces, jobs)


def workers(device: torch.device) -> int:
    """Return how many pieces :func:`side_by_side` has at work at a time."""
    return torch.get_num_threads() if device.type == "cpu" else 1


def read_ahead(
    read: Callable[[S], list[Tensor]], pieces: Sequence[S], device: torch.device
) -> Iterator[tuple[S, list[Tensor]]]:
    """Yield every piece with its tensors on a device, while a thread reads the piece after it.

    At most two pieces are in memory. On CUDA they travel through pinned buffers on a stream of their own, so that disk,
    bus and multiprocessors work at the same time.

    Args:
        read: returns the tensors of a piece, in main memory; what it raises is raised here.
        pieces: what to read, in order.
        device: where the tensors shall lie.

    >>> pairs = read_ahead(lambda n: [torch.arange(n)], [1, 2], torch.device("cpu"))
    >>> [(n, tensors[0].tolist()) for n, tensors in pairs]
    [(1, [0]), (2, [0, 1])]
    """
    stream = torch.cuda.Stream(device) if device.type == "cuda" else None

    def fetch(piece: S) -> list[Tensor]:
        tensors = read(piece)
        if stream is None:
            return tensors
        with torch.cuda.stream(stream):
            return [tensor.pin_memory().to(device, non_blocking=True) for tensor in tensors]

    with ThreadPoolExecutor(1) as reader:
        waiting = reader.submit(fetch, pieces[0]) if pieces else None
        for i, piece in enumerate(pieces):
            assert waiting is not None  # noqa: S101  # submitted before the loop and at the end of every turn
            tensors = waiting.result()
            if i + 1 < len(pieces):
                waiting = reader.submit(fetch, pieces[i + 1])
            if stream is not None:
                present = torch.cuda.current_stream(device)
                present.wait_stream(stream)
                for tensor in tensors:
                    tensor.record_stream(present)  # else its memory could be given away while it is worked on
            yield piece, tensors
