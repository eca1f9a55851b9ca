"""What is wrong with a call is said before anything is loaded that works: in one line, with exit code 2, at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_takes import COMMANDS

ROOT = Path(__file__).parents[2]

WRONG = {
    "train": [
        ("train", "give -o"),
        ("train -o new", "no corpus was given"),
        ("train nowhere -o new", "nowhere: there is no such file, folder or corpus"),
        ("train text.tx -o new", "near it is text.txt"),
        ("train text.txt -o r0.txt", "r0.txt: is a file"),
        ("train text.txt -o r0.txt/below", "r0.txt is a file"),
        ("train text.txt -o new --technique word2vec", "technique 'word2vec' is unknown; near it is sgns"),
        ("train text.txt -o new --sampling shufled", "--sampling is 'shufled'"),
        ("train text.txt -o new --runs 0", "--runs is 0"),
        ("train text.txt -o new --jobs 0", "--jobs is 0"),
        ("train text.txt -o new --min-count 0", "--min-count is 0"),
        ("train text.txt -o new --config nowhere.toml", "nowhere.toml: there is no such file"),
        ("train text.txt -o new --set dim=3", "wanted TECHNIQUE.PARAMETER=VALUE"),
        ("train text.txt -o new --set sngs.dim=3", "near it is sgns"),
        ("train text.txt -o new --set options.lowercse=false", "near it is lowercase"),
        ("train text.txt -o new --control 2", "--control is for periods"),
        ("train text.txt -o new --halves --epochs-by year", "two ways to cut a corpus"),
        ("train text.txt -o new --encoding zip", "--encoding is 'zip'"),
        ("train text.txt -o new --language xx", "--language is 'xx'"),
        ("train text.txt -o new --drop (", "--drop is '('"),
        ("train text.txt -o new --tokenizer word", "--tokenizer is 'word'"),
        ("train text.txt -o new --quiet --verbose", "exclude each other"),
    ],
    "encode": [
        ("encode text.txt -o new", "no model was given"),
        ("encode text.tx -o new -m folder", "near it is text.txt"),
        ("encode text.txt -o new -m nowhere", "nowhere: there is no such folder of a model"),
        ("encode text.txt -m nowhere", "give -o"),
        ("encode text.txt -o new -m taken --items word", "--items is 'word'"),
        ("encode text.txt -o new -m taken --sampling shuffled", "--sampling is 'shuffled'"),
        ("encode text.txt -o new -m taken --items documents --sampling bootstrap", "no draw of documents changes"),
        ("encode text.txt -o new -m taken --items sentences --layer 2", "--layer 2 is for words"),
        ("encode text.txt -o new -m taken --no-centre --directions 2", "centre them too"),
        ("encode text.txt -o new -m taken --directions=-1", "--directions is -1"),
        ("encode text.txt -o new -m taken --device tpu", "--device is 'tpu'"),
    ],
    "stability": [
        ("stability", "no runs were given"),
        ("stability nowhere", "nowhere: there is no such file"),
        ("stability r0.txt", "give at least two"),
        ("stability text.txt", "text.txt: is a text and no file of vectors"),
        ("stability r9.txt", "r9.txt: there is no such file; near it is r"),
        ("stability zebra*.txt", "none fits this pattern"),
        ("stability r0.txt r1.txt --out r0.txt", "r0.txt is a file"),
        ("stability r0.txt r1.txt --out taken", "taken: holds"),
        ("stability r0.txt r1.txt --average a.xyz", "the name must end in"),
        ("stability r0.txt r1.txt --average nowhere/a.txt", "there is no folder nowhere"),
        ("stability r0.txt r1.txt --words nowhere.txt", "nowhere.txt"),
        ("stability r0.txt r1.txt --vocab nowhere.txt", "--vocab: nowhere.txt: there is no such file"),
        ("stability r0.txt r1.txt --metrics ckaa", "'ckaa' is none of"),
        ("stability r0.txt r1.txt --targets 0", "--targets is 0"),
        ("stability r0.txt r1.txt --device tpu", "--device is 'tpu'"),
        ("stability r0.txt r1.txt --device cuda:x", "--device is 'cuda:x'"),
        ("stability r0.txt r1.txt --force", "none is written"),
        ("stability r0.txt r1.txt --figures png", "name --out"),
        ("stability --group a=zebra*.txt", "there is no file zebra*.txt"),
        ("stability --group a=r0.txt", "give at least two"),
        ("stability --group r0.txt", "wanted NAME=FILES"),
    ],
    "neighbours": [
        ("neighbours w1 nowhere", "nowhere: there is no such file"),
        ("neighbours w1 r0.txt", "give at least two"),
        ("neighbours w1 r0.txt r1.txt --top 0", "is 0, wanted"),
        ("neighbours w1 r0.txt r1.txt --device gpu", "--device is 'gpu'"),
        (["neighbours", "", "r0.txt", "r1.txt"], "the word is empty"),
        (["neighbours", " ", "r0.txt", "r1.txt"], "the word is empty"),
        ("neighbours r0.txt r1.txt", "was taken as the word"),
    ],
    "compare": [
        ("compare nowhere set/x/shuffled", "nowhere: there is no such file"),
        ("compare set/x/shuffled a=zebra*.txt", "there is no file zebra*.txt"),
        ("compare a=r0.txt,r1.txt b=r*.txt", "one pattern stands for several files, as in 'a=r*.txt'"),
        ("compare set/x/shuffled r0.txt", "give at least two"),
        ("compare set/x/shuffled set/x/bootstrap --targets 0", "--targets is 0"),
        ("compare set/x/shuffled set/shuffled", "set/shuffled: there is no such file"),
        ("compare set/x/shuffled set/x/shuffled", "would be compared with itself; give two groups"),
        ("compare set/x/shuffled set/../set/x/shuffled/", "would be compared with itself; give two groups"),
        ("compare a=r*.txt b=r*.txt", "b=r*.txt: would be compared with itself; give two groups"),
    ],
    "average": [
        ("average r0.txt r1.txt", "give -o"),
        ("average r0.txt -o a.txt", "give at least two"),
        ("average r0.txt nowhere -o a.txt", "nowhere: there is no such file"),
        ("average r0.txt r1.txt -o a.xyz", "the name must end in"),
        ("average r0.txt r1.txt -o r0.txt", "is one of the runs"),
        ("average r0.txt r1.txt -o r2.txt", "is there already"),
    ],
    "info": [
        ("info nowhere", "nowhere: there is no such file"),
        ("info r0.txt --limit 0", "--limit is 0"),
        ("info r0.txt --out r1.txt", "r1.txt is a file"),
    ],
    "sweep": [
        ("sweep text.txt --vary epochs=1,2", "give -o"),
        ("sweep nowhere --vary epochs=1,2 -o new", "nowhere: there is no such file"),
        ("sweep text.txt --vary epochs -o new", "wanted PARAMETER=VALUE"),
        ("sweep text.txt --vary epochs=1,2 --grid -o new", "one parameter varies"),
        ("sweep text.txt --vary epochs=1,2 --runs 1 -o new", "--runs is 1"),
        ("sweep text.txt --vary epochs=1,2 --technique sgnss -o new", "near it is sgns"),
        ("sweep text.txt --vary epochs=1,2 --set dim=3 -o new", "wanted TECHNIQUE.PARAMETER=VALUE"),
    ],
    "pack": [
        ("pack r0.txt r1.txt", "give -o"),
        ("pack nowhere -o new", "nowhere: there is no such file"),
        ("pack r0.txt -o r1.txt", "r1.txt: is a file"),
        ("pack r0.txt --verify --jobs 2", "--jobs has no effect"),
        ("pack r0.txt r1.txt --verify", "takes one"),
        ("pack r0.txt -o new --dtype float8", "--dtype is 'float8'"),
    ],
    "demo": [
        ("demo --device tpu", "--device is 'tpu'"),
        ("demo --keep r0.txt", "r0.txt: is a file"),
        ("demo --out r0.txt", "r0.txt is a file"),
    ],
    "doctor": [("doctor --out r0.txt", "r0.txt is a file"), ("doctor --out taken", "taken: holds a result")],
    "bench": [
        ("bench --steps gramm", "there is no step 'gramm'; near it is gram"),
        ("bench --device tpu", "--device is 'tpu'"),
        ("bench --backend annoy", "--backend is 'annoy'"),
    ],
    "study instability": [
        ("study instability nowhere", "nowhere: there is no such file"),
        ("study instability r0.txt", "give at least two"),
        ("study instability set --pairs 0", "--pairs is 0"),
        ("study instability set --other w1", "--other w1 wants --word"),
        ("study instability set --out r0.txt", "r0.txt is a file"),
    ],
    "study bootstrap": [
        ("study bootstrap nowhere", "nowhere: there is no such file"),
        ("study bootstrap text.txt", "must be kept: give --out or --runset"),
        ("study bootstrap text.txt text.txt -o new", "give one corpus"),
        ("study bootstrap set --queries nowhere.txt", "--queries: nowhere.txt: there is no such file"),
        ("study bootstrap set --runs 9", "--runs has no effect"),
        ("study bootstrap text.txt -o new --technique lsaa", "near it is lsa"),
        ("study bootstrap set --text nowhere", "--text: nowhere: there is no such file"),
    ],
    "study change": [
        ("study change", "give a run set, or --semeval"),
        ("study change nowhere", "nowhere: there is no such file"),
        ("study change --semeval nowhere", "--semeval: nowhere: there is no such folder"),
        ("study change --semeval folder", "must be kept: give --out"),
        ("study change set --technique sgns", "--technique has no effect"),
        ("study change set --anchors words.txt", "give --align anchors too"),
        ("study change set --rate 2", "--rate is 2"),
    ],
    "study consistency": [
        ("study consistency r0.txt", "no text was given; give --text"),
        ("study consistency", "no background was given"),
        ("study consistency r0.txt --text text.txt --output updated", "did you mean --nonce-output updated?"),
        ("study consistency nowhere --text text.txt", "nowhere: there is no such file"),
        ("study consistency r0.txt --text nowhere", "nowhere: there is no such file"),
        ("study consistency r0.txt --text text.txt --terms nowhere", "--terms: nowhere: there is no such file"),
        ("study consistency r0.txt --text text.txt --general nowhere", "--general: nowhere: there is no such file"),
        ("study consistency r0.txt --text text.txt --grid", "--grid is of Nonce2Vec"),
        (
            "study consistency r0.txt --text text.txt --encoder set,nowhere",
            "--encoder: nowhere: there is no such folder",
        ),
        ("study consistency r0.txt --text text.txt --scores nowhere", "--scores: nowhere: there is no such file"),
        ("study consistency r0.txt --sample-file nowhere", "--sample-file: nowhere: there is no such file"),
    ],
    "study thresholds": [
        ("study thresholds nowhere", "nowhere: there is no such file"),
        ("study thresholds r0.txt --wordnet nowhere", "--wordnet: nowhere: there is no such file"),
        ("study thresholds r0.txt --baseline nowhere", "--baseline: nowhere: there is no such file"),
        ("study thresholds r0.txt --tests simlex99", "near it is simlex999"),
        ("study thresholds r0.txt --confidence 2", "--confidence is 2"),
    ],
    "study calibration": [
        (
            "study calibration",
            "no runs were given, and no models: give a space of words, or encoders by --model FOLDER",
        ),
        ("study calibration -m folder --scores text.txt", "folder: holds no encoder: there is no config.json"),
        ("study calibration nowhere", "nowhere: there is no such file"),
        ("study calibration r0.txt -m set", "not both"),
        ("study calibration -m nowhere --scores text.txt", "nowhere: there is no such folder of a model"),
        ("study calibration -m set", "no scored pairs of sentences were given; give a file by --scores"),
        ("study calibration -m set --scores nowhere", "--scores: nowhere: there is no such file"),
        ("study calibration r0.txt --scores text.txt --wordnet text.txt", "is of wordnets"),
    ],
    "study association": [
        ("study association set", "no word sets were given; give --sets"),
        ("study association set --sets nowhere", "--sets: nowhere: there is no such file"),
        ("study association nowhere --sets words.txt", "nowhere: there is no such file"),
        ("study association set --sets words.txt --seed -1", "--seed is -1"),
    ],
    "study usage": [
        ("study usage text.txt", "no encoder was given"),
        ("study usage text.tx -m folder", "near it is text.txt"),
        ("study usage text.txt -m nowhere --epochs-by year", "nowhere: there is no such folder of a model"),
        ("study usage text.txt -m folder --epochs-by year", "folder: holds no encoder: there is no config.json"),
        ("study usage text.txt -m folder", "which periods? Give --epochs-by"),
        ("study usage text.txt -m folder --epochs-by year -w nowhere", "--words: nowhere: there is no such file"),
        ("study usage text.txt -m folder --epochs-by year --truth-columns a:changed", "--truth-columns has no effect"),
        ("study usage text.txt -m folder --epochs-by year --deals 9", "--deals is 9"),
        ("study usage text.txt -m folder --epochs-by year --most 5", "--most is 5"),
    ],
    "study words": [
        ("study words nowhere", "nowhere: there is no such file"),
        ("study words set --text nowhere", "--text: nowhere: there is no such file"),
        ("study words set --wordnet nowhere", "--wordnet: nowhere: there is no such folder"),
        ("study words set --top 0", "-n is 0"),
    ],
    "study layers": [
        ("study layers text.txt", "wanted two models: gpustab study layers TEXT --model FOLDER --model FOLDER -o DIR"),
        ("study layers text.txt -m folder -m nowhere", "nowhere: there is no such folder of a model"),
        ("study layers text.txt -m folder -m folder", "folder: holds no encoder: there is no config.json"),
        ("study layers nowhere -m folder -m folder", "nowhere: there is no such file"),
        ("study layers text.txt -m folder -m folder --sentences 9", "--sentences is 9"),
        ("study layers text.txt -m folder -m folder --base nowhere", "--base: nowhere: there is no such f"),
    ],
    "study localization": [
        ("study localization nowhere", "nowhere: there is no such file"),
        ("study localization text.txt --model bows", "near it is bow"),
        ("study localization text.txt --model ./nowhere", "--model is './nowhere': there is no such folder"),
        ("study localization text.txt --edits --model ./sett", "there is no such folder; near it is set"),
        ("study localization text.txt --model mean=nowhere", "there is no file 'nowhere'"),
        ("study localization text.txt -m urae --train-on nowhere", "--train-on: nowhere: there is no such file"),
        ("study localization text.txt --wordnet nowhere", "--wordnet: nowhere: there is no such folder"),
        ("study localization text.txt --draws 9", "--draws is 9"),
    ],
}
"""By command: calls, and what is said of each."""

CALLS = [(call, said) for calls in WRONG.values() for call, said in calls]

HEAVY = ("torch", "scipy", "gensim", "sklearn", "pandas", "spacy")

PROGRAM = """
import json, sys
from typer.testing import CliRunner
from gpustab.cli import app
for words in json.loads(sys.argv[1]):
    before = set(sys.modules)
    done = CliRunner().invoke(app, words)
    loaded = [name for name in sys.argv[2].split() if name in sys.modules and name not in before]
    print(json.dumps([done.exit_code, done.stdout, done.stderr, loaded, repr(done.exception)]))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What one process says of all calls, one after the other: what one of them loads counts against it alone."""
    place = tmp_path_factory.mktemp("arguments")
    for name in ("r0.txt", "r1.txt", "r2.txt"):
        (place / name).write_text("2 2\nw1 1 0\nw2 0 1\n")
    (place / "text.txt").write_text("a b c\nb c a\n")
    (place / "words.txt").write_text("w1\n")
    for leaf in ("set/x/shuffled", "set/x/bootstrap", "taken", "folder"):
        (place / leaf).mkdir(parents=True)
    for leaf in ("set/x/shuffled", "set/x/bootstrap"):
        (place / leaf / "run-000.safetensors").touch()
    (place / "set/manifest.json").write_text(json.dumps({"schema": "gpustab.runset/2", "groups": []}))
    (place / "taken/summary.json").write_text("{}")
    calls = json.dumps([call if isinstance(call, list) else call.split() for call, _ in CALLS])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, calls, " ".join(HEAVY)],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in place.iterdir()} == {
        "r0.txt",
        "r1.txt",
        "r2.txt",
        "text.txt",
        "words.txt",
        "set",
        "taken",
        "folder",
    }  # nothing was made
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_command_is_tried():
    assert set(WRONG) == set(COMMANDS)


@pytest.mark.parametrize(("number", "call", "said"), [(n, c, s) for n, (c, s) in enumerate(CALLS)])
def test_a_wrong_argument_is_refused_in_one_line_before_anything_is_loaded(answers, number, call, said):
    code, stdout, stderr, loaded, error = answers[number]
    assert (code, stdout, loaded) == (2, "", []), (stderr, error)
    (line,) = stderr.splitlines()
    assert line.startswith("error: ")
    assert said in line
