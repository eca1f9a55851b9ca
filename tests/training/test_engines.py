"""The engine of skip-gram and CBOW: how it is chosen, and run sets of the many-run kernel, interpreted on the CPU."""

import json
import logging
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from gpustab import InputError, load_groups
from gpustab.corpus.sampling import draw_units, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.registry import read_space
from gpustab.machine.proof import Proof
from gpustab.trainers import technique, word2vec_gpu
from gpustab.trainers.ppmi_svd import PpmiSvdParameters
from gpustab.training import engines, read_settings, resolve_engine, train_runs
from gpustab.training.engines import trainers_of
from gpustab.training.plan import _differences

ROOT = Path(__file__).parents[2]
PLAN = {
    "runs": 3,
    "samplings": ["bootstrap"],
    "options": {"min_count": 1, "drop_duplicates": False},
    "sgns": {"dim": 4, "window": 2, "epochs": 1, "negative": 2, "alpha": 0.2, "subsample": 0.05},
}


OUTPUT = {"engine": "gpu", "keep_output": True}
CBOW = {name: value for name, value in PLAN.items() if name != "sgns"} | {"techniques": ["cbow"], "cbow": PLAN["sgns"]}


def write_corpus(folder):
    words = np.random.default_rng(0).integers(0, 6, (5, 2))
    path = folder / "documents.txt"
    path.write_text("\n".join(" ".join(f"w{chr(97 + i)}" for i in row) for row in words) + "\n")
    return path


def plan(corpus, **changes):
    return read_settings(PLAN | {"corpus": str(corpus)} | changes)


def runs_of(folder):
    return {str(file.relative_to(folder)): read_space(file) for file in sorted(folder.rglob("run-*.safetensors"))}


def times(folder):
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in folder.rglob("run-*.safetensors")}


def work(folder):
    """Make run sets by the interpreted kernel; run in a process of its own, for Triton decides at its import."""
    corpus, told = folder / "documents.txt", {}
    settings = plan(corpus, engine="gpu")
    told["notes"] = train_runs(settings, folder / "whole").notes
    train_runs(settings.model_copy(update={"runs": 2}), folder / "stopped")
    before = times(folder / "stopped")
    told["trained_now"] = train_runs(settings, folder / "stopped").tables["groups"]["trained_now"]
    told["kept"] = before.items() <= times(folder / "stopped").items()
    told["nothing"] = train_runs(settings, folder / "stopped").tables["groups"]["trained_now"]
    told["cbow"] = train_runs(read_settings(CBOW | {"corpus": str(corpus), **OUTPUT}), folder / "cbow").notes
    word2vec_gpu._runs_that_fit = lambda *_: 2
    train_runs(settings, folder / "parts")
    (folder / "told.json").write_text(json.dumps(told))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    if find_spec("triton") is None:
        pytest.skip("triton is not installed")
    folder = tmp_path_factory.mktemp("engines")
    write_corpus(folder)
    program = f"from pathlib import Path; from tests.training.test_engines import work; work(Path({str(folder)!r}))"
    environment = os.environ | {"TRITON_INTERPRET": "1", "GPUSTAB_KERNELS": "triton", "OMP_NUM_THREADS": "1"}
    child = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    return folder


@pytest.fixture(scope="module")
def told(made):
    return json.loads((made / "told.json").read_text())


@pytest.fixture
def proven(monkeypatch):
    """Let the fused kernels have proved themselves."""
    monkeypatch.setattr(word2vec_gpu, "proved_kernel", lambda *_, **__: Proof(0.0, 1.0))


@pytest.fixture
def usable(monkeypatch):
    """Let the engine gpu be usable, as where a CUDA device is."""
    monkeypatch.setattr(engines, "_problem", lambda settings: "")


def test_the_kernel_makes_a_run_set_that_is_measured_like_any_other(made):
    groups = load_groups(made / "whole")
    assert [(group.name, len(group)) for group in groups] == [("sgns/bootstrap", 3)]


@pytest.mark.parametrize(("name", "folder"), [("sgns", "whole"), ("cbow", "cbow")])
def test_its_vectors_are_those_of_the_plain_loop(made, name, folder):
    corpus = prepare_corpus(str(made / "documents.txt"), plan("lee").options)
    draws = [draw_units("bootstrap", 5, 0, run) for run in range(3)]
    seeds = [training_seed(0, "bootstrap", run) for run in range(3)]
    parameters, options = plan("lee").parameters_of("sgns"), {"device": "cpu", "cbow": name == "cbow"}
    for number, want in enumerate(word2vec_gpu.train_many(corpus, draws, seeds, parameters, **options)):
        got = read_space(made / f"{folder}/{name}/bootstrap/run-{number:03d}.safetensors")
        np.testing.assert_allclose(got.vectors, want.vectors, rtol=1e-4, atol=1e-5)
        assert [*got.vocabulary] == [corpus.vocabulary[i] for i in want.words.tolist()]


def test_cbow_is_trained_by_it_with_output_vectors(made, told):
    runs, output = (runs_of(made / "cbow/cbow/bootstrap" / part) for part in ("", "output"))
    assert len([name for name in runs if "/" not in name]) == 3
    for name, space in output.items():
        assert space.vocabulary == runs[name].vocabulary
        assert not torch.equal(space.vectors, runs[name].vectors)
        assert runs[name].metadata["engine"] == "gpu"
        assert runs[name].metadata["deterministic"] is True
    manifest = json.loads((made / "cbow/manifest.json").read_text())
    assert manifest["groups"][0]["made"]["engines"]["cbow"]["engine"] == "gpu"
    assert any("Up to 3 runs were trained at once" in note for note in told["cbow"])
    with pytest.raises(InputError, match=r'engine was "gpu", now "gensim"; take engine=.gpu.'):
        train_runs(read_settings(CBOW | {"corpus": str(made / "documents.txt"), "engine": "gensim"}), made / "cbow")


def test_both_engines_read_the_same_documents(made, tmp_path):
    train_runs(plan(made / "documents.txt", engine="gensim", samplings=["bootstrap"]), tmp_path)
    ours, gensim = runs_of(made / "whole"), runs_of(tmp_path)
    gensim = {name: gensim[name] for name in ours}
    for name, run in ours.items():
        assert torch.equal(run.draw, gensim[name].draw)
        assert torch.equal(run.counts, gensim[name].counts)
        assert run.vocabulary == gensim[name].vocabulary
        assert not torch.equal(run.vectors, gensim[name].vectors)
        for key in ("training_seed", "parameters", "corpus"):
            assert run.metadata[key] == gensim[name].metadata[key]


def test_a_stopped_training_goes_on_and_company_changes_nothing(made, told):
    assert told["trained_now"] == [1]
    assert told["kept"] is True
    assert told["nothing"] == [0]
    whole = runs_of(made / "whole")
    assert {run.metadata["trained_together"] for run in whole.values()} == {3}
    for name, sizes in (("stopped", {1, 2}), ("parts", {1, 2})):
        other = runs_of(made / name)
        assert {run.metadata["trained_together"] for run in other.values()} == sizes
        assert other.keys() == whole.keys()
        assert all(torch.equal(run.vectors, whole[file].vectors) for file, run in other.items())


def test_runs_and_manifest_say_how_they_were_trained(made, told):
    want = {"engine": "gpu", "deterministic": True}
    for run in runs_of(made / "whole").values():
        assert want.items() <= run.metadata.items()
        assert run.metadata["parameters"]["spread"] == 1
    manifest = json.loads((made / "whole/manifest.json").read_text())
    assert manifest["groups"][0]["made"]["engines"] == {"sgns": want}
    assert any("Up to 3 runs were trained at once" in note for note in told["notes"])


def test_a_leaf_never_mixes_engines(made):
    with pytest.raises(InputError, match=r'engine was "gpu", now "gensim"; take engine=.gpu., or another run set'):
        train_runs(plan(made / "documents.txt", engine="gensim", runs=4), made / "whole")
    assert len(runs_of(made / "whole")) == 3


def test_a_leaf_that_several_programs_trained_is_not_gone_on_with(tmp_path):
    settings = plan(write_corpus(tmp_path), engine="gensim", samplings=["fixed"], runs=1)
    train_runs(settings, tmp_path / "set")
    path = tmp_path / "set/sgns/fixed/plan.json"
    for programs in (1, 2):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"programs_per_run": programs}))
        if programs == 1:
            train_runs(settings, tmp_path / "set")
        else:
            with pytest.raises(InputError, match="programs_per_run was 2, now 1; take those, or another run set"):
                train_runs(settings, tmp_path / "set")


def test_an_older_plan_means_that_tokens_were_drawn():
    now = {"parameters": PpmiSvdParameters().model_dump(mode="json")}
    old = {"parameters": {k: v for k, v in now["parameters"].items() if k not in {"subsample_by", "window_weights"}}}
    assert _differences(old, now) == []
    weighted = {"parameters": now["parameters"] | {"subsample_by": "weight"}}
    assert _differences(old, weighted) == ['parameters.subsample_by was "draw", now "weight"']


def test_an_older_plan_means_gensim(tmp_path, usable):
    settings = plan(write_corpus(tmp_path), engine="gensim", samplings=["fixed"], runs=1)
    train_runs(settings, tmp_path / "set")
    path = tmp_path / "set/sgns/fixed/plan.json"
    old = json.loads(path.read_text())
    assert [old.pop("engine"), old["parameters"].pop("spread")] == ["gensim", 1]
    path.write_text(json.dumps(old))
    more = train_runs(settings.model_copy(update={"runs": 2}), tmp_path / "set")
    assert more.tables["groups"]["trained_now"] == [1]
    for engine in ("gpu", "auto"):
        with pytest.raises(InputError, match=r'engine was "gensim", now "gpu"; take engine=.gensim.'):
            train_runs(settings.model_copy(update={"engine": engine}), tmp_path / "set")
    half = plan(tmp_path / "documents.txt", engine="gensim", samplings=["fixed"], sgns=PLAN["sgns"] | {"spread": 0.5})
    with pytest.raises(InputError, match=r"parameters\.spread was 1\.0, now 0\.5"):
        train_runs(half, tmp_path / "set")


def test_a_technique_of_one_engine_says_nothing_of_it(tmp_path):
    content = {"corpus": str(write_corpus(tmp_path)), "techniques": ["lsa"], "samplings": ["fixed"], "runs": 1}
    train_runs(read_settings(content | {"options": PLAN["options"], "lsa": {"dim": 4}}), tmp_path / "set")
    leaf = tmp_path / "set/lsa/fixed"
    metadata = read_space(leaf / "run-000.safetensors").metadata
    assert metadata["deterministic"] is True
    assert {"engine"}.isdisjoint(json.loads((leaf / "plan.json").read_text()) | metadata)


def test_auto_is_gensim_without_a_gpu_and_says_why(monkeypatch, caplog):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cpu"))
    for changes, why in (
        ({}, "there is no CUDA device here"),
        ({"sgns": {"dim": 600}}, "dim is 600, wanted 1 to 512"),
        ({"sgns": {"hierarchical_softmax": True, "negative": 0}}, "hierarchical_softmax is not trained on a GPU"),
    ):
        caplog.clear()
        with caplog.at_level(logging.INFO, "gpustab"):
            assert resolve_engine(plan("lee", **changes)).engine == "gensim"
        (record,) = caplog.records
        assert record.levelno == logging.INFO
        assert f"engine auto is gensim: {why}" in record.getMessage()


def test_a_kernel_that_does_not_prove_itself_trains_nothing(monkeypatch, caplog):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(engines, "use_triton", lambda *_: (True, ""))
    monkeypatch.setattr(engines.torch, "empty", lambda *_, **__: None)  # there is no such device here
    monkeypatch.setattr(word2vec_gpu, "proved_kernel", lambda *_, **__: Proof(0.2, 1e-3))
    with caplog.at_level(logging.INFO, "gpustab"):
        assert resolve_engine(plan("lee")).engine == "gensim"
    assert "engine auto is gensim: sgns did not prove itself here: error 2e-01" in caplog.text
    with pytest.raises(InputError, match="engine gpu cannot be used: sgns did not prove itself here"):
        resolve_engine(plan("lee", engine="gpu"))


def test_auto_is_never_the_interpreter(monkeypatch, proven):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cpu"))
    monkeypatch.setattr(engines, "use_triton", lambda *_: (True, "interpreted"))
    assert resolve_engine(plan("lee")).engine == "gensim"
    assert resolve_engine(plan("lee", engine="gpu")).engine == "gpu"


def test_auto_is_the_gpu_where_it_can_be_used(usable):
    resolved = resolve_engine(plan("lee", techniques=["sgns", "lsa"]))
    assert resolved.engine == "gpu"
    assert {trainer.name: trainer.engine for trainer in trainers_of(resolved)} == {"sgns": "gpu", "lsa": "gensim"}
    assert resolve_engine(plan("lee", engine="gensim")).engine == "gensim"


def test_what_has_run_on_no_card_is_taken_by_those_who_ask_for_it(monkeypatch, caplog, proven):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(engines, "use_triton", lambda *_: (True, ""))
    monkeypatch.setattr(engines.torch, "empty", lambda *_, **__: None)  # there is no such device here
    (trainer,) = trainers_of(resolve_engine(read_settings(CBOW | {"corpus": "lee", "engine": "gpu"})))
    assert trainer.engine == "gpu"
    with caplog.at_level(logging.INFO, "gpustab"):
        assert resolve_engine(read_settings(CBOW | {"corpus": "lee", "engine": "auto"})).engine == "gensim"
    assert "cbow has run on no card yet; --engine gpu takes it" in caplog.text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engine": "gpu"}, "engine gpu cannot be used: there is no CUDA device here"),
        ({"engine": "gpu", "techniques": ["glove"]}, "engine gpu cannot be used: it trains sgns and cbow, not glove"),
        ({"engine": "gpu", "sgns": {"dim": 600}}, "engine gpu cannot be used: dim is 600, wanted 1 to 512"),
        ({"engine": "gpu", "techniques": ["cbow"], "cbow": {"window": 65}}, "cannot be used: window is 65"),
        ({"engine": "gpu", "techniques": ["sgns", "cbow"], "cbow": {"dim": 600}}, "used: cbow: dim is 600, wanted"),
        ({"engine": "gpu", "sgns": {"negative": 0, "hierarchical_softmax": True}}, "hierarchical_softmax is not"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_written(tmp_path, monkeypatch, changes, message):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cpu"))
    monkeypatch.delenv("GPUSTAB_KERNELS", raising=False)
    content = {"corpus": str(write_corpus(tmp_path)), **changes}
    with pytest.raises(InputError, match=message):
        train_runs(read_settings(content), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_the_switch_of_the_kernels_decides_too(monkeypatch):
    monkeypatch.setattr(engines, "choose_device", lambda: torch.device("cpu"))
    monkeypatch.setenv("GPUSTAB_KERNELS", "fast")
    with pytest.raises(InputError, match="GPUSTAB_KERNELS is 'fast'"):
        resolve_engine(plan("lee"))
    monkeypatch.setenv("GPUSTAB_KERNELS", "plain")
    with pytest.raises(InputError, match="cannot be used"):
        resolve_engine(plan("lee", engine="gpu"))  # the plain loop is no engine


def test_an_engine_that_a_technique_does_not_have():
    with pytest.raises(InputError, match="technique 'lsa' has no engine gpu; sgns and cbow have"):
        technique("lsa", "gpu")
    assert technique("sgns", "gpu") is word2vec_gpu.SGNS
    assert technique("cbow", "gpu") is word2vec_gpu.CBOW


@pytest.mark.gpu
@pytest.mark.parametrize("content", [PLAN, CBOW | {"engine": "gpu"}], ids=["sgns", "cbow"])
def test_it_trains_on_the_gpu(tmp_path, content):
    settings = read_settings(content | {"corpus": str(write_corpus(tmp_path))})
    train_runs(settings, tmp_path / "one")
    train_runs(settings, tmp_path / "two")
    one, two = runs_of(tmp_path / "one"), runs_of(tmp_path / "two")
    for name, run in one.items():
        assert run.metadata["engine"] == "gpu"
        assert run.metadata["card"] == torch.cuda.get_device_name()
        assert torch.equal(run.vectors, two[name].vectors)
