"""Scores beside a loop of fractions, ties exact, intervals that cover, and verdicts that are seldom wrong."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from gpustab.sentences.model import BagOfWords, Embedding
from gpustab.statistics.intervals import wilson
from gpustab.studies.localization.claims import negation_sentences, placed, told_apart
from gpustab.studies.localization.corpus import build
from gpustab.studies.localization.distances import Distances, measure, unrelated
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.scores import bootstrap_interval, bootstrap_weights, negation, scores, share_interval
from gpustab.studies.localization.tables import COMPARISONS, Negation


@pytest.fixture(scope="module")
def corpus(paraphrases, lexicon, language):
    return build(paraphrases.pairs, lexicon, language, LocalizationOptions())


def squared_cosine(a, b):
    x, y = Counter(a), Counter(b)
    dot = sum(n * y[word] for word, n in x.items())
    return Fraction(dot * dot, sum(n * n for n in x.values()) * sum(n * n for n in y.values()))


def by_fractions(corpus, far, near, k):
    """n, farther, equal, in whole numbers: a naive loop."""
    n = farther = equal = 0
    for number, base in enumerate(corpus.bases):
        places = []
        for kind in (far, near):
            steps = base.chains.get(kind, ())
            text = base.paraphrase if kind == "paraphrase" else steps[k - 1].tokens if len(steps) >= k else None
            if kind == "unrelated" and k == 1:
                text = corpus.bases[unrelated(corpus)[number]].tokens
            places.append(None if text is None else squared_cosine(base.tokens, text))
        if None not in places:
            n, farther, equal = n + 1, farther + (places[0] < places[1]), equal + (places[0] == places[1])
    return n, farther, equal


def test_bags_are_scored_as_by_fractions(corpus):
    component = [base.component for base in corpus.bases]
    found = scores("bow", 1, measure(corpus, BagOfWords()), component, 100, 0, open_=False)
    names = {comparison.name: comparison for comparison in COMPARISONS}
    assert {row.comparison for row in found} == set(names)
    for row in found:
        own = names[row.comparison]
        truth = by_fractions(corpus, own.far, own.near, row.k)
        assert (row.n, row.farther, row.equal) == truth, row.comparison
        counted = truth[1] + truth[2] * (own.far == "paraphrase")
        assert row.share == counted / row.n
        assert row.half == (truth[1] + truth[2] / 2) / row.n
        assert (row.wilson_low, row.wilson_high) == wilson(counted, row.n)
    assert any(row.equal for row in found if "beyond noun synonym" in row.comparison)


def test_equal_vectors_are_at_no_distance_and_zero_ones_have_none():
    model = Embedding("m", lambda texts: [[float(len(t)), 0.3] if t != ("zero",) else [0.0, 0.0] for t in texts])
    found = model.distances([("a", "b"), ("a",), ("a",)], [("c", "d"), ("zero",), ("b", "c")])
    assert found[0] == 0
    assert math.isnan(found[1])
    assert found[2] == pytest.approx(1 - (2 + 0.09) / math.sqrt(1.09 * 4.09))


def test_only_sentences_with_known_words_are_scored_apart(corpus):
    class Half(BagOfWords):
        def knows(self, word):
            return word < "g"

    component = [base.component for base in corpus.bases]
    found = scores("half", 1, measure(corpus, Half()), component, 100, 0, open_=True)
    rows = {(row.subset, row.comparison, row.k): row for row in found}
    name = "noun synonym within paraphrase"
    truth = sum(
        all(word < "g" for word in (base.chains["noun_synonym"][0].old, base.chains["noun_synonym"][0].new))
        for base in corpus.bases
        if base.chains["noun_synonym"]
    )
    assert 0 < rows["known", name, 1].n == truth < rows["all", name, 1].n


def drawn(seed, components, p, rho=0.6):
    """Hits of two sentences a component that agree more often than by chance."""
    generator = np.random.default_rng(seed)
    first = generator.random(components) < p
    again = generator.random(components) < rho
    second = np.where(again, first, generator.random(components) < p)
    return np.concatenate([first, second]).astype(float), np.tile(np.arange(components), 2)


def verdicts(components, p, repeats=150):
    weights = bootstrap_weights(components, 300, 1)
    found = []
    for seed in range(repeats):
        hits, component = drawn(seed, components, p)
        found.append(told_apart(components, *bootstrap_interval(hits, component, weights)))
    return Counter(found)


@pytest.mark.parametrize("components", [30, 100, 400])
def test_false_verdicts_are_seldom_and_true_ones_not_missed(components):
    by_chance = verdicts(components, 0.5)
    assert by_chance["yes"] + by_chance["reversed"] <= 0.05 * 150
    assert verdicts(components, 0.8)["yes"] >= 0.8 * 150
    assert verdicts(components, 0.2)["reversed"] >= 0.8 * 150


def test_no_difference_is_said_only_where_it_is_narrow():
    assert verdicts(1200, 0.5)["no"] >= 0.75 * 150
    assert verdicts(1200, 0.6)["no"] == 0
    assert verdicts(29, 0.9)["few"] == 150


def test_drawing_components_makes_intervals_wider_than_drawing_sentences():
    hits, component = drawn(0, 200, 0.5)
    low, high = bootstrap_interval(hits, component, bootstrap_weights(200, 2000, 0))
    alone = bootstrap_interval(hits, np.arange(400), bootstrap_weights(400, 2000, 0))
    assert 1.1 < (high - low) / (alone[1] - alone[0]) < 1.5  # √1.6 = 1.26
    assert all(map(math.isnan, bootstrap_interval(hits[:1], component[:1], bootstrap_weights(200, 100, 0))))


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("runs", [1, 3])
def test_shares_of_all_or_none_have_an_interval_as_wide_as_their_number_says(share, runs):
    """A card said "0 % of 68, 0–0 %"."""
    hits, component = np.full((runs, 80), share), np.arange(80) // 2
    _, *ends = share_interval(hits, component, bootstrap_weights(40, 200, 0))
    assert sorted(abs(end - share) for end in ends) == pytest.approx([0, 0.0876], abs=1e-3)  # Wilson's of 40
    mixed = share_interval((hits + np.eye(runs, 80)) % 2, component, bootstrap_weights(40, 200, 0))
    assert 0 <= mixed[1] <= mixed[2] <= 1


@pytest.mark.parametrize(("bend", "verdict"), [(-0.05, "back"), (0.05, "not back"), (-0.01, "open")])
def test_double_negation_is_found_where_it_is_planted(bend, verdict):
    generator = np.random.default_rng(5)
    steps = np.arange(1, 4) * 0.1
    chains = {
        "verb_antonym": steps + np.array([0, bend, 0]) + generator.normal(0, 0.02, (60, 3)),
        "verb_synonym": steps / 2 + generator.normal(0, 0.02, (60, 3)),
    }
    found = negation("m", [Distances(np.zeros(60), chains, {})], list(range(60)), 500, 0)
    assert found.verdict == verdict
    assert found.difference == pytest.approx(bend, abs=0.012)
    assert found.step == pytest.approx(0.1, abs=0.012)
    few = Distances(np.zeros(20), {name: own[:20] for name, own in chains.items()}, {})
    assert negation("m", [few], list(range(20)), 500, 0).verdict == "cannot be judged"


@pytest.mark.parametrize("edge", [0.45, 0.55])
def test_a_share_at_the_margin_is_seldom_called_beyond_or_within_it(edge):
    at = verdicts(400, edge)
    assert at["yes"] + at["reversed"] <= 0.06 * 150
    assert at["no"] <= 0.06 * 150


def test_models_without_sentences_for_the_question_are_said_once():
    said = negation_sentences([bent(model, components) for model, components in zip("abc", (6, 40, 6), strict=True)])
    assert said.startswith("B shows double negation: a second antonym brings sentences back (6 sentences, bend −0.1000")
    assert said.count("cannot be judged for a and c. 6 sentences have") == 1


def bent(model, components):
    """A model of six sentences that a second antonym brings back, where so few can be judged."""
    return Negation(model, 1, 6, components, -0.1, 0.0, 0.1, -0.1, 0.0, -0.2, -0.05, "")


def test_what_a_model_places_by():
    assert placed("yes", "yes") == "meaning"
    assert placed("yes", "reversed") == "likeness"
    assert placed("no", "no") == "form"
    assert placed("yes", "open") == "open"
    assert placed("few", "yes") == "few"
