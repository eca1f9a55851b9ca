"""How trainings end that somebody stops, or that have nothing to do."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpustab.cli.app import app
from gpustab.formats.atomic import _mark
from tests.runs.read_only import read_only

PROGRAM = """
import os, sys, time, joblib
from gpustab.machine.job import end_with
def work(_):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two write into one pipe
    time.sleep(60)
joblib.Parallel(2, backend=sys.argv[1], initializer=end_with, initargs=(os.getpid(),))(map(joblib.delayed(work), "ab"))
"""


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processes are told by /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(how):
    call = [sys.executable, "-c", PROGRAM, "multiprocessing"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        workers = [int(parent.stdout.readline()) for _ in "ab"]
        assert all(map(alive, workers))
        parent.send_signal(how)
    deadline = time.monotonic() + 30
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_are_told_as_ctrl_c_is(name):
    program = f"""
import os, signal, typer
import gpustab.cli
from gpustab.cli.complaints import complaining
signal.signal(signal.{name}, signal.SIG_DFL)  # which `nohup` would have it pass over
def app():
    with complaining():
        try:
            os.kill(os.getpid(), signal.{name})
            signal.pause()
        finally:
            os.kill(os.getpid(), signal.{name})  # coreutils' timeout sends it twice
gpustab.cli.app = app
try:
    gpustab.cli.run()
except typer.Exit as end:
    raise SystemExit(end.exit_code)
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.stderr.strip() == "stopped; nothing was written"
    assert child.returncode == 128 + getattr(signal, name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ends")
    words = ["war", "peace", "king", "queen", "ship", "sea", "land", "town", "road", "river", "bread", "wine"]
    lines = [" ".join(words[(3 * k + n * n) % 12] for n in range(9)) for k in range(40)]
    (folder / "text.txt").write_text("\n".join(f"{line} {words[k % 12]}" for k, line in enumerate(lines)))
    return folder


def call(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def train(folder):
    """A training that is done, as its arguments."""
    plan = ("train", folder / "text.txt", "--technique", "lsa", "--dim", 3, "--min-count", 1, "--as-is")
    train = (*plan, "-o", folder / "set", "--runs", 2)
    assert call(*train).exit_code == 0
    return train


DONE = "all runs of this plan were there already; nothing was done"


@pytest.mark.parametrize("runs", [2, 1])
def test_a_finished_training_needs_no_disk_to_write_to(folder, train, runs):
    """What a killed call left stays there then, and goes with the next call that may write."""
    left = [folder / "set" / ".manifest.lock", folder / "set" / f".{_mark(Path('manifest.json'))}{'0' * 24}.tmp"]
    for path in left:
        path.touch()
    with read_only(folder):
        again = call(*train[:-1], runs)
    assert again.exit_code == 0, again.output
    assert DONE in " ".join(again.output.split())
    assert all(path.exists() for path in left)
    assert call(*train).exit_code == 0
    assert not any(path.exists() for path in left)


def test_a_finished_sweep_is_asked_for_no_room(folder, train):
    sweep = ("sweep", folder / "no.txt", "--technique", "lsa", "--vary", "dim=2,3", "-o")
    (folder / "sweep").mkdir()
    shutil.copytree(folder / "set", folder / "swept/sgns-baseline")
    for place, said in ((folder / "swept", "no.txt"), (folder / "sweep", "cannot write there")):  # one holds a run set
        with read_only(folder):
            assert said in call(*sweep, place).output


@pytest.mark.slow
def test_what_is_finished_needs_no_disk_to_write_to(folder, train):
    sweep = (
        "sweep",
        train[1],
        "--technique",
        "lsa",
        "--vary",
        "dim=2,3",
        "--as-is",
        "--sampling",
        "fixed",
        "--runs",
        2,
    )
    sweep += ("--min-count", 1, "--set", "lsa.dim=3", "-o", folder / "sweeps")
    done = call(*sweep)
    assert done.exit_code == 0, done.output
    with read_only(folder):
        assert call(*sweep).exit_code == 0
    halves = (*train[:9], "-o", folder / "halves", "--runs", 2, "--sampling", "fixed", "--halves")
    pack = ("pack", folder / "set", "-o", folder / "packed")
    for done in (halves, pack):
        assert call(*done).exit_code == 0
    with read_only(folder):
        for done in (halves, (*train[:-1], 1)):
            assert DONE in " ".join(call(*done).output.split())
        assert "was packed already; nothing was done" in " ".join(call(*pack).output.split())
        more = call(*train[:-1], 3)
        assert more.exit_code
        assert "Read-only file system" in more.output


@pytest.mark.parametrize("part", ["", "lsa", "lsa/bootstrap", "lsa/../lsa"])
@pytest.mark.usefixtures("train")
def test_a_part_of_a_run_set_is_runs_for_every_command(folder, part):
    for command in (("study", "bootstrap", folder / "set" / part, "--query", "war"), ("info", folder / "set" / part)):
        found = call(*command)
        assert found.exit_code == 0, found.output
