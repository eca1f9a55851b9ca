"""What a shell completes beside commands and options; nothing here imports what takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gpustab.corpus.options import CORPORA

STEPS = ("gram", "words", "procrustes", "average", "neighbours", "overlap", "all-neighbours", "cosines")
"""The names of ``gpustab.bench.STEPS``, which takes torch to import."""


def one_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a completion of a name.

    >>> one_of(("sgns", "cbow"))("s")
    ['sgns']
    """
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def several_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a completion of names with commas between, each once.

    >>> several_of(("sgns", "cbow", "lsa"))("cbow,")
    ['cbow,sgns', 'cbow,lsa']
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        left = [name for name in names if name not in before.split(",")]
        return [f"{before}{comma}{name}" for name in left if name.startswith(last)]

    return complete


def a_corpus(incomplete: str) -> list[str]:
    """Complete a corpus: one that goes by a name, or a file or folder."""
    folder, slash, start = incomplete.rpartition("/")
    try:
        there = sorted(Path(f"{folder}{slash}" or ".").iterdir())
    except OSError:
        there = []
    hidden = start.startswith(".")
    paths = [
        f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in there
        if path.name.startswith(start) and (hidden or not path.name.startswith("."))
    ]
    return [*one_of(CORPORA)(incomplete), *paths]
