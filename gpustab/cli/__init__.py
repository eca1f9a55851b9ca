"""The command line: a thin shell over the library. Results on stdout; progress, logs and errors on stderr."""

import sys
from io import TextIOWrapper

from gpustab.cli.app import app


def run() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no "–" is no reason to fail
    app()


__all__ = ["app", "run"]
