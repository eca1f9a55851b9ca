import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpustab import InputError, demo
from gpustab.cli import app
from gpustab.machine.progress import no_progress
from gpustab.report.terminal import to_text
from gpustab.studies.stability.study import stability


def test_the_demonstration_trains_runs_that_tell_how_they_were_made_when_they_are_gone(tmp_path, monkeypatch):
    """That equal settings train equal runs is tested in training/."""
    monkeypatch.setattr(demo, "RUNS", 2)
    monkeypatch.setattr(demo, "EPOCHS", 1)
    plan = demo._plan()
    monkeypatch.setattr(demo, "_plan", lambda: plan | {"jobs": 1})  # two more processes would import all again
    progress = []
    made = demo.train_demo_runs(tmp_path / "a", lambda *report: progress.append(report))
    assert [runs.name for runs in made] == ["sgns/fixed", "sgns/shuffled", "sgns/bootstrap"]
    assert made[1].dimension == 100
    assert made[1].words > 1000
    assert progress[-1][1] == 1.0
    result = stability(made, neighbours=[10], targets=50)
    assert all(group["pip"]["reduced"]["mean"] > 0 for group in result.groups)
    assert [contrast["name"] for contrast in result.contrasts] == ["extrinsic"]
    shutil.rmtree(tmp_path / "a")  # as without --keep
    told = to_text(stability(made, neighbours=[10], targets=50), width=300)
    assert "How the runs were made: sgns; lee (" in told
    assert "seed 0." in told
    assert "not known" not in told
    assert "\nmeasured in " in told


def test_the_commands_that_it_prints_train_the_same(monkeypatch):
    asked = []

    def train(settings, folder, **_):
        asked.append((settings, str(folder)))
        raise InputError("enough")

    monkeypatch.setattr("gpustab.training.train_runs", train)
    typed = demo.demo_commands("kept").split(" && ")[0].split()[1:]
    CliRunner().invoke(app, typed)
    with pytest.raises(InputError, match="enough"):
        demo.train_demo_runs(Path("kept"), no_progress)
    assert asked[0] == asked[1]
