import json
import shutil

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
def place(tmp_path, made):
    """A folder to work in: three runs, a run set of two groups, and files that are no use."""
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """What each :func:`place` is a copy of."""
    folder = tmp_path_factory.mktemp("made")
    runs = spaces(3, 30, 4)
    for r, space in enumerate(runs):
        write_space(space, folder / f"r{r}.txt")
    write_runset({"x/shuffled": runs, "x/bootstrap": spaces(3, 30, 4, seed=5)}, folder / "set")
    text = (folder / "r0.txt").read_text()
    first = text.splitlines()[1]
    (folder / "nan.txt").write_text(text.replace(first, "w0 nan 1 2 3"))
    (folder / "other.txt").write_text(text.replace("w", "v"))
    (folder / "page.txt").write_text("<!DOCTYPE html>\n<html><body>404 not found</body></html>\n")
    (folder / "words.txt").write_bytes(b"\xef\xbb\xbfw1\r\nw2\r\n\r\nw1\r\n")
    (folder / "empty.txt").touch()
    (folder / "folder").mkdir()
    return folder
