"""What files of vectors hold, and what reading them found: the load report of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import is_space, read_space
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.results import Sheet, Table
from gpustab.results.page import counted
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
        answer.result.verdict = [verdict(answer.result.groups)]
        answer.result.tables |= _frequent(answer.result.groups)
    return answer.result


_ODD = {
    "duplicates": "duplicate word",
    "undecodable": "word that is no UTF-8",
    "nonfinite": "row that is not finite",
    "implausible": "row of implausible size",
    "zero_vectors": "zero vector",
    "trailing_bytes": "byte after the end",
}
"""What is odd about a file of vectors, one of it."""
_NAMED = 3
"""So many odd files are named in the answer."""


def verdict(groups: Sequence[Mapping[str, Any]]) -> str:
    """Return the answer: nothing odd, or what, by file; what cannot be read comes first.

    >>> verdict([{"name": "a.vec", "words": 9, "duplicates": 2}, {"name": "b.vec", "error": "is empty"}])
    '2 of 2 files are odd. b.vec cannot be read: is empty. a.vec: 2 duplicate words.'
    >>> verdict([{"name": "a.vec", "words": 9, "duplicates": 0}]), verdict([{"name": "lee", "lines": [], "doubts": []}])
    ('Nothing is odd about this file.', 'Nothing is odd about this corpus.')
    """
    refused = [f"{group['name']} cannot be read: {group['error']}" for group in groups if "error" in group]
    odd = [
        *refused,
        *(f"{group['name']}: {said}" for group in groups if "error" not in group and (said := _odd(group))),
    ]
    kind = "corpus" if all("lines" in group for group in groups) else "file"
    if not odd:
        return f"Nothing is odd about {f'this {kind}' if len(groups) == 1 else f'these {len(groups)} {kind}s'}."
    more = f" And {len(odd) - _NAMED} more, below." if len(odd) > _NAMED else ""
    lead = f"{counted(len(odd), kind, 'is/are', of=len(groups))} odd. " if len(groups) > 1 else ""
    return lead + " ".join(f"{one.rstrip('.')}." for one in odd[:_NAMED]) + more


def _odd(group: Mapping[str, Any]) -> str:
    """What is odd about one file or corpus, as a list; empty for nothing."""
    if "doubts" in group:
        strong = [doubt for doubt in group["doubts"] if doubt["strong"]]
        shown = strong or list(group["doubts"])
        kind = "strong doubt" if strong else "doubt"
        return f"{counted(len(shown), kind)}: {'; '.join(doubt['says'] for doubt in shown)}" if shown else ""
    found = [counted(group[name], noun) for name, noun in _ODD.items() if group.get(name)]
    return ", ".join(found)


class Frequent(NamedTuple):
    """One of the most frequent words of a corpus."""

    corpus: str
    word: str
    occurrences: int


FREQUENT = Sheet("frequent", Frequent, "one row a corpus and word, the most frequent first")


def _frequent(groups: Sequence[Mapping[str, Any]]) -> dict[str, Table[Any]]:
    rows = [Frequent(group["name"], *pair) for group in groups for pair in group.get("frequent", ())]
    return FREQUENT.named(rows) if rows else {}


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
