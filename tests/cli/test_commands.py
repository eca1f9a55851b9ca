import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from gpustab import __version__, load_space
from gpustab.machine.doctor import Check
from tests import oracles
from tests.cli.conftest import one_object
from tests.generators import noisy_copies, runs_of

ROOT = Path(__file__).parents[2]


def child(folder, command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "gpustab", *command.split()],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", **environment},
        timeout=120,
        check=False,
    )


def test_stability_prints_the_numbers_and_nothing_on_stderr(call):
    done = call("stability r0.txt r1.txt r2.txt")
    assert done.exit_code == 0
    assert done.stderr == ""
    for part in ("reduced PIP loss", "chance level", "mean cosine", "by chance", "which words are stable?"):
        assert part in done.stdout
    assert done.stdout.index("reduced PIP loss") < done.stdout.index("which words are stable?")


def test_json_is_one_object_with_the_same_numbers_as_the_naive_ones(place, call):
    done = call("stability r0.txt r1.txt r2.txt --json --neighbours 5,2")
    content = one_object(done.stdout)
    assert content["schema"] == "gpustab.stability/1"
    (group,) = content["groups"]
    assert group["runs"] == ["r0", "r1", "r2"]
    stack = [oracles.unit(load_space(place / f"r{r}.txt").vectors) for r in range(3)]
    losses = [oracles.reduced_pip(stack[i], stack[j]) for i, j in oracles.pairs(3)]
    assert group["pip"]["reduced"]["mean"] == pytest.approx(np.mean(losses))
    assert list(group["neighbours"]) == ["2", "5"]
    assert done.stderr == ""


def test_json_stays_alone_on_stdout_when_there_are_warnings(place):
    text = (place / "r0.txt").read_text()
    (place / "twice.txt").write_text(text.replace("w1 ", "w2 ", 1))
    done = child(place, "stability twice.txt r1.txt --json --verbose --average a.txt")
    assert done.returncode == 0
    content = one_object(done.stdout.decode())
    assert content["groups"][0]["vocabulary"]["joint"] == 29
    assert any("twice" in note and "'w2'" in note for note in content["notes"])
    assert b"wrote a.txt" in done.stderr


def test_a_run_set_is_measured_group_by_group_with_its_contrast(call):
    content = one_object(call("stability set --json --neighbours 5").stdout)
    assert sorted(group["name"] for group in content["groups"]) == ["x/bootstrap", "x/shuffled"]
    assert [contrast["name"] for contrast in content["contrasts"]] == ["extrinsic"]
    page = call("stability set --neighbours 5 --verbose").stdout
    assert "x/bootstrap beside x/shuffled" in page
    assert "few to say whether documents matter" in " ".join(page.split())


def test_out_holds_summary_tables_and_page(place, call):
    done = call("stability r0.txt r1.txt r2.txt --json --out new/deeper")
    folder = place / "new" / "deeper"
    names = {path.name for path in folder.iterdir() if path.suffix != ".svg"}
    tables = {f"{name}.{suffix}" for name in ("pairs", "words", "nearest") for suffix in ("parquet", "csv")}
    assert names == {"summary.json", "report.html", *tables}
    assert (folder / "summary.json").read_text() == done.stdout
    assert len(pd.read_parquet(folder / "words.parquet")) == 30
    assert "<html" in (folder / "report.html").read_text()


@pytest.mark.parametrize("name", ["a.txt", "a.vec", "a.txt.gz", "a.safetensors"])
def test_the_average_can_be_read_again(call, name):
    assert call(f"average r0.txt r1.txt -o {name}").exit_code == 0
    runs = [oracles.unit(load_space(f"r{r}.txt").vectors) for r in (0, 1)]
    average = load_space(name)
    np.testing.assert_allclose(average.vectors, oracles.aligned_average(*runs), atol=1e-6)
    assert average.vocabulary == load_space("r0.txt").vocabulary


def test_stability_writes_the_average_as_average_does(place, call):
    call("stability r0.txt r1.txt r2.txt --average a.txt")
    call("average r0.txt r1.txt r2.txt -o b.txt")
    assert (place / "a.txt").read_bytes() == (place / "b.txt").read_bytes()


def test_average_tells_the_loss_between_averages(call):
    done = call("average set/x/shuffled -o a.vec --json")
    content = one_object(done.stdout)
    assert content["schema"] == "gpustab.average/1"
    assert content["groups"][0]["runs"] == 3
    assert content["settings"]["renormalise"] is False
    assert "What is the average for?" in call("average set/x/shuffled -o b.vec").stdout


def test_average_tells_what_it_wrote(call):
    done = call("average r0.txt r1.txt -o average.vec")
    assert "average.vec" in done.stdout + done.stderr


def test_words_file_may_have_a_mark_and_carriage_returns(call):
    content = one_object(call("stability r0.txt r1.txt --words words.txt --json").stdout)
    assert content["settings"]["words"] == ["w1", "w2"]
    assert content["groups"][0]["targets"] == {"words": 30, "missing": 0}


def test_targets_and_seed_reach_the_study(call):
    def measure(options):
        return one_object(call(f"stability r0.txt r1.txt --neighbours 5 --json {options}").stdout)

    drawn = measure("--targets 7 --seed 3")
    assert drawn["settings"]["seed"] == 3
    assert drawn["groups"][0]["targets"]["words"] == 7
    assert measure("--targets all")["groups"] == measure("--seed 1")["groups"] != drawn["groups"]


def test_neighbours_of_a_word_side_by_side(call):
    done = call("neighbours w3 r0.txt r1.txt r2.txt -n 4")
    assert done.exit_code == 0
    assert done.stdout.startswith("Three runs are too few to judge the four nearest words of “w3”")
    assert "The 4 nearest neighbours of “w3” in 3 runs" in done.stdout
    assert all(name in done.stdout for name in ("verdict", "place", "ahead", "95 %"))
    content = one_object(call("neighbours w3 r0.txt r1.txt r2.txt --json").stdout)
    assert content["schema"] == "gpustab.neighbours/1"
    assert content["groups"][0]["word"] == "w3"
    assert content["groups"][0]["n"] == 10


def test_nan_rows_can_be_dropped(call):
    content = one_object(call("stability nan.txt r1.txt --drop-nonfinite --json").stdout)
    assert content["groups"][0]["vocabulary"]["joint"] == 29


def test_limit_union_and_centring_reach_the_loader(call):
    limited = one_object(call("stability r0.txt r1.txt --limit 12 --center --json").stdout)
    assert limited["groups"][0]["vocabulary"]["joint"] == 12
    assert limited["settings"]["loading"]["centre"] is True
    union = one_object(call("stability r0.txt r1.txt r2.txt --vocabulary union --min-runs 1 --json").stdout)
    assert union["settings"]["loading"]["vocabulary"] == union["groups"][0]["vocabulary"]["rule"] == "union"


def test_settings_hold_the_options_of_the_loader(call):
    settings = one_object(call("stability r0.txt r1.txt --limit 12 --json").stdout)["settings"]
    assert "limit" in json.dumps(settings)


def test_a_terminal_of_60_columns_without_colours(place):
    done = child(place, "neighbours w3 r0.txt r1.txt", FORCE_COLOR="1", NO_COLOR="1", COLUMNS="60")
    assert done.returncode == 0
    styles = re.compile(r"\x1b\[([\d;]+)m")
    page = done.stdout.decode()
    assert set(styles.findall(page)) == {"0", "1", "2", "1;2"}  # plain, bold and dim
    assert max(map(len, styles.sub("", page).splitlines())) <= 60


def test_an_error_of_a_child_process_is_one_line(tmp_path):
    done = child(tmp_path, "stability missing-1.txt missing-2.txt")
    assert done.returncode == 2
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("error: ")
    assert "missing-1.txt" in line


def test_doctor_shows_remedies_and_fails_with_what_fails(call, monkeypatch):
    checks = [Check("one", "ok", "fine"), Check("two", "warn", "[so] so", "pip install 'x[y]'", "two things")]
    monkeypatch.setattr("gpustab.machine.doctor.diagnose", lambda: checks)
    done = call("doctor")
    assert done.exit_code == 0
    assert "[so] so" in done.stdout
    assert "→ pip install 'x[y]'" in done.stdout
    checks.append(Check("three", "fail", "broken"))
    assert call("doctor").exit_code == 1
    found = json.loads(call("doctor --json").stdout)["checks"]
    assert found[0] == {"name": "one", "status": "ok", "detail": "fine", "remedy": "", "blocks": ""}
    two = {"name": "two", "status": "warn", "detail": "[so] so", "remedy": "pip install 'x[y]'", "blocks": "two things"}
    assert found[1] == two


def test_version_and_bare_call(call):
    assert call("--version").stdout == f"gpustab {__version__}\n"
    done = call("--help")
    assert done.exit_code == 0
    assert all(command in done.stdout for command in ("stability", "average", "neighbours", "demo", "doctor"))


@pytest.mark.parametrize("command", ["stability", "average", "neighbours", "train", "demo", "doctor"])
def test_every_command_has_help(call, command):
    for option in ("--help", "-h"):
        done = call(f"{command} {option}")
        page = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)  # some environments force colours
        assert done.exit_code == 0
        assert "Usage" in done.stdout
        assert done.stderr == ""
    if command != "doctor":
        assert all(option in page for option in ("--json", "--out"))
    if command not in {"doctor", "train"}:
        assert "--device" not in page
        assert "--device" in call(f"{command} --help-all").stdout


@pytest.mark.slow
def test_training_prints_the_engine_that_it_takes(place):
    (place / "text.txt").write_text("a b c a b\nb c a c\n")
    command = "train text.txt -o made --runs 1 --min-count 1 --dim 2 --epochs 1 --sampling fixed --engine"
    done = child(place, f"{command} gensim --json --verbose")
    assert done.returncode == 0, done.stderr
    settings = one_object(done.stdout.decode())["settings"]
    assert settings["engine"] == "gensim"
    for line in ('engine = "gensim"', "spread = 1.0"):
        assert line in done.stderr.decode().splitlines()
    auto = child(place, f"{command} auto -v", CUDA_VISIBLE_DEVICES="").stderr.decode()
    assert "engine auto is gensim: there is no CUDA device here" in " ".join(auto.split())


def test_train_warns_of_few_runs_and_ends_with_the_next_step(call, place):
    (place / "texts").mkdir()
    for name, text in (("a", "a b c a b"), ("b", "b c a c"), ("c", "\n")):
        (place / "texts" / f"{name}.txt").write_text(text)
    command = "train texts -o made --min-count 1 --dim 2 --epochs 1 --sampling fixed,bootstrap --engine gensim"
    one = " ".join(call(f"{command} --runs 1").stderr.split())
    assert "1 run of each kind: gpustab stability needs 2 and gpustab neighbours judges no word by fewer than 5" in one
    assert "texts: 1 without a word, no documents: c.txt" in one
    assert one.endswith("made is ready: 2 runs of 2 documents, 9 running words")
    done = call(f"{command} --runs 5")
    assert "of each kind" not in done.stderr
    assert done.stderr.splitlines()[-2:] == [
        "made is ready: 10 runs of 2 documents, 9 running words",
        "next: gpustab stability made --out report",
    ]
    assert "judges no word" not in call(f"{command} --runs 1").stderr  # five are there
    assert "left out: 1 empty file" in " ".join(done.stdout.split())
    assert "ready" not in call(f"{command} --runs 5 --json").stderr + call(f"{command} --runs 5 -q").stderr


def test_many_files_are_no_corpus_but_their_folder_is(call):
    done = call("train r0.txt r1.txt r2.txt -o made")
    assert done.exit_code == 2
    assert "3 files are given, and the corpus is one: give the folder that holds them" in " ".join(
        done.stderr.replace("│", "").split()
    )
    assert "unexpected extra argument" in call("train r0.txt zebra -o made").stderr


def test_a_table_is_trained_by_its_column(call, place):
    (place / "text.tsv").write_text("id\tyear\tbody\n1\t1990\tA#1 b A#1 b\n2\t1991\tb A#1 c c\n")
    command = (
        "train text.tsv -o made --runs 1 --min-count 2 --dim 2 --epochs 1 --sampling shuffled --engine gensim --json"
    )
    done = call(f"{command} --column body --id-column id --tokenizer whitespace")
    assert done.exit_code == 0, done.stderr
    content = one_object(done.stdout)
    assert content["settings"]["options"]["column"] == "body"
    assert content["tables"]["groups"]["words"] == ["3"]
    assert any("text.tsv: read as a table; every record is a document" in note for note in content["notes"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "say --layout lines (5 documents, 1 of them empty), --layout blocks"),
        (
            "--layout files",
            "one document is nothing to draw from; give more, or --unit sentence or --sampling fixed and no other",
        ),
        ("--layout sheets", "--layout is 'sheets', wanted 'lines' or 'blocks' or"),
        ("--column text", "--column text is for tables and JSON lines"),
        ("--language xx", "--language is 'xx', wanted a code of ISO 639-1"),
        ("--set options.language=xx", "--language is 'xx', wanted a code of ISO 639-1"),
        ("--tokenizer word", "--tokenizer is 'word', wanted 'words' or 'whitespace'"),
        ("--encoding zip", "--encoding is 'zip', wanted 'auto' or a codec"),
        ("--format jsonl", "text.txt: line 1: this is not JSON"),
    ],
)
def test_a_corpus_that_cannot_be_read_as_told_ends_with_2(call, place, options, message):
    (place / "text.txt").write_text("a b c.\nd e f.\n\nb c.\na.\n")
    done = call(f"train text.txt -o made -q --min-count 1 {options}".strip())
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert not (place / "made").exists()


def test_a_single_document_may_be_trained_as_it_is(call, place):
    (place / "text.txt").write_text("a b c a b\n")
    command = "train text.txt -o made -q --runs 1 --min-count 1 --dim 2 --epochs 1 --engine gensim --json --sampling"
    assert call(f"{command} fixed").exit_code == 0
    assert call(f"{command} fixed,shuffled").exit_code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--engine cuda", "--engine is 'cuda', wanted 'auto' or 'gpu' or 'gensim'"),
        ("--engine gpu", "engine gpu cannot be used: there is no CUDA device here"),
        ("--engine gpu --technique glove", "it trains sgns and cbow, not glove"),
        ("--engine gpu --dim 600", "dim is 600, wanted 1 to 512"),
        ("--engine gpu --set sgns.hierarchical_softmax=true --set sgns.negative=0", "hierarchical_softmax is not"),
    ],
)
def test_an_engine_that_cannot_be_had_ends_with_2(call, place, monkeypatch, options, message):
    monkeypatch.setattr("gpustab.training.engines.choose_device", lambda: torch.device("cpu"))
    (place / "text.txt").write_text("a b c a b\nb c a c\n")
    done = call(f"train text.txt -o made {options}")
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert not (place / "made").exists()


def test_demo_measures_what_was_trained(call, monkeypatch):
    monkeypatch.setattr("gpustab.demo.train_demo_runs", lambda *_: [runs_of(noisy_copies(3, 20, 4))])
    content = one_object(call("demo --json --keep kept").stdout)
    assert content["schema"] == "gpustab.stability/1"
    same = "gpustab train lee -o kept --runs 5 --min-count 5 --epochs 30 --jobs 2 && gpustab stability kept"
    (note,) = (note for note in content["notes"] if note.startswith(f"The same by hand: {same} ; next, a FOLDER"))
    assert note.endswith(": gpustab train FOLDER -o RUNS && gpustab stability RUNS --out REPORT")


def test_a_terminal_of_few_characters_is_no_failure(place):
    program = """
import sys
from gpustab.__main__ import run
for options in ([], ["--json"]):
    sys.argv[1:] = ["stability", "r0.txt", "r1.txt", *options]
    try:
        run()
    except SystemExit as end:
        assert not end.code
        print("ended well")
"""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], cwd=place, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"ended well") == 2


def test_groups_of_files_are_measured_beside_each_other(call):
    done = call("stability --group a=r0.txt --group a=r1.txt --group b=r[12].txt --json --neighbours 5")
    first, second = one_object(done.stdout)["groups"]
    assert (first["name"], first["runs"]) == ("a", ["r0", "r1"])
    assert (second["name"], second["runs"]) == ("b", ["r1", "r2"])
    alone = one_object(call("stability r0.txt r1.txt --json --neighbours 5").stdout)["groups"][0]
    assert alone["pip"] == first["pip"]


def test_groups_that_are_named_as_samplings_are_contrasted(call):
    text = "stability --group x/shuffled=r*.txt --group x/bootstrap=set/x/bootstrap --json --neighbours 5"
    (contrast,) = one_object(call(text).stdout)["contrasts"]
    assert contrast["groups"] == ["x/shuffled", "x/bootstrap"]


def test_every_group_of_a_run_set_has_its_neighbours_and_its_average(call, place):
    content = one_object(call("neighbours w1 set --json").stdout)
    assert [group["name"] for group in content["groups"]] == ["x/bootstrap", "x/shuffled"]
    assert {group["chosen_by"] for group in content["groups"]} == {"x/shuffled"}
    content = one_object(call("average set -o all.txt --json").stdout)
    written = [group["written"] for group in content["groups"]]
    assert written == ["all.x-bootstrap.txt", "all.x-shuffled.txt"]
    call("average set/x/bootstrap -o one.txt")
    assert (place / "one.txt").read_bytes() == (place / written[0]).read_bytes()


def test_two_groups_are_compared(call):
    done = call("compare set/x/shuffled set/x/bootstrap")
    assert done.exit_code == 0
    assert "Which is more stable, over 30 common words?" in done.stdout
    content = one_object(call("compare a=r*.txt set/x/bootstrap --json -n 5").stdout)
    assert content["schema"] == "gpustab.compare/1"
    assert [group["name"] for group in content["groups"]] == ["a", "x/bootstrap"]
    assert content["contrasts"][0]["name"] == "p@5"
