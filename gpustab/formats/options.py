"""The choices that a reader may be given; each turns one refusal into a recorded decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LoadOptions:
    """How a file is to be read.

    Attributes:
        limit: read at most this many rows (the first ones), per file.
        dim: number of dimensions, where the file does not settle it.
        header: ``True``/``False`` to insist on or deny a header line, ``None`` to find out.
        keep_duplicate: which row of a word that occurs twice is kept; ``"error"`` refuses the file.
        allow_count_mismatch: accept fewer rows than the header declares.
        allow_truncated: accept the complete rows of a damaged or cut file.
        drop_nonfinite: leave out words whose vector is not finite instead of refusing the file.
        skip_empty_tokens: leave out rows whose word is empty instead of refusing the file.
    """

    limit: int | None = None
    dim: int | None = None
    header: bool | None = None
    keep_duplicate: Literal["first", "last", "error"] = "first"
    allow_count_mismatch: bool = False
    allow_truncated: bool = False
    drop_nonfinite: bool = False
    skip_empty_tokens: bool = False
