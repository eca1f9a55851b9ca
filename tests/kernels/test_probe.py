"""A probe that learns what can be learned, tells nothing where nothing is, and differs by its seed where told to."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from gpustab.kernels.probe import predicted


def camps(noise, seed=0, n=300, classes=3, d=6, runs=2):
    """Words around the centres of their classes, each run with its own noise; unit rows."""
    rng = np.random.default_rng(seed)
    centres, own = rng.normal(size=(classes, d)), rng.integers(classes, size=n)
    x = centres[own] + noise * rng.normal(size=(runs, n, d))
    return torch.nn.functional.normalize(torch.from_numpy(x), dim=2), torch.from_numpy(own)


def test_classes_that_lie_apart_are_told_as_a_library_tells_them():
    x, own = camps(0.6)
    told = predicted(x[:, :200], own[:200], x[:, 200:], 0)
    for run, answer in zip(x, told, strict=True):
        library = LogisticRegression(C=100).fit(run[:200], own[:200]).predict(run[200:])
        assert np.mean(answer.numpy() == library) > 0.9
        assert float((answer == own[200:]).double().mean()) > 0.7


def test_classes_that_are_dealt_out_are_told_by_chance_alone():
    x, own = camps(0.6, n=600)
    dealt = own[torch.from_numpy(np.random.default_rng(5).permutation(600))]
    told = predicted(x[:, :300], dealt[:300], x[:, 300:], 0)
    assert float((told == dealt[300:]).double().mean()) == pytest.approx(1 / 3, abs=0.08)


def test_a_run_is_told_the_same_alone_and_in_company_and_another_seed_tells_otherwise():
    x, own = camps(2.0, classes=9, d=20)
    both = predicted(x[:, :150], own[:150], x[:, 150:], 7)
    alone = predicted(x[1:, :150], own[:150], x[1:, 150:], 7)
    assert float((both[1:] != alone).double().mean()) < 0.01  # a sum of another order may move one at the border
    other = predicted(x[:, :150], own[:150], x[:, 150:], 8)
    assert 0 < float((other != both).double().mean()) < float((both[0] != both[1]).double().mean())


def test_shapes_that_do_not_fit_are_named():
    x, own = camps(1.0)
    with pytest.raises(ValueError, match=r"\(2, 300, 6\), \(4,\), \(2, 300, 6\)"):
        predicted(x, own[:4], x, 0)
