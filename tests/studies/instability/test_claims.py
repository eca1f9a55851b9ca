import math

import pytest

from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.claims import (
    INDEPENDENT_COSINES,
    NORMAL_COSINES,
    PREDICTED,
    UNRELATED_TO_LOSS,
    Predicted,
    observation_table,
)
from gpustab.studies.instability.claims_of_losses import EXTRINSIC_FALLS, INTRINSIC_FLAT
from gpustab.studies.instability.cosines import ACCURACY, STRUCTURE, Accuracy, CosineTest, Structure
from gpustab.studies.instability.frequency import TRENDS, TrendRow
from gpustab.studies.instability.losses import (
    EXTRINSIC,
    LOSSES,
    OVER_PROXIES,
    PROXIES,
    Extrinsic,
    Loss,
    OverProxies,
    Proxy,
)
from gpustab.studies.instability.neighbours import OVER_LENGTHS, OverLengths
from gpustab.studies.instability.subsets import CONSISTENCY, DISTANCE, HOW_MANY, Consistency, ErrorOfRuns, WithDistance
from gpustab.studies.instability.technique import SAME_RUNS, SameRuns
from gpustab.studies.shared.claims import rising, within
from tests.studies.instability import thesis
from tests.studies.instability.made import row, tables


def losses(values, sampling="shuffled", se=0.1, **changes):
    made = {"runs": 8, "words": 100, "relative_sd": 0.005, "word_relative_sd": 0.1, "word_degrees_of_freedom": 50.0}
    return [
        row(Loss, technique=name, sampling=sampling, reduced_pip=value, se=se, **made | changes)
        for name, value in values.items()
    ]


def verdicts(source, *sheets):
    known = tables((LOSSES, *losses({"sgns": 2.0}))) | tables(*sheets)
    return [found.agrees for found in observation_table(known).rows() if found.source == source]


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
    found = observation_table(tables((LOSSES, *losses(values, runs=runs))))
    (order,) = (r for r in found.rows(source="2.3, 2") if "of shuffled runs" in r.claim)
    assert order.agrees == wanted


def glove(fixed, shuffled, se, same=()):
    both = (*losses({"glove": fixed}, "fixed", se), *losses({"glove": shuffled}, se=se))
    return verdicts("2.3, 2", (LOSSES, *both), (SAME_RUNS, *same))


@pytest.mark.parametrize(
    ("difference", "se", "wanted"),
    [(0.01, 0.01, "yes"), (0.01, 0.1, "undecided"), (0.04, 0.01, "undecided"), (0.3, 0.01, "no"), (-0.3, 0.01, "no")],
)
def test_fixed_and_shuffled_glove_agree_within_5_percent_and_not_by_a_large_error(difference, se, wanted):
    assert glove(1 + difference, 1.0, se) == [wanted]


def test_the_same_runs_are_no_test():
    same = SameRuns("glove", "fixed", "shuffled", 6, 6)
    assert glove(1.0, 1.0, 0.001) == ["yes"]
    assert glove(1.0, 1.0, 0.001, [same]) == ["no test"]
    assert glove(1.0, 1.0, 0.001, [same._replace(second="bootstrap")]) == ["yes"]
    assert verdicts("2.3, 2", (LOSSES, *losses({"glove": 1.0}))) == ["no test"]  # no fixed runs


@pytest.mark.parametrize(
    ("relative", "runs", "wanted"),
    [(0.003, 3, "yes"), (0.0367, 16, "undecided"), (0.02, 16, "yes"), (0.02, 3, "undecided"), (0.2, 8, "no")],
)
def test_losses_hardly_vary_up_to_the_largest_sd_of_the_thesis(relative, runs, wanted):
    found = losses({"sgns": 1.0}, relative_sd=relative, runs=runs)
    assert verdicts("2.3, 1", (LOSSES, *found)) == [wanted]


def test_the_rule_says_no_to_no_cell_of_table_2_8():
    """Seven languages, three samplings, three techniques: means in 10⁻², SDs in 10⁻⁴, 16 runs."""
    cells = [sd / mean / 100 for mean, sd in thesis.LOSSES.values()]
    assert len(cells) == 63
    assert sum(cell > 0.01 for cell in cells) == 19
    assert 0.037 < max(cells) < 0.04
    found = [verdicts("2.3, 1", (LOSSES, *losses({"x": 1.0}, relative_sd=cell, runs=16)))[0] for cell in cells]
    assert "no" not in found
    assert found.count("undecided") == 5


@pytest.mark.parametrize(
    ("distance", "band", "runs", "wanted"),
    [
        (0.012, 0.019, 8, "yes"),
        (0.012, 0.019, 5, "undecided"),  # t with 5 degrees of freedom looks the same there
        (0.012, 0.06, 8, "undecided"),  # too few pairs
        (0.04, 0.019, 8, "undecided"),
        (0.06, 0.019, 8, "undecided"),  # normal cosines that move together look so too
        (0.06, 0.019, 12, "no"),
    ],
)
def test_normality_wants_power(distance, band, runs, wanted):
    assert NORMAL_COSINES.judge(row(CosineTest, distance=distance, distance_band=band, runs=runs)) == wanted


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
    test = row(CosineTest, correlation=correlation, correlation_se=se, runs=runs, correlation_p=p)
    assert INDEPENDENT_COSINES.judge(test) == wanted


def trend(change, half, rho=0.0, p=1.0, off=0.0):
    interval = {"change": change, "low": change - half, "high": change + half}
    return interval | {"batch_correlation": rho, "batch_p": p, "batch_deviation": off}


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        (trend(-0.1, 0.05), "yes"),
        (trend(-0.1, 0.05, off=0.5), "undecided"),  # a hump under a flat line
        (trend(-0.22, 0.05, -0.9, 0.001), "undecided"),
        (trend(0.3, 0.05, 0.9, 0.001), "no"),
        (trend(0.3, 0.05, 0.1, 0.7), "undecided"),
        (trend(math.nan, math.nan), "undecided"),
    ],
)
def test_a_flat_trend_is_small_and_without_a_hump(numbers, wanted):
    assert INTRINSIC_FLAT.judge(row(TrendRow, **numbers)) == wanted


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        (trend(-0.26, 0.065, -0.9, 1e-4), "yes"),
        (trend(-0.26, 0.065, -0.0, 1.0), "undecided"),  # GloVe on lee: J² by batch 0.081, 0.168, 0.066
        (trend(-0.26, 0.065, -0.3, 0.2), "undecided"),
        (trend(-0.26, 0.5, -0.9, 1e-4), "undecided"),
        (trend(0.5, 0.1, 0.8, 1e-3), "no"),
        (trend(0.5, 0.1, -0.8, 1e-3), "undecided"),
    ],
)
def test_a_falling_trend_falls_by_line_and_by_batches(numbers, wanted):
    assert EXTRINSIC_FALLS.judge(row(TrendRow, **numbers)) == wanted


def test_trends_are_judged_by_what_the_technique_builds_on():
    numbers = {"quantity": "extrinsic squared", "least_frequency": 0} | trend(-0.5, 0.05, -1.0, 0.0)
    rows = [row(TrendRow, technique=name, **numbers) for name in ("glove", "fasttext")]
    assert verdicts("2.3.1, 3", (TRENDS, *rows)) == ["yes"]
    assert verdicts("2.3.1, 4", (TRENDS, *rows)) == ["no"]
    flat = row(TrendRow, technique="sgns", quantity="intrinsic", least_frequency=0, **trend(0.1, 0.05))
    assert verdicts("2.3.1, 2", (TRENDS, flat)) == ["yes"]


@pytest.mark.parametrize(
    ("error", "runs", "wanted"),
    [(0.007, 3, "yes"), (0.02, 3, "undecided"), (0.02, 16, "yes"), (0.05, 16, "undecided"), (0.14, 8, "no")],
)
def test_two_runs_suffice_where_one_pair_is_within_10_percent(error, runs, wanted):
    of = row(ErrorOfRuns, technique="sgns", quantity="reduced PIP loss", subsampling=error)
    many = [of._replace(runs=r, subsampling=error if r == 2 else math.nan) for r in range(2, runs + 1)]
    other = of._replace(quantity="p@10", runs=2, subsampling=0.5)
    assert verdicts("2.3, 1", (HOW_MANY, *many, other)) == ["yes", wanted]


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
    longer = row(WithDistance, technique="sgns", n=10, measured=0.0, correlation=correlation, se=se)
    assert UNRELATED_TO_LOSS.judge(longer) == wanted
    both = (longer._replace(n=1, correlation=-0.9), longer)
    assert verdicts("2.2.2", (DISTANCE, *both)) == [wanted]  # of the longer lists
    assert verdicts("2.2.2", (DISTANCE, longer._replace(n=1))) == [wanted]


def test_an_extrinsic_part_is_an_interval_above_0():
    part = row(Extrinsic, runs=3, signed_square=3.0, square_se=1.0, negative_words=0)
    found = [verdicts("2.3, 3", (EXTRINSIC, part._replace(runs=runs))) for runs in (3, 8)]
    assert found == [["undecided"], ["yes"]]
    assert verdicts("2.3, 3", (EXTRINSIC, part._replace(signed_square=-9.0))) == ["no"]


def consistent(correlation, se):
    measured = OverLengths("x", "p", 2, {"50": 0.3})
    freed = row(Consistency, correlation=correlation, se=se, reliability=0.5, other_reliability=0.9)
    return verdicts("2.2.2", (OVER_LENGTHS, measured), *([(CONSISTENCY, freed)] if se is not None else []))


def test_p_at_n_is_inconsistent_only_where_noise_cannot_be_why():
    assert consistent(0.5, 0.05) == ["yes"]
    assert consistent(0.97, 0.02) == ["no"]
    assert consistent(0.88, 0.05) == ["undecided"]
    assert consistent(math.nan, math.nan) == ["undecided"]
    assert consistent(0.5, None) == ["undecided"]  # 3 runs have no halves


@pytest.mark.parametrize(
    ("plain", "exact", "wanted"),
    [(0.97, 0.94, "yes"), (0.96, 0.94, "undecided"), (0.93, 0.94, "undecided"), (0.84, 0.94, "no"), (0.88, 0.98, "no")],
)
def test_few_runs_that_keep_an_exact_model_from_agreeing_decide_nothing(plain, exact, wanted):
    accuracy = row(Accuracy, n=1, targets=300, plain_pearson=plain, exact_pearson=exact, corrected_pearson=plain)
    structure = row(Structure, n=1, targets=300, pearson=plain, exact_pearson=exact, bias=0.0)
    assert verdicts("A.4", (ACCURACY, accuracy)) == [wanted]
    assert verdicts("2.2.2", (STRUCTURE, structure)) == [wanted]
    assert PREDICTED.judge(Predicted(math.nan, exact, 300)) == "undecided"


@pytest.mark.parametrize("exact", [0.85, 0.94, 0.98, 0.999])
@pytest.mark.parametrize("targets", [60, 300, 10_000])
def test_a_model_at_the_margin_is_not_denied_because_few_runs_keep_it_from_agreeing(exact, targets):
    assert PREDICTED.judge(Predicted(0.96 * exact, exact, targets)) in ("undecided", "yes")
    assert PREDICTED.judge(Predicted(0.6 * exact, exact, targets)) == "no"


@pytest.mark.parametrize(
    ("words", "value", "wanted"),
    [(1738, 0.99, "no test"), (6000, 0.98, "yes"), (6000, 0.952, "undecided"), (6000, 0.9, "no")],
)
def test_a_proxy_of_most_words_is_no_test(words, value, wanted):
    over = OverProxies("x", "all", 10, 1000, {"1000": value})
    sizes = [row(Proxy, words=m) for m in (100, 1000, words)]
    assert verdicts("2.2.3", (OVER_PROXIES, over), (PROXIES, *sizes)) == [wanted]


def test_the_rules():
    assert within(Estimate(math.nan, 0.0, 7), 0, 1) == "undecided"
    assert rising([Estimate(1.0, 0.0, 7)]) == "undecided"
    assert rising([Estimate(0.0, 0.0, 7), Estimate(1.0, 0.0, 7)]) == "yes"
    assert rising([Estimate(1.0, 0.0, 7), Estimate(0.5, 0.0, 7)]) == "no"
    assert rising([Estimate(1.0, 0.1, 7), Estimate(2.0, math.nan, 1)]) == "undecided"
