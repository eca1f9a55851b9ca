"""The choices that a reader may be given; each turns one refusal into a recorded decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpustab.errors import InputError


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

    Raises:
        InputError: if ``limit`` or ``dim`` is less than 1, or ``keep_duplicate`` is none of its three words.
    """

    limit: int | None = None
    dim: int | None = None
    header: bool | None = None
    keep_duplicate: Literal["first", "last", "error"] = "first"
    allow_count_mismatch: bool = False
    allow_truncated: bool = False
    drop_nonfinite: bool = False
    skip_empty_tokens: bool = False

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("dim", self.dim)):
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}, wanted a whole number from 1 upwards")
        if self.keep_duplicate not in ("first", "last", "error"):
            raise InputError(f"keep_duplicate is {self.keep_duplicate!r}, wanted 'first', 'last' or 'error'")


DEFAULTS = LoadOptions()
