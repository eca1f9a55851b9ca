"""Sentences, terms of several words, duplicates; files of terms, and of samples in the form of the public code."""

from itertools import pairwise

import pytest

from gpustab import InputError
from gpustab.small_data.text import joined, read_samples, read_terms, read_text, without_duplicates
from tests.small_data.made import text_of


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


def test_a_file_of_terms(tmp_path):
    file = tmp_path / "terms.txt"
    file.write_text("Analytical Hypotheses\n\nstimulus\nstimulus\n")
    assert read_terms(file, "en") == [(b"analytical", b"hypotheses"), (b"stimulus",)]
    file.write_text("stimulus\n123\n")
    with pytest.raises(InputError, match="line 2: '123' has no word"):
        read_terms(file, "en")
    with pytest.raises(InputError, match="there is no such file"):
        read_terms(tmp_path / "none", "en")
    file.write_text("")
    with pytest.raises(InputError, match="there is no term"):
        read_terms(file, "en")
    file.write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="line 1: byte 0xE9 is not UTF-8"):
        read_terms(file, "en")


def write(folder, text):
    path = folder / "samples.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_terms_samples_and_sentences_are_those_of_the_file(tmp_path):
    text = (
        "Analytical Hypotheses\tThe ___ of a linguist. @@ His ___, again!\tOf ___ and ___ he wrote\n\n"
        "mass\ta ___ b @@ c ___\td ___ @@ e mass ___\nalone\tonly ___ here\n"
    )
    found = read_samples(write(tmp_path, text), "en")
    words, samples = found.text.words, found.samples
    assert [words[k] for k in samples.terms] == [b"analytical_hypotheses", b"mass"]
    assert samples.term.tolist() == [0, 0, 1, 1]
    assert samples.sizes.tolist() == [2, 1, 2, 2]
    lists = [[words[k].decode() for k in found.text.tokens[a:b]] for a, b in pairwise(found.text.starts)]
    term = "analytical_hypotheses"
    assert lists[:3] == [
        ["the", term, "of", "a", "linguist"],
        ["his", term, "again"],
        ["of", term, "and", term, "he", "wrote"],
    ]
    assert lists[6] == ["e", "mass", "mass"]
    assert found.terms == [(b"analytical", b"hypotheses"), (b"mass",)]
    assert found.notes == ["1 term has one sample and is left out: alone."]
    twice = read_samples(write(tmp_path, "a\tx ___\tx ___\nb\ty ___\tz ___\n"), "en")
    assert twice.samples.members.tolist() == [0, 0, 2, 3]  # a copy is the same sentence: no null pair may share it
    assert twice.notes == [
        "1 of 4 sentences repeats another of samples: where one stands in two samples of a term, its consistency is "
        "the finding of a copy."
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mass the ___ of\n", "line 1: no tab"),
        ("a\tx ___ y\tz ___\nmass\tthe ___ of\tno target here\n", "line 2: the sentence 'no target here' has no ___"),
        ("42\tx ___\ty ___\n", "line 1: '42' has no word"),
        ("a\tx ___\ty ___\na\tx ___\ty ___\n", "line 2: 'a' has a line above"),
        ("a\tx ___\ty ___\n", "1 term has two samples"),
        ("", "0 terms have two samples"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_samples(write(tmp_path, text), "en")


def test_no_file_and_no_utf8(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_samples(tmp_path / "nowhere", "en")
    (tmp_path / "latin").write_bytes(b"a\t\xe9 ___\n")
    with pytest.raises(InputError, match="line 1: byte 0xE9 is not UTF-8"):
        read_samples(tmp_path / "latin", "en")
