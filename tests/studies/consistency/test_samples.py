"""Which terms there are, which sentences their samples hold, and which samples are null pairs."""

import itertools

import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.studies.consistency.measures import NullPairs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import (
    draw_samples,
    eligible,
    in_both_halves,
    keywords,
    listed,
    middle,
    sentences_of,
)
from tests.small_data.made import text_of


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
    t, u = text.words.index(b"t"), text.words.index(b"u")
    assert eligible(found, ConsistencyOptions(split="half", cutoff=1)) == sorted([t, u])  # by both halves together
    assert in_both_halves(text, [t, u], ConsistencyOptions(split="half", cutoff=1)) == [u]
    assert eligible(found, ConsistencyOptions(samples=2, cutoff=4)) == [u]
    assert len(eligible(found, ConsistencyOptions(samples=2, cutoff=1))) == 2


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


def test_null_pairs_share_no_sentence_and_are_of_like_size():
    lists = [["t", "u", "a"], ["t", "b"], ["u", "c"], ["t", "d"], ["u", "e"], ["t", "f"], ["u", "g"]]
    text = text_of(lists)
    samples = draw_samples(text, [text.words.index(w) for w in (b"t", b"u")], ConsistencyOptions(samples=2))
    words = torch.tensor([2.0, 4.0, 4.0, 9.0])
    allowed = NullPairs(samples, words)[0:4]
    for i, j in itertools.product(range(4), repeat=2):
        sets = [set(samples.members[samples.starts[k] : samples.starts[k + 1]].tolist()) for k in (i, j)]
        like = max(words[i], words[j]) <= 2 * min(words[i], words[j])
        assert bool(allowed[i, j]) == (samples.term[i] != samples.term[j] and not sets[0] & sets[1] and bool(like))
