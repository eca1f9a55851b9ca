"""Output vectors of a full model of gensim's, which its word vectors leave out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gpustab.errors import InputError, naming
from gpustab.formats.binary.npy import Matrix
from gpustab.formats.gensim.described import Described, attributes_of
from gpustab.formats.gensim.native import Model, is_pickle
from gpustab.formats.gensim.safe_pickle import describe_pickle
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.source import open_source
from gpustab.spaces.space import Space


def read_output_vectors(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Space:
    """Read output vectors: of a full model of gensim's its ``syn1neg``; any other file of vectors holds them as such.

    Raises:
        InputError: if the file cannot be read, or is a file of gensim's without output vectors.
    """
    options = options or LoadOptions()
    with open_source(path) as source:
        if not is_pickle(source.head):
            return read_space(path, options)
        with naming(path):
            content = source.map()
            root, _ = describe_pickle(b"".join(source.blocks()) if content is None else memoryview(content))
            if not (isinstance(root, Described) and root.kind.module.partition(".")[0] == "gensim"):
                raise InputError("this is a pickle and no model of gensim's")
            return _OutputModel(source.path, root).space(source, options)


class _OutputModel(Model):
    """The words of a full model with its output vectors."""

    def __init__(self, path: Path, root: Described) -> None:
        super().__init__(path, root)
        self._whole: dict[str, Any] = attributes_of(root)

    def _matrix(self) -> Matrix:
        inner, prefix = self._attributes, self._prefix
        self._attributes, self._prefix = self._whole, self.path.name
        found = self._array("syn1neg")
        self._attributes, self._prefix = inner, prefix
        if found is None:
            raise InputError(
                f"this {self.kind}{self._generation} has no output vectors (syn1neg); a full Word2Vec or FastText "
                "model that was trained with negative samples has them"
            )
        return found
