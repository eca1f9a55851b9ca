"""What a result was made with: versions, device, memory."""

from __future__ import annotations

import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

FAISS = {"faiss-cpu": "", "faiss-gpu": "12", "faiss-gpu-cuvs": "13", "faiss-gpu-cu13-cuvs": "13"}
"""The builds of the module `faiss`, and for which CUDA each is."""


def environment(device: torch.device | None) -> dict[str, Any]:
    """Return versions, machine, device and peak memory so far.

    Args:
        device: of the tensors; None where there were none, and one thread of the processor did all.
    """
    found: dict[str, Any] = {
        "gpustab": _version("gpustab"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "faiss": next(filter(None, map(_version, FAISS)), None),
        "device": "cpu",
        "threads": 1,
        "peak_memory_bytes": peak_memory(),
    }
    if device is None:
        return found
    import torch

    found |= {"torch": torch.__version__, "device": str(device), "threads": torch.get_num_threads()}
    if device.type == "cuda":
        from gpustab.machine.proof import tried

        found["device_name"] = torch.cuda.get_device_name(device)
        found["fast_paths"] = tried(device)
        found["peak_device_memory_bytes"] = torch.cuda.max_memory_allocated(device)
    return found


def peak_memory() -> int | None:
    """Return the largest resident size of this process so far, in bytes; ``None`` where the system does not tell.

    ``getrusage`` tells on Linux that of who started the process, where it is larger: a notebook, or a test.
    """
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, Linux KiB


@cache  # to find one takes milliseconds, and every result asks for seven
def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
