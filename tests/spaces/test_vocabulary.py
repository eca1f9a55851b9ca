import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gpustab import InputError, Vocabulary
from gpustab.spaces.words import show


@given(st.lists(st.binary(max_size=12), unique=True, max_size=20))
def test_every_word_survives_the_tensors(words):
    vocabulary = Vocabulary(words)
    assert list(Vocabulary.from_tensors(*vocabulary.to_tensors())) == words


def test_words_that_differ_only_in_undecodable_bytes_stay_apart():
    vocabulary = Vocabulary([b"ab", b"ab\xff", b"ab\xfe"])
    assert vocabulary.index_of(b"ab\xfe") == 2
    assert [vocabulary.text(i) for i in range(3)] == ["ab", "ab\\xff", "ab\\xfe"]


def test_text_with_surrogates_is_its_bytes():
    assert Vocabulary([b"ab\xff"]).index_of(b"ab\xff".decode("utf-8", "surrogateescape")) == 0


def test_control_characters_cannot_reach_a_terminal():
    assert show(b"\x1b[31mred\n") == "\\x1b[31mred\\n"


def test_duplicates_and_missing_words_are_named():
    with pytest.raises(InputError, match="'of' occurs twice"):
        Vocabulary(["the", "of", "of"])
    with pytest.raises(InputError, match="'and' is not in the vocabulary"):
        Vocabulary(["the"]).index_of("and")


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 3, 1, 3]])
def test_damaged_offsets(offsets):
    with pytest.raises(InputError, match="damaged"):
        Vocabulary.from_tensors(torch.tensor([97, 98, 99], dtype=torch.uint8), torch.tensor(offsets))
