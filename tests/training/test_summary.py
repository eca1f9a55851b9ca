"""What is told of a corpus: one of each is counted as one."""

import numpy as np

from gpustab.corpus.corpus import Corpus
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.training.runner import corpus_notes


def test_one_document_of_one_token_is_told_as_one():
    offsets = np.array([0, 1])
    dropped = {"duplicate_documents": 1, "rare_words": 2}
    corpus = Corpus("x", Vocabulary(["a"]), np.zeros(1, np.int32), offsets, offsets, "document", dropped)
    assert list(corpus_notes(corpus)) == [
        "x: 1 document, 1 token, 1 word; left out: 1 duplicate document, 2 rare words.",
        "1 document is few to draw from: what bootstrap runs differ by is a matter of chance.",
    ]
