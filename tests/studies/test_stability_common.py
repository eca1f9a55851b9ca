"""Neighbours that all of some runs have in common, as stability says them: against sets, and on the page."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.report.describe import describe
from gpustab.runs.key import Key
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of


def naive(runs, n, m):
    """Mean over words, and over every choice of m runs, of what all their lists of n share."""
    cosines = [x @ x.T - 3 * torch.eye(len(x)) for x in runs.stack()]
    lists = [[set(row) for row in x.topk(n).indices.tolist()] for x in cosines]
    chosen = list(combinations(lists, m))
    return np.mean([[len(set.intersection(*own)) / n for own in zip(*some, strict=True)] for some in chosen])


@pytest.fixture(scope="module")
def six():
    return runs_of(noisy_copies(6, 60, 6, 0.3))


def test_numbers_are_those_of_sets_and_their_errors_those_of_a_jackknife(six):
    found = stability(six, neighbours=[5, 20]).groups[0]["neighbours"]
    common = found["5"]["common"]
    assert [one["runs"] for one in common] == [3, 5, 6]
    assert [one["r"] for one in common] == pytest.approx([naive(six, 5, m) for m in (3, 5, 6)])
    assert [one["r"] for one in common] == sorted((one["r"] for one in common), reverse=True)
    left = [naive(six.take([k for k in range(6) if k != r]), 5, 3) for r in range(6)]
    assert common[0]["r_se"] == pytest.approx(np.sqrt(5 / 6 * np.square(np.array(left) - np.mean(left)).sum()))
    assert common[-1]["r_se"] is None  # of all runs there is one choice
    assert found["20"]["common"] == []  # only of lists that papers have


def test_tiles_change_nothing_and_two_runs_are_p(six, monkeypatch):
    lists = engine.neighbour_pass(six, torch.arange(60), 5)
    whole = engine.common_pass(lists, 5, [2, 3])
    assert float(whole.share[0]) == pytest.approx(float(engine.overlap_pass(lists, [5]).p_word.mean()))
    monkeypatch.setattr("gpustab.machine.device.Compute.tile", lambda *_: 7)
    torch.testing.assert_close(engine.common_pass(lists, 5, [2, 3])[1:3], whole[1:3])


def test_the_page_has_them_of_one_group_and_of_several(six):
    together = "Which share of neighbours do several runs all have?"

    def common(groups):
        (block,) = [block for block in describe(stability(groups, neighbours=[5])) if block.title == together]
        assert block.folded
        assert "only at one number" in block.aside
        return block.tables[0]

    last = "of all runs, as a part of the union"
    assert [row[0] for row in common(six).rows] == ["of 3 runs", "of 5 runs", "of 6 runs", last]
    table = common([replace(six, key=Key("a")), replace(six.take([0, 1, 2, 3]), key=Key("b"))])
    assert [row[0] for row in table.rows] == ["of 3 runs", "of 4 runs", "of 5 runs", "of 6 runs", last]
    assert table.rows[2][2] == "–"  # four runs have no five
