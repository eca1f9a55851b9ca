"""The one place that decides between a plain kernel and its fused twin in Triton.

Triton is optional and no plain kernel needs it: it is looked for here and loaded by the twin alone.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import torch
from torch import Tensor

__all__ = ["MAX_DIMENSION", "SWITCH", "use_triton"]

SWITCH = "GPUSTAB_KERNELS"
"""Environment variable that chooses the kernels: ``auto``, ``triton`` or ``plain``, see :func:`use_triton`."""

MAX_DIMENSION = 512
"""Widest row of a fused kernel: a tile of whole rows has to fit a multiprocessor's shared memory."""

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def use_triton(*tensors: Tensor) -> tuple[bool, str]:
    """Tell whether the fused kernels take these tensors, and why or why not.

    The environment variable ``GPUSTAB_KERNELS`` is read at every call:

    ========== ==========================================================================================
    ``auto``   the default: fused kernels for tensors on a CUDA device, plain ones elsewhere
    ``triton`` the same, and fused kernels on the CPU too where ``TRITON_INTERPRET=1`` lets Triton
               interpret them: slow, for tests
    ``plain``  plain kernels only
    ========== ==========================================================================================

    What no fused kernel can do is plain under every setting, and the reason says so; callers pass it on.

    Args:
        tensors: what the kernel multiplies, ``(..., d)``: one device, float32, float16 or bfloat16, ``d <= 512``.

    Returns:
        ``(ok, reason)``; the reason is a clause without a full stop.

    Raises:
        ValueError: for any other value of ``GPUSTAB_KERNELS``.

    Example:
        >>> use_triton(torch.zeros(2, 3, 4, dtype=torch.float64))[0]
        False
    """
    choice = os.environ.get(SWITCH, "auto")
    if choice not in {"auto", "triton", "plain"}:
        raise ValueError(f"{SWITCH} is '{choice}', wanted auto, triton or plain")
    if choice == "plain":
        return False, f"{SWITCH}=plain"
    if find_spec("triton") is None:
        return False, "triton is not installed"
    for problem in (_device_problem(tensors, choice), _shape_problem(tensors)):
        if problem:
            return False, problem
    return True, f"{SWITCH}={choice} on {tensors[0].device}"


def _device_problem(tensors: tuple[Tensor, ...], choice: str) -> str:
    devices = {tensor.device for tensor in tensors}
    if len(devices) != 1:
        return f"the tensors are on {len(devices)} devices, wanted one"
    (device,) = devices
    if device.type == "cuda":
        major, minor = torch.cuda.get_device_capability(device)
        return "" if major >= 8 else f"{device} has compute capability {major}.{minor}, wanted 8.0 or higher"
    if device.type == "cpu" and choice == "triton":
        interpreted = os.environ.get("TRITON_INTERPRET") == "1"
        return "" if interpreted else "the CPU needs TRITON_INTERPRET=1"
    return f"the tensors are on {device}, wanted cuda"


def _shape_problem(tensors: tuple[Tensor, ...]) -> str:
    for tensor in tensors:
        if tensor.dtype not in _DTYPES:
            return f"{tensor.dtype} is not among float32, float16, bfloat16"
        if tensor.shape[-1] > MAX_DIMENSION:
            return f"rows of {tensor.shape[-1]} dimensions, wanted at most {MAX_DIMENSION}"
    return ""
