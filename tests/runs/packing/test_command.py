import json

import pytest
from typer.testing import CliRunner

import gpustab.cli.measure  # noqa: F401  # joins the application
from gpustab.cli.app import app


@pytest.fixture
def call(sources, monkeypatch):
    """Run a command line where the sources lie."""
    monkeypatch.chdir(sources[0].parent)
    return lambda command: CliRunner().invoke(app, command.split(), catch_exceptions=False)


def test_packed_runs_give_the_numbers_of_the_files(call):
    files = "r0.txt r1.txt r2.safetensors r3.safetensors"
    done = call(f"pack {files} -o out --json")
    assert done.exit_code == 0
    (group,) = json.loads(done.stdout)["groups"]
    assert (group["name"], group["runs"], group["packed_now"], group["dtype"]) == ("runs", 4, 4, "float32")
    results = [json.loads(call(f"stability {runs} --json").stdout)["groups"] for runs in (files, "out")]
    assert results[0] == results[1]
    assert "was packed already" in call(f"pack {files} -o out").stdout


def test_verify_ends_with_1_where_something_is_wrong(call, tmp_path):
    call("pack r0.txt r1.txt -o out")
    done = call("pack --verify out")
    assert done.exit_code == 0
    assert "runs/packed-001.safetensors" in done.stdout
    (tmp_path / "out/runs/packed-001.safetensors").unlink()
    assert "missing" in call("pack --verify out").stdout
    done = call("pack --verify out --json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["groups"][0]["status"] == {"packed-001.safetensors": "missing"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("pack r0.txt r1.txt", "give -o: where the packed run set goes"),
        ("pack --verify r0.txt -o out", "pack --verify RUNSET"),
        ("pack --verify r0.txt r1.txt", "takes one run set, not 2"),
        ("pack r0.txt -o out", "at least two"),
    ],
)
def test_wrong_calls(call, command, message):
    done = call(command)
    assert done.exit_code == 2
    assert message in done.stderr
