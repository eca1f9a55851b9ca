import torch

from gpustab import demo
from gpustab.studies.stability.study import stability


def test_the_demonstration_trains_the_same_runs_every_time(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "RUNS", 2)
    monkeypatch.setattr(demo, "EPOCHS", 1)
    progress = []
    first, second = (demo.train_demo_runs(tmp_path / n, lambda *report: progress.append(report)) for n in "ab")
    assert [runs.name for runs in first] == ["sgns/fixed", "sgns/shuffled", "sgns/bootstrap"]
    assert first[1].dimension == 100
    assert first[1].words > 1000
    assert all(torch.equal(a.stack(), b.stack()) for a, b in zip(first, second, strict=True))
    assert progress[-1][1] == 1.0
    result = stability(first, neighbours=[10], targets=50)
    assert all(group["pip"]["reduced"]["mean"] > 0 for group in result.groups)
    assert [contrast["name"] for contrast in result.contrasts] == ["extrinsic"]
