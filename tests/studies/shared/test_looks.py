"""A look at runs is kept, and found again by the runs themselves: nothing but time depends on it."""

import json
import os

import numpy as np
import pytest

import gpustab
from gpustab.machine.device import DEFAULT
from gpustab.studies.shared import looks
from gpustab.studies.shared.finished import _sum_of
from gpustab.studies.shared.spaces import look_at


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUSTAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/looks"


def spaces(change=0.0, **how):
    rng = np.random.default_rng(0)
    words, vectors = [f"w{i}" for i in range(40)], rng.normal(size=(3, 40, 6)).astype(np.float32)
    vectors[2] = vectors[0]
    vectors[1, 3, 2] += change
    return gpustab.load_runs([(words, space) for space in vectors], **how)


def said(runs):
    return look_at(runs, DEFAULT)


def never():
    raise AssertionError("looked again")


def test_the_second_look_says_what_the_first_found(folder):
    found = said(spaces())
    assert "equal up to rotation" in found[0]
    assert looks.kept_look(spaces(), DEFAULT, never) == found


@pytest.mark.parametrize("other", [{"change": 1e-6}, {"centre": True}, {"unit": False}])
def test_other_vectors_and_another_reading_are_looked_at(folder, other):
    said(spaces())
    with pytest.raises(AssertionError, match="looked again"):
        looks.kept_look(spaces(**other), DEFAULT, never)


def test_runs_in_another_order_are_looked_at(folder):
    said(spaces())
    with pytest.raises(AssertionError, match="looked again"):
        looks.kept_look(spaces().take([1, 0, 2]), DEFAULT, never)


def test_what_other_code_found_is_not_taken(folder, monkeypatch):
    said(spaces())
    monkeypatch.setattr(looks, "_newest_code", lambda: 1)
    with pytest.raises(AssertionError, match="looked again"):
        looks.kept_look(spaces(), DEFAULT, never)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"said": ["all is well"], "crc32": 1}', '{"said": 3}', "\0" * 99])
def test_a_file_that_is_none_of_ours_is_made_anew(folder, content):
    found = said(spaces())
    (path,) = folder.iterdir()
    whole = path.read_text()
    path.write_text(content)
    assert said(spaces()) == found
    assert path.read_text() == whole


@pytest.mark.parametrize("content", [["yes", 1], "yes", {"keys": [], "values": []}, None])
def test_what_is_kept_whole_but_is_no_list_of_sentences_is_made_anew(folder, content):
    found = said(spaces())
    (path,) = folder.iterdir()
    path.write_text(json.dumps({"said": content, "crc32": _sum_of(content)}))
    assert said(spaces()) == found


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GPUSTAB_CACHE", str(tmp_path / "file"))
    assert said(spaces()) == said(spaces())


def test_the_latest_are_kept(folder, monkeypatch):
    monkeypatch.setattr(looks, "_MOST", 3)
    for k in range(5):
        said(spaces(change=1.0 + k))
        for path in folder.iterdir():  # a clock may not tell files of one moment apart
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**9))
    assert len(list(folder.iterdir())) == 3
    assert looks.kept_look(spaces(change=5.0), DEFAULT, never)
    with pytest.raises(AssertionError, match="looked again"):
        looks.kept_look(spaces(change=1.0), DEFAULT, never)
