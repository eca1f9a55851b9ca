"""Telling whether a packed run set is what was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.errors import InputError
from gpustab.formats.binary.safetensors import open_rows
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.manifest import MANIFEST, PACKED, inside, read_packed, want_fields
from gpustab.runs.packing.output import checksum
from gpustab.runs.runset import read_entries

OK, DAMAGED, MISSING, UNKNOWN = "ok", "damaged", "missing", "not packed here"


def verify(folder: Path, *, progress: Progress | None = None) -> Result:
    """Read every file of a packed run set, or of one packed leaf, and compare it with its recorded checksum.

    Returns:
        Per group the number of files, how many of them are wrong, and their status; the table ``files``. A file is
        ``ok``, ``damaged`` (other size, checksum or words than recorded), ``missing``, or ``not packed here``.

    Raises:
        InputError: if the folder is no finished pack.
    """
    started, report = time.perf_counter(), progress or no_progress
    leaves = _leaves(folder)
    result = Result("verify", {"folder": str(folder)})
    checked: list[_Checked] = []
    for k, (name, leaf, digest) in enumerate(leaves):

        def reading(part: float, name: str = name, k: int = k) -> None:
            report(f"reading {name}", (k + part) / len(leaves))

        files = list(_check(leaf, digest, reading))
        checked += [_Checked(f"{name}/{file}", size, status) for file, size, status in files]
        wrong = {file: status for file, _, status in files if status != OK}
        result.groups.append({"name": name, "files": len(files), "wrong": len(wrong), "status": wrong})
    result.tables["files"] = Table.of(checked, _Checked._fields)
    if not is_whole(result):
        result.notes.append("What is damaged or missing is mended by packing the runs again, into another folder.")
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


def _leaves(folder: Path) -> list[tuple[str, Path, str | None]]:
    """Name, folder and checksum of the manifest, for every leaf."""
    if (folder / PACKED).is_file() and not (folder / MANIFEST).is_file():
        return [(folder.name, folder, None)]  # the run set has the checksum
    entries = read_entries(folder)
    if any("packed" not in entry.made for entry in entries):
        raise InputError(f"{folder}: is a run set, but not a packed one, so there are no checksums")
    for entry in entries:
        want_fields(folder / MANIFEST, entry.made, {"sha256": dict}, f"what made {entry.path}")
    return [(str(entry.key), inside(folder, entry.path), entry.made["sha256"].get(entry.path)) for entry in entries]


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
