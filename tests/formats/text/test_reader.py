"""Text vectors: every known trap as a file of a few rows, with the value that is right."""

import bz2
import gzip
import tracemalloc
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpustab.errors import InputError, OutOfMemoryError
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.source import open_source
from gpustab.formats.text.decimals import parse_row
from gpustab.formats.text.reader import read_text
from tests.formats.binary_files import load, refused


def notes(space):
    return "\n".join(space.report.notes)


refusal = partial(refused, load)


@pytest.mark.parametrize("header", [b"", b"3 4\n"])
def test_words_with_spaces_stay_whole(save, header):
    path = save(header + b"at name@x.y 1 2 3 4\n. . . 5 6 7 8\nplain 9 10 11 12\n")
    space = read_space(path)
    assert list(space.vocabulary) == [b"at name@x.y", b". . .", b"plain"]
    assert space.vectors.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert "2 word(s) hold a space" in notes(space)


@pytest.mark.parametrize("header", [b"", b"3 4\n"])
def test_number_inside_a_word_belongs_to_the_word(save, header):
    space = read_space(save(header + b"at name 1 2 3 4\n12 34 5 6 7 8\nplain 9 10 11 12\n"))
    assert list(space.vocabulary) == [b"at name", b"12 34", b"plain"]


def test_unclear_width_asks_for_dim(save):
    path = save("a 1 2 3\n12 34 5 6 7\n")
    assert "dim=" in refusal(path)
    assert list(read_space(path, LoadOptions(dim=3)).vocabulary) == [b"a", b"12 34"]


def test_unicode_spaces_are_no_separators(save):
    words = ["a\u00a0b", "\u00a0", "c\u2009d", "\u3000", "e\u0085f", "g\u2028h"]
    path = save("".join(f"{word} 1 2 3\n" for word in words))
    space = read_space(path)
    assert list(space.vocabulary) == [word.encode() for word in words]
    assert "2 word(s) are white space only" in notes(space)


def test_empty_word(save):
    path = save("a 1 2 3\n 4 5 6\nb 7 8 9\n")
    message = refusal(path)
    assert "line 2" in message
    assert "skip_empty_tokens" in message
    space = read_space(path, LoadOptions(skip_empty_tokens=True))
    assert list(space.vocabulary) == [b"a", b"b"]
    assert "skip_empty_tokens: 1 row(s)" in notes(space)
    assert "line 2" in notes(space)


@pytest.mark.parametrize(("header", "name", "declared"), [("", "GloVe text", None), ("3 5\n", "word2vec text", (3, 5))])
def test_header_present_or_absent(save, header, name, declared):
    space = read_space(save(header + "a 1 2 3 4 5\nb 1 2 3 4 5\n2019 1 2 3 4 5\n"))
    assert list(space.vocabulary) == [b"a", b"b", b"2019"]
    assert space.report.format == name
    assert space.report.header == declared
    assert space.counts is None


def test_trap_a_first_row_looks_like_a_header(save):
    path = save("7 3\n8 4\n9 5\n")
    message = refusal(path)
    assert "header=True" in message
    assert "header=False" in message
    assert "7 rows of 3" in message
    space = read_space(path, LoadOptions(header=False))
    assert list(space.vocabulary) == [b"7", b"8", b"9"]
    assert space.vectors.tolist() == [[3], [4], [5]]
    assert read_space(path, LoadOptions(dim=1)).vectors.tolist() == [[3], [4], [5]]


def test_a_header_of_a_wrong_number_never_makes_values_words(save):
    path = save("4 2\n" + "".join(f"w{k} .1 .2 .{k}\n" for k in range(4)))
    for options in ({}, {"header": True}):
        assert "say header=True and dim=3 if it is a header" in refusal(path, **options)
        assert "header=False" not in refusal(path, **options)
    for options in ({"header": True, "dim": 3}, {"dim": 3}):
        space = read_space(path, LoadOptions(**options))
        assert list(space.vocabulary) == [b"w0", b"w1", b"w2", b"w3"]
        assert "declares 2 values a row, but dim=3" in notes(space)
    two = read_space(path, LoadOptions(header=True, dim=2))  # who says both is obeyed
    assert two.vocabulary[0] == b"w0 .1"


def test_trap_b_first_word_is_a_number(save):
    space = read_space(save("2019 1 2 3\na 4 5 6\n"))
    assert list(space.vocabulary) == [b"2019", b"a"]


def test_trap_c_header_wider_than_rows(save):
    path = save("3 5\na 1 2 3 4\nb 1 2 3 4\nc 1 2 3 4\n")
    message = refusal(path)
    assert "5 values" in message
    assert "4 values" in message
    assert "header=True" in message
    space = read_space(path, LoadOptions(header=True, dim=4))
    assert space.vectors.shape == (3, 4)
    assert "dim=4" in notes(space)


def test_two_files_joined_name_the_line_of_the_second_header(save):
    text = b"2 2\na 1 2\nb 3 4\n"
    assert "line 4: found 1 value, wanted 2" in refusal(save(text + text.replace(b"a", b"c")))


def test_file_padded_with_zero_bytes_is_refused_in_one_short_line(save):
    message = refusal(save(b"2 2\na 1 2\nb 3 4\n" + bytes(4096)))
    assert "line 4" in message
    assert len(message) < 500


def test_header_wanted_but_absent(save):
    assert "line 1 is 'a 1 2'" in refusal(save("a 1 2\nb 3 4\n"), header=True)


def test_fewer_rows_than_declared(save):
    path = save("4 2\nalpha 1 2\nbeta 3 4\ngamma 5 6\n")
    message = refusal(path)
    assert "declares 4 rows, found 3" in message
    space = read_space(path, LoadOptions(allow_count_mismatch=True))
    assert len(space.vocabulary) == 3
    assert "declares 4 rows, found 3" in notes(space)


def test_more_rows_than_declared_are_all_read(save):
    space = read_space(save("2 2\na 1 2\nb 3 4\nc 5 6\n"))
    assert space.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert "declares 2 rows, found 3" in notes(space)


def test_blank_line_is_reported(save):
    space = read_space(save("3 2\na 1 2\n\nb 3 4\nc 5 6\n"))
    assert len(space.vocabulary) == 3
    assert "1 blank line(s) passed over: line 3" in notes(space)
    assert "found 2" in refusal(save("3 2\nalpha 1 2\n\nbeta 3 4\n", "y.vec"))


DUPLICATES = "a 1 2\nb 3 4\na 9 9\nc 5 6\n"


@pytest.mark.parametrize(("keep", "first"), [("first", [1, 2]), ("last", [9, 9])])
def test_duplicates(save, keep, first):
    space = read_space(save(DUPLICATES), LoadOptions(keep_duplicate=keep))
    assert list(space.vocabulary) == [b"a", b"b", b"c"]
    assert space.vectors.tolist() == [first, [3, 4], [5, 6]]
    assert "'a' on lines 1 and 3" in notes(space)
    assert f"the {keep} row" in notes(space)
    assert space.report.rows == 4


def test_duplicates_refused(save):
    assert "'a' on lines 1 and 3" in refusal(save(DUPLICATES), keep_duplicate="error")


def test_many_duplicates_give_three_examples(save):
    text = notes(read_space(save("a 1 2\n" * 6)))
    assert "5 row(s)" in text
    assert text.count("'a' on lines") == 3


def test_composed_and_decomposed_forms_are_two_words(save):
    assert len(read_space(save("Caf\u00e9 1 2\nCafe\u0301 3 4\n")).vocabulary) == 2


@pytest.mark.parametrize("header", [b"", b"5 2\n"])
def test_bytes_that_are_not_utf8_are_kept(save, header):
    words = [b"ok", "\u00e9".encode() * 50 + b"\xc3", b"ab\xff", b"ab\xfe", b"ab"]
    space = read_space(save(header + b"".join(word + b" 1 2\n" for word in words)))
    assert list(space.vocabulary) == words
    assert "3 word(s) are not valid UTF-8" in notes(space)
    assert space.vocabulary.text(2) == "ab\\xff"


def test_short_row(save):
    path = save("a 1 2 3 4\nb 1 2 3 4\nword 1 2\nc 1 2 3 4\nd 1 2 3 4\n")
    message = refusal(path)
    assert "line 3" in message
    assert "found 2 values, wanted 4" in message
    assert "'word'" in message


def rows_of_text(n=2000, d=20, seed=0):
    values = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    body = "".join(f"w{i} " + " ".join(f"{x:.9g}" for x in row) + "\n" for i, row in enumerate(values))
    return f"{n} {d}\n{body}".encode(), values


def test_cut_gzip(save):
    text, values = rows_of_text()
    path = save(gzip.compress(text)[:-6], "x.vec.gz")
    message = refusal(path)
    assert "incomplete or damaged download" in message
    assert f"{len(text)} decompressed bytes" in message
    assert "2000 complete rows" in message
    space = read_space(path, LoadOptions(allow_truncated=True))
    assert np.array_equal(space.vectors.numpy(), values)
    assert "incomplete or damaged download" in notes(space)


def test_gzip_cut_in_the_middle(save):
    text, values = rows_of_text()
    packed = gzip.compress(text)
    path = save(packed[: len(packed) // 2])
    assert "incomplete or damaged download" in refusal(path)
    space = read_space(path, LoadOptions(allow_truncated=True))
    rows = len(space.vocabulary)
    assert 900 < rows < 1100
    assert np.array_equal(space.vectors.numpy(), values[:rows])


def test_gzip_cut_within_its_first_bytes(save):
    assert "incomplete or damaged download" in refusal(save(gzip.compress(b"a 1 2\n")[:12]))


@pytest.mark.parametrize("place", [0.3, 0.5, 0.7])
def test_flipped_byte_in_gzip(save, place):
    text, _ = rows_of_text()
    packed = bytearray(gzip.compress(text))
    packed[int(len(packed) * place)] ^= 0x55
    message = refusal(save(bytes(packed)))
    assert "incomplete or damaged download" in message
    assert "complete rows" in message


def test_missing_final_newline_is_reported(save):
    space = read_space(save("2 2\na 1.5 2.5\nb 3.5 4.12"))
    assert space.vectors[1].tolist() == [3.5, np.float32(4.12)]
    assert "no newline at the end of line 3" in notes(space)


def test_text_cut_within_a_row(save):
    path = save("a 1 2 3\nb 1 2 3\nc 1 2 3\nd 1 2")
    message = refusal(path)
    assert "line 4" in message
    assert "incomplete or damaged download" in message
    space = read_space(path, LoadOptions(allow_truncated=True))
    assert list(space.vocabulary) == [b"a", b"b", b"c"]
    assert "line 4" in notes(space)


NONFINITE = "a 1 2 3\nb nan 1 1\nc -nan 1 1\nd inf 1 1\ne 1e39 1 1\nf 1 -nan(ind) 1\ng 1 1 1e400\n"


def test_values_that_are_not_finite(save):
    path = save(NONFINITE)
    message = refusal(path)
    assert "6 row(s)" in message
    assert "'b' on line 2" in message
    space = read_space(path, LoadOptions(drop_nonfinite=True))
    assert list(space.vocabulary) == [b"a"]
    assert "drop_nonfinite: left out 6 row(s)" in notes(space)


def test_nothing_but_nan(save):
    path = save("a nan nan\nb nan nan\n")
    assert "2 row(s)" in refusal(path)
    assert "no row is left" in refusal(path, drop_nonfinite=True)


def test_largest_float32_is_finite(save):
    assert read_space(save("a 3.4028235e38 0\n")).vectors[0, 0] == np.finfo(np.float32).max


def test_number_forms(save):
    rows = [b"a 1e-05 -1.E+3 .5", b"b\t1\t+2\t3", b"c  1   2  3  ", b"d 0.12345678901234567 1 2 \t", b"e -0 1E5 1.\r"]
    space = read_space(save(b"\n".join(rows) + b"\n"))
    assert list(space.vocabulary) == [b"a", b"b", b"c", b"d", b"e"]
    wanted = [[1e-05, -1e3, 0.5], [1, 2, 3], [1, 2, 3], [0.12345678901234567, 1, 2], [0, 1e5, 1]]
    assert torch.equal(space.vectors, torch.tensor(np.array(wanted, dtype=np.float32)))


@pytest.mark.parametrize(
    "field", ["1_0", "0,5", "1,2,3", "\uff11\uff12", "1-2", "1e", "0x10", "1.2.3", "--1", "\x0b1", "1\x0b", "1\r"]
)
@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_what_is_no_number_is_refused(save, field, header):
    message = refusal(save(f"{header}a 1 2\nb 1 {field}\r\nc 1 2\n"))
    assert f"line {2 + bool(header)}" in message
    assert "value 2 of 2" in message or "found" in message
    if "," in field:
        assert "decimal commas" in message


def test_sparse_rows_are_recognised(save):
    assert "sparse" in refusal(save("a 0:1.5 2:3\nb 1:1\n"))
    message = refusal(save("".join(f"w{i} 1 2\n" for i in range(80)) + "z 0:1.5 2:3\n"))
    assert "line 81" in message
    assert "sparse" in message


def test_values_are_rounded_once_from_float64(save):
    # Just above the middle of two float32 neighbours: rounding the decimal by way of float64 decides.
    fields = ["1.00000005960464478", "1.0000000596046447754", "16777217", "1e-46", "7.0064923216240862e-46"]
    space = read_space(save("a " + " ".join(fields) + "\n"))
    assert space.vectors[0].tolist() == [float(np.float32(float(field))) for field in fields]


@pytest.mark.parametrize("header", [b"", b"2 2\n"])
def test_byte_order_mark_is_removed(save, header):
    space = read_space(save(b"\xef\xbb\xbf" + header + b"a 1 2\nb 3 4\n"))
    assert list(space.vocabulary) == [b"a", b"b"]
    assert "byte-order mark" in notes(space)


@pytest.mark.parametrize("header", [b"", b"2 2\n"])
def test_crlf_reads_like_lf(save, header):
    text = header + b"a 1 2\nb 3 4\n"
    plain, crlf = read_space(save(text)), read_space(save(text.replace(b"\n", b"\r\n"), "y.vec"))
    assert plain.vocabulary == crlf.vocabulary
    assert torch.equal(plain.vectors, crlf.vectors)


def test_lone_carriage_return_stays_in_the_word(save):
    assert list(read_space(save(b"a\rb 1 2\n\r 3 4\n")).vocabulary) == [b"a\rb", b"\r"]


def test_impossible_header_is_refused_before_memory_is_taken(save):
    path = save("900000000 3\na 1 2 3\nb 1 2 3\n")
    tracemalloc.start()
    message = refusal(path)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert "cannot hold" in message
    assert "found 2 rows" in message
    assert len(read_space(path, LoadOptions(allow_count_mismatch=True)).vocabulary) == 2


def test_limit(save):
    path = save("3 2\na 1 2\nb 3 4\nc 5 6\n")
    space = read_space(path, LoadOptions(limit=2))
    assert list(space.vocabulary) == [b"a", b"b"]
    assert "limit=2" in notes(space)
    assert not read_space(path, LoadOptions(limit=3)).report.notes


@pytest.mark.parametrize("options", [{"limit": 0}, {"dim": -1}, {"keep_duplicate": "newest"}])
def test_options_out_of_range(options):
    with pytest.raises(InputError, match=next(iter(options))):
        LoadOptions(**options)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("header", [False, True])
def test_file_of_several_blocks(save, packed, header):
    text, values = rows_of_text(6000, 30)
    assert len(text) > 2 << 20
    text = text if header else text.partition(b"\n")[2]
    space = read_space(save(gzip.compress(text, 1) if packed else text))
    assert np.array_equal(space.vectors.numpy(), values)
    assert space.vocabulary[5999] == b"w5999"
    assert not space.report.notes


def test_memory_is_about_one_matrix(save):
    values = np.random.default_rng(0).integers(0, 10, (10_000, 100))
    path = save("".join(f"w{i} " + " ".join(map(str, row)) + "\n" for i, row in enumerate(values.tolist())))
    with open_source(path) as source:
        tracemalloc.start()
        read_text(source, DEFAULTS)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    keys_and_block = 10_000 * 300 + (8 << 20)  # a block of one-digit numbers has half a million of them
    assert peak < 1.3 * values.size * 4 + keys_and_block


def test_prose_is_no_file_of_vectors(save):
    assert "not a file of vectors" in refusal(save("It was the best of times,\nit was the worst of times\n"))


def test_gensim_reads_the_same(save):
    keyedvectors = pytest.importorskip("gensim.models.keyedvectors")
    text, _ = rows_of_text(200, 7)
    path = save(text)
    peer = keyedvectors.KeyedVectors.load_word2vec_format(str(path))
    space = read_space(path)
    assert [word.decode() for word in space.vocabulary] == peer.index_to_key
    assert np.array_equal(space.vectors.numpy(), peer.vectors)


def test_odd_lines_keep_their_place_among_the_others(save):
    """Tabs, CRLF, doubled spaces, blank lines and words with digits take the careful way, line by line."""
    text = b"a 1 2\nb\t3\t4\n\nc  5  6 \r\nd 7 8\n\xff 9 10\n9 11 12\ne 13 0x\n"
    message = refusal(save(text))
    assert "line 8" in message
    space = read_space(save(text.replace(b"0x", b"14")))
    assert list(space.vocabulary) == [b"a", b"b", b"c", b"d", b"\xff", b"9", b"e"]
    assert space.vectors.flatten().tolist() == list(range(1, 15))
    assert "1 blank line(s) passed over: line 3" in notes(space)


def reference(text, dimension):
    """The rows of a text, one by one, by the careful way alone."""
    rows = {}
    for line in text.split(b"\n"):
        line = line.removesuffix(b"\r")
        if line.strip(b" \t"):
            word, values = parse_row(line, dimension)
            with np.errstate(over="ignore"):
                rows.setdefault(word, np.array(values, dtype=np.float64).astype(np.float32))
    return rows


@settings(max_examples=150)
@given(data=st.data(), dimension=st.integers(2, 5))
def test_whole_files_read_as_row_by_row(tmp_path_factory, data, dimension):
    words = st.binary(min_size=1, max_size=6).filter(lambda w: w.strip(b" \t\r") == w and b"\n" not in w)
    numbers = st.one_of(
        st.floats(-1e6, 1e6).map(lambda x: f"{x:.6g}"),
        st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    )
    ends = st.sampled_from([b"\n", b"\n", b" \n", b"\r\n", b"\n\n"])
    lines = []
    for word in data.draw(st.lists(words, min_size=1, max_size=8)):
        row = [word, *(data.draw(numbers).encode() for _ in range(dimension))]
        lines.append(data.draw(st.sampled_from([b" ", b" ", b"\t", b"  "])).join(row) + data.draw(ends))
    text = b"".join(lines)
    path = tmp_path_factory.mktemp("rows") / "x.txt"
    path.write_bytes(text)
    wanted = reference(text.removeprefix(b"\xef\xbb\xbf"), dimension)
    try:
        space = read_space(path, LoadOptions(dim=dimension, header=False))
    except InputError:
        assume(False)
    assert list(space.vocabulary) == list(wanted)
    assert np.array_equal(space.vectors.numpy(), np.stack(list(wanted.values())))


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_limit_counts_rows_and_not_lines(save, limit):
    path = save("a 1 2\n\nb\t3 4\n\nc 5 6\na 9 9\nd 7 oops\n")
    if limit == 5:
        assert "line 7" in refusal(path, limit=limit)
        return
    space = read_space(path, LoadOptions(limit=limit))
    assert list(space.vocabulary) == [b"a", b"b", b"c"][:limit]


def test_only_the_words_asked_for(save):
    text, values = rows_of_text(200, 4)
    path = save(text)
    space = read_space(path, LoadOptions(only=["w150", "w3", "nobody"]))
    assert list(space.vocabulary) == [b"w3", b"w150"]
    assert np.array_equal(space.vectors.numpy(), values[[3, 150]])
    assert "2 of the 3 words asked for were found" in notes(space)
    assert "1 are not in the file: nobody" in notes(space)
    assert space.report.rows == 200 or "header declares" not in notes(space)


def test_words_asked_for_spare_the_rest_of_the_file(save):
    text, _ = rows_of_text(6000, 30)
    space = read_space(save(text + b"damaged row\n"), LoadOptions(only=["w1", "w2"]))
    assert list(space.vocabulary) == [b"w1", b"w2"]
    assert "no more was read" in notes(space)


def test_no_word_asked_for_is_there(save):
    assert "none of the 1 words asked for is there" in refusal(save("a 1 2\nb 3 4\n"), only=["z"])


def test_one_word_is_not_several():
    with pytest.raises(InputError, match="several"):
        LoadOptions(only="the")


@pytest.mark.parametrize("header", [True, False])
def test_bzip2(save, header):
    text, values = rows_of_text(3000, 20)
    text = text if header else text.partition(b"\n")[2]
    space = read_space(save(bz2.compress(text), "x.bz2"))
    assert np.array_equal(space.vectors.numpy(), values)
    assert (space.report.compression, space.report.unpacked, space.name) == ("bzip2", len(text), "x")


def test_damaged_bzip2(save):
    packed = bz2.compress(rows_of_text(3000, 20)[0], 1)
    for damaged in (packed[:-6], packed[: len(packed) // 2], packed[:-40] + bytes(20) + packed[-20:]):
        path = save(damaged)
        assert "incomplete or damaged download" in refusal(path)
    assert 0 < len(read_space(path, LoadOptions(allow_truncated=True)).vocabulary) <= 3000


def test_endless_line_is_given_up(save, monkeypatch):
    """A gigabyte of zeros packs to a megabyte: it must not be unpacked into memory in search of a line end."""
    monkeypatch.setattr("gpustab.formats.text.layout.LONGEST_LINE", 5 << 20)
    message = refusal(save(gzip.compress(b"a 1 2\nb 3 4\n" + bytes(64 << 20))))
    assert "a line is longer than 5 MiB" in message


def test_more_than_the_memory_holds(save, monkeypatch):
    monkeypatch.setattr("gpustab.machine.memory.available_memory", lambda: 4096)
    path = save(rows_of_text(100, 20)[0])
    with pytest.raises(OutOfMemoryError, match=r"100 rows of 20 values take .* limit or only"):
        read_space(path)
    assert len(read_space(path, LoadOptions(limit=10)).vocabulary) == 10


ODD = {
    "Fortran's exponents": lambda x: f"{x:.5E}".replace("E", "D"),
    "hexadecimal digits": float.hex,
    "a minus sign of Unicode": lambda x: f"{x:.5f}".replace("-", "\u2212"),
    "thousands apart": lambda x: f"{1e6 * x:,.1f}".replace(",", "\u202f"),
}


@pytest.mark.parametrize("header", ["", "40 5\n"])
@pytest.mark.parametrize("kind", ODD)
def test_numbers_of_other_programs_are_named_at_once(tmp_path, kind, header):
    values = np.random.default_rng(0).normal(size=(40, 5))
    rows = [" ".join([f"w{k}", *map(ODD[kind], row.tolist())]) for k, row in enumerate(values)]
    (tmp_path / "x.txt").write_text(header + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=r"is no decimal number as most programs read them, such as -0.25 or 1e-3"):
        read_space(tmp_path / "x.txt")


def test_a_count_among_words_and_values_is_named_also_below_a_header(tmp_path):
    values = np.random.default_rng(0).normal(size=(40, 5))
    rows = [f"w{k} {5000 - 7 * k} {' '.join(map(str, row))}" for k, row in enumerate(values.tolist())]
    (tmp_path / "x.txt").write_text("40 5\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=r"first value of every row is a whole number \('5000' .*: a count\?"):
        read_space(tmp_path / "x.txt")


def test_numbers_of_words_in_sentences_are_no_vectors(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("\n".join(" ".join(str(n * k % 997) for k in range(5 + n % 30)) for n in range(60)))
    with pytest.raises(InputError, match="Are they the numbers of words in sentences"):
        read_space(path)
