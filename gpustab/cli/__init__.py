"""The command line: a thin shell over the library. Results on stdout; progress, logs and errors on stderr."""

import os
import sys
from io import TextIOWrapper

from gpustab.cli.app import app


def run() -> None:
    """Run the command line."""
    # Before torch is imported: threads that spin while they wait turn seconds into minutes where cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no "–" is no reason to fail
    app()


__all__ = ["app", "run"]
