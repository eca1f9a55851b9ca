from itertools import pairwise

import numpy as np
import pytest
from pydantic import ValidationError

from gpustab.corpus import compact
from gpustab.corpus.sampling import Sample, draw_units, sample
from gpustab.errors import ComputationError, InputError
from gpustab.trainers.lsa import TECHNIQUE, LsaParameters, train, unit_counts
from tests.trainers.conftest import make_corpus

pytest.importorskip("sklearn", reason="LSA needs scikit-learn")


@pytest.fixture(scope="module")
def drawn():
    corpus = make_corpus([100, 0, *range(20, 80)])
    return sample(corpus, draw_units("bootstrap", len(corpus), 0, 1))


def test_it_is_scikit_learns_own_pipeline_on_strings(drawn):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    corpus = drawn.corpus
    words = [word.decode() for word in corpus.vocabulary]
    bounds = corpus.texts[corpus.units]
    units = [" ".join(words[t] for t in corpus.tokens[bounds[u] : bounds[u + 1]]) for u in drawn.draw]
    vectorizer = TfidfVectorizer(sublinear_tf=True, norm="l2", vocabulary=[words[i] for i in drawn.words])
    svd = TruncatedSVD(20, random_state=5).fit(vectorizer.fit_transform(units))
    found = train([drawn], LsaParameters(dim=20), [5])[0]
    np.testing.assert_allclose(found, svd.components_.T * svd.singular_values_, atol=1e-6)
    assert found.dtype == np.float32


def test_cosines_are_those_of_the_reduced_matrix(drawn):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer(sublinear_tf=True).fit_transform(unit_counts(drawn))
    svd = TruncatedSVD(20, random_state=5)
    reduced = (svd.fit_transform(weights) @ svd.components_).T  # words by units
    found = train([drawn], LsaParameters(dim=20), [5])[0].astype(np.float64)
    np.testing.assert_allclose(found @ found.T, reduced @ reduced.T, atol=1e-4)


def test_a_unit_drawn_twice_is_two_rows():
    corpus = make_corpus([30, 40, 50], v=10)
    once, twice = (unit_counts(sample(corpus, np.array(draw))).toarray() for draw in ([0, 1], [1, 0, 1]))
    np.testing.assert_array_equal(twice, once[[1, 0, 1]])


@pytest.mark.parametrize("at_once", [1, 45, 100])
def test_counting_some_units_at_a_time_changes_nothing(at_once, monkeypatch):
    corpus = make_corpus([30, 0, 40, 50, 1, 90], v=10)
    drawn = sample(corpus, np.array([5, 1, 0, 0, 3, 2, 1, 4]))
    want = unit_counts(drawn)
    tokens = drawn.local.copy()
    monkeypatch.setattr(compact, "_AT_ONCE", at_once)
    again = sample(corpus, drawn.draw)
    np.testing.assert_array_equal(again.tokens, drawn.tokens)
    found = unit_counts(again)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(want, name))
    naive = [np.bincount(drawn.local[a:b], minlength=10) for a, b in _bounds(corpus, drawn)]
    np.testing.assert_array_equal(found.toarray(), naive)
    np.testing.assert_array_equal(again.local, tokens)  # the sample is left as it was


def _bounds(corpus, drawn):
    ends = np.cumsum([0, *(corpus.texts[u + 1] - corpus.texts[u] for u in corpus.units[drawn.draw])])
    return pairwise(ends.tolist())


def test_a_sentence_of_several_texts_is_one_unit():
    corpus = make_corpus([3, 4, 5], v=5)
    corpus = type(corpus)(**{**vars(corpus), "units": np.array([0, 2, 3])})
    assert unit_counts(sample(corpus, np.array([1, 0]))).sum(1).tolist() == [[5], [7]]


def test_seeds_change_little():
    corpus = make_corpus([80] * 200)
    whole = sample(corpus, draw_units("fixed", 200, 0, 0))
    x, again, other = train([whole] * 3, LsaParameters(dim=3), [1, 1, 2])
    assert np.array_equal(x, again)
    assert not np.array_equal(x, other)
    assert np.linalg.norm(x @ x.T - other @ other.T) < 0.01 * np.linalg.norm(x @ x.T)


def test_tokens_that_are_in_no_unit_are_noticed(drawn):
    broken = Sample(drawn.corpus, drawn.draw[1:], drawn.tokens, drawn.texts)
    with pytest.raises(ComputationError, match="the drawn units hold"):
        unit_counts(broken)


@pytest.mark.parametrize(("lengths", "v", "dim"), [([50, 50], 20, 3), ([4] * 9, 5, 6), ([], 1, 1), ([9, 9], 1, 1)])
def test_dim_above_units_or_words(lengths, v, dim):
    corpus = make_corpus(lengths, v=v)
    with pytest.raises(InputError, match=f"dim {dim} needs as many words and units"):
        train([sample(corpus, draw_units("fixed", len(lengths), 0, 0))], LsaParameters(dim=dim), [1])


def test_parameters_out_of_range():
    with pytest.raises(ValidationError):
        TECHNIQUE.parameters(dim=0)
