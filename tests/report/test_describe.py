import math
from dataclasses import replace

import pytest

from gpustab import InputError, load_runs
from gpustab.report import Result
from gpustab.report.describe import describe
from gpustab.results.page import number
from gpustab.runs.key import Key
from gpustab.studies.stability.study import stability
from tests.generators import collapsed, named, noisy_copies, runs_of


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 4, "0"),
        (0, 4, "0"),
        (None, 4, "–"),
        (math.nan, 4, "–"),
        (math.inf, 4, "–"),
        (1.0, 3, "1.00"),
        (0.5, 2, "0.50"),
        (-0.02, 2, "−0.020"),
        (12345.678, 4, "12346"),
        (0.019704968, 4, "0.01970"),
        (1e-5, 2, "0.000010"),
        (9.99e-6, 2, "1.0e−05"),
        (-1.2e-7, 2, "−1.2e−07"),
    ],
)
def test_numbers_for_people(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(("value", "digits", "text"), [(0.99999, 3, "1.00"), (9.9996, 4, "10.00"), (0.0996, 2, "0.10")])
def test_a_number_that_is_rounded_up_keeps_its_digits(value, digits, text):
    assert number(value, digits) == text


def texts(result):
    for block in describe(result):
        yield block.title
        yield from (part for fact in block.facts for part in fact)
        for table in block.tables:
            yield from (cell for row in [table.header, *table.rows] for cell in row)


def test_every_row_has_its_cells(each):
    for block in describe(each):
        assert all(len(row) == len(table.header) for table in block.tables for row in table.rows)


def test_a_number_stands_beside_its_scale(result):
    block = describe(result)[0]
    facts = {name.strip(): value for name, value, _ in block.facts}
    group = result.groups[0]
    assert facts == {
        "reduced PIP loss": number(group["pip"]["reduced"]["mean"]),
        "chance level": number(group["scale"]["chance_reduced_pip"]),
        "mean cosine": number(group["scale"]["mean_cosine"], 3),
    }
    assert "by chance" in block.tables[0].header


def test_a_negative_contrast_is_shown_as_undefined_with_its_square():
    contrast = {"name": "extrinsic", "groups": ["a", "b"], "value": None, "se": None, "signed_square": -0.00123}
    contrast |= {"ratio": 0.9, "ratio_interval": [0.8, 1.0], "runs": [3, 3], "words": 1200, "losses": [0.1, 0.09]}
    (block,) = describe(Result("stability", contrasts=[contrast]))
    ((groups, value, *losses, ratio, interval),) = block.tables[0].rows
    assert (groups, ratio, interval) == ("b beside a", "0.900", "0.800–1.00")
    assert losses == ["1,200", "0.09000", "0.1000"]
    assert value == "undefined: bootstrap runs differ less, −1.2e−03 squared"


def test_a_result_that_nobody_describes_has_a_plain_page():
    result = Result(
        "other", groups=[{"name": "g", "loss_a": 0.5, "n": 3, "list": []}], tables={"t": {"a_b": [1, None]}}
    )
    facts, table = describe(result)
    assert facts.facts == [("loss a", "0.5000", ""), ("n", "3", "")]
    assert table.tables[0].header == ["a b"]
    assert table.tables[0].rows == [["1"], ["–"]]


def test_a_union_without_joint_words_is_refused():
    stack = noisy_copies(3, 20, 4).numpy()
    parts = ([*range(14)], [*range(7, 20)], [*range(7), *range(14, 20)])
    runs = load_runs([([f"w{i}" for i in k], run[k]) for run, k in zip(stack, parts, strict=True)], vocabulary="union")
    with pytest.raises(InputError, match="0 words are in all runs"):
        stability(runs, neighbours=[1])


def test_several_groups_are_compared_first():
    groups = [named(f"t/{v}", v=v) for v in (20, 30)]
    groups.append(replace(runs_of(collapsed(3, 25, 4)), key=Key.of_path("t/collapsed")))
    result = stability(groups, neighbours=[3, 10])
    table, shared = describe(result)[0].tables
    assert table.header == ["", "t/20", "t/30", "t/collapsed"]
    rows = {row[0]: row[1:] for row in table.rows}
    mean = result.groups[0]["pip"]["reduced"]["mean"]
    assert float(rows["PIP loss"][0].split()[0]) == pytest.approx(
        mean, rel=0.05
    )  # to the digits that its interval bears
    assert [("collapsed" in cell) for cell in rows["mean cosine"]] == [False, False, True]
    assert [row[0] for row in shared.rows] == ["p@3", "p@10", "p@10 by chance"]
    assert len(describe(stability(groups[0], neighbours=[3]))) == 3
