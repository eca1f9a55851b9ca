"""Pickles of plain data, old and new: words and vectors in a dict, a list or a tuple; and gensim's own old files."""

import pickle
from collections import OrderedDict
from pathlib import Path

import gensim
import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors

from gpustab import InputError
from gpustab.formats.gensim.native import GENSIM
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space

SHIPPED = Path(gensim.__file__).parent / "test" / "test_data"
WORDS = ["the", "of", "n\u00e9e", "caf\u00e9 au lait", "\u4e2d\nx"]
VECTORS = np.arange(15.0, dtype=np.float32).reshape(5, 3) / 7
SHAPES = {
    "Polyglot": (WORDS, VECTORS),
    "a dict": {"words": WORDS, "vectors": VECTORS.astype(np.float64)},
    "rows by words": {"vocab": {word: k for k, word in enumerate(WORDS)}, "m": VECTORS},
    "words by rows": [dict(enumerate(WORDS)), VECTORS],
    "one vector a word": dict(zip(WORDS, VECTORS, strict=True)),
    "one list a word": OrderedDict((word, row.tolist()) for word, row in zip(WORDS, VECTORS, strict=True)),
    "bytes": (tuple(word.encode() for word in WORDS), np.asfortranarray(VECTORS)),
}


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("shape", SHAPES)
def test_plain_pickles(tmp_path, shape, protocol):
    if shape == "bytes" and protocol < 3:
        pytest.skip("Python 3 writes a call for bytes then")
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(SHAPES[shape], protocol))
    space = read_space(tmp_path / "x.pkl")
    assert list(space.vocabulary) == [word.encode() for word in WORDS]
    assert np.array_equal(space.vectors.numpy(), VECTORS)
    assert space.report.format == "pickle"


OF_PYTHON_2 = b"""(dp1
S'words'
p2
(lp3
S'the'
p4
aVcaf\xe9 \\u4e2d
p5
aS"it's \\xc3\\xa9\\n"
p6
asS'vectors'
p7
(lp8
(lp9
F1.5
aI2
aa(lp10
F3
aL4L
aa(lp11
F5
aF6e0
aas."""


def test_what_python_2_wrote_in_lines(tmp_path):
    (tmp_path / "x.pkl").write_bytes(b"(dp1\nS'the'\np2\n(lp3\nF1.5\naI2\nasV\\u4e2d\np4\n(lp5\nF3\naL4L\nas.")
    space = read_space(tmp_path / "x.pkl")
    assert list(space.vocabulary) == [b"the", "\u4e2d".encode()]
    assert space.vectors.tolist() == [[1.5, 2], [3, 4]]
    (tmp_path / "x.pkl").write_bytes(OF_PYTHON_2)
    with pytest.raises(InputError, match="this is a pickle of plain data and not a file"):
        read_space(tmp_path / "x.pkl")


@pytest.mark.parametrize("content", [b"cos\nsystem\n(S'ls'\ntR.", b"(dp1\nS'a'\np2\ncposix\nsystem\n(S'ls'\ntRs."])
def test_old_pickles_run_nothing(tmp_path, content):
    (tmp_path / "x.pkl").write_bytes(content)
    assert GENSIM.matches(content)
    with pytest.raises(InputError, match=r"refers to (os|posix)\.system, which vectors do not need; not opened"):
        read_space(tmp_path / "x.pkl")


def test_text_that_begins_like_an_old_pickle_is_text(tmp_path):
    for first in (b"(dp1", b"(lp0", b"cos", b"}q", b"(t"):
        (tmp_path / "x.txt").write_bytes(first + b" .1 .2 .3\nb .4 .5 .6\nc .7 .8 .9\n")
        assert read_space(tmp_path / "x.txt").vocabulary[0] == first


def test_a_matrix_is_chosen_and_words_lie_beside(tmp_path):
    both = {"first": VECTORS, "second": -VECTORS, "words": WORDS}
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(both))
    with pytest.raises(InputError, match=r"several matrices .* choose by tensor=\.\.\."):
        read_space(tmp_path / "x.pkl")
    assert np.array_equal(read_space(tmp_path / "x.pkl", LoadOptions(tensor="second")).vectors, -VECTORS)
    (tmp_path / "y.pkl").write_bytes(pickle.dumps(VECTORS))
    with pytest.raises(InputError, match=r"y.pkl: it holds no words"):
        read_space(tmp_path / "y.pkl")
    (tmp_path / "w.txt").write_text("a\nb\nc\nd\ne\n")
    assert len(read_space(tmp_path / "y.pkl", LoadOptions(vocab=tmp_path / "w.txt")).vocabulary) == 5


@pytest.mark.parametrize("module", ["UserString", "UserList", "UserDict"])
def test_collections_as_python_3_4_called_them(tmp_path, module):
    content = pickle.dumps(OrderedDict(zip(WORDS, VECTORS, strict=True)), 2)
    assert b"ccollections\nOrderedDict\n" in content
    (tmp_path / "x.pkl").write_bytes(content.replace(b"ccollections\n", f"c{module}\n".encode()))
    assert np.array_equal(read_space(tmp_path / "x.pkl").vectors, VECTORS)


@pytest.mark.parametrize("keys", [[7, 0, 12], list(np.array([7, 0, 12])), ["a", 0, 12]])
@pytest.mark.parametrize("protocol", [2, 4])
def test_keys_that_are_numbers(tmp_path, keys, protocol):
    vectors = KeyedVectors(2)
    vectors.add_vectors([str(key) for key in keys], VECTORS[:3, :2])
    vectors.index_to_key, vectors.key_to_index = list(keys), {key: k for k, key in enumerate(keys)}
    vectors.save(str(tmp_path / "x.kv"), pickle_protocol=protocol)
    space = read_space(tmp_path / "x.kv")
    assert list(space.vocabulary) == [str(key).encode() for key in keys]
    assert any("keys are whole numbers" in note for note in space.report.notes)


@pytest.mark.parametrize("name", ["lee_fasttext.bin", "non_ascii_fasttext.bin", "lee_fasttext_new.bin"])
def test_models_of_fasttext_that_gensim_ships(name):
    """Without the end of a line, of which gensim makes n-grams in new models; fastText does not."""
    file = SHIPPED / name
    space, there = read_space(file), load_facebook_vectors(str(file))
    words = [word.decode() for word in space.vocabulary]
    assert words == there.index_to_key
    rows = [k for k, word in enumerate(words) if word != "</s>"]
    assert np.abs(space.vectors.numpy()[rows] - np.stack([there[words[k]] for k in rows])).max() < 1e-6
    assert space.counts.tolist()[:9] == [there.get_vecattr(word, "count") for word in words[:9]]


def test_the_end_of_a_line_was_a_word_like_others():
    old = read_space(SHIPPED / "lee_fasttext.bin")
    written = read_space(SHIPPED / "lee_fasttext.vec")
    assert b"</s>" in set(written.vocabulary)
    rows = [old.vocabulary.index_of(word) for word in written.vocabulary]
    assert float((written.vectors - old.vectors[rows]).abs().max()) < 1e-4


def test_words_that_are_no_utf8_keep_the_bytes_that_fasttext_hashed():
    space, there = (read_space(SHIPPED / f"{name}_fasttext.bin") for name in ("cp852", "non_ascii"))
    assert [word.decode("cp852") for word in space.vocabulary] == [word.decode() for word in there.vocabulary]


@pytest.mark.parametrize("name", ["word2vec_pre_kv_py3_4", "word2vec_pre_kv_sep_py3_4"])
def test_models_of_python_3_4(name):
    """Their vocabulary is that of the same model in later Python."""
    found, other = (read_space(SHIPPED / one) for one in (name, name.removesuffix("_4")))
    assert set(found.vocabulary) == set(other.vocabulary)


def test_varembed():
    file = SHIPPED / "varembed_vectors.pkl"
    with pytest.raises(InputError, match=r"word_embeddings \(309, 64\), morpheme_embeddings .* choose by tensor="):
        read_space(file)
    with file.open("rb") as opened:
        content = pickle.load(opened, encoding="latin1")  # shipped with gensim
    space = read_space(file, LoadOptions(tensor="word_embeddings"))
    rows = [content["word_to_ix"][word.decode()] for word in space.vocabulary]
    assert rows == list(range(309))
    assert np.array_equal(space.vectors.numpy(), content["word_embeddings"].astype(np.float32))


@pytest.mark.parametrize("cut", [4, 40, 70, 90, 500, 7000])
def test_an_old_model_that_is_cut_is_refused(tmp_path, cut):
    (tmp_path / "x.bin").write_bytes((SHIPPED / "lee_fasttext.bin").read_bytes()[:cut])
    with pytest.raises(InputError):
        read_space(tmp_path / "x.bin")
