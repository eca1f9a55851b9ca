import json

import pytest

from gpustab import InputError, load_groups, load_runs
from gpustab.runs.families import families
from gpustab.runs.key import Key
from gpustab.runs.runset import open_leaf, open_runset, read_entries, update_manifest, write_leaf, write_runset
from tests.generators import spaces


def test_a_run_set_is_its_groups(tmp_path):
    write_runset({"sgns/fixed": spaces(2), "sgns/bootstrap": spaces(3, seed=1)}, tmp_path / "set", seed=7)
    groups = load_groups(tmp_path / "set")
    assert [(g.name, len(g)) for g in groups] == [("sgns/fixed", 2), ("sgns/bootstrap", 3)]
    assert groups[0].names == ("run-000", "run-001")
    assert json.loads((tmp_path / "set/manifest.json").read_text())["groups"][0]["made"] == {"seed": 7}
    with pytest.raises(InputError, match=r"2 groups, .* name one of them: \S+/set/sgns/fixed, \S+/set/sgns/bootstrap"):
        load_runs(tmp_path / "set")
    assert len(load_runs(tmp_path / "set/sgns/fixed")) == 2


def test_a_technique_of_a_run_set_is_its_groups(tmp_path):
    write_runset({"sgns/fixed": spaces(2), "glove/fixed": spaces(2), "sgns/shuffled": spaces(3)}, tmp_path)
    assert [(g.name, len(g)) for g in load_groups(tmp_path / "sgns")] == [("sgns/fixed", 2), ("sgns/shuffled", 3)]
    (tmp_path / "lsa").mkdir()
    with pytest.raises(InputError, match="lsa: "):
        load_groups(tmp_path / "lsa")


def test_a_group_is_its_key_wherever_it_is_opened(tmp_path):
    keys = [
        Key("sgns", "shuffled", "sentence", 0.2, (("epoch", "1790-1810"), ("author", "a/b: c"))),
        Key("sgns", "bootstrap", part=(("epoch", "1990-2010"),)),
    ]
    write_runset({key: spaces(2, seed=k) for k, key in enumerate(keys)}, tmp_path / "set")
    groups = open_runset(tmp_path / "set")
    assert [group.key for group in groups] == keys
    assert [load_runs(group.folder).key for group in groups] == keys  # a leaf alone: its run set's manifest says it
    update_manifest(tmp_path / "set", {keys[0]: 1}, {"seed": 8})
    assert [(entry.key, entry.runs) for entry in read_entries(tmp_path / "set")] == [(keys[0], 2), (keys[1], 2)]


def test_a_manifest_of_the_first_schema_is_read_and_added_to(tmp_path):
    write_leaf(spaces(2), tmp_path / "sgns/bootstrap-sentence-0.2")
    entry = {"path": "sgns/bootstrap-sentence-0.2", "runs": 2, "made": {}}
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": "gpustab.runset/1", "groups": [entry]}))
    (group,) = open_runset(tmp_path)
    assert group.key == Key("sgns", "bootstrap", "sentence", 0.2)
    write_leaf(spaces(2), tmp_path / "lsa/fixed")
    update_manifest(tmp_path, {Key("lsa", "fixed"): 2}, {})
    assert [group.name for group in open_runset(tmp_path)] == ["sgns/bootstrap-sentence-0.2", "lsa/fixed"]
    assert json.loads((tmp_path / "manifest.json").read_text())["schema"] == "gpustab.runset/2"


def test_groups_of_one_key_are_told_apart_by_their_run_sets(tmp_path):
    for name in "ab":
        write_runset({"x/shuffled": spaces(2), "x/bootstrap": spaces(2, seed=1)}, tmp_path / name)
    groups = load_groups([tmp_path / "a", tmp_path / "b"])
    assert len({runs.name for runs in groups}) == 4
    assert all(f"runset={tmp_path}" in runs.name for runs in groups)
    assert [len(family.members) for family in families(groups)] == [2, 2]


@pytest.mark.parametrize("path", ["../other/x/shuffled", "/etc", "x/../../other", "C:/x", "x\\..\\..\\y"])
def test_a_manifest_names_nothing_outside_its_folder(tmp_path, path):
    write_runset({"x/shuffled": spaces(2)}, tmp_path / "other")
    write_runset({"x/shuffled": spaces(2)}, tmp_path / "set")
    file = tmp_path / "set/manifest.json"
    content = json.loads(file.read_text())
    content["groups"][0]["path"] = path
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="not below the folder"):
        open_runset(tmp_path / "set")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.pop("groups"),
        lambda content: content["groups"][0].pop("runs"),
        lambda content: content["groups"][0].pop("path"),
        lambda content: content["groups"][0].pop("key"),
        lambda content: content["groups"][0].update(runs="many"),
        lambda content: content["groups"].append(7),
        lambda content: content.update(groups=5),
    ],
)
def test_a_damaged_manifest_is_refused(tmp_path, damage):
    write_runset({"x/shuffled": spaces(2)}, tmp_path)
    content = json.loads((tmp_path / "manifest.json").read_text())
    damage(content)
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="damaged"):
        open_runset(tmp_path)


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


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "this is not JSON"), ("[]", "not a run-set manifest"), ('{"schema": "x/9"}', "schema 'x/9'")],
)
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
    with pytest.raises(InputError, match=r"it holds files of vectors \(vectors\.txt, \.\.\.\): give them as .*\*\.txt"):
        load_runs(tmp_path)
