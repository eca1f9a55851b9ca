"""Work in forks of this process: one of its own, or one at every operation of it that shall fail.

A fork at an operation is what a process would be that came there by itself, without the time that takes. It works in a
copy of the folder at the folder's own path, and what it had open there it opens again in the copy, as far and as locked
as it was.
"""

import ctypes
import faulthandler
import fcntl
import json
import os
import signal
import warnings
from pathlib import Path

from joblib.externals.loky.backend.context import set_start_method

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def in_child(work):
    """Do some work in a fork of this process; return what it returns, or nothing where it was killed.

    It starts processes by forking too, so that they know the points; here they are waited for, whoever started them.
    """
    others = _children()
    reader = _fork(lambda _: work())
    answer = next(_messages(reader), None)
    os.close(reader)
    _reap(others)
    return answer


def at_operations(wanted, points, work):
    """Do some work in a fork, and in a fork of that at every operation that shall fail, for each of its faults.

    Args:
        wanted: by case the faults.
        points: that the work passes; their folder is put back after each fault.
        work: what is done; returns what JSON can hold.

    Yields:
        Case, fault, and what the work returned that met it, nothing where it was killed; the folder is as it was left.
    """
    others = _children()
    wait, go = os.pipe()

    def watched(writer):
        def fails(case):
            for fault in wanted.get(case, ()):
                _send(writer, [case, fault])
                if _forked(points, case, fault, writer):
                    return True
                os.read(wait, 1)
                points.put_back()
            return False

        points.fails = fails
        return work()

    reader = _fork(watched)
    met = None
    for message in _messages(reader):
        if met is None and not isinstance(message, list):
            break  # the work itself has ended
        if met is None:
            met = message
        else:
            (kind, place, which), fault = met
            yield (kind, place, which), fault, message
            os.write(go, b".")
            met = None
    for end in (reader, wait, go):
        os.close(end)
    _reap(others)


def _forked(points, case, fault, writer):
    """Fork where an operation shall fail; tells in the fork that it is that, and ends with it in the process itself."""
    points.set_aside()
    itself = os.getpid()
    child = ctypes.PyDLL(None).fork()  # not by Python: locks would let go where they hear that they were forked
    if not child:
        os.getpid = lambda: itself
        points.become(case, fault)
        return True
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        _send(writer, None)  # else it has said itself how it ended
    return False


def open_again(old, new):
    """Open whatever is open below an old folder below the new one, with its place in the file and its lock."""
    for link in list(Path("/proc/self/fd").iterdir()):
        number = int(link.name)
        try:
            path = link.readlink()
        except OSError:  # that of the list itself
            continue
        if not path.is_relative_to(old) or path.name.endswith(" (deleted)"):
            continue
        how = fcntl.fcntl(number, fcntl.F_GETFL) & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC)
        again = os.open(Path(new, path.relative_to(old)), how)
        if not path.is_dir():
            os.lseek(again, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
        held = Path(f"/proc/self/fdinfo/{number}").read_text()
        os.dup2(again, number, os.get_inheritable(number))
        os.close(again)
        if "FLOCK" in held:
            fcntl.flock(number, fcntl.LOCK_EX if "WRITE" in held else fcntl.LOCK_SH)


def _fork(work):
    """Start a fork that works, and sends what it returns; return the end to read that from."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return reader
    os.close(reader)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with warnings.catch_warnings(action="ignore"):
        set_start_method("fork", force=True)
    faulthandler.enable()  # else loky's workers do so, by a stderr that is none
    try:
        answer = work(writer)
    except BaseException as error:  # what comes through is the finding
        answer = {"code": None, "said": "", "through": repr(error)}
    _send(writer, answer)
    os._exit(0)


def _send(writer, message):
    content = json.dumps(message).encode() + b"\0"
    while content:
        content = content[os.write(writer, content) :]


def _messages(reader):
    """Yield what is sent, until all who could send have ended."""
    said = b""
    while more := os.read(reader, 1 << 20):
        *whole, said = (said + more).split(b"\0")
        yield from map(json.loads, whole)


def _reap(others):
    while left := _children() - others:
        os.waitpid(min(left), 0)


def _children():
    """The processes that this one has to wait for."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
