"""What a pack shall hold, and its sources opened: what cannot be read from where it lies is staged as safetensors.

Of a file whose vectors lie in it as they are wanted, only its words and the places of its vectors are staged.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import torch

from gpustab.errors import InputError, option
from gpustab.formats.atomic import remove
from gpustab.formats.binary.safetensors import SafetensorsRows, write_safetensors
from gpustab.formats.binary.stored import StoredSpace, StoredWords, open_stored
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.registry import place_space
from gpustab.formats.rows import Placed, PlacedRows
from gpustab.machine.log import log
from gpustab.runs.group import Group, load_space, want_two
from gpustab.runs.joining import Rule
from gpustab.runs.key import Key
from gpustab.runs.load import measurable, sort_out
from gpustab.runs.manifest import read_manifest, want_fields, write_manifest
from gpustab.runs.packing.output import require_space, writing
from gpustab.runs.packing.records import Stored, fingerprint, load_tensors, options_record, save_tensors
from gpustab.spaces.space import LoadReport, Space


@dataclass(frozen=True)
class Request:
    """What a pack shall hold.

    Attributes:
        groups: the run files of every group.
        vocabulary: which words, see :func:`gpustab.runs.plan.plan_join`.
        min_runs: see there.
        dtype: how numbers are stored.
        options: how files are read.
    """

    groups: Mapping[Key, tuple[Path, ...]]
    vocabulary: Rule = "joint"
    min_runs: int | None = None
    dtype: Stored = "float32"
    options: LoadOptions = DEFAULTS

    @property
    def torch_dtype(self) -> torch.dtype:
        """The type of the stored tensor."""
        return cast(torch.dtype, getattr(torch, self.dtype))

    def record(self) -> dict[str, Any]:
        """Return everything that the packed bytes depend on, as JSON values.

        Raises:
            InputError: if a file is missing.
        """
        return {
            "groups": {key.path: [fingerprint(file) for file in files] for key, files in self.groups.items()},
            "vocabulary": self.vocabulary,
            "min_runs": self.min_runs,
            "dtype": self.dtype,
            "options": options_record(self.options),
        }


def request(
    sources: Iterable[str | os.PathLike[str]],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    dtype: Stored = "float32",
    options: LoadOptions | None = None,
) -> Request:
    """Return the request to pack some files, leaves and run sets; the files form one group named ``runs``.

    Raises:
        InputError: for an unknown dtype, fewer than two runs in a group, two groups of one name, or what is packed.
    """
    if dtype not in get_args(Stored):
        raise InputError(f"{option('dtype')} is {dtype!r}, wanted {', '.join(get_args(Stored))}")
    single, folders = sort_out(sources)
    groups: dict[Key, Group] = {}
    loose = [Group(Key(), tuple(Path(source) for source in single))] if single else []
    for group in [*map(want_two, loose), *measurable(folders)]:
        if group.packed:
            raise InputError(f"{group.folder}: is packed already; pack again the runs that it was made of")
        if group.key in groups:
            raise InputError(
                f"two groups are called '{group.name}': {groups[group.key].folder} and {group.folder}; "
                "pack them into run sets of their own"
            )
        groups[group.key] = group
    if not groups:
        raise InputError("no runs were given")
    files = {key: group.sources for key, group in groups.items()}
    return Request(files, vocabulary, min_runs, dtype, options or LoadOptions())


_SCHEMA = "gpustab.staged/1"


class Opened(NamedTuple):
    """A run whose vectors are on disk.

    Attributes:
        space: the run.
        report: what is known of its reading.
        checked: whether its words and values were looked at; then the report says what was found in them.
        copied: whether its vectors were staged, so that the source is needed no more.
    """

    space: StoredSpace
    report: LoadReport
    checked: bool
    copied: bool


class Stage:
    """The source files of one group, and the folder where converted ones lie.

    Args:
        files: the run files.
        sources: what they were when the pack was begun, see :func:`gpustab.runs.packing.records.fingerprint`.
        options: how they are read.
        folder: of the converted ones. Each has a record beside it, written after it: without it, it is not used, nor
            when the source or the options are no longer those of the record.
    """

    def __init__(
        self, files: Sequence[Path], sources: Sequence[dict[str, Any]], options: LoadOptions, folder: Path
    ) -> None:
        self.files = files
        self.sources = sources
        self.options = options
        self._folder = folder
        self._checked = set[int]()

    def open(self, run: int) -> Opened:
        """Open a run; the first call reads what is no safetensors file that can be taken as it is.

        Raises:
            InputError: if it cannot be read, or has changed since the pack was begun.
            ComputationError: if it cannot be staged.
        """
        if found := self._staged(run) or self._as_it_is(run):
            return found
        read = place_space(self.files[run], self.options) or load_space(self.files[run], self.options)
        self.require_unchanged(run)
        self._write(read, run)
        staged = self._staged(run)
        assert staged is not None  # noqa: S101  # it was just written
        return staged

    def require_unchanged(self, run: int) -> None:
        """Refuse a source that is no longer what it was when the pack was begun."""
        if fingerprint(self.files[run]) != self.sources[run]:
            raise InputError(f"{self.files[run]}: has changed since this pack was begun; remove what is packed")

    def remove(self, run: int) -> None:
        """Give back the disk space of a run that is needed no more."""
        for path in self._paths(run):
            remove(path)

    def _as_it_is(self, run: int) -> Opened | None:
        space = open_stored(self.files[run], self.options)
        if space is None:
            return None
        self.require_unchanged(run)
        if isinstance(space.rows, SafetensorsRows) and run not in self._checked:
            space.rows.check()
            self._checked.add(run)
        report = LoadReport(str(self.files[run]), "safetensors", rows=len(space.words), notes=space.notes)
        log.info("%s", report)
        return Opened(space, report, checked=False, copied=False)

    def _record(self, run: int) -> dict[str, Any]:
        return {"schema": _SCHEMA, "source": self.sources[run], "options": options_record(self.options)}

    def _paths(self, run: int) -> tuple[Path, Path]:
        """The record comes first: a run without one is not used."""
        return self._folder / f"staged-{run:03d}.json", self._folder / f"staged-{run:03d}.safetensors"

    def _staged(self, run: int) -> Opened | None:
        beside, path = self._paths(run)
        if not (beside.is_file() and path.is_file()):
            return None
        there = read_manifest(beside, _SCHEMA, fields={"name": str, "report": dict})
        name, report, dimension = there.pop("name"), there.pop("report"), there.pop("dimension", None)
        if there != self._record(run):
            return None
        want_fields(beside, report, {"source": str, "format": str, "notes": list}, "its 'report'")
        found = LoadReport(report["source"], report["format"], notes=tuple(report["notes"]))
        if dimension is not None:
            space = self._placed(path, run, name, dimension)
            return Opened(space, found, checked=True, copied=False)
        copied = open_stored(path, DEFAULTS)
        if copied is None:
            raise InputError(f"{path}: damaged; remove {self._folder.parent}")
        return Opened(copied._replace(name=name), found, checked=True, copied=True)

    def _placed(self, path: Path, run: int, name: str, dimension: int) -> StoredSpace:
        words, offsets, places = load_tensors(path, "words", "offsets", "places")
        rows = PlacedRows(self.files[run], places, dimension)
        return StoredSpace(name, rows, StoredWords(words, offsets), None, None, {}, ())

    def _write(self, read: Space | Placed, run: int) -> None:
        beside, path = self._paths(run)
        self.remove(run)
        report = read.report or LoadReport(str(self.files[run]), "")
        found = {"source": report.source, "format": report.format, "notes": report.notes}
        record = {**self._record(run), "name": read.name, "report": found}
        if isinstance(read, Space):
            require_space(self._folder, read.vectors.nbytes, f"{report.source} as safetensors")
        with writing(path):
            if isinstance(read, Space):
                write_safetensors(read, path)
            else:
                record["dimension"] = read.dimension
                words, offsets = read.vocabulary.to_tensors()
                save_tensors(path, {"words": words, "offsets": offsets, "places": read.places})
            write_manifest(beside, record)
