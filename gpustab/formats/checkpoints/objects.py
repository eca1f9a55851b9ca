"""Embedding layers of PyTorch and vectors of spaCy as spaces, without importing spaCy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpustab.errors import InputError
from gpustab.formats.memory import from_pair
from gpustab.formats.options import LoadOptions
from gpustab.spaces.space import Space


def is_layer(source: Any) -> bool:
    """Tell an embedding layer, ``torch.nn.Embedding`` or alike, by its ``weight`` of rows."""
    return getattr(getattr(source, "weight", None), "ndim", 0) == 2 and hasattr(source, "forward")


def from_layer(
    words: Iterable[str | bytes] | Mapping[str | bytes, int], layer: Any, name: str, options: LoadOptions | None = None
) -> Space:
    """Make a space of an embedding layer and its vocabulary; the weights are copied.

    Args:
        words: of the rows, in their order; or the row of every word, as tokenizers give it. Rows without a word, and
            the row of ``padding_idx``, are left out and said.
        layer: ``torch.nn.Embedding`` or alike.
        name: short name shown to people.
        options: see :func:`gpustab.formats.memory.from_pair`.

    Raises:
        InputError: for a row that is not there, or the reasons of ``from_pair``.
    """
    weight, padding = layer.weight.detach(), getattr(layer, "padding_idx", None)
    listed = (
        [word for word, _ in sorted(words.items(), key=lambda item: item[1])] if isinstance(words, Mapping) else words
    )
    rows = sorted(words.values()) if isinstance(words, Mapping) else range(len(weight))
    listed = list(listed)
    if not isinstance(words, Mapping) and len(listed) != len(weight):
        raise InputError(f"{name}: the layer has shape {tuple(weight.shape)}, wanted ({len(listed)}, d)")
    if rows and not 0 <= rows[0] <= rows[-1] < len(weight):
        raise InputError(f"{name}: words have rows {rows[0]} to {rows[-1]}, the layer has 0 to {len(weight) - 1}")
    kept = [k for k, row in enumerate(rows) if row != padding]
    notes = []
    if len(kept) < len(rows):
        notes.append(f"row {padding} pads and was left out")
    if len(set(rows)) < len(weight):
        notes.append(f"{len(weight) - len(set(rows))} of {len(weight)} rows have no word and were left out")
    space = from_pair([listed[k] for k in kept], weight[[rows[k] for k in kept]], name, options)
    return _said(space, type(layer).__name__, notes)


def is_spacy(source: Any) -> bool:
    """Tell spaCy's ``Vocab``, or a pipeline that has one as ``vocab``."""
    vocab = getattr(source, "vocab", source)
    return hasattr(vocab, "strings") and hasattr(getattr(vocab, "vectors", None), "key2row")


def from_spacy(source: Any, name: str, options: LoadOptions | None = None) -> Space:
    """Make a space of spaCy's ``Vocab.vectors``; words that share a row each have it.

    Args:
        source: a ``Vocab``, or a pipeline.
        name: short name shown to people.
        options: see :func:`gpustab.formats.memory.from_pair`.

    Raises:
        InputError: if there are no vectors, or they are no table of words (floret's are not).
    """
    vocab = getattr(source, "vocab", source)
    vectors = vocab.vectors
    if getattr(vectors, "mode", "default") != "default":
        raise InputError(f"{name}: vectors of the mode '{vectors.mode}' are no table of words")
    rows = sorted((row, key) for key, row in vectors.key2row.items() if row >= 0)
    if not rows:
        raise InputError(f"{name}: the vocabulary has no vectors")
    data = vectors.data.get() if hasattr(vectors.data, "get") else vectors.data  # off a GPU
    words = [vocab.strings[key] for _, key in rows]
    shared = len(rows) - len({row for row, _ in rows})
    notes = [f"{shared} words share the row of another one"] if shared else []
    return _said(from_pair(words, np.asarray(data)[[row for row, _ in rows]], name, options), "spaCy vectors", notes)


def _said(space: Space, form: str, notes: Iterable[str]) -> Space:
    assert space.report is not None  # noqa: S101  # from_pair always says
    return replace(space, report=replace(space.report, format=form, notes=(*notes, *space.report.notes)))
