"""Context counts against naive loops on real text."""

import math

import numpy as np
import pytest

from gpustab.small_data.additive import chances, context_counts, kept_tokens
from gpustab.small_data.text import read_text
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import draw_samples
from tests.small_data.made import naive_counts


@pytest.fixture(scope="module")
def lee():
    pytest.importorskip("sentencex")
    pytest.importorskip("gensim")
    return read_text("lee", "en")


@pytest.mark.parametrize(("window", "count"), [(15, "tokens"), (2, "types")])
def test_context_counts_are_those_of_loops_on_real_text(lee, window, count):
    words = [k for k, c in enumerate(lee.counts) if 12 <= c <= 15][:25]
    words = [k for k in words if len(np.unique(lee.sentence[lee.tokens == k])) >= 5]
    samples = draw_samples(lee, words, ConsistencyOptions())
    rows = np.where(np.arange(len(lee.words)) % 7 > 0, np.arange(len(lee.words)), -1)
    kept = kept_tokens(lee, chances(lee.counts, len(lee.tokens), 1e-3), 0)
    assert 0.2 < kept.mean() < 0.9
    matrix = context_counts(lee, samples, rows, len(lee.words), kept, window, types=count == "types")
    for p, wanted in enumerate(naive_counts(lee, samples, rows, kept, window, count == "types")):
        row = matrix[p].tocoo()
        assert sorted(np.repeat(row.col, row.data.astype(int)).tolist()) == wanted


def test_word2vecs_chance_to_be_kept():
    found = chances(np.array([0, 1, 10**4, 10**6]), 10**7, 1e-4)
    assert found[:2].tolist() == [1.0, 1.0]
    assert found[3] == pytest.approx((math.sqrt(10**6 / 10**3) + 1) * 10**3 / 10**6)
    assert chances(np.array([5]), 10, 0.0).tolist() == [1.0]
