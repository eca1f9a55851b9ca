import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from gpustab.studies.instability.cosines import PREDICTIONS, TESTS, CosineTest, Prediction, prediction_tables
from gpustab.studies.instability.losses import (
    LOSSES,
    OVER_PROXIES,
    WORDS,
    Loss,
    OverProxies,
    Word,
    instability_tables,
    proxy_tables,
)
from gpustab.studies.instability.neighbours import OVER_LENGTHS, OverLengths, overlap_tables
from gpustab.studies.instability.scores import SCORES, Score
from gpustab.studies.instability.study import closing_tables
from tests import oracles
from tests.generators import noisy_copies, runs_of
from tests.studies.instability import thesis
from tests.studies.instability.made import row, tables, technique

# Rettenmeier 2020, table 2.1: lowest, highest, difference in percent.
THESIS = {
    "HI": (16.07, 18.24, 13.5),
    "FI": (38.63, 47.40, 22.7),
    "ZH": (52.55, 59.50, 13.2),
    "CS": (61.60, 64.36, 4.5),
    "PL": (55.44, 60.20, 8.6),
    "PT": (55.42, 57.67, 4.1),
    "EN": (73.74, 74.83, 1.5),
}
NOTHING = tables((LOSSES,), (OVER_LENGTHS,), (OVER_PROXIES,), (WORDS,), (PREDICTIONS,))


def score(values, test="t", beneath=1):
    several = len(values) > 1
    return row(
        Score,
        technique="fasttext",
        test=test,
        runs_beneath=beneath,
        spaces=len(values),
        mean=np.mean(values),
        sd=np.std(values, ddof=1) if several else None,
        best=max(values) if several else None,
        worst=min(values) if several else None,
    )


def of_scores(*rows):
    return closing_tables(NOTHING | tables((SCORES, *rows)), [])


def test_the_differences_are_those_of_table_2_1():
    table = of_scores(*(score(values[:2], name) for name, values in THESIS.items()))["table_2_1"]
    assert table["test"] == list(THESIS)
    assert [round(x, 1) for x in table["relative_difference"]] == [values[2] for values in THESIS.values()]


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, truth, sd, draws = np.random.default_rng(0), 50.0, 2.0, 4000
    found = of_scores(*(score(rng.normal(truth, sd, 5)) for _ in range(draws)))
    for table, wanted in (("table_2_1", 100 * sd / truth), ("table_2_10", truth)):
        inside = [row["low"] <= wanted <= row["high"] for row in found[table].records()]
        assert np.mean(inside) == pytest.approx(0.95, abs=0.012)  # 3.5 standard errors of 4,000 draws


def test_scores_of_averages_are_no_runs_and_a_percent_of_nothing_is_undefined():
    found = of_scores(score([1.0, 2.0, 3.0]), score([7.0, 9.0], beneath=2), score([-0.1, 0.1, 0.3]), score([0.5]))
    assert found["table_2_10"]["runs"] == [3, 3, 1]
    assert found["table_2_10"]["mean"] == pytest.approx([2, 0.1, 0.5])
    assert found["table_2_10"]["sd"] == pytest.approx([1, 0.2, math.nan], nan_ok=True)
    half = 4.302653 / math.sqrt(3)  # Student's t of two degrees of freedom
    assert found["table_2_10"]["low"] == pytest.approx([2 - half, 0.1 - half / 5, math.nan], nan_ok=True)
    assert found["table_2_1"]["relative_difference"] == pytest.approx([200, math.nan, math.nan], nan_ok=True)
    assert found["table_2_1"]["relative_sd"] == pytest.approx([50, 200, math.nan], nan_ok=True)


def test_without_scores_the_tables_are_empty():
    found = closing_tables(NOTHING, [])
    assert {name: table.height for name, table in found.items()} == dict.fromkeys(
        ("table_2_1", "table_2_7", "table_2_9", "table_2_10"), 0
    )
    assert "technique" in found["table_2_1"]


def test_the_order_is_that_of_table_2_9():
    names = dict(zip(thesis.TECHNIQUES, ("sgns", "glove", "fasttext"), strict=True))
    rows = [
        row(Loss, technique=names[technique], sampling=sampling, reduced_pip=value, se=value / 100)
        for (language, technique, sampling), (value, _) in thesis.LOSSES.items()
        if language == "HI"
    ]
    table = closing_tables(NOTHING | tables((LOSSES, *rows)), [])["table_2_9"]
    order = {sampling: part["technique"] for sampling, part in table.split("sampling")}
    assert order == {
        "fixed": ["sgns", "glove", "fasttext"],
        "shuffled": ["glove", "sgns", "fasttext"],
        "bootstrap": ["fasttext", "sgns", "glove"],
    }
    first, _, last = table.records(sampling="fixed")
    assert (first["place"], first["to_next"]) == (1, pytest.approx(1.278 - 0.771))
    assert first["to_next_se"] == pytest.approx(math.hypot(0.00771, 0.01278))
    assert math.isnan(last["to_next"])
    assert math.isnan(last["to_next_se"])


def test_the_criteria_of_table_2_7_are_measured():
    v, d, stack = 80, 8, noisy_copies(4, 80, 8, noise=0.1)
    runs = technique(runs_of(stack), targets=20)
    measured = {**instability_tables(runs), **overlap_tables(runs), **proxy_tables(runs), **prediction_tables(runs)}
    found = closing_tables(measured, [{"name": "x", "words": v, "dimension": d}])["table_2_7"]
    rows = {row["criterion"]: row for row in found.records()}
    spaces = stack.numpy()
    lists = [[oracles.top_k(x, t, 50) for t in range(v)] for x in spaces]
    by_n = {n: oracles.overlap(lists, n)[0].mean(0).round(10) for n in (1, 2, 5, 10, 25, 50)}
    lowest = min(spearmanr(by_n[a], by_n[b]).statistic for a in by_n for b in by_n if a != b)
    assert rows["consistency"]["neighbours"] == pytest.approx(lowest)
    assert math.isnan(rows["consistency"]["pip"])  # fewer words than the smallest proxy
    words = [int(row["word"][1:]) for row in measured["predictions"].records(n=1)]
    structure = [row["structure"] for row in measured["predictions"].records(n=1)]
    loss = np.mean([oracles.wordwise_pip(spaces[i], spaces[j]) for i, j in oracles.pairs(4)], axis=0)[words]
    assert rows["independence"]["neighbours"] == pytest.approx(np.corrcoef(structure, by_n[1][words])[0, 1])
    assert rows["independence"]["pip"] == pytest.approx(np.corrcoef(structure, loss)[0, 1], abs=1e-5)
    assert (rows["complexity"]["neighbours"], rows["complexity"]["pip"]) == (2 * v * d, 6 * d * d)


def test_the_consistency_of_the_loss_is_that_of_fewer_words_with_all():
    proxies = [
        OverProxies("x", w, 10, 1000, {"100": a, "1000": b, "all": 1.0})
        for w, a, b in (("100", 0.1, 0.2), ("all", 0.7, 0.8))
    ]
    known = NOTHING | tables((OVER_PROXIES, *proxies))
    assert closing_tables(known, [{"name": "x", "words": 9, "dimension": 2}])["table_2_7"]["pip"][0] == 0.7


def test_a_chapter_that_is_missing_leaves_its_numbers_undefined():
    found = closing_tables({}, [{"name": "x", "words": 5, "dimension": 2}])
    numbers = [(row["neighbours"], row["pip"]) for row in found["table_2_7"].records()]
    assert numbers == [pytest.approx(x, nan_ok=True) for x in ((math.nan,) * 2, (math.nan,) * 2, (20, 24))]
    assert found["table_2_9"].height == 0


def test_equal_runs_have_no_correlation_and_no_error_is_raised():
    equal = [row(Prediction, word=f"w{k}", n=1, measured=1.0, structure=1.0) for k in range(5)]
    losses = [row(Word, word=f"w{k}", intrinsic=0.0) for k in range(5)]
    group = {"name": "x", "words": 5, "dimension": 2}
    known = NOTHING | tables((PREDICTIONS, *equal), (WORDS, *losses))
    table = closing_tables(known, [group])["table_2_7"]
    assert all(map(math.isnan, table["neighbours"][:2]))


def test_tables_whose_columns_are_no_names_give_their_rows_back():
    """Columns for every length or number of words, and columns that are called below_0.05."""
    for sheet, made, column in (
        (OVER_LENGTHS, OverLengths("x", "p", 2, {"1": 0.5, "50": None}), "@50"),
        (OVER_PROXIES, OverProxies("x", "all", 3, 9, {"100": 0.5, "all": 1.0}), "100"),
        (TESTS, row(CosineTest, hypothesis="normal", below=0.1, distance=0.2), "below_0.05"),
    ):
        known = tables((sheet, made, made._replace(technique="y")))
        assert column in known[sheet.name]
        (back,) = sheet.rows(known, technique="x")
        assert list(map(str, back)) == list(map(str, made))
        assert list(sheet.rows({})) == []
