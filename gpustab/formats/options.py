"""The choices that a reader may be given; each turns one refusal into a recorded decision."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gpustab.errors import InputError
from gpustab.spaces.vocabulary import as_word


@dataclass(frozen=True)
class LoadOptions:
    """How a file is to be read.

    Attributes:
        limit: read at most this many rows (the first ones), per file.
        words: read these words only; text or bytes, kept as a frozen set of bytes.
        dim: number of dimensions, where the file does not settle it.
        header: ``True``/``False`` to insist on or deny a header line, ``None`` to find out.
        keep_duplicate: which row of a word that occurs twice is kept; ``"error"`` refuses the file.
        allow_count_mismatch: accept fewer rows than the header declares.
        allow_truncated: accept the complete rows of a damaged or cut file.
        drop_nonfinite: leave out words whose vector is not finite instead of refusing the file.
        skip_empty_tokens: leave out rows whose word is empty instead of refusing the file.
        vocab: file of the words, one a line, for formats that hold vectors alone (``.npy``, foreign safetensors);
            default: the one that lies beside the file.
        tensor: name of the tensor that holds the vectors of a safetensors file.

    Raises:
        InputError: if ``limit`` or ``dim`` is less than 1, ``keep_duplicate`` is none of its three words, or ``words``
            is one word instead of several.
    """

    limit: int | None = None
    words: Iterable[str | bytes] | None = None
    dim: int | None = None
    header: bool | None = None
    keep_duplicate: Literal["first", "last", "error"] = "first"
    allow_count_mismatch: bool = False
    allow_truncated: bool = False
    drop_nonfinite: bool = False
    skip_empty_tokens: bool = False
    vocab: str | os.PathLike[str] | None = None
    tensor: str = "vectors"

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("dim", self.dim)):
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}, wanted a whole number from 1 upwards")
        if self.keep_duplicate not in ("first", "last", "error"):
            raise InputError(f"keep_duplicate is {self.keep_duplicate!r}, wanted 'first', 'last' or 'error'")
        if isinstance(self.words, str | bytes):
            raise InputError(f"words is {self.words!r}, wanted several words")
        if self.words is not None:
            object.__setattr__(self, "words", frozenset(map(as_word, self.words)))

    @property
    def wanted(self) -> frozenset[bytes] | None:
        """The words to read, or ``None`` for all of them."""
        return self.words if isinstance(self.words, frozenset) else None


DEFAULTS = LoadOptions()
