"""Defaults by the size of a corpus: chosen by a rule, said, written in the plan; what is given or begun wins."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.corpus.numbering import least_count
from gpustab.machine.progress import no_progress
from gpustab.runs.key import Key
from gpustab.runs.runset import update_manifest
from gpustab.training import fitting
from gpustab.training.fitting import READ_ALL, READ_RAREST, cores, epochs_of, fit


@pytest.mark.parametrize("tokens", [10**3, 10**4, 10**5, 999_999, 10**6, 4_999_999, 5 * 10**6, 10**9])
def test_the_rarest_word_is_read_often_enough_whatever_the_size(tokens):
    counts = np.full(1000, tokens // 1000)
    least = least_count(counts)
    epochs = epochs_of(tokens, least)
    assert least in (2, 5, 10, 20)
    assert least * epochs >= READ_RAREST
    assert epochs == 100 or tokens * epochs >= READ_ALL
    assert epochs <= 100


def test_larger_texts_need_no_smaller_count_and_no_more_epochs():
    sizes = [2 * 10**4, 10**5, 10**6, 10**7]
    least = [least_count(np.full(1000, size // 1000)) for size in sizes]
    epochs = [epochs_of(size, count) for size, count in zip(sizes, least, strict=True)]
    assert least == sorted(least) == [5, 5, 10, 20]
    assert epochs == sorted(epochs, reverse=True) == [80, 20, 10, 5]


@pytest.fixture(scope="module")
def speeches(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit") / "speeches"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for number in range(40):
        words = generator.zipf(1.4, 400) % 2000
        (folder / f"{number}.txt").write_text(" ".join(f"w{word}" for word in words))
    return folder


def fitted(speeches, folder, **content):
    return fit({"corpus": str(speeches), "options": {"tokenizer": "whitespace"}, **content}, folder, no_progress)


def test_what_nobody_chose_is_chosen_and_said(speeches, tmp_path):
    found = fitted(speeches, tmp_path)
    settings = found.settings
    corpus = found.prepare()
    least, epochs = settings.options.min_count, settings.parameters["sgns"]["epochs"]
    assert (least, epochs) == (2 if len(corpus.vocabulary) and least == 2 else 5, 100)
    assert found.says.startswith("16,000 running words: ")
    assert f"--min-count {least} ({len(corpus.vocabulary):,} words occur so often, " in found.says
    assert settings.runs == 10
    assert settings.jobs == 1 or 16_000 * epochs * 30 >= fitting.QUICK
    assert fitted(speeches, tmp_path).settings == settings  # again the same


def test_what_is_given_wins(speeches, tmp_path):
    options = {"tokenizer": "whitespace", "min_count": 7}
    found = fitted(speeches, tmp_path, options=options, sgns={"epochs": 3}, jobs=3)
    assert (found.settings.options.min_count, found.settings.parameters["sgns"]["epochs"], found.settings.jobs) == (
        7,
        3,
        3,
    )
    assert found.says == ""
    half = fitted(speeches, tmp_path, options=options)
    assert "--min-count" not in half.says
    assert "--epochs 100" in half.says


def test_ppmi_keeps_more_of_a_small_text_and_what_a_run_set_was_begun_with(speeches, tmp_path):
    """At the papers' threshold most words of a small corpus have no pair left, and runs are noise."""
    found = fitted(speeches, tmp_path, techniques=["ppmi_svd"])
    assert found.settings.parameters["ppmi_svd"] == {"subsample": 1e-3}
    assert "--set ppmi_svd.subsample=0.001" in found.says
    given = fitted(speeches, tmp_path, techniques=["ppmi_svd"], ppmi_svd={"subsample": 0.0})
    assert given.settings.parameters["ppmi_svd"] == {"subsample": 0.0}
    leaf = tmp_path / "ppmi_svd" / "shuffled"
    leaf.mkdir(parents=True)
    (leaf / "run-000.safetensors").touch()
    for before in (0.0, 1e-5):
        (leaf / "plan.json").write_text(json.dumps({"options": {"min_count": 2}, "parameters": {"subsample": before}}))
        begun = fitted(speeches, tmp_path, techniques=["ppmi_svd"])
        assert begun.settings.parameters["ppmi_svd"] == {"subsample": before}


def test_lsa_has_no_more_dimensions_than_half_of_the_smallest_period(speeches, tmp_path):
    rows = [f"{1900 + k},{path.read_text()}" for k, path in enumerate(sorted(speeches.iterdir()))]
    (tmp_path / "dated.csv").write_text("\n".join(["year,text", *rows]))
    found = fitted(tmp_path / "dated.csv", tmp_path, techniques=["lsa"], epochs_by="year:1900-1911,1912-1939")
    assert found.settings.parameters == {"lsa": {"dim": 6}}


def test_lsa_has_no_more_dimensions_than_half_of_the_documents(speeches, tmp_path):
    found = fitted(speeches, tmp_path, techniques=["lsa", "glove"])
    assert found.settings.parameters == {"lsa": {"dim": 20}}  # GloVe's epochs are no passes over the text
    assert "--set lsa.dim=20 (40 documents)" in found.says
    assert fitted(speeches, tmp_path, techniques=["lsa"], lsa={"dim": 33}).settings.parameters["lsa"] == {"dim": 33}


def test_a_run_set_that_was_begun_keeps_to_what_it_was_begun_with(speeches, tmp_path):
    leaf = tmp_path / "sgns" / "fixed"
    leaf.mkdir(parents=True)
    (leaf / "plan.json").write_text(json.dumps({"options": {"min_count": 20}, "parameters": {"epochs": 5}}))
    unbound = fitted(speeches, tmp_path).settings  # a plan that trained nothing binds nobody
    assert (unbound.options.min_count, unbound.parameters["sgns"]["epochs"]) == (least_count(np.full(9, 1)), 100)
    (leaf / "run-000.safetensors").touch()
    settings = fitted(speeches, tmp_path).settings
    assert (settings.options.min_count, settings.parameters["sgns"]["epochs"]) == (20, 5)
    update_manifest(tmp_path, {Key.of_path("sgns/fixed"): 17}, {})
    for techniques in (["sgns"], ["cbow"], ["lsa"], ["cbow", "glove"]):
        found = fitted(speeches, tmp_path, techniques=techniques)
        assert (found.settings.options.min_count, found.settings.runs) == (20, 17)
        assert "--runs 17" in found.says
    assert fitted(speeches, tmp_path, runs=3).settings.runs == 3
    assert fitted(speeches, tmp_path, techniques=["cbow"]).settings.parameters["cbow"]["epochs"] == 100


def test_a_technique_keeps_to_its_own_plan_before_those_of_others(speeches, tmp_path):
    for name, least in (("cbow", 20), ("sgns", 9), ("lsa", 13)):
        leaf = tmp_path / name / "fixed"
        leaf.mkdir(parents=True)
        (leaf / "plan.json").write_text(json.dumps({"options": {"min_count": least}, "parameters": {}}))
        (leaf / "run-000.safetensors").touch()
    for name, least in (("cbow", 20), ("sgns", 9), ("lsa", 13)):
        assert fitted(speeches, tmp_path, techniques=[name]).settings.options.min_count == least


@pytest.mark.parametrize("least", [1, 2, 3, 4, 7, 20, 33, 50, 200, 10**6])
def test_whatever_count_is_chosen_the_epochs_are_five_to_twenty(least):
    for tokens in (5 * 10**7, 10**9):
        assert 5 <= epochs_of(tokens, least) <= 20
    assert epochs_of(10**9, least) <= max(100 // least + 1, 5)


def test_more_work_is_for_all_cores_and_never_for_more(speeches, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "QUICK", 1)
    assert fitted(speeches, tmp_path, runs=50).settings.jobs == cores()
    assert fitted(speeches, tmp_path, runs=1, samplings=["fixed"]).settings.jobs == 1
    assert fitted(speeches, tmp_path, runs=50, parallel="threading", jobs=2).settings.jobs == 2


def test_the_command_says_and_records_what_it_chose_and_a_file_keeps_its_meaning(speeches, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("gpustab.training.train_runs", lambda plan, *_, **how: asked.append(plan) or stopped())
    words = ["train", str(speeches), "-o", str(tmp_path / "new"), "--tokenizer", "whitespace", "--runs", "8"]
    done = CliRunner().invoke(app, words)
    assert "chosen to fit 16,000 running words: --min-count " in done.stderr
    assert "chosen" not in CliRunner().invoke(app, [*words, "-q"]).stderr
    (tmp_path / "plan.toml").write_text("runs = 8\n")
    done = CliRunner().invoke(app, [*words, "--config", str(tmp_path / "plan.toml")])
    assert "chosen" not in done.stderr
    first, _, third = asked
    assert first.parameters["sgns"]["epochs"] == 100
    assert (third.options.min_count, third.parameters_of("sgns").model_dump()["epochs"]) == (20, 5)


def stopped():
    raise KeyboardInterrupt
