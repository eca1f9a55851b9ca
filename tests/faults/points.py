"""Fault points, installed from outside: every operation on files below a folder is counted, and one of them fails.

Python's ``open``, the functions of ``os``, locks, and the opening of safetensors files are replaced; what reads and
writes by another way would not be seen, so a test of the product's text sees that there is none.
"""

import builtins
import errno
import fcntl
import io
import os
import re
import signal
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from gpustab.formats.binary import tensors

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
FAULTS = (*ERRORS, "interrupt", "kill")
READS = {"open to read", "read", "map", "list"}


def applies(kind, fault):
    """A full disk can still be read."""
    return not (fault == "ENOSPC" and kind in READS)


class Points:
    """Counts operations below a folder; the one of a number fails, once.

    Attributes:
        seen: kind and path of every operation so far; names drawn at random stand as one.
    """

    def __init__(self, folder, number=None, fault=None):
        self.seen = []
        self._folder = os.path.realpath(folder)
        self._number, self._fault = number, fault

    def relative(self, path):
        """The path below the folder, None of any other."""
        if isinstance(path, int):
            try:
                path = Path(f"/proc/self/fd/{path}").readlink()
            except OSError:
                return None
        path = str(Path.cwd() / os.fsdecode(path))
        if not path.startswith(self._folder + os.sep):
            return None
        return re.sub(r"\.[0-9a-f]{32}\.tmp", ".random.tmp", path[len(self._folder) + 1 :])

    def step(self, kind, path):
        """Count an operation; tells whether this one shall fail, for who does half of it first."""
        if (place := self.relative(path)) is None:
            return False
        self.seen.append((kind, place))
        return len(self.seen) - 1 == self._number and applies(kind, self._fault)

    def fail(self, path):
        """Fail as was chosen."""
        if self._fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self._fault == "interrupt":
            signal.raise_signal(signal.SIGINT)
            return  # in a thread the main one gets it
        number = ERRORS[self._fault]
        raise OSError(number, os.strerror(number), *([] if isinstance(path, int) else [os.fspath(path)]))


class Raw(io.FileIO):
    """A file whose reads and writes are points; a write that fails has written half."""

    def __init__(self, path, mode, points):
        super().__init__(path, mode)
        self._points, self._path, self._read = points, path, False

    def write(self, content):
        content = memoryview(content).cast("B")
        if self._points.step("write", self._path):
            super().write(content[: len(content) // 2])
            self._points.fail(self._path)
            super().write(content[len(content) // 2 :])
            return len(content)
        return super().write(content)

    def readinto(self, buffer):
        self._look()
        return super().readinto(buffer)

    def readall(self):
        self._look()
        return super().readall()

    def _look(self):
        if not self._read:
            self._read = True
            if self._points.step("read", self._path):
                self._points.fail(self._path)


@contextmanager
def installed(points):
    """Let all operations pass through the points."""
    real_open, real_flock = builtins.open, fcntl.flock

    def opened(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if isinstance(file, int) or points.relative(file) is None:
            return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        writes = bool(set("wax+") & set(mode))
        if points.step("open to write" if writes else "open to read", file):
            points.fail(file)
        raw = Raw(file, mode.replace("t", "").replace("b", ""), points)
        if buffering == 0:
            return raw
        buffered = (io.BufferedRandom if "+" in mode else io.BufferedWriter if writes else io.BufferedReader)(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def passing(real, kind):
        def call(path, *more, **how):
            inside = how.get("dir_fd")
            if points.step(kind, inside if inside is not None else path):
                points.fail(path)
            return real(path, *more, **how)

        return call

    kinds = {"fsync": "flush", "replace": "rename", "rename": "rename", "mkdir": "mkdir", "rmdir": "rmdir"}
    kinds |= {"unlink": "remove", "remove": "remove", "scandir": "list", "listdir": "list", "chmod": "chmod"}
    kinds |= {"open": "open by os"}
    with ExitStack() as stack:
        stack.enter_context(patch.object(builtins, "open", opened))
        stack.enter_context(patch.object(io, "open", opened))
        for name, kind in kinds.items():
            stack.enter_context(patch.object(os, name, passing(getattr(os, name), kind)))
        lock = passing(fcntl.flock, "lock")
        let_go = patch.object(
            fcntl, "flock", lambda file, how: (real_flock if how & fcntl.LOCK_UN else lock)(file, how)
        )
        stack.enter_context(let_go)
        stack.enter_context(patch.object(tensors, "safe_open", passing(tensors.safe_open, "map")))
        yield points
