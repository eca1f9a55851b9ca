"""Files that appear whole or not at all, also when the power fails: what has its name is on the disk.

Whatever the product writes passes through here, so that a disk that fails is told in one sentence which names the file.
"""

from __future__ import annotations

import errno
import os
import re
import uuid
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from gpustab.errors import ComputationError, InputError

with suppress(ImportError):  # on Windows
    import fcntl

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
_NO_SUCH_FILES = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT}
"""What folders say that have no files without a name."""


_OURS = re.compile(r"\.[0-9a-f]{32}\.tmp")
"""Names of temporary files: eight signs of what they were to become, and 24 at random."""


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
    with told(path):
        file = _temporary(path)
    temporary = Path(file.name)
    try:
        with told(path):
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if os.name == "posix":  # it is held until it has its name; elsewhere what is open cannot be renamed
                    temporary.replace(path)
            if os.name == "posix":
                _to_disk(path.parent)
            else:  # a folder cannot be opened
                temporary.replace(path)
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


SPACES = (".txt", ".vec", ".gz", ".safetensors")
"""How files of vectors end that are written."""


def check_space_path(path: Path, read: Iterable[Any] = ()) -> None:
    """See that a space could be written to a path, before the work that makes it.

    Args:
        path: where it shall be.
        read: files that it is made of, among objects that are no paths; none of them is written over.

    Raises:
        InputError: if the name asks for no known format, the folder does not exist or may not be written to, or it is
            one of the files that are read.
    """
    place = os.path.realpath(path)  # not resolve(), which loops of links end
    if any(place == os.path.realpath(one) for one in read if isinstance(one, str | os.PathLike)):
        raise InputError(f"{path}: this is one of the runs that are read; writing there would destroy it")
    if path.suffix not in SPACES:
        raise InputError(f"{path}: the name must end in {', '.join(SPACES)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: {'it is a folder' if path.is_dir() else 'no permission'}")


def check_can_make(folder: Path) -> None:
    """See that a folder is there or could be made, and that files could be written there; nothing is made yet.

    Raises:
        InputError: if not, with the reason.
    """
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise InputError(
            f"{folder}: cannot write there, {nearest} is {'not writable' if nearest.is_dir() else 'a file'}"
        )
    try:
        _try(nearest)
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from None


def _try(folder: Path) -> None:
    """Write to a folder, as some say that they can be written to, and cannot; where the system can, without a name."""
    if hasattr(os, "O_TMPFILE"):
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
            return
        except OSError as error:
            if error.errno not in _NO_SUCH_FILES:
                raise
    with TemporaryDirectory(prefix=".", suffix=".tmp", dir=folder):
        pass


def clear_leftovers(folder: Path) -> None:
    """Remove the temporary files of a call that was killed; nobody may be writing there now."""
    for leftover in folder.glob(".*.tmp"):
        if _OURS.fullmatch(leftover.name) and leftover.is_file():
            remove(leftover)


def clear_abandoned(path: str | os.PathLike[str]) -> None:
    """Remove what killed calls left of a file that lies among files of others; what a living call writes is held."""
    path = Path(path)
    for leftover in path.parent.glob(f".{_mark(path)}{'?' * 24}.tmp"):
        with suppress(OSError, InputError), leftover.open("rb") as file:  # who may not write here leaves it
            if _hold(file):
                remove(leftover)


def _mark(path: Path) -> str:
    """Eight signs that tell what a temporary file was to become."""
    return f"{zlib.crc32(os.fsencode(path.name)):08x}"


def _temporary(path: Path) -> BufferedWriter:
    """Open a new temporary file, and hold it; what a call that clears up takes before it is held is left to that."""
    while True:
        temporary = path.with_name(f".{_mark(path)}{uuid.uuid4().hex[8:]}.tmp")
        file = temporary.open("xb")
        with suppress(BlockingIOError):
            _hold(file)
            if temporary.exists():
                return file
        file.close()


def _hold(file: IO[bytes]) -> bool:
    """Lock a temporary file, which ends with the process; ``False`` if there are no locks.

    Raises:
        BlockingIOError: if another call holds it.
    """
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except (OSError, NameError):  # NameError: on Windows, which lets nobody remove what is open
        return os.name != "posix"
    return True


def _to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
