"""Where and how exactly to compute: device, precision, tile sizes."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import torch

from gpustab.errors import InputError, near
from gpustab.kernels.neighbours import Backend
from gpustab.machine import probe
from gpustab.machine.log import log
from gpustab.machine.measured import faster
from gpustab.machine.memory import available_memory
from gpustab.machine.ranks import ALONE, Ranks

Precision = Literal["auto", "1e-6", "fp64", "fp32", "fast"]
BackendChoice = Literal["auto", "torch", "faiss"]

_FRESH = 0.05
"""Seconds for which what main memory has free is not asked again: that takes 0.3 ms, and a pass asks often."""

CPU = torch.device("cpu")


def choose_device(name: str = "auto") -> torch.device:
    """Return the device of a name; ``"auto"`` is the first CUDA device, or the CPU without one.

    Raises:
        InputError: if there is no such device here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f"device '{name}' is unknown; wanted auto, cpu, cuda or cuda:N") from None
    if device.type == "cuda" and (not torch.cuda.is_available() or (device.index or 0) >= torch.cuda.device_count()):
        raise InputError(f"device '{name}' is not here: {torch.cuda.device_count()} CUDA devices; see gpustab doctor")
    if device.type not in {"cpu", "cuda"}:
        raise InputError(f"device '{name}' is not supported; wanted auto, cpu, cuda or cuda:N")
    return device


def cheap_float64(capability: tuple[int, int]) -> bool:
    """Tell whether a card of this compute capability computes float64 at about half its float32 rate.

    These are the datacentre cards; all others, 8.6, 8.9, 10.3 and 12.0 among them, do it at 1/32 or slower.

    >>> cheap_float64((9, 0)), cheap_float64((8, 9))
    (True, False)
    """
    return capability in {(6, 0), (7, 0), (8, 0), (9, 0), (10, 0)}


def float64_is_cheap(device: torch.device) -> bool:
    """Tell whether float64 runs near float32's speed on a device: on CPUs and datacentre cards."""
    return device.type == "cpu" or cheap_float64(torch.cuda.get_device_capability(device))


def fast_integers(device: torch.device) -> bool:
    """Tell whether a device adds up products of int8 at many times its float64 rate: datacentre cards from 8.0 on.

    A CPU may do so too, but there a float32 product is as exact as PIP losses need it, see `gpustab.engine.precision`.
    """
    if device.type != "cuda":
        return False
    capability = torch.cuda.get_device_capability(device)
    return capability >= (8, 0) and cheap_float64(capability)


def choose_backend(name: BackendChoice, device: torch.device) -> Backend:
    """Return the back end of the neighbour search; both give the same neighbours.

    ``"auto"`` is what ``gpustab bench`` found the faster on this device, see :mod:`gpustab.machine.measured`; where
    nothing was measured, torch. On two CPU cores FAISS takes 1.0 to 5 times as long, 2.2 in the middle, at 500 to
    60,000 words of 50 to 300 dimensions (benchmarks/results/neighbours-cpu.json); on a GPU torch was as fast (0.95 s
    against 0.74 for all words of one run, before torch had maxima of blocks; unmeasured since). A FAISS that is asked
    for is first tried in a child process; if it fails, torch searches on the same device and the log says why.
    """
    if name == "auto":
        name = "faiss" if faster(device) == "faiss" else "torch"
    if name == "torch":
        return "torch"
    works, reason = probe.probe_faiss() if device.type == "cpu" else probe.probe_faiss_gpu()
    if not works:
        log.warning("FAISS cannot be used (%s); torch searches on %s", reason, device)
    return "faiss" if works else "torch"


def free_memory(device: torch.device) -> int:
    """Return the bytes that may still be taken on a device."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0] + (
            torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        )
    available = _available_about(int(time.monotonic() / _FRESH))
    return 2 << 30 if available is None else available


@lru_cache(maxsize=1)
def _available_about(_moment: int) -> int | None:
    return available_memory()


@dataclass(frozen=True)
class Compute:
    """How the passes compute.

    Attributes:
        device: where.
        precision: ``"auto"`` is float64 where that is cheap, else float32 in short accumulations, as on a CPU the block
            Gram of a large group whose losses these resolve to 1e-6; on a datacentre card that of a large group is of
            whole numbers, where their losses surely err by 1e-5 at most. ``"1e-6"`` is the same with that bound
            everywhere. ``"fast"`` is bfloat16 tensor cores (made for CUDA; a CPU only imitates them, slowly). Whatever
            the products cannot resolve so far, and in any case to 1e-3, is done again in float64.
        backend: of the neighbour search.
        memory: bytes that one tile may take; default a quarter of what is free, at most 128 MiB on the CPU.
        ranks: the processes that share the work, if there are several.

    Raises:
        InputError: for another precision or backend.
    """

    device: torch.device = CPU
    precision: Precision = "auto"
    backend: Backend = "torch"
    memory: int | None = None
    ranks: Ranks = ALONE

    def __post_init__(self) -> None:
        for name, given, known in (("precision", self.precision, Precision), ("backend", self.backend, Backend)):
            if given not in get_args(known):
                wanted = f"wanted one of {', '.join(get_args(known))}"
                raise InputError(f"{name} is {given!r}, {wanted}{near(str(given), get_args(known))}")

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of products."""
        if self.precision == "auto":
            return torch.float64 if float64_is_cheap(self.device) else torch.float32
        exact = self.precision in {"fp64", "1e-6"}
        return torch.float64 if exact else torch.float32  # fast: what is not a Gram is float32

    def tile(self, bytes_per_row: int, rows: int) -> int:
        """Return how many rows of so many bytes fit one tile, between 1 and ``rows``."""
        budget = self.memory
        if budget is None:
            budget = free_memory(self.device) // 4
            if self.device.type == "cpu":
                budget = min(budget, 1 << 27)
        return max(1, min(rows, budget // max(bytes_per_row, 1)))


DEFAULT = Compute()
"""On the CPU, as exactly as it gets."""


def _work_with_one_thread() -> None:
    """Let a forked child not wait for the threads of OpenMP, which it does not have after its parent has computed.

    It works with one thread, as torch's loader of data has its workers do; a process that is spawned has all.
    """
    torch.set_num_threads(1)  # MKL's too
    if faiss := sys.modules.get("faiss"):  # its wheels bring an OpenMP of their own
        faiss.omp_set_num_threads(1)


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_work_with_one_thread)
