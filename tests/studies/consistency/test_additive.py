"""Context counts, sums and measures against naive loops on real text, and against what is known."""

import itertools
import math

import numpy as np
import pytest
import torch

from gpustab.studies.consistency.additive import additive, centred, mean_context
from gpustab.studies.consistency.contexts import chances, context_counts, kept_tokens
from gpustab.studies.consistency.measures import LeftOut, consistency_of, size_constant
from gpustab.studies.consistency.nulls import NullPairs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import prepare
from gpustab.studies.consistency.samples import draw_samples
from gpustab.studies.consistency.text import read_text
from tests.studies.consistency.made import background, sentences, term_names, text_of

CPU = torch.device("cpu")


def naive_counts(text, samples, rows, kept, window, types):
    """Loops over samples, sentences and tokens."""
    found = []
    for p in range(len(samples.term)):
        term, bag = samples.terms[samples.term[p]], []
        for s in samples.members[samples.starts[p] : samples.starts[p + 1]]:
            places = [k for k in range(text.starts[s], text.starts[s + 1]) if kept[k] or text.tokens[k] == term]
            targets = [i for i, k in enumerate(places) if text.tokens[k] == term]
            for i, k in enumerate(places):
                near = any(abs(i - t) <= window for t in targets)
                if near and text.tokens[k] != term and rows[text.tokens[k]] >= 0:
                    bag.append(int(rows[text.tokens[k]]))
        found.append(sorted(set(bag) if types else bag))
    return found


@pytest.fixture(scope="module")
def lee():
    pytest.importorskip("sentencex")
    pytest.importorskip("gensim")
    return read_text("lee", "en")


@pytest.mark.parametrize(("window", "count"), [(15, "tokens"), (2, "types")])
def test_context_counts_are_those_of_loops_on_real_text(lee, window, count):
    options = ConsistencyOptions(window=window, count=count)
    words = [k for k, c in enumerate(lee.counts) if 12 <= c <= 15][:25]
    words = [k for k in words if len(np.unique(lee.sentence[lee.tokens == k])) >= 5]
    samples = draw_samples(lee, words, options)
    rows = np.where(np.arange(len(lee.words)) % 7 > 0, np.arange(len(lee.words)), -1)
    kept = kept_tokens(lee, chances(lee.counts, len(lee.tokens), 1e-3), 0)
    assert 0.2 < kept.mean() < 0.9
    matrix = context_counts(lee, samples, rows, len(lee.words), kept, options)
    for p, wanted in enumerate(naive_counts(lee, samples, rows, kept, window, count == "types")):
        row = matrix[p].tocoo()
        assert sorted(np.repeat(row.col, row.data.astype(int)).tolist()) == wanted


def test_word2vecs_chance_to_be_kept():
    found = chances(np.array([0, 1, 10**4, 10**6]), 10**7, 1e-4)
    assert found[:2].tolist() == [1.0, 1.0]
    assert found[3] == pytest.approx((math.sqrt(10**6 / 10**3) + 1) * 10**3 / 10**6)
    assert chances(np.array([5]), 10, 0.0).tolist() == [1.0]


def test_numbers_are_those_of_a_naive_script_on_real_text(lee):
    options = ConsistencyOptions(number=12, seed=1)
    words = [w.decode() for w in lee.words]
    generator = np.random.default_rng(0)
    from gpustab.runs.load import open_groups

    vectors = 0.3 + generator.normal(size=(len(words), 10))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    prepared = prepare(lee, None, runs, options, CPU)
    found = consistency_of(additive(prepared, runs, 0), prepared.samples, prepared.allowed)
    table = {w: np.float32(v).astype(float) for w, v in zip(words, vectors, strict=True)}
    samples = prepared.samples
    bags = naive_counts(lee, samples, np.arange(len(words)), prepared.kept, 15, False)
    sums = [sum(table[words[k]] for k in bag) for bag in bags]

    def cosine(i, j):
        return sums[i] @ sums[j] / math.sqrt((sums[i] @ sums[i]) * (sums[j] @ sums[j]))

    members = [set(samples.members[a:b].tolist()) for a, b in itertools.pairwise(samples.starts)]
    pairs = list(itertools.combinations(range(len(sums)), 2))
    same = [(i, j) for i, j in pairs if samples.term[i] == samples.term[j]]
    null = [
        (i, j)
        for i, j in pairs
        if samples.term[i] != samples.term[j]
        and not members[i] & members[j]
        and max(len(bags[i]), len(bags[j])) <= 2 * min(len(bags[i]), len(bags[j]))
    ]

    def numbers(without=None):
        own = [p for p in same if samples.term[p[0]] != without]
        other = [p for p in null if without not in (samples.term[p[0]], samples.term[p[1]])]
        by_term = [[cosine(*p) for p in own if samples.term[p[0]] == t] for t in range(12) if t != without]
        a, b = [cosine(*p) for p in own], [cosine(*p) for p in other]
        auc = np.mean([[x > y for y in b] for x in a])
        return np.mean([np.mean(x) for x in by_term]), np.mean(b), auc

    same_, null_, auc = numbers()
    assert found.numbers["same"].value == pytest.approx(same_, abs=1e-6)
    assert found.numbers["null"].value == pytest.approx(null_, abs=1e-6)
    assert found.numbers["auc"].value == pytest.approx(auc, abs=1e-6)
    assert found.numbers["excess"].value == pytest.approx(same_ - null_, abs=1e-6)
    for t in (0, 7):
        left = [found.numbers[name].without[t] for name in ("same", "null", "auc")]
        assert left == pytest.approx(numbers(t), abs=1e-6)


def test_identical_samples_have_cosine_one_and_are_first():
    lists = [[f"w{t}x{k}", f"term{t}", f"w{t}y{k}"] for t in range(4) for k in range(6)]
    text = text_of(lists + lists, [0] * 24 + [1] * 24)
    from gpustab.runs.load import open_groups

    words = [w.decode() for w in text.words if not w.startswith(b"term")]
    vectors = np.random.default_rng(0).normal(size=(len(words), 8))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    options = ConsistencyOptions(split="half", subsample=0, cutoff=2)
    terms = [(f"term{t}".encode(),) for t in range(4)]
    prepared = prepare(text, terms, runs, options, CPU)
    found = consistency_of(additive(prepared, runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["same"].value == pytest.approx(1, abs=1e-12)
    assert found.numbers["auc"].value == 1
    assert found.rank == 1


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
    found = consistency_of(additive(prepared, runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["null"].value == pytest.approx(1 / (1 + constant / (8 * n)), abs=0.03)
    assert found.numbers["same"].value == pytest.approx(found.numbers["null"].value, abs=0.06)
    assert size_constant(found.numbers["null"].value, 8 * n) == pytest.approx(constant, rel=0.15)


def test_without_the_mean_context_one_distribution_has_cosine_zero():
    runs = background(mean=0.6, d=40)
    text = text_of(sentences(20, 20, 8, seed=5))
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0, number=20)
    terms = [(t.encode(),) for t in term_names(20)]
    prepared = prepare(text, terms, runs, options, CPU)
    x = centred(additive(prepared, runs, 0), prepared.words, mean_context(prepared, runs, 0))
    found = consistency_of(x, prepared.samples, prepared.allowed)
    assert abs(found.numbers["null"].value) < 0.03
    assert abs(found.numbers["same"].value) < 0.12


def test_terms_with_words_of_their_own_are_told_apart():
    runs = background(mean=0.6, d=40)
    text = text_of(sentences(20, 20, 8, seed=5, own=0.7))
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0, number=20)
    terms = [(t.encode(),) for t in term_names(20)]
    prepared = prepare(text, terms, runs, options, CPU)
    found = consistency_of(additive(prepared, runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["auc"].value > 0.95
    assert found.rank < 1.5


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


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(0).normal(size=9)
    found = LeftOut(x.mean(), (x.sum() - x) / 8).estimate
    assert found.se == pytest.approx(x.std(ddof=1) / 3)
    assert math.isnan(LeftOut(0.0, np.zeros(2)).estimate.se)


def test_samples_whose_contexts_have_no_word_in_common_are_at_the_null_level():
    """Every sentence has words of its own: a term's samples share no context word, as samples of two terms do not."""
    terms, per_term, length = 20, 4, 10
    names = [f"w{'abcdefghij'[k % 10]}{k}" for k in range(terms * per_term * length)]
    lists = [[*names[k * length : (k + 1) * length], term_names(terms)[k // per_term]] for k in range(terms * per_term)]
    from gpustab.runs.load import open_groups

    vectors = 0.5 + np.random.default_rng(3).normal(size=(len(names), 30))
    runs = open_groups([(names, vectors)], single_runs=True)[0].load()
    options = ConsistencyOptions(samples=4, cutoff=4, subsample=0)
    prepared = prepare(text_of(lists), [(t.encode(),) for t in term_names(terms)], runs, options, CPU)
    found = consistency_of(additive(prepared, runs, 0), prepared.samples, prepared.allowed).numbers
    assert found["same"].value == pytest.approx(found["null"].value, abs=0.02)
    low, high = found["auc"].estimate.interval
    assert low < 0.5 < high
    assert found["auc"].value == pytest.approx(0.5, abs=0.08)
