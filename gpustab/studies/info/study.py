"""What files of vectors hold, and what reading them found: the load report of each; of texts, their evidence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.corpus.options import CORPORA, CorpusOptions, UnclearDates
from gpustab.errors import InputError
from gpustab.formats.checkpoints.folder import is_checkpoint
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import is_space, read_space
from gpustab.formats.sniff import without_colours
from gpustab.formats.source import open_source
from gpustab.formats.text.decimals import is_number_like
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.results import Sheet, Table
from gpustab.results.page import counted
from gpustab.runs.manifest import holds_texts
from gpustab.runs.runset import open_runset
from gpustab.spaces.space import Space
from gpustab.spaces.words import printable
from gpustab.studies.shared.frame import answering, by_sentence
from gpustab.studies.shared.spaces import COLLAPSED

_FIRST = 5
_LOOKED = 5
"""Files of a folder that are looked at."""
_ROWS = 65_536
"""Rows that are turned into float64 at a time."""
_NUMBERS = 0.6
"""Of the cells of the first lines, how many are numbers in a file of vectors; in texts, and lists of counts, fewer."""
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1b-\x1f]|\x00\x00\x00")
"""Signs that no text has; three NULs in a row stand in the size at the head of a safetensors file, not in UTF-16."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_WORD = b"PK\x03\x04"


def info(
    paths: Sequence[str | os.PathLike[str]],
    options: LoadOptions | None = None,
    progress: Progress | None = None,
    explain: Callable[[InputError], str] = str,
    corpus: CorpusOptions | None = None,
    epochs_by: str = "",
    fit_count: bool = False,
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
        epochs_by: periods whose documents are counted, see :func:`gpustab.corpus.slices.read_epochs`.
        fit_count: choose ``min_count`` by the size of the corpus, as ``gpustab train`` does; without ``corpus`` it is.

    Returns:
        One group per file; a file that cannot be read has an ``error`` instead of its contents.

    Raises:
        InputError: if a folder is neither a leaf nor a run set.
    """
    texts = {Path(path) for path in paths if corpus or epochs_by or is_corpus(Path(path))}
    files = [file for path in map(Path, paths) for file in ([path] if path in texts else _files(path))]
    notes: dict[str, list[str]] = {}
    with answering("info", options or LoadOptions(), progress=progress) as answer:
        for number, path in enumerate(files):
            answer.report(f"reading {path}", number / len(files))
            fits = fit_count or corpus is None
            told = _seen(path, corpus or CorpusOptions(), explain, epochs_by, fits) if path in texts else None
            told = told or _told(path, options or LoadOptions(), notes, explain)
            answer.result.groups.append(told)
        answer.result.notes += _noted(notes, len(files))
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
_MARKS = frozenset(b",;:!?")
"""Signs that end no word: where they do, the text was parted by spaces alone. Of full stops nobody can tell."""
_CLINGING = 0.01
"""Part of the words that may end so: a few do in any large vocabulary, as signs that people draw."""
_ENOUGH = 100
"""Words from which on a mean cosine says what a space is."""
_NAMED = 3
"""So many odd files are named in the answer."""


def verdict(groups: Sequence[Mapping[str, Any]]) -> str:
    """Return the answer: nothing odd, or what, by file; what cannot be read comes first.

    >>> verdict([{"name": "a.vec", "words": 9, "duplicates": 2}, {"name": "b.vec", "error": "is empty"}])
    '2 of 2 files are odd. b.vec cannot be read: is empty. a.vec: 2 duplicate words.'
    >>> verdict([{"name": "a.vec", "words": 9, "duplicates": 0}]), verdict([{"name": "lee", "lines": [], "doubts": []}])
    ('Nothing is odd about this file.', 'Nothing is odd about this corpus.')
    >>> verdict([{"name": "lee", "lines": [], "doubts": []}] * 2)
    'Nothing is odd about these 2 corpora.'
    >>> verdict([{"name": "a.npy", "error": "it holds no words; name them by --vocab ..."}])
    'a.npy cannot be read: it holds no words; name them by --vocab ...'
    """
    refused = [f"{group['name']} cannot be read: {group['error']}" for group in groups if "error" in group]
    odd = [
        *refused,
        *(f"{group['name']}: {said}" for group in groups if "error" not in group and (said := _odd(group))),
    ]
    one, many = ("corpus", "corpora") if all("lines" in group for group in groups) else ("file", "files")
    if not odd:
        return f"Nothing is odd about {f'this {one}' if len(groups) == 1 else f'these {len(groups)} {many}'}."
    more = f" And {len(odd) - _NAMED} more, below." if len(odd) > _NAMED else ""
    lead = f"{len(odd)} of {len(groups)} {many} {'is' if len(odd) == 1 else 'are'} odd. " if len(groups) > 1 else ""
    return lead + " ".join(one if one.endswith(".") else f"{one}." for one in odd[:_NAMED]) + more


def _odd(group: Mapping[str, Any]) -> str:
    """What is odd about one file or corpus, as a list; empty for nothing."""
    if "doubts" in group:
        small = [group["too_small"]] if group.get("too_small") else []
        strong = [doubt for doubt in group["doubts"] if doubt["strong"]]
        shown = strong or list(group["doubts"])
        kind = "strong doubt" if strong else "doubt"
        listed = f"{counted(len(shown), kind)}: {'; '.join(doubt['says'] for doubt in shown)}"
        return "; ".join([*small, *([listed] if shown else [])])
    found = [counted(group[name], noun) for name, noun in _ODD.items() if group.get(name)]
    if group.get("clinging"):
        found.append(
            f"{counted(group['clinging'], 'word', 'ends/end')} in a comma or the like: cut these off before training"
        )
    if group.get("words", 0) >= _ENOUGH and group.get("mean_cosine", 0) > COLLAPSED:
        found.append(f"collapsed, all words point one way (mean cosine {group['mean_cosine']:.2f}): train longer")
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


def _seen(
    path: Path, options: CorpusOptions, explain: Callable[[InputError], str], epochs_by: str, fits: bool
) -> dict[str, Any]:
    """Return the evidence of a corpus as plain values; unclear dates are counted and refuse nothing."""
    from gpustab.corpus.evidence import evidence_of, lines_of
    from gpustab.corpus.numbering import least_count, number

    name = printable(str(path))
    unclear: UnclearDates = "undated" if options.unclear_dates == "refuse" else options.unclear_dates
    options = replace(options, unclear_dates=unclear)
    try:
        numbered = number(str(path), options)
        if fits:
            options = replace(options, min_count=least_count(numbered.counts[1:]))
        found = evidence_of(replace(numbered, options=options))
        periods = _periods(path, options, epochs_by) if epochs_by else []
    except InputError as error:
        return {"name": name, "error": _without_name(printable(explain(error)), name)}
    plain = asdict(found) | {"too_small": found.too_small, "doubts": [doubt._asdict() for doubt in found.doubts]}
    for doubt in plain["doubts"]:
        doubt["way"], doubt["says"] = explain(InputError(doubt["way"])), explain(InputError(doubt["says"]))
    lines = [(label, printable(explain(InputError(text)))) for label, text in (*lines_of(found), *periods)]
    return plain | {"name": name, "lines": lines}


def _periods(path: Path, options: CorpusOptions, epochs_by: str) -> list[tuple[str, str]]:
    """Return the documents of every period, as lines."""
    from gpustab.corpus.slices import count_periods
    from gpustab.corpus.tokenise import prepare_corpus

    corpus = prepare_corpus(str(path), replace(options, as_is=True), look=False)
    counts = count_periods(corpus, epochs_by, options.unclear_dates)
    return [("periods", counts.summary), *(("", doubt) for doubt in counts.doubts)]


def _noted(notes: Mapping[str, Sequence[str]], files: int) -> list[str]:
    """Return the notes on files; one about several is said once.

    >>> _noted({"a": ["no checksum", "no counts"], "b": ["no checksum"]}, 2)
    ['All 2 files: no checksum', 'a: no counts']
    >>> _noted({name: ["no checksum"] for name in "abcd"}, 5)
    ['a, b, c and 1 more file: no checksum']
    """
    said = []
    for sentence, names in by_sentence(notes).items():
        more = len(names) - _NAMED
        some = ", ".join(names[:_NAMED]) + (f" and {counted(more, 'more file')}" if more > 0 else "")
        said.append(f"{f'All {files} files' if len(names) == files > 1 else some}: {sentence}")
    return said


def _told(
    path: Path, options: LoadOptions, notes: dict[str, list[str]], explain: Callable[[InputError], str]
) -> dict[str, Any]:
    try:
        space = read_space(path, options)
    except InputError as error:
        name = printable(str(path))
        return {"name": name, "error": _without_name(printable(explain(error)), name)}
    if space.report:
        notes[printable(str(path))] = list(space.report.notes)
    return _contents(space, path)


def _files(path: Path) -> list[Path]:
    if not path.is_dir() or is_space(path):
        return [path]
    return [file for group in open_runset(path) for file in group.sources]


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


def is_corpus(path: Path) -> bool:
    """Tell whether a path is text to train on; what cannot be opened is none.

    >>> is_corpus(Path("lee")), is_corpus(Path("no/such.txt"))
    (True, False)
    """
    if not path.exists():
        return str(path) in CORPORA
    if path.is_dir():
        return not is_checkpoint(path) and not _is_runset(path) and (holds_texts(path) or _are_texts(path))
    if not path.is_file():
        return False
    try:
        with open_source(path) as source:
            head = source.head
    except InputError:
        return False
    if head.startswith(_WIDE):
        return True
    if head.startswith(_WORD):
        return b"word/" in head[:4096]
    cells = re.split(rb"[\s,;|]+", head[:20_000].strip())
    numbers = sum(map(is_number_like, cells))
    return bool(head) and not _CONTROL.search(without_colours(head)[:4096]) and numbers < _NUMBERS * len(cells)


def _are_texts(folder: Path) -> bool:
    """Tell texts whose names do not say that they are, by the first of them; vectors beside them are no texts."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")[:_LOOKED]
    return bool(files) and 2 * sum(map(is_corpus, files)) > len(files)


def _is_runset(path: Path) -> bool:
    try:
        return bool(open_runset(path))
    except InputError:
        return False


def _without_name(message: str, name: str) -> str:
    """Return a message without the file that it begins with; of a file in a folder it keeps the path."""
    return message if message.startswith(f"{name}/") else message.removeprefix(name).lstrip(":, ")
