import json

import pytest

from gpustab import InputError, load_groups, load_runs
from gpustab.runs.runset import open_leaf, open_runset, write_leaf, write_runset
from tests.generators import spaces


def test_a_run_set_is_its_groups(tmp_path):
    write_runset({"sgns/fixed": spaces(2), "sgns/bootstrap": spaces(3, seed=1)}, tmp_path / "set", seed=7)
    groups = load_groups(tmp_path / "set")
    assert [(g.group, len(g)) for g in groups] == [("sgns/fixed", 2), ("sgns/bootstrap", 3)]
    assert groups[0].names == ("run-000", "run-001")
    assert json.loads((tmp_path / "set/manifest.json").read_text())["groups"][0]["made"] == {"seed": 7}
    with pytest.raises(InputError, match="2 groups, wanted one of them: sgns/fixed, sgns/bootstrap"):
        load_runs(tmp_path / "set")
    assert len(load_runs(tmp_path / "set/sgns/fixed")) == 2


def test_an_unfinished_run_set_is_not_taken_for_a_whole_one(tmp_path):
    write_runset({"sgns/fixed": spaces(2)}, tmp_path / "set")
    (tmp_path / "set/manifest.json").unlink()
    with pytest.raises(InputError, match="no run set"):
        open_runset(tmp_path / "set")


def test_the_manifest_must_describe_what_is_there(tmp_path):
    write_runset({"sgns/fixed": spaces(3)}, tmp_path)
    (tmp_path / "sgns/fixed/run-002.safetensors").unlink()
    with pytest.raises(InputError, match="names 3 runs, 2 are there"):
        open_runset(tmp_path)


@pytest.mark.parametrize(("text", "message"), [("{", "not a run-set manifest"), ('{"schema": "x/9"}', "schema 'x/9'")])
def test_a_foreign_manifest(tmp_path, text, message):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message):
        open_runset(tmp_path)


def test_a_finished_run_set_is_not_overwritten(tmp_path):
    write_runset({"a/b": spaces(2)}, tmp_path)
    with pytest.raises(InputError, match="already there"):
        write_runset({"a/b": spaces(2)}, tmp_path)


def test_a_manifest_holds_any_name(tmp_path):
    write_runset({"a/b": spaces(2)}, tmp_path, corpus="caf\udce9.txt")
    assert json.loads((tmp_path / "manifest.json").read_text())["groups"][0]["made"] == {"corpus": "caf\udce9.txt"}


def test_a_leaf_of_one_run(tmp_path):
    write_leaf(spaces(1), tmp_path)
    with pytest.raises(InputError, match="has only 1 run"):
        load_runs(tmp_path)


def test_a_folder_without_runs(tmp_path):
    with pytest.raises(InputError, match=r"no run-NNN\.safetensors"):
        open_leaf(tmp_path)
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    with pytest.raises(InputError, match="name the files"):
        load_runs(tmp_path)
