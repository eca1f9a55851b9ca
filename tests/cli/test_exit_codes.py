import os
from unittest.mock import Mock

import pytest

from gpustab import engine
from gpustab.errors import ComputationError
from gpustab.installing import install

TWO = "stability r0.txt r1.txt"


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def assert_one_line(done, code, part):
    """Exactly one line on stderr that names the place, nothing on stdout."""
    assert done.exit_code == code, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: " if code == 2 else "failed: ")
    assert part in line
    assert "Traceback" not in line


def test_names_of_files_stay_as_they_are_and_options_are_named_as_typed(place, call):
    """A file may be called like an option; only what the error knows to be one is spelled as it is typed."""
    assert_one_line(call("stability r0.txt w2v_dim=300_allow_truncated.txt"), 2, "w2v_dim=300_allow_truncated.txt")
    (place / "drop_nonfinite.txt").write_text((place / "nan.txt").read_text())
    done = call("stability r0.txt drop_nonfinite.txt")
    assert_one_line(done, 2, "drop_nonfinite.txt: ")
    assert "--drop-nonfinite leaves such words out" in done.stderr


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("stability r0.txt missing.txt", "missing.txt"),
        ("stability r0.txt", "at least two"),
        ("stability r0.txt other.txt", "no word in common"),
        ("stability r0.txt page.txt", "page.txt"),
        ("stability r0.txt empty.txt", "empty.txt"),
        ("stability r0.txt nan.txt", "nan.txt"),
        ("stability folder", "folder"),
        (f"{TWO} --neighbours 1,x", "--neighbours is '1,x'"),
        (f"{TWO} --neighbours 0", "--neighbours is '0'"),
        (f"{TWO} --neighbours 5,", "--neighbours is '5,'"),
        (f"{TWO} --targets many", "--targets is 'many'"),
        (f"{TWO} --targets 0", "--targets is 0, wanted 'all' or a whole number"),
        (f"{TWO} --targets -3", "--targets is -3"),
        (f"{TWO} --words missing.txt", "missing.txt"),
        (f"{TWO} --words empty.txt", "empty.txt"),
        (f"{TWO} --words folder", "folder"),
        (f"{TWO} --words other.txt", "30 4"),
        (f"{TWO} --device tpu", "'tpu'"),
        (f"{TWO} --device cuda:99", "'cuda:99'"),
        (f"{TWO} --device meta", "'meta'"),
        (f"{TWO} --vocabulary union --min-runs 3", "--min-runs is 3"),
        (f"{TWO} --dim 7", "r0.txt"),
        (f"{TWO} --out r0.txt", "r0.txt"),
        (f"{TWO} --out r0.txt/deeper", "r0.txt"),
        (f"{TWO} --average a.xyz", "a.xyz"),
        (f"{TWO} --average missing/a.txt", "missing"),
        ("stability set --average a.txt", "x/shuffled"),
        ("average r0.txt r1.txt -o a.xyz", "a.xyz"),
        ("average r0.txt r1.txt -o missing/a.txt", "missing"),
        ("average r0.txt r1.txt -o r2.txt/a.txt", "r2.txt"),
        ("compare set set/x/shuffled", "2 groups"),
        ("compare a=zebra*.txt b=r*.txt", "there is no file zebra*.txt"),
        ("compare set/x/shuffled other.txt", "at least two"),
        ("average r0.txt -o a.txt", "at least two"),
        ("neighbours zebra r0.txt r1.txt", "zebra"),
        ("neighbours war king set", "'war' and 'king' are given as words: one word at a time"),
        ("neighbours w1 sett", "sett: there is no such file; near it is set"),
        ("stability --group a=zebra*.txt", "there is no file zebra*.txt"),
        ("stability --group r0.txt", "wanted NAME=FILES"),
        ("stability --group a=set", "--group a: is 2 groups"),
        ("stability --group a=r0.txt", "at least two"),
        ("neighbours w1 r0.txt", "at least two"),
    ],
)
def test_bad_input_ends_with_2_one_line_and_nothing_written(place, call, command, part):
    before = contents(place)
    assert_one_line(call(command), 2, part)
    assert_one_line(call(f"{command} --json"), 2, part)
    assert contents(place) == before


@pytest.mark.parametrize(
    "command",
    ["stability", "average r0.txt r1.txt", "neighbours w1 r0.txt r1.txt -n 0", f"{TWO} --precision fp8", f"{TWO} --no"],
)
def test_bad_usage_ends_with_2(call, command):
    done = call(command)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everywhere")
def test_what_may_not_be_read_ends_with_2(place, call):
    (place / "r0.txt").chmod(0)
    assert_one_line(call(TWO), 2, "r0.txt")
    (place / "set").chmod(0)
    assert_one_line(call("stability set"), 2, "set")
    (place / "set").chmod(0o700)


@pytest.mark.parametrize("error", [ComputationError("no\nroom"), MemoryError("no room"), OSError("no room")])
def test_work_that_fails_ends_with_1(place, call, monkeypatch, error):
    monkeypatch.setattr(engine, "wordwise_pass", Mock(side_effect=error))
    before = contents(place)
    assert_one_line(call(f"{TWO} --out new --average a.txt"), 1, "no room")
    assert contents(place) == before


def test_an_average_that_fails_leaves_no_file(place, call, monkeypatch):
    before = contents(place)
    monkeypatch.setattr(engine, "average_levels", Mock(side_effect=ComputationError("no convergence")))
    assert_one_line(call("average r0.txt r1.txt -o a.txt"), 1, "no convergence")
    assert contents(place) == before


def test_a_full_disk_ends_with_1(call, monkeypatch):
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("gpustab.report.files.write_files", Mock(side_effect=full))
    done = call(f"{TWO} --out new")
    assert done.exit_code == 1
    assert done.stderr == "failed: No space left on device\n"
    assert "reduced PIP loss" in done.stdout  # what cannot be written is at least to be seen


@pytest.mark.parametrize("command", ["stability set --average a.txt", f"{TWO} --average folder.txt"])
def test_an_impossible_average_is_refused_before_the_work(place, call, monkeypatch, command):
    (place / "folder.txt").mkdir()
    study = Mock()
    monkeypatch.setattr("gpustab.studies.stability.study.stability", study)
    assert call(command).exit_code == 2
    study.assert_not_called()


def test_the_average_does_not_replace_a_run(place, call):
    before = contents(place)
    assert call("average r0.txt r1.txt -o r0.txt").exit_code == 2
    assert contents(place) == before


def test_one_missing_target_is_said_in_good_english(place, call):
    (place / "words.txt").write_text("w1\nzebra\n")
    assert "1 target words" not in call(f"{TWO} --words words.txt").stderr


@pytest.mark.parametrize("command", ["train lee -o set", "demo"])
def test_training_without_its_packages_tells_how_to_get_them(call, monkeypatch, command):
    monkeypatch.setattr("gpustab.cli.session.find_spec", lambda name: None if name == "gensim" else name)
    done = call(command)
    assert done.exit_code == 2
    assert f"training needs gensim: {install('train')}" in done.stderr


def test_a_command_that_shares_no_work_is_not_started_twice(call, monkeypatch):
    for name in ("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    done = call("info r0.txt")
    assert done.exit_code == 2
    assert done.stderr.startswith("process 1, error: torchrun starts several processes")
