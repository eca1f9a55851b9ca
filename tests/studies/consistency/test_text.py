"""Sentences, terms of several words, duplicates, samples."""

from itertools import pairwise

import numpy as np
import pytest

from gpustab import InputError
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import draw_samples, eligible, middle, sentences_of
from gpustab.studies.consistency.terms import keywords, listed, read_terms
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


def test_random_samples_share_no_sentence_and_are_even():
    text = text_of([["t", str(k)] for k in range(23)] + [["u", str(k)] for k in range(80)])
    options = ConsistencyOptions(samples=5, sentences=10)
    samples = draw_samples(text, [text.words.index(w) for w in (b"t", b"u")], options)
    assert samples.sizes.tolist() == [5, 5, 5, 4, 4, 10, 10, 10, 10, 10]
    assert len(set(samples.members.tolist())) == 73
    again = draw_samples(text, [text.words.index(b"t")], options)
    assert again.members.tolist() == samples.members[:23].tolist()


def test_the_first_sentences_of_each_sample_are_of_terms_that_have_them():
    text = text_of([["t", str(k)] for k in range(6)] + [["u", str(k)] for k in range(20)])
    samples = draw_samples(text, [text.words.index(w) for w in (b"t", b"u")], ConsistencyOptions(samples=2))
    assert samples.first(5).terms.tolist() == [text.words.index(b"u")]
    assert samples.first(3).sizes.tolist() == [3, 3, 3, 3]
    assert samples.first(3).members[3:6].tolist() == samples.members[3:6].tolist()


def test_halves_are_cut_where_a_document_begins():
    text = text_of([["t", str(k)] for k in range(10)], [0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    assert middle(text) == 3
    samples = draw_samples(text, [text.words.index(b"t")], ConsistencyOptions(split="half"))
    assert sorted(samples.members[:3].tolist()) == [0, 1, 2]
    assert samples.sizes.tolist() == [3, 7]
    assert middle(text._replace(documents=np.zeros(10, np.int64))) == 5


def test_a_term_needs_its_sentences_in_all_or_in_each_half():
    text = text_of([["t", "u", "a"], ["t", "u"], ["u", "b"], ["u", "c"]], [0, 0, 1, 1])
    found = sentences_of(text, range(len(text.words)))
    u = text.words.index(b"u")
    assert eligible(found, text, ConsistencyOptions(split="half")) == [u]
    assert eligible(found, text, ConsistencyOptions(samples=2, cutoff=4)) == [u]
    assert len(eligible(found, text, ConsistencyOptions(samples=2, cutoff=1))) == 2


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
    with pytest.raises(InputError, match="byte 3 is no UTF-8"):
        read_terms(file, "en")


def test_keywords_are_the_over_represented_words():
    frequent = [f"f{k}" for k in range(100)]
    text = text_of([*([[*frequent, *frequent]] * 20), *[["key", str(k), "plain"] for k in range(12)]])
    counts = np.full(len(text.words), 100)
    counts[text.words.index(b"plain")] = 10**6
    options = ConsistencyOptions(samples=2, number=5)
    assert keywords(text, counts, 10**7, options)[0] == [text.words.index(b"key")]
    with pytest.raises(InputError, match="this one has none"):
        keywords(text, None, 0, options)


def test_of_terms_with_few_sentences_it_is_said_how_many_are_left_out():
    text = text_of([["a", "b"], ["a", "c"], ["a", "b"]])
    options = ConsistencyOptions(samples=2, cutoff=2)
    kept, notes = listed(text, [(b"a",), (b"b",), (b"c",)], options)
    assert [text.words[k] for k in kept] == [b"a", b"b"]
    assert notes == ["1 of 3 terms stands in fewer than 2 sentences of the text and is left out: c."]
    assert listed(text, [(b"a",), (b"c",), (b"d",)], options)[1] == [
        "2 of 3 terms stand in fewer than 2 sentences of the text and are left out: c, d."
    ]
