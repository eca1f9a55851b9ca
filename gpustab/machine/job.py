"""What torchrun tells every process that it starts; nothing here costs a start."""

from __future__ import annotations

import os

_ENVIRONMENT = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def is_one_of_several() -> bool:
    """Tell whether this process was started by torchrun as one of several."""
    return all(name in os.environ for name in _ENVIRONMENT) and int(os.environ["WORLD_SIZE"]) > 1


def number() -> int:
    """Return the number of this process in the job; the first one, 0, is that which prints and writes."""
    return int(os.environ["RANK"]) if is_one_of_several() else 0


def number_here() -> int:
    """Return the number of this process among those on this machine: that of its card."""
    return int(os.environ["LOCAL_RANK"]) if is_one_of_several() else 0
