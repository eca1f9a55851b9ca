"""Nothing is written among the things of others, and a corpus is not told from what was made of it by luck."""

import pytest

from gpustab.errors import InputError
from gpustab.runs.manifest import holds_runs, holds_texts, is_leaf, refuse_both
from gpustab.runs.place import check_place, foreign, refuse_within
from gpustab.runs.runset import open_runset, write_leaf, write_runset
from tests.generators import spaces

REPORT = '{"schema": "gpustab.stability/1", "environment": {}}'
TEXT = "a b c a b\nb c a c\n"


def put(path, content=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@pytest.fixture
def texts(tmp_path):
    for number in range(3):
        put(tmp_path / f"texts/{number}.txt", TEXT)
    return tmp_path / "texts"


WEB = {
    "npm": '{"name": "app", "version": "1.0.0"}',
    "browser": '{"manifest_version": 3, "name": "x", "version": "1"}',
    "pwa": '{"short_name": "x", "start_url": "/", "icons": []}',
    "iiif": '{"@context": "http://iiif.io/api/presentation/3/context.json", "type": "Manifest", "items": []}',
    "list": "[]",
    "schema": '{"schema": "https://json-schema.org/draft"}',
}


@pytest.mark.parametrize("content", WEB.values(), ids=WEB)
def test_a_manifest_of_others_makes_no_run_set(tmp_path, content):
    put(tmp_path / "web/manifest.json", content)
    with pytest.raises(InputError, match=r"holds other things \(manifest.json\)"):
        check_place(tmp_path / "web")
    assert not holds_runs(tmp_path / "web")
    assert not holds_runs(tmp_path)
    with pytest.raises(InputError, match=r"it is no run set|schema 'https"):
        open_runset(tmp_path / "web")
    leaf = tmp_path / "web/sgns/fixed"
    write_leaf(spaces(2), leaf)
    assert str(open_runset(leaf)[0].key) == "sgns/fixed"
    put(tmp_path / "pack/packed.json", content)
    assert not is_leaf(tmp_path / "pack")


@pytest.mark.parametrize("name", ["manifest.json", "meta.json", "config.json"])
def test_texts_beside_a_manifest_of_others_are_texts(tmp_path, name):
    for place in (name, "0.txt", "1.txt"):
        put(tmp_path / "texts" / place, WEB["npm"] if place == name else TEXT)
    assert holds_texts(tmp_path / "texts")
    refuse_both(tmp_path)


def test_a_damaged_manifest_may_be_ours(tmp_path):
    put(tmp_path / "set/manifest.json", '{"schema": "gpustab.run')
    with pytest.raises(InputError, match="this is not JSON"):
        open_runset(tmp_path / "set")


@pytest.mark.parametrize(
    "name", ["thesis.docx", "notes.txt", "data/x.csv", "manifest/manifest.json", "summary.json", "a/plan.json"]
)
def test_things_of_others_are_named(tmp_path, name):
    put(tmp_path / "out" / name, "{}")
    with pytest.raises(
        InputError, match=rf"holds other things \({name.split('/')[0]}\); give a new or an empty folder"
    ):
        check_place(tmp_path / "out")


@pytest.mark.parametrize("name", [".DS_Store", "Thumbs.db", ".git/HEAD", ".pack.lock", ".finished/x", ".result.tmp/y"])
def test_what_systems_and_stopped_calls_leave_is_nothing(tmp_path, name):
    put(tmp_path / "out" / name)
    check_place(tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sgns/fixed/plan.json", '{"schema": "gpustab.plan/3"}'),
        ("sgns/fixed/run-000.safetensors", ""),
        ("sgns/fixed/.train.lock", ""),
        ("sgns-baseline/manifest.json", '{"schema": "gpustab.runset/2"}'),
        ("sgns-baseline/lsa/fixed/plan.json", '{"schema": "gpustab.plan/3"}'),
        ("unfinished-encoding/x/y", ""),
        ("report/summary.json", REPORT),
    ],
)
def test_a_folder_of_ours_is_gone_on_with(tmp_path, name, content):
    put(tmp_path / "out" / name, content)
    check_place(tmp_path / "out")


def test_a_run_set_may_have_things_of_others_beside_it(tmp_path):
    write_runset({"a/b": spaces(2)}, tmp_path / "set")
    put(tmp_path / "set/README.md")
    assert foreign(tmp_path / "set") == []


@pytest.mark.parametrize("below", ["", "runs", "a/b/c"])
def test_runs_do_not_lie_among_texts(texts, below):
    with pytest.raises(InputError, match=r"lies within .*texts, whose files are read; give a folder of its own"):
        check_place(texts / below, texts)


def test_what_is_not_read_as_text_may_lie_there(texts):
    refuse_within(texts / ".runs", texts)
    refuse_within(texts / "../texts-of-mine", texts)
    refuse_within(texts, "sotu")
    refuse_within(texts, texts / "1.txt")


def test_a_link_to_the_texts_is_the_texts(texts, tmp_path):
    (tmp_path / "link").symlink_to(texts)
    with pytest.raises(InputError, match="lies within"):
        refuse_within(tmp_path / "link" / "runs", texts)
