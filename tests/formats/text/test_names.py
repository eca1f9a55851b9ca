"""A line of column names above vectors in text (F51)."""

import pytest

from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space


@pytest.fixture
def read(tmp_path):
    def read_it(content, **options):
        (tmp_path / "x.txt").write_text(content)
        return read_space(tmp_path / "x.txt", LoadOptions(**options))

    return read_it


BODY = "a 0.5 1.5 -2\nb 0.25 3 1e-3\n"


@pytest.mark.parametrize(
    "first", ["word 0 1 2", "word 1 2 3", " 0 1 2", "x 0 1 2", "word V1 V2 V3", "V1 V2 V3", "word\t0\t1\t2"]
)
def test_no_word_of_names(read, first):
    space = read(f"{first}\n{BODY}")
    assert list(space.vocabulary) == [b"a", b"b"]
    assert space.vectors.tolist() == [[0.5, 1.5, -2], [0.25, 3, pytest.approx(1e-3)]]
    assert any("names columns" in note for note in space.report.notes)
    assert read(f"{first}\n{BODY}", limit=1).vectors.tolist() == [[0.5, 1.5, -2]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a 1 2\nb 3 4\na2 9 9\n", [b"a", b"b", b"a2"]),
        ("a 0 1\nb 0.5 0.5\n", [b"a", b"b"]),
        ("a 1 2 3\nb 4 5 6\n", [b"a", b"b"]),
        ("a 0 1 2\nb 0 1 3\nc 0.5 1 3\n", [b"a", b"b", b"c"]),
        ("a 0 2 1\nb 0.5 0.5 0.5\n", [b"a", b"b"]),
        ("a nan 1 2\nb 0.5 0.5 0.5\n", None),
    ],
)
def test_a_word_stays_a_word(read, content, words):
    space = read(content, drop_nonfinite=True)
    assert list(space.vocabulary) == (words or [b"b"])
    assert not any("names columns" in note for note in space.report.notes)


def test_header_denies_it(read):
    assert read(f"word 0 1 2\n{BODY}", header=False).vocabulary[0] == b"word"
    assert read(f"word 0 1 2\n{BODY}", header=True).vocabulary[0] == b"a"
