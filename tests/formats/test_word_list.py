"""Lists of words as people save them: in lines, in one line, in JSON, in any Unicode, with blanks at their ends."""

import re

import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions, read_word_list
from gpustab.spaces.words import meant

WORDS = ["où", "new york", "1,000", "c"]


def write(tmp_path, content):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    "text",
    [
        "où\nnew york\n1,000\nc\n",
        "où\r\nnew york\r\n\r\n1,000\r\nc",
        "où, new york, 1,000, c\n",
        "où;new york;1,000;c;\n",
        '"où", "new york", "1,000", "c"',
        '["où", "new york",\n "1,000", "c"]\n',
    ],
)
def test_a_list_is_read_as_it_was_saved(tmp_path, text, encoding):
    assert read_word_list(write(tmp_path, text.encode(encoding))) == [word.encode() for word in WORDS]


@pytest.mark.parametrize("word", [",", ":,", "1,000", "a,", "[x]", "[", "the of", " the"])
def test_one_word_is_no_list(tmp_path, word):
    assert read_word_list(write(tmp_path, word.encode())) == [word.encode()]


@pytest.mark.parametrize("text", ["new york, the", "new york, los angeles, la paz", "où; new york city"])
def test_a_list_in_one_line_may_be_of_phrases(tmp_path, text):
    parts = re.split("[,;] ", text)
    assert read_word_list(write(tmp_path, text.encode())) == [part.encode() for part in parts]


@pytest.mark.parametrize("text", ["Well, I know.", "He came in, and she went out again to the sea"])
def test_a_sentence_in_one_line_is_no_list(tmp_path, text):
    assert read_word_list(write(tmp_path, text.encode())) == [text.encode()]


def test_words_of_a_list_that_is_not_utf8_are_written_as_they_are_shown(tmp_path):
    with pytest.raises(InputError, match=r"a byte of vectors that are not UTF-8 is written \\xE9$"):
        read_word_list(write(tmp_path, b"caf\xe9\n"))
    (word,) = read_word_list(write(tmp_path, b"caf\\xe9\n"))
    assert meant(word, [b"caf\xe9"]) == b"caf\xe9"


def test_lines_keep_their_commas(tmp_path):
    assert read_word_list(write(tmp_path, b"a,b\nc;d\n")) == [b"a,b", b"c;d"]


def test_blanks_at_the_ends_of_lines_are_no_part_of_words_that_lack_them(tmp_path):
    asked = read_word_list(write(tmp_path, "où  \r\nnew york\t\r\nc ".encode()))
    there = [b"o\xc3\xb9", b"new york", b"c", b"c "]
    assert [meant(word, there) for word in asked] == [b"o\xc3\xb9", b"new york", b"c "]
    assert LoadOptions(only=asked[:2]).wanted >= {b"o\xc3\xb9", b"new york"}


def test_a_cut_character_is_named(tmp_path):
    with pytest.raises(InputError, match="begins as utf-16 does, and is damaged; save it as UTF-8"):
        read_word_list(write(tmp_path, "où".encode("utf-16")[:-1]))
