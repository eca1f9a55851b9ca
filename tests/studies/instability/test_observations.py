import math

import pytest

from gpustab.results import Table
from gpustab.studies.instability.observations import observation_table
from gpustab.studies.instability.verdicts import rising, within

LOSS = {"words": 100, "relative_sd": 0.005, "word_relative_sd": 0.1, "word_degrees_of_freedom": 50.0}


def table(*rows):
    return Table.of(rows)


def losses(values, sampling="shuffled", se=0.1):
    rows = [
        {"technique": name, "sampling": sampling, "reduced_pip": value, "se": se, **LOSS}
        for name, value in values.items()
    ]
    return table(*rows)


def verdicts(source, **tables):
    tables.setdefault("table_2_8", losses({"sgns": 2.0}))
    found = observation_table(tables)
    return [row["agrees"] for row in found.rows() if row["source"] == source]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"sgns": 2.0, "glove": 1.0, "fasttext": 3.0}, "yes"),
        ({"sgns": 2.0, "glove": 1.9, "fasttext": 3.0}, "undecided"),
        ({"sgns": 1.0, "glove": 2.0, "fasttext": 3.0}, "no"),
        ({"sgns": 2.0, "fasttext": 1.0}, "no"),
    ],
)
def test_the_order_of_table_2_9_wants_two_errors_between_neighbours(values, wanted):
    found = observation_table({"table_2_8": losses(values)})
    (row,) = (r for r in found.rows(source="2.3, 2") if r["claim"].startswith("shuffled"))
    assert row["agrees"] == wanted


def test_fixed_and_shuffled_glove_must_not_differ():
    near, far = ({"glove": 1.0}, {"glove": 1.1}), ({"glove": 1.0}, {"glove": 2.0})
    for (fixed, shuffled), wanted in ((near, "yes"), (far, "no")):
        both = table(*losses(fixed, "fixed").rows(), *losses(shuffled).rows())
        assert verdicts("2.3, 2", table_2_8=both) == [wanted]
    assert verdicts("2.3, 2", table_2_8=losses({"glove": 1.0})) == ["undecided"]


@pytest.mark.parametrize(
    ("change", "half", "wanted"), [(-0.1, 0.05, "yes"), (-0.22, 0.05, "undecided"), (0.3, 0.05, "no")]
)
def test_a_flat_trend_is_an_interval_within_20_percent(change, half, wanted):
    row = {
        "technique": "sgns",
        "quantity": "intrinsic",
        "least_frequency": 0,
        "change": change,
        "low": change - half,
        "high": change + half,
    }
    trend = table(row | {"batch_correlation": 0.1, "batch_p": 0.5})
    assert verdicts("2.3.1, 2", frequency=trend) == [wanted]


def test_extrinsic_trends_are_judged_by_what_the_technique_builds_on():
    row = {"quantity": "extrinsic squared", "least_frequency": 0, "change": -0.5, "low": -0.55, "high": -0.45}
    trend = [row | {"technique": name, "batch_correlation": -1.0, "batch_p": 0.0} for name in ("glove", "fasttext")]
    assert verdicts("2.3.1, 3", frequency=table(*trend)) == ["yes"]
    assert verdicts("2.3.1, 4", frequency=table(*trend)) == ["no"]


def test_averages_are_judged_at_the_level_that_the_thesis_looked_at():
    ratios = {"technique": "sgns", "renormalised": False, "dot_mean": 1.0, "dot_sd": 0.7}
    rows = [ratios | {"runs_beneath": n, "mean": mean, "sd": sd} for n, mean, sd in ((2, 1.05, 0.75), (4, 1.3, 0.5))]
    assert verdicts("3.2.1", cosine_ratios=table(*rows)) == ["yes", "yes"]
    fallen = {"technique": "sgns", "renormalised": False, "ratio_dot": 0.5, "ratio_cosine_matrices": 0.5}
    rows = [fallen | {"runs_beneath": n, "ratio_cosine": ratio} for n, ratio in ((1, 1.0), (4, 0.56))]
    assert verdicts("3.2.3", figure_3_5=table(*rows)) == ["no"]  # 1.12/√4


def test_a_gain_counts_from_two_errors_on():
    rows = [
        {"technique": "sgns", "test": "t", "runs_beneath": 4, "gain": gain, "se": se}
        for gain, se in ((0.03, 0.01), (0.01, 0.01), (-0.03, 0.01), (0.03, math.nan))
    ]
    assert verdicts("3.2.3", table_3_6=table(*rows)) == ["yes", "undecided", "no", "undecided"]


def test_the_rules():
    assert within(math.nan, 0, 0, 1) == "undecided"
    assert rising([(1.0, 0.0)]) == "undecided"
    assert rising([(0.0, 0.0), (1.0, 0.0)]) == "yes"
    assert rising([(1.0, 0.0), (0.5, 0.0)]) == "no"


@pytest.mark.parametrize(
    ("plain", "exact", "wanted"),
    [(0.96, 0.94, "yes"), (0.93, 0.94, "undecided"), (0.91, 0.94, "no"), (0.94, 0.98, "no")],
)
def test_few_runs_that_keep_an_exact_model_from_agreeing_decide_nothing(plain, exact, wanted):
    row = {"technique": "sgns", "n": 1, "plain_pearson": plain, "exact_pearson": exact, "corrected_pearson": plain}
    row |= {f"{model}_{field}": 0.0 for model in ("plain", "exact", "corrected") for field in ("bias", "rmse")}
    assert verdicts("A.4", table_a_2=table(row)) == [wanted]
