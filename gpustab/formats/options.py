"""The choices that a reader may be given; each turns one refusal into a recorded decision."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.formats.word_list import read_word_list
from gpustab.options import Option
from gpustab.spaces.words import as_word


@dataclass(frozen=True)
class LoadOptions:
    """How a file is to be read.

    Attributes:
        limit: read at most this many rows (the first ones), per file.
        only: read these words only; text or bytes, kept as a frozen set of bytes.
        dim: number of dimensions, where the file does not settle it.
        header: ``True``/``False`` to insist on or deny a header line, ``None`` to find out.
        keep_duplicate: which row of a word that occurs twice is kept; ``"error"`` refuses the file.
        allow_count_mismatch: accept fewer rows than the header declares.
        allow_truncated: accept the complete rows of a damaged or cut file.
        allow_misread: accept a word2vec binary file without newlines whose rows look as if they began elsewhere.
        drop_nonfinite: leave out words whose vector is not finite instead of refusing the file.
        allow_padding: leave out the rows of a matrix that come after its last word, instead of refusing the file.
        skip_empty_tokens: leave out rows whose word is empty instead of refusing the file.
        vocab: file of the words, one a line, for formats that hold vectors alone (``.npy``, foreign safetensors) or
            several lists of words; default: those in the file, or the file that lies beside it.
        tensor: name of the tensor that holds the vectors of a safetensors, PyTorch or ``.npz`` file or a checkpoint;
            ``"dv"`` reads the vectors of documents of gensim's Doc2Vec.
        word_column: name, or number from 1 upwards, of the column that holds the words of a table (CSV, Parquet).

    Raises:
        InputError: if ``limit`` or ``dim`` is less than 1, ``keep_duplicate`` is none of its three words, or ``only``
            is one word instead of several.
    """

    limit: Annotated[int | None, Option("Read at most N rows of each file, before joining.", low=1)] = None
    only: Annotated[
        Iterable[str | bytes] | None,
        Option("Read only these words, one a line.", metavar="FILE", parse=read_word_list),
    ] = None
    dim: Annotated[int | None, Option("Dimensions of text files that do not settle them.", low=1)] = None
    header: Annotated[bool | None, Option("Text files have a header line, or none.", ("--header/--no-header",))] = None
    vocab: Annotated[
        str | os.PathLike[str] | None,
        Option("Words of files that hold none, one a line; default the file beside.", metavar="FILE", parse=Path),
    ] = None
    tensor: Annotated[str, Option("Name of the vectors in safetensors, PyTorch and .npz files, checkpoints.")] = (
        "vectors"
    )
    word_column: Annotated[str | None, Option("Name or number of the column of words in tables.")] = None
    keep_duplicate: Annotated[Literal["first", "last", "error"], Option("Which row of a repeated word counts.")] = (
        "first"
    )
    allow_truncated: Annotated[bool, Option("Take the whole rows of a cut or damaged file.")] = False
    allow_count_mismatch: Annotated[bool, Option("Take fewer rows than the header declares.")] = False
    allow_misread: Annotated[bool, Option("Take binary rows that look as if they began elsewhere.")] = False
    drop_nonfinite: Annotated[bool, Option("Leave out words whose vector has NaN or infinity.")] = False
    allow_padding: Annotated[bool, Option("Leave out rows after the last word, as models pad tables.")] = False
    skip_empty_tokens: Annotated[bool, Option("Leave out rows whose word is empty.")] = False

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("dim", self.dim)):
            if value is not None and value < 1:
                raise InputError(f"{option(name)} is {value}, wanted a whole number from 1 upwards")
        if self.keep_duplicate not in ("first", "last", "error"):
            raise InputError(
                f"{option('keep_duplicate')} is {self.keep_duplicate!r}, wanted 'first', 'last' or 'error'"
            )
        if isinstance(self.only, str | bytes):
            raise InputError(f"{option('only')} is {self.only!r}, wanted several words")
        if self.only is not None:
            object.__setattr__(self, "only", frozenset(map(as_word, self.only)))

    @property
    def given(self) -> list[str]:
        """Names of the options that are not at their defaults."""
        return [field.name for field in fields(self) if getattr(self, field.name) != field.default]

    def want_only(self, names: Collection[str], what: str) -> None:
        """Refuse options that mean nothing here.

        Args:
            names: those that do.
            what: is read, as the end of a sentence.

        Raises:
            InputError: naming the first other one that was given.
        """
        if others := [name for name in self.given if name not in names]:
            raise InputError(f"{option(others[0])} is of no use for {what}")

    @property
    def wanted(self) -> frozenset[bytes] | None:
        """The words to read, or ``None`` for all of them."""
        return self.only if isinstance(self.only, frozenset) else None


DEFAULTS = LoadOptions()
