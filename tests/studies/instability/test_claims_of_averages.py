import math

import pytest

from gpustab.studies.instability.averages import COSINE_RATIOS, LEVELS, CosineRatios, LevelLoss
from gpustab.studies.instability.claims_of_averages import SECOND_TERM
from gpustab.studies.instability.scores import DOUBLINGS, GAINS, SCORES, Gain, Score
from gpustab.studies.instability.trees import TERM, TREES, Term, TreeRow
from tests.studies.instability.made import row
from tests.studies.instability.test_claims import verdicts

RATIOS = row(CosineRatios, renormalised=False, runs_beneath=2, averages=4, mean=1.05, dot_mean=1.0, dot_sd=0.7)


@pytest.mark.parametrize(
    ("sd", "slope", "wanted"),
    [
        ((0.707, 0.005), (1.05, 0.005), ["yes", "yes"]),  # the ideal 1/√2 is no disagreement
        ((0.75, 0.005), (1.3, 0.005), ["yes", "yes"]),
        ((0.75, 0.05), (1.05, 0.02), ["undecided", "undecided"]),
        ((0.9, 0.005), (1.0, 0.001), ["no", "no"]),
        ((0.707, math.nan), (1.05, math.nan), ["undecided", "undecided"]),
    ],
)
def test_averages_of_two_are_judged_by_one_sided_bounds_with_errors(sd, slope, wanted):
    two = RATIOS._replace(**dict(zip(("sd", "sd_se", "slope", "slope_se"), (*sd, *slope), strict=True)))
    assert verdicts("3.2.1", (COSINE_RATIOS, two, two._replace(runs_beneath=4))) == wanted


def test_falls_are_judged_at_the_highest_level():
    level = row(LevelLoss, technique="sgns", renormalised=False, ratio_dot=0.5, ratio_cosine_matrices=0.5, orders=4)
    rows = [
        level._replace(averages=4, runs_beneath=n, ratio_cosine=ratio, cosine_sd=sd)
        for n, ratio, sd in ((1, 1.0, 0.0), (4, 0.56, 0.001))
    ]
    assert verdicts("3.2.3", (LEVELS, *rows)) == ["no"]  # 1.12/√4
    assert verdicts("3.2.3", (LEVELS, rows[1]._replace(cosine_sd=0.01))) == ["undecided"]
    assert verdicts("3.2.3", (LEVELS, rows[1]._replace(ratio_cosine=0.51))) == ["yes"]
    assert rows[1].fall == pytest.approx((1.12, 0.002, 3))
    pair = rows[1]._replace(runs_beneath=8, averages=2, ratio_cosine=0.354)  # of one pair of averages only
    assert verdicts("3.2.3", (LEVELS, *rows, pair)) == ["no"]


def term(mean=0.0, se=1e-5, by_pair=0.02, by_pair_se=1e-3, half=0.3, half_se=0.01, pairs=4):
    return Term("x", pairs, mean, se, 0.02, by_pair, by_pair_se, half, half_se)


@pytest.mark.parametrize(
    ("second", "wanted"),
    [
        (term(), "yes"),
        (term(mean=0.002), "no"),  # a tenth of σ, however small it is
        (term(by_pair=0.051, by_pair_se=0.001), "undecided"),
        (term(by_pair=0.08), "no"),
        (term(half=1.2), "no"),
        (term(half_se=0.5), "undecided"),
        (term(se=math.nan), "undecided"),
        (term(by_pair=0.049, by_pair_se=0.0005, pairs=2), "undecided"),  # t(1) is 12.7
    ],
)
def test_the_second_term_is_judged_by_three_intervals(second, wanted):
    assert SECOND_TERM.judge(second) == wanted
    assert verdicts("3.2.1", (TERM, second)) == [wanted]


TREE = TreeRow("x", "tree", 4, 0.002, 0.0004, 4, 4, 0.5, 0.01, 0.5)


@pytest.mark.parametrize(
    ("reference", "error", "wanted"),
    [(0.05, 0.002, "yes"), (0.005, 0.002, "undecided"), (0.001, 0.0, "undecided"), (0.0005, 0.0, "no")],
)
def test_one_reference_against_the_tree_has_an_error(reference, error, wanted):
    one = TREE._replace(average="one reference", same_runs=reference, same_runs_se=error)
    assert verdicts("3.2.2", (TREES, TREE, one)) == [wanted, "no"]


@pytest.mark.parametrize(
    ("between", "sd", "half", "wanted"),
    [
        (0.6, 0.01, 4, "no"),
        (0.97, 0.02, 4, "undecided"),  # t(3) is 3.2
        (1.2, 0.01, 4, "yes"),
        (1.2, 0.01, 2, "no test"),  # of two runs a tree is the same
        (math.nan, math.nan, 4, "undecided"),
    ],
)
def test_one_reference_adds_variation_only_where_averages_differ_more_than_runs(between, sd, half, wanted):
    one = TREE._replace(average="one reference", between_halves=between, between_halves_sd=sd, halves_of=half)
    assert verdicts("3.2.2", (TREES, TREE, one))[1] == wanted


@pytest.mark.parametrize(
    ("beneath", "averages", "gain", "se", "wanted"),
    [
        (64, 4, 0.001, 0.001, "yes"),
        (64, 4, 0.004, 0.001, "undecided"),
        (64, 4, 0.02, 0.001, "no"),
        (64, 4, -0.01, 0.002, "yes"),  # a score that falls does not rise
        (64, 2, 0.001, 0.001, "undecided"),  # t(1) is 12.7
        (64, 1, 0.001, math.nan, "no test"),
        (8, 4, 0.0, 0.001, "no test"),
    ],
)
def test_a_plateau_from_32_runs_on_wants_averages_of_64(beneath, averages, gain, se, wanted):
    low = Gain("glove", "questions-words", 2, 8, 0.05, 0.001)
    top = Gain("glove", "questions-words", beneath, averages, gain, se)
    assert verdicts("3.2.3", (DOUBLINGS, low, top)) == [wanted]
    others = (low._replace(technique="fasttext"), top._replace(test="simlex999"))
    assert verdicts("3.2.3", (DOUBLINGS, *others)) == []


@pytest.mark.parametrize(
    ("gain", "se", "averages", "wanted"),
    [
        (0.04, 0.01, 4, "yes"),
        (0.03, 0.01, 4, "undecided"),
        (0.2, 0.01, 2, "no test"),  # 20 errors, of two values
        (-0.04, 0.01, 4, "no"),
        (0.04, math.nan, 1, "no test"),
    ],
)
def test_a_gain_counts_from_its_interval_on(gain, se, averages, wanted):
    assert verdicts("3.2.3", (GAINS, Gain("sgns", "t", 2, averages, gain, se))) == [wanted]


def test_gains_are_judged_where_there_are_averages_enough():
    levels = [Gain("sgns", "t", n, k, 0.04, 0.01) for n, k in ((2, 8), (4, 4), (8, 2))]
    assert verdicts("3.2.3", (GAINS, *levels)) == ["yes"]


@pytest.mark.parametrize(("mean", "wanted"), [(0.5, "yes"), (0.31, "undecided"), (0.1, "no")])
def test_fasttext_solves_most_analogies_where_it_surely_leads(mean, wanted):
    scores = [
        row(Score, technique=name, test="questions-words", runs_beneath=1, spaces=4, mean=value, sd=0.02)
        for name, value in (("sgns", 0.3), ("glove", 0.2), ("fasttext", mean))
    ]
    assert verdicts("2.3, 2", (SCORES, *scores)) == [wanted]


@pytest.mark.parametrize("averages", [3, 4, 8])
@pytest.mark.parametrize("test", ["questions-words", "wordsim353"])
def test_a_score_that_never_changes_is_not_raised(averages, test):
    same = Gain("sgns", test, 2, averages, 0.0, 0.0)  # no analogy is solved by any run, nor by any average
    assert verdicts("3.2.3", (GAINS, same)) == ["undecided"]
    assert verdicts("3.2.3", (GAINS, same._replace(gain=0.01))) == ["yes"]
    assert verdicts("3.2.3", (GAINS, same._replace(gain=-0.01))) == ["no"]


def test_what_is_equal_without_any_error_is_in_no_order():
    tree, one = (row(TreeRow, technique="sgns", average=kind, spaces=4, same_runs=0.1, same_runs_se=0.0, halves_of=3)
                 for kind in ("tree", "one reference"))  # fmt: skip
    assert verdicts("3.2.2", (TREES, tree, one))[0] == "undecided"
    assert verdicts("3.2.2", (TREES, tree, one._replace(same_runs=0.2)))[0] == "yes"
