import math

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.formats.memory import from_pair
from gpustab.runs.join import join
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability
from tests import oracles
from tests.generators import noisy_copies, runs_of


def test_shares_count_the_runs_that_have_a_neighbour():
    stack = noisy_copies(5, 40, 6).numpy()
    result = neighbours_of(runs_of(torch.from_numpy(stack)), "w7", 4)
    lists = [oracles.top_k(x, 7, 4) for x in stack]
    shares = result.frame("shares").set_index("neighbour")
    assert set(shares.index) == {f"w{k}" for row in lists for k in row}
    for word, row in shares.iterrows():
        k = int(word[1:])
        cosines = [oracles.unit(x[7]) @ oracles.unit(x[k]) for x in stack]
        assert row.runs == sum(k in own for own in lists)
        assert row.share == row.runs / 5
        assert 0 <= row.low < row.share < row.high + 1e-12 <= 1 + 1e-12
        assert row.cosine == pytest.approx(np.mean(cosines))
        assert row.cosine_sd == pytest.approx(np.std(cosines, ddof=1))
    assert shares.runs.is_monotonic_decreasing
    side = result.frame("lists")
    assert side["rank"].tolist() == [1, 2, 3, 4] * 5
    assert side["neighbour"].tolist() == [f"w{k}" for own in lists for k in own]
    assert result.groups[0]["lists"] == [[f"w{k}" for k in own] for own in lists]


def test_nine_of_ten_runs_have_the_wilson_interval_of_the_paper():
    stack = torch.eye(4, dtype=torch.float64).repeat(10, 1, 1)
    stack[:, 1] = torch.tensor([0.9, 0.1, 0, 0])
    stack[9, 2] = torch.tensor([0.99, 0, 0.01, 0])  # nearer than w1 in the last run only
    first, second = neighbours_of(runs_of(stack), "w0", 1).tables["shares"].rows()
    assert (first["neighbour"], first["runs"], first["of"], first["share"]) == ("w1", 9, 10, 0.9)
    assert (round(first["low"], 2), round(first["high"], 2)) == (0.60, 0.98)
    assert (second["neighbour"], second["runs"]) == ("w2", 1)


def test_overlap_is_that_of_the_stability_study():
    runs = runs_of(noisy_copies(4, 40, 6))
    group = neighbours_of(runs, b"w3", 5).groups[0]
    wanted = stability(runs, neighbours=[5], words=["w3"]).groups[0]["neighbours"]["5"]
    for name in ("p", "p_sd", "p_se", "chance_p"):
        assert group[name] == pytest.approx(wanted[name])


def test_a_missing_word_is_named():
    with pytest.raises(InputError, match="zebra"):
        neighbours_of(runs_of(noisy_copies(2, 20, 4)), "zebra")


def test_lists_longer_than_the_vocabulary_are_cut_and_said():
    result = neighbours_of(runs_of(noisy_copies(2, 5, 3)), "w0", 10)
    assert result.groups[0]["n"] == 4
    assert max(result.tables["lists"]["rank"]) == 4
    assert any("only 4 other words" in note for note in result.notes)


def some_lack_w2(runs):
    stack = noisy_copies(3, 20, 4)
    words, keep = [f"w{i}" for i in range(20)], [i for i in range(20) if i != 2]
    whole = [(words, run.numpy()) for run in stack[: 3 - runs]]
    return load_runs(
        whole + [([words[i] for i in keep], run[keep].numpy()) for run in stack[3 - runs :]],
        vocabulary="union",
        min_runs=1,
    )


def test_shares_are_of_the_runs_that_have_the_word():
    result = neighbours_of(some_lack_w2(1), "w2", 19)
    assert all(row["share"] == 1 for row in result.tables["shares"].rows())
    assert all(not math.isnan(row["cosine"]) for row in result.tables["shares"].rows())
    assert len(set(result.tables["lists"]["run"])) == 2
    assert result.groups[0]["lists"][2] == []
    assert any("1 of 3 runs do not have the word" in note for note in result.notes)


def test_a_word_of_one_run_has_no_nan_in_its_notes():
    assert not any("nan" in note for note in neighbours_of(some_lack_w2(2), "w2", 3).notes)


def test_a_run_may_have_any_name():
    runs = noisy_copies(2, 20, 4).numpy()
    words = [f"w{i}" for i in range(20)]
    named = join([from_pair(words, run, name) for run, name in zip(runs, ("rank", "other"), strict=True)])
    assert neighbours_of(named, "w2", 3).tables["lists"]["rank"] == [1, 2, 3] * 2


@pytest.mark.parametrize("n", [0, -1])
def test_impossible_lengths_are_refused(n):
    with pytest.raises(InputError, match="n is"):
        neighbours_of(runs_of(noisy_copies(2, 20, 4)), "w2", n)
