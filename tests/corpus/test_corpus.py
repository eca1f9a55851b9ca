from dataclasses import replace

import numpy as np
import pytest

from gpustab import Vocabulary
from gpustab.corpus.corpus import Corpus


@pytest.fixture
def corpus():
    tokens, texts, units = np.array([0, 1, 0, 2], np.int32), np.array([0, 2, 2, 4]), np.array([0, 1, 3])
    return Corpus("made", Vocabulary(["a", "b", "c"]), tokens, texts, units, "document", {})


def test_size_and_text(corpus):
    assert len(corpus) == 2
    assert repr(corpus) == "Corpus('made': 2 documents, 4 running words, 3 words)"


def test_the_hash_is_the_same_everywhere(corpus):
    assert corpus.hash == "cd3bbb9380a5c9bb28f27ce58a7f538dab9b48c4692e91fc5b3e0617813c6dde"


def test_the_hash_ignores_names_and_byte_order(corpus):
    other = replace(corpus, name="other", dropped={"x": 1}, tokens=corpus.tokens.astype(">i4"))
    assert other.hash == corpus.hash


@pytest.mark.parametrize(
    "change",
    [
        {"vocabulary": Vocabulary(["a", "b", "d"])},
        {"vocabulary": Vocabulary(["a", "b", "c", "d"])},
        {"tokens": np.array([0, 1, 2, 0], np.int32)},
        {"texts": np.array([0, 2, 3, 4])},
        {"units": np.array([0, 2, 3])},
    ],
)
def test_the_hash_sees_every_part(corpus, change):
    assert replace(corpus, **change).hash != corpus.hash


def test_no_part_can_be_taken_for_another(corpus):
    """The bytes of the last token and the first offset, exchanged between two arrays."""
    one = replace(corpus, tokens=np.array([7, 0, 0], np.int32), texts=np.array([5]))
    two = replace(corpus, tokens=np.array([7], np.int32), texts=np.array([0, 5]))
    assert one.hash != two.hash
