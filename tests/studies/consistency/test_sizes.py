"""Sums of vectors against the law of sums, and without the mean context."""

import re

import numpy as np
import pytest
import torch

from gpustab.small_data.additive import centred, mean_context
from gpustab.studies.consistency.claims_of_sums import GROWS
from gpustab.studies.consistency.comparisons import all_sentences, by_sentences
from gpustab.studies.consistency.measures import consistency_of, size_constant
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from tests.small_data.made import background, sentences, term_names, text_of

CPU = torch.device("cpu")


@pytest.mark.parametrize("n", [1, 4, 16])
def test_cosine_of_sums_of_one_distribution_follows_the_size_law(n):
    """E cos = 1 / (1 + c / m), c = tr Σ / |μ|², of vectors drawn independently."""
    runs = background(mean=0.6, d=40)
    vectors = runs.rows[0][0:300].double()
    mean = vectors.mean(0)
    constant = float((vectors - mean).square().sum(1).mean() / mean.square().sum())
    terms = 30
    text = text_of(sentences(terms, 2 * n, 8, seed=n))
    options = ConsistencyOptions(split="random", samples=2, sentences=n, cutoff=2, subsample=0, number=terms)
    prepared = prepare(text, [(t.encode(),) for t in term_names(terms)], runs, options, CPU)
    found = consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["null"].value == pytest.approx(1 / (1 + constant / (8 * n)), abs=0.03)
    assert found.numbers["same"].value == pytest.approx(found.numbers["null"].value, abs=0.06)
    assert size_constant(found.numbers["null"].value, 8 * n) == pytest.approx(constant, rel=0.15)


def test_without_the_mean_context_one_distribution_has_cosine_zero():
    runs = background(mean=0.6, d=40)
    text = text_of(sentences(20, 20, 8, seed=5))
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0, number=20)
    terms = [(t.encode(),) for t in term_names(20)]
    prepared = prepare(text, terms, runs, options, CPU)
    rows = prepared.frequencies.rows[prepared.text.tokens[prepared.kept]]
    x = centred(prepared.sums(runs, 0), prepared.words, mean_context(rows, runs, 0, CPU))
    found = consistency_of(x, prepared.samples, prepared.allowed)
    assert abs(found.numbers["null"].value) < 0.03
    assert abs(found.numbers["same"].value) < 0.12


def test_the_law_has_its_constant_from_the_largest_size():
    runs = background(mean=0.6, d=40)
    options = ConsistencyOptions(samples=2, sentences=8, cutoff=2, subsample=0, number=20)
    text = text_of(sentences(20, 16, 8, seed=5, own=0.3))
    prepared = prepare(text, [(t.encode(),) for t in term_names(20)], runs, options, CPU)
    rows = by_sentences(prepared, runs, options)
    assert [row.n for row in rows] == [1, 2, 3, 4, 8]
    assert [row.words for row in rows] == pytest.approx([8, 16, 24, 32, 64])
    last = rows[-1]
    assert last.c == pytest.approx(last.words * (1 - last.same) / last.same)
    for row in rows:
        assert row.law == pytest.approx(1 / (1 + last.c / row.words))
    assert last.law == pytest.approx(last.same)


def test_all_sentences_of_a_term_are_dealt_out_to_its_samples():
    """Against sums of the words' vectors by loops; the law has its constant without them."""
    runs = background(mean=0.6, d=40)
    options = ConsistencyOptions(samples=2, sentences=4, cutoff=2, subsample=0, number=6)
    text = text_of(sentences(6, 16, 8, seed=5, own=0.3))
    prepared = prepare(text, [(t.encode(),) for t in term_names(6)], runs, options, CPU)
    *sized, last = by_sentences(prepared, runs, options)
    assert [(row.n, row.mean) for row in (*sized, last)] == [(1, 1), (2, 2), (3, 3), (4, 4), (None, 8)]
    assert last.law == pytest.approx(1 / (1 + sized[-1].c / last.words))
    every = all_sentences(prepared, prepared.samples.terms, options)
    cosines = []
    for k, term in enumerate(prepared.samples.terms):
        members = [every.members[every.starts[p] : every.starts[p + 1]] for p in np.flatnonzero(every.term == k)]
        there = [s for s in range(96) if term in text.tokens[text.starts[s] : text.starts[s + 1]]]
        assert sorted(np.concatenate(members)) == there
        for few, many in zip(np.flatnonzero(prepared.samples.term == k), members, strict=True):
            kept = prepared.samples.members[prepared.samples.starts[few] : prepared.samples.starts[few + 1]]
            assert list(many[:4]) == list(kept)
        sums = [sum(_vector(runs, text, w) for s in some for w in _words(text, s, term)) for some in members]
        cosines.append(float(torch.nn.functional.cosine_similarity(*sums, dim=0)))
    assert last.same == pytest.approx(np.mean(cosines))
    said = GROWS.sentence([*sized, last])
    of_four, of_all = (
        float(re.search(rf"([\d.]+) \([\d.]+–[\d.]+\) with {size}", said).group(1))
        for size in ("4 sentences", r"all sentences of a term \(8.00 a sample")
    )
    assert of_four == pytest.approx(sized[-1].same, abs=0.006)
    assert of_all == pytest.approx(last.same, abs=0.006)


def _words(text, sentence, term):
    return [w for w in text.tokens[text.starts[sentence] : text.starts[sentence + 1]] if w != term]


def _vector(runs, text, w):
    return runs.rows[0][0 : runs.words][runs.vocabulary.index_of(text.words[w])].double()


def test_halves_hold_all_sentences_already():
    runs = background(mean=0.6, d=40)
    options = ConsistencyOptions(split="half", cutoff=2, subsample=0)
    text = text_of(sentences(6, 17, 8, seed=5), np.repeat(np.arange(2), 51))
    prepared = prepare(text, [(t.encode(),) for t in term_names(6)], runs, options, CPU)
    every = all_sentences(prepared, prepared.samples.terms, options)
    assert every.members.tolist() == prepared.samples.members.tolist()
    assert by_sentences(prepared, runs, options)[-1].mean == pytest.approx(prepared.samples.sizes.mean())
