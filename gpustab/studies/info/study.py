"""What files of vectors hold, and what reading them found: the load report of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import is_space, read_space
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space
from gpustab.spaces.words import printable
from gpustab.studies.shared.frame import answering

_FIRST = 5


def info(
    paths: Sequence[str | os.PathLike[str]],
    options: LoadOptions | None = None,
    progress: Progress | None = None,
    explain: Callable[[InputError], str] = str,
) -> Result:
    """Read files one after the other and return what each of them is and holds.

    Args:
        paths: files of vectors; a checkpoint is one, a leaf or run-set folder stands for its files.
        options: how to read them.
        progress: told the file that is read.
        explain: says what is wrong with a file that cannot be read.

    Returns:
        One group per file; a file that cannot be read has an ``error`` instead of its contents.

    Raises:
        InputError: if a folder is neither a leaf nor a run set.
    """
    files = [file for path in paths for file in _files(Path(path))]
    with answering("info", options or LoadOptions(), progress=progress) as answer:
        for number, path in enumerate(files):
            answer.report(f"reading {path}", number / len(files))
            answer.result.groups.append(_told(path, options or LoadOptions(), answer.result.notes, explain))
    return answer.result


def _told(path: Path, options: LoadOptions, notes: list[str], explain: Callable[[InputError], str]) -> dict[str, Any]:
    try:
        space = read_space(path, options)
    except InputError as error:
        name = printable(str(path))
        return {"name": name, "error": printable(explain(error)).removeprefix(name).lstrip(":, ")}
    notes += [f"{printable(str(path))}: {note}" for note in space.report.notes] if space.report else []
    return _contents(space, path)


def _files(path: Path) -> list[Path]:
    if not path.is_dir() or is_space(path):
        return [path]
    return [file for group in open_runset(path) for file in group.sources]


def _contents(space: Space, path: Path) -> dict[str, Any]:
    report = space.report
    assert report is not None  # noqa: S101  # every reader writes one
    lengths = torch.linalg.vector_norm(space.vectors, dim=1, dtype=torch.float64)
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
        "mean_length": float(lengths.mean()),
        "first_words": [space.vocabulary.text(i) for i in range(min(_FIRST, len(space.vocabulary)))],
        "made": space.metadata,
    }
