"""The SVD model: samples beside each other, and the terms' likeness to themselves in general text."""

import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.studies.consistency.comparisons import InGeneral, domains, in_general, matched_null
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.models import of_samples
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import draw_samples
from tests.small_data.made import sentences, term_names, text_of

NAMES = term_names(8)


def test_terms_with_words_of_their_own_are_near_themselves_and_not_near_others():
    terms = [t.encode() for t in term_names(8)]
    text = text_of(sentences(8, 20, 8, seed=1, own=0.9))
    general = text_of(sentences(8, 40, 8, seed=2, own=0.9))
    options = ConsistencyOptions(samples=2, svd_dim=20, svd_min_count=2)
    samples = draw_samples(text, [text.words.index(t) for t in terms], options)
    x = of_samples(general, text, samples, options)
    different = torch.from_numpy(samples.term[:, None] != samples.term)
    numbers = consistency_of(x, samples, different).numbers
    assert numbers["auc"].value > 0.98
    assert numbers["excess"].value > 0.4
    whole = domains("g", in_general(general, text, samples.terms, options), options)[0]
    assert (whole.terms_of, whole.terms) == ("all", 8)
    assert whole.excess_low > 0.3
    with pytest.raises(InputError, match="svd_dim is 5000"):
        of_samples(general, text, samples, ConsistencyOptions(svd_dim=5000))


def test_terms_of_other_words_than_in_general_are_not_near_themselves():
    """In the text the terms have each other's words; two of them stand in every sentence."""
    general = text_of(sentences(8, 40, 8, seed=2, own=0.9))
    swapped = [
        [w if w not in NAMES else NAMES[(NAMES.index(w) + 4) % 8] for w in s] for s in sentences(8, 20, 8, 1, own=0.9)
    ]
    text = text_of([[*s, NAMES[k % 8]] for k, s in enumerate(swapped)])
    terms = np.array([text.words.index(t.encode()) for t in NAMES])
    options = ConsistencyOptions(svd_dim=20, svd_min_count=2)
    whole = domains("g", in_general(general, text, terms, options), options)[0]
    assert whole.terms_of == "all"
    assert whole.excess_high < 0.1


def test_a_term_that_stands_alone_in_its_sentences_is_in_no_mean():
    """It has no contexts in the text, so that its vector is zero: a cosine of 0 was in the mean of table 5."""
    lists = sentences(8, 20, 8, seed=1, own=0.9)
    alone = [[NAMES[0]] if NAMES[0] in s else s for s in lists]
    options = ConsistencyOptions(svd_dim=20, svd_min_count=2)
    general = text_of(sentences(8, 40, 8, seed=2, own=0.9))
    text = text_of(alone)
    terms = np.array([text.words.index(t.encode()) for t in NAMES])
    found = in_general(general, text, terms, options)
    assert len(found.cosine) == len(found.in_text) == len(found.null) == 7
    assert (found.cosine > 0.2).all()
    whole = domains("g", found, options)[0]
    assert whole.terms == 7


def test_the_null_of_like_frequencies_is_of_the_nearest_ones():
    generator = np.random.default_rng(0)
    cosines, places = generator.normal(size=(30, 30)), generator.normal(size=(30, 2))
    found = matched_null(cosines, places)
    for i in (0, 7, 29):
        order = sorted((k for k in range(30) if k != i), key=lambda k: np.sum((places[i] - places[k]) ** 2))
        assert found[i] == pytest.approx(np.mean([cosines[i, k] for k in order[:10]]))
    assert np.isnan(matched_null(np.ones((1, 1)), np.zeros((1, 2)))).all()


def test_terms_are_grouped_by_both_frequencies():
    options = ConsistencyOptions(domain_low=0.1, domain_high=0.2, general_low=0.3, general_high=0.4)
    in_text, in_general = np.array([0.05, 0.05, 0.3, 0.3, 0.3, 0.15]), np.array([0.2, 0.5, 0.2, 0.2, 0.5, 0.5])
    cosine = np.array([0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
    rows = domains("g", InGeneral(cosine, cosine / 2, in_text, in_general), options)
    assert {row.terms_of: (row.terms, pytest.approx(row.cosine)) for row in rows} == {
        "all": (6, cosine.mean()),
        "high in text, low in general": (2, 0.4),
        "low in text, low in general": (1, 0.1),
        "low in text, high in general": (1, 0.2),
        "high in text, high in general": (1, 0.7),
    }
    assert rows[0].null == pytest.approx(cosine.mean() / 2)
    assert rows[0].excess == pytest.approx(cosine.mean() / 2)
    assert rows[0].excess_low < rows[0].excess < rows[0].excess_high
