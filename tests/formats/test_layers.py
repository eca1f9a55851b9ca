from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs, load_space

WORDS = ["<pad>", "a", "b", "c"]


class Strings(dict):
    """spaCy's store: keys are hashes of words."""


def vocab(vectors, rows):
    """What spaCy's Vocab offers, without spaCy."""
    strings = Strings({100 + k: word for k, word in enumerate(rows)})
    table = SimpleNamespace(data=vectors, key2row={100 + k: row for k, row in enumerate(rows.values())}, mode="default")
    return SimpleNamespace(strings=strings, vectors=table)


def test_an_embedding_layer_without_its_padding():
    layer = torch.nn.Embedding(4, 3, padding_idx=0)
    space = load_space((WORDS, layer))
    assert list(space.vocabulary) == [b"a", b"b", b"c"]
    assert torch.equal(space.vectors, layer.weight[1:])
    assert "row 0 pads and was left out" in space.report.notes
    layer.weight.data.zero_()
    assert space.vectors.any()


def test_the_rows_of_a_tokenizer():
    layer = torch.nn.Embedding(9, 3)
    space = load_space(({"b": 7, "a": 2}, layer))
    assert list(space.vocabulary) == [b"a", b"b"]
    assert torch.equal(space.vectors, layer.weight[[2, 7]])
    assert "7 of 9 rows have no word and were left out" in space.report.notes


def test_layers_are_runs():
    runs = load_runs([(WORDS[1:], torch.nn.Embedding(3, 3)) for _ in range(2)])
    assert len(runs) == 2


def test_vectors_of_spacy():
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    found = load_space(SimpleNamespace(vocab=vocab(data, {"a": 2, "b": 0, "B": 0, "lost": -1})))
    assert dict(zip(found.vocabulary, found.vectors.tolist(), strict=True)) == {
        b"b": [0, 1],
        b"B": [0, 1],
        b"a": [4, 5],
    }
    assert "1 words share the row of another one" in found.report.notes
    assert len(load_runs([vocab(data, {"a": 0, "b": 1, "c": 2})] * 2)) == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ((WORDS, torch.nn.Embedding(5, 3)), "there are 4 words for 5 rows; allow_padding leaves"),
        (({"a": 5}, torch.nn.Embedding(5, 3)), r"words have rows 5 to 5, the layer has 0 to 4"),
        (vocab(np.zeros((0, 2)), {}), "the vocabulary has no vectors"),
        (object(), "wanted a path, KeyedVectors, a .words, array. pair"),
    ],
)
def test_wrong_objects_are_named(source, message):
    with pytest.raises(InputError, match=message):
        load_space(source)
