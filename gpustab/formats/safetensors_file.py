"""One space as one safetensors file, the form that run sets are made of.

Tensors: ``vectors (v, d)``, ``words (n_bytes,)`` uint8 with ``offsets (v + 1,)`` int64, and where known ``counts (v,)``
and ``draw (n,)`` int64. String metadata: key ``gpustab``, a JSON object. Nothing in such a file can run code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.atomic import replacing
from gpustab.formats.format import Format
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.safetensors_rows import SafetensorsRows, open_rows
from gpustab.formats.source import Source
from gpustab.formats.words import name_of
from gpustab.space import LoadReport, Space
from gpustab.vocabulary import Vocabulary, show

METADATA_KEY = "gpustab"


def is_safetensors(head: bytes) -> bool:
    """Tell a safetensors file by its start: eight bytes of header length, then JSON.

    >>> is_safetensors((2).to_bytes(8, "little") + b"{}"), is_safetensors(b"the 0.1 {")
    (True, False)
    """
    # The format limits the header to 100 MB (safetensors' README, "Format").
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= 100_000_000


def read_safetensors(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read a space; the options ``limit``, ``dim`` and ``drop_nonfinite`` apply.

    Raises:
        InputError: if the file is cut, a tensor is missing or misshapen, a word repeats, or a row is not finite.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a safetensors file within gzip cannot be mapped; unpack it first")
    with open_rows(path) as rows:
        v, d = rows.shape
        if options.dim not in (None, d):
            raise InputError(f"{path}: the vectors have {d} dimensions, but dim={options.dim} was asked for")
        kept = min(v, options.limit or v)
        words, vectors = _read_words(rows)[:kept], rows[:kept].contiguous()
        counts = _read_counts(rows)
        draw = rows.tensor("draw", torch.int64) if "draw" in rows.names else None
        metadata = read_metadata(rows)
        notes = list(_notes(rows, kept))
    finite = torch.isfinite(vectors).all(dim=1)
    counts = counts if counts is None else counts[:kept]
    if not finite.all():
        notes.append(_drop_or_refuse(words, finite, path, options))
        words = [word for word, keep in zip(words, finite.tolist(), strict=True) if keep]
        vectors = vectors[finite]
        counts = counts if counts is None else counts[finite]
    report = LoadReport(source=str(path), format="safetensors", rows=kept, notes=tuple(notes))
    return Space(Vocabulary(words), vectors, counts, name_of(path), metadata, draw, report)


def write_safetensors(space: Space, path: str | os.PathLike[str]) -> None:
    """Write a space with all that it has, except its name and report; the file appears whole or not at all.

    Args:
        space: words, ``(v, d)`` vectors, and where known counts, draw and metadata.
        path: the file to write.

    Raises:
        InputError: if the metadata is not JSON, or the file cannot be written.
    """
    words, offsets = space.vocabulary.to_tensors()
    tensors = {"vectors": space.vectors.to(torch.float32), "words": words, "offsets": offsets}
    for name, tensor in (("counts", space.counts), ("draw", space.draw)):
        if tensor is not None:
            tensors[name] = tensor.to(torch.int64)
    try:
        metadata = json.dumps(space.metadata, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: the metadata cannot be written as JSON: {error}") from error
    with replacing(path) as temporary:
        # contiguous().cpu(): a view or a tensor on a GPU has no bytes that could be written as they are.
        save_file({n: t.detach().contiguous().cpu() for n, t in tensors.items()}, temporary, {METADATA_KEY: metadata})


def _read_words(rows: SafetensorsRows) -> list[bytes]:
    buffer, offsets = rows.tensor("words", torch.uint8), rows.tensor("offsets", torch.int64)
    try:
        vocabulary = Vocabulary.from_tensors(buffer, offsets)
    except InputError as error:
        raise InputError(f"{rows.path}: {error}") from error
    if len(vocabulary) != len(rows):
        raise InputError(f"{rows.path}: there are {len(vocabulary)} words, but {len(rows)} vectors")
    return list(vocabulary)


def _read_counts(rows: SafetensorsRows) -> Tensor | None:
    if "counts" not in rows.names:
        return None
    counts = rows.tensor("counts", torch.int64)
    if len(counts) != len(rows):
        raise InputError(f"{rows.path}: there are {len(counts)} counts, but {len(rows)} vectors")
    return counts


def read_metadata(rows: SafetensorsRows) -> dict[str, Any]:
    """Return what the maker of a space recorded, without reading its vectors.

    Raises:
        InputError: if it is no JSON object.
    """
    try:
        metadata = json.loads(rows.metadata.get(METADATA_KEY, "{}"))
    except json.JSONDecodeError as error:
        raise InputError(f"{rows.path}: the metadata '{METADATA_KEY}' is no JSON: {error}") from error
    if not isinstance(metadata, dict):
        raise InputError(f"{rows.path}: the metadata '{METADATA_KEY}' is no JSON object")
    return metadata


def _notes(rows: SafetensorsRows, kept: int) -> Iterator[str]:
    if rows.dtype != "F32":
        yield f"the vectors were converted from {rows.dtype} to float32"
    if unknown := sorted(set(rows.names) - {"vectors", "words", "offsets", "counts", "draw"}):
        yield f"{len(unknown)} tensor(s) of unknown meaning were not read: {', '.join(unknown[:3])}"
    if kept < len(rows):
        yield f"limit={kept}: {len(rows) - kept} of {len(rows)} rows were not read"


def _drop_or_refuse(words: list[bytes], finite: Tensor, path: Path, options: LoadOptions) -> str:
    count, first = int((~finite).sum()), int((~finite).nonzero()[0])
    what = f"{count} row(s) with values that are not finite in float32: '{show(words[first])}' in row {first}"
    if not options.drop_nonfinite:
        raise InputError(f"{path}: {what}; drop_nonfinite leaves such words out")
    return f"drop_nonfinite: left out {what}"


SAFETENSORS = Format("safetensors", matches=is_safetensors, read=read_safetensors)
