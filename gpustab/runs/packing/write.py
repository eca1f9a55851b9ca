"""Writing one run: its rows in the canonical order, rounded, whole or not at all, with its checksum."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from gpustab.errors import InputError, marked
from gpustab.formats.atomic import replacing
from gpustab.formats.binary.safetensors import METADATA_KEY
from gpustab.runs.packing.output import checksum, writing
from gpustab.runs.plan import take_rows
from gpustab.runs.prepare import row_lengths
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary

_STEP = 1 << 14


def write_packed(
    space: Space, vocabulary: Vocabulary, rows: Tensor, path: Path, *, dtype: torch.dtype, with_presence: bool
) -> dict[str, Any]:
    """Write a run in the canonical order.

    Tensors: ``vectors (v, d)`` raw, zero where the run lacks the word; ``lengths (v,)`` of these rows in float64, which
    spare the opening a pass over them; ``words`` and ``offsets``, the same in every run; where known its own
    ``counts (v,)`` and ``draw (n,)``; under the union rule ``present (v,)`` uint8, which tells an absent word from one
    whose vector was zero. Metadata as in every run file.

    Args:
        space: the run.
        vocabulary: the ``v`` words in order.
        rows: ``(v,)`` their row numbers in the run, −1 where it lacks the word.
        path: the file.
        dtype: how vectors are stored.
        with_presence: whether to write ``present``.

    Returns:
        ``{"file", "bytes", "sha256", "dimension", "rounding"}``; see :func:`rounded` for the last.

    Raises:
        InputError: if a value or a vector does not survive the dtype.
        ComputationError: if the file cannot be written.
    """
    try:
        vectors, rounding = rounded(space.vectors, rows, dtype, vocabulary)
    except InputError as error:
        raise InputError(f"{space.report.source if space.report else space.name}: {marked(error)}") from None
    words, offsets = vocabulary.to_tensors()
    tensors = {"vectors": vectors, "words": words, "offsets": offsets, "lengths": row_lengths(vectors)}
    if space.counts is not None:
        tensors["counts"] = take_rows(space.counts[:, None], rows)[:, 0].contiguous()
    if space.draw is not None:
        tensors["draw"] = space.draw
    if with_presence:
        tensors["present"] = (rows >= 0).to(torch.uint8)
    metadata = {METADATA_KEY: json.dumps(space.metadata, sort_keys=True)}
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            save_file(tensors, temporary, metadata)
            size, digest = temporary.stat().st_size, checksum(temporary)
    return {"file": path.name, "bytes": size, "sha256": digest, "dimension": space.dimension, "rounding": rounding}


def rounded(vectors: Tensor, rows: Tensor, dtype: torch.dtype, vocabulary: Vocabulary) -> tuple[Tensor, float]:
    """Return the chosen rows in a dtype, and the largest ``‖stored − raw‖ / ‖raw‖`` over them.

    Args:
        vectors: ``(v_r, d)`` float32.
        rows: ``(v,)`` row numbers, −1 for a row of zeros.
        dtype: of the result.
        vocabulary: the ``v`` words, for messages.

    Raises:
        InputError: if a value becomes infinite, or a vector zero.

    >>> words = Vocabulary(["a", "b"])
    >>> stored, error = rounded(torch.tensor([[1 / 3], [2.0]]), torch.tensor([1, 0]), torch.float16, words)
    >>> stored.tolist(), round(error, 5)
    ([[2.0], [0.333251953125]], 0.00024)
    """
    stored = torch.empty(len(rows), vectors.shape[1], dtype=dtype)
    largest = 0.0
    for start in range(0, len(rows), _STEP):
        raw = take_rows(vectors, rows[start : start + _STEP])
        stored[start : start + _STEP] = raw
        if dtype == torch.float32:
            continue
        back = stored[start : start + _STEP].double()
        _check_survival(raw, back, dtype, vocabulary, start)
        length = torch.linalg.vector_norm(raw.double(), dim=1)
        error = torch.linalg.vector_norm(back - raw, dim=1)[length > 0] / length[length > 0]
        largest = max(largest, float(error.max()) if len(error) else 0.0)
    return stored, largest


def _check_survival(raw: Tensor, back: Tensor, dtype: torch.dtype, vocabulary: Vocabulary, start: int) -> None:
    name = str(dtype).removeprefix("torch.")
    if not back.isfinite().all():
        row, column = (int(i) for i in (~back.isfinite()).nonzero()[0])
        raise InputError(
            f"'{vocabulary.text(start + row)}' has the value {float(raw[row, column]):g}, "
            f"beyond {name} ({torch.finfo(dtype).max:g} at most); float32 holds it"
        )
    lost = raw.any(dim=1) & ~back.any(dim=1)
    if lost.any():
        row = int(lost.nonzero()[0])
        raise InputError(
            f"'{vocabulary.text(start + row)}' has no value above {float(raw[row].abs().max()):g}: "
            f"in {name} it would become zero; float32 holds it"
        )
