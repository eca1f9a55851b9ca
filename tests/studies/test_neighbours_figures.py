from xml.etree import ElementTree

import pytest

from gpustab import load_runs
from gpustab.report import Result
from gpustab.report.describe import draw
from gpustab.report.html import to_html
from gpustab.studies.neighbours.study import neighbours_of
from tests.generators import noisy_copies, runs_of

SPACE = "{http://www.w3.org/2000/svg}"


def panel(result):
    (found,) = draw(result)["lattice"].panels
    return ElementTree.fromstring(found)


@pytest.mark.parametrize("runs", [2, 8, 30])
def test_every_word_and_run_has_a_cell_and_every_word_an_interval(runs):
    result = neighbours_of(runs_of(noisy_copies(runs, 40, 4)), "w1", 5)
    root, rows = panel(result), result.tables["shares"].height
    assert len(root.findall(f"{SPACE}rect")) == min(rows, 40) * runs
    assert len(root.findall(f"{SPACE}circle")) == min(rows, 40)
    places = [title.text for title in root.iter(f"{SPACE}title")]
    assert (rows > 40) or len(places) == runs * 5
    every = sum(hits == runs for hits in result.tables["shares"]["runs"])
    title = draw(result)["lattice"].title
    assert title.startswith(f"In all {runs} runs: " if every else f"In all {runs} runs: no word, of the {rows} ")


def test_a_word_that_no_run_lists_is_not_counted_among_those_that_some_list():
    """Other runs chose it: a row of 0 of 10."""
    shares = {"group": ["g"] * 3, "neighbour": ["a", "b", "c"], "runs": [1, 1, 0], "of": [2] * 3}
    shares |= {"share": [0.5, 0.5, 0.0], "low": [0.1, 0.1, 0.0], "high": [0.9, 0.9, 0.7]}
    lists = {"group": ["g"] * 2, "run": ["r", "s"], "rank": [1, 1], "neighbour": ["a", "b"]}
    found = draw(Result("neighbours", tables={"shares": shares, "lists": lists}))["lattice"]
    assert found.title == "In all 2 runs: no word, of the 2 that some runs list"


def test_a_word_is_text_in_the_figure():
    words = ["<script>", "=cmd()", *(f"w{k}" for k in range(18))]
    runs = load_runs([(words, run.numpy()) for run in noisy_copies(3, 20, 4)])
    page = to_html(neighbours_of(runs, "w1", 19))
    assert "&lt;script&gt;" in page
    assert "<script>" not in page.replace("<script>\n", "", 1)  # the page's own
    assert "Which neighbours of “w1” can you trust?" in page


def test_one_run_is_no_lattice():
    shares = {"neighbour": ["a"], "runs": [1], "of": [1], "share": [1.0], "low": [0.2], "high": [1.0]}
    lists = {"run": ["r"], "rank": [1], "neighbour": ["a"]}
    found = draw(Result("neighbours", tables={"shares": shares, "lists": lists}))["lattice"]
    assert (found.panels, "needs two runs" in found.missing) == ([], True)
