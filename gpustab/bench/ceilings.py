"""What the device can do at best: bytes copied and operations of a matrix product per second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from gpustab.bench.clock import one_call

_WARM, _SECONDS = 2, 0.3


class Ceilings(NamedTuple):
    """Measured best rates.

    Attributes:
        copy: bytes read and written per second by copying a large tensor.
        matmul: operations per second of a large square product, by format of its factors.
    """

    copy: float
    matmul: dict[str, float]


def measure_ceilings(device: torch.device) -> Ceilings:
    """Measure the ceilings: the best of the calls that fit 0.3 s each, after two to warm up."""
    cuda = device.type == "cuda"
    formats = {"fp64": torch.float64, "fp32": torch.float32, "bf16": torch.bfloat16}
    rates = {name: _matmul(dtype, _side(name, cuda), device) for name, dtype in formats.items()}
    if cuda:
        with _tf32():
            rates["tf32"] = _matmul(torch.float32, _side("tf32", cuda), device)
    return Ceilings(_copy(1 << 30 if cuda else 1 << 27, device), rates)


def _side(name: str, cuda: bool) -> int:
    """A product that keeps the device busy for milliseconds; a CPU may have no fast bfloat16."""
    if cuda:
        return 8192
    return 512 if name == "bf16" else 1024


def _matmul(dtype: torch.dtype, side: int, device: torch.device) -> float:
    x, y = torch.randn(2, side, side, device=device).to(dtype)
    out = torch.empty_like(x)
    return 2 * side**3 / _best(lambda: torch.mm(x, y, out=out), device)


def _copy(size: int, device: torch.device) -> float:
    source, target = torch.ones(2, size, dtype=torch.uint8, device=device)
    return 2 * size / _best(lambda: target.copy_(source), device)


def _best(call: Callable[[], Any], device: torch.device) -> float:
    for _ in range(_WARM):
        one_call(call, device)
    times: list[float] = []
    while not times or sum(times) < _SECONDS:
        times.append(one_call(call, device).seconds)
    return min(times)


@contextmanager
def _tf32() -> Iterator[None]:
    """Let float32 products use the tensor cores, and put the setting back."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
