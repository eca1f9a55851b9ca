import math

import pytest

from gpustab.report import Result
from gpustab.report.describe import describe
from gpustab.results import Table
from gpustab.studies.sweep.measure import Measured, Score
from gpustab.studies.sweep.page import square_table, squares
from gpustab.studies.sweep.plans import settings_of
from gpustab.training import read_settings

EPOCHS, NEGATIVE = [5, 10, 20, 40], [5, 10, 20]

CHANGES = [[None, -11.0, -15.0], [-11.9, -17.4, -19.1], [-17.0, -18.6, -17.6], [-18.9, -17.8, -14.3]]
"""Table 3.1 of Rettenmeier (2020), word2vec, Portuguese, in percent of 1.60e-2."""


def loss(epochs, negative):
    change = CHANGES[EPOCHS.index(epochs)][NEGATIVE.index(negative)]
    return 1.60e-2 * (1 + (change or 0) / 100)


def score(epochs, negative):
    return 50.5 + epochs / 10 + negative / 100


def measured(settings):
    """Numbers that follow from epochs and negative samples; standard errors of 1 % of losses, and of SD 0.4 / √4."""
    found = {}
    for setting in settings:
        parameters = setting.plan.parameters_of("sgns")
        place = parameters.epochs, parameters.negative
        row = {"setting": setting.label, "sampling": "shuffled", "reduced_pip": loss(*place), "se": loss(*place) / 100}
        scores = [Score(setting.label, "shuffled", "questions-words", 9, 9, 4, score(*place), 0.4)]
        table = Table.of([row | {"p@10": 0.5, "p@10_se": 0.01}])
        found[setting.label] = Measured(frozenset(), table, Table.of(scores))
    return found


def square(vary, **base):
    settings = settings_of(
        read_settings({"corpus": "lee", "sgns": {"epochs": 5, "negative": 5} | base}), vary, grid=True
    )
    return square_table(settings, measured(settings), list(vary))


@pytest.fixture(scope="module")
def table():
    return square({"epochs": EPOCHS, "negative": NEGATIVE})


def test_the_cells_are_those_of_table_3_1(table):
    cells = list(table.records(measure="reduced_pip"))
    assert [(cell["row"], cell["column"]) for cell in cells] == [(e, n) for e in EPOCHS for n in NEGATIVE]
    for cell, wanted in zip(cells, (x for line in CHANGES for x in line), strict=True):
        assert cell["value"] == loss(cell["row"], cell["column"])
        assert cell["percent"] == pytest.approx(math.nan if wanted is None else wanted, nan_ok=True)
        if wanted is not None:
            assert cell["percent_se"] == pytest.approx((100 + wanted) / 100 * math.sqrt(2))
    scores = list(table.records(measure="questions-words"))
    assert [cell["difference"] for cell in scores[1:]] == [score(e, n) - score(5, 5) for e in EPOCHS for n in NEGATIVE][
        1:
    ]
    assert scores[4]["se"] == pytest.approx(math.hypot(0.2, 0.2))


def test_squares_are_shown_as_value_and_error(table):
    values, changes, *_, scored, gains = squares(table, 4)
    assert values.header == ["epochs \\ negative", "5", "10", "20"]
    assert values.rows[0] == ["5", "0.01600 ± 0.00051", "0.01424 ± 0.00045", "0.01360 ± 0.00043"]
    assert changes.rows[0] == ["5", "0 (baseline)", "−11.0 ± 4.0", "−15.0 ± 3.8"]
    assert [row[0] for row in changes.rows] == ["5", "10", "20", "40"]
    assert changes.title == "shuffled, reduced_pip: change in percent, ± 95 %"
    assert scored.rows[1][1] == "51.55 ± 0.64"
    assert gains.rows[1][1] == "0.50 ± 0.90"
    assert not any(words for words in changes.words[1:])  # numbers stand to the right


def test_the_first_parameter_named_goes_down(table):
    turned = square({"negative": NEGATIVE, "epochs": EPOCHS})
    assert squares(turned, 4)[0].header == ["negative \\ epochs", "5", "10", "20", "40"]
    for cell in turned.records(measure="reduced_pip"):
        (same,) = table.records(measure="reduced_pip", row=cell["column"], column=cell["row"])
        assert cell["value"] == same["value"]


def test_a_baseline_outside_the_grid_has_no_cell_but_is_compared_with():
    table = square({"epochs": [10, 20], "negative": [10, 20]})
    assert table.where(measure="reduced_pip").height == 4
    assert list(table.where(measure="reduced_pip")["percent"]) == pytest.approx([-17.4, -19.1, -18.6, -17.6])


def test_a_baseline_amid_the_grid_stands_in_its_place():
    table = square({"epochs": [5, 10, 20], "negative": [20, 10, 5]}, epochs=10, negative=10)
    (own,) = (cell for cell in table.records(measure="p@10") if cell["difference"] != cell["difference"])
    assert (own["row"], own["column"]) == (10, 10)
    assert squares(table, 4)[0].header[1:] == ["5", "10", "20"]
    assert [row[0] for row in squares(table, 4)[0].rows] == ["5", "10", "20"]


def test_values_that_are_no_numbers_stay_as_they_were_named():
    table = square({"lowercase": [True, False], "language": ["fi", "en", "cs"]})
    shown = squares(table, 4)[0]
    assert shown.header[1:] == ["en", "fi", "cs"]  # the baseline is trained first
    assert [row[0] for row in shown.rows] == ["no", "yes"]


def test_a_third_parameter_is_held():
    table = square({"epochs": [5, 10], "negative": [5, 10], "window": [5, 2], "alpha": [0.025, 0.05]})
    assert list(dict.fromkeys(table["held"])) == [f"window={w},alpha={a}" for w in (2, 5) for a in ("0.0250", "0.0500")]
    assert all(part.where(measure="p@10").height == 4 for _, part in table.split("held"))
    assert squares(table, 4)[0].title == "window=2,alpha=0.0250, shuffled, reduced_pip: value, ± 95 %"


def test_the_page_shows_squares_where_there_are_some(table):
    empty = Table()
    tables = {"settings": empty, "changes": empty, "scores": empty}
    assert len(describe(Result("sweep", settings={"runs": 4}, tables=tables))) == 3
    blocks = {
        block.title: block
        for block in describe(Result("sweep", settings={"runs": 4}, tables=tables | {"squares": table}))
    }
    block = blocks["epochs × negative"]
    assert len(block.tables) == 6
