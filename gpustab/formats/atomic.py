"""Files that appear whole or not at all, also when the power fails: what has its name is on the disk.

Whatever the product writes passes through here, so that a disk that fails is told in one sentence which names the file.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from gpustab.errors import ComputationError, InputError

_TO_MEND = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.EINVAL,
    errno.ENAMETOOLONG,
    errno.ELOOP,
}
"""What the caller mends by another path or another permission; all else, a full disk say, is a failure of the work."""


class WritingError(ComputationError):
    """A file could not be written, though the path would do: the disk is full or broken."""


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file, whole or not at all, the same bytes on every system."""
    with replacing(path) as file:
        file.write(text.encode())  # as a text, Windows would end its lines otherwise


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BufferedWriter]:
    """Give a file to write to, which takes the place of ``path`` when all went well.

    Raises:
        InputError: if the folder is missing or may not be written to.
        WritingError: if the disk is full or fails.
    """
    path = Path(path)
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with told(path):
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            if os.name == "posix":  # elsewhere a folder cannot be opened
                _to_disk(path.parent)
    finally:
        with suppress(OSError):  # where even that fails, the next call clears it away
            temporary.unlink(missing_ok=True)


@contextmanager
def told(path: Path, done: str = "written") -> Iterator[None]:
    """Turn the system's complaint about a path into a sentence that names it.

    Args:
        path: what is worked on.
        done: what is to be done to it, as the end of "cannot be".

    Raises:
        InputError: if the caller can mend it: a missing permission, say.
        WritingError: else.
    """
    try:
        yield
    except OSError as error:
        kind = InputError if error.errno in _TO_MEND else WritingError
        raise kind(f"{path}: cannot be {done}: {error.strerror or error}") from error


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless it is there.

    Raises:
        InputError: if it may not be made.
        WritingError: if the disk is full or fails.
    """
    with told(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def remove(path: Path) -> None:
    """Remove a file, unless it is gone.

    Raises:
        InputError: if it may not be removed.
        WritingError: if the disk fails.
    """
    with told(path, "removed"):
        path.unlink(missing_ok=True)


def clear_leftovers(folder: Path) -> None:
    """Remove the temporary files of a call that was killed; nobody may be writing there now."""
    # Ours, and the one that earlier versions let safetensors make beside the file it was told to write.
    for leftover in (*folder.glob(".*.tmp"), *folder.glob(".tmp??????")):
        remove(leftover)


def _to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
