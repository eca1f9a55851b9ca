"""Spaces of what people hold in Python."""

import sys

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from gpustab import InputError, load_runs, load_space
from gpustab.formats.options import LoadOptions

WORDS = ["the", "été", "NA", "1914"]
VALUES = np.random.default_rng(0).standard_normal((4, 3))
INDEX = {word: row for row, word in reversed(list(enumerate(WORDS)))}


class Vocab:
    def get_itos(self):
        return WORDS


class Tokeniser:
    def get_vocab(self):
        return INDEX


def embedding():
    return nn.Embedding.from_pretrained(torch.from_numpy(VALUES))


def frame():
    return pd.DataFrame(VALUES, index=pd.Index(WORDS, name="word"))


OBJECTS = {
    "dict": lambda: dict(zip(WORDS, VALUES, strict=True)),
    "dict of tensors": lambda: dict(zip(WORDS, torch.from_numpy(VALUES), strict=True)),
    "dict of lists": lambda: dict(zip(WORDS, VALUES.tolist(), strict=True)),
    "frame": frame,
    "frame with a column": lambda: frame().reset_index(),
    "frame of other columns": lambda: frame().add_prefix("d").assign(count=5, pos="N").reset_index(),
    "frame of lists": lambda: pd.DataFrame({"token": WORDS, "vector": list(VALUES)}),
    "embedding": lambda: (WORDS, embedding()),
    "embedding first": lambda: (embedding(), WORDS),
    "embedding and index": lambda: (embedding(), INDEX),
    "embedding and vocabulary": lambda: (embedding(), Vocab()),
    "embedding and tokeniser": lambda: (Tokeniser(), embedding()),
    "tensor and words": lambda: (torch.from_numpy(VALUES), WORDS),
    "parameter": lambda: (WORDS, nn.Parameter(torch.from_numpy(VALUES))),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_words_and_values(kind):
    source = OBJECTS[kind]()
    if kind == "frame of other columns":
        assert load_space(source).counts.tolist() == [5] * 4
    space = load_space(source)
    assert [word.decode() for word in space.vocabulary] == WORDS
    assert np.array_equal(space.vectors.numpy(), VALUES.astype(np.float32))
    assert len(load_runs([OBJECTS[kind](), OBJECTS["dict"]()])) == 2


def test_rows_of_padding_are_left_out_on_request():
    with pytest.raises(InputError, match="there are 3 words for 4 rows; allow_padding leaves the last 1 rows out"):
        load_space((WORDS[:3], embedding()))
    assert len(load_space((WORDS[:3], embedding()), LoadOptions(allow_padding=True)).vocabulary) == 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "of 0 entries"),
        ({"a": [1.0, 2], "b": [1.0]}, r"the vector of 'b' is float64 \(1,\), wanted numbers \(2,\) as for 'a'"),
        ({"a": "x"}, "the vector of 'a' is"),
        ({1: [1.0]}, "wanted words and their vectors"),
        (nn.Embedding(2, 2), r"a Embedding without words; give \(words, embedding\)"),
        (({"a": 0, "b": 2}, np.eye(2)), "rows that are not 0 to 1"),
        (({"a", "b"}, np.eye(2)), "wanted an ordered list"),
        (pd.DataFrame({"x": [0.5, 1.5], "y": [1.0, 2]}), "no column holds words"),
        (pd.DataFrame({"a": ["x", None], "y": [1.0, 2]}), "row 1 has no word, but"),
        (3, "source 0 is a int; wanted a path, KeyedVectors"),
    ],
)
def test_what_does_not_go_together(source, message):
    with pytest.raises(InputError, match=message):
        load_space(source)


@pytest.mark.parametrize("kind", ["dict", "frame"])
def test_one_object_is_one_run(kind):
    with pytest.raises(InputError, match="only 1 run is given"):
        load_runs(OBJECTS[kind]())


def spacy_vectors(folder, kind, order=(3, 0, 6, 1, 5, 2, 4)):
    """Vectors whose keys were added in another order, among them words that spaCy numbers instead of hashing them."""
    spacy = pytest.importorskip("spacy")
    words = ["a", "agent", "caf\u00e9", "New York", "\u4e2d", "don't", "x" * 40]
    matrix = np.random.default_rng(0).standard_normal((7, 4)).astype(np.float32)
    nlp = spacy.blank("en")
    for k in order:
        nlp.vocab.set_vector(words[k], matrix[k])
    if kind == "sense2vec":
        nlp.vocab.strings.to_disk(folder / "strings.json")
        nlp.vocab.vectors.to_disk(folder)
        (folder / "cfg").write_text('{"senses": ["NOUN"]}')
    else:
        nlp.to_disk(folder)
    return folder / "vocab" if kind == "vocabulary" else folder, dict(zip(words, matrix, strict=True)), nlp


@pytest.mark.parametrize("kind", ["pipeline", "vocabulary", "sense2vec"])
def test_every_word_of_a_spacy_folder_has_its_own_vector(tmp_path, kind):
    folder, there, nlp = spacy_vectors(tmp_path, kind)
    space = load_space(folder)
    assert {word.decode() for word in space.vocabulary} == there.keys()
    for word, row in zip(space.vocabulary, space.vectors.numpy(), strict=True):
        assert np.array_equal(row, there[word.decode()])
    assert np.array_equal(load_space(nlp).vectors, space.vectors)
    (tmp_path / "other").mkdir()
    spacy_vectors(tmp_path / "other", "pipeline", range(7))
    runs = load_runs([folder, tmp_path / "other"])
    assert len(runs) == 2
    assert torch.equal(runs.run(0), runs.run(1))


def test_a_pruned_table_and_a_damaged_one(tmp_path):
    _, there, nlp = spacy_vectors(tmp_path, "pipeline")
    nlp.vocab.prune_vectors(4)
    nlp.to_disk(tmp_path)
    space = load_space(tmp_path)
    for word, row in zip(space.vocabulary, space.vectors.numpy(), strict=True):
        assert np.array_equal(row, nlp.vocab.get_vector(word.decode()))
    assert set(space.vocabulary) == {word.encode() for word in there}
    assert any("words share the row of another one" in note for note in space.report.notes)
    (tmp_path / "vocab" / "key2row").write_bytes(b"\xdf\x00")
    with pytest.raises(InputError, match="these vectors of spaCy's are cut or damaged"):
        load_space(tmp_path)


def test_without_spacy_the_folder_is_named(tmp_path, monkeypatch):
    for name in ("vectors", "key2row", "strings.json"):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "spacy.strings", None)
    with pytest.raises(InputError, match="read by spaCy: pip install spacy"):
        load_space(tmp_path)
