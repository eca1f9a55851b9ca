"""Manifests that are damaged, or made by somebody else: one line that names the file and the part."""

import json
import shutil

import pytest

from gpustab import InputError, load_groups
from gpustab.runs.manifest import inside
from gpustab.runs.packing.open import open_packed
from gpustab.runs.packing.output import begin
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.packing.verify import verify
from gpustab.runs.runset import open_leaf, open_runset, write_runset
from tests.generators import spaces


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run set and its pack."""
    folder = tmp_path_factory.mktemp("made")
    write_runset({"sgns/shuffled": spaces(2, 20, 4)}, folder / "set")
    pack_runs([folder / "set"], folder / "packed")
    return folder


@pytest.fixture
def place(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def parts(content, path=()):
    """Every part of a JSON value by its path, but what only the reader of options or sources looks into."""
    yield path
    if path and path[-1] in ("source", "options", "versions", "made", "part", "notes"):
        return
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield from parts(value, (*path, key))


def changed(content, path, change):
    content = json.loads(json.dumps(content))
    if not path:
        return change(content)
    at = content
    for key in path[:-1]:
        at = at[key]
    if change is None:
        del at[path[-1]]
    else:
        at[path[-1]] = change(at[path[-1]])
    return content


CHANGES = [None, lambda value: None, lambda value: [value], lambda value: {}, lambda value: "x", lambda value: -1.5]


def only_input_errors(work, *arguments):
    try:
        work(*arguments)
    except InputError as error:
        return int("\n" not in str(error)) or pytest.fail(str(error))
    return 0


def test_a_run_set_whose_manifest_lacks_any_part_is_refused_in_one_line(place):
    path = place / "set/manifest.json"
    good, refused, tried = json.loads(path.read_text()), 0, 0
    for where in parts(good):
        for change in CHANGES:
            if change is None and not where:
                continue
            path.write_text(json.dumps(changed(good, where, change)))
            tried += 1
            refused += only_input_errors(load_groups, place / "set")
            only_input_errors(verify, place / "set")
            only_input_errors(open_leaf, place / "set/sgns/shuffled")
    assert refused > tried / 2


def test_a_pack_whose_manifests_lack_any_part_is_refused_in_one_line(place):
    for name in ("sgns/shuffled/packed.json", "manifest.json"):
        path = place / "packed" / name
        good, refused, tried = json.loads(path.read_text()), 0, 0
        for where in parts(good):
            for change in CHANGES:
                if change is None and not where:
                    continue
                path.write_text(json.dumps(changed(good, where, change)))
                tried += 1
                refused += only_input_errors(load_groups, place / "packed")
                only_input_errors(verify, place / "packed")
                only_input_errors(pack_runs, [place / "set"], place / "packed")
        path.write_text(json.dumps(good))
        assert refused > tried / 3


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "null", '{"schema": ["gpustab.runset/2"]}', "\x00"])
def test_what_is_no_manifest_at_all(place, content):
    for path in (place / "set/manifest.json", place / "packed/sgns/shuffled/packed.json"):
        path.write_text(content)
        with pytest.raises(InputError, match=path.name):
            load_groups(path.parent)


def test_the_missing_part_is_named(place):
    path = place / "set/manifest.json"
    path.write_text('{"schema": "gpustab.runset/2"}')
    with pytest.raises(InputError, match=f"^{path}: damaged: it has no 'groups'$"):
        open_runset(place / "set")
    path.write_text('{"schema": "gpustab.runset/2", "groups": [{"path": "sgns/shuffled", "key": {}}]}')
    with pytest.raises(InputError, match="damaged: group 0 has no 'runs'"):
        open_runset(place / "set")
    leaf = place / "packed/sgns/shuffled"
    content = json.loads((leaf / "packed.json").read_text())
    del content["runs"][1]["bytes"]
    (leaf / "packed.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="damaged: run 1 has no 'bytes'"):
        open_packed(leaf)


@pytest.mark.parametrize("name", ["../out.safetensors", "/etc/passwd", "a/../../x", "..\\x", "c:x", "link"])
def test_nothing_outside_of_the_folder_is_opened(place, name):
    leaf = place / "packed/sgns/shuffled"
    shutil.copy(leaf / "packed-000.safetensors", place / "packed/sgns/out.safetensors")
    if name == "link":
        (leaf / "link").symlink_to(place / "packed/sgns/out.safetensors")
    content = json.loads((leaf / "packed.json").read_text())
    content["runs"][0]["file"] = name
    (leaf / "packed.json").write_text(json.dumps(content))
    for work in (open_leaf, open_packed, verify):
        with pytest.raises(InputError, match="out of the folder" if name == "link" else "not below the folder"):
            work(leaf)


def test_a_group_outside_of_the_run_set_is_named_and_not_opened(place):
    """A person may name a link itself; a manifest may not lead over one."""
    shutil.move(place / "set/sgns/shuffled", place / "elsewhere")
    (place / "set/sgns/shuffled").symlink_to(place / "elsewhere")
    with pytest.raises(InputError, match=r"'sgns/shuffled', which a symbolic link leads out .* name the leaf itself"):
        open_runset(place / "set")
    assert len(open_leaf(place / "set/sgns/shuffled")) == 2
    (place / "other").symlink_to(place / "set")
    shutil.rmtree(place / "set/sgns", ignore_errors=True)
    assert inside(place / "other", "x") == place / "other/x"  # the folder itself may be a link


def test_groups_that_a_manifest_does_not_name_are_told(tmp_path, caplog):
    """As those of a training that was killed, or of a manifest that lost one: they were left out without a word."""
    write_runset({"lsa/fixed": spaces(2), "sgns/fixed": spaces(2), "sgns/shuffled": spaces(2)}, tmp_path / "set")
    path = tmp_path / "set" / "manifest.json"
    assert len(open_runset(tmp_path / "set")) == 3
    assert not caplog.messages
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"groups": content["groups"][:2]}))
    assert len(open_runset(tmp_path / "set")) == 2
    assert len(open_runset(tmp_path / "set" / "sgns")) == 1
    assert ["does not name sgns/shuffled: left out" in caplog.messages[0], len(caplog.messages)] == [True, 2]
    assert "sgns: its manifest does not name shuffled" in caplog.messages[1]
    assert len(open_runset(tmp_path / "set" / "lsa")) == 1
    write_runset({"sgns/fixed": spaces(2)}, tmp_path / "set" / "lsa" / "other")  # a run set of its own
    assert len(open_runset(tmp_path / "set" / "lsa")) == 1
    assert len(caplog.messages) == 2


def test_a_manifest_without_groups_is_refused(place):
    path = place / "set" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"groups": []}))
    with pytest.raises(InputError, match=r"manifest\.json: names no groups"):
        open_runset(place / "set")


@pytest.mark.parametrize("files", [3, None, True, -2.5, "x", {"a": 1}])
def test_the_request_of_a_pack_has_lists_of_files(tmp_path, files):
    path = tmp_path / "unfinished-pack" / "request.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"schema": "gpustab.pack-request/1", "request": {"groups": {"sgns/fixed": files}}}))
    with pytest.raises(InputError, match=r"request\.json: damaged: the 'sgns/fixed' .*, no list"):
        begin(tmp_path, {"groups": {}})


@pytest.mark.parametrize("key", ["vocabulary", "min_runs", "dtype", "options"])
def test_a_pack_that_differs_is_told_in_a_line_that_has_an_end(tmp_path, key):
    now = {"vocabulary": "joint", "min_runs": None, "dtype": "float32", "options": {}, "groups": {}}
    begin(tmp_path, now | {key: "x" * 100_000})
    (tmp_path / "packed").mkdir()
    with pytest.raises(InputError, match=f"holds an unfinished pack, and its {key} was x") as refused:
        begin(tmp_path, now)
    assert len(str(refused.value)) < 600 + len(str(tmp_path))
