"""Bytes taken in order, whatever blocks they come in."""

import gzip

import numpy as np
import pytest

from gpustab.errors import OutOfMemoryError
from gpustab.formats.binary import cursor as module
from gpustab.formats.binary.cursor import Cursor, CutError
from gpustab.formats.source import open_source
from tests.formats.binary_files import Pipe

VALUES = np.arange(6, dtype="<f4").reshape(2, 3)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_block_borders_do_not_matter(size):
    content = bytes(range(20)) + VALUES.tobytes() + b"end"
    cursor = Cursor(Pipe(*(content[i : i + size] for i in range(0, len(content), size))))
    assert cursor.take(3, "a") == b"\0\1\2"
    assert bytes(cursor.peek(5)[:5]) == b"\3\4\5\6\7"
    cursor.skip(2)
    assert b"".join(cursor.pieces(15, "b")) == bytes(range(5, 20))
    assert cursor.offset == 20
    assert np.array_equal(cursor.matrix(2, 3, "c"), VALUES)
    assert len(cursor.peek(99)) == 3
    assert cursor.count_rest() == 3
    assert cursor.offset == len(content)
    assert cursor.count_rest() == 0


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_matrix_is_mapped_or_copied(tmp_path, pack):
    (tmp_path / "x").write_bytes(pack(b"odd" + VALUES.tobytes()))
    with open_source(tmp_path / "x") as source:
        cursor = Cursor(source, mapped=True)
        cursor.take(3, "start")
        matrix = cursor.matrix(2, 3, "the matrix")
        assert cursor.count_rest() == 0
    assert np.array_equal(matrix, VALUES), "a map outlives the file's being open"


def test_nothing_is_copied_from_a_map(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 0)
    (tmp_path / "x").write_bytes(VALUES.tobytes())
    with open_source(tmp_path / "x") as source:
        assert not Cursor(source, mapped=True).matrix(2, 3, "the matrix").flags.owndata


def test_a_copy_has_to_fit_the_memory(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 23)
    with pytest.raises(OutOfMemoryError, match=r"the matrix takes 0\.0 GiB"):
        Cursor(Pipe(VALUES.tobytes()[:4], VALUES.tobytes()[4:])).matrix(2, 3, "the matrix")


@pytest.mark.parametrize(
    "read",
    [
        lambda cursor: cursor.take(24, "the part"),
        lambda cursor: list(cursor.pieces(24, "the part")),
        lambda cursor: cursor.matrix(2, 3, "the part"),
    ],
)
@pytest.mark.parametrize("mapped", [True, False])
def test_a_cut_file_is_told_with_both_sizes(tmp_path, read, mapped):
    (tmp_path / "x").write_bytes(b"head" + VALUES.tobytes()[:-1])
    with open_source(tmp_path / "x") as source:
        cursor = Cursor(source, mapped=mapped)
        cursor.take(4, "head")
        with pytest.raises(CutError, match="the part, from byte 4 on, has 23 bytes, wanted 24"):
            read(cursor)


def test_sizes_beyond_32_bits(tmp_path):
    """The file has a hole, so it takes no room."""
    far = 2**32 + 3
    with (tmp_path / "x").open("wb") as file:
        file.truncate(far)
        file.seek(far)
        file.write(VALUES.tobytes())
    with open_source(tmp_path / "x") as source:
        cursor = Cursor(source, mapped=True)
        for _ in cursor.pieces(far, "the hole"):
            pass
        assert np.array_equal(cursor.matrix(2, 3, "the matrix"), VALUES)
        assert cursor.offset == far + 24
        with pytest.raises(CutError, match=rf"from byte {far + 24} on, has 0 bytes, wanted {2**44}"):
            cursor.matrix(2**21, 2**21, "more")


def test_damage_is_found_after_the_last_byte(tmp_path):
    (tmp_path / "x").write_bytes(gzip.compress(b"content")[:-4])
    with open_source(tmp_path / "x") as source:
        cursor = Cursor(source)
        cursor.take(7, "all")
        assert cursor.count_rest() == 0
        with pytest.raises(CutError, match=r"damaged download \(.+\): the end"):
            cursor.check_damage("the end")
