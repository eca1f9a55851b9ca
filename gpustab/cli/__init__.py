"""The command line: a thin shell over the library. Results on stdout; progress, logs and errors on stderr."""

from gpustab.cli.commands import app


def run() -> None:
    """Run the command line."""
    app()


__all__ = ["app", "run"]
