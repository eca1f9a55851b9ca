"""A space whose vectors stay where they are in its file, float32, each of them anywhere."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from gpustab.spaces.load_report import LoadReport
from gpustab.spaces.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Placed:
    """What reading such a file found: all that a space has, but for its vectors.

    Attributes:
        vocabulary: the ``v`` words.
        places: ``(v,)`` int64 bytes of the file at which the vectors start.
        dimension: number of values ``d`` of each.
        name: see :class:`gpustab.spaces.space.Space`.
        report: likewise.
    """

    vocabulary: Vocabulary
    places: Tensor
    dimension: int
    name: str
    report: LoadReport


class PlacedRows:
    """The vectors of such a space, read when somebody asks for them.

    Args:
        path: the file.
        places: ``(v,)`` int64 bytes at which they start.
        dimension: number of values of each.

    Attributes:
        path: the file.
        shape: ``(v, d)``.
    """

    def __init__(self, path: Path, places: Tensor, dimension: int) -> None:
        self.path = path
        self.shape = (len(places), dimension)
        self._places = places
        with path.open("rb") as file:
            # A copy in name only, as nobody writes: torch wants memory that could be written to.
            content = torch.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), dtype=torch.uint8)
        # Each byte begins a row of this view, of which those of the vectors are copied.
        self._content = content.as_strided((len(content) - 4 * dimension + 1, 4 * dimension), (1, 1))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Tensor:
        """Return a copy of the rows ``[start:stop]``, ``(stop - start, d)`` float32."""
        places = self._places[rows]
        return self._copy(places, torch.empty(len(places), self.shape[1]))

    def take(self, rows: Tensor, out: Tensor) -> Tensor:
        """Copy rows ``(n,)`` into ``out``, ``(n, d)`` float32, and return it."""
        return self._copy(self._places[rows], out)

    def _copy(self, places: Tensor, out: Tensor) -> Tensor:
        torch.index_select(self._content, 0, places, out=out.view(torch.uint8))
        return out
