from dataclasses import replace

import pytest
import torch

from gpustab import InputError
from gpustab.runs.families import families, over_common_words
from gpustab.runs.group import Group
from gpustab.runs.key import Key
from tests.generators import named

PATHS = ["a/shuffled", "b/bootstrap", "a/bootstrap", "a/fixed-sentence-0.5", "a/shuffled-sentence-0.5", "b/shuffled"]


def test_groups_that_differ_in_sampling_alone_are_a_family():
    found = families([named(path) for path in PATHS])
    assert [(family.name, sorted(member.key.sampling for member in family.members)) for family in found] == [
        ("a", ["bootstrap", "shuffled"]),
        ("b", ["bootstrap", "shuffled"]),
        ("a-sentence-0.5", ["fixed", "shuffled"]),
    ]
    assert found[0].of("bootstrap").name == "a/bootstrap"
    assert found[0].of("fixed") is None


def test_groups_need_not_be_loaded_and_any_fields_may_make_a_family():
    epochs = ("1790-1810", "1990-2010")
    keys = [Key("a", s, part=(("epoch", e),)) for e in epochs for s in ("shuffled", "bootstrap")]
    groups = [Group(key, ()) for key in keys]
    assert [len(family.members) for family in families(groups)] == [2, 2]
    by_epoch = families(groups, by=("technique", "sampling", "unit", "fraction"))
    assert [family.name for family in by_epoch] == ["a/shuffled", "a/bootstrap"]
    assert [member.key.part[0][1] for member in by_epoch[0].members] == list(epochs)


def test_common_words_stand_in_the_order_of_the_first_group():
    first, second = named("a/shuffled"), named("a/bootstrap", v=9)
    second = replace(second, vocabulary=type(second.vocabulary)(list(second.vocabulary)[::-1]))
    groups, rows = over_common_words([first, second])
    for runs, own in zip(groups, rows, strict=True):
        assert [runs.vocabulary[k] for k in own] == [b"w%d" % k for k in range(9)]
        assert runs.joint.sum() == 9
    assert first.joint.all()
    assert torch.equal(rows[0], torch.arange(9))
    stranger = replace(second, vocabulary=type(second.vocabulary)(f"v{k}" for k in range(9)))
    assert [len(own) for own in over_common_words([first, stranger])[1]] == [0, 0]


@pytest.mark.parametrize(
    "key",
    [
        Key("sgns", "shuffled"),
        Key("sgns", "bootstrap", "sentence", 0.2),
        Key("a/b", part=(("epoch", "1790-1810"), ("author", "O/Neill: \u00df?"))),
        Key("é", "fixed", fraction=1 / 3),
    ],
)
def test_a_key_comes_back_from_its_record_and_makes_a_path_for_any_file_system(key):
    assert Key.of_record(key.record()) == key
    assert not set(key.path) & set('\\:*?"<>|')
    assert ".." not in key.path


@pytest.mark.parametrize(
    "fields",
    [
        {"technique": ""},
        {"technique": "a//b"},
        {"technique": "../a"},
        {"part": (("epoch", ".."),)},
        {"part": (("", "x"),)},
        {"fraction": 0.0},
        {"fraction": float("nan")},
    ],
)
def test_what_cannot_be_a_path_is_refused(fields):
    with pytest.raises(InputError):
        Key(**fields)


@pytest.mark.parametrize("record", [{}, {"technique": "a"}, None, {**Key().record(), "part": "x"}])
def test_a_damaged_record_is_refused(record):
    with pytest.raises(InputError, match="no key"):
        Key.of_record(record)


@pytest.mark.parametrize(
    "path", ["runs", "mine/first", "a/shuffled-x", "a/shuffled-0.5-sentence", "shuffled", "a/shuffled-sentence-2-3"]
)
def test_a_path_of_another_form_is_a_name(path):
    assert Key.of_path(path) == Key(path)
