"""fastText's model files (``.bin``), read without the fasttext package; the vectors are composed as fastText does.

The vector of a word is the mean of its own row and those of its character n-grams, but ``</s>``, the end of a line, has
its own row alone. This is what fastText itself writes to its ``.vec`` file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag

from gpustab.errors import InputError, naming, option
from gpustab.formats.binary.cursor import Cursor, CutError
from gpustab.formats.binary.ngrams import ngram_buckets
from gpustab.formats.binary.npy import check_dimension, left_unread, rows_to_read
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.source import Source
from gpustab.spaces.space import Space
from gpustab.spaces.words import LONGEST_WORD

MAGIC = b"\xba\x16\x4f\x2f"
_WINDOW = 1 << 20
_SUPERVISED = 3

# Word, zero byte, count, type; whatever is no entry is matched in one piece, so that the search does not try each byte.
_ENTRY = re.compile(rb"([^\0]{0,%d})\0(.{8})(.)|.+" % LONGEST_WORD, re.DOTALL)


@dataclass(frozen=True)
class FastTextModel:
    """What a model file says about its words.

    Attributes:
        dimension: number of values ``d``.
        shortest: characters of the shortest n-grams.
        longest: characters of the longest; 0 where there are none.
        buckets: number of hash buckets.
        supervised: whether it is a classifier of texts.
        words: ``v`` words, by descending count.
        counts: ``(v,)`` how often each occurred.
        labels: number of labels, which are not words.
        matrix: ``(v + buckets, d)`` the input vectors of words and then of buckets; perhaps mapped and not aligned.
        cut: what is missing after the input matrix, if anything.
        old: whether it is of before June 2017, where the end of a line was a word like others.
    """

    dimension: int
    shortest: int
    longest: int
    buckets: int
    supervised: bool
    words: list[bytes]
    counts: list[int]
    labels: int
    matrix: NDArray[np.float32]
    cut: str | None
    old: bool = False


def read_model(cursor: Cursor) -> FastTextModel:
    """Read a model of version 11 or 12, or of before June 2017 (no signature), up to the end of its file.

    Raises:
        InputError: if the version is unknown, the model is quantised, the parts contradict each other, or bytes follow
            the last part.
        CutError: if the file ends before the end of the input matrix.
    """
    old, version, start = bytes(cursor.peek(4)[:4]) != MAGIC, 0, 0
    if not old:
        version, start = struct.unpack("<4xi", cursor.take(8, "the signature"))[0], 8
        if version not in (11, 12):
            raise InputError(f"byte 4: this is a fastText model of version {version}, wanted 11 or 12")
    arguments = struct.unpack("<12id", cursor.take(56, "the list of arguments"))
    dimension, model, buckets, shortest, longest = (arguments[i] for i in (0, 7, 8, 9, 10))
    supervised = model == _SUPERVISED
    if version < 12 and supervised:
        longest = 0  # as in fastText: classifiers of that version had no n-grams, whatever their arguments say
    if dimension < 1 or buckets < 0 or (longest > 0 and not buckets):
        raise InputError(
            f"byte {start}: the arguments contradict each other: {dimension} dimensions, {buckets} buckets, "
            f"n-grams of {shortest} to {longest} characters"
        )
    words, counts, labels = _read_dictionary(cursor, old)
    rows = _read_shape(cursor, "input", dimension)
    if rows != len(words) + buckets:
        raise InputError(
            f"byte {cursor.offset - 16}: the input matrix has {rows} rows, wanted {len(words) + buckets}, "
            f"for {len(words)} words and {buckets} buckets"
        )
    matrix = cursor.matrix(rows, dimension, "the input matrix")
    try:
        cut = None
        _read_end(cursor, dimension, old)
    except CutError as error:
        cut = str(error)
    return FastTextModel(dimension, shortest, longest, buckets, supervised, words, counts, labels, matrix, cut, old)


def _read_dictionary(cursor: Cursor, old: bool) -> tuple[list[bytes], list[int], int]:
    """Read the dictionary and the flag after it; return words, their counts, and the number of labels."""
    start = cursor.offset
    head = cursor.take(20 if old else 28, "the head of the dictionary")
    size, n_words, n_labels, _, pruned = struct.unpack("<3i2q", bytes(head) + struct.pack("<q", -1) * old)
    if n_words < 0 or n_labels < 0 or size != n_words + n_labels:
        raise InputError(f"byte {start}: {size} entries, but {n_words} words and {n_labels} labels: damaged file")
    entries, counts, kinds = _read_entries(cursor, size)
    if kinds != b"\0" * n_words + b"\1" * n_labels:
        raise InputError(f"byte {start}: the entries are not {n_words} words and then {n_labels} labels: damaged file")
    if old:
        return entries[:n_words], counts[:n_words], n_labels
    for _ in cursor.pieces(8 * max(pruned, 0), "the list of kept n-grams"):
        pass
    quantised = cursor.take(1, "the mark of quantised models")[0]
    if quantised not in (0, 1):
        raise InputError(f"byte {cursor.offset - 1}: wanted 0 or 1, found {quantised}: damaged file")
    if quantised:
        raise InputError(
            "this is a quantised fastText model (.ftz), whose vectors are compressed beyond use here; give the model "
            "it was made from"
        )
    if pruned >= 0:
        raise InputError(f"byte {start + 20}: the dictionary is pruned, which only quantised models can be")
    return entries[:n_words], counts[:n_words], n_labels


def _read_entries(cursor: Cursor, size: int) -> tuple[list[bytes], list[int], bytes]:
    """Read the entries: words or labels, their counts, and a byte each for their kind."""
    words: list[bytes] = []
    counts: list[int] = []
    kinds = b""
    while len(words) < size:
        window = cursor.peek(_WINDOW)[:_WINDOW]
        found = _ENTRY.findall(window)
        if found and not found[-1][2]:
            found.pop()
        del found[size - len(words) :]
        if not found:
            what = f"entry {len(words)} of {size} of the dictionary"
            if len(window) < _WINDOW:
                cursor.take(max(10, len(window) + 1), what)
            raise InputError(f"byte {cursor.offset}: no zero byte within {LONGEST_WORD} bytes in {what}")
        words += [word for word, _, _ in found]
        counts += np.frombuffer(b"".join([count for _, count, _ in found]), dtype="<i8").tolist()
        kinds += b"".join([kind for _, _, kind in found])
        cursor.skip(sum(len(word) + 10 for word, _, _ in found))
    return words, counts, kinds


def _read_shape(cursor: Cursor, name: str, dimension: int) -> int:
    rows, columns = struct.unpack("<2q", cursor.take(16, f"the shape of the {name} matrix"))
    if rows < 0 or columns != dimension:
        raise InputError(
            f"byte {cursor.offset - 16}: the {name} matrix is {rows} x {columns}, wanted {dimension} columns"
        )
    return int(rows)


def _read_end(cursor: Cursor, dimension: int, old: bool) -> None:
    """Pass over the output matrix, which is of no use here, but shows that the file is whole."""
    if not old:
        cursor.take(1, "the mark of a quantised output")
    rows = _read_shape(cursor, "output", dimension)
    for _ in cursor.pieces(4 * rows * dimension, "the output matrix"):
        pass
    offset, trailing = cursor.offset, cursor.count_rest()
    if trailing:
        raise InputError(f"byte {offset}: wanted the end of the file, found {trailing} more bytes: damaged file")
    cursor.check_damage("the end of the file")


_END_OF_LINE = b"</s>"
_STEP = 256  # words whose rows are gathered at a time: some megabytes, which stay in the cache


def read_fasttext(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read the composed vectors of a fastText model's words, with their counts; labels of a classifier are not words.

    The matrix of an unpacked file is mapped, and only the rows that are needed are touched; that of a compressed
    file is held in memory while the vectors are composed.

    Raises:
        InputError: if the model is quantised, of an unknown version, cut or damaged.
    """
    with naming(source.path):
        model = read_model(Cursor(source, mapped=True))
        notes = list(_notes(model, options))
        kept = list(range(rows_to_read(len(model.words), options)))
        if options.wanted is not None:
            kept = [i for i in kept if model.words[i] in options.wanted]
        table = RowTable(model.dimension, len(kept), options, "row")
        for start in range(0, len(kept), _STEP):
            rows = kept[start : start + _STEP]
            words, counts = [model.words[i] for i in rows], [model.counts[i] for i in rows]
            source.check_uncut()
            table.add(words, compose(model, rows), rows, counts)
        return table.space(source, "fastText binary", header=(len(model.words), model.dimension), notes=notes)


def compose(model: FastTextModel, rows: Sequence[int]) -> NDArray[np.float32]:
    """Return the vectors ``(b, d)`` of some words of a model.

    ``u_w = (x_w + sum_g x_g) / (1 + |G_w|)`` over the n-grams ``g`` of word ``w`` (Bojanowski et al. 2017, section 3.2,
    as a mean), where n-grams that share a bucket count as often as they occur.
    """
    words = [model.words[i] for i in rows]
    owner, bucket = ngram_buckets(words, model.shortest, model.longest, model.buckets)
    composed = np.array([model.old or word != _END_OF_LINE for word in words], dtype=bool)[owner]
    owner = np.concatenate([np.arange(len(words)), owner[composed]])
    row = np.concatenate([np.asarray(rows, dtype=np.int64), len(model.words) + bucket[composed]])
    # Words of one block share many rows: copied once, which also aligns them.
    used, place = np.unique(row[np.argsort(owner, kind="stable")], return_inverse=True)
    starts = np.cumsum(np.bincount(owner, minlength=len(words))) - np.bincount(owner, minlength=len(words))
    table, bags = torch.from_numpy(model.matrix[used]), torch.from_numpy(place)
    vectors: NDArray[np.float32] = embedding_bag(bags, table, torch.from_numpy(starts), mode="mean").numpy()
    return vectors


def _notes(model: FastTextModel, options: LoadOptions) -> Iterator[str]:
    check_dimension(model.dimension, options)
    if model.cut:
        if not options.allow_truncated:
            raise InputError(f"{model.cut}; the word vectors are complete, {option('allow_truncated')} reads them")
        yield f"allow_truncated: {model.cut}; the word vectors are complete"
    if model.longest > 0:
        yield (
            f"the vectors are composed: the mean of a word's own row and those of its n-grams of {model.shortest} to "
            f"{model.longest} characters{'' if model.old else '; </s> has its own row alone'}"
        )
    else:
        yield "the vectors are the words' own rows: the model has no n-grams"
    if model.supervised:
        yield f"the model is a classifier; its {model.labels} label(s) are not words and were left out"
    yield from left_unread(rows_to_read(len(model.words), options), len(model.words))


def is_fasttext(head: bytes) -> bool:
    """Tell a model by its signature; one of before June 2017, which has none, by arguments that no text begins with."""
    if head.startswith(MAGIC):
        return True
    if len(head) < 86:
        return False
    *arguments, _, size, n_words, n_labels, tokens = struct.unpack("<12id3iq", head[:76])
    dimension, window, epochs, least, negatives, _, loss, model, buckets, shortest, longest, _ = arguments
    return (
        0 < dimension < 1 << 16
        and loss in (1, 2, 3)
        and model in (1, 2, 3)
        and min(window, epochs, least, negatives, buckets, shortest, longest, n_words, n_labels) >= 0
        and longest <= 1 << 10
        and 0 < size == n_words + n_labels <= tokens
    )


FASTTEXT = Format("fastText binary", matches=is_fasttext, read=read_fasttext)
