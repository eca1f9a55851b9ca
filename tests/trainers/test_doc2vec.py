import dataclasses

import numpy as np
import pytest

from gpustab.corpus.corpus import Record
from gpustab.corpus.sampling import draw_units, sample
from gpustab.trainers import technique
from gpustab.trainers.doc2vec import LONGEST, Texts, names_of, units_of
from tests.trainers.conftest import make_corpus

SMALL = {"dim": 8, "epochs": 2}


def train(name, sample_, seed=1, **changes):
    found = technique(name)
    return found.train([sample_], found.parameters(**(SMALL | changes)), [seed])[0]


@pytest.mark.parametrize("name", ["doc2vec_dm", "doc2vec_dbow"])
def test_the_seed_alone_decides(name, long_sample):
    runs = [train(name, long_sample, seed) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    assert runs[0].shape == (3, 8)  # the empty document has no vector


def test_the_models_are_two(long_sample):
    assert not np.allclose(train("doc2vec_dm", long_sample), train("doc2vec_dbow", long_sample))


def test_every_token_is_read_under_its_document(long_sample):
    read = {}
    for text in Texts(long_sample):
        assert len(text.words) <= LONGEST
        read.setdefault(text.tags[0], []).extend(text.words)
    assert [len(read[k]) for k in range(3)] == [70, 25_000, 1500]
    assert read[1] == [f"w{k}" for k in long_sample.corpus.tokens[70:25_070].tolist()]


def test_documents_of_one_topic_are_near():
    """Forty documents of two vocabularies: each is nearer to every one of its own than to any other."""
    corpus = make_corpus([60] * 40, v=60)
    rng = np.random.default_rng(0)
    tokens = np.concatenate([rng.integers(0, 30, 60) + 30 * (k % 2) for k in range(40)]).astype(np.int32)
    corpus = dataclasses.replace(corpus, tokens=tokens)
    whole = sample(corpus, draw_units("fixed", 40, 0, 0))
    rows = train("doc2vec_dbow", whole, epochs=60, subsample=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines, same = rows @ rows.T, np.equal.outer(np.arange(40) % 2, np.arange(40) % 2)
    np.fill_diagonal(cosines, 1)
    assert cosines[same].min() > cosines[~same].max()


def test_units_drawn_twice_have_one_vector_and_names_are_ids():
    corpus = make_corpus([50, 60, 70, 80])
    drawn = sample(corpus, np.array([3, 1, 3, 1]))
    assert units_of(drawn).tolist() == [1, 3]
    assert names_of(drawn, None) == [b"1", b"3"]
    assert train("doc2vec_dm", drawn).shape == (2, 8)
    records = tuple(Record(name, {}, k) for k, name in enumerate(["a", "b", "ä", "d"]))
    named = dataclasses.replace(corpus, records=records, documents=corpus.units)
    assert names_of(sample(named, np.array([2, 1])), None) == [b"b", "ä".encode()]
    twice = dataclasses.replace(named, records=(*records[:3], records[0]))
    assert names_of(sample(twice, np.array([2, 1])), None) == [b"1", b"2"]
    sentences = dataclasses.replace(named, unit="sentence", documents=np.array([0, 3, 4]), records=records[:2])
    assert names_of(sample(sentences, np.arange(4)), None) == [b"a:1", b"a:2", b"a:3", b"b:1"]


def test_hierarchical_softmax_without_negatives(long_sample):
    assert np.isfinite(train("doc2vec_dm", long_sample, hierarchical_softmax=True, negative=0)).all()
