"""The command: one space or a run set, JSON, and one line for what is wrong."""

import json

import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.formats.writers import write_space
from gpustab.runs.runset import write_runset
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from tests.studies.thresholds.conftest import space

QUICK = "--min-pairs 20 --draws 3 -q"


@pytest.fixture(scope="module")
def place(wordnet, tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    spaces = [Space(Vocabulary(names), x) for names, x in (space(wordnet, seed) for seed in range(2))]
    write_space(spaces[0], folder / "one.txt")
    write_space(spaces[1], folder / "two.txt")
    write_runset({"near/shuffled": spaces}, folder / "set")
    (folder / "bad").mkdir()
    (folder / "page.html").write_text("<html><body>404</body></html>\n")
    return folder


@pytest.fixture
def call(place, wordnet, monkeypatch):
    monkeypatch.chdir(place)
    return lambda line: CliRunner().invoke(app, f"study thresholds {line}".format(wordnet=wordnet[0]).split())


def test_one_space_prints_one_json_object(call):
    result = call(f"one.txt --wordnet {{wordnet}} --json {QUICK}")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["schema"] == "gpustab.thresholds/1"
    assert len(content["groups"][0]["runs"]) == 1
    assert content["settings"]["confidence"] == 0.99


def test_a_run_set_is_written(call, place):
    result = call(f"set --wordnet {{wordnet}} --senses first --exact -o out {QUICK}")
    assert result.exit_code == 0, result.output
    assert (place / "out" / "report.html").is_file()
    content = json.loads((place / "out" / "summary.json").read_text())
    assert content["settings"]["senses"] == "first"
    assert content["settings"]["morphy"] is False


def test_spaces_of_different_kinds_have_names(call):
    result = call(f"--group a=one.txt --group b=two.txt --wordnet {{wordnet}} --json {QUICK}")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert [group["name"] for group in content["groups"]] == ["a", "b"]
    for name in ("a", "b"):  # so few words prove it far up only, and such thresholds are not compared
        assert sum(said.startswith(f"{name}: two words with a cosine above") for said in content["verdict"]) == 1
    assert not any("too few to say" in said for said in content["verdict"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("one.txt --wordnet bad", "there is no data.noun"),
        ("one.txt --wordnet {wordnet} --confidence 1.5", "--confidence is 1.5"),
        ("one.txt --wordnet {wordnet} --exclude none.txt", "none.txt"),
        ("one.txt --baseline page.html", "page.html"),
        ("one.txt --wordnet {wordnet} --tests none", "--tests none: there is no such folder"),
        ("none.txt --wordnet {wordnet}", "none.txt"),
        ("--wordnet {wordnet}", "no runs were given"),
        ("--group one.txt --wordnet {wordnet}", "--group"),
        ("bad --wordnet {wordnet}", "bad"),
    ],
)
def test_what_is_wrong_is_one_line(call, line, said):
    result = call(line)
    assert result.exit_code == 2
    assert said in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.output


def test_what_was_finished_is_removed_with_the_result(call, place, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    line = f"set --wordnet {{wordnet}} -o later {QUICK}"
    with monkeypatch.context() as patched:
        patched.setattr("gpustab.studies.thresholds.study.compare", interrupted)
        result = call(line)
    assert result.exit_code == 130
    assert "the same call goes on from there" in result.stderr
    assert len(list((place / "later" / ".finished").iterdir())) == 2
    assert call(line).exit_code == 0
    assert not (place / "later" / ".finished").exists()
    assert (place / "later" / "summary.json").is_file()
