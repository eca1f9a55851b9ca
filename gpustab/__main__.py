"""``python -m gpustab``."""

from gpustab.cli import run

run()
