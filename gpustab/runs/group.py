"""Groups of runs that are still to be loaded: many groups need not lie in memory at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any, overload

from gpustab.errors import InputError
from gpustab.formats.memory import from_keyed_vectors
from gpustab.formats.objects import from_object
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.machine.device import choose_device
from gpustab.machine.log import log
from gpustab.machine.memory import let_go
from gpustab.machine.threads import in_order
from gpustab.runs.join import join
from gpustab.runs.joining import LEAST_RUNS, Loading
from gpustab.runs.key import Key
from gpustab.runs.manifest import PACKED
from gpustab.runs.packing.open import open_packed
from gpustab.runs.paths import too_few
from gpustab.runs.runs import Runs
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


@dataclass(frozen=True)
class Group:
    """Runs that may be compared with each other, before they are read.

    Attributes:
        key: what the group is.
        sources: its runs in order: files, or objects in memory.
        folder: the leaf that the files lie in, if they are of a run set.
        loading: how they are read.
    """

    key: Key
    sources: tuple[Any, ...]
    folder: Path | None = None
    loading: Loading = Loading()

    @property
    def name(self) -> str:
        """Name of the group."""
        return str(self.key)

    @property
    def packed(self) -> bool:
        """Whether the group lies in a packed leaf."""
        return self.folder is not None and (self.folder / PACKED).is_file()

    def __len__(self) -> int:
        return len(self.sources)

    def with_all_words(self) -> Group:
        """Return the group over all words that any run has, which those of a packed leaf need not have."""
        if self.packed:
            return self
        return replace(self, loading=replace(self.loading, vocabulary="union", min_runs=1))

    def load(self) -> Runs:
        """Return the runs over one vocabulary; those of a packed leaf stay on disk.

        Raises:
            InputError: if a run cannot be read, or the runs cannot be joined.
        """
        how = self.loading
        shared: dict[str, Any] = {
            "min_runs": how.min_runs,
            "allow_small_overlap": how.allow_small_overlap,
            "centre": how.centre,
            "unit": how.unit,
            "key": self.key,
        }
        if self.folder is not None and self.packed:
            runs = open_packed(self.folder, vocabulary=how.vocabulary, options=how.options, **shared)
        else:
            spaces = load_spaces(self.sources, how.options, how.jobs)
            runs = join(spaces, vocabulary=how.vocabulary or "joint", **shared)
            let_go()  # of what threads have read, the C library keeps more than the runs take
        return runs if how.device == "cpu" else runs.to(choose_device(how.device))


def loaded(group: Group | Runs) -> Runs:
    """Return the runs of a group, read now unless they are there already."""
    return group if isinstance(group, Runs) else group.load()


def want_two(group: Group) -> Group:
    """Return the group, or refuse it with fewer than two runs."""
    if len(group) < LEAST_RUNS:
        raise InputError(too_few(group.name, len(group)))
    return group


Input = dict[str, Any]


class Inputs(Sequence[Input]):
    """Path, size in bytes and SHA-256 of every file that groups are read from; runs in memory have none.

    Files are hashed when somebody looks at an entry: that takes about half a second for a gigabyte, and what is only
    printed shows none. One that has changed or gone until then is named without a hash. Of a packed leaf its account is
    named, which has the hashes of its runs; files that are gone now are not named.
    """

    def __init__(self, groups: Iterable[Runs | Group]) -> None:
        paths = dict.fromkeys(path for group in groups if isinstance(group, Group) for path in _paths(group))
        self._seen = [(path, _state(path)) for path in paths]

    def __len__(self) -> int:
        return len(self._seen)

    @overload
    def __getitem__(self, i: int) -> Input: ...
    @overload
    def __getitem__(self, i: slice) -> list[Input]: ...
    def __getitem__(self, i: int | slice) -> Input | list[Input]:
        """Return one entry, or some."""
        return self._hashed[i]

    @cached_property
    def _hashed(self) -> list[Input]:
        return list(in_order(_input, self._seen))


def _paths(group: Group) -> Iterator[Path]:
    if group.folder is not None and group.packed:
        yield group.folder / PACKED
        return
    for source in group.sources:
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            yield Path(source)


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _input(seen: tuple[Path, tuple[int, int]]) -> Input:
    path, state = seen
    return {"path": str(path), "bytes": state[0], "sha256": _hash(path, state)}


def _hash(path: Path, state: tuple[int, int]) -> str | None:
    try:
        if _state(path) != state:
            return None
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
