"""A leaf is trained by one call at a time, and on one kind of device."""

import json

import pytest
import torch

from gpustab import InputError
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.runs.manifest import PLAN
from gpustab.training import engines, read_settings, resolve_engine, train_runs
from gpustab.training.plan import keep_to_plan, training_alone
from tests.generators import spaces


@pytest.fixture
def glove(tmp_path):
    (tmp_path / "text.txt").write_text("a b c d a b\nb c a d c\nd c b a\n" * 3)
    content = {"corpus": str(tmp_path / "text.txt"), "techniques": ["glove"], "samplings": ["shuffled"], "runs": 1}
    content |= {"options": {"min_count": 1, "drop_duplicates": False}, "glove": {"dim": 2, "epochs": 1}}
    return lambda **change: read_settings(content | change)


def test_a_leaf_that_is_being_trained_is_left_alone(glove, tmp_path):
    leaf = tmp_path / "set/glove/shuffled"
    with training_alone([leaf]):
        (left := leaf / f".{'0a' * 16}.tmp").touch()
        with pytest.raises(InputError, match=f"^{leaf}: another call is training there now"):
            train_runs(glove(), tmp_path / "set")
        assert left.exists()
    train_runs(glove(), tmp_path / "set")
    assert {path.name for path in leaf.iterdir()} == {PLAN, "run-000.safetensors"}


def test_the_device_of_glove_is_decided_in_the_plan(glove, tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "choose_device", lambda name="auto": torch.device("cpu" if name == "auto" else name))
    assert resolve_engine(glove()).parameters_of("glove").device == "cpu"
    train_runs(glove(), tmp_path / "set")
    path = tmp_path / "set/glove/shuffled" / PLAN
    assert json.loads(path.read_text())["parameters"]["device"] == "cpu"
    on_card = glove(glove={"dim": 2, "epochs": 1, "device": "cuda"})
    with pytest.raises(InputError, match=r'parameters\.device was "cpu", now "cuda"'):
        train_runs(on_card, tmp_path / "set")


def test_an_older_plan_of_glove_does_not_tell_the_device_and_is_still_read(glove, tmp_path, caplog):
    train_runs(glove(), tmp_path / "set")
    path = tmp_path / "set/glove/shuffled" / PLAN
    old = json.loads(path.read_text())
    old["parameters"]["device"] = "auto"
    path.write_text(json.dumps(old))
    train_runs(glove(runs=2), tmp_path / "set")
    assert "it is not known on what its runs were trained" in caplog.text


@pytest.fixture
def leaf(tmp_path):
    """A leaf of one run, and its plan on a card."""
    plan = {"technique": "sgns", "engine": "gpu", "card": "NVIDIA H100", "corpus": {}, "parameters": {"dim": 3}}
    keep_to_plan(tmp_path, plan)
    (space,) = spaces(1, 5, 3)
    write_safetensors(space, tmp_path / "run-000.safetensors")
    return tmp_path, plan


def test_two_kinds_of_card_do_not_mix(leaf):
    folder, plan = leaf
    keep_to_plan(folder, plan)
    with pytest.raises(InputError, match='card was "NVIDIA H100", now "NVIDIA A100"'):
        keep_to_plan(folder, plan | {"card": "NVIDIA A100"})
    with pytest.raises(InputError, match='card was "NVIDIA H100", now null'):
        keep_to_plan(folder, {key: value for key, value in plan.items() if key != "card"})


@pytest.mark.parametrize("recorded", ["NVIDIA H100", None])
def test_an_older_plan_takes_the_card_from_its_runs(leaf, recorded):
    folder, plan = leaf
    (space,) = spaces(1, 5, 3)
    space.metadata.update({"card": recorded} if recorded else {})
    write_safetensors(space, folder / "run-000.safetensors")
    (folder / PLAN).write_text(json.dumps({key: value for key, value in plan.items() if key != "card"}))
    keep_to_plan(folder, plan)
    other = plan | {"card": "NVIDIA A100"}
    if recorded is None:  # nothing tells
        keep_to_plan(folder, other)
        return
    with pytest.raises(InputError, match='card was "NVIDIA H100", now "NVIDIA A100"'):
        keep_to_plan(folder, other)
