import sys

import pytest
import torch

from gpustab import InputError, demo
from gpustab.studies import stability


def test_the_demonstration_trains_the_same_runs_every_time(monkeypatch):
    pytest.importorskip("gensim")
    monkeypatch.setattr(demo, "RUNS", 2)
    monkeypatch.setattr(demo, "EPOCHS", 1)
    progress = []
    first, second = (demo.train_demo_runs(lambda *report: progress.append(report)) for _ in range(2))
    assert first.group == "sgns/shuffled"
    assert first.names == ("seed-0", "seed-1")
    assert first.dimension == 100
    assert first.words > 1000
    assert torch.equal(first.stack(), second.stack())
    assert progress[:2] == [("training run 1 of 2", 0.0), ("training run 2 of 2", 0.5)]
    (group,) = stability(first, neighbours=[10], targets=50).groups
    assert group["pip"]["reduced"]["mean"] > 0  # two seeds, two spaces


def test_without_gensim_the_way_to_get_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(InputError, match=r"pip install 'gpustab\[train\]'"):
        demo.train_demo_runs(lambda *_: None)
