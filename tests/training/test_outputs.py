"""Output vectors that are kept on request: what they are, what they leave as it was, and what is refused."""

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gpustab import ComputationError, InputError, load_groups
from gpustab.cli.app import app
from gpustab.corpus.sampling import draw_units, sample, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.registry import read_space
from gpustab.runs.manifest import output_file
from gpustab.trainers import technique, word2vec_gpu
from gpustab.trainers.word2vec import Texts, Word2VecParameters
from gpustab.training import read_settings, train_runs

PLAN = {"runs": 2, "engine": "gensim", "samplings": ["bootstrap"], "options": {"min_count": 3}}
SMALL = {"dim": 8, "epochs": 2}


def plan(corpus, **changes):
    own = dict.fromkeys(changes.get("techniques", ["sgns"]), SMALL)
    return read_settings(PLAN | {"corpus": str(corpus)} | own | changes)


def runs_of(folder, technique="sgns"):
    return sorted((folder / technique / "bootstrap").glob("run-*.safetensors"))


def same_run(one, two):
    a, b = read_space(one), read_space(two)
    keep = [{k: v for k, v in space.metadata.items() if k != "seconds"} for space in (a, b)]
    return torch.equal(a.vectors, b.vectors) and list(a.vocabulary) == list(b.vocabulary) and keep[0] == keep[1]


@pytest.mark.parametrize(("name", "sg"), [("sgns", 1), ("cbow", 0)])
def test_they_are_gensims_and_the_run_is_what_it_was(corpus, tmp_path, name, sg):
    gensim = pytest.importorskip("gensim")
    train_runs(plan(corpus, techniques=[name]), tmp_path / "without")
    result = train_runs(plan(corpus, techniques=[name], keep_output=True), tmp_path / "with")
    assert any("folder output" in note for note in result.notes)
    assert not (runs_of(tmp_path / "without", name)[0].parent / "output").exists()
    prepared = prepare_corpus(str(corpus), plan(corpus).options)
    for number, (one, two) in enumerate(
        zip(runs_of(tmp_path / "without", name), runs_of(tmp_path / "with", name), strict=True)
    ):
        assert same_run(one, two)
        part = sample(prepared, draw_units("bootstrap", len(prepared), 0, number))
        p = Word2VecParameters(**SMALL)
        model = gensim.models.Word2Vec(
            vector_size=8, window=p.window, sample=p.subsample, alpha=p.alpha, min_alpha=p.min_alpha, min_count=1,
            workers=1, sg=sg, seed=training_seed(0, "bootstrap", number),
        )  # fmt: skip
        model.build_vocab(Texts(part))
        model.train(Texts(part), total_examples=model.corpus_count, epochs=2)
        output, run = read_space(output_file(two)), read_space(two)
        rows = [model.wv.key_to_index[word.decode()] for word in output.vocabulary]
        assert np.array_equal(output.vectors.numpy(), model.syn1neg[rows])
        assert list(output.vocabulary) == list(run.vocabulary)
        assert torch.equal(output.counts, run.counts)
    plans = [json.loads((runs_of(tmp_path / k, name)[0].parent / "plan.json").read_text()) for k in ("with", "without")]
    assert plans[0] == plans[1]
    assert [len(group) for group in load_groups(tmp_path / "with")] == [2]


def test_runs_that_are_there_are_trained_again_for_them_and_stay_as_they_are(corpus, tmp_path):
    train_runs(plan(corpus), tmp_path)
    before = {run: (run.read_bytes(), run.stat().st_mtime_ns) for run in runs_of(tmp_path)}
    assert train_runs(plan(corpus, keep_output=True), tmp_path).tables["groups"]["trained_now"] == [2]
    assert {run: (run.read_bytes(), run.stat().st_mtime_ns) for run in runs_of(tmp_path)} == before
    assert all(output_file(run).is_file() for run in before)
    assert train_runs(plan(corpus, keep_output=True), tmp_path).tables["groups"]["trained_now"] == [0]
    output_file(runs_of(tmp_path)[1]).unlink()
    assert train_runs(plan(corpus, keep_output=True), tmp_path).tables["groups"]["trained_now"] == [1]


def test_those_of_another_run_are_never_put_beside_it(corpus, tmp_path):
    from dataclasses import replace

    from gpustab.formats.binary.safetensors import write_safetensors

    train_runs(plan(corpus), tmp_path)
    run = runs_of(tmp_path)[0]
    space = read_space(run)
    write_safetensors(replace(space, vectors=space.vectors + 1), run)
    with pytest.raises(ComputationError, match="gives another run"):
        train_runs(plan(corpus, keep_output=True), tmp_path)
    assert not output_file(run).exists()
    assert torch.equal(read_space(run).vectors, space.vectors + 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"techniques": ["sgns", "lsa"], "lsa": {"dim": 4}}, "keep_output: lsa keeps no output vectors"),
        ({"techniques": ["glove"], "glove": {}}, "keep_output: glove keeps no"),
        ({"sgns": {"hierarchical_softmax": True, "negative": 0}}, "nodes of a tree"),
    ],
)
def test_what_has_none_of_words_is_refused_before_the_work(corpus, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        train_runs(plan(corpus, keep_output=True, **changes), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_engine_of_a_gpu_gives_those_of_its_model(corpus):
    prepared = prepare_corpus(str(corpus), plan(corpus).options)
    draws, p = [draw_units("bootstrap", len(prepared), 0, 0)[:3]], Word2VecParameters(dim=4, epochs=1)
    without = next(iter(word2vec_gpu.train_many(prepared, draws, [7], p, device="cpu")))
    kept = next(iter(word2vec_gpu.train_many(prepared, draws, [7], p, device="cpu", keep_output=True)))
    assert without.output is None
    assert np.array_equal(without.vectors, kept.vectors)
    assert kept.output.shape == kept.vectors.shape
    assert kept.output.any()
    assert not np.array_equal(kept.output, kept.vectors)
    assert technique("sgns", "gpu").with_output is not None


def test_the_commands_name_the_option(corpus, tmp_path):
    options = ["--sampling", "fixed", "--runs", "1", "--min-count", "3", "--dim", "4", "--epochs", "1", "-q"]
    found = CliRunner().invoke(app, ["train", str(corpus), "-o", str(tmp_path / "a"), *options, "--keep-output"])
    assert found.exit_code == 0, found.output
    assert (tmp_path / "a/sgns/fixed/output/run-000.safetensors").is_file()
    wrong = ["train", str(corpus), "-o", str(tmp_path / "b"), *options, "--technique", "glove", "--keep-output"]
    refused = CliRunner().invoke(app, wrong)
    assert refused.exit_code == 2
    assert "--keep-output: glove keeps no output vectors of words" in refused.output
