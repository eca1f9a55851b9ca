"""What is damaged, deep, cut or shared is refused in one line, and what that line advises mends it."""

import json
import os
import sys

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors
from typer.testing import CliRunner

import gpustab.__main__
from gpustab import InputError, Space, Vocabulary, load_runs, load_space
from gpustab.cli import app
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.binary import fasttext, npy
from gpustab.formats.binary.safetensors import open_rows
from gpustab.formats.rows import RowTable
from gpustab.runs.lock import alone
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import open_runset, write_runset
from tests.faults.fuzz import DEEP
from tests.faults.scenarios import FIXED, TRAIN, make_inputs
from tests.formats import binary_files
from tests.generators import spaces


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda command: CliRunner().invoke(app, command.split(), catch_exceptions=False)


def flip(path, *places):
    content = bytearray(path.read_bytes())
    for place in places:
        content[int(place * len(content))] ^= 1
    path.write_bytes(content)


def test_flipped_bits_are_refused_and_what_the_refusal_advises_mends_them(call, tmp_path):
    make_inputs(tmp_path)
    train = TRAIN.format("set", 2)
    assert call(train).exit_code == 0
    run = tmp_path / FIXED / "run-001.safetensors"
    whole = run.read_bytes()
    flip(run, 0.5, 0.9)
    done = call(f"stability {FIXED} -q")
    assert done.exit_code == 2
    assert f"{FIXED}/run-001.safetensors: is not what was written" in done.stderr
    assert "remove it, and the call that made it makes it again" in done.stderr
    assert call("info set --verify -q").exit_code == 1
    assert call("pack set -o packed -q").exit_code == 2
    run.unlink()
    assert call(train).exit_code == 0
    assert without_seconds(run.read_bytes()) == without_seconds(whole)
    assert call("info set --verify -q").exit_code == 0
    assert call(f"stability {FIXED} -q").exit_code == 0


def without_seconds(content):
    """A run's tensors: the seconds that its training took stand in its head."""
    return content[8 + int.from_bytes(content[:8], "little") :]


@pytest.mark.parametrize("part", ["vectors", "words", "offsets", "counts", "seed"])
def test_a_flipped_bit_is_seen_wherever_it_is(tmp_path, part):
    space = spaces(1, 20, 4)[0]
    space = Space(space.vocabulary, space.vectors, torch.arange(20), "x", {"seed": 12345}, torch.tensor([3, 1]))
    write_runset({"a/x": [space] * 2}, tmp_path)
    path = tmp_path / "a/x/run-000.safetensors"
    content = path.read_bytes()
    head = 8 + int.from_bytes(content[:8], "little")
    start = content.index(b"12345") if part == "seed" else head + json.loads(content[8:head])[part]["data_offsets"][0]
    flip(path, (start + 0.5) / len(content))
    with pytest.raises(InputError, match=r"run-000.safetensors: .*"):
        load_runs(tmp_path / "a/x")


@pytest.mark.parametrize("cut", [0, 5, 0.5, -1])
def test_training_on_a_cut_run_names_the_way_on(call, tmp_path, cut):
    make_inputs(tmp_path)
    train = TRAIN.format("set", 2)
    assert call(train).exit_code == 0
    run = tmp_path / FIXED / "run-001.safetensors"
    whole = run.read_bytes()
    run.write_bytes(whole[: int(cut * len(whole)) if isinstance(cut, float) else cut])
    done = call(train)
    assert done.exit_code == 2
    assert f"{FIXED}/run-001.safetensors: " in done.stderr
    assert "remove it, and train again by the same call" in done.stderr
    run.unlink()
    assert call(train).exit_code == 0


def test_a_file_that_is_cut_while_it_is_mapped_is_refused_and_one_that_is_replaced_is_not(tmp_path):
    write_runset({"a/x": spaces(2, 200, 50)}, tmp_path)
    path = tmp_path / "a/x/run-000.safetensors"
    with open_rows(path) as rows:
        first = rows[0:1].clone()
        other = path.with_name("other")
        other.write_bytes(b"short")
        other.replace(path)
        assert torch.equal(rows[0:1], first)  # of the file that was opened
    path = tmp_path / "a/x/run-001.safetensors"
    with open_rows(path) as rows:
        os.truncate(path, 4096)
        for read in (lambda: rows[100:], lambda: rows.take(torch.tensor([150]), torch.empty(1, 50)), rows.check):
            with pytest.raises(InputError, match=r"run-001.safetensors: was cut from 4\d,\d{3} to 4,096 bytes while"):
                read()


@pytest.mark.parametrize("kind", ["fastText", "gensim", "n-grams of gensim", "PyTorch"])
def test_models_that_are_cut_while_they_are_mapped_are_refused(tmp_path, monkeypatch, kind):
    """Without the look, each would end the process by SIGBUS."""
    words, values = ["one", "two"], np.ones((2, 2), np.float32)
    path = cut = tmp_path / "model.bin"
    if kind == "fastText":
        path.write_bytes(binary_files.fasttext([b"one", b"two"], np.ones((20_002, 2), "<f4"), 3, 6, 20_000))
    elif kind == "PyTorch":
        torch.save({"words": [f"w{k}" for k in range(5_000)], "vectors": torch.ones(5_000, 2)}, path)
    elif kind == "gensim":
        vectors = KeyedVectors(2)
        vectors.add_vectors([f"w{k}" for k in range(5_000)], np.ones((5_000, 2), np.float32))
        vectors.save(str(path))
    else:
        vectors = FastTextKeyedVectors(2, 3, 6, 20_000)
        vectors.add_vectors(words, values)
        vectors.vectors_vocab, vectors.vectors_ngrams = values, np.ones((20_000, 2), np.float32)
        vectors.save(str(path), sep_limit=100)
        cut = tmp_path / "model.bin.vectors_ngrams.npy"

    def made(*arguments):
        os.truncate(cut, 4096)
        return RowTable(*arguments)

    for module in (fasttext, npy):
        monkeypatch.setattr(module, "RowTable", made)
    with pytest.raises(InputError, match=rf"{cut.name}: was cut from \d+,\d{{3}} to 4,096 bytes while it was read"):
        load_space(path)


def test_who_comes_second_into_a_folder_of_results_is_refused_before_the_work(call, tmp_path):
    write_runset({"a/x": spaces(3, 30, 4)}, tmp_path / "set")
    (tmp_path / "page").mkdir()
    with alone(tmp_path / "page", "result", "writing its result"):
        done = call("stability nowhere --out page")
        assert done.exit_code == 2
        done = call("stability set --out page")
        assert "page: another call is writing its result there now; wait until it has ended" in done.stderr
    assert call("stability set --out page -q").exit_code == 0
    assert not list((tmp_path / "page").glob(".*"))


def test_a_call_that_fails_leaves_no_folder_behind(call, tmp_path):
    make_inputs(tmp_path)
    (tmp_path / "bad.txt").write_text("a b\nc d\n")
    assert call("stability r0.txt bad.txt --out new/page -q").exit_code == 2
    assert not (tmp_path / "new").exists()


LOCKS = (
    "set/.manifest.lock",
    f"{FIXED}/.training.lock",
    "page/.result.lock",
    "packed/.pack.lock",
    "packed/.manifest.lock",
)


def test_locks_of_a_call_that_was_killed_are_cleared_by_the_same_call(call, tmp_path):
    """Also where there is nothing left to do."""
    make_inputs(tmp_path)
    commands = [TRAIN.format("set", 2), "pack r0.txt r1.txt -o packed -q", "info r0.txt --out page --force -q"]
    assert all(call(command).exit_code == 0 for command in commands)
    for left in LOCKS:
        (tmp_path / left).touch()
    assert all(call(command).exit_code == 0 for command in commands)
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize("closed", ["inner", "inner/deep", "link", "link/be low"])
def test_folders_that_cannot_be_opened_are_named(tmp_path, monkeypatch, closed):
    for folder in ("texts/inner/deep", "far/be low"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("texts/a.txt", "texts/inner/b.txt", "texts/inner/deep/c.txt", "far/d.txt", "far/be low/e.txt"):
        (tmp_path / path).write_text(f"a man of {path} ran\n")
    (tmp_path / "texts/link").symlink_to(tmp_path / "far", target_is_directory=True)
    real, where = os.scandir, os.path.normpath(tmp_path / "texts" / closed)

    def scandir(path):
        if os.path.normpath(path) == where:
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    corpus = prepare_corpus(tmp_path / "texts", CorpusOptions(min_count=1, as_is=True))
    assert f"cannot be opened: {closed}" in corpus.notes[0]
    assert 2 < len(corpus.records) < 5


@pytest.mark.parametrize("runs", [0, -5, True, 1.5, "2", None, 10**30])
def test_a_number_of_runs_that_is_none_is_no_silent_loss(tmp_path, runs):
    write_runset({"a/x": spaces(2, 20, 4), "a/y": spaces(2, 20, 4)}, tmp_path)
    path = tmp_path / "manifest.json"
    content = json.loads(path.read_text())
    content["groups"][1]["runs"] = runs
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"manifest.json: damaged: |names 1\d* runs, 2 are there"):
        open_runset(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"), [("words", 10**12), ("words", 0), ("words", True), ("dtype", "float1024"), ("dtype", "float16")]
)
def test_what_a_pack_says_of_its_files_must_be_so(tmp_path, key, value):
    write_runset({"a/x": spaces(2, 20, 4)}, tmp_path / "set")
    pack_runs([tmp_path / "set"], tmp_path / "packed")
    path = tmp_path / "packed/a/x/packed.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {key: value}))
    with pytest.raises(InputError, match="packed"):
        load_runs(tmp_path / "packed")


def test_a_group_that_is_named_twice_is_refused(tmp_path):
    write_runset({"a/x": spaces(2, 20, 4)}, tmp_path)
    path = tmp_path / "manifest.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"groups": content["groups"] * 2}))
    with pytest.raises(InputError, match="group 1 is there twice: a/x"):
        open_runset(tmp_path)


ENEMIES = {
    "a.jsonl": '{"text": "one two"}\n' + DEEP,
    "b.json": DEEP,
    "c.txt": DEEP,
    "d.md": DEEP[:10_000],
    "e.toml": f"runs = {DEEP}",
    "set/manifest.json": DEEP,
    "g.json": '{"a": ' * 100_000,
    "nul/manifest.json": json.dumps(
        {
            "schema": "gpustab.runset/2",
            "groups": [{"path": "a\0b", "runs": 2, "key": {"technique": "a", "sampling": "", "unit": "document",
                                                           "fraction": 1, "part": []}}],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("train a.jsonl -o out --as-is", "a.jsonl: line 2"),
        ("train b.json -o out", "b.json"),
        ("train c.txt -o out", "c.txt"),
        ("train d.md -o out", "d.md"),
        ("train g.json -o out", "g.json"),
        ("train r0.txt -o out --config e.toml", "e.toml: this is no TOML"),
        ("train utf.txt -o out --encoding utf-16", "utf.txt: utf-16 begins with a byte-order mark"),
        ("stability set", "set/manifest.json: this is not JSON: its parts lie too deep"),
        ("pack set -o out", "set/manifest.json"),
        ("stability nul", "nul: its manifest names 'a\\x00b'"),
        ("stability loopa r0.txt", "loopa: "),
        ("average loopa r0.txt -o out.txt", "loopa: "),
        ("train loopa -o out", "loopa: there is no such file, folder or corpus; it is a link that leads to nothing"),
        ("train dangling -o out", "dangling: there is no such file, folder or corpus; it is a link"),
    ],
)
def test_no_enemy_ends_in_a_stack_trace(call, tmp_path, command, named):
    make_inputs(tmp_path)
    for name, content in ENEMIES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "utf.txt").write_bytes("the war was long\nand the peace short\n".encode("utf-16-le"))
    (tmp_path / "loopa").symlink_to("loopb")
    (tmp_path / "loopb").symlink_to("loopa")
    (tmp_path / "dangling").symlink_to("nowhere")
    done = call(command)
    assert done.exit_code == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert named in line


def test_who_stops_a_command_that_is_loading_is_told_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr("gpustab.cli.run", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(SystemExit) as ended:
        gpustab.__main__.run()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "stopped; nothing was written\n"


@pytest.mark.skipif(sys.platform == "win32", reason="subnormal numbers")
def test_vectors_that_float32_holds_in_a_few_digits_are_told():
    space = spaces(1, 20, 4)[0]
    short = Space(Vocabulary(list(space.vocabulary)), space.vectors * 1e-44)
    whole = Space(Vocabulary(list(space.vocabulary)), space.vectors * 1e-30)
    (note,) = [note for note in load_runs([short, short]).notes if "few digits" in note]
    assert "words have vectors shorter than 1.2e-38" in note
    assert not [note for note in load_runs([whole, whole]).notes if "few digits" in note]
