"""Consistency against a naive script on real text and against known answers; its null pairs in blocks; its error."""

import itertools
import math

import numpy as np
import pytest
import torch

from gpustab.runs.load import open_groups
from gpustab.small_data.text import Samples, read_text
from gpustab.studies.consistency.claims import TOLD_APART
from gpustab.studies.consistency.measures import LeftOut, NullPairs, consistency_of, places
from gpustab.studies.consistency.models import beside, model_numbers
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from gpustab.studies.consistency.tables import ADDITIVE
from tests.small_data.made import background, naive_counts, sentences, term_names, text_of
from tests.studies.consistency.made import drawn_consistency

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def lee():
    pytest.importorskip("sentencex")
    pytest.importorskip("gensim")
    return read_text("lee", "en")


def test_numbers_are_those_of_a_naive_script_on_real_text(lee):
    options = ConsistencyOptions(number=12, seed=1)
    words = [w.decode() for w in lee.words]
    generator = np.random.default_rng(0)
    vectors = 0.3 + generator.normal(size=(len(words), 10))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    prepared = prepare(lee, None, runs, options, CPU)
    found = consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed)
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
    words = [w.decode() for w in text.words if not w.startswith(b"term")]
    vectors = np.random.default_rng(0).normal(size=(len(words), 8))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    options = ConsistencyOptions(split="half", subsample=0, cutoff=2)
    terms = [(f"term{t}".encode(),) for t in range(4)]
    prepared = prepare(text, terms, runs, options, CPU)
    found = consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["same"].value == pytest.approx(1, abs=1e-12)
    assert found.numbers["auc"].value == 1
    assert found.rank == 1


def test_terms_with_words_of_their_own_are_told_apart():
    runs = background(mean=0.6, d=40)
    text = text_of(sentences(20, 20, 8, seed=5, own=0.7))
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0, number=20)
    terms = [(t.encode(),) for t in term_names(20)]
    prepared = prepare(text, terms, runs, options, CPU)
    found = consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed)
    assert found.numbers["auc"].value > 0.95
    assert found.rank < 1.5


def test_samples_whose_contexts_have_no_word_in_common_are_at_the_null_level():
    """Every sentence has words of its own: a term's samples share no context word, as samples of two terms do not."""
    terms, per_term, length = 20, 4, 10
    names = [f"w{'abcdefghij'[k % 10]}{k}" for k in range(terms * per_term * length)]
    lists = [[*names[k * length : (k + 1) * length], term_names(terms)[k // per_term]] for k in range(terms * per_term)]
    vectors = 0.5 + np.random.default_rng(3).normal(size=(len(names), 30))
    runs = open_groups([(names, vectors)], single_runs=True)[0].load()
    options = ConsistencyOptions(samples=4, cutoff=4, subsample=0)
    prepared = prepare(text_of(lists), [(t.encode(),) for t in term_names(terms)], runs, options, CPU)
    found = consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed).numbers
    assert found["same"].value == pytest.approx(found["null"].value, abs=0.02)
    low, high = found["auc"].estimate.interval
    assert low < 0.5 < high
    assert found["auc"].value == pytest.approx(0.5, abs=0.08)


def test_a_sample_without_a_direction_is_in_no_number():
    """A sum that cancels out: as a cosine of 0 it would lower every mean that it enters."""
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(9, 4, generator=generator, dtype=torch.float64)
    term = np.repeat(np.arange(3), 3)
    samples = Samples(np.arange(3), term, np.arange(9), np.arange(10))
    different = torch.from_numpy(term[:, None] != term)
    vectors[4] = 0
    found = consistency_of(vectors, samples, different)
    unit = torch.nn.functional.normalize(vectors, dim=1)
    wanted = [float(unit[a] @ unit[b]) for a, b in ((0, 1), (0, 2), (1, 2), (3, 5), (6, 7), (6, 8), (7, 8))]
    assert found.numbers["same"].value == pytest.approx(np.mean([np.mean(wanted[:3]), wanted[3], np.mean(wanted[4:])]))
    pairs = [(i, j) for i in range(9) for j in range(i) if term[i] != term[j] and 4 not in (i, j)]
    assert found.numbers["null"].value == pytest.approx(np.mean([float(unit[i] @ unit[j]) for i, j in pairs]))
    words = torch.nn.functional.normalize(torch.randn(30, 4, generator=generator, dtype=torch.float64), dim=1)
    ranks, own = places(vectors, samples, words, torch.arange(9) // 3)
    left = [k for k in range(9) if k != 4]
    less = Samples(np.arange(3), term[left], np.arange(8), np.arange(9))
    assert (ranks, *map(list, own)) == (lambda r, o: (r, *map(list, o)))(
        *places(vectors[left], less, words, torch.arange(9)[left] // 3)
    )
    vectors[[3, 5]] = 0  # a term without any pair leaves the mean, and does not make it NaN
    assert consistency_of(vectors, samples, different).numbers["same"].value == pytest.approx(
        np.mean([np.mean(wanted[:3]), np.mean(wanted[4:])])
    )


def test_without_one_of_two_terms_there_is_no_other_term():
    """As where a setting is reported on three terms in ten of six: rounding over no pairs gave -inf, and warnings."""
    generator = torch.Generator().manual_seed(0)
    for terms in (2, 3):
        numbers = drawn_consistency(terms, 1.0, generator).numbers
        for name in ("null", "auc", "excess"):
            assert np.isfinite(numbers[name].value)
            assert np.isnan(numbers[name].without).all() == (terms == 2)
            assert np.isnan(numbers[name].estimate.se) == (terms == 2)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(0).normal(size=9)
    found = LeftOut(x.mean(), (x.sum() - x) / 8).estimate
    assert found.se == pytest.approx(x.std(ddof=1) / 3)
    assert math.isnan(LeftOut(0.0, np.zeros(2)).estimate.se)


def test_null_pairs_in_blocks_are_those_at_once(monkeypatch):
    from gpustab.studies.consistency import measures as module

    generator = np.random.default_rng(0)
    term = np.repeat(np.arange(40), 3)
    starts = np.concatenate([[0], np.cumsum(generator.integers(1, 4, size=120))])
    samples = Samples(np.arange(40), term, generator.integers(60, size=starts[-1]), starts)
    words = torch.from_numpy(generator.integers(1, 9, size=120)).double()
    vectors = torch.from_numpy(generator.normal(size=(120, 6)))
    whole = NullPairs(samples, words)
    at_once = consistency_of(vectors, samples, whole)
    monkeypatch.setattr(module, "_WHOLE", 500)
    blocks = NullPairs(samples, words)
    assert blocks._kept is None
    assert torch.equal(blocks[7:50], whole[0:120][7:50])
    assert blocks.any()
    found = consistency_of(vectors, samples, blocks)
    for name, number in at_once.numbers.items():
        assert found.numbers[name].value == number.value
        assert np.array_equal(found.numbers[name].without, number.without)
    assert found.rank == at_once.rank


@pytest.mark.parametrize("kind", ["real", "made up"])
def test_made_up_words_in_the_documents_of_real_ones_have_no_vectors_of_their_own(lee, kind):
    """Each stands in other sentences of the documents that a real word stands in: samples of one are of one topic."""
    options = ConsistencyOptions(number=40, seed=2, samples=3, cutoff=6, subsample=0)
    generator = np.random.default_rng(0)
    words = [word.decode() for word in lee.words]
    topic = generator.normal(size=(int(lee.documents[-1]) + 1, 20))  # the words of a document share its direction
    vectors = 1.0 * generator.normal(size=(len(words), 20))
    np.add.at(vectors, lee.tokens, 0.5 * topic[lee.documents[lee.sentence]])
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    real = prepare(lee, None, runs, options, CPU)
    text, terms = (lee, real.samples.terms) if kind == "real" else made_up(lee, real.samples.terms)
    names = [(text.words[k],) for k in terms.tolist()]
    prepared = prepare(text, names, runs, options, CPU)
    numbers = [consistency_of(prepared.sums(runs, 0), prepared.samples, prepared.allowed)]
    others = beside(prepared, runs, options)[ADDITIVE]
    row = model_numbers("g", "b", "t", ADDITIVE, numbers, 1.0, others)
    assert row.auc_low > 0.5
    assert row.documents_auc > 0.5
    if kind == "made up":
        assert TOLD_APART.judge(row) == "documents"
        assert "may distinguish only its documents, not its terms" in TOLD_APART.sentence(row)
        assert f"sentences of the same documents reach {100 * row.documents_auc:.0f} (" in TOLD_APART.sentence(row)
    assert TOLD_APART.judge(row._replace(beyond_low=0.01)) == "apart"


def made_up(text, terms):
    """A text in which made-up words stand at random in other sentences of the documents of some terms."""
    generator = np.random.default_rng(1)
    lists = [[text.words[k].decode() for k in text.tokens[a:b]] for a, b in itertools.pairwise(text.starts)]
    for k, term in enumerate(terms.tolist()):
        there = np.unique(text.sentence[text.tokens == term])
        for s in there:
            others = np.setdiff1d(np.flatnonzero(text.documents == text.documents[s]), there)
            if len(others):
                lists[generator.choice(others)].append(f"madeup{k}")
    made = text_of(lists, text.documents.tolist())
    names = [f"madeup{k}".encode() for k in range(len(terms))]
    return made, np.array([made.words.index(name) for name in names if name in made.words])
