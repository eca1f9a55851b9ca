"""Every text file that somebody writes by hand is read by one room: packed, marked, and in UTF-8, or with advice."""

import gzip
import re
from pathlib import Path

import pytest

from gpustab.errors import InputError
from gpustab.evaluation.semeval import read_semeval
from gpustab.evaluation.sentence_pairs import read_sentence_pairs
from gpustab.evaluation.truth import read_truth
from gpustab.formats.options import read_word_list
from gpustab.formats.parsed import read_json
from gpustab.formats.plain_text import read_utf8
from gpustab.small_data.text import read_samples, read_terms
from gpustab.studies.association.sets import read_sets
from gpustab.studies.localization.corpus import read_pairs
from gpustab.training.settings import read_toml

SETS = '[t]\ntargets.a = "été café"\ntargets.b = "où là"\nattributes.x = "a b"\nattributes.y = "c d"\n'
FILES = {
    "words, one a line": (read_word_list, "war\ncafé\n"),
    "words of a table": (read_word_list, "word,n\nwar,1\ncafé,2\n"),
    "words in JSON": (read_word_list, '["war", "café"]\n'),
    "words in one line": (read_word_list, "war, café\n"),
    "JSON": (read_json, '{"a": "café"}\n'),
    "settings": (read_toml, 'corpus = "café.txt"\n'),
    "sets": (read_sets, SETS),
    "truth": (
        lambda path: read_truth(path, ["changed:changed"]),
        "word\tchanged\n" + "".join(f"{w}\t{k % 2}\n" for k, w in enumerate(["a", "b", "c", "café"])),
    ),
    "terms": (lambda path: read_terms(path, "en"), "war\ncafé\n"),
    "samples": (lambda path: read_samples(path, "en"), "café\tthe ___ is\ta ___ there\nwar\tthe ___ was\tno ___ now\n"),
    "paraphrases": (lambda path: read_pairs([path]), "the café is here\tthere is a café here\n"),
    "sentences and scores": (read_sentence_pairs, "He saw the café.\tThe café was seen.\t4\nNo.\tYes.\t1\n" * 3),
    "targets": (lambda path: read_semeval(path.parent), "war\ncafé\n"),
}


@pytest.fixture(params=FILES)
def case(request, tmp_path):
    read, text = FILES[request.param]
    return read, text, tmp_path / "targets.txt"


def test_what_is_not_utf8_is_refused_with_the_line_and_a_way_that_works(case, tmp_path):
    read, text, path = case
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(InputError, match=r"line \d: byte 0xE9 is not UTF-8; if it is cp1252, .*é") as error:
        read(path)
    way = re.search(r"in Python: (.*'utf-8'\))", str(error.value))[1]
    eval(way, {"Path": Path, "FILE": path, "NEW": tmp_path / "new"})
    (tmp_path / "new").replace(path)
    read(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "gzip"])
def test_a_mark_and_a_packer_are_known_everywhere(case, encoding):
    read, text, path = case
    path.write_bytes(text.encode())
    plain = read(path)
    path.write_bytes(gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding))
    assert str(read(path)) == str(plain)


def test_utf16_without_a_mark_is_named(case):
    read, text, path = case
    path.write_bytes(text.encode("utf-16-le"))
    with pytest.raises(InputError, match=r"utf-16-le without its mark: save it as UTF-8|a binary file, wanted text"):
        read(path)


def test_what_is_neither_has_a_hint_of_no_encoding(tmp_path):
    (tmp_path / "a").write_bytes(b"a\n\x81 b\n")
    with pytest.raises(InputError, match=r"a: line 2: byte 0x81 is not UTF-8; save the file as UTF-8$"):
        read_utf8(tmp_path / "a")
    (tmp_path / "b").write_bytes(b"\0\1\2")
    with pytest.raises(InputError, match="b: this is a binary file, wanted text in UTF-8"):
        read_utf8(tmp_path / "b")
