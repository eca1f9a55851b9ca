"""Single runs: from a file, or from an object in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.memory import from_keyed_vectors
from gpustab.formats.objects import from_object
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.machine.device import log
from gpustab.machine.threads import in_order
from gpustab.spaces.space import Space

Source = Any
"""A path (file, checkpoint, leaf, run set), KeyedVectors, what :func:`from_object` takes, or a :class:`Space`."""


def load_space(source: Source, options: LoadOptions | None = None, *, number: int = 0) -> Space:
    """Return one run from a file or an object in memory.

    Args:
        source: a path, :class:`Space`, ``KeyedVectors`` (or a model with ``.wv``), ``(words, array)``, or another
            object of :func:`gpustab.formats.objects.from_object`.
        options: how a file is read; of an object in memory, which of its rows are taken. What cannot apply is refused.
        number: used to name an object that has no name.

    Raises:
        InputError: if the source cannot be used; the message names the place.
    """
    options = options or LoadOptions()
    name = f"run-{number:03d}"
    if isinstance(source, Space):
        options.want_only((), f"{source.name}, which is read already")
        return source
    if isinstance(source, str | os.PathLike):
        space = read_space(Path(source), options)
        log.info("%s", space.report)
        return space
    if hasattr(source, "index_to_key") or hasattr(source, "wv"):
        return from_keyed_vectors(source, name, options)
    if (made := from_object(source, name, options)) is not None:
        return made
    raise InputError(
        f"source {number} is a {type(source).__name__}; wanted a path, KeyedVectors, a (words, array) pair, a dict of "
        "word and vector, or a data frame"
    )


def load_spaces(sources: Sequence[Source], options: LoadOptions, jobs: int | None) -> Iterator[Space]:
    """Yield the runs in order; they are read by threads, of which NumPy and the decompressors let several work."""
    numbered = list(enumerate(sources))
    yield from in_order(lambda source: load_space(source[1], options, number=source[0]), numbered, jobs)
