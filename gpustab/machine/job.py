"""What a process knows of the job that it is a part of; nothing here costs a start."""

from __future__ import annotations

import os
import time
from threading import Thread

_ENVIRONMENT = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_EVERY = 0.2
"""Seconds between two looks for the parent."""


def is_one_of_several() -> bool:
    """Tell whether this process was started by torchrun as one of several."""
    return all(name in os.environ for name in _ENVIRONMENT) and int(os.environ["WORLD_SIZE"]) > 1


def number() -> int:
    """Return the number of this process in the job; the first one, 0, is that which prints and writes."""
    return int(os.environ["RANK"]) if is_one_of_several() else 0


def number_here() -> int:
    """Return the number of this process among those on this machine: that of its card."""
    return int(os.environ["LOCAL_RANK"]) if is_one_of_several() else 0


def end_with(parent: int) -> None:
    """End this process when its parent has ended, however it did: it would write on where nobody waits for it.

    Where a process keeps the number of a parent that is gone, as on Windows, it ends when its work is done.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_EVERY)
        os._exit(1)

    Thread(target=watch, name="ends with its parent", daemon=True).start()
