"""The look at every value of a run before it is packed, in the order in which they lie on the disk."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.binary.stored import StoredSpace
from gpustab.formats.options import LoadOptions
from gpustab.formats.unusual import Values

STEP = 1 << 21
"""Bytes of a piece in float32; of 1 to 2 MiB, what is done to it next finds it in the processor's cache."""


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
    raw, stored, errors = (torch.zeros(v, dtype=torch.float64) for _ in range(3))
    # One buffer for all pieces: new memory for each would take three times as long as all that is done here.
    buffer = torch.empty(step(space.dimension), space.dimension, dtype=torch.float64)
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


def step(dimension: int) -> int:
    """Return how many rows a piece has."""
    return max(1, STEP // (4 * dimension))
