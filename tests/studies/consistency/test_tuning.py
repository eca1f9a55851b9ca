"""Settings are chosen on some terms and reported on others: by loops, and where there is nothing to choose."""

import itertools

import numpy as np
import pytest
import torch

from gpustab.small_data import nonce
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from gpustab.studies.consistency.tables import Setting
from gpustab.studies.consistency.tuning import best_of, nonce_settings, pairs_of, settings_of, that_choose
from tests.small_data.made import background, sentences, term_names, text_of
from tests.studies.consistency.made import row

CPU = torch.device("cpu")


def made(terms, sentences_of_each=12, **choices):
    runs = background(mean=0.4)
    options = ConsistencyOptions(samples=3, sentences=4, cutoff=2, subsample=0, **choices)
    text = text_of(sentences(terms, sentences_of_each, 8, seed=3, own=0.2))
    return prepare(text, [(t.encode(),) for t in term_names(terms)], runs, options, CPU), runs, options


def test_seven_in_ten_terms_choose_and_the_seed_says_which():
    for terms in (4, 10, 60):
        chosen = that_choose(terms, 5)
        assert chosen.sum() == min(round(0.7 * terms), terms - 2)
        assert (that_choose(terms, 5) == chosen).all()
    assert not that_choose(3, 0).any()
    assert any((that_choose(60, seed) != that_choose(60, 5)).any() for seed in range(3))
    shares = np.mean([that_choose(10, seed) for seed in range(400)], axis=0)
    assert shares == pytest.approx(np.full(10, 0.7), abs=0.12)


def test_numbers_of_a_setting_are_of_each_part_of_the_terms_by_loops(monkeypatch):
    monkeypatch.setattr(
        nonce, "GRID", {name: values[:1] for name, values in nonce.GRID.items()} | {"alpha": (0.1, 1.0)}
    )
    prepared, runs, options = made(8)
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(runs.words, 20, generator=generator, dtype=torch.float64)
    output = nonce.Output(vectors, np.arange(1, runs.words + 1))
    chosen = that_choose(8, options.seed)
    parts = [prepared.having(some) for some in (chosen, ~chosen)]
    (schedule,) = nonce.schedules(nonce_settings(options))
    start = prepared.sums(runs, 0)
    rows = settings_of(start, prepared, output, schedule, parts)
    assert [one.alpha for one in rows] == [0.1, 1.0]
    for one, settings in zip(rows, nonce.trainings(schedule), strict=True):
        x = nonce.trained(start, output, pairs_of(prepared, output, schedule), settings)
        for some, numbers in ((chosen, one[7:10]), (~chosen, one[10:13])):
            assert numbers == pytest.approx(_naive(x, prepared, some))


def _naive(x, prepared, some):
    """Mean cosine of one term, of two, and how often the first is larger, over the samples of some terms."""
    samples, words, same, null = prepared.samples, prepared.words.tolist(), {}, []
    members = [set(samples.members[a:b].tolist()) for a, b in itertools.pairwise(samples.starts)]
    kept = [p for p, term in enumerate(samples.term) if some[term]]
    for p, q in itertools.combinations(kept, 2):
        cosine = float(torch.nn.functional.cosine_similarity(x[p], x[q], dim=0))
        if samples.term[p] == samples.term[q]:
            same.setdefault(samples.term[p], []).append(cosine)
        elif not members[p] & members[q] and max(words[p], words[q]) <= 2 * min(words[p], words[q]):
            null.append(cosine)
    pairs = [(a > b) + (a == b) / 2 for of_term in same.values() for a in of_term for b in null]
    return np.mean([np.mean(of_term) for of_term in same.values()]), np.mean(null), np.mean(pairs)


@pytest.mark.slow
def test_the_best_of_many_equal_settings_is_lucky_where_it_was_chosen_and_nowhere_else():
    """Planted: 40 settings whose vectors say nothing of the terms, so that each has an AUC of 0.5."""
    prepared, _, options = made(20)
    chosen = that_choose(20, options.seed)
    parts = [prepared.having(some) for some in (chosen, ~chosen)]
    generator, there, here = torch.Generator().manual_seed(1), [], []
    for _ in range(12):
        settings = []
        for _ in range(40):
            x = torch.randn(len(prepared.samples.term), 5, generator=generator, dtype=torch.float64)
            numbers = [consistency_of(x[rows], part.samples, part.allowed).numbers["auc"].value for rows, part in parts]
            settings.append(row(Setting, auc=numbers[0], test_auc=numbers[1]))
        best = best_of(settings)
        there.append(best.auc)
        here.append(best.test_auc)
    assert min(there) > 0.55
    assert np.mean(here) == pytest.approx(0.5, abs=4 * np.std(here, ddof=1) / 12**0.5)


def test_no_setting_is_best_without_other_terms_or_numbers():
    assert best_of([]) is None
    assert best_of([row(Setting, auc=0.9)]) is None
    assert best_of([row(Setting, auc=float("nan"), test_auc=0.5), row(Setting)]) is None
    low, high = (row(Setting, auc=auc, test_auc=1 - auc) for auc in (0.6, 0.7))
    assert best_of([low, high, low]) is high
