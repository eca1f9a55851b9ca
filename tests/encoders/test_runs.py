"""Run sets of encoders: read once, taken up where a call was killed, and known answers."""

import shutil

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import gpustab
from gpustab.cli import app
from gpustab.encoders import runner, sums
from gpustab.encoders.options import Encoding
from gpustab.encoders.passages import Passage
from gpustab.encoders.runner import encode_runs
from gpustab.encoders.sums import text_sums
from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import windows_of
from gpustab.formats.registry import read_space
from gpustab.runs.load import load_runs
from gpustab.runs.manifest import MANIFEST
from gpustab.studies.compare.spaces import drawn_apart
from tests.encoders.conftest import OPTIONS
from tests.encoders.test_words import RAW, made
from tests.encoders.tiny import save, texts, turned


@pytest.fixture
def small_lots(monkeypatch):
    """A lot of passages is a handful: several files of sums are made."""
    monkeypatch.setattr("gpustab.encoders.passages._CHARACTERS", 300)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_killed_call_goes_on_to_the_same_bytes_and_reads_nothing_twice(
    corpus, models, tmp_path, monkeypatch, small_lots
):
    lots, read = [], sums.word_sums

    def counted(encoder, layer, passages):
        lots.append([passage.unit for passage in passages])
        if len(lots) == 3:
            raise KeyboardInterrupt
        return read(encoder, layer, passages)

    encoding = Encoding(runs=3)
    encode_runs(corpus, OPTIONS, models, tmp_path / "whole", encoding)
    monkeypatch.setattr(runner, "word_sums", counted)
    with pytest.raises(KeyboardInterrupt):
        encode_runs(corpus, OPTIONS, models, tmp_path / "killed", encoding)
    assert not (tmp_path / "killed" / MANIFEST).exists()
    encode_runs(corpus, OPTIONS, models, tmp_path / "killed", encoding)
    units = [unit for number, lot in enumerate(lots) if number != 2 for unit in lot]
    assert sorted(units) == sorted([*range(len(corpus)), *range(len(corpus))])  # by each of two models, once
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
    again = encode_runs(corpus, OPTIONS, models, tmp_path / "killed", encoding)
    assert "were there already" in again.verdict[0]
    assert [row.made_now for row in again.tables["groups"].rows()] == [0, 0, 0]


def test_more_runs_and_more_models_join_and_others_are_refused(corpus, models, tmp_path):
    folder = tmp_path / "set"
    made(corpus, models[:1], folder, runs=1)
    before = files_of(folder / "encoder")
    _, second = made(corpus, models, folder, runs=2)
    assert [row.made_now for row in second.tables["groups"].rows()] == [1, 1, 2]
    after = files_of(folder / "encoder")
    assert {name: after[name] for name in before} == before
    with pytest.raises(InputError, match="is of another model, seed1"):
        made(corpus, models[::-1], folder, runs=2)
    with pytest.raises(InputError, match=r"parameters\.layer was -1, now 1"):
        made(corpus, models, folder, runs=2, layer=1)
    with pytest.raises(InputError, match="given twice"):
        made(corpus, [models[0], models[0]], tmp_path / "twice")


def test_a_turned_copy_of_a_model_loses_nothing_and_planted_words_are_the_least_stable(corpus, tmp_path):
    def moved(model, tokenizer):
        table = model.embeddings.word_embeddings.weight
        table[tokenizer.convert_tokens_to_ids(["river", "stone"])] += 3 * torch.randn(2, 12)

    def without_context(model, _):
        for block in model.encoder.layer:
            block.attention.output.dense.weight.zero_()

    one, other = save(tmp_path / "one"), save(tmp_path / "other", change=turned)
    result = made(corpus, [one, other], tmp_path / "turned", **RAW)[0]["encoder/fixed"]
    assert not torch.allclose(result[0].vectors, result[1].vectors, atol=0.1)
    loss = gpustab.stability(gpustab.load_runs(result), targets="all").groups[0]["pip"]["reduced"]["mean"]
    assert loss < 1e-5

    def both(model, tokenizer):
        without_context(model, tokenizer)
        moved(model, tokenizer)

    pair = [save(tmp_path / "a", change=without_context), save(tmp_path / "b", change=both)]
    runs = made(corpus, pair, tmp_path / "moved", **RAW)[0]["encoder/fixed"]
    words = gpustab.stability(gpustab.load_runs(runs), targets="all").frame("words")
    assert set(words.sort_values("pip_mean")["word"].tail(2)) == {"river", "stone"}


@pytest.mark.parametrize("items", ["documents", "sentences"])
def test_texts_are_pooled_as_their_folder_says(items, text, tmp_path):
    folder = save(tmp_path / "m", limit=26)
    arguments = [str(text), "-m", str(folder), "-o", str(tmp_path / "set"), "--items", items, "--as-is", "-q"]
    arguments += ["--layout", "lines"]
    assert CliRunner().invoke(app, ["encode", *arguments], catch_exceptions=False).exit_code == 0
    unit = items.removesuffix("s")
    leaf = "fixed" if unit == "document" else "fixed-sentence"
    space = read_space(tmp_path / "set/encoder" / leaf / "run-000.safetensors")
    short = [(k, line) for k, line in enumerate(texts()) if 0 < len(line.split()) < 11]
    assert len(short) > 1
    own = SentenceEncoder(folder).encode([line for _, line in short])
    for (number, _), row in zip(short, own, strict=True):
        called = f"{number + 1}:1" if unit == "sentence" else str(number + 1)
        assert torch.allclose(space.vectors[space.vocabulary.index(called.encode())], row, atol=1e-4)
    assert str(6).encode() not in space.vocabulary  # it is empty
    if unit == "document":
        assert space.metadata["read"]["windows"] > len(space.vocabulary)
    assert set(space.counts.tolist()) == {1}


def test_the_command_says_what_it_made_and_studies_read_it(text, models, tmp_path, small_lots):
    third = save(tmp_path / "seed3", seed=3, limit=16)
    arguments = [str(text), "--as-is", "--layout", "lines", "--runs", "2", "-o", str(tmp_path / "set")]
    for folder in (*models, third):
        arguments += ["--model", str(folder)]
    said = CliRunner().invoke(app, ["encode", *arguments], catch_exceptions=False)
    assert said.exit_code == 0
    assert f"9 runs of words of {text} by seed1, seed2, seed3" in " ".join(said.stdout.split())
    assert "next: gpustab stability" in said.stderr
    before = files_of(tmp_path / "set" / "encoder")
    shutil.rmtree(tmp_path / "set" / "encoder" / "bootstrap" / "model=seed2")
    again = CliRunner().invoke(app, ["encode", *arguments, "-q"], catch_exceptions=False)
    assert again.exit_code == 0
    assert files_of(tmp_path / "set" / "encoder") == before
    found = gpustab.stability(gpustab.load_runs(tmp_path / "set" / "encoder" / "fixed"), neighbours=[5])
    assert "fine-tune again" in " ".join(found.verdict)
    asked = CliRunner().invoke(app, ["neighbours", "river", str(tmp_path / "set"), "-n", "3"], catch_exceptions=False)
    assert "in the fixed runs of encoder" in " ".join(asked.stdout.split())


def test_a_long_text_is_the_mean_over_windows_of_its_own_tokens(tmp_path):
    """Slices were read again: one that began within a word had more tokens than its window, and was cut."""
    folder = save(tmp_path / "m", limit=16)
    encoder = SentenceEncoder(folder)
    before = list(encoder.notes)
    long = Passage(0, "unhappily playing " * 30, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
    found = text_sums(encoder, [long, long._replace(unit=1, text="playing")])
    windows = windows_of(encoder, [long.text])
    assert len(windows) > 3
    assert encoder.notes == before
    with torch.no_grad():
        own = [encoder.model(torch.tensor([w.given["input_ids"]])).last_hidden_state[0].mean(0) for w in windows]
    np.testing.assert_allclose(found.sums[0], torch.stack(own).mean(0), atol=1e-5)
    np.testing.assert_allclose(found.sums[1], encoder.encode(["playing"])[0], atol=1e-5)


def test_models_of_two_kinds_differ_by_more_than_fine_tuning(corpus, models, tmp_path):
    other = save(tmp_path / "other", kind="roberta", limit=16)
    said = [
        encode_runs(corpus, OPTIONS, [models[0], second], tmp_path / "sets" / second.name, Encoding(runs=1)).verdict[1]
        for second in (models[1], other)
    ]
    assert said[0].endswith("they differ by what fine-tuning does.")
    assert "more than fine-tuning" in said[1]


def test_draws_that_two_models_have_in_common_are_no_pair(corpus, models, tmp_path):
    encode_runs(corpus, OPTIONS, models, tmp_path / "set", Encoding(runs=3))
    one, other = (load_runs(tmp_path / f"set/encoder/bootstrap/model=seed{k}") for k in (1, 2))
    assert drawn_apart(one, other).tolist() == [[a != b for b in range(3)] for a in range(3)]
