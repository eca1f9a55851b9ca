"""The profile of commands: what runs is called by its room, and what was measured is what was called."""

import json
import sys
import threading
import time

import pytest
import torch
from typer.main import get_command

from benchmarks import profile_studies
from benchmarks.profile_studies import CALLS, MADE, call, chapter_of, phase_of, row_of
from benchmarks.setting import ROOT
from gpustab.cli import app
from gpustab.errors import GpustabError
from gpustab.kernels.pip_loss import over_pairs
from gpustab.studies.instability import study
from tests import generators


@pytest.mark.parametrize(
    ("path", "phase"),
    [
        ("gpustab/engine/pip.py", "products"),
        ("gpustab/kernels/training/glove.py", "training"),
        ("gpustab/kernels/panels.py", "products"),
        ("gpustab/runs/packing/pack.py", "reading"),
        ("gpustab/report/svg/charts.py", "drawing"),
        ("gpustab/studies/change/figures.py", "drawing"),
        ("gpustab/report/html.py", "writing"),
        ("gpustab/studies/change/laws.py", "studies/change/laws"),
        ("gpustab/cli/session.py", "cli/session"),
    ],
)
def test_every_module_has_a_phase(path, phase):
    assert profile_studies._room(path) == phase


def test_the_innermost_function_of_ours_decides():
    seen = []
    over_pairs(lambda i: seen.append(phase_of(sys._getframe())) or torch.ones(3 - i, 2), 2, torch.ones(3, 2) > 0)
    assert set(seen) == {"products"}


def test_the_chapter_is_that_of_the_study_above(monkeypatch):
    seen = []

    def chapter():
        seen.append(chapter_of(sys._getframe()))
        raise GpustabError("enough")

    monkeypatch.setattr(study, "_chapters", lambda *_: [("trees", chapter)])
    with pytest.raises(GpustabError, match="enough"):
        study.instability([generators.runs_of(generators.noisy_copies(3, 30, 4))])
    assert seen == ["trees"]
    assert chapter_of(sys._getframe()) == ""


def test_all_calls_are_commands_and_all_commands_are_called():
    known = get_command(app).commands
    first = {line.split()[0] for line in [*CALLS.values(), *MADE.values()]}
    assert first | {"demo", "doctor", "bench"} == set(known)
    studies = {line.split()[1] for line in CALLS.values() if line.startswith("study")}
    assert studies == set(known["study"].commands)


def test_a_call_is_measured(tmp_path):
    found = call(ROOT, "info --no-such-option", {}, tmp_path)  # a wrong option loads no torch
    assert found["code"] == 2
    assert "--no-such-option" in found["said"]
    assert found["peak_mb"] > 10
    assert found["written"] == 0
    rounding = 0.005 * (len(found["phases"]) + 1)
    assert sum(found["phases"].values()) == pytest.approx(found["seconds"], abs=rounding + 1e-9)


@pytest.mark.slow
def test_a_call_that_works_is_measured(tmp_path):
    assert call(ROOT, "info --help", {}, tmp_path)["code"] == 0


def test_the_watcher_is_done_before_what_it_saw_is_written(monkeypatch, tmp_path):
    before, looked = set(threading.enumerate()), threading.Event()

    def slow_look(_):
        looked.set()
        time.sleep(0.05)
        return "last"

    monkeypatch.setattr(profile_studies, "chapter_of", slow_look)
    monkeypatch.setattr("gpustab.cli.run", looked.wait)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setattr(sys, "argv", [])
    profile_studies.watched(["info"], tmp_path / "seen.json")
    assert set(threading.enumerate()) <= before
    assert list(json.loads((tmp_path / "seen.json").read_text())["chapters"]) == ["last"]


def of(version, *calls):
    return [{"call": call, "version": version} for call in calls]


def test_new_rows_take_the_place_of_all_of_their_calls_made_run_sets_too():
    rows = of("old", "make: x", "info lee") + of("older", "info lee", "train lee")
    new = of("new", "info lee", "make: x")
    assert profile_studies._with(rows, new) == of("older", "train lee") + new
    assert profile_studies._with(rows, []) == rows


def test_what_was_run_is_not_said_not_to_be_though_an_earlier_version_was_run_after_it():
    rows = of("after", "train lee") + of("before", "train lee", "info lee")
    found = profile_studies._not_run(rows, "after")
    assert "train lee" not in found
    assert found["info lee"] == "last at before"
    assert found["encode lee"] == "needs --encoder"
    assert set(found) == set(CALLS) - {"train lee"}


def test_rows_are_medians():
    calls = [
        {"code": 0, "seconds": s, "processor": s, "phases": {"start": s / 2, "dust": 0.01}, "peak_mb": s, "written": 7}
        | {"chapters": {"trees": s / 4}}
        for s in (1.0, 5.0, 3.0)
    ]
    row = row_of("x", "after", calls)
    assert row["chapters"] == {"trees": 0.75}
    assert (row["seconds"], row["span"], row["phases"], row["peak_mb"]) == (3.0, [1.0, 5.0], {"start": 1.5}, 5.0)
