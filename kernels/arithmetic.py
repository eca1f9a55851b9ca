"""Products whose error bound is assumed are formed as they are asked for, whatever the host program has switched on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Switch autocast off for products on a device: it would round factors of float32 to 8 or 11 bits."""
    with torch.autocast(device.type, enabled=False):
        yield
