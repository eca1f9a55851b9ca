"""Whether a fast path may be taken on a device: a small problem beside float64, tried before it is used there.

Some paths were written without a card at hand, and a compiler, a driver or a card of another kind can break any of
them. So each is tried once a process where it is to run. One that errs by more than its arithmetic explains, or that
raises anything, is switched off there with one line, and the plain path answers. Nothing is kept between processes:
what takes long is compiling, which Triton itself keeps by version; the rest takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from gpustab.errors import first_line
from gpustab.machine.log import log
from gpustab.machine.out_of_memory import is_out_of_memory

_TRIED: dict[tuple[str, str], Proof] = {}
"""What this process tried last, by path and device."""


class Proof(NamedTuple):
    """How a path did on its small problem.

    Attributes:
        error: largest error, in the unit of ``allowed``; infinite where there was no answer.
        allowed: what its arithmetic explains.
        why: what was raised, as a clause; empty if nothing.
    """

    error: float
    allowed: float
    why: str = ""

    @property
    def works(self) -> bool:
        """Whether the path may be taken."""
        return self.error <= self.allowed  # not of NaN

    def __str__(self) -> str:
        return self.why or f"error {self.error:.0e}, at most {self.allowed:.0e} is its own"


def prove(path: str, device: torch.device, problem: Callable[[], float], allowed: float) -> Proof:
    """Try a path; what it raises, but for memory, is its answer, and where it does not work the log says so.

    Args:
        path: what it is called in the line.
        device: where it is tried.
        problem: returns the largest error.
        allowed: what its arithmetic explains.

    Example:
        >>> prove("halves", torch.device("cpu"), lambda: 2e-4, 1e-3).works
        True
    """
    try:
        proof = Proof(problem(), allowed)
    except Exception as error:  # compilers and drivers raise whatever they like
        if is_out_of_memory(error):
            raise
        proof = Proof(float("inf"), allowed, f"{type(error).__name__}: {first_line(error)}"[:200])
    _TRIED[path, name_of(device)] = proof  # cuda and cuda:0 are one card
    if not proof.works:
        log.warning("%s: switched off on %s (%s); the plain path answers", path, name_of(device), proof)
    return proof


def name_of(device: torch.device) -> str:
    """Return what a device calls itself."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)


def tried(device: torch.device) -> dict[str, str]:
    """Return which paths were tried on a device so far, and how they did."""
    name = name_of(device)
    return {path: f"{'proved' if p.works else 'off'}: {p}" for (path, where), p in _TRIED.items() if where == name}
