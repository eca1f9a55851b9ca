"""The command: a page, tables, and one line for what is wrong."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.runs.runset import write_runset
from gpustab.studies.change.options import PERIODS_BY
from tests.studies.change.planted import runset


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    write_runset(runset(epochs=3, runs=3, v=60, moved=(3,), samplings=("shuffled", "bootstrap")), folder / "set")
    return folder


def call(place, line, monkeypatch):
    monkeypatch.chdir(place)
    return CliRunner().invoke(app, f"study change {line}".split())


def test_a_page_is_written(place, monkeypatch):
    result = call(place, "set -w w3 --min-count 100 -o out -q", monkeypatch)
    assert result.exit_code == 0, result.output
    page = (place / "out" / "report.html").read_text()
    for part in ("How far did words move", "Which words moved most?", "What did “w3” stand beside?", "Do rarer words"):
        assert part in page
    content = json.loads((place / "out" / "summary.json").read_text())
    assert content["schema"] == "gpustab.change/1"
    assert content["verdict"]
    assert (place / "out" / "words.parquet").is_file()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("set -w nowhere", "in no period"),
        ("none", "none: there is no such file; wanted is a run set by periods, which this trains: gpustab train"),
        ("set/none*.txt", "wanted is a run set by periods"),
        ("sotu", "sotu: is a corpus, no run set; wanted is a run set by periods"),
        ("set --min-count 0", "--min-count"),
        ("set -w ,", "--words , names no word"),
        ("set/sgns/shuffled/epoch=1800-1819", "wanted two or more: give the whole run set, or train one: gpustab"),
    ],
)
def test_wrong_input_is_one_line(place, monkeypatch, line, said):
    result = call(place, line, monkeypatch)
    assert result.exit_code != 0
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_two_samplings_are_told_how_to_train_periods_which_trains_them(tmp_path, monkeypatch):
    texts = ("year,text\n" + "".join(f"{1850 + k},{' '.join(natural(k))}\n" for k in range(0, 100, 4))).encode()
    (tmp_path / "texts.csv").write_bytes(texts)
    monkeypatch.chdir(tmp_path)
    line = PERIODS_BY.removeprefix("gpustab ").replace("FILE", "texts.csv")
    less = "--technique lsa --sampling shuffled --runs 2 --min-count 1 --as-is -q"
    trained = CliRunner().invoke(app, f"{line} {less}".split())
    assert trained.exit_code == 0, trained.output
    changed = call(tmp_path, "RUNSET --min-count 1 -o out -q", monkeypatch)
    assert changed.exit_code == 0, changed.output


def natural(seed):
    """Sixty words, the frequent ones often."""
    return [f"{chr(97 + k // 10)}{chr(97 + k % 10)}t" for k in np.random.default_rng(seed).zipf(1.5, 60) if k < 60]
