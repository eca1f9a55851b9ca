"""Reading the sources one at a time; what is costly to read is read once and staged as safetensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.runs.manifest import read_manifest, want_fields, write_manifest
from gpustab.runs.packing.output import require_space, writing
from gpustab.runs.packing.records import fingerprint, options_record
from gpustab.runs.sources import load_space
from gpustab.spaces.load_report import LoadReport
from gpustab.spaces.space import Space

_SCHEMA = "gpustab.staged/1"


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
        self._options = options
        self._folder = folder

    def read(self, run: int) -> Space:
        """Return a run; the first reading of a format that is costly to read stages it.

        Raises:
            InputError: if it cannot be read, or has changed since the pack was begun.
            ComputationError: if it cannot be staged.
        """
        staged = self._staged(run)
        if staged is not None:
            return staged
        space = load_space(self.files[run], self._options)
        if fingerprint(self.files[run]) != self.sources[run]:
            raise InputError(f"{self.files[run]}: has changed since this pack was begun; remove what is packed")
        if space.report is not None and space.report.format != "safetensors":
            self._write(space, space.report, run)
        return space

    def remove(self, run: int) -> None:
        """Give back the disk space of a run that is needed no more."""
        for path in self._paths(run):
            path.unlink(missing_ok=True)

    def _record(self, run: int) -> dict[str, Any]:
        return {
            "schema": _SCHEMA,
            "source": self.sources[run],
            "options": options_record(self._options),
        }

    def _paths(self, run: int) -> tuple[Path, Path]:
        """The record comes first: a run without one is not used."""
        return self._folder / f"staged-{run:03d}.json", self._folder / f"staged-{run:03d}.safetensors"

    def _staged(self, run: int) -> Space | None:
        beside, path = self._paths(run)
        if not (beside.is_file() and path.is_file()):
            return None
        there = read_manifest(beside, _SCHEMA, fields={"name": str, "report": dict})
        name, report = there.pop("name"), there.pop("report")
        if there != self._record(run):
            return None
        want_fields(beside, report, {"source": str, "format": str, "notes": list}, "its 'report'")
        found = LoadReport(report["source"], report["format"], notes=tuple(report["notes"]))
        return replace(read_space(path), name=name, report=found)

    def _write(self, space: Space, report: LoadReport, run: int) -> None:
        beside, path = self._paths(run)
        self.remove(run)
        require_space(self._folder, space.vectors.nbytes, f"{report.source} as safetensors")
        with writing(path):
            write_safetensors(space, path)
            found = {"source": report.source, "format": report.format, "notes": report.notes}
            write_manifest(beside, {**self._record(run), "name": space.name, "report": found})
