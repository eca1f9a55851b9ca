"""Files that appear whole or not at all, also when the power fails: what has its name is on the disk."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gpustab.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, which removes no file that is open
    fcntl = None  # type: ignore[assignment]

_OURS = re.compile(r"\.[0-9a-f]{32}\.tmp")
_cleared: set[Path] = set()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file, whole or not at all, the same bytes on every system."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())  # as a text, Windows would end its lines otherwise


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the same folder, which takes the place of ``path`` when all went well.

    What a killed call left of this kind in the folder is removed before, where nobody is writing there.

    Raises:
        InputError: if the folder is missing or may not be written to.
    """
    path = Path(path)
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    with _writing_in(path.parent):
        try:
            temporary.touch(exist_ok=False)
            mode = temporary.stat().st_mode
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            yield temporary
            temporary.chmod(mode)  # safetensors leaves a file that only its owner may read
            _to_disk(temporary)
            temporary.replace(path)
            if os.name == "posix":  # elsewhere a folder cannot be opened
                _to_disk(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _writing_in(folder: Path) -> Iterator[None]:
    """Share the folder's own lock with all who write there; who can have it alone removes what killed calls left.

    A process looks once at each folder. Where folders have no locks, nothing is removed.
    """
    if fcntl is None or not folder.is_dir():
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        if (place := folder.resolve()) not in _cleared:
            _cleared.add(place)
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for left in folder.iterdir():
                    if _OURS.fullmatch(left.name) and left.is_file() and not left.is_symlink():
                        left.unlink(missing_ok=True)
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield
    finally:
        os.close(lock)


def clear_leftovers(folder: Path) -> None:
    """Remove the temporary files of a call that was killed; nobody may be writing there now."""
    # Ours, and the one that safetensors makes beside the file it was told to write.
    for leftover in (*folder.glob(".*.tmp"), *folder.glob(".tmp??????")):
        leftover.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
