from pathlib import PureWindowsPath
from typing import get_type_hints

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors

from gpustab import InputError, load_runs, load_space
from gpustab.formats.options import LoadOptions
from gpustab.formats.writers import write_word2vec_text
from gpustab.runs.group import Group
from gpustab.runs.joining import Loading
from gpustab.runs.key import Key
from gpustab.runs.load import LoadArguments, _distinct, open_groups
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import write_runset
from tests.generators import spaces


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"run{r}.txt" for r in range(3)]
    for space, path in zip(spaces(), paths, strict=True):
        write_word2vec_text(space, path)
    return paths


def test_files_keyed_vectors_pairs_and_spaces_are_the_same_runs(files):
    wanted = load_runs(files)
    keyed = [KeyedVectors.load_word2vec_format(str(f)) for f in files]
    pairs = [(model.index_to_key, model.vectors) for model in keyed]
    for sources in (
        keyed,
        pairs,
        [load_space(f) for f in files],
        [str(f) for f in files],
        [files[0], keyed[1], pairs[2]],
    ):
        runs = load_runs(sources)
        assert runs.vocabulary == wanted.vocabulary
        assert torch.equal(runs.stack(), wanted.stack())


def test_inputs_are_never_changed(files):
    model = KeyedVectors.load_word2vec_format(str(files[0]))
    words, array = list(model.index_to_key), np.asfortranarray(model.vectors.astype(np.float64))
    array.setflags(write=False)
    before = model.vectors.copy(), array.copy()
    load_runs([model, (words, array)], centre=True)
    assert np.array_equal(model.vectors, before[0])
    assert np.array_equal(array, before[1])


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "no runs were given"),
        (["only.txt"], r"^only\.txt: there is no such file$"),
        ("only.txt", r"^only\.txt: there is no such file$"),
        ("nosuch*.gz", r"^nosuch\*\.gz: there is no such file, and none fits this pattern$"),
        ("a.txt,b.txt", r"^a\.txt,b\.txt: there is no such file$"),
        (["missing-1.txt", "missing-2.txt"], "missing-1.txt"),
        ([3, 4], "source 0 is a int"),
    ],
)
def test_wrong_sources(sources, message):
    with pytest.raises(InputError, match=message):
        load_runs(sources)


def test_a_device_that_is_not_here(files):
    with pytest.raises(InputError, match="device 'cuda:9' is not here"):
        load_runs(files, device="cuda:9")
    with pytest.raises(InputError, match="unknown"):
        load_runs(files, device="gpu")


@pytest.mark.parametrize("jobs", [1, 3, None])
def test_runs_keep_their_order_however_many_are_read_at_once(files, jobs):
    runs = load_runs(files, jobs=jobs)
    assert runs.names == ("run0", "run1", "run2")
    alone = [load_space(file) for file in files]
    at = runs.vocabulary.index_of("w3")
    for r, space in enumerate(alone):
        assert torch.equal(runs.rows[r][at : at + 1], space.vectors[space.vocabulary.index_of("w3")][None])


def test_a_damaged_file_among_many_is_named(files):
    files[1].write_text("damaged")
    with pytest.raises(InputError, match=r"run1\.txt"):
        load_runs(files, jobs=3)


def test_only_some_words(files):
    runs = load_runs(files, options=LoadOptions(only=["w1", "w2", "w5"]))
    assert set(runs.vocabulary) == {b"w1", b"w2", b"w5"}


def arrays(*arrays):
    return [([f"w{i}" for i in range(len(array))], np.asarray(array, dtype=np.float32)) for array in arrays]


def test_options_reach_what_is_in_memory():
    good, odd = np.eye(4) + 1, np.eye(4) + 1
    odd[2, 1] = np.nan
    with pytest.raises(InputError, match="not finite"):
        load_runs(arrays(good, odd))
    runs = load_runs(arrays(good, odd), options=LoadOptions(drop_nonfinite=True))
    assert list(runs.vocabulary) == [b"w0", b"w1", b"w3"]
    assert any("drop_nonfinite: left out" in note for note in runs.notes)


@pytest.mark.parametrize("vocabulary", ["joint", "union"])
def test_a_run_of_zeros_is_named_and_not_taken_for_a_matter_of_letter_case(vocabulary):
    with pytest.raises(InputError) as caught:
        load_runs(arrays(np.eye(4), np.zeros((4, 4)), np.eye(4)), vocabulary=vocabulary)
    assert str(caught.value) == "run-001: all of its 4 vectors are zero, so no word of it has a direction"


def test_zero_vectors_are_no_matter_of_letter_case():
    """Each word is zero in one of the runs."""
    first, second = np.diag([1.0, 1, 0, 0]), np.diag([0.0, 0, 1, 1])
    with pytest.raises(InputError, match="a vector of zeros has no direction") as caught:
        load_runs(arrays(first, second))
    assert "letter case" not in str(caught.value)


def test_least_runs_without_a_union_mean_nothing(files):
    with pytest.raises(InputError, match="min_runs is for vocabulary='union': joint words are in all runs"):
        load_runs(files, min_runs=2)


def test_a_run_set_that_is_given_twice_is_named_in_a_short_sentence(tmp_path):
    write_runset({"sgns/fixed": spaces(2), "sgns/shuffled": spaces(2, seed=1)}, tmp_path / "set")
    leaf, whole = tmp_path / "set/sgns/fixed", tmp_path / "set"
    assert len(open_groups([leaf, tmp_path / "set/sgns/shuffled"])) == 2
    for given, message in (
        ([whole, whole], f"{whole}: is given twice"),
        ([whole, leaf / "../.."], f"{leaf / '../..'}: is given twice"),
        ([leaf, leaf], f"{leaf}: is given twice"),
        ([leaf, whole], f"{leaf}: is given twice, by {leaf} and by {whole}"),
    ):
        with pytest.raises(InputError) as refused:
            open_groups(given)
        assert str(refused.value) == message
    with pytest.raises(InputError, match="is given twice"):
        pack_runs([whole, whole], tmp_path / "out")


def test_groups_are_called_by_their_run_sets_whatever_parts_a_path():
    keys = [Group(Key.of_path("sgns/fixed"), (), PureWindowsPath(f"C:\\runs\\{name}\\sgns\\fixed")) for name in "ab"]
    assert [group.key.part for group in _distinct(keys)] == [(("runset", "C:/runs/a"),), (("runset", "C:/runs/b"),)]


def test_what_is_taken_by_name_are_the_fields_of_loading_and_two_more():
    fields, taken = get_type_hints(Loading), get_type_hints(LoadArguments)
    assert taken.pop("center") is bool
    assert taken.pop("name") == str | None
    assert taken == fields | {"options": LoadOptions | None}
    with pytest.raises(TypeError, match="unexpected keyword argument 'centred'"):
        load_runs([], centred=True)
