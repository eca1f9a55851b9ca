import dataclasses

import pytest
import torch

from gpustab import InputError
from gpustab.studies.instability.techniques import Technique, techniques_of
from tests.generators import noisy_copies, runs_of


def group(name, runs=3, v=12):
    return dataclasses.replace(runs_of(noisy_copies(runs, v, 4)), group=name)


def test_groups_are_matched_by_technique_unit_and_fraction():
    names = [
        "a/shuffled",
        "b/bootstrap",
        "a/bootstrap",
        "a/fixed-sentence-0.5",
        "a/shuffled-sentence-0.5",
        "b/shuffled",
    ]
    found, notes = techniques_of([group(name) for name in names])
    assert [(t.name, sorted(t.groups)) for t in found] == [
        ("a", ["bootstrap", "shuffled"]),
        ("b", ["bootstrap", "shuffled"]),
        ("a-sentence-0.5", ["fixed", "shuffled"]),
    ]
    assert notes == []


def test_plain_files_are_taken_for_shuffled_runs_and_that_is_said():
    found, notes = techniques_of([group("runs")])
    assert [(t.name, list(t.groups)) for t in found] == [("runs", ["shuffled"])]
    assert "runs: taken for" in notes[0]


def test_a_technique_without_shuffled_runs_is_left_out_or_refused():
    found, notes = techniques_of([group("a/shuffled"), group("b/bootstrap")])
    assert [t.name for t in found] == ["a"]
    assert notes == ["b: left out, it has no shuffled runs."]
    with pytest.raises(InputError, match="no technique has shuffled runs; groups are b/bootstrap"):
        techniques_of([group("b/bootstrap")])


def test_two_runs_are_too_few_and_two_groups_of_one_kind_too_many():
    with pytest.raises(InputError, match=r"'a/bootstrap' has 2 runs.*at least 3.*no standard error"):
        techniques_of([group("a/shuffled"), group("a/bootstrap", runs=2)])
    with pytest.raises(InputError, match="already shuffled runs of 'a'"):
        techniques_of([group("a/shuffled"), group("a/shuffled-document")])


def test_common_words_stand_in_the_order_of_the_shuffled_runs():
    first = group("a/shuffled")
    second = group("a/bootstrap", v=9)
    second = dataclasses.replace(second, vocabulary=type(second.vocabulary)(list(second.vocabulary)[::-1]))
    groups, rows = Technique("a", {"shuffled": first, "bootstrap": second}).over_common_words()
    for sampling, runs in groups.items():
        assert [runs.vocabulary[k] for k in rows[sampling]] == [b"w%d" % k for k in range(9)]
        assert runs.joint.sum() == 9
    assert first.joint.all()
    other = dataclasses.replace(second, vocabulary=type(second.vocabulary)(f"v{k}" for k in range(9)))
    strangers = Technique("a", {"shuffled": first, "bootstrap": other})
    with pytest.raises(InputError, match="0 words are in all runs"):
        strangers.over_common_words()
    assert torch.equal(rows["shuffled"], torch.arange(9))
