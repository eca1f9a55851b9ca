"""Whatever a stopped pack leaves is complete or not taken for complete, and the next call finishes it."""

import signal

import pytest

from gpustab import ComputationError
from gpustab.runs.packing import output
from gpustab.runs.packing.pack import pack_runs
from tests.runs.packing.kills import (
    check,
    contents,
    in_child,
    kill_at_random,
    make_sources,
    pack_and_die,
    pack_with_little_room,
)


@pytest.fixture
def small(tmp_path):
    """Sources, and the bytes of their pack."""
    paths = make_sources(tmp_path, 30, 4)
    pack_runs(paths, tmp_path / "wanted")
    return paths, contents(tmp_path / "wanted")


def test_killed_at_random_moments(tmp_path):
    assert sum(kill_at_random(tmp_path, 10, seed=1, longest=0.15, v=500).values()) == 10


def test_killed_before_one_step_after_another(small, tmp_path):
    sources, wanted = small
    states = set()
    for call, step in enumerate((1, 2, 4, 9, 23, 40, 41, 43, 60, 30, 20, 7, 11, 3, 1)):
        code = in_child(pack_and_die, sources, tmp_path / "out", step)
        states.add(check(tmp_path / "out", wanted))
        assert code in (0, -signal.SIGKILL), call
    assert len(states) > 2
    pack_runs(sources, tmp_path / "out")
    assert contents(tmp_path / "out") == wanted


def test_a_disk_that_fills_up_while_it_is_written(small, tmp_path):
    sources, wanted = small
    size = max(len(content) for name, content in wanted.items() if "packed-" in name)
    codes = [in_child(pack_with_little_room, sources, tmp_path / "out", limit) for limit in (0, 200, size - 1)]
    assert codes[1:] == [3, 3]
    assert check(tmp_path / "out", wanted) != "whole"
    pack_runs(sources, tmp_path / "out")
    assert contents(tmp_path / "out") == wanted


def test_room_is_looked_for_before_anything_is_packed(small, tmp_path, monkeypatch):
    sources, wanted = small
    monkeypatch.setattr(output.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 5000}))
    with pytest.raises(ComputationError, match=r"still to be packed takes 7\.\d+ kB, 5 kB are free"):
        pack_runs(sources, tmp_path / "out")
    assert check(tmp_path / "out", wanted) == "nothing packed"
