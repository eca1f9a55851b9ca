import numpy as np
import pytest
import torch
from gensim.models import Word2Vec

from gpustab.corpus.sampling import draw_units, sample
from gpustab.kernels.training.reading import keep_thresholds, read_units, thin
from tests.trainers.conftest import make_corpus


@pytest.mark.parametrize("subsample", [0, 1e-3, 0.05, 0.999, 1, 7])
def test_thresholds_are_those_of_gensim(subsample):
    counts = [5000, 900, 90, 20, 7, 1]
    gensim = Word2Vec(sample=subsample, min_count=1)
    gensim.build_vocab_from_freq({f"w{i}": n for i, n in enumerate(counts)})
    want = gensim.wv.expandos["sample_int"].astype(np.int64)
    got = keep_thresholds(torch.tensor(counts), subsample).numpy()
    assert np.abs(got - want).max() <= 2  # of 2³²


@pytest.mark.parametrize("sampling", ["fixed", "shuffled", "bootstrap"])
def test_units_are_read_as_on_the_cpu(sampling):
    corpus = make_corpus([0, 70, 1, 250, 0, 30])
    draw = draw_units(sampling, len(corpus), 1, 2)
    arrays = (torch.from_numpy(part) for part in (corpus.tokens, corpus.texts, corpus.units, draw))
    tokens, texts = read_units(*arrays)
    want = sample(corpus, draw)
    np.testing.assert_array_equal(tokens, want.tokens)
    np.testing.assert_array_equal(texts.unique(), want.texts)  # empty texts are kept here: they hold no pairs


def test_thinning_keeps_the_texts():
    tokens = torch.arange(1000).int() % 3
    texts = torch.tensor([0, 0, 10, 500, 1000])
    keep = torch.tensor([2**32, 2**31, 0])
    kept, offsets = thin(tokens, texts, keep, 5, 1)
    assert (kept == 0).sum() == 334
    assert 110 < (kept == 1).sum() < 220
    assert (kept == 2).sum() == 0
    assert offsets[[0, 1, -1]].tolist() == [0, 0, len(kept)]
    assert (kept[: offsets[2]] == 0).sum() == 4
    for other in ((6, 1), (5, 2)):
        assert not torch.equal(thin(tokens, texts, keep, *other)[0], kept)
