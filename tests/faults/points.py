"""Fault points, installed from outside: every operation on files below a folder is counted, and one of them fails.

Python's ``open``, the functions of ``os``, locks, and the opening of safetensors files are replaced; what reads and
writes by another way would not be seen, so a test of the product's text sees that there is none.
"""

import builtins
import errno
import fcntl
import io
import json
import os
import re
import signal
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

from gpustab.formats.binary import tensors

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
FAULTS = (*ERRORS, "interrupt", "kill")
READS = {"open to read", "read", "map", "list"}


def applies(kind, fault):
    """A full disk can still be read."""
    return not (fault == "ENOSPC" and kind in READS)


def settled(name):
    """A path with names that are drawn at random as one."""
    return re.sub(r"\.[0-9a-f]{32}\.tmp", ".random.tmp", name)


class Points:
    """Counts operations below a folder, in this process and those that it starts; one of them fails, once.

    Args:
        folder: in which.
        journal: a file elsewhere, where every operation is written down.
        case: kind and path of the operation that fails, and the how many of its kind and path in its process.
        fault: how it fails.
    """

    def __init__(self, folder, journal, case=None, fault=None):
        self._folder = os.path.realpath(folder)
        self._journal, self._case, self._fault = str(journal), case, fault
        self._met = Counter()
        self._failed = f"{journal}-failed"
        for path in (self._journal, self._failed):
            Path(path).unlink(missing_ok=True)
        self._open = os.open  # of the system

    def seen(self):
        """Every operation so far, as cases; names drawn at random stand as one."""
        lines = map(json.loads, Path(self._journal).read_text().splitlines())
        return list(dict.fromkeys((kind, place, which) for kind, place, which in lines))

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
        return settled(path[len(self._folder) + 1 :])

    def step(self, kind, path):
        """Count an operation; tells whether this one shall fail, for who does half of it first."""
        if (place := self.relative(path)) is None:
            return False
        case = kind, place, self._met[kind, place]
        self._met[kind, place] += 1
        self._write(self._journal, os.O_APPEND, f"{json.dumps(case)}\n")
        return case == self._case and self._first()

    def _first(self):
        """Whether no other process has failed here."""
        with suppress(FileExistsError):
            self._write(self._failed, os.O_EXCL, "")
            return True
        return False

    def _write(self, path, how, text):
        file = self._open(path, os.O_CREAT | os.O_WRONLY | how)
        os.write(file, text.encode())
        os.close(file)

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
