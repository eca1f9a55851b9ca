"""Measures beside naive loops, and what they say where the answer is known."""

import itertools
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from docs.examples.usage import pair
from gpustab.corpus.options import CorpusOptions
from gpustab.statistics.intervals import Estimate
from gpustab.studies.usage.claims import DIFFER
from gpustab.studies.usage.compared import Found, Text, compare, pair_of, rows_of
from gpustab.studies.usage.measures import Word, clusters_of, evened, jackknife_of_two, silhouette
from gpustab.studies.usage.options import UsageOptions
from gpustab.studies.usage.usages import Chosen, Usages
from tests.studies.usage import naive


def usages(rng, documents, each, shift=0.0, alike=0.5, width=6):
    """Usages of so many documents; those of one document are alike, those of one call lie to one side."""
    centre = rng.standard_normal((documents, 1, width)) * alike + np.eye(width)[0] * shift
    return (centre + rng.standard_normal((documents, each, width))).reshape(-1, width)


def word(rng, sizes=((9, 3), (8, 3)), **how):
    (m, a), (n, b) = sizes
    shift = how.pop("shift", 0.0)
    vectors = np.concatenate([usages(rng, m, a, **how), usages(rng, n, b, shift=shift, **how)])
    documents = np.concatenate([np.repeat(np.arange(m), a), np.repeat(np.arange(m, m + n), b)])
    return vectors, documents, np.arange(len(documents)) >= m * a


def p_values(own, seed=0, deals=199):
    return [one.p for one in Word(*own).measured(deals, np.random.default_rng(seed))[0]]


def test_measures_are_those_of_naive_loops():
    vectors, documents, later = word(np.random.default_rng(0), sizes=((7, 2), (6, 4)), shift=1.0)
    made = Word(vectors, documents, later)
    found, true, left = made.measured(99, np.random.default_rng(0))
    first, second = vectors[~later].tolist(), vectors[later].tolist()
    clusters = made.clusters
    own = naive.within(first, documents[~later]), naive.within(second, documents[later])
    assert found[0].value == pytest.approx(naive.apd(first, second))
    assert found[0].expected == pytest.approx(sum(own) / 2)
    assert found[1].value == pytest.approx(naive.prt(first, second))
    assert found[2].value == pytest.approx(naive.jsd(clusters[~later].tolist(), clusters[later].tolist()))
    assert len(left.apd) == 13
    without = later & (documents != 9)
    assert left.apd[9] == pytest.approx(naive.apd(first, vectors[without].tolist()))
    assert left.within[9] == pytest.approx((own[0] + naive.within(vectors[without].tolist(), documents[without])) / 2)
    assert left.prt[9] == pytest.approx(naive.prt(first, vectors[without].tolist()))
    assert left.jsd[9] == pytest.approx(naive.jsd(clusters[~later].tolist(), clusters[without].tolist()))
    assert true.beyond[0, 0] == pytest.approx(found[0].beyond.value)


def test_deals_keep_documents_whole_and_their_numbers():
    own = word(np.random.default_rng(1))
    made = Word(*own)
    true = made.apart(1 - made.later[None].astype(float), made.later[None].astype(float))
    other = np.roll(made.later, 3)
    as_dealt = made.apart(1 - other[None].astype(float), other[None].astype(float))
    assert as_dealt.apd[0] == pytest.approx(naive.apd(own[0][~other[own[1]]].tolist(), own[0][other[own[1]]].tolist()))
    assert as_dealt.apd[0] != true.apd[0]


@pytest.mark.parametrize("k", [2, 3])
def test_planted_clusters_are_found_and_the_silhouette_is_that_of_a_loop(k):
    rng = np.random.default_rng(k)
    own = np.repeat(np.arange(k), 7)
    units = np.eye(5)[own] + 0.1 * rng.standard_normal((7 * k, 5))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    found = clusters_of(units)
    assert len(set(zip(own.tolist(), found.tolist(), strict=True))) == k == found.max() + 1
    square = np.linalg.norm(units[:, None] - units[None], axis=2)
    for clusters in (own, rng.permutation(own), np.minimum(np.arange(7 * k), 2)):
        assert silhouette(square, clusters) == pytest.approx(naive.silhouette(units.tolist(), clusters.tolist()))


def test_usages_that_are_all_alike_are_one_cluster_and_no_change():
    vectors = np.tile([[1.0, 2.0, 0.3]], (24, 1)) * (1 + 1e-16)
    found = Word(vectors, np.arange(24) // 2, np.arange(24) >= 12).measured(99, np.random.default_rng(0))[0]
    assert [one.p for one in found] == [1.0, 1.0, 1.0]
    assert all(abs(one.beyond.value) < 1e-9 for one in found)


def test_a_prototype_without_a_direction_is_no_finding():
    vectors = np.array([[1.0, 2.0], [-1.0, -2.0]] * 6 + [[0.0, 1.0]] * 12)
    documents = np.arange(24) // 2
    found = Word(vectors, documents, documents >= 6).measured(99, np.random.default_rng(0))[0]
    assert np.isnan(found[1].value)
    assert found[1].p == 1.0


@pytest.mark.parametrize("sizes", [((6, 1), (6, 1)), ((30, 2), (6, 2)), ((6, 6), (24, 1))])
def test_the_pairwise_distance_is_unbiased_in_the_number_of_usages_however_unequal_the_periods(sizes):
    """Of sets without a change the mean excess is 0; prototypes and clusters alone would show a change.

    Where one period has few long documents and the other many short ones, deals lie farther apart than the periods do:
    the two others then err on the side of no change.
    """
    rng = np.random.default_rng(7)
    found = [Word(*word(rng, sizes=sizes)).measured(99, rng)[0] for _ in range(40)]
    for m in range(3):
        beyond = np.array([one[m].beyond.value for one in found])
        error = 3.5 * beyond.std(ddof=1) / np.sqrt(len(beyond))
        assert beyond.mean() < error
        assert beyond.mean() > -error or (m > 0 and sizes[0][1] != sizes[1][1])
    assert np.mean([one[1].expected for one in found]) > 0.02  # what is subtracted is not nothing
    assert np.mean([one[2].expected for one in found]) > 0.01


@pytest.mark.parametrize("alike", [0.0, 2.0])
def test_the_test_holds_its_level_whether_usages_of_a_document_are_alike_or_not(alike):
    rng = np.random.default_rng(11)
    p = np.array([p_values(word(rng, sizes=((8, 4), (14, 2)), alike=alike), k) for k in range(40)])
    assert ((p <= 0.05).sum(0) <= 6).all()  # of 40, 2 are expected; more than 6 in 0.3 %
    assert ((p <= 0.5).sum(0) >= 9).all()


@pytest.mark.parametrize("sizes", [((6, 1), (10, 10)), ((20, 1), (20, 5)), ((30, 1), (10, 10))])
def test_the_test_holds_its_level_where_documents_of_one_period_are_fuller(sizes):
    rng, found = np.random.default_rng(5), []
    for k in range(40):
        vectors, documents, later = word(rng, sizes=sizes)
        kept = evened(documents, later, rng)
        assert set(documents[kept]) == set(documents)
        found.append(p_values((vectors[kept], documents[kept], later[kept]), k, 99))
    assert ((np.array(found) <= 0.05).sum(0) <= 7).all()  # as they are, 37, 14 and 0 of the divergences


def test_documents_that_are_equally_full_keep_all_their_usages():
    documents = np.repeat(np.arange(12), [1, 2, 5, 3, 2, 1] * 2)
    assert evened(documents, documents > 5, np.random.default_rng(0)).all()


def test_occurrences_in_place_of_documents_would_find_changes_that_are_none():
    rng = np.random.default_rng(13)
    sets = [word(rng, sizes=((8, 6), (8, 6)), alike=2.0) for _ in range(12)]
    as_single = [p_values((vectors, np.arange(len(later)), later))[0] for vectors, _, later in sets]
    assert sum(p <= 0.05 for p in as_single) > 6
    assert sum(p_values(own)[0] <= 0.05 for own in sets) <= 3


def test_a_planted_change_is_found_and_its_usages_are_the_typical_ones():
    rng = np.random.default_rng(17)
    vectors, documents, later = word(rng, sizes=((40, 2), (40, 2)))
    planted = later & (documents % 2 == 0)
    vectors[planted] += np.eye(6)[3] * 6
    assert max(p_values((vectors, documents, later))) <= 0.01
    typical = Word(vectors, documents, later).typical()
    assert set(np.argsort(-typical)[:15]) <= set(np.flatnonzero(planted))


def test_a_usage_is_typical_by_others_of_other_documents():
    vectors, documents, later = word(np.random.default_rng(19), sizes=((3, 2), (2, 3)))
    found = Word(vectors, documents, later).typical()
    for k, own in enumerate(vectors.tolist()):
        means = [
            naive.mean(
                naive.cosine(own, vectors[j]) for j in np.flatnonzero((later == side) & (documents != documents[k]))
            )
            for side in (True, False)
        ]
        assert found[k] == pytest.approx(means[0] - means[1])


def test_a_document_that_belongs_to_both_periods_is_dealt_in_two_parts():
    vectors, documents, later = word(np.random.default_rng(23))
    made = Word(vectors, documents % 9, later)  # authors who wrote in both
    assert len(made.later) == 17
    assert made.later.sum() == 8


def test_where_there_are_few_ways_to_deal_documents_out_each_is_tried_once():
    vectors, documents, later = word(np.random.default_rng(29), sizes=((4, 2), (3, 2)))
    made = Word(vectors, documents, later)
    found = made.measured(99, np.random.default_rng(0))[0]
    as_far = [0, 0]
    for three in itertools.combinations(range(7), 3):
        other = np.isin(documents, three)
        clusters = made.clusters[~other].tolist(), made.clusters[other].tolist()
        as_far[0] += naive.prt(vectors[~other].tolist(), vectors[other].tolist()) > found[1].value - 1e-9
        as_far[1] += naive.jsd(*clusters) > found[2].value - 1e-9
    assert [found[1].p, found[2].p] == [n / 35 for n in as_far]
    assert made.measured(34, np.random.default_rng(0))[0][1].p * 35 == pytest.approx(as_far[0], abs=6)  # some of them


def found_of(vectors, documents, later, deals):
    """Words by their usages ``(words, n, d)``, which stand in the same documents."""
    chosen = [Chosen(word, int(k), "", "", "") for word in range(len(vectors)) for k in documents]
    usages = Usages(chosen, vectors.reshape(-1, vectors.shape[2]), Counter())
    period = np.zeros(documents.max() + 1, np.int64)
    period[documents] = later
    text = Text(SimpleNamespace(together=None, records=period), CorpusOptions(), ("1", "2"), period)
    return Found(text, [f"w{k}" for k in range(len(vectors))], usages, UsageOptions(epochs_by="year", deals=deals))


def pair_by_distance(found):
    tested = compare(found, 0, 1)
    rows = [row for row in rows_of(found, tested, 0, 1) if row.measure == "apd"]
    return pair_of(found, tested, rows, 0), rows


@pytest.mark.parametrize(("documents", "count", "verdict"), [(6, 30, "undecided"), (6, 23, "yes")])
def test_a_single_planted_word_is_found_or_the_verdict_is_not_no(documents, count, verdict):
    """Of six documents a period 23 words are the most of which one can be found; more documents bear more words."""
    later = np.arange(2 * documents) >= documents
    rng = np.random.default_rng(31)
    rows = np.concatenate([np.tile(later, 2)[:, None] * 9.0, rng.standard_normal((4 * documents, 3)) / 9], 1)
    plain = rng.standard_normal((count - 1, 4 * documents, 4))
    place = np.tile(np.arange(2 * documents), 2)
    pair, rows = pair_by_distance(found_of(np.concatenate([rows[None], plain]), place, np.tile(later, 2), 3432))
    pair = pair._replace(se=0.0, excess=0.0)  # as sure as can be of the mean
    assert rows[0].p == pytest.approx(pair.least)
    assert DIFFER.judge(pair) == verdict
    assert (pair.found, pair.shows_one) == ((1, True) if verdict == "yes" else (0, False))
    if verdict == "undecided":
        assert "Name 23 words at most (--words FILE)." in DIFFER.sentence(pair)
        assert DIFFER.judge(pair._replace(tested=23)) == "no"


def test_the_mean_over_words_has_the_error_of_a_ratio_by_leaving_documents_out_of_all_words():
    vectors, documents, later = word(np.random.default_rng(37), sizes=((7, 2), (6, 2)), shift=1.0)
    words = np.stack([vectors, np.random.default_rng(41).standard_normal(vectors.shape)])
    pair, _ = pair_by_distance(found_of(words, documents, later, 99))

    def excess(kept):
        made = [Word(own[kept], documents[kept], later[kept]) for own in words]
        apart = [one.apart(1 - one.later[None].astype(float), one.later[None].astype(float)) for one in made]
        return sum(one.beyond[0, 0] for one in apart) / sum(one.within[0] for one in apart)

    without = np.array([excess(documents != k) for k in range(13)])
    assert pair.excess == pytest.approx(excess(documents >= 0))
    assert pair.se == pytest.approx(jackknife_of_two(without, np.arange(13) >= 7), rel=1e-9)


def test_intervals_of_a_known_change_cover_it():
    """Documents have shares of their own of two senses: the excess is the square of the difference of the means."""
    rng, covered = np.random.default_rng(43), 0
    for _ in range(60):
        shares = np.concatenate([rng.beta(1.2, 2.8, 15), rng.beta(2.8, 1.2, 15)])
        documents = np.repeat(np.arange(30), 3)
        made = Word(np.eye(2)[(rng.random(90) < shares[documents]).astype(int)], documents, documents >= 15)
        own = made.apart(1 - made.later[None].astype(float), made.later[None].astype(float)).beyond[0, 0]
        error = jackknife_of_two(made.without_each().beyond[0], made.later)
        low, high = Estimate(own, error, 28).interval
        covered += low <= 0.4**2 <= high
    assert covered >= 48  # 55 of 60 are expected


@pytest.mark.parametrize("documents", [(6, 6), (7, 6), (9, 9), (10, 12)])
@pytest.mark.parametrize("deals", [99, 9999])
@pytest.mark.parametrize("rate", [0.001, 0.005, 0.05])
@pytest.mark.parametrize("words", [1, 7, 600])
def test_each_advice_on_a_single_word_is_enough_and_hardly_more(documents, deals, rate, words):
    """With too few deals it was only said to name fewer words, or that none can be found."""
    own = Word(np.eye(sum(documents)), np.arange(sum(documents)), np.arange(sum(documents)) >= documents[0])

    def of(tested, dealt):
        least, exact = own.least_p(dealt), own.least_p(own.ways)
        return pair(tested=tested, words=tested, found=0, rate=rate, least=least, exact=exact)

    asked = of(words, deals)
    said = DIFFER.sentence(asked)
    if asked.shows_one:
        assert "could not be found" not in said
        return
    assert ("among so many" in said) == (words > 1)
    told = {name: int(found[1]) for name in ("name", "--deals") if (found := re.search(rf"(?i){name} (\d+)", said))}
    if "name one word" in said.lower():
        assert of(1, told["--deals"]).shows_one
    elif "--deals" in told:
        assert of(words, told["--deals"]).shows_one
        assert told["--deals"] > deals
        assert not of(words, told["--deals"] // 2).shows_one or told["--deals"] // 2 >= own.ways  # then all are dealt
    if "name" in told:
        assert of(told["name"], deals).shows_one
        assert not of(told["name"] + 1, deals).shows_one
    if not told:
        assert "more documents are needed" in said
        assert not of(1, own.ways).shows_one
