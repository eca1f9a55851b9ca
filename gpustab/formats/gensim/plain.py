"""A pickle of plain data: words and a matrix, in a dict, a list or a tuple; or a dict of one vector a word.

So are Polyglot's, HistWords' and VarEmbed's vectors. Like gensim's files it is read as data, and nothing of it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.binary.npy import space_of_rows
from gpustab.formats.gensim.described import Described, array_of, whole_of
from gpustab.formats.options import LoadOptions
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import choose_matrix
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word

_DEEPEST = 3
_DICTS = frozenset({"dict", "OrderedDict", "defaultdict"})


def read_plain(source: Source, root: Any, options: LoadOptions) -> Space | None:
    """Read the vectors in a described pickle, ``None`` where there is no matrix of numbers.

    Raises:
        InputError: if the matrix or its words cannot be told; the message may lack the file's name.
    """
    matrices: dict[str, NDArray[Any]] = {}
    lists: dict[str, list[bytes]] = {}
    single: dict[str, tuple[list[bytes], NDArray[Any]]] = {}
    for name, item in _walk(root, "", _DEEPEST):
        array = array_of(item)
        if array is not None and array.ndim == 2 and array.size:
            matrices[name] = array
        elif (words := _words(item)) is not None:
            lists[name] = words
        elif (rows := _word_by_word(item)) is not None:
            single[name] = rows
    if not matrices and len(single) == 1:
        ((name, (words, matrix)),) = single.items()
        matrices, lists = {name: matrix}, {name: words}
    if not matrices:
        return None
    chosen, found = choose_matrix(source.path, {name: one.shape for name, one in matrices.items()}, lists, options)
    return space_of_rows(source, "pickle", matrices[chosen], found, options)


def _walk(item: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield name or "the pickle", item
    if not depth:
        return
    pairs = _items(item) if _is_dict(item) else list(enumerate(item)) if isinstance(item, list | tuple) else []
    if isinstance(item, list) and len(item) > _MOST:
        return
    for key, value in pairs:
        if isinstance(value, Described | list | tuple):
            yield from _walk(value, f"{name}.{key}" if name else str(key), depth - 1)


_MOST = 100
"""Entries of a list that is looked into: a longer one holds words or values, not matrices."""


def _is_dict(item: Any) -> bool:
    return isinstance(item, Described) and item.kind.name in _DICTS and len(item.items) % 2 == 0


def _items(item: Described) -> list[tuple[Any, Any]]:
    return list(zip(item.items[::2], item.items[1::2], strict=True))


def _words(item: Any) -> list[bytes] | None:
    """Return the words of a list of text, or of a dict that leads from word to row or back."""
    if isinstance(item, list | tuple):
        found = [_word(one) for one in item]
        return [one for one in found if one is not None] if found and None not in found else None
    if not _is_dict(item) or not item.items:
        return None
    pairs = _items(item)
    if all(whole_of(key) is not None for key, _ in pairs):
        pairs = [(value, key) for key, value in pairs]
    rows = {whole_of(row): _word(word) for word, row in pairs}
    if None in rows or None in rows.values() or sorted(rows, key=int) != list(range(len(pairs))):  # type: ignore[arg-type]
        return None
    return [word for row in range(len(pairs)) if (word := rows[row]) is not None]


def _word(value: Any) -> bytes | None:
    return as_word(value) if isinstance(value, str) else bytes(value) if isinstance(value, memoryview) else None


def _word_by_word(item: Any) -> tuple[list[bytes], NDArray[Any]] | None:
    """Return the words and rows of a dict of one vector a word."""
    if not _is_dict(item) or not item.items:
        return None
    words: list[bytes] = []
    rows: list[NDArray[Any]] = []
    for key, value in _items(item):
        word, row = _word(key), _row(value)
        if word is None or row is None or row.ndim != 1 or (rows and row.shape != rows[0].shape) or not row.size:
            return None
        words.append(word)
        rows.append(row)
    return words, np.stack(rows)


def _row(value: Any) -> NDArray[Any] | None:
    if isinstance(value, list | tuple):
        return np.array(value, dtype=np.float64) if all(type(one) in (int, float) for one in value) else None
    return array_of(value)
