"""What the study is given beside its backgrounds: texts and terms, or a file of samples that are made already.

Such a file has the form of the public code of Bloem et al. 2019 (Wiki-rnd): a line is a term and its samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import tokeniser
from gpustab.errors import InputError, option
from gpustab.results.page import counted
from gpustab.spaces.words import some_words
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.text import Ids, Term, Text, read_text
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer

T = TypeVar("T")
Sentence = list[bytes]

_DRAWN = ("random", "keywords")
"""What ``terms`` may be besides a file."""

_TARGET, _BETWEEN = "___", "@@"
"""What stands for the term in its sentences, and what stands between these."""


class Inputs(NamedTuple):
    """What is the same for all backgrounds.

    Attributes:
        texts: one or several.
        samples: of the one text, where they came with it.
        general: general language, for the SVD model.
        terms: of a file; ``None`` where they are drawn or keywords.
        options: of the study.
        finished: what is kept of finished parts.
        made: what does not depend on the background, by a digest of all that it depends on.
    """

    texts: list[Text]
    samples: Samples | None
    general: Text | None
    terms: list[Term] | None
    options: ConsistencyOptions
    finished: Finished
    made: dict[str, Any]

    def once(self, make: Callable[[], T], *basis: Any) -> T:
        """Return what several backgrounds share, made at the first."""
        key = digest_of(*basis)
        if key not in self.made:
            self.made[key] = make()
        part: T = self.made[key]
        return part


def read_inputs(
    sources: Sequence[str | Path], options: ConsistencyOptions, finished: Finished, answer: Answer
) -> Inputs:
    """Read texts, terms and samples before the work.

    Raises:
        InputError: if a file cannot be used, a text is given twice, or none, or a file of samples and what it decides.
    """
    if options.sample_file is None:
        terms = None if options.terms in _DRAWN else read_terms(Path(options.terms), options.language)
        return Inputs(_texts(sources, options), None, _general(options), terms, options, finished, {})
    if sources or options.split == "half" or options.terms != "random":
        wrong = (
            option("text", ...) if sources else option("split", "half") if options.split == "half" else option("terms")
        )
        raise InputError(f"{option('sample_file')} holds sentences, samples and terms: give it without {wrong}")
    file = read_samples(Path(options.sample_file), options.language)
    answer.result.notes += file.notes
    return Inputs([file.text], file.samples, _general(options), file.terms, options, finished, {})


def _texts(sources: Sequence[str | Path], options: ConsistencyOptions) -> list[Text]:
    if not sources:
        raise InputError(f"no text was given; give one, or {option('sample_file')}")
    if len(set(map(str, sources))) < len(sources):
        raise InputError(f"one text was given twice: {', '.join(map(str, sources))}")
    texts = [read_text(source, options.language, options.drop_short, options.layout) for source in sources]
    return [text._replace(name=name) for text, name in zip(texts, short_names(sources), strict=True)]


def short_names(sources: Sequence[str | Path]) -> list[str]:
    """Return what texts are called: the end of each path, with as many folders as tell them apart.

    >>> short_names(["lee", "books/anarchism.txt"]), short_names(["a/1.txt", "b/1.txt"])
    (['lee', 'anarchism'], ['a/1', 'b/1'])
    """
    paths = [Path(source).with_suffix("") if Path(source).suffix else Path(source) for source in sources]
    for folders in range(1, max((len(path.parts) for path in paths), default=0) + 1):
        names = ["/".join(path.parts[-folders:]) or str(path) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(source) for source in sources]


def _general(options: ConsistencyOptions) -> Text | None:
    if options.general is None:
        return None
    return read_text(options.general, options.language, options.drop_short, options.general_layout)


def read_terms(path: Path, language: str) -> list[Term]:
    """Return the terms of a file, one a line, cut into words as the text is; each once, in their order.

    Raises:
        InputError: if there is no such file, it is no UTF-8, or a line has no word.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError:
        raise InputError(
            f"{path}: there is no such file; {option('terms')} is a file, 'random' or 'keywords'"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8") from None
    cut = tokeniser(CorpusOptions(language=language))
    terms = dict[Term, None]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        words = tuple(word.encode() for word in cut([line]) if word != "\n")
        if not words:
            raise InputError(f"{path}, line {number}: '{line.strip()}' has no word")
        terms[words] = None
    if not terms:
        raise InputError(f"{path}: there is no term in it")
    return list(terms)


class SampleFile(NamedTuple):
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


def read_samples(path: Path, language: str) -> SampleFile:
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
    samples: dict[Term, list[list[Sentence]]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            term, of_term = _read(line, cut, f"{path}, line {number}")
            if term in samples:
                raise InputError(f"{path}, line {number}: '{b' '.join(term).decode()}' has a line above")
            samples[term] = of_term
    single = [b" ".join(term) for term, of_term in samples.items() if len(of_term) < 2]
    kept = {term: of_term for term, of_term in samples.items() if len(of_term) > 1}
    if len(kept) < 2:
        raise InputError(
            f"{path}: {counted(len(kept), 'term', 'has/have')} two samples or more; wanted two terms at least"
        )
    out = f"{counted(len(single), 'term', 'has/have')} one sample and {'is' if len(single) == 1 else 'are'} left out"
    return _as_text(path.stem, kept, [f"{out}: {some_words(single)}."] if single else [])


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
        [_sentence(text, name, cut, where) for text in sample.split(_BETWEEN) if text.strip()]
        for sample in samples
        if sample.strip()
    ]
    return tuple(words), read


def _words(text: str, cut: Callable[[list[str]], list[str]]) -> Sentence:
    return [word.encode() for word in cut([text]) if word != "\n"]


def _sentence(text: str, name: bytes, cut: Callable[[list[str]], list[str]], where: str) -> Sentence:
    first, *others = text.split(_TARGET)
    if not others:
        raise InputError(
            f"{where}: the sentence '{' '.join(text.split())[:60]}' has no {_TARGET} where its term stands"
        )
    return [*_words(first, cut), *(word for part in others for word in (name, *_words(part, cut)))]


def _as_text(name: str, kept: dict[Term, list[list[Sentence]]], notes: list[str]) -> SampleFile:
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
    return SampleFile(text, samples, list(kept), notes)


def _spans(starts: Ids) -> Iterator[tuple[int, int]]:
    return zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
