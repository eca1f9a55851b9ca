"""What files of vectors hold, and what reading them found: the load report of each; of texts, their evidence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpustab.corpus.options import CORPORA, CorpusOptions, UnclearDates
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.sniff import without_colours
from gpustab.formats.source import open_source
from gpustab.formats.text.decimals import is_number_like
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.results import Sheet, Table
from gpustab.results.page import counted
from gpustab.runs.manifest import holds_texts
from gpustab.spaces.words import printable
from gpustab.studies.shared.signed import signed

if TYPE_CHECKING:
    from gpustab.studies.info.vectors import Vectors

_LOOKED = 5
"""Files of a folder that are looked at."""
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
    loading, given = options or LoadOptions(), list(map(Path, paths))
    texts = {path for path in given if corpus or epochs_by or is_corpus(path)}
    report: Progress
    vectors: Vectors | None = None
    with ExitStack() as closing:
        if texts.issuperset(given):  # then nothing needs torch, which takes longer to import than most texts to read
            files, result = given, Result("info")
            report = closing.enter_context(signed(result, loading, progress)).report
        else:
            from gpustab.studies.info import vectors as of_vectors
            from gpustab.studies.shared.frame import answering

            files = [file for path in given for file in ([path] if path in texts else of_vectors.files_of(path))]
            answer = closing.enter_context(answering("info", loading, progress=progress))
            result, report, vectors = answer.result, answer.report, of_vectors.Vectors(loading, explain)
        for number, path in enumerate(files):
            report(f"reading {path}", number / len(files))
            if vectors and path not in texts:
                result.groups.append(vectors.read(path))
            else:
                fits = fit_count or corpus is None
                result.groups.append(_seen(path, corpus or CorpusOptions(), explain, epochs_by, fits))
        result.notes += vectors.notes(len(files)) if vectors else []
        result.verdict = [verdict(result.groups)]
        result.tables |= _frequent(result.groups)
    return result


_ODD = {
    "duplicates": "duplicate word",
    "undecodable": "word that is no UTF-8",
    "nonfinite": "row that is not finite",
    "implausible": "row of implausible size",
    "zero_vectors": "zero vector",
    "trailing_bytes": "byte after the end",
}
"""What is odd about a file of vectors, one of it."""
_ENOUGH = 100
"""Words from which on a mean cosine says what a space is."""
NAMED = 3
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
    more = f" And {len(odd) - NAMED} more, below." if len(odd) > NAMED else ""
    lead = f"{len(odd)} of {len(groups)} {many} {'is' if len(odd) == 1 else 'are'} odd. " if len(groups) > 1 else ""
    return lead + " ".join(one if one.endswith(".") else f"{one}." for one in odd[:NAMED]) + more


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
    if group.get("words", 0) >= _ENOUGH and group.get("mean_cosine", 0) > _collapsed():
        found.append(f"collapsed, all words point one way (mean cosine {group['mean_cosine']:.2f}): train longer")
    return ", ".join(found)


def _collapsed() -> float:
    from gpustab.studies.shared.spaces import COLLAPSED

    return COLLAPSED


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
        return {"name": name, "error": without_name(printable(explain(error)), name)}
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


def is_corpus(path: Path) -> bool:
    """Tell whether a path is text to train on; what cannot be opened is none.

    >>> is_corpus(Path("lee")), is_corpus(Path("no/such.txt"))
    (True, False)
    """
    if not path.exists():
        return str(path) in CORPORA
    if path.is_dir():
        return not _is_of_vectors(path) and (holds_texts(path) or _are_texts(path))
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


def _is_of_vectors(folder: Path) -> bool:
    from gpustab.formats.checkpoints.folder import is_checkpoint
    from gpustab.runs.runset import open_runset

    if is_checkpoint(folder):
        return True
    try:
        return bool(open_runset(folder))
    except InputError:
        return False


def without_name(message: str, name: str) -> str:
    """Return a message without the file that it begins with; of a file in a folder it keeps the path."""
    return message if message.startswith(f"{name}/") else message.removeprefix(name).lstrip(":, ")
