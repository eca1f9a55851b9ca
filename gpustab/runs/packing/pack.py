"""Packing runs into a run set; a stopped call is taken up by the next one, with the same bytes."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.formats.atomic import clear_leftovers, make_folder, remove, told
from gpustab.formats.options import LoadOptions
from gpustab.machine.environment import environment
from gpustab.machine.log import log
from gpustab.machine.progress import Progress, no_progress
from gpustab.machine.threads import in_order, one_core_each
from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.joining import Rule
from gpustab.runs.key import Key
from gpustab.runs.lock import alone
from gpustab.runs.manifest import (
    MANIFEST,
    PACKED,
    PACKED_SCHEMA,
    UNFINISHED,
    read_manifest,
    read_packed,
    write_manifest,
)
from gpustab.runs.packing.order import OnFile, find_order, look_through
from gpustab.runs.packing.output import begin, checksum, require_space, size_text, workshop, writing
from gpustab.runs.packing.records import Stored, options_record
from gpustab.runs.packing.request import Request, Stage, request
from gpustab.runs.packing.write import UndefinedError, write_packed
from gpustab.runs.place import check_file, refuse_within
from gpustab.runs.runset import clear_manifest, read_entries, update_manifest

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
                remove(self._record(run))
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


_THREADS = 1 + (os.cpu_count() or 1)


class _Packed(NamedTuple):
    """The runs of one group."""

    group: str
    runs: int
    packed_now: int
    words: str
    dtype: str
    size: str
    rounding: float


def pack_runs(
    sources: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    dtype: Stored = "float32",
    options: LoadOptions | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Pack runs: the rows of every run become the same words in the same canonical order, raw, in a run set.

    Memory holds a few MB of each run at work, however large it is: its vectors pass from file to file. Runs that are
    neither safetensors files with their own words nor of word2vec's binary form are read whole first, ``jobs`` of them
    at once, and staged on the disk. While the order is found there are 24 bytes for each word of each run.

    Args:
        sources: vector files, which form one group named ``runs``, leaf folders and run sets.
        output: folder of the new run set.
        vocabulary: ``"joint"``: words of all runs of a group; ``"union"``: of at least ``min_runs`` of them.
        min_runs: under ``"union"``, default 2.
        dtype: how numbers are stored; they are read back as float32.
        options: how files are read.
        jobs: runs that are read or written at once; default one per core, and one more, as one waits for the disk.
        progress: called with the name of the work and its finished part.

    Returns:
        Per group: runs, words, bytes, how many runs were packed now, the largest rounding of a vector; and the table
        ``groups`` of these.

    Raises:
        InputError: for unusable sources, or an output folder that holds anything but the same pack, stopped or done.
        ComputationError: if the disk is full; the same call goes on from there.
    """
    started, output, report = time.perf_counter(), Path(output), progress or no_progress
    paths = [Path(source) for source in sources]
    for source in paths:
        refuse_within(output, source, "which is to be packed")
    wanted = request(paths, vocabulary=vocabulary, min_runs=min_runs, dtype=dtype, options=options)
    record = wanted.record()
    result = Result("pack", {key: record[key] for key in ("vocabulary", "min_runs", "dtype", "options")})
    now = [0] * len(wanted.groups)
    check_file(output)
    with writing(output):
        make_folder(output)
    with alone(output, "pack", "packing"):
        if begin(output, record):
            result.notes.append(f"{output}: was packed already; nothing was done.")
        else:
            with one_core_each():
                now = _pack(wanted, record, output, report, jobs or _THREADS)
        if (output / UNFINISHED).is_dir():
            with told(output / UNFINISHED, "removed"):
                shutil.rmtree(output / UNFINISHED)
        clear_manifest(output)
        _summarise(result, output, now)
    result.environment = environment(torch.device("cpu")) | {"seconds": time.perf_counter() - started}
    return result


def _pack(wanted: Request, record: Mapping[str, Any], output: Path, report: Progress, jobs: int) -> list[int]:
    """Return how many runs of each group were written now."""
    total, seen, done = sum(map(len, wanted.groups.values())), 0, 0
    leaves = []
    for number, key in enumerate(wanted.groups):

        def reading(file: Path, part: float, seen: int = seen) -> None:
            report(f"reading {file.name}", (seen + part) / total / 2)

        sources, folder = record["groups"][key.path], output / key.path
        leaves.append(Packing(wanted, key, sources, folder, workshop(output, number), reading, jobs))
        seen += len(wanted.groups[key])
    require_space(output, sum(leaf.missing_bytes() for leaf in leaves), "what is still to be packed")
    missing = sum(len(leaf.missing()) for leaf in leaves)
    for leaf in leaves:
        for name in leaf.pack():
            done += 1
            report(f"packing {leaf.key}: {name}", min(1.0, 0.5 + done / missing / 2))
        leaf.finish()
    made = {
        "packed": {key: value for key, value in record.items() if key != "groups"},
        "sha256": {leaf.key.path: checksum(leaf.folder / PACKED) for leaf in leaves},
    }
    with writing(output / MANIFEST):
        update_manifest(output, {leaf.key: len(leaf.order.names) for leaf in leaves}, made)
    return [leaf.packed_now for leaf in leaves]


def _summarise(result: Result, output: Path, now: Sequence[int]) -> None:
    rows = []
    for entry, packed_now in zip(read_entries(output), now, strict=True):
        leaf = read_packed(output / entry.path)
        size = sum(run["bytes"] for run in leaf["runs"])
        group = {
            "name": str(entry.key),
            "runs": entry.runs,
            "packed_now": packed_now,
            "words": leaf["words"],
            "dtype": leaf["dtype"],
            "bytes": size,
            "size": size_text(size),
            "rounding": max(run["rounding"] for run in leaf["runs"]),
            "folder": str(output / entry.path),
        }
        log.info("%s: %d runs, %d words", group["folder"], group["runs"], group["words"])
        result.groups.append(group)
        rows.append(
            _Packed(
                str(entry.key),
                entry.runs,
                packed_now,
                f"{leaf['words']:,}",
                leaf["dtype"],
                size_text(size),
                group["rounding"],
            )
        )
        result.notes += [f"{entry.key}: {note}" for note in leaf["notes"]]
    result.tables["groups"] = Table.of(rows, _Packed._fields)
    runs, size = sum(row.runs for row in rows), sum(group["bytes"] for group in result.groups)
    there = f"{counted(runs, 'run')} of {counted(len(rows), 'group')}"
    result.verdict = [f"{there} {'is' if runs == 1 else 'are'} packed in {output}: {size_text(size)}."]
