"""NumPy arrays with a vocabulary file."""

import gzip
import tracemalloc
from functools import partial

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.formats.binary.npy import NpyRows
from gpustab.runs.group import load_space
from tests.formats.binary_files import load, refused

VALUES = np.random.default_rng(0).integers(-50, 50, (5, 3)).astype(np.float32) / 4
WORDS = b"a\nb\nc\nd\ne\n"


@pytest.fixture
def save(tmp_path):
    def write(array, words=WORDS, name="x.npy"):
        np.save(tmp_path / name, array)
        if words:
            (tmp_path / "x.vocab").write_bytes(words)
        return tmp_path / name

    return write


read = load
refusal = partial(refused, load)


LAYOUTS = {
    "float16": lambda a: a.astype(np.float16),
    "float64": lambda a: a.astype(np.float64),
    "big-endian float32": lambda a: a.astype(">f4"),
    "big-endian float64": lambda a: a.astype(">f8"),
    "Fortran": np.asfortranarray,
    "Fortran float16": lambda a: np.asfortranarray(a.astype(np.float16)),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_any_float_and_layout(save, kind):
    space = read(save(LAYOUTS[kind](VALUES)))
    assert space.vectors.dtype == torch.float32
    assert space.vectors.is_contiguous()
    assert np.array_equal(space.vectors.numpy(), VALUES)
    for word in kind.split():
        assert any(word in note for note in space.report.notes)


@pytest.mark.parametrize("dtype", ["i1", "u2", "<i4", ">i8", "u8"])
def test_integers(save, dtype):
    space = read(save((VALUES.astype(int) % 100).astype(dtype)))
    assert np.array_equal(space.vectors.numpy(), VALUES.astype(int) % 100)
    assert any("to float32" in note for note in space.report.notes)


def test_float32_is_taken_as_it_is(save):
    space = read(save(VALUES))
    assert space.report.notes == ("the words were read from x.vocab, one a line",)
    assert [word.decode() for word in space.vocabulary] == list("abcde")
    assert space.name == "x"


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions(save, tmp_path, version):
    path = save(VALUES)
    with path.open("wb") as file:
        np.lib.format.write_array(file, VALUES, version)
    assert np.array_equal(read(path).vectors.numpy(), VALUES)


@pytest.mark.parametrize("order", ["C", "F"])
def test_many_blocks(save, order):
    values = np.random.default_rng(1).standard_normal((3001, 1000), dtype=np.float32)
    words = [b"w%d" % i for i in range(3001)]
    space = read(save(np.asarray(values, order=order), b"\n".join(words)))
    assert list(space.vocabulary) == words
    assert np.array_equal(space.vectors.numpy(), values)


def test_words_and_rows_must_be_equally_many(save):
    assert "6 words, but 5 vectors" in refusal(save(VALUES, WORDS + b"f\n"))
    with pytest.raises(InputError, match=r"x\.vocab, line 6: the line is blank"):
        read(save(VALUES, WORDS + b"\n"))


def test_object_array_runs_nothing(save, tmp_path):
    sentinel = tmp_path / "ran"

    class Payload:
        def __reduce__(self):
            return open, (str(sentinel), "w")

    path = save(np.array([[Payload()]], dtype=object))
    assert "Python objects" in refusal(path)
    assert not sentinel.exists()


@pytest.mark.parametrize("array", [VALUES[0], VALUES[None], VALUES[:0], VALUES[:, :0], np.float32(1)])
def test_other_shapes(save, array):
    assert f"{array.shape}, wanted real numbers of shape (v, d)" in refusal(save(array))


@pytest.mark.parametrize("dtype", ["c8", "?", "S3", "M8[s]", [("x", "f4")]])
def test_other_types(save, dtype):
    assert "wanted real numbers" in refusal(save(np.zeros((5, 3), dtype)))


def test_cut_and_trailing(save):
    path = save(VALUES)
    content = path.read_bytes()
    path.write_bytes(content[:-10])
    assert "cut: float32 (5, 3) takes 60 bytes from byte 128 on, found 50" in refusal(path)
    path.write_bytes(content + b"1234567")
    assert "7 bytes follow the array, which ends at byte 188" in refusal(path)
    path.write_bytes(content[:40])
    assert "header of the NumPy array is damaged" in refusal(path)


def test_a_huge_shape_takes_no_memory(save):
    path = save(VALUES)
    path.write_bytes(
        path.read_bytes().replace(b"(5, 3), }", b"(99999999, 99999999), }").replace(b" " * 14 + b"\n", b"\n")
    )
    assert "cut" in refusal(path)


def test_sizes_of_64_bits(tmp_path):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f2", "fortran_order": False, "shape": (8_000_000, 300)})
        file.seek(8_000_000 * 300 * 2 - 2, 1)  # a hole: takes no room
        file.write(np.float16(7).tobytes())
    rows = NpyRows(path)
    assert rows.shape == (8_000_000, 300)
    assert rows[7_999_999:8_000_000][0, -2:].tolist() == [0, 7]


def test_packed_and_options(save):
    path = save(VALUES)
    assert "3 dimensions, but dim=5" in refusal(path, dim=5)
    space = read(path, limit=2)
    assert list(space.vocabulary) == [b"a", b"b"]
    assert "limit=2: 3 of 5 rows were not read" in space.report.notes
    assert list(read(path, only=["d", "b"]).vocabulary) == [b"b", b"d"]
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert "unpack it first" in refusal(path)


def test_values_that_are_not_finite(save):
    values = VALUES.astype(np.float64)
    values[1, 1] = 1e39
    path = save(values)
    assert "'b' in row 1" in refusal(path)
    assert list(read(path, drop_nonfinite=True).vocabulary) == [b"a", b"c", b"d", b"e"]


def test_counts_of_the_vocabulary_file(save):
    assert read(save(VALUES, b"a 5\nb 4\nc 3\nd 2\na 1\n")).counts.tolist() == [5, 4, 3, 2]


def test_companion_of_a_gensim_file(save, tmp_path):
    path = save(VALUES, None, "x.kv.vectors.npy")
    assert "part of the gensim file x.kv, give that file" in refusal(path)
    (tmp_path / "x.kv").write_bytes(b"\x80\x04N.")
    assert f"part of the gensim file {tmp_path / 'x.kv'}; give that file" in refusal(path)
    (tmp_path / "x.kv.vectors.vocab").write_bytes(WORDS)
    assert len(read(path).vocabulary) == 5


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_is_one_matrix(save, order):
    path = save(np.ones((5_000, 1000), np.float64, order), b"".join(b"%d\n" % i for i in range(5_000)))
    tracemalloc.start()
    try:
        size = read(path).vectors.nbytes
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.3 * size + (2 << 20)  # and one block


def test_a_matrix_on_its_side_and_an_array_of_fields_are_told_so(tmp_path):
    rng, words = np.random.default_rng(0), [f"w{k}" for k in range(9)]
    path, values = tmp_path / "x.npy", rng.normal(size=(9, 4)).astype("<f4")
    path.with_suffix(".vocab").write_text("\n".join(words) + "\n")
    np.save(path, values.T)
    with pytest.raises(InputError, match=r"9 words, but 4 vectors in .*, of 9 values: .* turned \(.T\)"):
        load_space(path)
    np.save(path, np.load(path).T)
    assert np.array_equal(load_space(path).vectors.numpy(), values)
    fields = np.zeros(9, dtype=[("word", "U5"), ("vec", "<f4", (4,))])
    fields["word"], fields["vec"] = words, values
    np.save(path, fields)
    with pytest.raises(InputError, match=r"of fields: numpy.save\('x.npy', numpy.load\(FILE\)\[NAME\]\)"):
        load_space(path)
    np.save(path, np.load(path)["vec"])
    assert np.array_equal(load_space(path).vectors.numpy(), values)
