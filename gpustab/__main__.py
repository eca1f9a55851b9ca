"""``python -m gpustab``, and the command: whoever stops it while it loads is told so, as later."""

import sys


def run() -> None:
    """Run the command line."""
    try:
        from gpustab.cli import run as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
