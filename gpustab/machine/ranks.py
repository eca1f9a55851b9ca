"""The processes of one job: each takes a share of the rows, and what they find is summed over all of them.

``torchrun --nproc-per-node=N -m gpustab stability RUNS`` starts N of them. A library function shares its work only
where it is given :class:`Ranks`; a process group of the program around it is never touched unasked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import ComputationError, InputError
from gpustab.machine.job import is_one_of_several

_JOINING = timedelta(seconds=45)
"""How long a process waits for the others to come: they are started together, and one that never comes says nothing."""
_PATIENCE = timedelta(minutes=30)
"""How long it waits for others that live to come to the next sum: they do the same work."""
_TRANSFER = timedelta(minutes=5)
"""How long a sum may take once all have come to it."""
_BEAT = 5.0
"""Seconds between two signs of life of a process."""
_SILENCE = 9
"""Signs of life that may be missing: a process that computes gives them, one that hangs or is cut off does not."""


class _Pulse:
    """The signs of life of all processes of a job, and to how many sums each has come.

    A thread writes and reads them at the store where the processes have met. So nobody begins a sum that another one
    will never come to: what waits within a sum can neither be told that nor be ended.
    """

    def __init__(self, store: Any, rank: int, world: int) -> None:
        self._store, self._rank = store, rank
        self._others = [other for other in range(world) if other != rank]
        self._names = [f"pulse/{other}" for other in self._others]
        self._heard = dict.fromkeys(self._others, (0, 0))  # beats, and sums that it has come to
        self._counted = dict.fromkeys(self._others, (0, 0))  # their beats at the last one of this process, and silences
        self._sums = self._rounds = 0
        self._waiting = self._ended = False
        self._lost: str | None = None
        self._news = threading.Condition()
        self._say(0)
        store.wait(self._names, _JOINING)
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)
        self._thread.start()

    def meet(self) -> None:
        """Wait until all processes have come to the sum to which this one has come.

        Raises:
            ComputationError: if one of them has ended, does not answer, or takes too long.
        """
        until = time.monotonic() + _PATIENCE.total_seconds()
        with self._news:
            self._sums, self._waiting, rounds, still = self._sums + 1, True, self._rounds, 0
            self._news.notify_all()
            while late := [other for other in self._others if self._heard[other][1] < self._sums]:
                still = 0 if self._rounds != rounds else still
                rounds = self._rounds
                self._refuse(late, still, time.monotonic() > until)
                still += not self._news.wait(_BEAT)
            self._waiting = False

    def _refuse(self, late: list[int], still: int, is_over: bool) -> None:
        for other in late:
            if self._heard[other][0] < 0:
                raise ComputationError(f"process {other} of this job ended; see its own message")
            if is_over or self._counted[other][1] >= _SILENCE:
                why = f"it does not go on for {_PATIENCE}" if is_over else "it gives no sign of life"
                raise ComputationError(f"process {other} of this job does not answer: {why}")
        if self._lost or still >= _SILENCE:
            raise ComputationError(
                f"another process of this job ended or does not answer; see its own message ({self._lost or 'silence'})"
            )

    def _run(self) -> None:
        beats, due = 0, 0.0
        try:
            while not self._ended:
                if is_due := time.monotonic() >= due:
                    beats, due = beats + 1, time.monotonic() + _BEAT
                self._say(beats)
                heard = self._hear()
                with self._news:
                    for other, (beat, _) in heard.items() if is_due else ():
                        before, silent = self._counted[other]
                        self._counted[other] = beat, silent + 1 if beat == before else 0
                    self._heard, self._rounds = heard, self._rounds + 1
                    self._news.notify_all()
                    if not self._ended:
                        self._news.wait(0.002 if self._waiting else max(due - time.monotonic(), 0))
            self._say(-1)
            until = time.monotonic() + _BEAT  # the store may lie in the first process, which so goes last
            while self._rank == 0 and time.monotonic() < until and any(beat >= 0 for beat, _ in self._hear().values()):
                time.sleep(0.01)
        except RuntimeError as error:  # the process that keeps the store has ended
            with self._news:
                self._lost = _first_line(error)
                self._news.notify_all()

    def _say(self, beats: int) -> None:
        self._store.set(f"pulse/{self._rank}", f"{beats} {self._sums}")

    def _hear(self) -> dict[int, tuple[int, int]]:
        """What every other process has said last: beats, negative for one that ends, and sums."""
        found = (map(int, said.split()) for said in self._store.multi_get(self._names))
        return {other: (beats, sums) for other, (beats, sums) in zip(self._others, found, strict=True)}

    def end(self) -> None:
        """Tell the others that this process ends, unless the store hangs."""
        with self._news:
            self._ended = True
            self._news.notify_all()
        self._thread.join(2 * _BEAT)


@dataclass(frozen=True)
class Ranks:
    """One process of several.

    Attributes:
        rank: its number.
        world: how many there are; each must call the same functions with the same runs.
        pulse: by which they know of each other; without it a process that hangs is waited for as long as the process
            group says.
    """

    rank: int = 0
    world: int = 1
    pulse: _Pulse | None = field(default=None, repr=False, compare=False)

    @property
    def share(self) -> tuple[int, int]:
        """Number of this process and how many there are, see :meth:`gpustab.runs.runs.Runs.chunks`."""
        return self.rank, self.world

    def mine(self, n: int, device: torch.device) -> Tensor:
        """Return which of n pieces of work are of this process, ``(n,)`` bool."""
        return torch.arange(n, device=device) % self.world == self.rank

    def total_(self, *tensors: Tensor) -> None:
        """Sum tensors over all processes, in place.

        Raises:
            ComputationError: if another process has ended or does not answer.
        """
        if self.world > 1:
            for tensor in tensors:
                self._reduce(tensor, torch.distributed.ReduceOp.SUM)

    def largest_(self, tensor: Tensor) -> None:
        """Take the largest of every number of a tensor over all processes, in place."""
        if self.world > 1:
            self._reduce(tensor, torch.distributed.ReduceOp.MAX)

    def least(self, number: int) -> int:
        """Return the least of a number over all processes: pieces must have the same bounds everywhere."""
        if self.world == 1:
            return number
        device = "cuda" if torch.distributed.get_backend() == "nccl" else "cpu"
        least = torch.tensor(number, device=device)
        self._reduce(least, torch.distributed.ReduceOp.MIN)
        return int(least)

    def _reduce(self, tensor: Tensor, how: torch.distributed.ReduceOp.RedOpType) -> None:
        if self.pulse is not None:
            self.pulse.meet()
        try:
            torch.distributed.all_reduce(tensor, how)
        except RuntimeError as error:
            raise ComputationError(
                f"another process of this job ended or does not answer; see its own message ({_first_line(error)})"
            ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


ALONE = Ranks()
"""The only process there is."""


@contextmanager
def ranks_of_torchrun(device: torch.device) -> Iterator[Ranks]:
    """Join the processes that torchrun started, by gloo on CPUs and NCCL on cards; without it, be alone.

    Raises:
        InputError: if torch is built without them.
        ComputationError: if the others do not come.
    """
    if not is_one_of_several():
        yield ALONE
        return
    if not torch.distributed.is_available():
        raise InputError("this build of torch knows no processes; start gpustab without torchrun")
    try:
        pulse = _join("nccl" if device.type == "cuda" else "gloo")
    except RuntimeError as error:
        raise ComputationError(f"the processes of this job do not find each other: {_first_line(error)}") from error
    try:
        yield Ranks(torch.distributed.get_rank(), torch.distributed.get_world_size(), pulse)
    finally:
        pulse.end()
        torch.distributed.destroy_process_group()


def _join(backend: str) -> _Pulse:
    """Meet the others at the store that torchrun names, and only then connect to them, which has more patience."""
    store, rank, world = next(torch.distributed.rendezvous("env://", timeout=_JOINING))  # type: ignore[attr-defined]
    store = torch.distributed.PrefixStore("gpustab", store)  # type: ignore[attr-defined]
    pulse = _Pulse(store, rank, world)
    store.set_timeout(_PATIENCE)
    torch.distributed.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=_TRANSFER)
    return pulse
