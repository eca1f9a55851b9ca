"""gensim's own files: a pickle with, for big arrays, ``.npy`` companions beside it; read without gensim.

The layouts of gensim 1 to 4 (``gensim.utils.SaveLoad``, ``KeyedVectors._load_specials`` and the classes' attributes).
The pickle is read as data (:mod:`gpustab.formats.gensim.safe_pickle`): nothing in such a file can run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.errors import InputError, naming, option, some_of
from gpustab.formats.binary.ngrams import ComposedRows
from gpustab.formats.binary.npy import Matrix, NpyRows, space_of_rows
from gpustab.formats.gensim.described import Described, array_of, attributes_of, pairs_of, whole_of
from gpustab.formats.gensim.plain import read_plain
from gpustab.formats.gensim.safe_pickle import describe_pickle
from gpustab.formats.memory import PLACEHOLDERS, are_placeholders
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format
from gpustab.formats.sniff import foreign
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import WordList
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word

_WORDS = ("index_to_key", "index2word", "index2entity")  # gensim 4, and before
_VECTORS = ("vectors", "syn0")  # gensim 3 and 4, and before

DOCUMENTS = "dv"
"""What Doc2Vec calls its vectors of documents, and the option ``tensor`` that asks for them."""

OUTPUT = "syn1neg"
"""What full models call their output vectors, and the option ``tensor`` that asks for them."""

_FORMER = ", the vectors of documents of gensim 4's Doc2Vec"


_OLD = re.compile(rb"\(*(?:[dl]p\d+\r?\n|c[\w.]{1,100}\n[\w.]{1,100}\n(?:p\d+\n|q[\0-\2])?[()]|[}\])]q[\0-\2])")
"""How pickles of protocol 0 and 1 begin: with a dict, list or tuple that is kept, or a call; no row of vectors does."""


def is_pickle(head: bytes) -> bool:
    """Tell a pickle of protocol 2 to 5 by two bytes, which a word of a text may have too; an older one by more.

    The length that a safetensors file begins with may have them as well (640, 896, ... bytes of header): there zeros
    and a brace follow, and no pickle goes on with a zero.
    """
    if _OLD.match(head):
        return True
    begins = head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    return begins and head[2:3] != b"\0" and foreign(head) is not None


def read_gensim(source: Source, options: LoadOptions) -> Space:
    """Read ``KeyedVectors``, ``Word2Vec`` or ``FastText`` as gensim's ``save`` wrote them.

    Raises:
        InputError: if the file is packed, damaged, of another class, refers to what vectors do not need, or a
            companion is missing or does not fit.
    """
    path = source.path
    if source.compression:
        raise InputError(
            f"{path}: this is a pickle within {source.compression}; unpack it first (gensim's: load it with gensim, "
            "since its companions are packed too, and save it under a name without .gz or .bz2)"
        )
    with naming(path):
        content = source.map()
        root, names = describe_pickle(b"".join(source.blocks()) if content is None else memoryview(content))
        if not isinstance(root, Described) or root.kind.module.partition(".")[0] != "gensim":
            if (plain := read_plain(source, root, options)) is not None:
                return plain
            what = f"of {names[0]}" if names else "of plain data"
            raise InputError(f"this is a pickle {what} and not a file of gensim's KeyedVectors, Word2Vec or FastText")
        return Model(path, root, options.tensor).space(source, options)


class Model:
    """The attributes of the vectors in a gensim file, whichever object they belong to."""

    def __init__(self, path: Path, root: Described, asked: str) -> None:
        self.path = path
        self.kind = root.kind
        self.notes: list[str] = []
        self._documents = documents = asked == DOCUMENTS
        self._output = asked == OUTPUT
        self._whole = self._attributes = attributes_of(root)
        self._generation = _generation(self._attributes)
        self._prefix = path.name
        self._empty: frozenset[int] = frozenset()
        part = DOCUMENTS if documents else "wv"
        inner = self._attributes.get(part)
        if isinstance(inner, Described):
            said = (
                f"of the full {root.kind.name} model, only the {'document' if documents else 'word'} vectors ({part})"
            )
            other = "" if documents or DOCUMENTS not in self._attributes else "; tensor='dv' reads those of documents"
            self.notes.append(f"{said} were read{other}")
            self._attributes, self._prefix = attributes_of(inner), f"{path.name}.{part}"
            self._generation = self._generation or _generation(self._attributes)
        elif documents:
            raise InputError(
                f"{option('tensor', DOCUMENTS)}: this is a {self.kind}{self._generation} without dv{_FORMER}"
            )

    def space(self, source: Source, options: LoadOptions) -> Space:
        """Return words, vectors and counts as a space."""
        words, counts, matrix = self._words, self._counts(), self._matrix()
        v = matrix.shape[0]
        if len(words) != v:
            raise InputError(f"there are {len(words)} words, but {v} vectors in {getattr(matrix, 'path', self.path)}")
        if counts is not None and are_placeholders(torch.tensor(counts, device="cpu")):
            counts = None
            self.notes.append(PLACEHOLDERS)
        if empty := self._empty:
            self.notes.append(f"{len(empty)} empty slot{'s' * (len(empty) > 1)} dropped: no word belongs to the vector")
            kept = [row for row in range(v) if row not in empty]
            words, matrix = [words[row] for row in kept], SomeRows(matrix, kept)
            counts = None if counts is None else [counts[row] for row in kept]
        found = WordList(self.path, words, counts, self.notes)
        return space_of_rows(source, f"gensim {self.kind.name}", matrix, found, options)

    @cached_property
    def _words(self) -> list[bytes]:
        words = next((self._attributes[name] for name in _WORDS if name in self._attributes), None)
        if not isinstance(words, list):
            raise InputError(
                f"this is a {self.kind}{self._generation}, which has no word vectors; "
                "wanted KeyedVectors, Word2Vec or FastText"
            )
        words = self._numbers_as_words(words)
        if not all(isinstance(word, str | None) for word in words):
            raise InputError(f"the keys of this {self.kind}{self._generation} are not words")
        # gensim makes room for as many words as a header promises, and leaves a slot empty for each that was a repeat.
        self._empty = frozenset(row for row, word in enumerate(words) if word is None)
        return [b"" if word is None else _as_word(word) for word in words]

    def _numbers_as_words(self, keys: list[Any]) -> list[Any]:
        """Return keys of which whole numbers became text: tags of documents often are numbers."""
        numbers = [whole_of(key) for key in keys]
        count = len(keys) - numbers.count(None)
        if not count:
            return keys
        found = [key if number is None else str(number) for key, number in zip(keys, numbers, strict=True)]
        texts = [key for key in keys if isinstance(key, str)]
        if len(set(found)) < len(set(texts)) + count:
            raise InputError(f"keys of this {self.kind} are a number and the same number as text, and become one word")
        if not self._documents:
            self.notes.append(f"{count:,} of {len(keys):,} keys are whole numbers, as tags of documents are: now words")
        return found

    def _matrix(self) -> Matrix:
        if self._output:
            return self._output_vectors()
        for name in _VECTORS:
            found = self._array(name)
            if found is not None:
                return found
        words, ngrams = self._array("vectors_vocab"), self._array("vectors_ngrams")
        if words is None or ngrams is None:
            raise InputError(f"the {self.kind}{self._generation} was saved without its vectors")
        if self._attributes.get("compatible_hash") is not True:
            raise InputError(
                f"the {self.kind}{self._generation} hashes its n-grams in gensim's former way; load it with gensim "
                "3.8 and save its vectors alone"
            )
        self.notes.append("the word vectors were composed from those of the words and of their n-grams")
        return ComposedRows(words, ngrams, self._words, self._attributes)

    def _output_vectors(self) -> Matrix:
        """Return those of the whole model, beside whose words' vectors they lie."""
        self._attributes, self._prefix = self._whole, self.path.name
        if (found := self._array(OUTPUT)) is None:
            raise InputError(
                f"this {self.kind}{self._generation} has no output vectors (syn1neg); a full Word2Vec or FastText "
                "model that was trained with negative samples has them"
            )
        return found

    def _array(self, name: str) -> Matrix | None:
        """Return an array of two dimensions from the pickle or its companion, ``None`` where it was not saved."""
        apart = self._attributes.get("__numpys")
        if isinstance(apart, list) and name in apart:
            return self._companion(name)
        value = self._attributes.get(name)
        if value is None:
            return None
        array = array_of(value)
        if array is None or array.ndim != 2 or not array.size:
            shape = "no array of real numbers" if array is None else f"of shape {array.shape}"
            raise InputError(f"'{name}' is {shape}, wanted real numbers of shape (v, d)")
        return array

    def _companion(self, name: str) -> NpyRows:
        file = self.path.with_name(f"{self._prefix}.{name}.npy")
        if not file.is_file():
            there = sorted(other.name for other in self.path.parent.glob("*.npy"))
            raise InputError(
                f"its companion {file.name} is missing; found in the same folder: {some_of(there) or 'no .npy file'}. "
                "A companion keeps the name of its main file"
            )
        return NpyRows(file)

    def _counts(self) -> list[int] | None:
        """Return gensim 4's array of counts, or those of the ``Vocab`` objects before it."""
        counts = dict(pairs_of(self._attributes.get("expandos"))).get("count")
        if counts is not None:
            array = array_of(counts)
            if array is None or array.dtype.kind not in "iu" or array.shape != (len(self._words),):
                raise InputError("the counts are not whole numbers, one for each word")
            if ((array < 0) | (array >= 1 << 63)).any():
                raise InputError("a count is negative or beyond 64 bits")
            return list(array.tolist())
        by_word = {
            _as_word(word): attributes_of(entry).get("count")
            for word, entry in pairs_of(self._attributes.get("vocab"))
            if isinstance(entry, Described)
        }
        found = [by_word.get(word) for word in self._words]
        whole = [count for count in found if type(count) is int and 0 <= count < 1 << 63]
        return whole if len(whole) == len(found) else None


def _as_word(text: str) -> bytes:
    try:
        return as_word(text)
    except UnicodeError:
        raise InputError("a word is not text that UTF-8 could hold") from None


def _generation(attributes: dict[str, Any]) -> str:
    """Return what is known of the gensim that wrote an object, as an addition to its name."""
    events = attributes.get("lifecycle_events")
    for event in events if isinstance(events, list) else ():
        version = dict(pairs_of(event)).get("gensim")
        if isinstance(version, str):
            return f" (gensim {version[:20]})"
    layouts = {"index_to_key": "4", "vectors": "3", "syn0": "1 or 2"}
    return next((f" (gensim {version})" for name, version in layouts.items() if name in attributes), "")


class SomeRows:
    """Those rows of a matrix that a word belongs to."""

    def __init__(self, matrix: Matrix, kept: Sequence[int]) -> None:
        self._matrix, self._kept = matrix, np.array(kept, dtype=np.int64)
        self.shape: tuple[int, ...] = (len(kept), matrix.shape[1])
        self.dtype = matrix.dtype
        self.order = getattr(matrix, "order", "C")

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        wanted = self._kept[rows]
        if not len(wanted):
            return self._matrix[0:0]
        values: NDArray[Any] = self._matrix[int(wanted[0]) : int(wanted[-1]) + 1][wanted - wanted[0]]
        return values


GENSIM = Format("gensim", matches=is_pickle, read=read_gensim)
