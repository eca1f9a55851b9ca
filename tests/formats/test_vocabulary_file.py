"""Words in a file of their own."""

import gzip
from functools import partial

import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.vocabulary_file import find_words, read_words, words_for
from tests.formats.binary_files import refused

# Lines end at 0x0A only; none of these separators of Unicode ends one (F02), no byte is decoded (F06).
ODD = ["a\u00a0b", "\u00a0", "c\u2009d", "\u3000", "e\u0085f", "g\u2028h", " i", "j\rk", "<s>", "\x0bl"]
BYTES = [*(word.encode() for word in ODD), b"ab\xff", b"ab\xfe", b"ab"]


NAME = "x.vocab"
refusal = partial(refused, read_words)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_every_word_survives(save, end, bom, last):
    found = read_words(save(bom + end.join(BYTES) + end * last))
    assert found.words == BYTES
    assert found.counts is None
    assert any("BOM" in note for note in found.notes) == bool(bom)
    assert found.notes[-1] == "the words were read from x.vocab, one a line"


def test_a_packed_list(save):
    assert read_words(save(gzip.compress(b"a\nb\n"))).words == [b"a", b"b"]
    assert "incomplete" in refusal(save(gzip.compress(b"a\nb\n" * 1000)[:-9]))


@pytest.mark.parametrize("content", [b"a\n\nb\n", b"a\r\n\r\nb\r\n"])
def test_a_blank_line_is_named(save, content):
    assert "line 2: the line is blank" in refusal(save(content))


def test_exactly_one_newline_at_the_end_is_no_word(save):
    assert "line 3" in refusal(save(b"a\nb\n\n"))


@pytest.mark.parametrize("separator", [b"\t", b" "])
def test_counts(save, separator):
    found = read_words(save(b"the%b10\n2019%b7\nc\xffd%b0\n".replace(b"%b", separator)))
    assert found.words == [b"the", b"2019", b"c\xffd"]
    assert found.counts == [10, 7, 0]
    assert "counts" in found.notes[0]


def test_a_word_with_a_space_and_a_tab_before_its_count(save):
    found = read_words(save(b"new york\t3\nthe\t2\n"))
    assert (found.words, found.counts) == ([b"new york", b"the"], [3, 2])


@pytest.mark.parametrize(
    "content",
    [b"the 10\nof\n", b"the 10\nnew york 3\n", b"a  1\nb 2\n", b"a -1\nb 2\n", b"a 1.5\nb 2\n", b"a\t1\nb 2\n"],
)
def test_what_is_ambiguous_is_a_word(save, content):
    found = read_words(save(content))
    assert found.words == content.split(b"\n")[:-1]
    assert found.counts is None


def test_the_doubt_is_said(save):
    notes = read_words(save(b"the 10\nof\n")).notes
    assert "1 of 2 lines of x.vocab end in a space and a whole number: no counts" in notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        ("the\nof\n".encode("utf-16"), "UTF-16"),
        ("the\nof\n".encode("utf-16-le"), "UTF-16"),
        (b"\x93NUMPY\x01\x00", "NumPy array"),
        (b"2 3\nthe 0.1 0.2 3\nof 1 2 3\n", "several numbers"),
        (b"the 0.1 0.2\nof 1 2\n", "several numbers"),
    ],
)
def test_what_is_no_list_of_words(save, content, message):
    assert message in refusal(save(content))


def test_the_file_beside(save, tmp_path):
    vectors = tmp_path / "glove.npy"
    with pytest.raises(InputError) as caught:
        find_words(vectors)
    names = ["glove.vocab", "glove.words", "glove.txt", "glove.vocab.txt", "vocab.txt", "words.txt"]
    assert f"{vectors}: it holds no words" in str(caught.value)
    assert ", ".join(names) in str(caught.value)
    assert "vocab=" in str(caught.value)
    for name in names:
        path = save(b"a\n", name)
        assert find_words(vectors) == path
        path.unlink()
    save(b"a\n", "glove.words")
    save(b"a\n", "vocab.txt")
    with pytest.raises(InputError, match=r"glove\.words, vocab\.txt; choose one by vocab="):
        find_words(vectors)
    assert words_for(vectors, 1, LoadOptions(vocab=tmp_path / "vocab.txt")).path.name == "vocab.txt"


def test_a_file_is_not_its_own_vocabulary(save):
    with pytest.raises(InputError, match="holds no words"):
        find_words(save(b"\x93NUMPY", "x.txt"))
