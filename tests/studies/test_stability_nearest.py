import numpy as np
import torch

from gpustab import engine
from gpustab.studies.neighbours.claims import FIRM, UNJUDGED
from gpustab.studies.stability import nearest
from gpustab.studies.stability.nearest import nearest_table
from tests.generators import noisy_copies, runs_of


def slow(runs, found, n):
    """The same rows, word by word."""
    rows = []
    for t, target in enumerate(found.targets.tolist()):
        lists = [found.indices[r, t, :n].tolist() for r in range(len(runs))]
        inside = {k: "".join(str(int(k in some)) for some in lists) for some in lists for k in some if k >= 0}
        common = sorted((k for k in inside if inside[k].count("1") > 1), key=lambda k: (-inside[k].count("1"), k))
        rows += [(runs.vocabulary.text(target), runs.vocabulary.text(k), inside[k]) for k in common[:20]]
    return rows


def shares(found, n):
    """p@n of each target."""
    return engine.overlap_pass(found, [n]).p_word[0]


def test_rows_are_those_of_the_lists():
    runs = runs_of(noisy_copies(5, 60, 4, noise=0.6))
    found = engine.neighbour_pass(runs, torch.tensor([3, 7, 40]), 12)
    table = nearest_table(runs, found, 10, shares(found, 10))
    assert list(zip(table["word"], table["neighbour"], table["runs"], strict=True)) == slow(runs, found, 10)
    assert table.long
    assert set(table["group"]) == {"runs"}


def test_of_many_words_the_most_frequent_are_kept(monkeypatch):
    monkeypatch.setattr(nearest, "_WORDS", 2)
    runs = runs_of(noisy_copies(3, 30, 4))
    found = engine.neighbour_pass(runs, torch.arange(30), 5)
    p = shares(found, 5)
    assert list(dict.fromkeys(nearest_table(runs, found, 5, p)["word"])) == ["w0", "w1"]
    counts = torch.arange(30)
    object.__setattr__(runs, "counts", counts)
    assert list(dict.fromkeys(nearest_table(runs, found, 5, p)["word"])) == ["w28", "w29"]


def test_runs_that_share_nothing_have_no_rows():
    runs = runs_of(torch.from_numpy(np.random.default_rng(0).normal(size=(2, 400, 30))))
    found = engine.neighbour_pass(runs, torch.arange(3), 1)
    assert nearest_table(runs, found, 1, shares(found, 1)).height == 0


def test_each_word_is_judged_by_its_own_share_of_lists_in_common():
    """Of five runs, which judge no neighbour of a word whose lists have too little in common."""
    runs = runs_of(noisy_copies(5, 60, 4, noise=0.05))
    found = engine.neighbour_pass(runs, torch.tensor([3, 7, 40]), 12)
    table = nearest_table(runs, found, 10, torch.tensor([0.9, 0.2, 0.9]))
    judged = {word: set(table.where(word=word)["verdict"]) for word in ("w3", "w7", "w40")}
    assert judged["w7"] == {UNJUDGED}
    assert FIRM in judged["w3"] & judged["w40"]
    firm = [runs for runs, verdict in zip(table["runs"], table["verdict"], strict=True) if verdict == FIRM]
    assert all(runs.count("1") >= 4 for runs in firm)
