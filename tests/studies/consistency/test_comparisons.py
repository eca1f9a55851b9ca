"""Halves against random parts, and texts at equal samples: known answers, naive programs, how often the test errs."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.runs.load import open_groups
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.claims import BETTER_TEXT, HALVES_DIFFER, HIGHER_COSINE, texts_compared
from gpustab.studies.consistency.comparisons import (
    common_words,
    compare_texts,
    difference,
    halves_and_random,
    of_size,
    part_cosines,
    split_row,
)
from gpustab.studies.consistency.measures import Consistency, LeftOut
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from tests.small_data.made import background, sentences, term_names, text_of, word

CPU = torch.device("cpu")
OPTIONS = ConsistencyOptions(samples=3, cutoff=9, subsample=0, number=20)


def test_cosines_of_parts_are_those_of_their_sums():
    x = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    masks = list(itertools.product([False, True], repeat=5))
    found = part_cosines(x, torch.tensor(masks))
    for mask, value in zip(masks, found.tolist(), strict=True):
        a = sum((x[k] for k in range(5) if mask[k]), torch.zeros(3).double())
        b = sum((x[k] for k in range(5) if not mask[k]), torch.zeros(3).double())
        if all(mask) or not any(mask):
            assert math.isnan(value)
        else:
            assert value == pytest.approx(float(a @ b / (a.norm() * b.norm())))


def test_a_part_whose_sum_is_zero_has_no_cosine():
    """It counted as a cosine of 0, and entered the mean of the halves."""
    x = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [3.0, 1.0], [1.0, 1.0]])
    found = part_cosines(x, torch.tensor([[True, True, False, False], [False, False, True, True], [True, False] * 2]))
    assert found.isnan().tolist() == [True, True, False]


def _split(seed, change, documents=12):
    """Sentences in documents; in the second half every word of a changed sentence is another one."""
    lists = sentences(6, 24, 6, seed=seed, own=0.5)
    half = len(lists) // 2
    if change:
        lists[half:] = [
            [w if w.startswith("term") else word(int(299 - k)) for k, w in enumerate(s)] for s in lists[half:]
        ]
    numbers = (np.arange(len(lists)) * documents // len(lists)).tolist()
    text = text_of(lists, numbers)
    options = ConsistencyOptions(split="half", cutoff=3, subsample=0, permutations=39, seed=seed)
    runs = background(mean=0.3)
    prepared = prepare(text, [(t.encode(),) for t in term_names(6)], runs, options, CPU)
    return halves_and_random(prepared, runs, options)


def test_halves_that_differ_are_found():
    for documents, permuted in ((12, "documents"), (1, "blocks")):
        (row,) = _split(0, change=True, documents=documents)
        assert row.permuted == permuted
        assert row.p <= 0.05
        assert row.halves < row.random


def test_halves_of_one_text_are_seldom_found():
    found = [_split(seed, change=False)[0].p for seed in range(40)]
    assert sum(p <= 0.05 for p in found) <= 6  # 2 expected; 7 or more in 5 of 1,000


def test_few_documents_have_no_test():
    (row,) = _split(0, change=False, documents=3)
    assert math.isnan(row.p)
    assert row.permuted == "3 documents"


def chain_of(texts):
    """The order in which each text follows the one that it is most like, by words that few others have."""
    words = {word: k for k, word in enumerate(sorted({word for text in texts for word in text}))}
    counts = np.array([np.bincount([words[word] for word in text], minlength=len(words)) for text in texts])
    rare = np.log(len(texts) / (1 + (counts > 0).sum(0))).clip(0)
    rows = np.log1p(counts) * rare
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    alike = rows @ rows.T
    chain, left = [0], set(range(1, len(texts)))
    while left:
        chain.append(max(left, key=lambda k: alike[chain[-1], k]))
        left.remove(chain[-1])
    return chain


@cache
def news_by_topic():
    """News as lists of words, each beside those that are most like it, and the words of all."""
    corpus = prepare_corpus("lee", CorpusOptions(min_count=5))
    bounds = corpus.texts[corpus.documents]
    news = [
        [corpus.vocabulary.text(int(k)) for k in corpus.tokens[a:b]] for a, b in itertools.pairwise(bounds.tolist())
    ]
    news = [news[k] for k in chain_of(news)][:288]
    return news, sorted({word for text in news for word in text})


@pytest.mark.parametrize("one_document", [pytest.param(False, marks=pytest.mark.slow), True])
def test_chapters_of_real_text_in_random_order_do_not_develop(one_document):
    """Terms chosen by the true split, or single sentences that change places, found a development in half of them.

    A chapter has a topic: news stand beside those that are most like them. Single sentences find 6 of 16 here.
    """
    news, words = news_by_topic()
    generator = np.random.default_rng(0)
    runs = open_groups([(words, generator.normal(size=(len(words), 20)))], single_runs=True)[0].load()
    options = ConsistencyOptions(split="half", cutoff=4, subsample=0, permutations=39, number=40, terms="random")
    found = []
    for seed in range(16):
        chapters = [news[12 * k : 12 * k + 12] for k in np.random.default_rng(seed).permutation(24)]
        lists = [text[a : a + 12] for chapter in chapters for text in chapter for a in range(0, len(text), 12)]
        sizes = [sum(-(-len(text) // 12) for text in chapter) for chapter in chapters]
        numbers = np.zeros(len(lists), np.int64) if one_document else np.repeat(np.arange(24), sizes)
        text = text_of(lists, numbers.tolist())
        prepared = prepare(text, None, runs, replace(options, seed=seed), CPU)
        (row,) = halves_and_random(prepared, runs, replace(options, seed=seed))
        found.append(row.p)
    assert sum(p <= 0.05 for p in found) <= 3  # 0.8 expected; 4 or more in 7 of 1,000
    assert np.mean(found) > 0.3


def made(name, runs, per_term=12, terms=12, **choices):
    text = text_of(sentences(terms, per_term, choices.pop("length", 8), **choices))._replace(name=name)
    return prepare(text, [(t.encode(),) for t in term_names(terms)], runs, OPTIONS, CPU)


def test_samples_are_cut_to_one_size_and_keep_their_own_words():
    runs = background(mean=0.4)
    part = made("a", runs, seed=1)
    cut = of_size(part, 25, seed=0)
    assert set(cut.words.tolist()) == {25.0}
    assert 0 < len(cut.samples.terms) <= 12
    kept = np.flatnonzero(np.isin(part.samples.terms[part.samples.term], cut.samples.terms))
    assert ((part.counts[kept] - cut.counts).toarray() >= 0).all()
    whole = of_size(part, int(part.words.min()), seed=0)
    assert len(whole.samples.terms) == 12
    smallest = int(part.words.argmin())
    assert (whole.counts[smallest] != part.counts[smallest]).nnz == 0


def test_the_common_size_leaves_three_of_four_terms_in_every_text():
    runs = background()
    parts = [made("a", runs, seed=1), made("b", runs, seed=2, length=5)]
    words = common_words(parts)
    least = [np.sort([part.words.numpy()[part.samples.term == t].min() for t in range(12)]) for part in parts]
    assert words == min(values[2] for values in least)
    for part in parts:
        assert len(of_size(part, words, 0).samples.terms) >= 9


def test_a_text_with_terms_of_their_own_is_told_from_one_without():
    runs = background(runs=3, mean=0.4)
    own, none, other = (
        made(name, runs, seed=seed, own=share)
        for name, seed, share in (("own", 1, 0.6), ("none", 2, 0.0), ("two", 3, 0.0))
    )
    row = compare_texts("g", [own, none], runs, OPTIONS)[0]
    assert row.auc > 0.9 > 0.6 > row.auc_against
    assert row.auc_low > 0
    assert BETTER_TEXT.judge(row) == "higher"
    back = compare_texts("g", [none, own], runs, OPTIONS)[0]
    assert BETTER_TEXT.judge(back) == "lower"
    assert len(compare_texts("g", [own, none, other], runs, OPTIONS)) == 3


def test_the_higher_cosine_of_all_contexts_is_no_better_vector():
    """One text's common words all point one way: its cosines are higher, and its terms are lost in them."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(300, 20))
    vectors[150:] = 3 + 0.3 * generator.normal(size=(150, 20))
    runs = open_groups([([word(k) for k in range(300)], vectors)], single_runs=True)[0].load()
    loud, quiet = made("loud", runs, seed=1, own=0.4), made("quiet", runs, seed=2, own=0.5, words=150)
    row = compare_texts("g", [loud, quiet], runs, OPTIONS)[0]
    assert row.same_low > 0 > row.auc_high
    assert row.null > row.null_against
    said = texts_compared(row)
    assert (HIGHER_COSINE.judge(row), BETTER_TEXT.judge(row)) == ("higher", "lower")
    assert "quiet distinguishes its terms better than loud" in said
    assert "what all contexts of loud share" in said


def test_the_error_of_a_difference_has_terms_and_runs():
    generator = np.random.default_rng(0)

    def of(values):  # (T, R): means over terms of each run
        return [Consistency({"auc": LeftOut(x.mean(), (x.sum() - x) / (len(x) - 1))}, {}, 0.0, 0.0) for x in values.T]

    one, two = generator.normal(size=(9, 4)) + np.arange(4), generator.normal(size=(12, 4)) + 2 * np.arange(4)
    found = difference(of(one), of(two), "auc")
    terms = one.mean(1).var(ddof=1) / 9 + two.mean(1).var(ddof=1) / 12
    runs = (one.mean(0) - two.mean(0)).var(ddof=1) / 4
    assert found.value == pytest.approx(one.mean() - two.mean())
    assert found.se == pytest.approx(np.sqrt(terms + runs))
    parts = [(one.mean(1).var(ddof=1) / 9, 8), (two.mean(1).var(ddof=1) / 12, 11), (runs, 3)]
    assert found.freedom == int(sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts))
    assert found.half == pytest.approx(t_quantile(found.freedom) * found.se)
    alone = difference(of(one[:, :1]), of(two[:, :1]), "auc")
    assert alone.se == pytest.approx(np.sqrt(one[:, 0].var(ddof=1) / 9 + two[:, 0].var(ddof=1) / 12))


def test_the_common_size_is_the_lower_quartile_of_terms_whose_samples_differ_in_size():
    """The sentences of term t have 4 + t words, and its samples four of them."""
    runs = background()
    lists = [s[: 4 + t] for t in range(12) for s in _without_term(sentences(1, 12, 20, seed=t))]
    text = text_of([[*s, term_names(12)[k // 12]] for k, s in enumerate(lists)])
    part = prepare(text, [(t.encode(),) for t in term_names(12)], runs, OPTIONS, CPU)
    assert sorted(set(part.words.tolist())) == [4.0 * (4 + t) for t in range(12)]
    assert common_words([part]) == 4 * (4 + 2)


def _without_term(lists):
    return [[w for w in s if not w.startswith("term")] for s in lists]


def test_terms_are_unlike_by_themselves_at_the_level_of_the_verdict():
    """Of 39 permutations none, one, two and all are as unlike as the split: the first two are within 5 %."""
    as_unlike = [0, 1, 2, 39]
    cosines = [torch.tensor([0.5, *([0.4] * n), *([0.6] * (39 - n))], dtype=torch.float64) for n in as_unlike]
    row = split_row("g", "sentences", cosines)
    assert row.unlike_terms == 0.5
    assert row.halves == pytest.approx(0.5)
    assert row.random == pytest.approx(np.mean([x[1:].mean() for x in cosines]))


@pytest.mark.parametrize(("splits", "as_unlike"), [(19, 0), (39, 1), (99, 4), (199, 9)])
def test_one_in_twenty_is_at_most_five_percent(splits, as_unlike):
    """In float32 it is 0.05000000075, and every such text was open."""
    values = torch.tensor([0.5] + [0.4] * as_unlike + [0.6] * (splits - as_unlike), dtype=torch.float64)
    row = split_row("g", "documents", [values] * 3)
    assert row.p == 0.05
    assert row.unlike_terms == 1
    assert HALVES_DIFFER.judge(row) == "differ"
