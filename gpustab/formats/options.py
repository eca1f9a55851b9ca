"""The choices that a reader may be given; each turns one refusal into a recorded decision."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from gpustab.errors import InputError, marked, option
from gpustab.formats.parsed import parse_json
from gpustab.formats.plain_text import DamagedError, as_utf8, read_content
from gpustab.installing import install
from gpustab.options import Option, Options
from gpustab.spaces.words import as_word, readings, unguarded, unshown

_WORD, _PARQUET = "word", b"PAR1"
"""Of the tables that gpustab writes: the column of words."""
_COMMA = re.compile(r"(?<=[^\s,;])(?:,(?!\d)|;)(?![,;]|$)")
"""After a word of one line; a number may have a comma in it."""
_PHRASE = 3
"""Words of an item of a list in one line, at most; of longer ones there are few."""
_ENDS = (".", "!", "?", ":")
"""So end sentences."""


def read_word_list(path: str | os.PathLike[str]) -> list[bytes]:
    """Read words, one a line, as bytes, packed or not; a CR at line ends is dropped.

    It is UTF-8, or UTF-16 or UTF-32 with its mark. One line with commas or semicolons is a list, and so is JSON.

    A table that gpustab wrote, CSV or Parquet with a column ``word``, gives the words of that column. Lines that were
    copied from one may be as it shows words, see :func:`gpustab.spaces.words.readings`.

    Raises:
        InputError: if the file cannot be read, is not UTF-8, or holds no word.
    """
    content = read_content(path)
    if content.startswith(_PARQUET):
        found = _of_parquet(path)
    else:
        try:
            text = as_utf8(content, path)
        except DamagedError as error:
            raise InputError(f"{marked(error)}; a byte of vectors that are not UTF-8 is written \\xE9") from None
        header = next(csv.reader([text.partition("\n")[0].rstrip("\r")]), [])
        if len(header) > 1 and _WORD in header:
            found = [unshown(unguarded(row[_WORD] or "")) for row in csv.DictReader(io.StringIO(text, newline=""))]
        else:
            found = [as_word(word) for word in _listed(text) or [line.removesuffix("\r") for line in text.split("\n")]]
    words = list(dict.fromkeys(filter(None, found)))
    if not words:
        raise InputError(f"{path}: no words in this file")
    return words


def _listed(text: str) -> list[str]:
    """Return the words of a list in one line, or in JSON; none of a text that has one word a line.

    A line that ends as sentences do, or half of whose parts are long, is one item.
    """
    if text.lstrip().startswith("["):
        with suppress(ValueError):
            if (found := parse_json(text)) and isinstance(found, list) and all(isinstance(one, str) for one in found):
                return found
    line = text.strip()
    words = [] if "\n" in line else [word for one in _COMMA.split(line) if (word := one.strip(' \t",;'))]
    lengths = [len(word.split()) for word in words]
    short = max(lengths, default=0) <= _PHRASE and not line.endswith(_ENDS)
    return words if len(words) > 1 and (short or 2 * sum(n > 1 for n in lengths) < len(words)) else []


def _of_parquet(path: str | os.PathLike[str]) -> list[bytes]:
    try:
        from pyarrow.parquet import read_table
    except ImportError:
        raise InputError(f"{path}: Parquet needs pyarrow: {install('report')}") from None
    table = read_table(path)
    if _WORD not in table.column_names:
        raise InputError(f"{path}: there is no column '{_WORD}'; columns are {', '.join(table.column_names[:12])}")
    return [unshown(word) for word in table.column(_WORD).to_pylist() if word is not None]


@dataclass(frozen=True)
class LoadOptions(Options):
    """How a file is to be read.

    Attributes:
        limit: read at most this many rows of each file, the first ones, before runs are joined.
        only: read only these words (a file of them, one a line); the library takes text or bytes, and keeps a frozen
            set of bytes.
        dim: number of dimensions, where a text file does not settle it.
        header: whether text files have a header line; default: found out.
        vocab: file of the words, one a line, for formats that hold vectors alone (``.npy``, foreign safetensors) or
            several lists of words; default: those in the file, or the file that lies beside it.
        tensor: name of the tensor that holds the vectors of a safetensors, PyTorch or ``.npz`` file or a checkpoint;
            of gensim's full models, ``"dv"`` reads vectors of documents, ``"syn1neg"`` output vectors.
        word_column: name, or number from 1 upwards, of the column that holds the words of a table (CSV, Parquet).
        keep_duplicate: which row of a word that occurs twice is kept; ``"error"`` refuses the file.
        allow_truncated: accept the complete rows of a damaged or cut file.
        allow_count_mismatch: accept fewer rows than the header declares.
        allow_misread: accept a word2vec binary file without newlines whose rows look as if they began elsewhere.
        drop_nonfinite: leave out words whose vector has NaN or infinity instead of refusing the file.
        allow_padding: leave out the rows of a matrix that come after its last word, as models pad their tables, instead
            of refusing the file.
        skip_empty_tokens: leave out rows whose word is empty instead of refusing the file.
    """

    limit: Annotated[int | None, Option(low=1)] = None
    only: Annotated[Iterable[str | bytes] | None, Option(metavar="FILE", parse=read_word_list)] = None
    dim: Annotated[int | None, Option(low=1)] = None
    header: Annotated[bool | None, Option(flags=("--header/--no-header",))] = None
    vocab: Annotated[str | os.PathLike[str] | None, Option(metavar="FILE", parse=Path, reads=True)] = None
    tensor: str = "vectors"
    word_column: str | None = None
    keep_duplicate: Literal["first", "last", "error"] = "first"
    allow_truncated: bool = False
    allow_count_mismatch: bool = False
    allow_misread: bool = False
    drop_nonfinite: bool = False
    allow_padding: bool = False
    skip_empty_tokens: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
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

    @cached_property
    def wanted(self) -> frozenset[bytes] | None:
        """The words to read, or ``None`` for all of them."""
        if not isinstance(self.only, frozenset):
            return None
        return frozenset(one for word in self.only for one in readings(word))


DEFAULTS = LoadOptions()
