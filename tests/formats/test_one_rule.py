"""Words that repeat and words that are empty: one rule for whatever holds words and vectors.

The first row of a word is kept and the others reported; an empty word is refused, and left out where that is asked for.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from gensim.models import KeyedVectors
from safetensors.torch import save_file

from gpustab import InputError
from gpustab.formats.options import LoadOptions
from gpustab.runs.group import load_space

TWICE, EMPTY = ["the", "of", "the", "and"], ["the", "", "of", "and"]
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3) / 8 + 0.125


def joined(words):
    data = "".join(words).encode()
    offsets = np.cumsum([0, *(len(word.encode()) for word in words)])
    return torch.tensor(list(data), dtype=torch.uint8), torch.from_numpy(offsets).long()


def text(path, words, separator=" ", head=""):
    rows = [separator.join([word, *map(str, row.tolist())]) for word, row in zip(words, VECTORS, strict=True)]
    path.write_text(head + "\n".join(rows) + "\n")


def word2vec(path, words):
    rows = [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, VECTORS, strict=True)]
    path.write_bytes(b"4 3\n" + b"".join(rows))


def beside(path, words, write):
    write(path)
    path.with_suffix(".vocab").write_text("\n".join(words) + "\n")


def native(path, words):
    vectors = KeyedVectors(3)
    vectors.add_vectors([f"w{k}" for k in range(4)], VECTORS)
    vectors.index_to_key = list(words)
    path.write_bytes(pickle.dumps(vectors))


def frame(words):
    return pd.DataFrame(VECTORS, columns=["d0", "d1", "d2"]).assign(word=words)


def lists(words):
    return pd.DataFrame({"word": words, "vector": list(VECTORS)})


def spaces(path, words):
    buffer, offsets = joined(words)
    save_file({"vectors": torch.from_numpy(VECTORS), "words": buffer, "offsets": offsets}, path)


def checkpoint(path, words):
    path.mkdir()
    save_file({"embed_tokens.weight": torch.from_numpy(VECTORS)}, path / "model.safetensors")
    (path / "vocab.txt").write_text("\n".join(words) + "\n")
    (path / "config.json").write_text("{}")


FILES = {
    "GloVe text": text,
    "word2vec text": lambda path, words: text(path, words, head="4 3\n"),
    "CSV": lambda path, words: text(path, words, ",", "word,a,b,c\n"),
    "TSV": lambda path, words: text(path, words, "\t", "word\ta\tb\tc\n"),
    "word2vec binary": word2vec,
    "npy and words": lambda path, words: beside(path.with_suffix(".npy"), words, lambda at: np.save(at, VECTORS)),
    "npz": lambda path, words: np.savez(path.with_suffix(".npz"), vectors=VECTORS, words=np.array(words)),
    "safetensors": spaces,
    "PyTorch": lambda path, words: torch.save({"words": list(words), "vectors": torch.from_numpy(VECTORS)}, path),
    "Parquet": lambda path, words: frame(words).to_parquet(path),
    "Parquet of lists": lambda path, words: lists(words).to_parquet(path),
    "Feather": lambda path, words: frame(words).to_feather(path),
    "gensim": native,
    "pickle": lambda path, words: path.write_bytes(pickle.dumps((list(words), VECTORS))),
    "old pickle": lambda path, words: path.write_bytes(pickle.dumps((list(words), VECTORS), 0)),
    "checkpoint": checkpoint,
}


class Keyed:
    def __init__(self, words):
        self.index_to_key, self.vectors = list(words), VECTORS


OBJECTS = {
    "pair": lambda words: (list(words), VECTORS),
    "tensor": lambda words: (list(words), torch.from_numpy(VECTORS)),
    "data frame": frame,
    "index of a data frame": lambda words: frame(words).set_index("word"),
    "data frame of lists": lists,
    "KeyedVectors": Keyed,
    "layer": lambda words: (list(words), torch.nn.Embedding.from_pretrained(torch.from_numpy(VECTORS))),
    "padded layer": lambda words: (
        [*words, "pad"],
        torch.nn.Embedding.from_pretrained(torch.from_numpy(np.vstack([VECTORS, VECTORS[:1]])), padding_idx=4),
    ),
}


def made(tmp_path, kind, words):
    if kind in OBJECTS:
        return OBJECTS[kind](words)
    FILES[kind](tmp_path / "x", words)
    (path,) = [path for path in tmp_path.iterdir() if path.suffix != ".vocab"]
    return path


@pytest.mark.parametrize("kind", [*FILES, *OBJECTS])
def test_the_first_row_of_a_word_is_kept_and_the_others_are_reported(tmp_path, kind):
    source = made(tmp_path, kind, TWICE)
    space = load_space(source)
    assert list(space.vocabulary) == [b"the", b"of", b"and"]
    assert np.array_equal(space.vectors.numpy(), VECTORS[[0, 1, 3]])
    assert any("1 row(s) of a word that occurs more than once: 'the'" in note for note in space.report.notes)
    last = load_space(source, LoadOptions(keep_duplicate="last"))
    assert np.array_equal(last.vectors.numpy(), VECTORS[[2, 1, 3]])
    with pytest.raises(InputError, match=r"1 row\(s\) of a word that occurs more than once"):
        load_space(source, LoadOptions(keep_duplicate="error"))


@pytest.mark.parametrize("kind", [*FILES, *OBJECTS])
def test_an_empty_word_is_refused_and_left_out_where_that_is_asked_for(tmp_path, kind):
    source = made(tmp_path, kind, EMPTY)
    if kind == "safetensors":  # which holds whatever a space had
        assert load_space(source).report.notes == ("1 word(s) are empty: in row 1",)
    else:
        with pytest.raises(InputError, match=r"empty|blank|no word"):
            load_space(source)
    if kind == "npy and words":  # a blank line is no word, and no row can be told to have none
        return
    space = load_space(source, LoadOptions(skip_empty_tokens=True))
    assert list(space.vocabulary) == [b"the", b"of", b"and"]
    assert np.array_equal(space.vectors.numpy(), VECTORS[[0, 2, 3]])
    assert any("row(s) with an empty word left out" in note for note in space.report.notes)


def test_counts_are_those_of_the_row_that_is_kept():
    counted = frame(TWICE).assign(count=[1, 2, 3, 4])
    assert load_space(counted).counts.tolist() == [1, 2, 4]
    assert load_space(counted, LoadOptions(keep_duplicate="last")).counts.tolist() == [3, 2, 4]
