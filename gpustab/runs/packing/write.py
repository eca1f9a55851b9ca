"""Writing one run: a look at every value, then its rows in the canonical order, rounded, whole, with its checksum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError, naming, option
from gpustab.formats.atomic import make_folder
from gpustab.formats.binary.safetensors import METADATA_KEY
from gpustab.formats.binary.stored import StoredSpace
from gpustab.formats.binary.tensors import Part, write_tensors
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.unusual import Values
from gpustab.runs.packing.order import Order
from gpustab.runs.packing.output import writing
from gpustab.runs.packing.request import Opened
from gpustab.runs.plan import take_rows
from gpustab.spaces.words import show


class UndefinedError(Exception):
    """A run has a zero vector for a word of which this was not known when the order was found."""


class Scan(NamedTuple):
    """What is known of each row of a run.

    Attributes:
        raw: ``(v,)`` float64 lengths of the rows as they are.
        stored: ``(v,)`` likewise as they are stored; infinite where a value is beyond the type.
        errors: ``(v,)`` lengths of what rounding changes, by those of the rows.
        notes: what a reader would say of the values.
    """

    raw: Tensor
    stored: Tensor
    errors: Tensor
    notes: tuple[str, ...]


def scan(space: StoredSpace, dtype: torch.dtype, options: LoadOptions) -> Scan:
    """Look at every row of a run.

    Args:
        space: the run.
        dtype: how its vectors are to be stored.
        options: how it is read.

    Raises:
        InputError: if a value is not finite in float32; the message lacks the file's name.
    """
    values, v = Values(options, "in row"), len(space.words)
    raw, stored, errors = (torch.zeros(v, dtype=torch.float64, device="cpu") for _ in range(3))
    # One buffer for all pieces: new memory for each would take three times as long as all that is done here.
    buffer = torch.empty(space.step, space.dimension, dtype=torch.float64, device="cpu")
    for part in space.parts(len(buffer)):
        rows = space.rows[part]
        wide = buffer[: len(rows)].copy_(rows)
        torch.linalg.vector_norm(wide, dim=1, out=raw[part])
        # No value is larger than the row is long.
        values.choose(space.words[part], rows.numpy(), range(v)[part], float(raw[part].max()))
        if dtype != torch.float32:
            back = rows.to(dtype).double()
            stored[part] = torch.linalg.vector_norm(back, dim=1)
            errors[part] = torch.linalg.vector_norm(back - wide, dim=1) / raw[part].where(raw[part] > 0, 1)
    if values.nonfinite.count:
        raise InputError(f"{values.describe_nonfinite()}; {option('drop_nonfinite')} leaves such words out")
    return Scan(raw, raw if dtype == torch.float32 else stored, errors, tuple(values.notes()))


def write_packed(
    opened: Opened, order: Order, run: int, path: Path, *, dtype: torch.dtype, with_presence: bool, options: LoadOptions
) -> dict[str, Any]:
    """Write a run in the canonical order.

    Tensors: ``vectors (v, d)`` raw, zero where the run lacks the word; ``lengths (v,)`` of these rows in float64, which
    spare the opening a pass over them; ``words`` and ``offsets``, the same in every run; where known its own
    ``counts (v,)`` and ``draw (n,)``; under the union rule ``present (v,)`` uint8, which tells an absent word from one
    whose vector was zero. Metadata as in every run file.

    Its values are read from disk once: a look at each, then, from memory, the gathering. No more of them is held than
    a piece of 2 MiB, in float32 and in float64.

    Args:
        opened: the run.
        order: of the group.
        run: its number.
        path: the file.
        dtype: how vectors are stored.
        with_presence: whether to write ``present``.
        options: how it is read.

    Returns:
        ``{"file", "bytes", "sha256", "dimension", "rounding", "notes"}``: ``rounding`` is the largest
        ``‖stored − raw‖ / ‖raw‖``, ``notes`` are on the values.

    Raises:
        InputError: if a value is not finite, or a value or a vector does not survive the dtype.
        UndefinedError: for a zero vector in a run that was not looked at for them.
        ComputationError: if the file cannot be written.
    """
    space, rows = opened.space, order.rows(run)
    with naming(opened.report.source):
        found = scan(space, dtype, DEFAULTS if opened.checked else options)
        _check_survival(space, rows, found, dtype)
    taken = rows[rows >= 0]
    if not order.looked[run] and (found.raw[taken] == 0).any():
        raise UndefinedError
    parts = {
        "vectors": Part((len(rows), space.dimension), dtype, _gathered(space, rows, dtype)),
        "words": Part.of(order.words.buffer),
        "offsets": Part.of(order.words.offsets),
        "lengths": Part.of(take_rows(found.stored[:, None], rows)[:, 0]),
    }
    if space.counts is not None:
        parts["counts"] = Part.of(take_rows(space.counts[:, None], rows)[:, 0])
    if space.draw is not None:
        parts["draw"] = Part.of(space.draw)
    if with_presence:
        parts["present"] = Part.of((rows >= 0).to(torch.uint8))
    metadata = {METADATA_KEY: json.dumps(space.metadata, sort_keys=True)}
    with writing(path):
        make_folder(path.parent)
        size, digest = write_tensors(parts, path, metadata)
    return {
        "file": path.name,
        "bytes": size,
        "sha256": digest,
        "dimension": space.dimension,
        "rounding": float(found.errors[taken].max()) if len(taken) else 0.0,
        "notes": [] if opened.checked else found.notes,
    }


def _gathered(space: StoredSpace, rows: Tensor, dtype: torch.dtype) -> Iterator[Tensor]:
    """Yield the chosen rows ``(v,)`` piece by piece, zero where the row number is −1."""
    buffer = torch.empty(space.step, space.dimension, device="cpu")
    for some in rows.split(len(buffer)):
        piece = space.rows.take(some.clamp(min=0), buffer[: len(some)])
        if (lacking := some < 0).any():
            piece[lacking] = 0
        yield piece.to(dtype)


def _check_survival(space: StoredSpace, rows: Tensor, found: Scan, dtype: torch.dtype) -> None:
    """Refuse what the dtype cannot hold: values beyond it, and vectors that would become zero."""
    name, taken = str(dtype).removeprefix("torch."), rows[rows >= 0]
    if len(beyond := taken[~found.stored[taken].isfinite()]):
        row = int(beyond[0])
        raw = space.rows[row : row + 1][0]
        value = float(raw[~raw.to(dtype).isfinite()][0])
        raise InputError(
            f"'{show(space.words[row])}' has the value {value:g}, "
            f"beyond {name} ({torch.finfo(dtype).max:g} at most); float32 holds it"
        )
    if len(lost := taken[(found.stored[taken] == 0) & (found.raw[taken] > 0)]):
        row = int(lost[0])
        raise InputError(
            f"'{show(space.words[row])}' has no value above {float(space.rows[row : row + 1].abs().max()):g}: "
            f"in {name} it would become zero; float32 holds it"
        )
