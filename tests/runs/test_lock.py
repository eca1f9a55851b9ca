"""Two processes at once, in the order that would lose something."""

import errno
import multiprocessing
import os
import signal
import zlib

import pytest

from gpustab import ComputationError, InputError, open_groups
from gpustab.runs import lock, runset
from gpustab.runs.key import Key
from gpustab.runs.lock import alone, one_at_a_time
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import update_manifest, write_leaf, write_runset
from tests.generators import spaces

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["gpustab.runs.runset", "tests.generators"])
LONG = 30


def finish_slowly(folder, has_read, other_is_done):
    """Finish a group, and rest between reading the manifest and writing it until the other call is done, or waits."""
    real = runset.write_manifest

    def write_late(*args):
        has_read.set()
        other_is_done.wait(1)
        real(*args)

    runset.write_manifest = write_late
    update_manifest(folder, {Key("sgns", "shuffled"): 2}, {"by": "slow"})


def finish_meanwhile(folder, has_read, other_is_done):
    has_read.wait(LONG)
    update_manifest(folder, {Key("sgns", "bootstrap"): 2}, {"by": "quick"})
    other_is_done.set()


def in_two_processes(first, second, *arguments):
    children = [CONTEXT.Process(target=work, args=arguments) for work in (first, second)]
    for child in children:
        child.start()
    for child in children:
        child.join(LONG)
        assert child.exitcode == 0


def test_two_calls_that_finish_groups_at_the_same_time_lose_none(tmp_path):
    for sampling in ("fixed", "shuffled", "bootstrap"):
        write_leaf(spaces(2, 10, 3), tmp_path / "sgns" / sampling)
    update_manifest(tmp_path, {Key("sgns", "fixed"): 2}, {})
    in_two_processes(finish_slowly, finish_meanwhile, tmp_path, CONTEXT.Event(), CONTEXT.Event())
    assert {group.name for group in open_groups(tmp_path)} == {"sgns/fixed", "sgns/shuffled", "sgns/bootstrap"}
    assert not list(tmp_path.glob(".*"))


def count(folder, times):
    for _ in range(times):
        with one_at_a_time(folder, "count"):
            number = int((folder / "number").read_text())
            (folder / "number").write_text(str(number + 1))


def test_no_two_hold_it_at_once(tmp_path):
    (tmp_path / "number").write_text("0")
    in_two_processes(count, count, tmp_path, 100)
    assert (tmp_path / "number").read_text() == "200"
    assert [path.name for path in tmp_path.iterdir()] == ["number"]


def hold_and_wait(folder, held):
    with alone(folder, "training", "training"):
        held.set()
        signal.pause()


def test_whoever_is_alone_is_not_joined_and_a_killed_call_holds_nothing(tmp_path):
    held = CONTEXT.Event()
    child = CONTEXT.Process(target=hold_and_wait, args=(tmp_path, held))
    child.start()
    assert held.wait(LONG)
    said = pytest.raises(InputError, match=f"^{tmp_path}: another call is training there now; wait until it has ended")
    with said, alone(tmp_path, "training", "training"):
        raise AssertionError
    with one_at_a_time(tmp_path, "manifest"):  # another purpose
        pass
    child.kill()
    child.join()
    assert (tmp_path / ".training.lock").exists()
    with alone(tmp_path, "training", "training"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_pack_does_not_touch_what_another_one_is_writing(tmp_path):
    write_runset({"sgns/shuffled": spaces(2, 10, 3)}, tmp_path / "set")
    (tmp_path / "out").mkdir()
    with alone(tmp_path / "out", "pack", "packing"):
        (left := tmp_path / "out" / f".{zlib.crc32(b'manifest.json'):08x}{'0' * 24}.tmp").touch()
        with pytest.raises(InputError, match="another call is packing there now"):
            pack_runs([tmp_path / "set"], tmp_path / "out")
        assert left.exists()
        left.unlink()
    pack_runs([tmp_path / "set"], tmp_path / "out")
    assert not list((tmp_path / "out").rglob(".*"))


def test_a_lock_that_is_held_too_long_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "_PATIENCE", 0.05)
    with one_at_a_time(tmp_path, "manifest"):
        said = pytest.raises(ComputationError, match=r"\.manifest\.lock: another call has held this lock")
        with said, one_at_a_time(tmp_path, "manifest"):
            raise AssertionError


def test_a_lock_file_that_was_removed_meanwhile_is_none(tmp_path, monkeypatch):
    """Between opening and locking the holder may go, and take the file with it."""
    fcntl = pytest.importorskip("fcntl")
    real, opened = fcntl.flock, []

    def removed_before(descriptor, operation):
        if operation & fcntl.LOCK_EX:
            opened.append(descriptor)
            if len(opened) == 1:
                (tmp_path / ".x.lock").unlink()
        return real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", removed_before)
    with one_at_a_time(tmp_path, "x"):
        assert len(opened) == 2
        assert (tmp_path / ".x.lock").exists()


def test_a_file_system_without_locks_is_said(tmp_path, monkeypatch, caplog):
    fcntl = pytest.importorskip("fcntl")
    for error in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):

        def none(*args, error=error):
            raise OSError(error, "no locks available")

        monkeypatch.setattr(fcntl, "flock", none)
        caplog.clear()
        with alone(tmp_path, "training", "training"):
            assert "this file system has no locks" in caplog.text
        assert not list(tmp_path.iterdir())


def test_who_may_not_write_needs_no_lock(tmp_path, monkeypatch):
    def refused(*args):
        raise OSError(errno.EROFS, "read-only file system")

    monkeypatch.setattr(os, "open", refused)
    with alone(tmp_path, "pack", "packing"):
        assert not list(tmp_path.iterdir())


def test_the_lock_of_somebody_whose_file_cannot_be_opened_is_left(tmp_path, monkeypatch):
    (tmp_path / ".pack.lock").touch()

    def refused(*args):
        raise PermissionError(errno.EACCES, "permission denied")

    monkeypatch.setattr(os, "open", refused)
    with alone(tmp_path, "pack", "packing"):
        pass
    assert (tmp_path / ".pack.lock").exists()
