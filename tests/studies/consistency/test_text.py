"""Sentences, terms of several words, duplicates."""

from itertools import pairwise

from gpustab.studies.consistency.text import joined, read_text, without_duplicates
from tests.studies.consistency.made import text_of


def _lists(text):
    return [[text.words[k].decode() for k in text.tokens[a:b]] for a, b in pairwise(text.starts)]


def test_terms_of_several_words_become_one_token_the_longer_first():
    text = text_of([["a", "b", "c", "a", "b"], ["b", "a"], ["b"], ["a", "a", "a"], ["a"], ["b"]])
    found = joined(text, [(b"a", b"b"), (b"a", b"b", b"c"), (b"a", b"a"), (b"x", b"y")])
    assert _lists(found) == [["a_b_c", "a_b"], ["b", "a"], ["b"], ["a_a", "a"], ["a"], ["b"]]


def test_duplicate_sentences_stay_once_and_empty_ones_are_none():
    text = text_of([["a", "b"], [], ["b", "a"], ["a", "b"], ["a"]], [0, 0, 1, 1, 2])
    found = without_duplicates(text)
    assert _lists(found) == [["a", "b"], ["b", "a"], ["a"]]
    assert found.duplicates == 1
    assert found.documents.tolist() == [0, 1, 2]


def test_a_file_is_read_in_sentences_and_documents(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("Anarchy is order. Is it X?\n\nAnarchy is order. Order is it.\n")
    text = read_text(file, "en", layout="paragraphs")
    assert _lists(text) == [["anarchy", "is", "order"], ["is", "it", "x"], ["order", "is", "it"]]
    assert text.duplicates == 1
    assert _lists(read_text(file, "en", True, "paragraphs"))[1] == ["is", "it"]
