"""Spaces made from what is already in memory: gensim's vectors, words with an array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, naming
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import RowTable
from gpustab.spaces.space import LoadReport, Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import as_word

PLACEHOLDERS = "the counts v, v - 1, ..., 1 are gensim's placeholders and were left out"

OF_ROWS = frozenset({"limit", "only", "keep_duplicate", "drop_nonfinite", "skip_empty_tokens"})
"""Options that mean the same whether rows come from a file or not."""

# Below this many words, counts that really fall by one each time are too likely to doubt them.
_PLACEHOLDERS_FROM = 100


def from_pair(
    words: Iterable[str | bytes],
    array: NDArray[Any] | Tensor,
    name: str = "run",
    options: LoadOptions | None = None,
    places: Sequence[int] | None = None,
    *,
    form: str = "words and array",
    notes: Iterable[str] = (),
) -> Space:
    """Make a space from words and their vectors; the array is copied and never changed.

    Args:
        words: ``v`` words in the order of the rows.
        array: ``(v, d)`` numbers of any width and memory layout, NumPy or PyTorch.
        name: short name shown to people.
        options: which rows are taken, and what becomes of repeated words and values that are not finite, by the rules
            of files; what says how a file is read is refused. Default: whatever is odd is refused.
        places: number of each row where it comes from, for messages; default: from 0.
        form: what words and vectors were taken from.
        notes: what was found and done there.

    Returns:
        The space, with ``(v, d)`` contiguous float32 vectors.

    Raises:
        InputError: if the shapes do not agree, the words have no order or repeat, a value is not finite in float32, or
            an option cannot apply.

    >>> from_pair(["a", "b"], np.eye(2), "mine").vectors.dtype
    torch.float32
    """
    with naming(name):
        want_ordered(words)
        return _space(as_words(words), array, None, name, options, form, notes, places)


def as_words(words: Iterable[Any]) -> list[bytes]:
    """Return the bytes of words; whole numbers, as the items of sentences often have, become text.

    Raises:
        InputError: for what is neither text nor a number; the message lacks a name.

    >>> as_words(["a", b"b", 3])
    [b'a', b'b', b'3']
    """
    listed = list(words)
    for row, word in enumerate(listed):
        if not isinstance(word, str | bytes | Integral):
            raise InputError(f"row {row} has no word, but {word!r}")
    return [as_word(word if isinstance(word, str | bytes) else str(word)) for word in listed]


def want_ordered(words: Any) -> None:
    """Refuse what is no list of words in an order; the message lacks a name."""
    if isinstance(words, str | bytes | set | frozenset) or not isinstance(words, Iterable):
        raise InputError(f"the words are a {type(words).__name__}, wanted an ordered list of words")


class _Origin(NamedTuple):
    """What a table of rows says of a file, for rows that come from none."""

    path: Path
    compression: None = None
    bytes_read: int = 0


def _space(
    words: list[bytes],
    array: NDArray[Any] | Tensor,
    counts: Tensor | None,
    name: str,
    options: LoadOptions | None,
    form: str,
    notes: Iterable[str],
    places: Sequence[int] | None = None,
) -> Space:
    """Make a space of all rows; or take rows as from a file, where options choose, or words repeat or are empty."""
    vectors, copied = _as_float32(dense(array), name)
    said = (*notes, *copied)
    if options is None or not (options.given or b"" in words or len(set(words)) < len(words)):
        with naming(name):
            vocabulary = Vocabulary(words)
        return Space(vocabulary, vectors, counts, name, report=LoadReport(name, form, rows=len(words), notes=said))
    with naming(name):
        options.want_only(OF_ROWS, f"{form} in memory")
        if len(words) != len(vectors):
            raise InputError(
                f"vectors have shape {tuple(vectors.shape)}, wanted ({len(words)}, d) for {len(words)} words"
            )
        kept = slice(options.limit)
        table = RowTable(vectors.shape[1], max(len(words[kept]), 1), options, "row")
        numbers = None if counts is None else counts[kept].tolist()
        table.add(words[kept], vectors[kept].numpy(), (places or range(len(words)))[kept], numbers)
        return replace(table.space(_Origin(Path(name)), form, notes=said), name=name)


def from_keyed_vectors(kv: Any, name: str = "run", options: LoadOptions | None = None) -> Space:
    """Make a space from gensim's ``KeyedVectors`` or anything alike, without importing gensim.

    gensim gives the counts ``v, v - 1, ..., 1`` to vectors read from a file without counts; from 100 words
    upwards these placeholders are recognised and left out, which the report says.

    Args:
        kv: an object with ``vectors (v, d)`` and ``index_to_key``, or a full model that has one as ``wv``.
        name: short name shown to people.
        options: see :func:`from_pair`.

    Returns:
        The space, with counts where ``get_vecattr(word, "count")`` knows them.

    Raises:
        InputError: if the object has no such attributes, or for the reasons of :func:`from_pair`.
    """
    kv = getattr(kv, "wv", kv)
    missing = [attribute for attribute in ("vectors", "index_to_key") if not hasattr(kv, attribute)]
    if missing:
        raise InputError(f"{name}: {type(kv).__name__} has no attribute {' and no '.join(missing)}")
    counts, notes = _counts(kv), []
    if counts is not None and are_placeholders(counts):
        counts, notes = None, [PLACEHOLDERS]
    return _space(list(map(as_word, kv.index_to_key)), kv.vectors, counts, name, options, type(kv).__name__, notes)


def dense(array: Any) -> Any:
    """Return an array with all its zeros, where torch or SciPy left them out; others as they are."""
    if isinstance(array, Tensor):
        return array if array.layout == torch.strided else array.to_dense()
    return array.toarray() if hasattr(array, "toarray") and hasattr(array, "nnz") else array


def _as_float32(array: NDArray[Any] | Tensor, name: str) -> tuple[Tensor, tuple[str, ...]]:
    """Copy to a contiguous float32 tensor, and say so where the type or the layout was another."""
    if isinstance(array, Tensor):
        array = array.dequantize() if array.is_quantized else array
        usual = array.dtype == torch.float32 and array.is_contiguous()
        kind = "c" if array.is_complex() else "b" if array.dtype == torch.bool else "f"
        layout = str(array.dtype).removeprefix("torch.")
    else:
        if isinstance(array, np.ma.MaskedArray) and array.mask.any() and array.dtype.kind in "fiu":
            wide = np.promote_types(array.dtype, np.float32)
            array = np.ma.filled(array.astype(wide), np.nan)  # what is masked is no value
        array = np.asarray(array)
        usual = array.dtype == np.float32 and array.flags.c_contiguous
        kind, layout = array.dtype.kind, str(array.dtype)
    if kind not in "fiu" or array.ndim != 2:
        raise InputError(f"{name}: the vectors are {layout} {tuple(array.shape)}, wanted real numbers of shape (v, d)")
    copied = _copy(array)
    notes = () if usual else (f"the vectors were copied from {layout} to contiguous float32",)
    return copied, notes + _underflow(array, copied, name)


def _underflow(array: NDArray[Any] | Tensor, copied: Tensor, name: str) -> tuple[str, ...]:
    """Say how many vectors became zero because float32 knows no numbers below 1e-45.

    Raises:
        InputError: if all of them did.
    """
    if not copied.numel() or bool(copied.any(dim=1).all()):
        return ()
    source = array.detach().cpu() if isinstance(array, Tensor) else np.asarray(array)
    lost = torch.as_tensor((source != 0).any(1), device="cpu") & ~copied.any(dim=1)
    if not lost.any():
        return ()
    largest = float(abs(source[lost.numpy() if isinstance(source, np.ndarray) else lost]).max())
    what = f"too small for float32, the largest value is {largest:.0e}; multiply all vectors by the same number"
    if bool(lost.all()):
        raise InputError(f"{name}: all {len(lost):,} vectors are {what}")
    return (f"{int(lost.sum()):,} vectors became zero: they are {what}",)


def _copy(array: NDArray[Any] | Tensor) -> Tensor:
    if isinstance(array, Tensor):
        return array.detach().to("cpu", torch.float32, copy=True, memory_format=torch.contiguous_format)
    with np.errstate(over="ignore"):  # becomes inf, which the space refuses by name
        return torch.from_numpy(np.array(array, dtype=np.float32, order="C", copy=True))


def _counts(kv: Any) -> Tensor | None:
    if not hasattr(kv, "get_vecattr"):
        return None
    try:
        counts = [int(kv.get_vecattr(word, "count")) for word in kv.index_to_key]
    except KeyError:
        return None  # gensim's answer where no counts were ever set
    return torch.tensor(counts, dtype=torch.int64, device="cpu")


def are_placeholders(counts: Tensor) -> bool:
    """Tell whether counts are those that gensim makes up: ``v, v - 1, ..., 1``, from 100 words upwards."""
    v = len(counts)
    return v >= _PLACEHOLDERS_FROM and torch.equal(counts, torch.arange(v, 0, -1, device=counts.device))
