"""One group on its way: its order, then run by run, then ``packed.json``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpustab.formats.atomic import clear_leftovers
from gpustab.machine.threads import in_order
from gpustab.runs.key import Key
from gpustab.runs.manifest import PACKED, PACKED_SCHEMA, read_manifest, write_manifest
from gpustab.runs.packing.order import OnFile, find_order, look_through
from gpustab.runs.packing.output import writing
from gpustab.runs.packing.records import options_record
from gpustab.runs.packing.request import Request
from gpustab.runs.packing.stage import Stage
from gpustab.runs.packing.write import UndefinedError, write_packed

_SCHEMA = "gpustab.packed-run/2"


class Packing:
    """A group that is being packed; finding its order opens every run, unless a stopped call has found it.

    Args:
        wanted: how runs are read, joined and stored.
        key: the group.
        sources: what its files were when the pack was begun.
        folder: the leaf.
        shop: where what is needed on the way lies.
        report: called with every file that is read to find the order.
        jobs: runs read or written at once.
    """

    def __init__(
        self,
        wanted: Request,
        key: Key,
        sources: Sequence[dict[str, Any]],
        folder: Path,
        shop: Path,
        report: OnFile,
        jobs: int,
    ) -> None:
        self.key = key
        self.folder = folder
        self._wanted = wanted
        self._shop = shop
        self._stage = Stage(wanted.groups[key], sources, wanted.options, shop)
        self._how = report, jobs
        self._written: set[int] = set()
        self.order = find_order(wanted, self._stage, shop, report, jobs)

    def missing(self) -> list[int]:
        """Return the runs that are not packed yet."""
        return [
            run
            for run in range(len(self.order.names))
            if not (self._record(run).is_file() and self._path(run).is_file())
        ]

    @property
    def packed_now(self) -> int:
        """How many runs were written by this call."""
        return len(self._written)

    def missing_bytes(self) -> int:
        """Return what the missing runs will take: vectors, words, counts; what is beside them is little."""
        words = self.order.words
        width = self._wanted.torch_dtype.itemsize
        per_run = len(words.buffer) + 16 * len(words)
        return sum(len(words) * self.order.dimensions[run] * width + per_run for run in self.missing())

    def pack(self) -> Iterator[str]:
        """Write the missing runs, several at once, and yield the name of each as it is done.

        Where a run has zero vectors of which nobody knew, all are looked through and packed anew.
        """
        try:
            yield from self._pack()
        except UndefinedError:
            for run in range(len(self.order.names)):
                self._record(run).unlink(missing_ok=True)
            self.order = look_through(self._wanted, self._stage, self._shop, *self._how)
            yield from self._pack()

    def _pack(self) -> Iterator[str]:
        for run in in_order(self._pack_one, self.missing(), self._how[1]):
            self._written.add(run)
            yield self.order.names[run]

    def _pack_one(self, run: int) -> int:
        """Write one run, then the record without which it does not count, then let go what it was staged in."""
        done = self._write_one(run)
        with writing(self._record(run)):
            write_manifest(self._record(run), {"schema": _SCHEMA, **done})
        if all(self.order.looked):  # else all may have to be packed anew
            self._stage.remove(run)
        return run

    def _write_one(self, run: int) -> dict[str, Any]:
        """Write one run; when this returns, what it was staged in is mapped no more, so that Windows lets it go."""
        opened = self._stage.open(run)
        done = write_packed(
            opened,
            self.order,
            run,
            self._path(run),
            dtype=self._wanted.torch_dtype,
            with_presence=self._wanted.vocabulary == "union",
            options=self._wanted.options,
        )
        if not opened.copied:
            self._stage.require_unchanged(run)  # it was read until now
        return done

    def finish(self) -> None:
        """Write ``packed.json``, which makes the folder a leaf; one that is there already is the same."""
        clear_leftovers(self.folder)
        if (self.folder / PACKED).is_file():
            return
        runs: list[dict[str, Any]] = []
        on_values: list[list[str]] = []
        for run, (name, source) in enumerate(zip(self.order.names, self._stage.sources, strict=True)):
            done = read_manifest(self._record(run), _SCHEMA, fields={"file": str, "rounding": float, "notes": list})
            on_values.append(done.pop("notes"))
            runs.append(
                {"name": name, **{key: value for key, value in done.items() if key != "schema"}, "source": source}
            )
        notes = list(self.order.notes(on_values))
        if largest := max(run["rounding"] for run in runs):
            notes.append(f"The vectors were rounded to {self._wanted.dtype}, by at most {largest:.1e} of their length.")
        content = {
            "schema": PACKED_SCHEMA,
            "dtype": self._wanted.dtype,
            "words": len(self.order.words),
            "joining": self.order.joining,
            "options": options_record(self._wanted.options),
            "notes": notes,
            "runs": runs,
        }
        with writing(self.folder / PACKED):
            write_manifest(self.folder / PACKED, content)

    def _path(self, run: int) -> Path:
        return self.folder / f"packed-{run:03d}.safetensors"

    def _record(self, run: int) -> Path:
        return self._shop / f"done-{run:03d}.json"
