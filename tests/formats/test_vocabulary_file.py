"""Words in a file of their own."""

import gzip
import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
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


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("odd", ["the 1x", "of", "a\tb\tc", "und  7"])
def test_one_odd_line_is_refused_at_that_line(tmp_path, separator, odd):
    lines = [f"w{k}{separator}{k + 1}" for k in range(30)]
    file = tmp_path / "x.vocab"
    file.write_text("\n".join([*lines[:7], odd, *lines[7:]]) + "\n")
    with pytest.raises(InputError, match=r"x\.vocab, line 8: .*; mend the line, or"):
        read_words(file)
    file.write_text("\n".join([*lines[:7], f"w{separator}3", *lines[7:]]) + "\n")
    assert read_words(file).counts[7] == 3
    file.write_text("\n".join(line.split(separator)[0] for line in lines) + "\n")
    assert read_words(file).words[7] == b"w7"


TABLES = {
    "a header with counts": ("word\tcount\n", ["{}\t{}"], True),
    "an index first": ("Index\tWord\n", ["{1}\t{0}"], True),
    "no header": ("", ["{}\t{}\tNOUN"], True),
    "a header of names alone": ("Wort\tArt\n", ["{0}\tNOUN"], False),
    "a header in capitals": ("LABEL\tPOS\tFREQ\n", ["{0}\tVERB\t{1}"], True),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("vectors", ["npy", "tsv"])
def test_metadata_of_tensorboard(tmp_path, kind, vectors):
    header, (form,), counted = TABLES[kind]
    words, matrix = [f"w {k}" for k in range(12)], np.arange(36.0).reshape(12, 3) / 8 + 0.5
    (tmp_path / "metadata.tsv").write_text(header + "".join(form.format(w, k + 3) + "\n" for k, w in enumerate(words)))
    if vectors == "npy":
        np.save(tmp_path / "x.npy", matrix)
    else:
        np.savetxt(tmp_path / "x.tsv", matrix, delimiter="\t")
        with pytest.raises(
            InputError, match=r"the rows are numbers alone.*by vocab=\.\.\.; or, if it is a word, say dim=2"
        ):
            read_space(tmp_path / "x.tsv")
    space = read_space(tmp_path / f"x.{vectors}", LoadOptions(vocab=tmp_path / "metadata.tsv"))
    assert list(space.vocabulary) == [word.encode() for word in words]
    assert np.array_equal(space.vectors.numpy(), matrix)
    assert (space.counts is not None) == counted
    assert not header or any("names its columns" in note for note in space.report.notes)


NUMBERED = {
    "0\tthe": ("{k}\t{word}\n", ""),
    "1\tthe": ("{one}\t{word}\n", ""),
    "the\t0": ("{word}\t{k}\n", ""),
    "the 0": ("{word} {k}\n", ""),
    "0 the 5": ("{k}\t{word}\t{count}\n", ""),
    "5 the 1": ("{count}\t{word}\t{one}\n", ""),
    "names above": ("{k}\t{word}\n", "id\tword\n"),
}


@pytest.mark.parametrize("kind", NUMBERED)
def test_numbers_of_the_lines_are_no_counts(save, kind):
    form, head = NUMBERED[kind]
    rows = [form.format(k=k, one=k + 1, word=f"w{k}", count=90 - 3 * k) for k in range(25)]
    found = read_words(save((head + "".join(rows)).encode()))
    assert found.words == [f"w{k}".encode() for k in range(25)]
    assert found.counts == ([90 - 3 * k for k in range(25)] if "5" in kind else None)
    assert any("numbers the lines" in note for note in found.notes)


@pytest.mark.parametrize("form", ["{k}\t{word}\n", "{word} {k}\n", "{word}\t{k}\n"])
def test_numbers_of_the_words_in_another_order_are_refused_and_ranks_that_gensim_makes_are_counts(save, form):
    rows = [form.format(k=7 * k % 25, word=f"w{k}") for k in range(25)]
    assert "numbers the words, 0 to 24, in another order" in refusal(save("".join(rows).encode()))
    by_number = sorted(rows, key=lambda row: int(row.split()[form.startswith("{w")]))  # as the message says
    assert read_words(save("".join(by_number).encode())).words[1] == b"w18"
    ranks = "".join(form.format(k=25 - k, word=f"w{k}") for k in range(25))
    assert read_words(save(ranks.encode())).counts == [*range(25, 0, -1)]
    assert read_words(save(b"a 2\nb 1\nc 3\n")).counts == [2, 1, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"the": 1, "of": 0, "\\u00e9": 2}', ["of", "the", "é"]),
        ('["the", "of"]', ["the", "of"]),
        ('\n{\n  "a": 0,\n  "b": 1\n}\n', ["a", "b"]),
    ],
)
def test_a_vocabulary_in_json_is_told_and_becomes_lines_by_the_way_that_is_named(
    save, tmp_path, monkeypatch, content, words
):
    said = refusal(save(content.encode(), "vocab.json"))
    (code,) = re.findall("in Python: (.*)$", said)
    monkeypatch.chdir(tmp_path)
    exec(code.replace("FILE", "'vocab.json'"), {"json": json, "Path": Path})
    assert read_words(tmp_path / "x.vocab").words == [word.encode() for word in words]


@pytest.mark.parametrize(
    "content", ['{"word": "the"}\n{"word": "of"}\n', '{"model": {"vocab": {}}}', "[[1, 2], [3, 4]]"]
)
def test_other_json_is_told(save, content):
    assert "this is JSON, wanted words" in refusal(save(content.encode()))


@pytest.mark.parametrize("content", [b"{\n}\n[\n]\n", b"[UNK]\n[PAD]\nthe\n", b"{}\nthe\n", b"[]\n"])
def test_words_of_brackets_are_words(save, content):
    assert read_words(save(content)).words == content.split()


def test_numbers_alone_and_their_words_must_agree(tmp_path):
    (tmp_path / "w").write_text("a\nb\n")
    for content, said in (("0.5 1\n0.5 1\n0.5 1\n", "there are 2 words, but 3 vectors"), ("0.5 1\n0.5\n" * 30, "rows")):
        (tmp_path / "x.txt").write_text(content)
        with pytest.raises(InputError, match=said):
            read_space(tmp_path / "x.txt", LoadOptions(vocab=tmp_path / "w"))
    (tmp_path / "x.txt").write_text("0.5 1\n" * 60 + "0.5 x\n")
    with pytest.raises(InputError, match=r"x\.txt: line 61: 'x' is not a number"):
        read_space(tmp_path / "x.txt", LoadOptions(vocab=tmp_path / "w"))
    (tmp_path / "x.txt").write_text("a 0.5 1\nb 0.5 1\n")
    space = read_space(tmp_path / "x.txt", LoadOptions(vocab=tmp_path / "w"))
    assert any("was not read: every row begins with its word" in note for note in space.report.notes)


def test_bytes_of_tensorboard_by_the_way_that_is_named(tmp_path):
    matrix = np.random.default_rng(0).standard_normal((4, 3)).astype("<f4")
    (tmp_path / "x.bytes").write_bytes(matrix.tobytes())
    with pytest.raises(InputError, match=r"numpy.save\('x.npy', numpy.fromfile\(FILE, '<f4'\)\.reshape\(ROWS, -1\)\)"):
        read_space(tmp_path / "x.bytes")
    np.save(tmp_path / "x.npy", np.fromfile(tmp_path / "x.bytes", "<f4").reshape(4, -1))
    (tmp_path / "x.vocab").write_text("a\nb\nc\nd\n")
    assert np.array_equal(read_space(tmp_path / "x.npy").vectors.numpy(), matrix)
