"""Runs that share hardly any word."""

import json

import numpy as np
import pytest

from gpustab import InputError, load_runs
from gpustab.formats.memory import from_pair
from gpustab.formats.writers import write_word2vec_text
from gpustab.runs.joining import LEAST_SHARE, small_overlap
from gpustab.runs.packing.pack import pack_runs
from gpustab.studies.neighbours.study import neighbours_of


def sources(shared, own=500):
    """Two runs of ``own`` words, of which ``shared`` are in both."""
    rng = np.random.default_rng(0)
    names = [[f"w{i}" for i in range(shared)] + [f"{run}{i}" for i in range(own - shared)] for run in "ab"]
    return [(words, rng.normal(size=(own, 4))) for words in names]


def test_3_of_997_words_are_refused_unless_allowed():
    with pytest.raises(InputError) as caught:
        load_runs(sources(3))
    first = "only 3 of 997 words are in common, 0.6 % of the smallest vocabulary (500 words)"
    assert str(caught.value).startswith(first)
    assert str(caught.value).endswith("allow_small_overlap measures them")
    runs = load_runs(sources(3), allow_small_overlap=True)
    assert runs.words == 3
    (alarm,) = neighbours_of(runs, "w0").alarms
    assert alarm.startswith(f"runs: {first}")


@pytest.mark.parametrize(("shared", "refused"), [(24, True), (25, False)])
def test_the_border_is_one_word_in_twenty_of_the_smallest(shared, refused):
    assert LEAST_SHARE == 0.05
    if refused:
        with pytest.raises(InputError, match="in common"):
            load_runs(sources(shared))
    else:
        assert small_overlap(load_runs(sources(shared)).joining, shared) is None


def test_a_small_run_within_a_large_one_is_no_small_overlap():
    (words, small), _ = sources(100, 100)
    large = from_pair([*words, *(f"x{i}" for i in range(9_900))], np.random.default_rng(1).normal(size=(10_000, 4)))
    assert load_runs([(words, small), large]).words == 100


def test_letter_case_is_named_as_the_cause():
    rng = np.random.default_rng(0)
    lower = [f"word{i}" for i in range(100)]
    upper = ["a", "b", *(word.upper() for word in lower)]
    with pytest.raises(InputError, match="; 102 would be if letter case did not count"):
        load_runs([(["a", "b", *lower], rng.normal(size=(102, 3))), (upper, rng.normal(size=(102, 3)))])


def test_a_pack_is_judged_when_it_is_opened(tmp_path):
    files = [tmp_path / f"{n}.txt" for n in range(2)]
    for (words, vectors), path in zip(sources(3), files, strict=True):
        write_word2vec_text(from_pair(words, vectors), path)
    pack_runs(files, tmp_path / "pack")
    with pytest.raises(InputError, match="only 3 of 997 words"):
        load_runs(tmp_path / "pack")
    assert load_runs(tmp_path / "pack", allow_small_overlap=True).words == 3
    (manifest,) = (tmp_path / "pack").rglob("packed.json")
    content = json.loads(manifest.read_text())
    del content["joining"]["smallest"]  # as packs of before this rule
    manifest.write_text(json.dumps(content))
    assert load_runs(tmp_path / "pack").words == 3
