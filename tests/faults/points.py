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
import shutil
import signal
import sys
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import gpustab
from gpustab.formats.binary import tensors
from tests.faults.forks import open_again

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
FAULTS = (*ERRORS, "interrupt", "kill")
OURS = str(Path(gpustab.__file__).parent) + os.sep
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

    Attributes:
        fails: tells of an operation whether it shall fail; the one that was chosen, unless another rule is put here.
    """

    def __init__(self, folder, journal, case=None, fault=None):
        self._folder = os.path.realpath(folder)
        self._journal, self._case, self._fault = str(journal), case, fault
        self._met, self._asleep = Counter(), False
        self._aside = f"{self._folder}-aside"
        self.fails = lambda case: case == self._case and self._first()
        self._failed = f"{journal}-failed"
        Path(self._journal).write_text("")
        Path(self._failed).unlink(missing_ok=True)
        self._open = os.open  # of the system

    @staticmethod
    def seen(journal):
        """Every operation in a journal as a case, with its site, and the threads of all processes that came by.

        The site is our own stack there. Names drawn at random stand as one.
        """
        lines = list(map(json.loads, Path(journal).read_text().splitlines()))
        sites = {}
        for (kind, place, which), site, _ in lines:
            sites.setdefault((kind, place, which), site)
        return sites, {thread for _, _, threads in lines for thread in threads}

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
        if self._asleep or (place := self.relative(path)) is None:
            return False
        case = kind, place, self._met[kind, place]
        self._met[kind, place] += 1
        threads = [f"{os.getpid()} {thread.name}" for thread in threading.enumerate()]
        self._write(self._journal, os.O_APPEND, f"{json.dumps((case, site(), threads))}\n")
        return self.fails(case)

    @contextmanager
    def asleep(self):
        """Count nothing."""
        self._asleep = True
        yield
        self._asleep = False

    def set_aside(self):
        """Put a copy of the folder into its place; nothing is counted until it is put back."""
        self._asleep = True
        Path(self._folder).rename(self._aside)
        shutil.copytree(self._aside, self._folder)  # with the times, which packs record

    def become(self, case, fault):
        """Let the operation that a process is at fail, in a fork of it that goes on in the copy."""
        os.chdir(self._folder)
        open_again(self._aside, self._folder)
        self._fault, self._asleep = fault, False
        self.fails = lambda _: False

    def put_back(self):
        """Put the folder back into its place."""
        shutil.rmtree(self._folder)
        Path(self._aside).rename(self._folder)
        self._asleep = False

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
            signal.raise_signal(signal.SIGKILL)
        if self._fault == "interrupt":
            signal.raise_signal(signal.SIGINT)
            return  # in a thread the main one gets it
        number = ERRORS[self._fault]
        raise OSError(number, os.strerror(number), *([] if isinstance(path, int) else [os.fspath(path)]))


def site():
    """Where our own code stands, from the outermost call on."""
    frame, lines = sys._getframe(1), []
    while frame is not None:
        if frame.f_code.co_filename.startswith(OURS):
            lines.append(f"{frame.f_code.co_filename[len(OURS) :]}:{frame.f_lineno}")
        frame = frame.f_back
    return " ".join(reversed(lines))


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
