import math

import pytest
import torch

from gpustab import stability
from gpustab.statistics.intervals import Estimate, ratio_of
from gpustab.statistics.levels import Levels
from gpustab.statistics.reliability import Parts, Reliability
from gpustab.studies.shared.claims import documents
from gpustab.studies.stability import claims
from gpustab.studies.stability.claims import POINTS_OPPOSITE, RANKS_WORDS, RETURN, Opposite, Ranking, Returning
from tests import generators


def of(value, se, runs=4):
    return Estimate.of_runs(value, se, runs)


@pytest.mark.parametrize(
    ("p", "se", "part"),
    [
        (0.91, 0.004, "You may read neighbours from one run."),
        (0.86, 0.02, "seen it in several runs"),  # the interval reaches below 0.85
        (0.6, 0.002, "seen it in several runs"),
        (0.19, 0.02, "seen it in several runs"),  # and above 0.2
        (0.07, 0.002, "hardly represent this corpus"),
    ],
)
def test_what_follows_for_reading_is_what_the_interval_bears(p, se, part):
    assert part in RETURN.sentence(Returning(of(p, se), 10, 0.002))


def test_the_numbers_of_the_first_sentence():
    said = RETURN.sentence(Returning(of(0.596, 0.001, 8), 10, 0.0017, "shuffled"))
    assert said.startswith(
        "If you train again with the documents in another order, six of ten nearest neighbours come back "
        "(5.9–6.0; by chance 0.02)."
    )
    assert "resample the documents" in RETURN.sentence(Returning(of(0.26, 0.01), 10, 0.002, "bootstrap"))
    one = RETURN.sentence(Returning(of(0.12, 0.003), 10, 0.002))
    assert "one of ten nearest neighbours comes back (1.1–1.3;" in one
    hangs = RETURN.sentence(Returning(of(0.18, 0.003), 10, 0.002, "bootstrap"))
    assert "depend on which documents were drawn" in hangs
    assert "hardly represent" not in hangs
    assert "fewer than one of ten nearest neighbours comes back (0.6" in RETURN.sentence(
        Returning(of(0.07, 0.001), 10, 0.002)
    )
    assert "11 of 12" in RETURN.sentence(Returning(of(11 / 12, 0.001), 12, 0.002))


def test_numbers_at_the_ends_of_the_scale_are_said_in_words():
    lead = Returning(of(0.0, 0.0), 10, 0.002).lead
    assert lead == "If you train again, none of ten nearest neighbours comes back (in no pair of runs; by chance 0.02)."
    assert "ten of ten nearest neighbours come back (in every pair of runs;" in Returning(of(1.0, 0.0), 10, 0.002).lead
    assert "ten of ten nearest neighbours come back (10.0; by chance" in Returning(of(1.0, 1e-7), 10, 0.002).lead
    assert "fewer than one of ten nearest neighbours comes back (0.0" in Returning(of(0.01, 0.001), 10, 0.002).lead


@pytest.mark.parametrize(
    ("p", "se", "said"),
    [
        (0.6, 0.004, "in 60 % of pairs of runs (58.7–61.3 %; by chance 0.2 %)."),
        (1.0, 0.0, "in 100 % of pairs of runs (in every pair of runs; by chance 0.2 %)."),
        (0.0, 0.0, "in 0 % of pairs of runs (in no pair of runs; by chance 0.2 %)."),
    ],
)
def test_of_one_neighbour_the_share_is_said(p, se, said):
    """It was: fewer than one of one."""
    assert Returning(of(p, se), 1, 0.002).lead.endswith(f"the nearest neighbour comes back {said}")
    two = RETURN.sentence(Returning(of(p, math.nan, 2), 1, 0.002))
    assert two.startswith(f"Two runs share the nearest neighbour of {100 * p:.0f} % of words (by chance 0.2 %).")


@pytest.mark.parametrize(
    ("bootstrap", "se", "verdict"),
    [(0.0382, 0.0004, "matter"), (0.0206, 0.0002, "hardly"), (0.0223, 0.0008, "open"), (0.0207, 0.0011, "open")],
)
def test_documents_matter_only_beyond_the_margin(bootstrap, se, verdict):
    found, said = documents(of(0.0204, 0.0001), of(bootstrap, se))
    assert found == verdict
    assert {"matter": "Check your findings", "hardly": "hardly matter", "open": "Train more runs"}[verdict] in said


def test_the_ratio_has_an_interval():
    said = documents(of(0.0204, 0.0001, 8), of(0.0382, 0.0004, 8))[1]
    assert "1.87 times (1.82–1.92) as much as training again" in said
    two = documents(of(0.02, None, 2), of(0.04, None, 2))
    assert two[0] == "open"
    assert "Two runs are too few" in two[1]
    zero = ratio_of(of(0.1, 0.01), of(0.0, 0.0))
    assert math.isnan(zero.value)


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize(("p", "se", "runs"), [(1.0, 0.0, 3), (0.97, 0.01, 4), (0.1, 0.01, 4), (1.0, math.nan, 2)])
def test_lists_that_are_most_of_the_words_have_no_verdict(n, p, se, runs):
    """Ten of the ten others came back by chance, and one run was said to do."""
    said = RETURN.sentence(Returning(of(p, se, runs), n, 1.0))
    assert said.endswith("That says nothing: a list is most of the words. Measure more words.")
    assert "one run" not in said
    assert "several runs" not in said


@pytest.mark.parametrize("words", [11, 12, 20])
def test_more_words_have_a_verdict(words):
    """The advice of the sentence, followed; shorter lists help, too."""
    few, more = (generators.runs_of(generators.noisy_copies(3, v, 6)) for v in (words, 3 * words + 20))
    assert "That says nothing: a list is most of the words." in " ".join(stability(few).verdict)
    for said in (stability(more).verdict, stability(few, neighbours=[1]).verdict):
        assert "If you train again" in said[0]
        assert "says nothing:" not in said[0]


def test_two_runs():
    said = RETURN.sentence(Returning(of(0.61, None, 2), 10, 0.002))
    assert said.startswith("Two runs share six of ten neighbours (6.1; by chance 0.02).")


def ranked(word, run, pair):
    """The reliability of four runs whose words' levels are normal."""
    grid = torch.linspace(-4, 4, 81, dtype=torch.float64)
    weight = torch.softmax(-grid.square() / 2, 0)
    noise = torch.full_like(grid, float(Parts(torch.tensor(run), torch.tensor(pair)).noise(4)))
    return Reliability(5944, 4, Levels(grid * word**0.5, weight, noise, weight[None]), word, run, pair)


def test_the_ranking_names_the_better_number_first():
    pip, p = ranked(0.37, 0.29, 0.34), ranked(0.53, 0.2, 0.27)
    said = claims.ranking(4, [("PIP loss", pip), ("p@10", p)])
    assert f"of about {p.value:.2f} by p@10 ({pip.value:.2f} by PIP loss)." in said
    assert f"about {p.needed(0.9)} runs by p@10, about {pip.needed(0.9)} runs by PIP loss" in said
    assert "assumes" not in said
    assert "assumes" in claims.ranking(3, [("p@10", p)])
    assert "Two runs cannot say" in claims.ranking(2, [("p@10", None)])
    assert claims.ranking(5, [("p@10", None)]) == ""
    assert "more than a thousand runs" in claims.ranking(4, [("p@10", ranked(1e-9, 0.1, 0.1))])


@pytest.mark.parametrize(
    ("value", "runs", "part"),
    [
        (None, 2, "Two runs cannot"),
        (0.49, 4, "four runs cannot"),
        (0.5, 4, "only roughly"),
        (0.8, 8, "place, within its error"),
    ],
)
def test_the_heading_of_a_list(value, runs, part):
    assert part in RANKS_WORDS.sentence(Ranking(value, runs))


def test_opposite_numbers_are_warned_of():
    assert "0.49 over 1,000 words" in POINTS_OPPOSITE.sentence(Opposite([0.49], 1000, 10))
    assert "0.31 to 0.49 over 1,000 words" in POINTS_OPPOSITE.sentence(Opposite([0.49, 0.31], 1000, 10))
    assert POINTS_OPPOSITE.judge(Opposite([0.49], 1000, 10)) == "yes"
    for agreement, words in ((0.19, 1000), (-0.5, 1000), (math.nan, 1000), (0.49, 99)):
        assert POINTS_OPPOSITE.judge(Opposite([agreement], words, 10)) == "no"


def test_alarms():
    assert claims.little_in_common(3, 997, 812) == (
        "These runs share only 3 of 997 words (0.3 %). They say nothing about the rest. They would share 812 if letter "
        "case did not count."
    )
    assert "letter case" not in claims.little_in_common(3, 997, 3)
    one, all_of_them = (claims.collapsed(["a.txt"], [0.99], every=every) for every in (False, True))
    assert one.startswith("a.txt is collapsed: its words")
    assert one.endswith("leave it out, the tables do not.")
    assert all_of_them.endswith("The page gives no verdict.")
    assert "(mean cosine 0.96 to 0.98)" in claims.collapsed([], [0.98, 0.962], every=True)
    said = claims.odd(["shuffled 5"], 0.91, 0.2, 0.0204, 0.038)
    assert "shuffled 5 lies 91 % of chance away from the others, which lie 20 % away from each other" in said
    assert "0.0204 without it and 0.0380 with it" in said
    assert "lies far from all others" in claims.odd(["x"], None, None, 0.1, 0.2)
    two = claims.odd(["a", "b"], 0.91, 0.2, 0.0204, 0.038)
    assert two.startswith("Two runs do not belong. a and b lie 91 % of chance away from the others")
    assert "0.0204 without them and 0.0380 with them. Are they of another kind, did their training fail" in two
    alarm = claims.copies("a, b and c are the same vectors", (0.0204, 0.0101))
    assert alarm.startswith("a, b and c are the same vectors. The loss is 0.0204 without copies and 0.0101 with them.")
    assert "there is no verdict" in claims.copies("a and b are the same vectors", (math.nan, 0.0))


@pytest.mark.parametrize(
    ("least", "verdict", "said"),
    [
        ((10, 6.2, 0.6, 8), "yes", "About 6 of the 10 words listed as least stable"),
        ((10, 2.0, 0.6, 8), "no", "only about 2 of the 10 candidates"),
        ((10, 6.2, 0.14, 8), "no test", "only 14 % of a list, that takes at least ten runs"),
        ((10, 6.2, 0.14, 10), "yes", "of the 10 words listed"),
        ((0, 0.0, 0.6, 8), "none", ""),
    ],
)
def test_the_least_stable_words_are_listed_where_they_likely_are(least, verdict, said):
    assert claims.LEAST_LISTED.judge(claims.Least(*least)) == verdict
    assert said in claims.LEAST_LISTED.sentence(claims.Least(*least))


@pytest.mark.parametrize(("p", "said"), [(0.146, "one or two of ten nearest neighbours come"), (0.144, "one of ten")])
def test_half_a_neighbour_is_one_or_two(p, said):
    """A card said 1.5, the sentence beside it "one"."""
    assert said in RETURN.sentence(Returning(of(p, 0.003), 10, 0.002))
