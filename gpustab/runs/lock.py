"""One writer at a time: a lock of the operating system on a small file, which ends with the process that holds it.

Nothing is ever stale: what a killed call leaves is a file that nobody holds, and the next call takes it.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from gpustab.errors import ComputationError, InputError
from gpustab.formats.atomic import told

log = logging.getLogger("gpustab")

_PAUSE = 0.01
_PATIENCE = 60.0
"""Seconds; what is done under a lock that others wait for takes milliseconds."""
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
"""Who cannot make a file in a folder writes nothing else there either."""
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""What file systems say that have no locks."""


@contextmanager
def one_at_a_time(folder: Path, purpose: str) -> Iterator[None]:
    """Hold a folder for a purpose, after whoever holds it now.

    Args:
        folder: must be there.
        purpose: others may hold the folder for another one.

    Raises:
        ComputationError: if somebody holds it for longer than any work under such a lock takes.
    """
    held = f"another call has held this lock for more than {_PATIENCE:.0f} s"
    with _holding(folder, purpose, _PATIENCE, ComputationError(f"{_file(folder, purpose)}: {held}")):
        yield


@contextmanager
def alone(folder: Path, purpose: str, doing: str) -> Iterator[None]:
    """Hold a folder for a purpose, or refuse to share it.

    Args:
        folder: must be there.
        purpose: see :func:`one_at_a_time`.
        doing: what the other call does there.

    Raises:
        InputError: if another call holds it.
    """
    ways = "wait until it has ended, or take another folder"
    with _holding(folder, purpose, 0, InputError(f"{folder}: another call is {doing} there now; {ways}")):
        yield


def clear_lock(folder: Path, purpose: str) -> None:
    """Remove the lock that a killed call left, after whoever holds it now; see :func:`one_at_a_time`."""
    if _file(folder, purpose).exists():
        with one_at_a_time(folder, purpose):
            pass


def _file(folder: Path, purpose: str) -> Path:
    return folder / f".{purpose}.lock"


def _taken(lock: FileLock, patience: float) -> bool:
    """Take a lock where one can be held and need be; ``False`` if somebody else holds it for longer than this."""
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            path = Path(lock.lock_file)
            path.unlink(missing_ok=True)
            log.warning("%s: this file system has no locks; let no other call write there meanwhile", path.parent)
        elif error.errno not in _READ_ONLY or os.name != "posix":
            with told(Path(lock.lock_file), "locked"):
                raise
    return True


@contextmanager
def _holding(folder: Path, purpose: str, patience: float, refusal: Exception) -> Iterator[None]:
    """Hold a lock, or raise a refusal; its file is removed while it is held, so that nobody can hold it and lose it."""
    # Without locks of the operating system a file alone would hold the folder, also after a call was killed.
    lock = FileLock(_file(folder, purpose), poll_interval=_PAUSE, fallback_to_soft=False)
    if not _taken(lock, patience):
        raise refusal
    try:
        yield
    finally:
        if lock.is_locked and os.name == "posix":  # on Windows, what is open cannot be removed: filelock does it later
            Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()
