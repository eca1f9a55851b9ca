"""Encoders on a card give the CPU's numbers: `encode`, and a small case of every study that reads them."""

import json
from importlib.util import find_spec

import pytest
import torch
from typer.testing import CliRunner

pytest.importorskip("transformers")

from gpustab.cli import app
from gpustab.formats.binary.tensors import load_tensors
from tests.faults.scenarios import ENCODE, ON_ENCODERS, make_inputs, make_models

pytestmark = pytest.mark.gpu
CARD = "cuda"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    make_inputs(folder)
    make_models(folder)
    return folder


@pytest.fixture
def called(made, tmp_path, monkeypatch):
    """Make a call on the CPU and on the card; returns the folders that they wrote."""
    monkeypatch.chdir(made)

    def call(line):
        folders = tmp_path / "here", tmp_path / "there"
        for device, folder in zip(("cpu", CARD), folders, strict=True):
            answer = CliRunner().invoke(app, f"{line} -o {folder} --device {device} -q".split())
            assert answer.exit_code == 0, answer.output
        return folders

    return call


@pytest.mark.parametrize("items", ["words", "sentences"])
def test_runs_are_those_of_the_cpu(called, items):
    cpu, card = called(f"{ENCODE.partition(' -o ')[0]} -m other --as-is --items {items}")
    files = [path.relative_to(cpu) for path in cpu.rglob("*.safetensors")]
    assert len(files) >= 2
    for file in files:
        (one,), (other,) = (load_tensors(folder / file, "vectors") for folder in (cpu, card))
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", sorted(ON_ENCODERS))
def test_studies_say_what_they_say_on_the_cpu(called, name):
    if name.endswith("edits") and find_spec("num2words") is None:
        pytest.skip("needs the extra sentences")
    cpu, card = (json.loads((folder / "summary.json").read_text()) for folder in called(ON_ENCODERS[name]))
    assert card["environment"]["device"].startswith(CARD)
    for key, table in cpu["tables"].items():
        same_rows(table, card["tables"][key])


def same_rows(one, other):
    """Compare what two tables hold: numbers to some digits."""
    assert len(one) == len(other)
    rows = one.values() if isinstance(one, dict) else one
    others = other.values() if isinstance(other, dict) else other
    for value, there in zip(rows, others, strict=True):
        if isinstance(value, dict | list):
            same_rows(value, there)
        elif isinstance(value, float):
            assert there == pytest.approx(value, rel=1e-2, abs=1e-3)
        elif not isinstance(value, str):  # a sentence rounds numbers
            assert value == there
