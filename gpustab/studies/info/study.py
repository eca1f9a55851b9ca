"""What files of vectors hold, and what reading them found: the load report of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError
from gpustab.formats.checkpoints.folder import is_checkpoint
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space
from gpustab.spaces.words import printable
from gpustab.studies.info.kinds import is_corpus
from gpustab.studies.shared.frame import answering

_FIRST = 5


def info(
    paths: Sequence[str | os.PathLike[str]],
    options: LoadOptions | None = None,
    progress: Progress | None = None,
    explain: Callable[[InputError], str] = str,
    corpus: CorpusOptions | None = None,
) -> Result:
    """Read files one after the other and return what each of them is and holds.

    What is text is told by what the path is: then its evidence is returned, see
    :func:`gpustab.corpus.evidence.evidence`.

    Args:
        paths: files of vectors; a checkpoint is one, a leaf or run-set folder stands for its files.
        options: how to read them.
        progress: told the file that is read.
        explain: says what is wrong with a file that cannot be read.
        corpus: how texts become a corpus; where it is given, all paths are corpora.

    Returns:
        One group per file; a file that cannot be read has an ``error`` instead of its contents.

    Raises:
        InputError: if a folder is neither a leaf nor a run set.
    """
    texts = {Path(path) for path in paths if corpus or is_corpus(Path(path))}
    files = [file for path in map(Path, paths) for file in ([path] if path in texts else _files(path))]
    with answering("info", options or LoadOptions(), progress=progress) as answer:
        for number, path in enumerate(files):
            answer.report(f"reading {path}", number / len(files))
            told = _seen(path, corpus or CorpusOptions(), explain) if path in texts else None
            told = told or _told(path, options or LoadOptions(), answer.result.notes, explain)
            answer.result.groups.append(told)
    return answer.result


def _seen(path: Path, options: CorpusOptions, explain: Callable[[InputError], str]) -> dict[str, Any]:
    """Return the evidence of a corpus as plain values."""
    from gpustab.corpus.evidence import evidence, lines_of

    name = printable(str(path))
    try:
        found = evidence(str(path), options)
    except InputError as error:
        return {"name": name, "error": printable(explain(error)).removeprefix(name).lstrip(":, ")}
    plain = asdict(found) | {"doubts": [doubt._asdict() for doubt in found.doubts]}
    for doubt in plain["doubts"]:
        doubt["way"], doubt["says"] = explain(InputError(doubt["way"])), explain(InputError(doubt["says"]))
    lines = [(label, printable(explain(InputError(text)))) for label, text in lines_of(found)]
    return plain | {"name": name, "lines": lines}


def _told(path: Path, options: LoadOptions, notes: list[str], explain: Callable[[InputError], str]) -> dict[str, Any]:
    try:
        space = read_space(path, options)
    except InputError as error:
        name = printable(str(path))
        return {"name": name, "error": printable(explain(error)).removeprefix(name).lstrip(":, ")}
    notes += [f"{printable(str(path))}: {note}" for note in space.report.notes] if space.report else []
    return _contents(space, path)


def _files(path: Path) -> list[Path]:
    if not path.is_dir() or is_checkpoint(path):
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
