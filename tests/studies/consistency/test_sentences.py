"""Which sentence is chosen, and how often the rules err."""

import numpy as np
import pytest
import torch

from gpustab.results import Table
from gpustab.studies.consistency import sentences
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.rows import of_contrast
from gpustab.studies.consistency.samples import Samples

DRAWS = 250


def _samples(terms, parts=5):
    term = np.repeat(np.arange(terms), parts)
    return Samples(np.arange(terms), term, np.arange(len(term)), np.arange(len(term) + 1))


def _found(terms, signal, generator, parts=5, d=20):
    """Vectors of a common mean, with a share of the term's own."""
    x = 1 + 2 * torch.randn(terms, parts, d, generator=generator, dtype=torch.float64)
    x += signal * torch.randn(terms, 1, d, generator=generator, dtype=torch.float64)
    samples = _samples(terms, parts)
    term = torch.from_numpy(samples.term)
    return consistency_of(x.flatten(0, 1), samples, term[:, None] != term)


def _row(found, terms):
    row = {"terms": terms}
    for name in ("same", "null", "auc", "excess"):
        row[name] = found.numbers[name].value
        row[f"{name}_low"], row[f"{name}_high"] = found.numbers[name].estimate.interval
    return row


def _share(terms, signal, parts, wanted):
    generator = torch.Generator().manual_seed(100 * terms + parts)
    rows = [_row(_found(terms, signal, generator, parts), terms) for _ in range(DRAWS)]
    return sum(sentences.told_apart(row)[0] == wanted for row in rows) / DRAWS


@pytest.mark.parametrize(("terms", "parts"), [(3, 2), (3, 5), (6, 5), (16, 2)])
def test_terms_without_vectors_of_their_own_are_seldom_told_apart(terms, parts):
    """At the level of the intervals 0.025 of the draws would err; 0.05 is borne."""
    assert _share(terms, 0.0, parts, "apart") <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize(("terms", "wanted"), [(3, 0.8), (16, 0.99)])
def test_terms_with_vectors_of_their_own_are_told_apart(terms, wanted):
    assert _share(terms, 2.0, 5, "apart") >= wanted


def test_vectors_with_something_of_their_own_are_not_called_alike():
    assert _share(16, 2.0, 5, "alike") == 0


@pytest.mark.parametrize("terms", [3, 10])
def test_the_same_model_with_another_scale_is_neither_better_nor_worse(terms):
    """Two models whose vectors have the same law: their difference is seldom called one."""
    generator = torch.Generator().manual_seed(7)
    verdicts = []
    for _ in range(DRAWS):
        one, two = (_found(terms, 1.0, generator) for _ in range(2))
        verdicts.append(sentences.models_part(of_contrast("g", "a", "b", [one], [two]), terms)[0])
    assert sum(verdict in ("better", "worse") for verdict in verdicts) / DRAWS <= 0.075


@pytest.mark.parametrize(
    ("change", "verdict", "words"),
    [
        ({"terms": 2}, "few", "from 2 terms"),
        ({"auc_low": 0.6}, "apart", "in 66 of 100 comparisons"),
        ({"auc": 0.5, "auc_high": 0.54}, "alike", "no more alike"),
        ({}, "open", "cannot be told from 20 terms"),
        ({"auc_low": float("nan"), "auc_high": float("nan")}, "few", "cannot be told"),
    ],
)
def test_the_sentence_follows_the_interval(change, verdict, words):
    row = {"terms": 20, "auc": 0.66, "auc_low": 0.4, "auc_high": 0.9, "same": 0.98, "null": 0.97} | change
    found = sentences.told_apart(row)
    assert found[0] == verdict
    assert words in found[1]


def test_a_cosine_that_is_almost_all_common_is_said_to_be():
    row, middle = {"same": 0.985, "null": 0.977, "excess": 0.008}, {"same": 0.41, "null": 0.03}
    assert "almost all of it" in sentences.scale(row, middle)
    assert "almost all of it" not in sentences.scale(row | {"excess": 0.2}, middle)


def test_growth_needs_intervals_apart():
    rows = [
        {"n": 1, "same": 0.8, "same_low": 0.7, "same_high": 0.85, "law": 0.8, "c": 2.0},
        {"n": 8, "same": 0.9, "same_low": 0.88, "same_high": 0.95, "law": 0.9, "c": 2.0},
    ]
    assert sentences.grows(Table.of(rows))[0] == "grows"
    rows[0]["same_high"] = 0.89
    assert sentences.grows(Table.of(rows))[0] == "open"
    assert sentences.grows(Table.of(rows[:1]))[0] == "none"


def test_documents_decide_whether_halves_differ():
    one = {"permuted": "sentences", "halves": 0.9, "random": 0.95, "p": 0.01}
    assert sentences.development([one])[0] == "differ"
    verdict, said = sentences.development([one, one | {"permuted": "documents", "p": 0.4}])
    assert verdict == "open"
    assert "documents differ, the halves do not" in said


def test_cosine_and_auc_may_part():
    contrast = {"model": "SVD", "against": "additive", "auc": 0.1, "auc_low": 0.05, "auc_high": 0.15}
    contrast |= {"same": -0.3, "same_low": -0.4, "same_high": -0.2}
    verdict, said = sentences.models_part(contrast, 20)
    assert verdict == "better"
    assert "though its cosine is lower" in said
    assert sentences.models_part(contrast, 2)[0] == "open"
    near = contrast | {"auc": 0.0, "auc_low": -0.02, "auc_high": 0.03}
    assert sentences.models_part(near, 20)[0] == "equal"
    assert "though their cosines differ" in sentences.models_part(near, 20)[1]
    assert sentences.models_part(near | {"auc_high": 0.06}, 20)[0] == "open"


def test_what_nonce2vec_reads():
    assert "first 3 of 5 sentences alone" in sentences.read_by_nonce([21, 12, 6, 0, 0])
    assert "every sentence" in sentences.read_by_nonce([21, 12])
    assert "hardly any" in sentences.read_by_nonce([0.1, 0.0])


def test_ranks_among_words_are_read_beside_those_among_samples():
    ranks = {"both": 1.0, "words": 400_000}
    assert "both are sums" in sentences.most_frequent_rank({"rank": 66.0, "among": 296.0}, ranks)
    assert "both are sums" not in sentences.most_frequent_rank({"rank": 1.2, "among": 296.0}, ranks)


@pytest.mark.parametrize(
    ("runs", "sd", "half", "kind", "said"),
    [
        (4, 0.002, 0.05, "terms", "more terms make it surer"),
        (4, 0.2, 0.01, "trainings", "train the background more often"),
        (4, 0.05, 0.05, "both", "about as much as other terms do"),
        (1, None, 0.05, "one", "One training of the background"),
    ],
)
def test_what_makes_the_auc_unsure(runs, sd, half, kind, said):
    row = {"runs": runs, "terms": 50, "auc_sd": sd, "auc_low": 0.7 - half, "auc_high": 0.7 + half}
    found = sentences.trainings_part(row)
    assert found[0] == kind
    assert said in found[1]
    assert sentences.trainings_part(row | {"runs": 3, "terms": 2})[1] == ""
