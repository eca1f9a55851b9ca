"""Output vectors that a training kept: in the folder ``output`` of the leaf, each under its run's name.

They are spaces of the same words with the run's counts, so that whatever takes runs takes them too, by that folder.
"""

from __future__ import annotations

from pathlib import Path

OUTPUT = "output"
"""Folder within a leaf."""


def output_file(run: Path) -> Path:
    """Return where the output vectors of a run lie, if they were kept.

    >>> output_file(Path("sgns/fixed/run-000.safetensors")).as_posix()
    'sgns/fixed/output/run-000.safetensors'
    """
    return run.parent / OUTPUT / run.name
