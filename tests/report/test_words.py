import base64
import gzip
import json
import math

import numpy as np
import pytest

from gpustab.report import Result
from gpustab.report.words import Browsed, browser, numbers
from gpustab.studies.stability.paper import WORDS

COLUMNS = {"words": {"count": "occurrences", "loss": "PIP loss", "missing": "not there"}}


def unpacked(text):
    return gzip.decompress(base64.b64decode(text))


def values(made, n):
    planes = np.frombuffer(unpacked(made["data"]), np.uint8).reshape(made["bytes"], n)
    codes = sum(plane.astype(float) * 256**k for k, plane in enumerate(planes))
    return np.where(codes == 256 ** made["bytes"] - 1, np.nan, (codes + made["low"]) / made["scale"])


@pytest.mark.parametrize(
    "column",
    [
        [3, 1, 200_000_000],
        [-1.5, 0.25, math.nan],
        [0.0, 0.0],
        [math.nan],
        [],
        [1e-9, 0.02],
        [254, 0],
        [255, 0],
        [1e300, 1e-3],
        [None, 4],
    ],
)
def test_numbers_come_back_with_four_digits(column):
    made = numbers(column)
    wanted = np.array([math.nan if x is None else x for x in column], float)
    known = wanted[np.isfinite(wanted)]
    close = 10.0 ** (math.floor(math.log10(np.median(np.abs(known[known != 0])))) - 3) if (known != 0).any() else 1e-9
    if max(known, default=0) - min(known, default=0) < 1e12 * close:
        np.testing.assert_allclose(values(made, len(column)), wanted, rtol=0, atol=0.51 * close)


def test_counts_are_exact():
    counts = np.random.default_rng(0).integers(1, 10**9, 500)
    assert (values(numbers(counts), 500) == counts).all()


def test_groups_of_the_same_words_name_them_once():
    table = {
        "group": ["a/fixed", "a/fixed", "a/bootstrap", "a/bootstrap"],
        "word": ["x", "<b>", "x", "<b>"],
        "count": [3, 2, 3, 2],
        "loss": [0.1, 0.2, 0.3, math.nan],
    }
    found = browser(Result("x", tables={"words": table}), COLUMNS)
    assert found["columns"] == ["occurrences", "PIP loss"]
    first, second = found["groups"]
    assert (first["same"], second["same"], second["words"]) == (-1, 0, "")
    assert json.loads(unpacked(first["words"])) == ["x", "<b>"]
    assert (first["style"], second["style"]) == ("fixed", "bootstrap")


@pytest.mark.parametrize("tables", [{}, {"words": {}}, {"words": {"word": []}}, {"words": {"group": ["a"]}}])
def test_without_words_there_is_no_table(tables):
    assert browser(Result("x", tables=tables), COLUMNS) is None


def test_a_page_of_many_words_is_small():
    """A tenth of the 200,000 words that must fit in 5 MB, of the columns that stability has."""
    n, draw = 20_000, np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    columns = {
        "group": ["runs"] * n,
        "word": ["".join(letters[draw.integers(0, 26, draw.integers(3, 12))]) for _ in range(n)],
        "count": (3 + draw.pareto(1, n) * 5).astype(int),
        "pip_mean": draw.normal(0.04, 0.01, n),
        "pip_se": draw.gamma(2, 0.001, n),
        "p@10": draw.integers(0, 280, n) / 280,
        "p@10_se": draw.gamma(2, 0.01, n),
        "p@10_place": draw.integers(0, 200, n) / 200,
        "least": draw.random(n),
    }
    made = browser(Result("x", tables={"words": columns}), WORDS)
    assert len(made["columns"]) == 7
    assert len(json.dumps(made)) < 450_000


def test_shares_are_percent_errors_are_half_intervals_and_bootstrap_is_opened():
    table = {
        "group": ["a/fixed", "a/fixed", "a/bootstrap", "a/bootstrap"],
        "word": ["x", "y", "x", "y"],
        "se": [0.1, 0.2, 0.3, 0.4],
        "share": [0.5, 0.25, 0.1, 0.9],
    }
    shown = {"words": {"se": Browsed("±", "half"), "share": Browsed("share", "percent")}}
    groups = [{"name": name, "runs": ["r"] * runs} for name, runs in (("a/fixed", 3), ("a/bootstrap", 5))]
    found = browser(Result("x", groups=groups, tables={"words": table}), shown)
    assert (found["percent"], found["open"], found["names"]) == ([False, True], 1, ["se", "share"])
    halves = values(found["groups"][0]["numbers"][0], 2)
    assert halves == pytest.approx([0.430, 0.861], abs=0.001)  # 4.303, Student's t of two degrees of freedom


@pytest.mark.parametrize(("runs", "kept"), [(3, ["110", "011"]), (41, [2, 2])])
def test_neighbours_of_many_runs_are_counts(runs, kept):
    words = {"group": ["g"] * 3, "word": ["a", "b", "c"], "n": [1, 2, 3]}
    lists = ["110" + "0" * (runs - 3), "011" + "0" * (runs - 3)]
    near = {"group": ["g"] * 2, "word": ["a", "a"], "neighbour": ["b", "c"], "runs": lists}
    near |= {"cosine": [0.614, math.nan], "verdict": ["firm", "not judged"]}
    result = Result("x", groups=[{"name": "g", "runs": ["r"] * runs}], tables={"words": words, "nearest": near})
    (group,) = browser(result, {"words": {"n": "n"}})["groups"]
    first, *others = json.loads(unpacked(group["near"]))
    assert first == [1, "f", 61, kept[0], 2, "n", None, kept[1]]
    assert others == [[], []]
