"""Backgrounds of many runs with output vectors, calls that were stopped, copies, collapsed spaces, many samples."""

import shutil

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gpustab import InputError, Space, Vocabulary
from gpustab.cli.app import app
from gpustab.runs.load import open_groups
from gpustab.runs.runset import write_runset
from gpustab.small_data import nonce
from gpustab.small_data.text import read_text
from gpustab.studies.consistency import models, study, tuning
from gpustab.studies.consistency.study import consistency
from gpustab.studies.shared.wording import the_runs
from tests.small_data.made import sentences, term_names, word, write

pytest.importorskip("sentencex")
pytest.importorskip("gensim")

CHOICES = {"layout": "blocks", "samples": 3, "cutoff": 9}
NONCE = {"model": "nonce2vec", "alpha": 0.1}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A text, its terms, and a run set of three runs with output vectors, trained on text of the same words."""
    from gpustab.training import read_settings, train_runs

    folder = tmp_path_factory.mktemp("many")
    write(folder / "text.txt", sentences(6, 20, 8, seed=1, own=0.6))
    write(folder / "general.txt", sentences(6, 60, 8, seed=2, own=0.5))
    (folder / "terms.txt").write_text("\n".join(term_names(6)))
    content = {"corpus": str(folder / "general.txt"), "runs": 3, "samplings": ["shuffled"], "engine": "gensim"}
    content |= {"sgns": {"dim": 8, "epochs": 3, "alpha": 0.05}, "options": {"min_count": 1, "layout": "blocks"}}
    train_runs(read_settings(content | {"keep_output": True}), folder / "runs")
    train_runs(read_settings(content), folder / "without")
    return folder


def ask(trained, *sources, name="runs", **choices):
    groups = open_groups(list(sources) or [trained / name], single_runs=True)
    return consistency(groups, trained / "text.txt", terms=str(trained / "terms.txt"), **CHOICES | choices)


def test_nonce2vec_runs_over_all_runs_of_a_run_set(trained):
    result = ask(trained, **NONCE)
    row = next(result.tables["consistency"].records(model="Nonce2Vec (frozen)"))
    assert row["runs"] == 3
    assert row["auc_sd"] > 0
    files = sorted((trained / "runs/sgns/shuffled").glob("run-*.safetensors"))
    alone = []
    for r, file in enumerate(files):
        with_its_own = ask(trained, file, **NONCE)
        by_name = ask(trained, file, output_vectors=str(file.parent / "output" / file.name), **NONCE)
        values = [
            next(x.tables["consistency"].records(model="Nonce2Vec (frozen)"))["same"] for x in (with_its_own, by_name)
        ]
        assert values[0] == values[1]
        alone.append(values[0])
        in_group = list(result.tables["runs"].records(model="Nonce2Vec (frozen)"))[r]
        assert in_group["same"] == pytest.approx(values[0], abs=1e-9)
    assert row["same"] == pytest.approx(np.mean(alone), abs=1e-9)


def test_a_background_that_was_trained_on_the_text_itself_is_an_alarm(trained, tmp_path):
    """By what the run set records, whatever the file is called; not where it was trained on another one."""
    assert not any("trained on" in alarm for alarm in ask(trained).alarms)
    copied = shutil.copy(trained / "general.txt", tmp_path / "another-name.txt")
    groups = open_groups([trained / "runs"], single_runs=True)
    alarms = consistency(groups, copied, terms=str(trained / "terms.txt"), **CHOICES).alarms
    assert any(alarm.startswith("The background was trained on another-name itself. Its") for alarm in alarms), alarms
    two = open_groups([trained / "runs", shutil.copytree(trained / "runs", tmp_path / "same")], single_runs=True)
    alarms = consistency(two, copied, terms=str(trained / "terms.txt"), **CHOICES).alarms
    both = " and ".join(the_runs(group.name) for group in two)
    said = f"The backgrounds, {both}, were trained on another-name itself. Their"
    assert [alarm.startswith(said) for alarm in alarms if "trained on" in alarm] == [True], alarms
    files = sorted((trained / "runs/sgns/shuffled").glob("run-*.safetensors"))
    plain = open_groups([shutil.copy(files[0], tmp_path / "vectors.safetensors")], single_runs=True)
    alarms = consistency(plain, copied, terms=str(trained / "terms.txt"), **CHOICES).alarms
    assert not any("trained on" in alarm for alarm in alarms)  # nothing is recorded


def test_backgrounds_that_read_alike_have_a_text_read_once(trained, tmp_path, monkeypatch):
    text = read_text(trained / "general.txt", "en", layout="blocks")
    two = open_groups([trained / "runs", shutil.copytree(trained / "runs", tmp_path / "same")], single_runs=True)
    read = []
    prepare = study.prepare_corpus
    monkeypatch.setattr(study, "prepare_corpus", lambda *given, **how: read.append(given) or prepare(*given, **how))
    (alarm,) = study._trained_on(two, [text])
    assert all(the_runs(group.name) in alarm for group in two)
    assert len(read) == 1


def test_a_background_without_output_vectors_is_refused_with_the_options_name(trained):
    with pytest.raises(InputError, match=r"run-000\.safetensors is not there.*train it with keep_output"):
        ask(trained, name="without", **NONCE)
    with pytest.raises(InputError, match="output_vectors names those of one run, and 'sgns/shuffled' has 3"):
        ask(trained, output_vectors=str(trained / "general.txt"), **NONCE)


def test_a_packed_run_set_has_none(trained, tmp_path):
    found = CliRunner().invoke(app, ["pack", str(trained / "runs"), "-o", str(tmp_path / "packed"), "-q"])
    assert found.exit_code == 0, found.output
    with pytest.raises(InputError, match="a packed run set has none: give the run set that 'sgns/shuffled' was"):
        ask(trained, tmp_path / "packed", **NONCE)


def test_output_vectors_are_runs_of_their_own(trained):
    group = open_groups([trained / "runs/sgns/shuffled/output"])[0]
    assert len(group) == 3
    assert group.load().words > 100


class StopError(Exception):
    """Somebody stopped the call."""


def test_a_stopped_study_goes_on_with_the_same_numbers(trained, tmp_path, monkeypatch):
    choices = {"finished": tmp_path / "finished", "split": "half", "cutoff": 3, "permutations": 19, **NONCE}
    whole = ask(trained, **choices | {"finished": None})
    true, calls = models.mean_context, []

    def counted(rows, runs, run, device):
        calls.append(run)
        if calls.count(2):
            raise StopError
        return true(rows, runs, run, device)

    monkeypatch.setattr(models, "mean_context", counted)
    with pytest.raises(StopError):
        ask(trained, **choices)
    assert calls == [0, 1, 2]
    calls.clear()
    monkeypatch.setattr(models, "mean_context", lambda *given: calls.append(given[2]) or true(*given))
    again = ask(trained, **choices)
    assert calls[0] == 2  # then the made-up words are measured
    for name, table in whole.tables.items():
        assert list(map(str, again.tables[name].records())) == list(map(str, table.records())), name
    assert again.verdict == whole.verdict
    calls.clear()
    assert ask(trained, **choices).verdict == whole.verdict
    assert not calls
    ask(trained, **choices | {"seed": 1})
    assert calls == 2 * [0, 1, 2]  # the terms, and the made-up words


def test_every_kind_of_finished_part_comes_back_as_it_was(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(
        nonce, "GRID", {name: values[:1] for name, values in nonce.GRID.items()} | {"alpha": (0.1, 0.2)}
    )
    choices = {
        "finished": tmp_path / "finished",
        "split": "half",
        "cutoff": 3,
        "permutations": 9,
        "grid": True,
        **NONCE,
    }
    choices |= {"general": str(trained / "general.txt"), "general_layout": "blocks", "svd_dim": 10, "svd_min_count": 1}
    whole = ask(trained, **choices)
    assert {"grid", "updates", "domain", "sizes", "split", "neighbours", "own", "ranks"} <= set(whole.tables)

    def never(*_):
        raise StopError

    for name in ("mean_context", "by_svd", "tuned"):
        monkeypatch.setattr(models, name, never)
    monkeypatch.setattr(tuning, "settings_of", never)
    for name in ("by_sentences", "halves_and_random", "in_general"):
        monkeypatch.setattr(study, name, never)
    again = ask(trained, **choices)
    assert again.verdict == whole.verdict
    for name, table in whole.tables.items():
        assert again.tables[name].row is table.row, name
        assert list(map(str, again.tables[name].records())) == list(map(str, table.records())), name


def _vectors(mean, seed=0):
    names = Vocabulary([word(k) for k in range(300)])
    generator = torch.Generator().manual_seed(seed)
    return Space(names, mean + torch.randn(300, 8, generator=generator), name=f"run{seed}")


def test_copies_are_counted_once_and_a_collapsed_background_is_told(trained, tmp_path):
    one = ask(trained, _vectors(0.3))
    twice = ask(trained, _vectors(0.3), Space(*vars(_vectors(0.3)).values()))
    assert any("are the same vectors" in alarm for alarm in twice.alarms)
    assert next(iter(twice.tables["consistency"].records()))["runs"] == 1
    values = [next(iter(x.tables["consistency"].records()))["auc"] for x in (one, twice)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    far = ask(trained, _vectors(30.0))
    assert any("The background is collapsed" in alarm for alarm in far.alarms)
    assert not one.alarms
    write_runset({"x/fixed": [_vectors(0.3), _vectors(30.0, 1)]}, tmp_path / "set")
    assert any("collapsed in 1 of 2 runs (run-001)" in alarm for alarm in ask(trained, tmp_path / "set").alarms)


def test_copies_do_not_make_words_twice_as_frequent(trained):
    from dataclasses import replace

    file = next((trained / "runs/sgns/shuffled").glob("run-000.safetensors"))
    from gpustab.formats.registry import read_space

    space = read_space(file)
    alone, twice = (ask(trained, *[replace(space, name=f"r{k}") for k in range(n)], subsample=1e-2) for n in (1, 2))
    rows = [next(x.tables["consistency"].records(model="additive")) for x in (alone, twice)]
    assert rows[0]["words"] == rows[1]["words"]
    assert rows[0]["same"] == rows[1]["same"]
