"""What a path that was given stands for."""

import pytest

from gpustab import InputError, load_runs
from gpustab.formats.writers import write_word2vec_text
from gpustab.runs.paths import files_of
from gpustab.runs.runset import write_runset
from tests.generators import spaces


@pytest.fixture
def folder(tmp_path):
    for number, space in enumerate(spaces()):
        write_word2vec_text(space, tmp_path / f"run{number}.txt")
    return tmp_path


def test_a_pattern_stands_for_the_files_that_fit_it_by_name(folder):
    assert [path.name for path in files_of(folder / "run*.txt")] == ["run0.txt", "run1.txt", "run2.txt"]
    assert load_runs(str(folder / "run[12].txt")).names == ("run1", "run2")
    assert load_runs([folder / "run0.txt", folder / "run[12].txt"]).names == ("run0", "run1", "run2")


def test_a_file_whose_name_looks_like_a_pattern_is_itself(folder):
    (folder / "run0.txt").rename(folder / "run[12].txt")
    assert files_of(folder / "run[12].txt") == [folder / "run[12].txt"]


def test_commas_between_files_are_named(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match=r"there is no such file; run0.txt and run1.txt are there: give files apart"):
        load_runs("run0.txt,run1.txt")
    with pytest.raises(InputError, match=r"there is no such file; run0.txt is there"):
        load_runs("run0.txt, none.txt")


def test_one_file_alone_is_still_one_run(folder):
    with pytest.raises(InputError, match=r"^only 1 run is given; give at least two"):
        load_runs(folder / "run0.txt")


def test_what_may_be_meant_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_runset({"sgns/bootstrap": spaces(), "glove/bootstrap": spaces(), "sgns/fixed": spaces()}, "letters")
    with pytest.raises(InputError, match=r"^leters: there is no such file; near it is letters$"):
        files_of("leters")
    with pytest.raises(InputError, match=r"meant may be letters/glove/bootstrap or letters/sgns/bootstrap$"):
        files_of("letters/bootstrap")
    with pytest.raises(InputError, match=r"meant may be letters/sgns/fixed$"):
        files_of("letters/fixed")
    with pytest.raises(InputError, match=r"^king: there is no such file$"):
        files_of("king")


def test_a_kind_of_run_alone_is_looked_for_in_the_run_sets_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_runset({"sgns/bootstrap": spaces(), "sgns/fixed": spaces()}, "letters")
    with pytest.raises(InputError, match=r"^fixed: there is no such file; meant may be letters/sgns/fixed$"):
        files_of("fixed")
    with pytest.raises(InputError, match=r"^shuffled: there is no such file; a group is called RUNSET/TECHNIQUE/shuff"):
        files_of("shuffled")
    with pytest.raises(InputError, match=r"a group is called RUNSET/TECHNIQUE/bootstrap-sentence$"):
        files_of("letters/sgns/bootstrap-sentence")
