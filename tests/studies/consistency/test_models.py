"""Places among the background's words: own vectors and those of other terms by loops, and the nearest words."""

import itertools

import numpy as np
import pytest
import torch

from gpustab.studies.consistency.claims_of_vectors import OWN_NEARER, neighbours_shared
from gpustab.studies.consistency.measures import places, unit
from gpustab.studies.consistency.models import contrast, model_numbers, nearest, own_vectors
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from tests.small_data.made import background, text_of, word
from tests.studies.consistency.made import drawn_consistency


@pytest.fixture(scope="module")
def prepared():
    """Terms of the background itself, and one that it lacks, with two samples each."""
    generator = np.random.default_rng(0)
    lists = []
    for k in range(60):
        own = word(290 + k % 5) if k % 6 else "unknown"
        lists.append([*(word(int(w)) for w in generator.integers(280, size=9)), own])
    runs = background(mean=0.3)
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0)
    terms = [(word(290 + k).encode(),) for k in range(5)] + [(b"unknown",)]
    return prepare(text_of(lists), terms, runs, options, torch.device("cpu")), runs


def test_own_vectors_and_those_of_other_terms_by_loops(prepared):
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = torch.randn(len(part.samples.term), 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    own = places(x, part.samples, words, part.term_rows)[1]
    names = [part.text.words[t] for t in part.samples.terms]
    table = {name: words[runs.vocabulary.index_of(name)].double() for name in names if name in runs.vocabulary}
    for k, name in enumerate(names):
        mine = [unit(x[p]) for p in np.flatnonzero(part.samples.term == k)]
        if name not in table:
            assert np.isnan([own.cosine[k], own.null[k], own.place[k]]).all()
            continue
        cosines = [float(v @ table[name]) for v in mine]
        assert own.cosine[k] == pytest.approx(np.mean(cosines))
        others = [float(v @ other) for v in mine for key, other in table.items() if key != name]
        assert own.null[k] == pytest.approx(np.mean(others))
        ranks = [1 + int((words.double() @ v > c + 1e-12).sum()) for v, c in zip(mine, cosines, strict=True)]
        assert own.place[k] == pytest.approx(np.mean(ranks))
    ranks, without = [], []
    for i, j in itertools.permutations(range(len(x)), 2):
        if part.samples.term[i] == part.samples.term[j]:
            nearer = words.double() @ unit(x[i]) > float(unit(x[i]) @ unit(x[j])) + 1e-12
            ranks.append(1 + int(nearer.sum()))
            word_row = int(part.term_rows[i])
            without.append(ranks[-1] - int(word_row >= 0 and bool(nearer[word_row])))
    both = places(x, part.samples, words, part.term_rows)[0]
    assert both.both == pytest.approx(np.mean(ranks))
    assert both.without_own == pytest.approx(np.mean(without))
    assert both.first == pytest.approx(np.mean(np.array(ranks) == 1))
    assert both.both == pytest.approx((both.forward + both.back) / 2)
    row = own_vectors("g", "m", [own])
    assert row.terms == 5
    assert row.excess == pytest.approx(row.cosine - row.null)
    assert row.excess_low < row.excess < row.excess_high


def test_own_words_of_which_only_one_is_known_have_no_null(prepared):
    part, runs = prepared
    rows = part.frequencies.rows.copy()
    for k in range(1, 5):
        rows[part.text.words.index(word(290 + k).encode())] = -1
    one = part._replace(frequencies=part.frequencies._replace(rows=rows))
    x = torch.ones(len(part.samples.term), 20).double()
    own = places(x, one.samples, unit(runs.rows[0][0 : runs.words]), one.term_rows)[1]
    assert np.isfinite(own.cosine).sum() == 1
    assert np.isnan(own.null).all()
    assert OWN_NEARER.judge(own_vectors("g", "m", [own])) == "few"


def test_nearest_words_say_how_many_both_samples_have(prepared):
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = words[torch.arange(len(part.samples.term)) // 2].double()
    rows = nearest(x, part, words, runs.vocabulary, "additive")
    assert {row.shared for row in rows} == {4}
    assert rows[0].nearest == rows[1].nearest
    assert "share 4.0 of 4 nearest words (mean over the 6 most frequent terms)" in neighbours_shared(rows)
    assert {row.place for row in rows} == {1}
    other = [row._replace(model="Nonce2Vec (frozen)", shared=1) for row in rows]
    said = "4.0 by additive and 1.0 by Nonce2Vec (frozen) (means over the 6 most frequent terms)"
    assert said in neighbours_shared([*rows, *other])


def test_a_term_of_which_a_sample_has_no_direction_has_no_nearest_words(prepared):
    """All words are as near to zeros as any others: the first of them were listed."""
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = words[torch.arange(len(part.samples.term)) // 2].double()
    lost = part.samples.terms[0]
    x[np.flatnonzero(part.samples.term == 0)[1]] = 0
    rows = nearest(x, part, words, runs.vocabulary, "additive")
    terms = {part.text.words[term].decode() for term in part.samples.terms}
    assert {row.term for row in rows} == terms - {part.text.words[lost].decode()}


def test_the_place_of_the_other_sample_is_among_all_words(prepared):
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = torch.randn(len(part.samples.term), 20, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    rows = nearest(x, part, words, runs.vocabulary, "additive")
    names = [part.text.words[term].decode() for term in part.samples.terms]
    for row in rows:
        two = [unit(x[p]) for p in np.flatnonzero(part.samples.term == names.index(row.term))]
        one, other = two if row.sample == 1 else two[::-1]
        assert row.place == 1 + sum(float(word @ one) > float(one @ other) for word in words.double())


def test_a_number_over_runs_has_its_mean_and_sd_and_the_law_of_sums_of_sums_alone():
    generator = torch.Generator().manual_seed(0)
    runs = [drawn_consistency(8, 1.0, generator) for _ in range(3)]
    row = model_numbers("g", "b", "t", "additive", runs, 40.0)
    for name in ("same", "null", "excess", "auc"):
        values = [run.numbers[name].value for run in runs]
        assert getattr(row, name) == pytest.approx(np.mean(values))
        assert getattr(row, f"{name}_sd") == pytest.approx(np.std(values, ddof=1))
        assert getattr(row, f"{name}_low") < getattr(row, name) < getattr(row, f"{name}_high")
    assert (row.runs, row.terms, row.words) == (3, 8, 40.0)
    assert row.c == pytest.approx(40 * (1 - row.same) / row.same)
    alone = model_numbers("g", "b", "t", "SVD (window 5)", runs[:1], 40.0)
    assert (alone.auc_sd, alone.c) == (None, None)


def test_a_model_less_itself_is_surely_nothing():
    """The terms are the same, so that what they have in common leaves the error of a difference."""
    generator = torch.Generator().manual_seed(0)
    one, two = (drawn_consistency(8, 1.0, generator) for _ in range(2))
    assert contrast("g", ("a", "b"), {"a": [one], "b": [one]}, {})[3:9] == pytest.approx((0.0,) * 6, abs=1e-12)
    row = contrast("g", ("a", "b"), {"a": [one], "b": [two]}, {})
    assert row.auc == pytest.approx(one.numbers["auc"].value - two.numbers["auc"].value)
    assert row.same_low < row.same < row.same_high
