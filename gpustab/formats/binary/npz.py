"""NumPy's ``.npz``: a zip archive of arrays, of which one is the matrix of vectors and another may be its words."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, naming
from gpustab.formats.binary.npy import read_header, space_of_rows
from gpustab.formats.gensim.described import Described
from gpustab.formats.gensim.safe_pickle import describe_pickle
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format
from gpustab.formats.sniff import first_in_zip
from gpustab.formats.source import Source, check_unpacked, unpacked_blocks
from gpustab.formats.vocabulary_file import choose_matrix
from gpustab.spaces.space import Space
from gpustab.spaces.words import LONGEST_WORD, as_word

_SPARSE = {"indices", "indptr", "data", "shape"}
_BYTES_OF_CODES = 2
"""Of a number at most that may stand for another one, by a scale."""


class MemberRows:
    """The rows of one array in the archive, unpacked as they are read, each once and in order."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self.shape, fortran, self.dtype = read_header(path, file)
        self.order = "F" if fortran else "C"
        self._file = file
        self._whole: NDArray[Any] | None = None
        self._next = 0

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        """Read the rows ``[start:stop]``, those after the last that were read."""
        v, d = self.shape
        if self.order == "F" and len(self.shape) > 1:  # each column lies together: no row is whole before the last
            if self._whole is None:
                self._whole = self._values(v * d).reshape(v, d, order="F")
            return self._whole[rows]
        start, stop, _ = rows.indices(v)
        assert start == self._next  # noqa: S101  # rows are filled in from the first on
        self._next = stop
        return self._values((stop - start) * d).reshape(stop - start, d)

    def content(self) -> bytes:
        """Read all that follows the header, unless it is out of all proportion to the archive, or says it were."""
        says = math.prod(self.shape) * self.dtype.itemsize  # of objects a lower bound
        check_unpacked(self._path, says, self._path.stat().st_size)
        return b"".join(unpacked_blocks(self._path, self._file))

    def _values(self, count: int) -> NDArray[Any]:
        content = self._file.read(count * self.dtype.itemsize)
        if len(content) != count * self.dtype.itemsize:
            raise InputError(f"{self._path}: an array {self.shape} is cut")
        return np.frombuffer(content, self.dtype)


def read_npz(source: Source, options: LoadOptions) -> Space:
    """Read a ``.npz`` archive; nothing in it is executed, and the matrix is unpacked block by block.

    Raises:
        InputError: if the archive is packed again, damaged, or the matrix or its words cannot be told.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a NumPy archive within {source.compression}; unpack it once")
    with _opened(path) as archive, ExitStack() as members:
        names = {name.removesuffix(".npy"): name for name in archive.namelist() if name.endswith(".npy")}
        if names.keys() >= _SPARSE:
            raise InputError(
                f"{path}: this is a sparse matrix of SciPy's; save it densely: numpy.save(FILE, m.toarray())"
            )
        heads = {name: MemberRows(path, members.enter_context(archive.open(member))) for name, member in names.items()}
        matrices = (item for item in heads.items() if item[1].dtype.kind in "fiu" and len(item[1].shape) == 2)
        shapes = {name: one.shape for name, one in matrices if min(one.shape) > 0}
        lists = {name: words for name, one in heads.items() if (words := _words(one)) is not None}
        wide = [name for name, one in heads.items() if _width(one) > LONGEST_WORD]
        if wide and not lists and options.vocab is None:
            raise InputError(
                f"{path}, '{wide[0]}': it has room for {_width(heads[wide[0]]):,} characters a word, a word has "
                f"{LONGEST_WORD:,} bytes at most; if all are shorter, save them anew as numpy.array(words.tolist())"
            )
        matrix, found = choose_matrix(path, shapes, lists, options)
        with naming(path):
            _refuse_codes(matrix, heads)
            return space_of_rows(source, "NumPy archive", heads[matrix], found, options)


def _refuse_codes(matrix: str, heads: Mapping[str, MemberRows]) -> None:
    """Refuse whole numbers of few bits where an array beside them may be their scales: one, or one a row or column."""
    one = heads[matrix]
    if one.dtype.kind not in "iu" or one.dtype.itemsize > _BYTES_OF_CODES:
        return
    sizes = {1, *one.shape}
    beside = [name for name, other in heads.items() if name != matrix and other.dtype.kind in "fiu"]
    scales = [
        name
        for name in beside
        if math.prod(shape := heads[name].shape) in sizes
        and len(shape) <= len(one.shape)
        and (heads[name].dtype.kind == "f" or math.prod(shape) == 1)
    ]
    if scales:
        raise InputError(
            f"'{matrix}' is {one.dtype}, and '{scales[0]}' {heads[scales[0]].shape} beside it may be its scales: save "
            "the numbers that are meant, (codes - zero point) * scale, as float32"
        )


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    # RuntimeError: encrypted; NotImplementedError: packed in a way that is not known.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: the zip archive is cut or damaged: {error}") from error


def _width(one: MemberRows) -> int:
    """Return how many characters or bytes the longest text of an array of one dimension has, 0 of any other."""
    text = one.dtype.kind in "US" and len(one.shape) == 1
    return one.dtype.itemsize // np.dtype((one.dtype.kind, 1)).itemsize if text else 0


def _words(one: MemberRows) -> list[bytes] | None:
    """Return the words of an array of text of one dimension, ``None`` for any other."""
    if len(one.shape) != 1 or _width(one) > LONGEST_WORD:
        return None
    if one.dtype.kind in "US":
        array = np.frombuffer(one.content(), one.dtype, one.shape[0])
        return [as_word(value) for value in array.tolist()]
    if one.dtype.kind != "O":
        return None
    root, _ = describe_pickle(one.content())
    match root:
        case Described(state=(*_, list() as values)) if all(isinstance(value, str) for value in values):
            return [as_word(value) for value in values]
    return None


NPZ = Format("NumPy archive", matches=lambda head: first_in_zip(head).endswith(".npy"), read=read_npz)
