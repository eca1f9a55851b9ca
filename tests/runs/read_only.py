"""A folder that cannot be written to, also by the superuser: Python's audit events refuse what would change it."""

import errno
import os
import sys
from contextlib import contextmanager
from pathlib import Path

_closed: list[str] = []
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.utime", "os.link"}
_hooked = []


def _refuse(event, args):
    if not _closed or event not in {"open", *_CHANGES} or not isinstance(args[0], str | bytes | Path):
        return
    if event == "open" and not (args[2] or 0) & _WRITING:
        return
    path = os.path.realpath(os.fsdecode(args[0]))
    if any(path == folder or path.startswith(f"{folder}{os.sep}") for folder in _closed):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fsdecode(args[0]))


@contextmanager
def read_only(folder):
    """Refuse every change below a folder; a hook stays for good, and does nothing outside of this."""
    if not _hooked:
        sys.addaudithook(_refuse)
        _hooked.append(True)
    _closed.append(os.path.realpath(folder))
    try:
        yield
    finally:
        _closed.pop()
