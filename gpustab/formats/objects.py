"""Spaces made of what people hold in Python: dicts, data frames, embedding layers with words, spaCy's vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, naming, option
from gpustab.formats.checkpoints.tokens import Tokens, tokens_of
from gpustab.formats.memory import as_words, dense, from_pair, want_ordered
from gpustab.formats.options import LoadOptions
from gpustab.formats.parsed import parse_json
from gpustab.formats.quantised import Table, want_known
from gpustab.formats.table.columns import Kind, choose_columns, refuse_turned
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word, show


def _of_layer(
    named: Sequence[tuple[int, str | bytes]], layer: Any, name: str, options: LoadOptions, notes: Iterable[str] = ()
) -> Space:
    """Make a space of an embedding layer and the words of its rows, in their order.

    Rows without a word, and the row of ``padding_idx``, are left out and said.
    """
    weight, padding = layer.weight.detach(), getattr(layer, "padding_idx", None)
    rows = [row for row, _ in named]
    if rows and not 0 <= rows[0] <= rows[-1] < len(weight):
        raise InputError(f"{name}: words have rows {rows[0]} to {rows[-1]}, the layer has 0 to {len(weight) - 1}")
    kept = [(row, word) for row, word in named if row != padding]
    said = list(notes)
    if len(kept) < len(rows):
        said.append(f"row {padding} pads and was left out")
    if len(set(rows)) < len(weight):
        said.append(f"{len(weight) - len(set(rows))} of {len(weight)} rows have no word and were left out")
    rows, words = [row for row, _ in kept], [word for _, word in kept]
    return from_pair(words, weight[rows], name, options, rows, form=type(layer).__name__, notes=said)


def is_spacy(source: Any) -> bool:
    """Tell spaCy's ``Vocab``, or a pipeline that has one as ``vocab``."""
    vocab = getattr(source, "vocab", source)
    return hasattr(vocab, "strings") and hasattr(getattr(vocab, "vectors", None), "key2row")


def from_spacy(source: Any, name: str, options: LoadOptions | None = None) -> Space:
    """Make a space of spaCy's ``Vocab.vectors``; words that share a row each have it.

    Raises:
        InputError: if there are no vectors, or they are not a table of words (floret's are not).
    """
    vocab = getattr(source, "vocab", source)
    vectors = vocab.vectors
    if getattr(vectors, "mode", "default") != "default":
        raise InputError(f"{name}: vectors of the mode '{vectors.mode}' are not a table of words")
    rows = sorted((row, key) for key, row in vectors.key2row.items() if row >= 0)
    if not rows:
        raise InputError(f"{name}: the vocabulary has no vectors")
    data = vectors.data.get() if hasattr(vectors.data, "get") else vectors.data  # off a GPU
    named = [(row, word) for row, key in rows if (word := _string(vocab.strings, key)) is not None]
    shared = len(named) - len({row for row, _ in named})
    notes = [f"{shared} words share the row of another one"] if shared else []
    if nameless := len(rows) - len(named):
        notes.append(f"{nameless} of {len(rows)} keys have no word among the strings and were left out")
    matrix = np.asarray(data)[[row for row, _ in named]]
    return from_pair([word for _, word in named], matrix, name, options, form="spaCy vectors", notes=notes)


def _string(strings: Any, key: Any) -> str | None:
    try:
        return str(strings[key])
    except KeyError:
        return None


_FILES = ("vectors", "key2row", "strings.json")
"""Of spaCy's vocabulary and of sense2vec: the matrix, the row of every key, and the words that are keys as hashes."""


def spacy_folder(folder: Path) -> Path | None:
    """Return the folder of spaCy's vectors, of a vocabulary or of sense2vec: itself, or the one in a pipeline."""
    for found in (folder, folder / "vocab"):
        if all((found / name).is_file() for name in _FILES):
            return found
    return None


def read_spacy(folder: Path, options: LoadOptions) -> Space:
    """Read the vectors of a spaCy pipeline, of its vocabulary, or of sense2vec, by spaCy; no pipeline is made.

    Row ``i`` of such a matrix is not the vector of the ``i``-th word: ``key2row`` says which word has which row, and
    keys are hashes of words, but for some hundred words that spaCy numbers.

    Raises:
        InputError: if spaCy is not installed, or the files are damaged.
    """
    place = spacy_folder(folder) or folder
    try:
        from spacy.strings import StringStore
        from spacy.vectors import Vectors
    except ImportError:
        raise InputError(f"{folder}: spaCy's vectors are read by spaCy: pip install spacy") from None
    try:
        strings = StringStore().from_disk(place / "strings.json")
        vocab = SimpleNamespace(strings=strings, vectors=Vectors(strings=strings).from_disk(place))
    except Exception as error:  # whatever a damaged file makes of its readers
        raise InputError(f"{folder}: these vectors of spaCy's are cut or damaged: {error}") from error
    return replace(from_spacy(vocab, str(folder), options), name=folder.resolve().name)


def from_object(source: Any, name: str, options: LoadOptions) -> Space | None:
    """Make a space of an object in memory, ``None`` where it is none of these kinds.

    Args:
        source: a dict of word and vector; a pandas ``DataFrame``, whose words are its index or a column; or a pair of a
            vocabulary and a matrix, in either order. A vocabulary is a list of words, a dict of word and row, or what
            gives one by ``get_itos()`` or ``get_vocab()`` (a tokenizer of transformers, say, whose tokens are called
            as those of its folder are); a matrix an array, a tensor, or an ``nn.Embedding``; or
            spaCy's ``Vocab``.
        name: of the space.
        options: which rows are taken.

    Raises:
        InputError: if it is of such a kind, but its words and vectors do not go together.
    """
    with naming(name):
        if isinstance(source, Mapping):
            return _of_mapping(source, name, options)
        if is_spacy(source):
            return from_spacy(source, name, options)
        if is_frame(source):
            return _of_frame(source, name, options)
        if _weight(source) is not None:
            raise InputError(f"this is a {type(source).__name__} without words; give (words, embedding)")
        if isinstance(source, tuple) and len(source) == 2:
            return _of_pair(*source, name, options)
    return None


def is_frame(source: Any) -> bool:
    """Tell a pandas ``DataFrame`` without importing pandas."""
    kind = type(source)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"


def is_one(source: Any) -> bool:
    """Tell whether an object is one run although it can be iterated over."""
    return isinstance(source, Mapping) or is_frame(source) or is_spacy(source) or _weight(source) is not None


def _of_mapping(source: Mapping[Any, Any], name: str, options: LoadOptions) -> Space:
    if not source or not all(isinstance(word, str | bytes) for word in source):
        raise InputError(f"this is a {type(source).__name__} of {len(source)} entries, wanted words and their vectors")
    return from_pair(list(source), _stacked(list(source), list(source.values())), name, options)


def _stacked(words: Sequence[str | bytes], values: Sequence[Any]) -> NDArray[Any]:
    """Return the vectors of some words, which may be of any kind, as one matrix."""
    rows = [row.detach().cpu().numpy() if isinstance(row, Tensor) else np.asarray(row) for row in values]
    for word, row in zip(words, rows, strict=True):
        if row.ndim != 1 or row.shape != rows[0].shape or row.dtype.kind not in "fiu":
            raise InputError(
                f"the vector of '{show(as_word(word))}' is {row.dtype} {row.shape}, wanted numbers {rows[0].shape} "
                f"as for '{show(as_word(words[0]))}'"
            )
    return np.stack(rows)


def _of_frame(frame: Any, name: str, options: LoadOptions) -> Space:
    columns = list(frame.columns)
    kinds: list[Kind] = [
        "numbers" if dtype.kind in "fiu" else _text(frame.iloc[:, i]) for i, dtype in enumerate(frame.dtypes)
    ]
    if options.word_column is None and "text" not in kinds and _text(frame.index) == "text":
        frame, columns, kinds = frame.reset_index(), ["word", *columns], ["text", *kinds]
    names = [str(column) for column in columns]
    chosen = choose_columns(names, kinds, lambda i: list(frame.iloc[:50, i]), options)
    words = as_words(frame.iloc[:, chosen.word])
    refuse_turned(names, chosen, words[:50], options)
    columns_of = frame.iloc[:, list(chosen.vectors)]
    matrix = (
        _stacked(words, list(columns_of.iloc[:, 0])) if kinds[chosen.vectors[0]] == "lists" else columns_of.to_numpy()
    )
    options = replace(options, word_column=None)
    space = from_pair(words, matrix, name, options, form="data frame", notes=chosen.notes)
    if chosen.counts is None:
        return space
    pairs = list(zip(words, frame.iloc[:, chosen.counts], strict=True))[: options.limit]
    by_word = dict(pairs if options.keep_duplicate == "last" else reversed(pairs))
    counts = torch.tensor([int(by_word[word]) for word in space.vocabulary], dtype=torch.int64, device="cpu")
    return replace(space, counts=counts)


def _text(values: Any) -> Kind:
    first = next(iter(values), None)
    if isinstance(first, str | bytes):
        return "text"
    return "lists" if isinstance(first, list | tuple | np.ndarray) else None


def _of_pair(first: Any, second: Any, name: str, options: LoadOptions) -> Space:
    """Make a space of a vocabulary and a matrix, in either order."""
    if _is_matrix(first) and not _is_matrix(second):
        first, second = second, first
    weight = _weight(second)
    if weight is not None:
        packed = {"quant_state": "weight.quant_state"} if getattr(weight, "quant_state", None) is not None else {}
        want_known(Table("weight", weight.dtype, tuple(weight.shape), packed))
    if weight is not None and hasattr(second, "forward"):
        if (tokens := _of_tokenizer(first)) is not None:
            return _of_layer(tokens.named, second, name, options, tokens.notes)
        if isinstance(first, Mapping):
            pairs = sorted(((row, word) for word, row in first.items()), key=lambda pair: pair[0])
            return _of_layer(pairs, second, name, options)
        if getattr(second, "padding_idx", None) is not None:
            if len(listed := _vocabulary(first)) != len(weight):
                raise InputError(f"{name}: the layer has shape {tuple(weight.shape)}, wanted ({len(listed)}, d)")
            return _of_layer(list(enumerate(listed)), second, name, options)
    matrix = dense(second if weight is None else weight)
    words = _vocabulary(first)
    rows = len(matrix) if hasattr(matrix, "__len__") else len(words)
    if options.allow_padding:
        options, matrix = replace(options, allow_padding=False), matrix[: len(words)]
    elif rows > len(words):
        raise InputError(
            f"there are {len(words)} words for {rows} rows; {option('allow_padding')} leaves the last "
            f"{rows - len(words)} rows out, as models pad their tables"
        )
    return from_pair(words, matrix, name, options)


def _of_tokenizer(thing: Any) -> Tokens | None:
    """Return the tokens of a tokenizer of transformers or tokenizers, called as those of a folder are."""
    backend = getattr(thing, "backend_tokenizer", thing)
    return tokens_of(parse_json(backend.to_str()), Path("tokenizer")) if hasattr(backend, "to_str") else None


def _is_matrix(thing: Any) -> bool:
    return getattr(thing, "ndim", 0) == 2 or _weight(thing) is not None


def _weight(thing: Any) -> Tensor | None:
    """Return the matrix of an ``nn.Embedding`` or whatever has a matrix of this name."""
    weight = getattr(thing, "weight", None)
    return weight if isinstance(weight, Tensor) and weight.ndim == 2 else None


def _vocabulary(thing: Any) -> list[str | bytes]:
    for method in ("get_itos", "get_vocab"):
        if callable(getattr(thing, method, None)):
            thing = getattr(thing, method)()
            break
    if isinstance(thing, Mapping):
        rows = {row: word for word, row in thing.items()}
        if len(rows) < len(thing) or sorted(rows) != list(range(len(rows))):
            raise InputError(f"the vocabulary leads to rows that are not 0 to {len(thing) - 1}, each once")
        return [rows[row] for row in range(len(rows))]
    want_ordered(thing)
    return list(thing)
