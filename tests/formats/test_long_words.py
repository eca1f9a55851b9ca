"""A word of more than 64 KiB is a text, or was made to fill the memory: every reader refuses it in one line."""

import bz2
import gzip
import pickle
import re
import tracemalloc
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
import torch
from pyarrow.feather import write_feather
from pyarrow.parquet import write_table
from safetensors.torch import save_file

from gpustab import InputError, Vocabulary, load_space
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.memory import from_pair
from gpustab.runs.packing.pack import pack_runs
from gpustab.spaces.words import LONGEST_WORD

ROWS = [[0.5, 1.0], [1.0, 0.5], [0.25, 0.75]]


def columns(word):
    return {"word": [word.decode(), "b", "c"], "x": [0.5, 1.0, 0.25], "y": [1.0, 0.5, 0.75]}


def table(path, word, kind=None):
    content = columns(word)
    if kind is not None:
        content["word"] = (
            pa.array(content["word"]).cast(kind)
            if kind != "dictionary"
            else pa.array(content["word"]).dictionary_encode()
        )
    write = write_table if path.suffix == ".parquet" else write_feather
    write(pa.table(content), path, compression="zstd")


def lines(path, word, separator=b" ", head=b""):
    rows = (
        separator.join([one, *(str(x).encode() for x in row)])
        for one, row in zip([word, b"b", b"c"], ROWS, strict=True)
    )
    path.write_bytes(head + b"\n".join(rows) + b"\n")


def binary(path, word):
    rows = (
        one + b" " + np.array(row, "<f4").tobytes() + b"\n" for one, row in zip([b"b", b"c", word], ROWS, strict=True)
    )
    path.write_bytes(b"3 2\n" + b"".join(rows))


def archive(path, word, kind=object):
    np.savez_compressed(path, vectors=np.array(ROWS, "f4"), words=np.array([word.decode(), "b", "c"], kind))


def safetensors(path, word):
    words = word + b"bc"
    offsets = torch.tensor([0, len(word), len(word) + 1, len(word) + 2])
    tensors = {"vectors": torch.tensor(ROWS), "words": torch.frombuffer(bytearray(words), dtype=torch.uint8)}
    save_file({**tensors, "offsets": offsets}, path)


def beside(path, word):
    np.save(path, np.array(ROWS, "f4"))
    path.with_suffix(".vocab").write_bytes(b"\n".join([b"b", word, b"c"]) + b"\n")


def plain_pickle(path, word):
    path.write_bytes(pickle.dumps({word.decode(): np.array(ROWS[0], "f4"), "b": np.array(ROWS[1], "f4")}))


def torch_file(path, word):
    torch.save({"words": [word.decode(), "b", "c"], "vectors": torch.tensor(ROWS)}, path)


READERS = {
    "a.parquet": table,
    "views.feather": lambda path, word: table(path, word, pa.string_view()),
    "bytes.parquet": lambda path, word: table(path, word, pa.binary()),
    "dictionary.parquet": lambda path, word: table(path, word, "dictionary"),
    "a.feather": table,
    "a.vec": lambda path, word: lines(path, word, head=b"3 2\n"),
    "glove.txt": lines,
    "a.tsv": lambda path, word: lines(path, word, b"\t", b"word\tx\ty\n"),
    "a.csv": lambda path, word: lines(path, word, b",", b"word,x,y\n"),
    "a.txt.gz": lambda path, word: (lines(path, word), path.write_bytes(gzip.compress(path.read_bytes()))),
    "a.txt.bz2": lambda path, word: (lines(path, word), path.write_bytes(bz2.compress(path.read_bytes()))),
    "word2vec.bin": binary,
    "objects.npz": archive,
    "text.npz": lambda path, word: archive(path, word, str),
    "a.safetensors": safetensors,
    "a.npy": beside,
    "a.pkl": plain_pickle,
    "a.pt": torch_file,
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_a_word_that_is_none(tmp_path, name):
    path = tmp_path / name
    READERS[name](path, b"a" * (LONGEST_WORD + 1))
    with pytest.raises(InputError) as refused:
        load_space(path)
    said = str(refused.value)
    assert str(path.with_suffix(".vocab") if name == "a.npy" else path) in said
    assert re.search("65,?53[67]", said)
    assert "\n" not in said
    assert len(said) < len(str(tmp_path)) + 300


@pytest.mark.parametrize("name", READERS)
def test_the_longest_word_is_read(tmp_path, name):
    path = tmp_path / name
    READERS[name](path, b"a" * LONGEST_WORD)
    assert b"a" * LONGEST_WORD in load_space(path).vocabulary


@pytest.mark.parametrize("name", READERS)
def test_a_long_word_is_refused_before_it_is_copied_much(tmp_path, name):
    """Four times its bytes at most: what unpacks to 200 MB took 2.4 GB."""
    path, size = tmp_path / name, 1_500_000
    READERS[name](path, b"a" * size)
    tracemalloc.start()
    with suppress(InputError):
        load_space(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * size


def test_a_vocabulary_refuses_a_word_that_no_file_gives_back(tmp_path):
    long = "a" * (LONGEST_WORD + 1)
    with pytest.raises(InputError, match=r"^the word 'a+\.\.\.' has 65,537 bytes"):
        Vocabulary(["b", long])
    with pytest.raises(InputError, match="mine: the word"):
        from_pair(["b", long], np.eye(2), "mine")


def test_a_text_whose_words_are_none_is_refused_before_training(tmp_path):
    path = tmp_path / "hex.txt"
    path.write_text("".join(f"{'ab' * LONGEST_WORD} one two {'x' * k}\n" for k in range(1, 21)))
    with pytest.raises(InputError, match=r"hex\.txt: the word 'abab.*\.\.\.' has 131,072 bytes"):
        prepare_corpus(path, CorpusOptions(as_is=True, min_count=2))
    with pytest.raises(InputError, match=r"the most frequent is '(ab){20}', 20 times") as refused:
        prepare_corpus(path, CorpusOptions(as_is=True, min_count=50))
    assert len(str(refused.value)) < len(str(path)) + 300


def test_a_pack_refuses_it_too(tmp_path):
    for run in ("a", "b"):
        safetensors(tmp_path / f"{run}.safetensors", b"a" * (LONGEST_WORD + 1))
    with pytest.raises(InputError, match=r"a\.safetensors: the word 'a+\.\.\.' has 65,537 bytes"):
        pack_runs(sorted(tmp_path.glob("*.safetensors")), tmp_path / "packed")
