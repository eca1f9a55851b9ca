import numpy as np
import pytest

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, sample
from gpustab.spaces.vocabulary import Vocabulary


def make_corpus(lengths, v=60, seed=0):
    """Zipf-distributed words in documents of the given lengths."""
    rng = np.random.default_rng(seed)
    n = sum(lengths)
    tokens = np.minimum(rng.zipf(1.4, n) - 1, v - 1).astype(np.int32)
    tokens[:v] = np.arange(v)  # every word occurs
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = Vocabulary(f"w{i}" for i in range(v))
    return Corpus("made", words, tokens, offsets, np.arange(len(lengths) + 1), "document", {})


@pytest.fixture(scope="session")
def long_sample():
    """Documents of 0, 70, 25,000 and 1,500 tokens: longer than any trainer's own limit."""
    corpus = make_corpus([0, 70, 25_000, 1500])
    return sample(corpus, draw_units("fixed", 4, 0, 0))
