"""From raw rows to runs: which words are defined, the mean rows, the lengths; read once, one run at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from gpustab.runs.joining import Joining
from gpustab.runs.key import Key
from gpustab.runs.runs import Rows, Runs
from gpustab.spaces.vocabulary import Vocabulary

_STEP = 8192


def prepare(
    vocabulary: Vocabulary,
    rows: tuple[Rows, ...],
    names: tuple[str, ...],
    joining: Joining,
    *,
    key: Key = Key(),
    counts: Tensor | None = None,
    centre: bool = False,
    unit: bool = True,
    notes: tuple[str, ...] = (),
    lengths: Tensor | None = None,
) -> Runs:
    """Make :class:`Runs` of raw rows: find which words are defined, the means and the lengths, one run at a time.

    ``lengths`` are those of the raw rows, ``(R, v)``, where they are known; else all rows are read for them.
    """
    runs, v = len(rows), len(vocabulary)
    d = max(part.shape[1] for part in rows)
    if lengths is None:
        lengths = torch.stack([row_lengths(part) for part in rows])
    means = torch.zeros(runs, d, dtype=torch.float64)
    if centre:
        joint = (lengths > 0).all(0)
        for r, part in enumerate(rows):
            mean = _mean(part, joint)
            means[r, : len(mean)] = mean
            lengths[r] = torch.where(lengths[r] > 0, row_lengths(part, mean), 0)
    present = lengths > 0
    if joining.rule == "joint" and not present.all():
        lost = (~present.all(0)).nonzero().flatten().tolist()
        sample = tuple(vocabulary[k] for k in lost[:5])
        joining = replace(
            joining, undefined=joining.undefined + len(lost), undefined_sample=(joining.undefined_sample + sample)[:5]
        )
        present = present & present.all(0)
    widths = sorted({part.shape[1] for part in rows})
    if len(widths) > 1:
        notes += (f"The runs have {', '.join(map(str, widths))} dimensions; they are padded with zeros to {d}.",)
    lengths = lengths.masked_fill(~present, 1)
    assert lengths.shape == (runs, v)  # noqa: S101  # rows and vocabulary were joined together
    return Runs(vocabulary, rows, names, joining, present, means, lengths, key, counts, centre, unit, notes)


def _steps(rows: Rows) -> Iterator[slice]:
    return (slice(start, min(start + _STEP, rows.shape[0])) for start in range(0, rows.shape[0], _STEP))


def row_lengths(rows: Rows, mean: Tensor | None = None) -> Tensor:
    """Return ``(v,)`` float64 lengths of the rows less a mean row; a row equal to it up to rounding has none."""
    mean = torch.zeros(rows.shape[1], dtype=torch.float64) if mean is None else mean
    lengths = []
    for part in _steps(rows):
        raw = rows[part].cpu().double()
        scale = torch.linalg.vector_norm(raw, dim=1)
        length = torch.linalg.vector_norm(raw - mean, dim=1)
        lengths.append(length.masked_fill(length <= 1e-12 * scale, 0))
    return torch.cat(lengths)


def _mean(rows: Rows, joint: Tensor) -> Tensor:
    total = sum(rows[part].cpu().double()[joint[part]].sum(0) for part in _steps(rows))
    return torch.as_tensor(total) / joint.sum()
