"""The output folder: whether it may be used, and what a stopped pack left there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any

from gpustab.errors import ComputationError, InputError, marked
from gpustab.formats.atomic import WritingError, clear_leftovers, make_folder, remove, told
from gpustab.runs.manifest import (
    MANIFEST,
    UNFINISHED,
    inside,
    is_runset,
    read_manifest,
    read_packed,
    want_fields,
    write_manifest,
)
from gpustab.runs.place import occupants, refuse_others
from gpustab.runs.runset import read_entries

_REQUEST = "request.json"
_REQUEST_SCHEMA = "gpustab.pack-request/1"


def begin(output: Path, record: Mapping[str, Any]) -> bool:
    """Begin a pack in its folder, or see that it holds the same one: unfinished or, then True is returned, finished.

    Raises:
        InputError: if it holds anything else.
    """
    if is_runset(output):
        return _is_finished(output, record)
    others = [name for name in occupants(output) if name != UNFINISHED]
    shop, bound = output / UNFINISHED, output / UNFINISHED / _REQUEST
    if bound.is_file():
        there = read_manifest(bound, _REQUEST_SCHEMA, fields={"request": dict})["request"]
        groups = want_fields(bound, there, {"groups": dict}, "its 'request'")["groups"]
        want_fields(bound, groups, dict.fromkeys(groups, list), "its 'groups'")
        if there == record:
            return False
        if others:  # packed runs; what was only read and staged binds nobody
            raise InputError(
                f"{output}: holds an unfinished pack, and {_difference(there, record)}; "
                "finish it by the same call as before, or remove the folder"
            )
        for done in (*shop.glob("group-*/order.json"), *shop.glob("group-*/done-*.json")):
            remove(done)
    else:
        refuse_others(output, others)
    with writing(output):
        make_folder(shop)
        write_manifest(bound, {"schema": _REQUEST_SCHEMA, "request": record})
    return False


def workshop(output: Path, group: int) -> Path:
    """Return the folder of what is needed on the way of one group, without what a killed call left half-written."""
    folder = output / UNFINISHED / f"group-{group}"
    with writing(folder):
        make_folder(folder)
    clear_leftovers(folder)
    return folder


def require_space(folder: Path, needed: int, what: str) -> None:
    """See that the disk has room.

    Raises:
        ComputationError: if it has not.
    """
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ComputationError(f"{folder}: {what} takes {size_text(needed)}, {size_text(free)} are free on the disk")


def size_text(size: float) -> str:
    """Return a number of bytes for people.

    >>> size_text(31_200_000_000), size_text(4_000), size_text(7)
    ('31.2 GB', '4 kB', '7 B')
    """
    unit = max((n for n in range(4) if size >= 1000**n), default=0)
    return f"{size / 1000**unit:.3g} {('B', 'kB', 'MB', 'GB')[unit]}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's complaint that a file cannot be written into one that says what to do.

    Raises:
        ComputationError: if the disk is full, or anything else goes wrong there.
    """
    try:
        with told(path):
            yield
    except WritingError as error:
        raise ComputationError(
            f"{marked(error)}; what is finished stays, and the same call goes on from there"
        ) from error


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _is_finished(output: Path, record: Mapping[str, Any]) -> bool:
    groups = read_entries(output)
    if not all("packed" in group.made for group in groups):
        raise InputError(f"{output}: a run set is already there; give another folder")
    if not groups:
        raise InputError(
            f"{output}: the run set that is already there has no groups; remove it, or give another folder"
        )
    leaves = {group.path: read_packed(inside(output, group.path)) for group in groups}
    want_fields(output / MANIFEST, groups[0].made["packed"], {}, "what was packed")
    sources = {name: [run["source"] for run in leaf["runs"]] for name, leaf in leaves.items()}
    there = {**groups[0].made["packed"], "groups": sources}
    if there != record:
        raise InputError(f"{output}: a pack is already there, and {_difference(there, record)}; give another folder")
    return True


def _difference(there: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for key in ("vocabulary", "min_runs", "dtype", "options"):
        if there.get(key) != now[key]:
            return f"its {key} was {str(there.get(key))[:200]}, now {now[key]}"
    before = [file for files in there["groups"].values() for file in files]
    after = [file for files in now["groups"].values() for file in files]
    paths = [file.get("path") if isinstance(file, dict) else file for file in before]  # whatever a damaged one says
    if paths != [file["path"] for file in after]:
        first = str(paths[0])[:200] if paths else "nothing"
        return f"it is of other runs: {len(before)} from {first} on, now {len(after)}"
    changed = [file["path"] for old, file in zip(before, after, strict=True) if old != file]
    return f"{changed[0]} has changed since" if changed else "its groups had other names"
