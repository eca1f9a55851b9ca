import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import place_space, read_space
from gpustab.formats.rows import PlacedRows
from tests.formats.binary_files import word2vec

WORDS = [b"a", b"the", "naïve".encode(), b"a", b"to", b"\xff\xfe", b"zero"]
VECTORS = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
VECTORS[6] = 0


@pytest.mark.parametrize("newline", [True, False])
@pytest.mark.parametrize(
    "options", [{}, {"limit": 3}, {"keep_duplicate": "last"}, {"only": [b"to", b"a"]}, {"drop_nonfinite": True}]
)
def test_placed_vectors_are_those_that_reading_gives(tmp_path, newline, options):
    vectors = VECTORS.copy()
    if "drop_nonfinite" in options:
        vectors[1, 2] = np.nan
    path = tmp_path / "runs.bin"
    path.write_bytes(word2vec(WORDS, vectors, newline))
    read, placed = (one(path, LoadOptions(**options)) for one in (read_space, place_space))
    assert placed.vocabulary == read.vocabulary
    assert (placed.name, placed.report) == (read.name, read.report)
    rows = PlacedRows(path, placed.places, placed.dimension)
    assert rows.shape == read.vectors.shape
    assert torch.equal(rows[0 : len(rows)], read.vectors)
    assert torch.equal(rows[1:2], read.vectors[1:2])
    order = torch.randperm(len(rows))
    out = torch.full((len(rows), 5), torch.nan)
    assert rows.take(order, out) is out
    assert torch.equal(out, read.vectors[order])


def test_what_is_wrong_with_a_file_is_said_as_in_reading(tmp_path):
    vectors = VECTORS.copy()
    vectors[1, 2] = np.inf
    content = word2vec(WORDS, VECTORS)
    for number, damaged in enumerate(
        (content[:-9], content + b"more", word2vec(WORDS, VECTORS, rows=9), word2vec(WORDS, vectors), b"1 2\n\xff \x01")
    ):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(damaged)
        said = []
        for one in (read_space, place_space):
            with pytest.raises(InputError) as refused:
                one(path)
            said.append(str(refused.value))
        assert said[0] == said[1]


def test_only_what_lies_in_its_file_as_it_is_read_is_placed(tmp_path):
    import bz2

    packed, text = tmp_path / "packed.bin", tmp_path / "text.txt"
    packed.write_bytes(bz2.compress(word2vec(WORDS, VECTORS)))
    text.write_text("2 2\na 1 2\nb 3 4\n")
    assert len(read_space(packed).vocabulary) == 6
    assert place_space(packed) is None
    assert place_space(text) is None
