"""The corpus of the SVD model: marked terms beside general text."""

import itertools

import numpy as np

from gpustab.small_data.svd import marked_corpus, marked_text
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import draw_samples
from tests.small_data.made import text_of


def _lists(corpus):
    words = [w.decode() for w in corpus.vocabulary]
    return [[words[k] for k in corpus.tokens[a:b]] for a, b in itertools.pairwise(corpus.texts)]


def test_terms_are_marked_in_their_own_sentences_alone_and_are_never_too_rare():
    text = text_of([["t", "a", "u"], ["t", "b"], ["u", "a", "u"], ["u", "rare"]])
    general = text_of([["a", "t", "b"], ["b", "a", "u", "b"]])
    samples = draw_samples(text, [text.words.index(w) for w in (b"t", b"u")], ConsistencyOptions(samples=2, seed=3))
    corpus, marked = marked_corpus(general, text, samples, min_count=2)
    assert _lists(corpus)[:2] == [["a", "t", "b"], ["b", "a", "u", "b"]]
    expected = []
    for p, (a, b) in enumerate(itertools.pairwise(samples.starts)):
        term = text.words[samples.terms[samples.term[p]]].decode()
        for s in samples.members[a:b]:
            sentence = [text.words[k].decode() for k in text.tokens[text.starts[s] : text.starts[s + 1]]]
            expected.append([f"{term}§{p % 2 + 1}" if w == term else w for w in sentence if w != "rare"])
    assert _lists(corpus)[2:] == expected
    assert [corpus.vocabulary[k].decode() for k in marked] == ["t§1", "t§2", "u§1", "u§2"]


def test_the_general_word_of_a_term_has_general_contexts_alone():
    text = text_of([["t", "a", "u"], ["b", "c"], ["u", "a", "u"]])
    general = text_of([["a", "t", "b"], ["b", "a", "u", "b"]])
    terms = np.array([text.words.index(w) for w in (b"u", b"t")])
    corpus, marked = marked_text(general, text, terms, min_count=1)
    assert _lists(corpus)[2:] == [["t§", "a", "u§"], ["u§", "a", "u§"]]
    assert [corpus.vocabulary[k].decode() for k in marked] == ["u§", "t§"]
