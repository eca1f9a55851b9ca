import numpy as np
import pytest

from gpustab.evaluation import RunScores


def test_statistics_are_those_of_numpy():
    values = np.random.default_rng(0).normal(size=7)
    scores = RunScores(tuple(values.tolist()))
    assert scores.mean == pytest.approx(values.mean())
    assert scores.sd == pytest.approx(values.std(ddof=1))
    assert (scores.n, scores.best, scores.worst) == (7, values.max(), values.min())


def test_undefined_scores_are_left_out():
    assert RunScores((None, 0.5, None, 0.1)).mean == pytest.approx(0.3)
    one = RunScores((None, 0.5))
    assert (one.n, one.mean, one.sd, one.best) == (1, 0.5, None, 0.5)
    none = RunScores((None, None))
    assert (none.n, none.mean, none.sd, none.best, none.worst) == (0, None, None, None, None)
