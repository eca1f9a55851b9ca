import math

import pytest

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.averaging_observations import fall, judge_term
from gpustab.studies.instability.frequency_observations import is_falling, is_flat
from gpustab.studies.instability.observations import independent, normal, observation_table, predicted, unrelated
from gpustab.studies.shared.claims import rising, within

LOSS = {"runs": 8, "words": 100, "relative_sd": 0.005, "word_relative_sd": 0.1, "word_degrees_of_freedom": 50.0}


def table(*rows):
    return Table.of(rows)


def losses(values, sampling="shuffled", se=0.1, **changes):
    rows = [
        {"technique": name, "sampling": sampling, "reduced_pip": value, "se": se, **LOSS, **changes}
        for name, value in values.items()
    ]
    return table(*rows)


def verdicts(source, **tables):
    tables.setdefault("table_2_8", losses({"sgns": 2.0}))
    found = observation_table(tables)
    return [row["agrees"] for row in found.records() if row["source"] == source]


@pytest.mark.parametrize(
    ("values", "runs", "wanted"),
    [
        ({"sgns": 2.0, "glove": 1.0, "fasttext": 3.0}, 8, "yes"),
        ({"sgns": 2.0, "glove": 1.9, "fasttext": 3.0}, 8, "undecided"),
        ({"sgns": 1.0, "glove": 2.0, "fasttext": 3.0}, 8, "no"),
        ({"sgns": 2.0, "fasttext": 1.0}, 8, "no"),
        ({"sgns": 2.0, "glove": 1.5, "fasttext": 3.0}, 8, "yes"),  # 0.5 is 3.5 errors, t(7) is 2.4
        ({"sgns": 2.0, "glove": 1.5, "fasttext": 3.0}, 3, "undecided"),  # t(2) is 4.3
    ],
)
def test_the_order_of_table_2_9_wants_intervals_between_neighbours(values, runs, wanted):
    found = observation_table({"table_2_8": losses(values, runs=runs)})
    (row,) = (r for r in found.records(source="2.3, 2") if r["claim"].startswith("shuffled"))
    assert row["agrees"] == wanted


def glove(fixed, shuffled, se, same=()):
    both = table(*losses({"glove": fixed}, "fixed", se).records(), *losses({"glove": shuffled}, se=se).records())
    shared = Table.of(same, ("technique", "first", "second", "runs", "of"))
    return verdicts("2.3, 2", table_2_8=both, same_runs=shared)


@pytest.mark.parametrize(
    ("difference", "se", "wanted"),
    [(0.01, 0.01, "yes"), (0.01, 0.1, "undecided"), (0.04, 0.01, "undecided"), (0.3, 0.01, "no"), (-0.3, 0.01, "no")],
)
def test_fixed_and_shuffled_glove_agree_within_5_percent_and_not_by_a_large_error(difference, se, wanted):
    assert glove(1 + difference, 1.0, se) == [wanted]


def test_the_same_runs_are_no_test():
    same = {"technique": "glove", "first": "fixed", "second": "shuffled", "runs": 6, "of": 6}
    assert glove(1.0, 1.0, 0.001) == ["yes"]
    assert glove(1.0, 1.0, 0.001, [same]) == ["no test"]
    assert glove(1.0, 1.0, 0.001, [same | {"second": "bootstrap"}]) == ["yes"]
    assert verdicts("2.3, 2", table_2_8=losses({"glove": 1.0})) == ["no test"]  # no fixed runs


@pytest.mark.parametrize(
    ("relative", "runs", "wanted"),
    [(0.003, 3, "yes"), (0.0367, 16, "undecided"), (0.02, 16, "yes"), (0.02, 3, "undecided"), (0.2, 8, "no")],
)
def test_losses_hardly_vary_up_to_the_largest_sd_of_the_thesis(relative, runs, wanted):
    found = losses({"sgns": 1.0}, relative_sd=relative, runs=runs)
    assert verdicts("2.3, 1", table_2_8=found) == [wanted]


THESIS_2_8 = """
0.771 2.8 1.278 1.0 2.170 4.2 1.805 5.3 1.275 0.9 2.367 0.2 3.417 0.9 4.272 0.4 2.879 0.3
0.611 0.9 1.564 1.0 1.743 1.5 1.665 2.5 1.558 1.2 1.963 0.2 3.258 1.2 4.108 0.4 2.483 0.7
0.653 0.7 1.560 1.3 2.117 0.5 1.634 2.1 1.543 0.9 2.428 0.6 3.124 1.0 4.084 0.5 2.951 0.3
0.661 2.4 1.416 1.3 1.819 1.7 1.543 2.5 1.417 1.4 2.044 0.2 2.987 0.8 3.938 0.4 2.544 0.2
0.644 1.2 1.469 1.9 1.704 0.7 1.507 2.4 1.465 1.4 1.943 0.2 2.853 1.3 3.947 0.7 2.426 0.3
0.702 0.9 1.334 1.1 1.828 0.9 1.609 2.9 1.352 1.7 2.059 0.2 3.063 1.1 4.065 0.7 2.575 0.2
0.725 0.3 1.201 4.5 1.664 2.0 1.543 2.3 1.208 4.0 1.891 0.2 2.883 0.8 4.672 1.8 2.388 0.6
"""


def test_the_rule_says_no_to_no_cell_of_table_2_8():
    """Seven languages, three samplings, three techniques: means in 10⁻², SDs in 10⁻⁴, 16 runs."""
    numbers = THESIS_2_8.split()
    cells = [float(sd) / float(mean) / 100 for mean, sd in zip(numbers[::2], numbers[1::2], strict=True)]
    assert len(cells) == 63
    assert sum(cell > 0.01 for cell in cells) == 19
    assert 0.037 < max(cells) < 0.04
    found = [verdicts("2.3, 1", table_2_8=losses({"x": 1.0}, relative_sd=cell, runs=16))[0] for cell in cells]
    assert "no" not in found
    assert found.count("undecided") == 5


@pytest.mark.parametrize(
    ("distance", "band", "runs", "wanted"),
    [
        (0.012, 0.019, 8, "yes"),
        (0.012, 0.019, 5, "undecided"),  # t with 5 degrees of freedom looks the same there
        (0.012, 0.06, 8, "undecided"),  # too few pairs
        (0.04, 0.019, 8, "undecided"),
        (0.06, 0.019, 4, "no"),
    ],
)
def test_normality_wants_power(distance, band, runs, wanted):
    assert normal({"distance": distance, "distance_band": band, "runs": runs}) == wanted


@pytest.mark.parametrize(
    ("correlation", "se", "runs", "p", "wanted"),
    [
        (-0.002, 0.005, 6, 0.7, "yes"),
        (0.153, 0.02, 4, 1 / 24, "undecided"),  # 24 orders of 4 runs give no smaller p
        (0.155, 0.011, 5, 1 / 120, "no"),
        (0.167, 0.01, 6, 1 / 720, "no"),
        (0.083, 0.006, 8, 0.001, "no"),
        (0.083, 0.02, 6, 0.001, "undecided"),
        (0.04, 0.01, 6, 0.001, "undecided"),
        (math.nan, 0.01, 6, 0.5, "undecided"),
    ],
)
def test_independence_is_an_interval_of_the_mean_correlation(correlation, se, runs, p, wanted):
    assert independent(Estimate.of_runs(correlation, se, runs), p) == wanted


def trend(change, half, rho=0.0, p=1.0, off=0.0):
    low, high = change - half, change + half
    return {"change": change, "low": low, "high": high, "batch_correlation": rho, "batch_p": p, "batch_deviation": off}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (trend(-0.1, 0.05), "yes"),
        (trend(-0.1, 0.05, off=0.5), "undecided"),  # a hump under a flat line
        (trend(-0.22, 0.05, -0.9, 0.001), "undecided"),
        (trend(0.3, 0.05, 0.9, 0.001), "no"),
        (trend(0.3, 0.05, 0.1, 0.7), "undecided"),
        (trend(math.nan, math.nan), "undecided"),
    ],
)
def test_a_flat_trend_is_small_and_without_a_hump(row, wanted):
    assert is_flat(row, 0.2) == wanted


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (trend(-0.26, 0.065, -0.9, 1e-4), "yes"),
        (trend(-0.26, 0.065, -0.0, 1.0), "undecided"),  # GloVe on lee: J² by batch 0.081, 0.168, 0.066
        (trend(-0.26, 0.065, -0.3, 0.2), "undecided"),
        (trend(-0.26, 0.5, -0.9, 1e-4), "undecided"),
        (trend(0.5, 0.1, 0.8, 1e-3), "no"),
        (trend(0.5, 0.1, -0.8, 1e-3), "undecided"),
    ],
)
def test_a_falling_trend_falls_by_line_and_by_batches(row, wanted):
    assert is_falling(row) == wanted


def test_trends_are_judged_by_what_the_technique_builds_on():
    row = {"quantity": "extrinsic squared", "least_frequency": 0} | trend(-0.5, 0.05, -1.0, 0.0)
    rows = [row | {"technique": name} for name in ("glove", "fasttext")]
    assert verdicts("2.3.1, 3", frequency=table(*rows)) == ["yes"]
    assert verdicts("2.3.1, 4", frequency=table(*rows)) == ["no"]
    flat = {"technique": "sgns", "quantity": "intrinsic", "least_frequency": 0} | trend(0.1, 0.05)
    assert verdicts("2.3.1, 2", frequency=table(flat)) == ["yes"]


RATIOS = {"technique": "x", "renormalised": False, "runs_beneath": 2, "averages": 4}
RATIOS |= {"mean": 1.05, "dot_mean": 1.0, "dot_sd": 0.7}


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
    row = RATIOS | dict(zip(("sd", "sd_se", "slope", "slope_se"), (*sd, *slope), strict=True))
    assert verdicts("3.2.1", cosine_ratios=table(row, row | {"runs_beneath": 4})) == wanted


def test_falls_are_judged_at_the_highest_level():
    row = {"technique": "sgns", "renormalised": False, "ratio_dot": 0.5, "ratio_cosine_matrices": 0.5, "orders": 4}
    row["averages"] = 4
    rows = [
        row | {"runs_beneath": n, "ratio_cosine": ratio, "cosine_sd": sd}
        for n, ratio, sd in ((1, 1.0, 0.0), (4, 0.56, 0.001))
    ]
    assert verdicts("3.2.3", figure_3_5=table(*rows)) == ["no"]  # 1.12/√4
    assert verdicts("3.2.3", figure_3_5=table(rows[1] | {"cosine_sd": 0.01})) == ["undecided"]
    assert verdicts("3.2.3", figure_3_5=table(rows[1] | {"ratio_cosine": 0.51})) == ["yes"]
    assert fall(rows[1]) == pytest.approx((1.12, 0.002, 3))
    pair = rows[1] | {"runs_beneath": 8, "averages": 2, "ratio_cosine": 0.354}  # of one pair of averages only
    assert verdicts("3.2.3", figure_3_5=table(*rows, pair)) == ["no"]


def term(mean=0.0, se=1e-5, by_pair=0.02, by_pair_se=1e-3, half=0.3, half_se=0.01, pairs=4):
    names = ("mean", "se", "mean_by_pair", "mean_by_pair_se", "variance_of_half", "variance_of_half_se")
    values = dict(zip(names, (mean, se, by_pair, by_pair_se, half, half_se), strict=True))
    return values | {"sd_of_cosines": 0.02, "pairs_of_runs": pairs, "technique": "x"}


@pytest.mark.parametrize(
    ("row", "wanted"),
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
def test_the_second_term_is_judged_by_three_intervals(row, wanted):
    assert judge_term(row) == wanted
    assert verdicts("3.2.1", alignment_term=table(row)) == [wanted]


TREE = {"technique": "x", "average": "tree", "spaces": 4, "same_runs": 0.002, "same_runs_se": 0.0004}
TREE |= {"halves_of": 4, "splits": 4, "between_halves": 0.5, "between_halves_sd": 0.01, "one_over_root_n": 0.5}


@pytest.mark.parametrize(
    ("reference", "error", "wanted"),
    [(0.05, 0.002, "yes"), (0.005, 0.002, "undecided"), (0.001, 0.0, "undecided"), (0.0005, 0.0, "no")],
)
def test_one_reference_against_the_tree_has_an_error(reference, error, wanted):
    row = TREE | {"same_runs": 0.002, "same_runs_se": 0.0004}
    one = row | {"average": "one reference", "same_runs": reference, "same_runs_se": error}
    assert verdicts("3.2.2", table_tree=table(row, one)) == [wanted, "no"]


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
    one = TREE | {"average": "one reference", "between_halves": between, "between_halves_sd": sd, "halves_of": half}
    assert verdicts("3.2.2", table_tree=table(TREE, one))[1] == wanted


@pytest.mark.parametrize(
    ("error", "runs", "wanted"),
    [(0.007, 3, "yes"), (0.02, 3, "undecided"), (0.02, 16, "yes"), (0.05, 16, "undecided"), (0.14, 8, "no")],
)
def test_two_runs_suffice_where_one_pair_is_within_10_percent(error, runs, wanted):
    row = {"technique": "sgns", "quantity": "reduced PIP loss", "subsampling": error}
    many = table(*(row | {"runs": r, "subsampling": error if r == 2 else math.nan} for r in range(2, runs + 1)))
    other = table(*many.records(), row | {"quantity": "p@10", "runs": 2, "subsampling": 0.5})
    assert verdicts("2.3, 1", how_many=other) == ["yes", wanted]


@pytest.mark.parametrize(
    ("correlation", "se", "wanted"),
    [
        (0.05, 0.05, "yes"),
        (-0.15, 0.05, "undecided"),
        (-0.5, 0.05, "no"),
        (0.5, 0.05, "no"),
        (0.0, math.nan, "undecided"),
    ],
)
def test_p_at_n_is_unrelated_to_the_distance_within_a_margin_and_not_by_noise(correlation, se, wanted):
    row = {"technique": "sgns", "n": 10, "measured": 0.0, "correlation": correlation, "se": se}
    assert unrelated(row) == wanted
    both = table(row | {"n": 1, "correlation": -0.9}, row)
    assert verdicts("2.2.2", distance=both) == [wanted]  # of the longer lists
    assert verdicts("2.2.2", distance=table(row | {"n": 1})) == [wanted]


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
    row = {"technique": "glove", "test": "questions-words", "runs_beneath": 2, "averages": 8, "gain": 0.05, "se": 0.001}
    top = row | {"runs_beneath": beneath, "averages": averages, "gain": gain, "se": se}
    assert verdicts("3.2.3", doublings=table(row, top)) == [wanted]
    assert verdicts("3.2.3", doublings=table(row | {"technique": "fasttext"}, top | {"test": "simlex999"})) == []


@pytest.mark.parametrize(
    ("gain", "se", "averages", "wanted"),
    [
        (0.04, 0.01, 4, "yes"),
        (0.03, 0.01, 4, "undecided"),
        (0.1, 0.01, 2, "undecided"),
        (-0.04, 0.01, 4, "no"),
        (0.04, math.nan, 1, "undecided"),
    ],
)
def test_a_gain_counts_from_its_interval_on(gain, se, averages, wanted):
    row = {"technique": "sgns", "test": "t", "runs_beneath": 2, "gain": gain, "se": se, "averages": averages}
    assert verdicts("3.2.3", table_3_6=table(row)) == [wanted]


def test_gains_are_judged_where_there_are_averages_enough():
    row = {"technique": "sgns", "test": "t", "gain": 0.04, "se": 0.01}
    levels = [row | {"runs_beneath": n, "averages": k} for n, k in ((2, 8), (4, 4), (8, 2))]
    assert verdicts("3.2.3", table_3_6=table(*levels)) == ["yes"]


def test_an_extrinsic_part_is_an_interval_above_0():
    row = {"technique": "x", "runs": 3, "signed_square": 3.0, "square_se": 1.0, "negative_words": 0}
    found = [verdicts("2.3, 3", table_2_11=table(row | {"runs": runs})) for runs in (3, 8)]
    assert found == [["undecided"], ["yes"]]
    assert verdicts("2.3, 3", table_2_11=table(row | {"signed_square": -9.0})) == ["no"]


def consistent(correlation, se):
    row = {"technique": "x", "metric": "p", "n": 2, "@50": 0.3}
    more = {"technique": "x", "correlation": correlation, "se": se, "reliability": 0.5, "other_reliability": 0.9}
    return verdicts("2.2.2", table_2_3=table(row), **({"consistency": table(more)} if se is not None else {}))


def test_p_at_n_is_inconsistent_only_where_noise_cannot_be_why():
    assert consistent(0.5, 0.05) == ["yes"]
    assert consistent(0.97, 0.02) == ["no"]
    assert consistent(0.88, 0.05) == ["undecided"]
    assert consistent(math.nan, math.nan) == ["undecided"]
    assert consistent(0.5, None) == ["undecided"]  # 3 runs have no halves


@pytest.mark.parametrize(
    ("plain", "exact", "wanted"),
    [(0.97, 0.94, "yes"), (0.96, 0.94, "undecided"), (0.93, 0.94, "undecided"), (0.90, 0.94, "no"), (0.92, 0.98, "no")],
)
def test_few_runs_that_keep_an_exact_model_from_agreeing_decide_nothing(plain, exact, wanted):
    row = {"technique": "sgns", "n": 1, "targets": 300, "plain_pearson": plain, "exact_pearson": exact}
    row |= {"corrected_pearson": plain, "bias": 0.0, "pearson": plain}
    row |= {f"{model}_{field}": 0.0 for model in ("plain", "exact", "corrected") for field in ("bias", "rmse")}
    assert verdicts("A.4", table_a_2=table(row)) == [wanted]
    assert verdicts("2.2.2", table_2_5=table(row)) == [wanted]
    assert predicted((math.nan, math.nan), exact, 300) == "undecided"


@pytest.mark.parametrize(
    ("words", "value", "wanted"),
    [(1738, 0.99, "no test"), (6000, 0.98, "yes"), (6000, 0.952, "undecided"), (6000, 0.9, "no")],
)
def test_a_proxy_of_most_words_is_no_test(words, value, wanted):
    row = {"technique": "x", "words": "all", "1000": value, "targets": 1000}
    sizes = [{"technique": "x", "words": m} for m in (100, 1000, words)]
    assert verdicts("2.2.3", table_2_6=table(row), proxy=table(*sizes)) == [wanted]


def test_the_rules():
    assert within(Estimate(math.nan, 0.0, 7), 0, 1) == "undecided"
    assert rising([Estimate(1.0, 0.0, 7)]) == "undecided"
    assert rising([Estimate(0.0, 0.0, 7), Estimate(1.0, 0.0, 7)]) == "yes"
    assert rising([Estimate(1.0, 0.0, 7), Estimate(0.5, 0.0, 7)]) == "no"
    assert rising([Estimate(1.0, 0.1, 7), Estimate(2.0, math.nan, 1)]) == "undecided"
