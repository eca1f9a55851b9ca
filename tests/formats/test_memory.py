"""Spaces from arrays and from gensim's objects."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
import torch

from gpustab.errors import InputError
from gpustab.formats.memory import from_keyed_vectors, from_pair
from gpustab.formats.options import LoadOptions
from gpustab.runs.group import load_space
from gpustab.runs.load import load_runs

VALUES = np.arange(12, dtype=np.float32).reshape(4, 3)
WORDS = ["a", "b", "c", "d"]


def memmap(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


ARRAYS = {
    "float16": lambda _: VALUES.astype(np.float16),
    "float64": lambda _: VALUES.astype(np.float64),
    "big-endian": lambda _: VALUES.astype(">f4"),
    "Fortran": lambda _: np.asfortranarray(VALUES),
    "strided": lambda _: np.repeat(VALUES, 2, axis=1)[:, ::2],
    "negative strides": lambda _: VALUES[::-1, ::-1].copy()[::-1, ::-1],
    "read-only memmap": memmap,
    "tensor": lambda _: torch.from_numpy(VALUES.copy()),
    "transposed tensor": lambda _: torch.from_numpy(VALUES.T.copy()).T,
    "bfloat16 tensor": lambda _: torch.from_numpy(VALUES).bfloat16(),
    "tensor with gradient": lambda _: torch.from_numpy(VALUES.copy()).requires_grad_(),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_any_float_and_layout(tmp_path, kind):
    array = ARRAYS[kind](tmp_path)
    space = from_pair(WORDS, array, "mine")
    assert space.vectors.dtype == torch.float32
    assert space.vectors.is_contiguous()
    assert not space.vectors.requires_grad
    assert np.array_equal(space.vectors.numpy(), VALUES)
    assert space.name == "mine"
    space.vectors.zero_()
    again = array.detach().float().numpy() if isinstance(array, torch.Tensor) else array
    assert np.array_equal(again, VALUES), "the input was changed"


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
@pytest.mark.parametrize(
    "sparse",
    [
        lambda x: torch.from_numpy(x).to_sparse(),
        lambda x: torch.from_numpy(x).to_sparse_csr(),
        scipy.sparse.csr_matrix,
        scipy.sparse.coo_array,
    ],
)
def test_zeros_that_were_left_out_are_there(sparse):
    vectors = VALUES.copy() + 1
    vectors[1, 2] = 0
    runs = load_runs([(WORDS, sparse(vectors)), SimpleNamespace(vectors=sparse(vectors), index_to_key=WORDS)])
    assert all(rows[0:4].numpy().tolist() == vectors.tolist() for rows in runs.rows)


def test_float64_overflow_is_refused():
    with pytest.raises(InputError, match=r"not finite.*'b'"):
        from_pair(["a", "b"], np.array([[1.0], [1e39]]))


@pytest.mark.parametrize("array", [VALUES.astype(object), VALUES[0], VALUES[None], VALUES + 0j, VALUES > 1])
def test_what_is_no_matrix_of_numbers(array):
    with pytest.raises(InputError, match=r"mine: the vectors are .*wanted real numbers of shape \(v, d\)"):
        from_pair(WORDS, array, "mine")


@pytest.mark.parametrize("words", [set(WORDS), "abcd"])
def test_words_without_order(words):
    with pytest.raises(InputError, match="ordered list"):
        from_pair(words, VALUES)


def test_counts_do_not_agree_or_words_repeat():
    with pytest.raises(InputError, match=r"\(4, 3\).*3 words"):
        from_pair(WORDS[:3], VALUES)
    with pytest.raises(InputError, match="mine: the word 'a' occurs twice"):
        from_pair(["a", "a", "b", "c"], VALUES, "mine")


def keyed(counts):
    def get_vecattr(word, attribute):
        return {"count": counts}[attribute][WORDS.index(word)]

    return SimpleNamespace(vectors=VALUES, index_to_key=WORDS, get_vecattr=get_vecattr)


def test_keyed_vectors_alike():
    space = from_keyed_vectors(keyed([40, 30, 20, 10]), "mine")
    assert space.counts.tolist() == [40, 30, 20, 10]
    assert from_keyed_vectors(SimpleNamespace(wv=keyed([4, 4, 2, 1]))).counts.tolist() == [4, 4, 2, 1]
    assert from_keyed_vectors(SimpleNamespace(vectors=VALUES, index_to_key=WORDS)).counts is None
    with pytest.raises(InputError, match="mine: SimpleNamespace has no attribute index_to_key"):
        from_keyed_vectors(SimpleNamespace(vectors=VALUES), "mine")


def test_gensim_model_and_vectors():
    models = pytest.importorskip("gensim.models")
    model = models.Word2Vec(
        [["a", "b", "a"], ["b", "c", "a"]] * 3, vector_size=4, min_count=1, epochs=1, workers=1, seed=1
    )
    space = from_keyed_vectors(model, "run")
    assert dict(zip(space.vocabulary, space.counts.tolist(), strict=True)) == {b"a": 9, b"b": 6, b"c": 3}
    assert np.array_equal(space.vectors.numpy(), model.wv.vectors)
    assert from_keyed_vectors(model.wv).counts.tolist() == [9, 6, 3]


def test_gensim_placeholder_counts_are_left_out(tmp_path):
    models = pytest.importorskip("gensim.models")
    path = tmp_path / "x.vec"
    path.write_text("120 1\n" + "".join(f"w{i} {i}\n" for i in range(120)))
    space = from_keyed_vectors(models.KeyedVectors.load_word2vec_format(str(path)))
    assert space.counts is None
    assert "placeholders" in space.report.notes[-1]


def test_gensim_vectors_without_counts():
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(3)
    vectors.add_vectors(WORDS, VALUES)
    assert from_keyed_vectors(vectors).counts is None


@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_vectors_too_small_for_float32_are_said_to_be(make):
    """They became zeros in silence, and then a matter of letter case."""
    small = 1e-200 * np.random.default_rng(0).normal(size=(20, 4))
    with pytest.raises(
        InputError, match=r"run: all 20 vectors are too small for float32, the largest value is \de-200"
    ):
        from_pair([f"w{i}" for i in range(20)], make(small))
    mixed = small.copy()
    mixed[:17] *= 1e200
    notes = from_pair([f"w{i}" for i in range(20)], make(mixed)).report.notes
    assert any(note.startswith("3 vectors became zero: they are too small for float32") for note in notes)


def test_zeros_that_were_zeros_are_no_underflow():
    rows = np.ones((4, 3))
    rows[1] = 0
    assert not any("float32, the largest" in note for note in from_pair(list("abcd"), rows).report.notes)


NAN = np.array([[1, 2], [np.nan, 3], [4, 5], [6, 7], [8, 9]], dtype=np.float32)
REPEATED = ["a", "bad", "b", "a", ""]


def taken(**options):
    return from_pair(
        REPEATED, NAN, "mine", LoadOptions(**{"drop_nonfinite": True, "skip_empty_tokens": True} | options)
    )


def test_rows_in_memory_are_taken_by_the_rules_of_files():
    assert list(taken().vocabulary) == [b"a", b"b"]
    assert taken().vectors.tolist() == [[1, 2], [4, 5]]
    assert taken(keep_duplicate="last").vectors.tolist() == [[6, 7], [4, 5]]
    with pytest.raises(InputError, match="mine: in row 4: the word is empty; skip_empty_tokens passes over such rows"):
        taken(skip_empty_tokens=False)
    assert list(taken(limit=3, skip_empty_tokens=False).vocabulary) == [b"a", b"b"]
    assert list(taken(only=["b", "c"]).vocabulary) == [b"b"]
    notes = " ".join(taken(only=["a", "bad"]).report.notes)
    for part in ("1 row(s) with an empty word left out", "'a' in rows 0 and 3", "left out 1 row(s)", "'bad' in row 1"):
        assert part in notes
    assert taken().name == taken().report.source == "mine"


def test_what_is_refused_is_named_with_its_remedy():
    with pytest.raises(InputError, match=r"^mine: 1 row\(s\) .* not finite .*'bad' in row 1; drop_nonfinite leaves"):
        from_pair(REPEATED, NAN, "mine", LoadOptions(limit=4))
    with pytest.raises(InputError, match=r"^mine: .*'a' in rows 0 and 3"):
        taken(keep_duplicate="error")
    with pytest.raises(InputError, match=r"^mine: none of the 1 words asked for is there"):
        taken(only=["zebra"])
    with pytest.raises(InputError, match=r"^mine: vectors have shape \(5, 2\), wanted \(2, d\) for 2 words"):
        from_pair(["a", "b"], NAN, "mine", LoadOptions(drop_nonfinite=True))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"dim": 2}, "dim"),
        ({"header": False}, "header"),
        ({"vocab": __file__}, "vocab"),
        ({"tensor": "x"}, "tensor"),
        ({"allow_truncated": True}, "allow_truncated"),
        ({"allow_count_mismatch": True, "limit": 2}, "allow_count_mismatch"),
    ],
)
def test_no_option_is_ignored(choice, said):
    options = LoadOptions(**choice)
    with pytest.raises(InputError, match=f"^run-003: {said} is of no use for words and array in memory$"):
        load_space((WORDS, VALUES), options, number=3)
    with pytest.raises(InputError, match=f"{said} is of no use for SimpleNamespace in memory"):
        load_space(keyed([4, 3, 2, 1]), options)


def test_a_space_is_read_already():
    space = from_pair(WORDS, VALUES, "mine")
    assert load_space(space) is space
    with pytest.raises(InputError, match="limit is of no use for mine, which is read already"):
        load_space(space, LoadOptions(limit=2))


def test_counts_follow_their_words():
    space = from_keyed_vectors(keyed([40, 30, 20, 10]), "mine", LoadOptions(only=["d", "b"]))
    assert dict(zip(space.vocabulary, space.counts.tolist(), strict=True)) == {b"b": 30, b"d": 10}


@pytest.mark.parametrize("words", [[3, 1, 4, 1 << 40], np.arange(4), ["a", 2, "c", 4], range(4)])
def test_whole_numbers_are_words(words):
    assert from_pair(words, VALUES).vocabulary.texts() == [str(word) for word in words]


@pytest.mark.parametrize("word", [None, 1.5, ("a",), float("nan"), np.float32(2)])
def test_what_is_no_word_is_refused_by_its_row(word):
    with pytest.raises(InputError, match=r"mine.*row 2 has no word, but "):
        from_pair(["a", "b", word, "d"], VALUES, "mine")
    with pytest.raises(InputError, match="row 2 has no word, but "):
        load_runs([(["a", "b", word, "d"], VALUES)] * 2)


def test_a_number_and_the_same_as_text_are_one_word_twice():
    with pytest.raises(InputError, match="the word '1' "):
        from_pair([1, "1", 2, 3], VALUES)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_masked_values_are_no_values(dtype):
    array = np.ma.masked_array(VALUES.astype(dtype), mask=np.arange(12).reshape(4, 3) == 7)
    with pytest.raises(InputError, match="1 of 4 vectors are not finite, first the word 'c'"):
        from_pair(WORDS, array)
    kept = from_pair(WORDS, array, options=LoadOptions(drop_nonfinite=True))
    assert kept.vocabulary.texts() == ["a", "b", "d"]
    nothing = np.ma.masked_array(VALUES, mask=False)
    assert np.array_equal(from_pair(WORDS, nothing).vectors.numpy(), VALUES)


def test_no_sources_are_refused():
    with pytest.raises(InputError, match="no runs were given"):
        load_runs(None)
