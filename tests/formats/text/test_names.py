"""A line of column names above vectors in text (F51)."""

import pytest

from gpustab.errors import InputError
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


def test_names_below_a_header(read):
    space = read(f"2 3\nword 0 1 2\n{BODY}")
    assert list(space.vocabulary) == [b"a", b"b"]
    assert any(note.startswith("line 2 names columns ('word 0 1 2')") for note in space.report.notes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0.5 1.5 2.5\n.25 1 2\n-1.5 2 3\n", "the rows are numbers alone, and '0.5' is not a word"),
        ("1.0e-01\t2.5\n2.0e-01\t2\n3.0e-01\t7\n", "the rows are numbers alone"),
        ("0 a .5 .1\n1 b .2 .4\n2 c .1 .9\n", "the rows begin with their own numbers"),
        ("a 90 .5 .1\nb 17 .2 .4\nc 5 .1 .9\n", r"the first value of every row is a whole number \('90'"),
        ("3 3\na 90 .5 .1\nb 17 .2 .4\nc 5 .1 .9\n", "the first value of every row is a whole number"),
    ],
)
def test_numbers_that_are_no_words_or_values(read, content, message):
    with pytest.raises(InputError, match=message):
        read(content)
    width = 2 if content[0] in "01" and "\t" not in content else 3 if "90" in content else 1
    assert len(read(content, dim=width, header=content.startswith("3 3")).vocabulary) == 3


@pytest.mark.parametrize(
    "content", ["2019 .5 .1\n2020 .2 .4\n7 .1 .9\n", "a 1 2 3\nb 4 5 6\nc 1 .5 2\n", "0.5 1 2\n0.6 3 4\nb 5 6\n"]
)
def test_numbers_that_may_be_words_or_values(read, content):
    assert len(read(content).vocabulary) == 3
