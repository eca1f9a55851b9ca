"""The files of a leaf: its runs, and the output vectors that a training kept, in the folder ``output`` of the leaf.

Output vectors are spaces of the same words with the run's counts, each under its run's name, so that whatever takes
runs takes them too, by that folder.
"""

from __future__ import annotations

from pathlib import Path

OUTPUT = "output"
"""Folder within a leaf."""


def run_file(leaf: Path, number: int) -> Path:
    """Return where a run lies.

    >>> run_file(Path("sgns/fixed"), 0).as_posix()
    'sgns/fixed/run-000.safetensors'
    """
    return leaf / f"run-{number:03d}.safetensors"


def run_files(leaf: Path) -> list[Path]:
    """Return the runs that are there, in order."""
    return sorted(leaf.glob("run-*.safetensors"))


def output_file(run: Path) -> Path:
    """Return where the output vectors of a run lie, if they were kept.

    >>> output_file(Path("sgns/fixed/run-000.safetensors")).as_posix()
    'sgns/fixed/output/run-000.safetensors'
    """
    return run.parent / OUTPUT / run.name
