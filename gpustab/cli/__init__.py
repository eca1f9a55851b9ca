"""The command line: a thin shell over the library. Results on stdout; progress, logs and errors on stderr."""

import os
import signal
import sys
from io import TextIOWrapper
from typing import Any

from gpustab.cli.app import app


class StoppedError(KeyboardInterrupt):
    """Somebody stops the command by a signal.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def run() -> None:
    """Run the command line."""
    # Before torch is imported: threads that spin while they wait turn seconds into minutes where cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no "–" is no reason to fail
    # A batch system's end and a closed terminal are told and cleaned up as Ctrl-C is.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _stop)
    app()


def _stop(number: int, _: Any) -> None:
    signal.signal(number, signal.SIG_DFL)  # who sends it twice will not wait
    raise StoppedError(number)


__all__ = ["app", "run"]
