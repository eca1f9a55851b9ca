"""What a file of vectors holds, and what reading it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import is_space, read_space
from gpustab.results.page import counted
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space
from gpustab.spaces.words import printable
from gpustab.studies.info.study import NAMED, without_name
from gpustab.studies.shared.frame import by_sentence

_FIRST = 5
_ROWS = 65_536
"""Rows that are turned into float64 at a time."""
_MARKS = frozenset(b",;:!?")
"""Signs that end no word: where they do, the text was parted by spaces alone. Of full stops nobody can tell."""
_CLINGING = 0.01
"""Part of the words that may end so: a few do in any large vocabulary, as signs that people draw."""


class Vectors:
    """Files of vectors, read one after the other, and the notes on them.

    Args:
        options: how to read them.
        explain: says what is wrong with a file that cannot be read.
    """

    def __init__(self, options: LoadOptions, explain: Callable[[InputError], str]) -> None:
        self._options, self._explain = options, explain
        self._notes: dict[str, list[str]] = {}

    def read(self, path: Path) -> dict[str, Any]:
        """Return what a file holds; one that cannot be read has an ``error`` instead."""
        name = printable(str(path))
        try:
            space = read_space(path, self._options)
        except InputError as error:
            return {"name": name, "error": without_name(printable(self._explain(error)), name)}
        if space.report:
            self._notes[name] = list(space.report.notes)
        return _contents(space, path)

    def notes(self, files: int) -> list[str]:
        """Return the notes on all of so many files."""
        return _noted(self._notes, files)


def files_of(path: Path) -> list[Path]:
    """Return the files of vectors that a path stands for.

    Raises:
        InputError: if a folder is neither a leaf nor a run set.
    """
    if not path.is_dir() or is_space(path):
        return [path]
    return [file for group in open_runset(path) for file in group.sources]


def _noted(notes: Mapping[str, Sequence[str]], files: int) -> list[str]:
    """Return the notes on files; one about several is said once.

    >>> _noted({"a": ["no checksum", "no counts"], "b": ["no checksum"]}, 2)
    ['All 2 files: no checksum', 'a: no counts']
    >>> _noted({name: ["no checksum"] for name in "abcd"}, 5)
    ['a, b, c and 1 more file: no checksum']
    """
    said = []
    for sentence, names in by_sentence(notes).items():
        more = len(names) - NAMED
        some = ", ".join(names[:NAMED]) + (f" and {counted(more, 'more file')}" if more > 0 else "")
        said.append(f"{f'All {files} files' if len(names) == files > 1 else some}: {sentence}")
    return said


def _contents(space: Space, path: Path) -> dict[str, Any]:
    report = space.report
    assert report is not None  # noqa: S101  # every reader writes one
    lengths = torch.linalg.vector_norm(space.vectors, dim=1, dtype=torch.float64)
    clinging = _clinging(space.vocabulary)
    return {
        "name": printable(str(path)),
        "format": report.format,
        "compression": report.compression,
        "bytes": sum(file.stat().st_size for file in ([path] if path.is_file() else path.iterdir()) if file.is_file()),
        "unpacked_bytes": report.unpacked or None,
        "header": None if report.header is None else " ".join(map(str, report.header)),
        "rows": report.rows,
        "words": len(space.vocabulary),
        "dimension": space.dimension,
        "counts": space.counts is not None,
        "duplicates": report.duplicates.count,
        "undecodable": report.undecodable.count,
        "nonfinite": report.nonfinite.count,
        "implausible": report.implausible.count,
        "zero_vectors": int((lengths == 0).sum()),
        "trailing_bytes": report.trailing,
        "clinging": clinging if clinging >= _CLINGING * len(space.vocabulary) else 0,
        "mean_length": float(lengths.mean()),
        "mean_cosine": _mean_cosine(space.vectors, lengths),
        "first_words": [space.vocabulary.text(i) for i in range(min(_FIRST, len(space.vocabulary)))],
        "made": space.metadata,
    }


def _clinging(words: Iterable[bytes]) -> int:
    """Count the words that end in a mark after something that is none.

    >>> _clinging([b"limits,", b"limits", b",", b"!!", b"what?", b"mr."])
    2
    """
    return sum(len(word) > 1 and word[-1] in _MARKS and word[-2] not in _MARKS for word in words)


def _mean_cosine(vectors: Tensor, lengths: Tensor) -> float:
    """Return the mean cosine of two different rows that have a direction; 0 where there are no two.

    >>> _mean_cosine(torch.tensor([[1.0, 0], [2, 0], [0, 3], [0, 0]]), torch.tensor([1.0, 2, 3, 0]).double())
    0.3333333333333333
    """
    known = lengths.isfinite() & (lengths > 0)
    count = int(known.sum())
    if count < 2:
        return 0.0
    scale = torch.where(known, 1 / lengths, 0.0)
    total = torch.zeros(vectors.shape[1], dtype=torch.float64, device=vectors.device)
    for k in range(0, len(vectors), _ROWS):
        rows = slice(k, k + _ROWS)
        total += (torch.where(known[rows, None], vectors[rows].double(), 0.0) * scale[rows, None]).sum(0)
    return float((total.square().sum() - count) / (count * (count - 1)))
