"""Packing runs into a run set; a stopped call is taken up by the next one, with the same bytes."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats.atomic import clear_leftovers
from gpustab.formats.options import LoadOptions
from gpustab.machine.device import log
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.machine.threads import one_core_each
from gpustab.report import Result
from gpustab.runs.loading import Rule
from gpustab.runs.lock import alone
from gpustab.runs.manifest import MANIFEST, PACKED, UNFINISHED, read_packed
from gpustab.runs.packing.leaf import Packing
from gpustab.runs.packing.output import begin, checksum, require_space, size_text, workshop, writing
from gpustab.runs.packing.request import Request, Stored, request
from gpustab.runs.runset import read_entries, update_manifest

_THREADS = 1 + (os.cpu_count() or 1)


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
        Per group: runs, words, bytes, how many runs were packed now, the largest rounding of a vector.

    Raises:
        InputError: for unusable sources, or an output folder that holds anything but the same pack, stopped or done.
        ComputationError: if the disk is full; the same call goes on from there.
    """
    started, output, report = time.perf_counter(), Path(output), progress or no_progress
    paths = [Path(source) for source in sources]
    _keep_apart(output, paths)
    wanted = request(paths, vocabulary=vocabulary, min_runs=min_runs, dtype=dtype, options=options)
    record = wanted.record()
    result = Result("pack", {key: record[key] for key in ("vocabulary", "min_runs", "dtype", "options")})
    now = [0] * len(wanted.groups)
    if output.exists() and not output.is_dir():
        raise InputError(f"{output}: is a file; a run set is a folder")
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
    with alone(output, "pack", "packing"):
        if begin(output, record):
            result.notes.append(f"{output}: was packed already; nothing was done.")
        else:
            with one_core_each():
                now = _pack(wanted, record, output, report, jobs or _THREADS)
        _clear(output)
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


def _keep_apart(output: Path, sources: Iterable[Path]) -> None:
    """Refuse an output within a folder of runs: the two would be taken for one."""
    for source in sources:
        if source.is_dir() and output.resolve().is_relative_to(source.resolve()):
            raise InputError(f"{output}: lies within {source}, which is to be packed; give a folder of its own")


def _clear(output: Path) -> None:
    if (output / UNFINISHED).is_dir():
        shutil.rmtree(output / UNFINISHED)
    clear_leftovers(output)


def _summarise(result: Result, output: Path, now: Sequence[int]) -> None:
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
        result.notes += [f"{entry.key}: {note}" for note in leaf["notes"]]
