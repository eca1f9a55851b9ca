from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpustab.corpus import cooccurrence
from gpustab.corpus.cooccurrence import count, count_sample
from gpustab.corpus.sampling import draw_units, sample
from gpustab.errors import ComputationError, InputError
from tests.trainers.conftest import make_corpus


def naive(tokens, texts, v, window, weighting, kept, gaps):
    counts = np.zeros((v, v))
    for start, stop in pairwise(texts):
        places = [i for i in range(start, stop) if gaps or kept[i]]
        for a, i in enumerate(places):
            for b, j in enumerate(places):
                if 1 <= abs(a - b) <= window and kept[i] and kept[j]:
                    far = abs(a - b)
                    weights = {
                        "flat": 1,
                        "harmonic": 1 / far,
                        "linear": sum(far <= w for w in range(1, window + 1)) / window,
                    }
                    counts[tokens[i], tokens[j]] += weights[weighting]
    return counts


@st.composite
def cases(draw):
    lengths = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6))
    n, v = sum(lengths), draw(st.integers(1, 5))
    tokens = draw(arrays(np.int32, n, elements=st.integers(0, v - 1)))
    kept = draw(st.none() | arrays(np.bool_, n))
    texts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return tokens, texts, v, draw(st.integers(1, 12)), draw(st.sampled_from(["flat", "harmonic", "linear"])), kept


@settings(max_examples=300)
@given(cases(), st.booleans())
def test_it_is_the_double_loop(case, gaps):
    tokens, texts, v, window, weighting, kept = case
    found = count(tokens, texts, v, window, weighting, kept=kept, gaps=gaps)
    all_kept = np.ones(len(tokens), bool) if kept is None else kept
    np.testing.assert_allclose(found.toarray(), naive(tokens, texts, v, window, weighting, all_kept, gaps), rtol=1e-12)
    assert found.has_sorted_indices
    assert found.has_canonical_format
    assert (found != found.T).nnz == 0


def test_no_pair_reaches_into_the_next_text():
    tokens = np.array([0, 1, 2, 3], np.int32)
    found = count(tokens, np.array([0, 2, 2, 4]), 4, 3, "flat").toarray()
    assert found[0, 1] == found[2, 3] == 1
    assert found.sum() == 4


@pytest.mark.parametrize(("gaps", "want"), [(True, 0), (False, 1)])
def test_a_gap_keeps_its_place_or_closes(gaps, want):
    kept = np.array([True, False, True])
    found = count(np.array([0, 1, 2], np.int32), np.array([0, 3]), 3, 1, "flat", kept=kept, gaps=gaps)
    assert found[0, 2] == want


def test_a_lost_pair_is_noticed(monkeypatch):
    honest = cooccurrence._tally
    monkeypatch.setattr(cooccurrence, "_tally", lambda left, right, words: honest(left[1:], right[1:], words))
    with pytest.raises(ComputationError, match="they add up to 1, not 3"):
        count(np.array([0, 1, 0], np.int32), np.array([0, 3]), 2, 2, "flat")


def test_a_window_that_reaches_too_short_is_noticed(monkeypatch):
    honest = cooccurrence._pairs_in_windows
    monkeypatch.setattr(cooccurrence, "_pairs_in_windows", lambda stops, kept, window: honest(stops, kept, window + 1))
    with pytest.raises(ComputationError, match="2 pairs were counted where the texts hold 3"):
        count(np.array([0, 1, 0], np.int32), np.array([0, 3]), 2, 1, "flat")


def test_rows_are_the_words_of_the_sample():
    corpus = make_corpus([30, 50, 40], v=20)
    drawn = sample(corpus, np.array([2, 2]))
    found = count_sample(drawn, 3, "flat")
    whole = count(drawn.tokens, drawn.texts, 20, 3, "flat").toarray()
    assert len(drawn.words) < 20
    np.testing.assert_array_equal(found.toarray(), whole[np.ix_(drawn.words, drawn.words)])


@pytest.mark.parametrize(
    ("lengths", "v", "message"),
    [([], 0, "0 different words"), ([9], 1, "1 different words"), ([1, 1, 1], 3, "no text of the sample has two")],
)
def test_samples_without_pairs(lengths, v, message):
    corpus = make_corpus(lengths, v=max(v, 1))
    with pytest.raises(InputError, match=message):
        count_sample(sample(corpus, draw_units("fixed", len(lengths), 0, 0)), 5, "flat")
