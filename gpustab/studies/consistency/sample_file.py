"""Samples that are given sentence by sentence, in the form of the public code of Bloem et al. 2019 (Wiki-rnd)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import tokeniser
from gpustab.errors import InputError, option
from gpustab.results.page import counted
from gpustab.spaces.words import some_words
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.text import Term, Text

TARGET, BETWEEN = "___", "@@"
"""What stands for the term in its sentences, and what stands between these."""

Sentence = list[bytes]


class Given(NamedTuple):
    """A text whose samples are given.

    Attributes:
        text: all sentences, one after the other, each in one sample.
        samples: of the terms that have two or more.
        terms: their words.
        notes: sentences on the others.
    """

    text: Text
    samples: Samples
    terms: list[Term]
    notes: list[str]


def read_samples(path: Path, language: str) -> Given:
    """Read ``term TAB sample TAB sample ...``, sentences of a sample joined by ``@@``, the term written ``___``.

    Raises:
        InputError: if there is no such file, it is no UTF-8, or a line is not of that form.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8") from None
    cut = tokeniser(CorpusOptions(language=language))
    found: dict[Term, list[list[Sentence]]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            term, samples = _read(line, cut, f"{path}, line {number}")
            if term in found:
                raise InputError(f"{path}, line {number}: '{b' '.join(term).decode()}' has a line above")
            found[term] = samples
    single = [b" ".join(term) for term, samples in found.items() if len(samples) < 2]
    kept = {term: samples for term, samples in found.items() if len(samples) > 1}
    if len(kept) < 2:
        raise InputError(
            f"{path}: {counted(len(kept), 'term', 'has/have')} two samples or more; wanted two terms at least"
        )
    out = f"{counted(len(single), 'term', 'has/have')} one sample and {'is' if len(single) == 1 else 'are'} left out"
    return _given(path.stem, kept, [f"{out}: {some_words(single)}."] if single else [])


def _read(line: str, cut: Callable[[list[str]], list[str]], where: str) -> tuple[Term, list[list[Sentence]]]:
    term, *samples = line.split("\t")
    if not samples:
        raise InputError(
            f"{where}: no tab; wanted a term and its samples with tabs between, see {option('sample_file')}"
        )
    words = _words(term, cut)
    if not words:
        raise InputError(f"{where}: '{term.strip()}' has no word")
    name = b"_".join(words)
    read = [
        [_sentence(text, name, cut, where) for text in sample.split(BETWEEN) if text.strip()]
        for sample in samples
        if sample.strip()
    ]
    return tuple(words), read


def _words(text: str, cut: Callable[[list[str]], list[str]]) -> Sentence:
    return [word.encode() for word in cut([text]) if word != "\n"]


def _sentence(text: str, name: bytes, cut: Callable[[list[str]], list[str]], where: str) -> Sentence:
    first, *rest = text.split(TARGET)
    if not rest:
        raise InputError(f"{where}: the sentence '{' '.join(text.split())[:60]}' has no {TARGET} where its term stands")
    return [*_words(first, cut), *(word for part in rest for word in (name, *_words(part, cut)))]


def _given(name: str, kept: dict[Term, list[list[Sentence]]], notes: list[str]) -> Given:
    sentences = [sentence for samples in kept.values() for sample in samples for sentence in sample]
    number = {word: k for k, word in enumerate(dict.fromkeys(word for sentence in sentences for word in sentence))}
    lengths = [len(sentence) for sentence in sentences]
    tokens = np.fromiter((number[word] for sentence in sentences for word in sentence), np.int64, sum(lengths))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    text = Text(name, list(number), tokens, starts, np.zeros(len(sentences), dtype=np.int64), 0)
    again = len(sentences) - len({tokens[a:b].tobytes() for a, b in _spans(starts)})
    if again:
        notes.append(
            f"{counted(again, 'sentence', 'repeats/repeat', of=len(sentences))} another of {name}: where one stands in "
            "two samples of a term, its consistency is the finding of a copy."
        )
    sizes = [len(sample) for samples in kept.values() for sample in samples]
    samples = Samples(
        np.array([number[b"_".join(term)] for term in kept]),
        np.repeat(np.arange(len(kept)), [len(samples) for samples in kept.values()]),
        np.arange(len(sentences)),
        np.concatenate([[0], np.cumsum(sizes)]),
    )
    return Given(text, samples, list(kept), notes)


def _spans(starts: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Iterator[tuple[int, int]]:
    return zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
