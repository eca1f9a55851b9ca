"""What is advised where a package is missing can be typed where gpustab runs, also where no index has it."""

import ast
import json
import os
import shlex
import tomllib
from pathlib import Path

import pytest

from gpustab import installing
from gpustab.installing import install

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("here", [ROOT, ROOT / "tests"])
def test_a_clone_installs_itself(monkeypatch, here):
    monkeypatch.chdir(here)
    pip, word, what = shlex.split(install("train"))
    place = Path(what.removesuffix("[train]"))
    assert (pip, word) == ("pip", "install")
    assert (place / "pyproject.toml").samefile(ROOT / "pyproject.toml")
    assert str(place) == ("." if here == ROOT else str(ROOT))
    assert install() == f"pip install --upgrade '{place}'"


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a folder that is used cannot be removed")
def test_a_hint_is_given_in_a_folder_that_was_removed(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert install("train") == f"pip install '{ROOT}[train]'"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ({"url": "{clone}", "dir_info": {}}, "pip install '{path}[train]'"),
        ({"url": "file:///no/longer/there", "dir_info": {}}, "'gpustab[train] @ file:///no/longer/there'"),
        (
            {"url": "https://x.org/g.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            "pip install 'gpustab[train] @ git+https://x.org/g.git'",
        ),
        (
            {"url": "https://x.org/g.git", "vcs_info": {"vcs": "git", "commit_id": "1", "requested_revision": "v2"}},
            "pip install 'gpustab[train] @ git+https://x.org/g.git@v2'",
        ),
        ({"url": "file:///g.whl", "archive_info": {}}, "pip install 'gpustab[train] @ file:///g.whl'"),
        (None, "pip install 'gpustab[train]'"),
        ([], "pip install 'gpustab[train]'"),
    ],
)
def test_what_was_installed_is_installed_from_where_it_came(tmp_path, monkeypatch, said, command):
    class Installed:
        def read_text(self, name):
            return said and json.dumps(said).replace("{clone}", (tmp_path / "a clone").as_uri())

    (tmp_path / "a clone").mkdir()
    monkeypatch.setattr(installing, "__file__", str(tmp_path / "site-packages/gpustab/installing.py"))
    monkeypatch.setattr(installing, "distribution", lambda name: Installed())
    assert install("train").endswith(command.replace("{path}", str(tmp_path / "a clone")))


def test_every_extra_that_is_advised_is_one():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set()
    for path in (ROOT / "gpustab").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert "pip install 'gpustab[" not in source, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "install" and node.args:
                named |= {value.value for value in node.args if isinstance(value, ast.Constant)}
    assert {"train", "corpus", "report"} <= named <= set(extras)
