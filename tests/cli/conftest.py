import json

import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.formats.writers import write_space
from gpustab.runs.runset import write_runset
from tests.generators import spaces


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def one_object(text):
    """Parse a text that must be one JSON object and nothing else."""
    assert text.startswith("{")
    assert text.endswith("}\n")
    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def call(place, monkeypatch):
    """Run a command line in this process and that folder; whatever it does not catch is raised."""
    monkeypatch.chdir(place)

    def run(command):
        return CliRunner().invoke(app, command.split(" "), catch_exceptions=False)

    return run


@pytest.fixture
def place(tmp_path):
    """A folder to work in: three runs, a run set of two groups, and files that are no use."""
    runs = spaces(3, 30, 4)
    for r, space in enumerate(runs):
        write_space(space, tmp_path / f"r{r}.txt")
    write_runset({"x/shuffled": runs, "x/bootstrap": spaces(3, 30, 4, seed=5)}, tmp_path / "set")
    text = (tmp_path / "r0.txt").read_text()
    first = text.splitlines()[1]
    (tmp_path / "nan.txt").write_text(text.replace(first, "w0 nan 1 2 3"))
    (tmp_path / "other.txt").write_text(text.replace("w", "v"))
    (tmp_path / "page.txt").write_text("<!DOCTYPE html>\n<html><body>404 not found</body></html>\n")
    (tmp_path / "words.txt").write_bytes(b"\xef\xbb\xbfw1\r\nw2\r\n\r\nw1\r\n")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "folder").mkdir()
    return tmp_path
