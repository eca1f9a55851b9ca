"""The processes of one job: each takes a share of the rows, and what they find is summed over all of them.

``torchrun --nproc-per-node=N -m gpustab stability RUNS`` starts N of them. A library function shares its work only
where it is given :class:`Ranks`; a process group of the program around it is never touched unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor

from gpustab.errors import ComputationError, InputError
from gpustab.machine.job import is_one_of_several

_JOINING = timedelta(seconds=45)
"""How long a process waits for the others to come: they are started together, and one that never comes says nothing."""
_PATIENCE = timedelta(minutes=30)
"""How long it waits for them to go on: they do the same work. One that has ended is noticed at once."""


@dataclass(frozen=True)
class Ranks:
    """One process of several.

    Attributes:
        rank: its number.
        world: how many there are; each must call the same functions with the same runs.
    """

    rank: int = 0
    world: int = 1

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
        _join("nccl" if device.type == "cuda" else "gloo")
    except RuntimeError as error:
        raise ComputationError(f"the processes of this job do not find each other: {_first_line(error)}") from error
    try:
        yield Ranks(torch.distributed.get_rank(), torch.distributed.get_world_size())
    finally:
        torch.distributed.destroy_process_group()


def _join(backend: str) -> None:
    """Meet the others at the store that torchrun names, and only then connect to them, which has more patience."""
    store, rank, world = next(torch.distributed.rendezvous("env://", timeout=_JOINING))  # type: ignore[attr-defined]
    store = torch.distributed.PrefixStore("gpustab", store)  # type: ignore[attr-defined]
    store.set(f"here/{rank}", "")
    store.wait([f"here/{other}" for other in range(world)], _JOINING)
    store.set_timeout(_PATIENCE)
    torch.distributed.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=_PATIENCE)
