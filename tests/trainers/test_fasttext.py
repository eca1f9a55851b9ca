import dataclasses

import numpy as np
import pytest

from gpustab import InputError, Vocabulary
from gpustab.corpus.sampling import sample
from gpustab.trainers import fasttext, technique
from gpustab.training.settings import read_settings
from tests import oracles
from tests.trainers.conftest import make_corpus

SMALL = {"dim": 8, "epochs": 1, "buckets": 500}


def train(sample_, seed=1, **changes):
    found = technique("fasttext")
    return found.train([sample_], found.parameters(**(SMALL | changes)), [seed])[0]


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_the_seed_really_arrives(long_sample, model):
    """``train_unsupervised(seed=...)`` is a TypeError in every build."""
    runs = [train(long_sample, seed, model=model) for seed in (1, 1, 2, 3)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    assert not np.array_equal(runs[2], runs[3])


def test_vectors_are_composed_of_subwords(long_sample, monkeypatch):
    """The mean of the rows of the word and its n-grams; fastText's own word vector points the same way.

    Its length is not compared: some builds scale it to 1.
    """
    import fasttext_pybind

    kept = []
    real = fasttext._composed
    monkeypatch.setattr(fasttext, "_composed", lambda model, *rest: (kept.append(model), real(model, *rest))[1])
    got = train(long_sample)
    matrix = np.array(kept[0].getInputMatrix())
    for position in (0, 7, 59):
        _, ids = kept[0].getSubwords(f"w{position}", "strict")
        assert len(ids) > 1
        np.testing.assert_allclose(got[position], matrix[ids].mean(0), rtol=1e-5)
        own = fasttext_pybind.Vector(8)
        kept[0].getWordVector(own, f"w{position}")
        np.testing.assert_allclose(oracles.unit(own), oracles.unit(got[position]), rtol=1e-5)
    assert not np.allclose(got, train(long_sample, subwords=False))


def test_every_token_of_the_sample_is_counted(long_sample, monkeypatch):
    """Checked in every training: a token that fastText did not read would change its counts."""
    monkeypatch.setattr(type(long_sample), "pieces", lambda self, longest: iter([self.tokens[:-1]]))
    with pytest.raises(Exception, match="fastText counted 26569 tokens, the sample has 26570"):
        train(long_sample)


@pytest.mark.parametrize("word", ["two words", "</s>"])
def test_words_that_fasttext_would_split_or_take_for_its_own(word):
    corpus = make_corpus([100], v=5)
    corpus = dataclasses.replace(corpus, vocabulary=Vocabulary([word, "b", "c", "d", "e"]))
    with pytest.raises(InputError, match="cannot tell the word"):
        train(sample(corpus, np.array([0])))


def test_ngram_lengths_that_contradict(long_sample):
    with pytest.raises(ValueError, match="min_ngram is 4, more than max_ngram, which is 3"):
        train(long_sample, min_ngram=4, max_ngram=3)


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("fasttext", {"min_ngram": 7}, "^fasttext: min_ngram is 7, more than max_ngram, which is 6$"),
        ("fasttext_ngrams", {"subwords": False}, "^fasttext_ngrams: subwords is false, so that there would be no n-"),
    ],
)
def test_a_plan_that_cannot_be_trained_is_refused_before(name, changes, says):
    with pytest.raises(InputError, match=says):
        read_settings({"corpus": "lee", "techniques": [name], name: changes})


def test_words_too_short_for_the_ngrams_are_refused_before_the_training(long_sample, monkeypatch):
    monkeypatch.setattr(fasttext, "_run", None)  # nothing is trained
    found = technique("fasttext_ngrams")
    with pytest.raises(InputError, match="no word of the sample has an n-gram of 40 to 50 letters"):
        found.train([long_sample], found.parameters(**SMALL, min_ngram=40, max_ngram=50), [1])


def test_ngrams_have_the_rows_that_words_are_composed_of(long_sample, monkeypatch):
    """A word's vector is the mean of its own row and those of its n-grams: the space of n-grams holds the latter."""
    kept = []
    real = fasttext._composed
    monkeypatch.setattr(fasttext, "_composed", lambda model, *rest: (kept.append(model), real(model, *rest))[1])
    words = train(long_sample)
    found = technique("fasttext_ngrams")
    parameters = found.parameters(**SMALL)
    rows = found.train([long_sample], parameters, [1])[0]
    names = found.items(long_sample, parameters)
    assert len(names) == len(rows) == len(set(names))
    assert {b"<w0", b"w0>", b"<w0>"} <= set(names)
    assert not {b"<", b">", b"w0", b"<w"} & set(names)
    own = np.array(kept[0].getInputMatrix())[0]  # of w0, the most frequent
    grams = [rows[names.index(name)] for name in (b"<w0", b"<w0>", b"w0>")]
    np.testing.assert_allclose(words[0], np.mean([own, *grams], axis=0), rtol=1e-5)
