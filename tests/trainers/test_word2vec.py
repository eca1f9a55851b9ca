import numpy as np
import pytest
from gensim.models import Word2Vec

from gpustab import ComputationError
from gpustab.trainers import technique, word2vec


@pytest.mark.parametrize(("name", "sg"), [("sgns", 1), ("cbow", 0)])
@pytest.mark.parametrize("softmax", [False, True])
def test_equals_gensim_called_directly(long_sample, name, sg, softmax):
    words = [w.decode() for w in long_sample.corpus.vocabulary]
    texts = [[words[i] for i in piece] for piece in long_sample.pieces(10_000)]
    assert [len(t) for t in texts] == [70, 10_000, 10_000, 5000, 1500]
    options = {"negative": 0, "hs": 1} if softmax else {"negative": 3, "hs": 0}
    direct = Word2Vec(texts, sg=sg, vector_size=8, window=3, epochs=2, min_count=1, workers=1, seed=7, **options).wv
    found = technique(name)
    parameters = found.parameters(dim=8, window=3, epochs=2, negative=options["negative"], hierarchical_softmax=softmax)
    (got,) = found.train([long_sample], parameters, [7])
    np.testing.assert_array_equal(got, [direct[words[i]] for i in long_sample.words])


@pytest.mark.parametrize("name", ["sgns", "cbow"])
def test_the_seed_decides(long_sample, name):
    found = technique(name)
    parameters = found.parameters(dim=8, epochs=1)
    first, again, other = found.train([long_sample] * 3, parameters, [1, 1, 2])
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_every_token_reaches_the_training(long_sample, monkeypatch):
    """Without subsampling gensim trains on each token that it does not cut off silently."""
    trained = []
    real = Word2Vec.train
    monkeypatch.setattr(Word2Vec, "train", lambda self, *a, **k: (trained.append(real(self, *a, **k)), trained[-1])[1])
    found = technique("sgns")
    found.train([long_sample], found.parameters(dim=8, epochs=2, subsample=0), [1])
    assert trained == [(2 * 26_570, 2 * 26_570)]


def test_tokens_that_do_not_arrive_are_an_error(long_sample, monkeypatch):
    found = technique("sgns")
    monkeypatch.setattr(type(long_sample), "pieces", lambda self, longest: iter([self.tokens[:-1]]))
    with pytest.raises(ComputationError, match="gensim read 26569 tokens in 1 epochs, the sample has 26570"):
        found.train([long_sample], found.parameters(dim=8, epochs=1), [1])
    monkeypatch.setattr(word2vec, "LONGEST", 30_000)
    with pytest.raises(ComputationError, match="reads 10000 tokens of a text, pieces have 30000"):
        found.train([long_sample], found.parameters(dim=8, epochs=1), [1])


def test_softmax_and_negative_samples_exclude_each_other():
    """Refused with the plan: gensim would train both."""
    for name in ("sgns", "cbow", "doc2vec_dm", "doc2vec_dbow"):
        with pytest.raises(ValueError, match="negative is 5: hierarchical softmax wants negative = 0"):
            technique(name).parameters(hierarchical_softmax=True)
