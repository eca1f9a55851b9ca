"""NumPy's archives of arrays."""

import gzip
from functools import partial

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from tests.formats import binary_files

WORDS = ["the", "été", "a b", "NA", "x"]
VALUES = np.random.default_rng(0).standard_normal((5, 3))


@pytest.fixture
def read(tmp_path):
    def read_it(*, options=LoadOptions(), save=np.savez, **arrays):
        save(tmp_path / "x.npz", **arrays)
        return read_space(tmp_path / "x.npz", options)

    return read_it


right = partial(binary_files.right, words=WORDS, values=VALUES)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("kind", ["U", "S", "O"])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_matrix_and_words_of_any_kind(read, save, kind, layout):
    words = np.array([word.encode() for word in WORDS] if kind == "S" else WORDS, dtype=kind)
    notes = right(read(save=save, embeddings=layout(VALUES), vocab=words))
    assert notes[:2] == ("the vectors are 'embeddings'", "the words are 'vocab'")


def test_the_matrix_is_the_one_with_a_row_for_every_word(read):
    right(read(a=VALUES, b=np.eye(4), words=np.array(WORDS), scale=np.ones(3)))
    both = {"a": VALUES, "b": VALUES + 1, "words": np.array(WORDS)}
    with pytest.raises(
        InputError, match=r"several matrices have a row for every word: a \(5, 3\), b \(5, 3\); choose by tensor"
    ):
        read(**both)
    right(read(**both, options=LoadOptions(tensor="a")))
    right(read(vectors=VALUES, other=VALUES + 1, words=np.array(WORDS)))


def test_words_from_a_file(read, tmp_path):
    (tmp_path / "list").write_text("\n".join(WORDS))
    right(read(arr_0=VALUES, options=LoadOptions(vocab=tmp_path / "list")))
    with pytest.raises(InputError, match="it holds no words, and beside it is no vocabulary file"):
        read(arr_0=VALUES)
    (tmp_path / "x.vocab").write_text("\n".join(WORDS))
    right(read(arr_0=VALUES))


def test_rows_of_padding(read):
    padded = np.concatenate([VALUES, np.zeros((2, 3))])
    with pytest.raises(InputError, match=r"5 words, but 7 vectors in .*; allow_padding leaves the last 2 rows out"):
        read(m=padded, words=np.array(WORDS))
    assert (
        "last 2 of 7 rows have no word"
        in right(read(m=padded, words=np.array(WORDS), options=LoadOptions(allow_padding=True)))[2]
    )
    with pytest.raises(InputError, match="6 words, but 5 vectors"):
        read(m=VALUES, words=np.array([*WORDS, "y"]))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.array(WORDS)}, "there is no matrix of real numbers"),
        ({"a": VALUES[:4], "b": VALUES[:3], "w": np.array(WORDS)}, "are there, none with a row for 5 words: a"),
        ({"a": VALUES, "v": np.array(WORDS), "w": np.array(WORDS[::-1])}, "may have the words of 'v' or 'w'; choose"),
        ({"data": VALUES[0], "indices": VALUES[0], "indptr": VALUES[0], "shape": np.array([2, 3])}, "sparse matrix"),
        ({"a": np.where(VALUES > 0, np.nan, VALUES), "w": np.array(WORDS)}, "not finite in float32"),
    ],
)
def test_what_cannot_be_told_is_said(read, arrays, message):
    with pytest.raises(InputError, match=message):
        read(**arrays)


def test_damage_and_limits(read, tmp_path):
    assert len(read(m=VALUES, words=np.array(WORDS), options=LoadOptions(limit=2)).vocabulary) == 2
    path = tmp_path / "x.npz"
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    with pytest.raises(InputError, match=r"x\.npz: the zip archive is cut or damaged"):
        read_space(path)
    at = content.index(VALUES.tobytes()) + 8
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    with pytest.raises(InputError, match="damaged: Bad CRC"):
        read_space(path)
    path.write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match="unpack it once"):
        read_space(path)


CODES = np.arange(15).reshape(5, 3)


@pytest.mark.parametrize(
    "beside",
    [
        {"scale": np.ones((1, 3))},
        {"s": np.ones(3, np.float32)},
        {"row": np.ones(5, np.float16)},
        {"scale": np.float64(0.1)},
        {"offset": np.array([128])},
    ],
)
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
def test_codes_beside_their_scales_are_no_vectors(read, kind, beside):
    with pytest.raises(InputError, match=rf"'m' is {kind}, and '{next(iter(beside))}' .* beside it may be its scales"):
        read(m=CODES.astype(kind), words=np.array(WORDS), **beside)


@pytest.mark.parametrize("beside", [{}, {"counts": np.arange(5)}, {"other": np.ones(7)}])
def test_whole_numbers_without_scales_are_vectors(read, beside):
    assert read(m=CODES.astype("int8"), words=np.array(WORDS), **beside).vectors[2].tolist() == [6, 7, 8]
    assert read(m=VALUES, words=np.array(WORDS), scale=np.ones(3)).dimension == 3
