"""What files of vectors hold, and what reading them found: the load report of each."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats import LoadOptions, read_space
from gpustab.machine.progress import Progress, no_progress
from gpustab.results import Result, environment
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space

_FIRST = 5


def info(
    paths: Sequence[str | os.PathLike[str]], options: LoadOptions | None = None, progress: Progress = no_progress
) -> Result:
    """Read files one after the other and return what each of them is and holds.

    Args:
        paths: files of vectors; a leaf or run-set folder stands for its files.
        options: how to read them.
        progress: told the file that is read.

    Returns:
        One group per file; a file that cannot be read has an ``error`` instead of its contents.

    Raises:
        InputError: if a folder is neither a leaf nor a run set.
    """
    started = time.perf_counter()
    files = [file for path in paths for file in _files(Path(path))]
    result = Result("info")
    for number, path in enumerate(files):
        progress(f"reading {path}", number / len(files))
        try:
            space = read_space(path, options or LoadOptions())
        except InputError as error:
            result.groups.append({"name": str(path), "error": str(error).removeprefix(str(path)).lstrip(":, ")})
            continue
        result.groups.append(_contents(space, path))
        result.notes += [f"{path}: {note}" for note in space.report.notes] if space.report else []
    result.environment = environment(torch.device("cpu")) | {"seconds": time.perf_counter() - started}
    return result


def _files(path: Path) -> list[Path]:
    return [file for group in open_runset(path) for file in group.files] if path.is_dir() else [path]


def _contents(space: Space, path: Path) -> dict[str, Any]:
    report = space.report
    assert report is not None  # noqa: S101  # every reader writes one
    lengths = torch.linalg.vector_norm(space.vectors, dim=1, dtype=torch.float64)
    return {
        "name": str(path),
        "format": report.format,
        "compression": report.compression,
        "bytes": path.stat().st_size,
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
        "mean_length": float(lengths.mean()),
        "first_words": [space.vocabulary.text(i) for i in range(min(_FIRST, len(space.vocabulary)))],
        "made": space.metadata,
    }
