"""The command: a run set, a corpus that is trained first, and one line for what is wrong."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.report.describe import draw
from gpustab.runs.runset import write_runset
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.bootstrap.study import bootstrap
from tests.studies.bootstrap.planted import drawn

FIGURES = {"spread", "jaccard", "ranks", "units", "sizes", "number_of_runs"}


def as_spaces(runs):
    words = Vocabulary(list(runs.vocabulary))
    return [Space(words, rows[0 : runs.words], None, name) for rows, name in zip(runs.rows, runs.names, strict=True)]


WORDS = "the old whale swam cold sea while a ship sailed wide and men saw whale sea the a"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    groups = {"x/shuffled": drawn("x/shuffled", 6, 0.01, seed=1), "x/bootstrap": drawn("x/bootstrap", 6, 0.03, seed=2)}
    write_runset({name: as_spaces(runs) for name, runs in groups.items()}, folder / "set")
    for k in range(12):
        text = " ".join(np.random.default_rng(k).choice(WORDS.split(), 110))
        (folder / "texts").mkdir(exist_ok=True)
        (folder / "texts" / f"{k}.txt").write_text(text + " harpoon" * k)
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def call(place, monkeypatch):
    monkeypatch.chdir(place)
    return lambda line: CliRunner().invoke(app, ["study", "bootstrap", *line.split()])


def test_a_run_set_is_written(call, place):
    result = call("set --query q0,q1,nowhere -o out -q")
    assert result.exit_code == 0, result.output
    page = (place / "out" / "report.html").read_text()
    content = json.loads((place / "out" / "summary.json").read_text())
    assert content["settings"]["query"] == ["q0", "q1", "nowhere"]
    assert any("'nowhere' is in no group; it is left out." in note for note in content["notes"])
    assert "Which neighbours hold in the bootstrap runs of x?" in page
    assert "bootstrap range" in page
    for name in ("neighbours", "lists", "pairs"):
        assert (place / "out" / f"{name}.csv").is_file()


def test_a_corpus_is_trained_first_and_taken_up_again(call, place):
    line = "texts --technique lsa --runs 3 --unit document,sentence --query whale,sea -o trained"
    first = call(f"{line} --json")
    assert first.exit_code == 0, first.output
    content = json.loads(first.stdout)
    assert {group["name"] for group in content["groups"]} == {
        f"lsa/{sampling}{unit}" for sampling in ("fixed", "shuffled", "bootstrap") for unit in ("", "-sentence")
    }
    assert any("--set lsa.dim=6 (12 documents)" in note for note in content["notes"])
    assert call(f"{line} --json --force").exit_code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("set --query nowhere", "no group has any of the query words (nowhere)"),
        ("set", "do not tell their corpus"),
        ("set --query q0 --runs 3", "--runs has no effect"),
        ("set --query q0 --queries none.txt", "--query or --queries, not both"),
        ("set --queries none.txt", "--queries: none.txt: there is no such file"),
        ("texts", "give --out or --runset"),
        ("texts set", "give one corpus"),
        ("texts --fraction 2 -o x", "--fraction is '2.0', wanted numbers above 0 and up to 1"),
        ("texts --technique nosuch -o x", "nosuch"),
        ("empty -o x", "empty"),
        ("none -o x", "none"),
    ],
)
def test_wrong_input_is_one_line(call, line, said):
    result = call(line)
    assert result.exit_code == 2, result.output
    assert said in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


def test_every_figure_is_drawn_where_its_numbers_are():
    groups = [drawn(f"x/{name}", 5, 0.02, seed=k) for k, name in enumerate(("fixed", "shuffled", "bootstrap"))]
    groups += [drawn("x/bootstrap-sentence", 5, 0.01, seed=7), drawn("x/bootstrap-document-0.2", 5, 0.05, seed=8)]
    pictures = draw(bootstrap(groups, query=("q0", "q1", "q2")))
    assert set(pictures) == FIGURES
    assert all(picture.panels and picture.title and picture.caption for picture in pictures.values())


def test_figures_without_numbers_are_left_out():
    pictures = draw(bootstrap(drawn("x/fixed", 2, 0.02), query=("q0",)))
    assert not pictures["units"].panels
    assert not pictures["sizes"].panels
    assert not pictures["spread"].panels  # one group is nothing to compare


def test_words_that_are_markup_stay_text(tmp_path):
    runs = drawn("x/bootstrap", 5, 0.02, queries=1)
    words = [b"<script>alert(1)</script>" if word == b"w0" else word for word in runs.vocabulary]
    runs = replace(runs, vocabulary=Vocabulary(words))
    bootstrap(runs, query=("q0",)).write(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_the_way_on_from_a_doubt_is_that_of_train(call, place):
    (place / "marked").mkdir()
    for k in range(3):
        words = np.random.default_rng(k).choice(WORDS.split(), 200)
        (place / "marked" / f"{k}.txt").write_text(" ".join(f"{word}/{word[:2].upper()}" for word in words))
    refused = call("marked --technique lsa --query whale --runs 3 -o marked-out").output.replace("\n", " ")
    assert "these are options of gpustab train: train first, and give the run set" in " ".join(refused.split())
