"""Telling whether a run set, packed or as it was trained, is what was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.errors import InputError, some_of
from gpustab.formats.binary.safetensors import open_rows
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.manifest import (
    MANIFEST,
    OUTPUT,
    PACKED,
    PLAN,
    inside,
    is_leaf,
    read_packed,
    run_file,
    run_files,
    want_fields,
)
from gpustab.runs.packing.output import checksum
from gpustab.runs.runset import read_entries

OK, DAMAGED, MISSING, UNKNOWN, NO_SUM = "ok", "damaged", "missing", "not packed here", "no checksum"


def verify(folder: Path, *, progress: Progress | None = None) -> Result:
    """Read every file of a run set, or of one leaf, and compare it with its checksum.

    Returns:
        Per group the number of files, how many of them are wrong, and their status; the table ``files``. A file is
        ``ok``, ``damaged`` (other size, checksum or words than recorded), ``missing``, ``not packed here``, or has ``no
        checksum``, as it is of an older version: then it is whole as far as can be told.

    Raises:
        InputError: if the folder is no run set.
    """
    started, report = time.perf_counter(), progress or no_progress
    leaves = _leaves(folder)
    packed = any(leaf.digest is not None or (leaf.folder / PACKED).is_file() for leaf in leaves)
    result = Result("verify", {"folder": str(folder)})
    checked: list[_Checked] = []
    for k, leaf in enumerate(leaves):

        def reading(part: float, name: str = leaf.name, k: int = k) -> None:
            report(f"reading {name}", (k + part) / len(leaves))

        files = list(_check_trained(leaf, reading) if leaf.runs else _check(leaf.folder, leaf.digest, reading))
        checked += [_Checked(f"{leaf.name}/{file}", size, status) for file, size, status in files]
        wrong = {file: status for file, _, status in files if status not in (OK, NO_SUM)}
        result.groups.append({"name": leaf.name, "files": len(files), "wrong": len(wrong), "status": wrong})
    result.tables["files"] = Table.of(checked, _Checked._fields)
    if not is_whole(result):
        if packed:
            result.notes.append("What is damaged or missing is mended by packing the runs again, into another folder.")
        elif any((leaf.folder / PLAN).is_file() for leaf in leaves):  # others were written, not trained
            result.notes.append("What is damaged or missing is mended by removing it and training by the same call.")
    if without := [file.file for file in checked if file.status == NO_SUM]:
        result.notes.append(f"{len(without):,} of an older gpustab have no checksum: {some_of(without, 3)}.")
    result.environment = environment(torch.device("cpu")) | {"seconds": time.perf_counter() - started}
    return result


class _Checked(NamedTuple):
    """One file, and whether it is what was written."""

    file: str
    bytes: int | None
    status: str


def is_whole(result: Result) -> bool:
    """Return whether :func:`verify` found nothing wrong."""
    return not any(group["wrong"] for group in result.groups)


class _Leaf(NamedTuple):
    """A leaf to check: a packed one by the checksum of its account, one of ``runs`` trained runs by those within."""

    name: str
    folder: Path
    digest: str | None = None
    runs: int = 0


def _leaves(folder: Path) -> list[_Leaf]:
    if is_leaf(folder) and not (folder / MANIFEST).is_file():  # the checksum of a packed one is in the run set
        return [_Leaf(folder.name, folder, runs=len(run_files(folder)))]
    leaves = []
    for entry in read_entries(folder):
        name, leaf = str(entry.key), inside(folder, entry.path)
        if "packed" not in entry.made:
            leaves.append(_Leaf(name, leaf, runs=entry.runs))
            continue
        want_fields(folder / MANIFEST, entry.made, {"sha256": dict}, f"what made {entry.path}")
        leaves.append(_Leaf(name, leaf, entry.made["sha256"].get(entry.path)))
    return leaves


def _check_trained(leaf: _Leaf, reading: Callable[[float], None]) -> Iterator[tuple[str, int | None, str]]:
    """Yield name, bytes and status of every run of a leaf, and of its output vectors where they were kept."""
    wanted = [run_file(leaf.folder, number) for number in range(leaf.runs)]
    runs = list(dict.fromkeys([*wanted, *run_files(leaf.folder)]))
    files = [*runs, *run_files(leaf.folder / OUTPUT)]
    for k, file in enumerate(files):
        reading(k / len(files))
        yield file.relative_to(leaf.folder).as_posix(), _size(file), _status_within(file)


def _status_within(file: Path) -> str:
    if not file.is_file():
        return MISSING
    try:
        with open_rows(file) as rows:
            return OK if rows.check() else NO_SUM
    except InputError:
        return DAMAGED


def _check(leaf: Path, digest: str | None, reading: Callable[[float], None]) -> Iterator[tuple[str, int | None, str]]:
    """Yield name, bytes and status of every file of a leaf, its manifest first."""
    path = leaf / PACKED
    whole = path.is_file() and (digest is None or checksum(path) == digest)
    yield PACKED, _size(path), OK if whole else DAMAGED if path.is_file() else MISSING
    if not whole:  # what it says of the others is worth nothing
        return
    runs, words = read_packed(leaf)["runs"], None
    for k, run in enumerate(runs):
        reading(k / len(runs))
        file = inside(leaf, run["file"])
        status = _status(file, run)
        if status == OK:
            found = _words(file)
            words = words or found
            status = OK if found == words else DAMAGED
        yield run["file"], _size(file), status
    known = {PACKED, *(run["file"] for run in runs)}
    for file in sorted(leaf.iterdir()):
        if file.is_file() and file.name not in known:
            yield file.name, _size(file), UNKNOWN


def _status(file: Path, run: dict[str, Any]) -> str:
    if not file.is_file():
        return MISSING
    return OK if _size(file) == run["bytes"] and checksum(file) == run["sha256"] else DAMAGED


def _words(file: Path) -> bytes:
    """A checksum of a run's vocabulary."""
    with open_rows(file) as rows:
        words, offsets = rows.tensor("words", torch.uint8), rows.tensor("offsets", torch.int64)
    return sha256(words.numpy().tobytes() + offsets.numpy().tobytes()).digest()


def _size(file: Path) -> int | None:
    return file.stat().st_size if file.is_file() else None
