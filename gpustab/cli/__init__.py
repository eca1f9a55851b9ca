"""The command line: a thin shell over the library. Results on stdout; progress, logs and errors on stderr."""

import gc
import os
import signal
import sys
import time
from io import TextIOWrapper
from typing import Any

from gpustab.cli.app import app


class StoppedError(KeyboardInterrupt):
    """Somebody stops the command by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def run() -> None:
    """Run the command line."""
    # Before torch is imported: threads that spin while they wait turn seconds into minutes where cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # NumPy's own threads spin whatever that says. On idle cores they save nothing (128 runs of lee take 14.4 s either
    # way) and take a quarter more of the processor; on busy ones that was not done in 100 s, without them in 45.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Importing torch makes 260,000 objects, among which cycles are looked for 350 times by default: 0.1 s.
    gc.set_threshold(50_000, 20, 20)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no "–" is no reason to fail
    # A batch system's end and a closed terminal are told and cleaned up as Ctrl-C is.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _stop)
    try:
        app()
    finally:
        # The interpreter looks for cycles among all that torch has imported before it ends: a quarter to half a second.
        gc.freeze()


_TWICE = 1.0
"""Within so many seconds a signal is the same again: coreutils' timeout sends it to the process and to its group."""


def _stop(number: int, _: Any) -> None:
    first = time.monotonic()

    def again(number: int, _: Any) -> None:
        if time.monotonic() - first > _TWICE:  # who sends it once more will not wait
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    signal.signal(number, again)
    raise StoppedError(number)


__all__ = ["app", "run"]
