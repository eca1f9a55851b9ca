"""One writer at a time: a lock of the operating system on a small file, which ends with the process that holds it.

Nothing is ever stale: what a killed call leaves is a file that nobody holds, and the next call takes it.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gpustab.errors import ComputationError, InputError
from gpustab.machine.device import log

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

_PAUSE = 0.01
_PATIENCE = 60.0
"""Seconds; what is done under a lock that others wait for takes milliseconds."""
_NONE_HERE = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
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
    path, until = _file(folder, purpose), time.monotonic() + _PATIENCE
    while (held := _Lock.take(path)) is None:
        if time.monotonic() > until:
            raise ComputationError(f"{path}: another call has held this lock for more than {_PATIENCE:.0f} s")
        time.sleep(_PAUSE)
    with held:
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
    held = _Lock.take(_file(folder, purpose))
    if held is None:
        raise InputError(
            f"{folder}: another call is {doing} there now; wait until it has ended, or take another folder"
        )
    with held:
        yield


def is_lock(path: Path) -> bool:
    """Tell whether a file is a lock."""
    return path.name.startswith(".") and path.suffix == ".lock"


def _file(folder: Path, purpose: str) -> Path:
    return folder / f".{purpose}.lock"


class _Lock:
    """A file that this process holds; its descriptor is ``None`` where nothing can be held, and need not be."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, path: Path) -> _Lock | None:
        """Return the lock, or ``None`` if somebody else holds it."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and os.name == "posix":
                return cls(path, None)  # who cannot make a file here writes nothing else either
            if isinstance(error, PermissionError):
                return None  # Windows, while another one removes it
            raise
        try:
            if _locked(descriptor) and _same(path, descriptor):
                return cls(path, descriptor)
        except OSError as error:
            if error.errno not in _NONE_HERE:
                os.close(descriptor)
                raise
            log.warning("%s: this file system has no locks; let no other call write there meanwhile", path.parent)
            return cls(path, descriptor)
        os.close(descriptor)
        return None

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._descriptor is None:
            return
        if fcntl is None:  # what is open cannot be removed there
            os.close(self._descriptor)
            _remove(self._path)
        else:  # removed while it is held, so that nobody can hold it and lose it
            _remove(self._path)
            os.close(self._descriptor)


def _remove(path: Path) -> None:
    with suppress(PermissionError):  # Windows: the next one has it open, and removes it
        path.unlink(missing_ok=True)


def _locked(descriptor: int) -> bool:
    """Lock a file that is open, unless somebody else has."""
    try:
        if fcntl is None:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def _same(path: Path, descriptor: int) -> bool:
    """Tell whether a file still has its name: the one who held it before may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
