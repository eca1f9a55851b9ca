"""Bulk parsing: what is beyond doubt reads as `parse_row` reads it, bit for bit, and every other line is named."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab.formats.text import bulk
from gpustab.formats.text.bulk import parse_block
from gpustab.formats.text.decimals import parse_row

FORMATS = ["%r", "%.17g", "%.9g", "%.5g", "%.6f", "%.12f", "%e", "%+.3E", "%.0f", "%.1e"]


def check(lines, dimension, wanted=None):
    """Compare a block of lines with `parse_row` on each; return the result."""
    found = parse_block(b"".join(line + b"\n" for line in lines), dimension, wanted)
    assert found.vectors.dtype == np.float32
    assert found.vectors.shape == (len(found.words), dimension)
    assert len(found.lines) == len(found.words)
    assert np.all(np.diff(found.lines) > 0)
    assert np.all(np.diff(found.odd) > 0)
    for word, vector, line in zip(found.words, found.vectors, found.lines, strict=True):
        expected, values = parse_row(lines[line], dimension)
        assert word == expected
        with np.errstate(over="ignore"):
            assert vector.tobytes() == np.array(values).astype(np.float32).tobytes(), lines[line]
    covered = set(found.lines) | set(found.odd)
    assert len(covered) == len(found.lines) + len(found.odd)
    if wanted is None:
        assert covered == set(range(len(lines)))
    else:
        assert set(found.words) <= wanted
    return found


def row(*fields, word=b"word", end=b""):
    return b" ".join([word, *(f if isinstance(f, bytes) else f.encode() for f in fields)]) + end


finite = st.floats(allow_nan=False, allow_infinity=False)
small = st.floats(-1, 1, width=32)
printed = st.builds(lambda form, value: (form % value).encode(), st.sampled_from(FORMATS), finite | small)
digits = st.text("0123456789", max_size=20)
spelled = st.builds(
    lambda sign, whole, point, fraction, exponent: (sign + whole + point + fraction + exponent).encode(),
    st.sampled_from(["", "-", "+"]),
    digits,
    st.sampled_from(["", "."]),
    digits,
    st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "-", "+"]), digits),
)
strange = st.sampled_from(
    [b"", b"nan", b"-inf", b"1e400", b"1_0", b"0,5", b"\xef\xbc\x91", b"--1", b"1..2", b"\t", b"1\r"]
)
fields = printed | spelled | strange | st.binary(max_size=4) | st.text("0123.e-+ ", max_size=18).map(str.encode)
words = st.binary(max_size=8) | st.text("ab 1.", max_size=5).map(str.encode) | printed


@st.composite
def blocks(draw):
    dimension = draw(st.integers(1, 4))
    ends = st.sampled_from([b"", b" ", b"  ", b"\t", b"\r"])
    count = st.just(dimension) | st.integers(0, 5)
    good = st.builds(
        lambda w, f, e: row(*f, word=w, end=e), words, st.lists(printed, min_size=dimension, max_size=dimension), ends
    )
    wild = count.flatmap(
        lambda n: st.builds(
            lambda w, f, e: row(*f, word=w, end=e), words, st.lists(fields, min_size=n, max_size=n), ends
        )
    )
    lines = draw(st.lists(good | wild | st.binary(max_size=12), max_size=8))
    return [line.replace(b"\n", b"") for line in lines], dimension


@given(blocks())
def test_no_line_reads_otherwise_than_by_parse_row(block):
    check(*block)


@given(st.lists(fields.map(lambda f: f.replace(b"\n", b"")), min_size=1, max_size=20))
def test_every_spelling_of_a_number(spellings):
    check([row(field) for field in spellings], 1)


@given(
    st.lists(printed, min_size=1, max_size=12),
    st.sampled_from([b"", b" "]),
    st.sampled_from([b"a", b"new york", b"1 2", b"\xa0."]),
)
def test_printed_numbers_are_good(spellings, end, word):
    overflow = [abs(float(f)) >= 2.0**128 - 2.0**103 for f in spellings]  # rounds to infinity
    found = check([row(*spellings, word=word, end=end)], len(spellings))
    assert (found.words == [word]) or any(overflow)


@pytest.mark.parametrize(
    "field",
    ["0.123456", "-0.0123", "1e-05", "-1.2345e-05", "0.00012345678", "5", "-0", ".5", "3.", "+.5e+03", "-0.0", "12.75",
     "12345678.5", "123456789.5", "1234567890123456", "0.000000000000001", "0.12345678901234567", "1e5", "1E-7", "00.5",
     "1e-22", "1e-23", "1.5e-45", "7e-46", "1e-400", "3.4028235e+38", "0." + "0" * 30 + "1", "1" + "0" * 30],
)  # fmt: skip
def test_spellings_that_are_good(field):
    assert len(check([row("0.5", field, "-0.25")], 3).odd) == 0


@pytest.mark.parametrize(
    "field",
    ["", "nan", "-inf", "1e400", "-1e39", "3.4028236e+38", ".", "-", "-.", "+.e-05", "e-05", "-e-05", "1e-0x", "1e",
     "--1", "+-1", "1.2.3", "0.1.23456", "1_0", "0,5", "0.12345_7", "0.123 ", "0.1\t",
     "0.1\r", "0.1\x0b", "0.1\0", "0x1", "1:0.5", "1.5-05", "0./5", "0.1:", "/.5", ":.5"],
)  # fmt: skip
@pytest.mark.parametrize("position", [0, 1, 2])
def test_one_odd_line_leaves_its_neighbours_alone(field, position):
    numbers = ["0.25", "-1.5", "2e-05"]
    numbers[position] = field
    good = row("0.25", "-1.5", "2e-05")
    if field == "0.123 " and position == 2:
        assert len(check([row(*numbers)], 3).odd) == 0
        return
    found = check([good, good, row(*numbers), good], 3)
    assert found.odd.tolist() == [2]
    assert found.lines.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    "line",
    [b"", b" ", b"  ", b"word", b"word ", b"word 1", b"1 2", b" 1 2", b"  1 2", b" word 1 2", b"word  1 2",
     b"word 1  2",
     b"word 1 2  ", b"word\t1 2", b"word 1\t2", b"word 1 2\t", b"word 1 2\r", b"wo\rrd 1 2", b"wo\x1crd 1 2",
     b"word 1 2 x"],
)  # fmt: skip
def test_rows_that_are_odd(line):
    found = check([b"a 1 2", line, b"b 3 4"], 2)
    assert found.odd.tolist() == [1]
    assert found.words == [b"a", b"b"]


@pytest.mark.parametrize(
    "word", [b".", b"1", b"-0.5", b"1 2 3", b"new york", b". . .", b"a\xc2\xa0b", b"\xe2\x80\xa8", b"\xff\xfe", b"e-05"]
)
@pytest.mark.parametrize("end", [b"", b" "])
def test_the_last_fields_are_the_vector_and_the_rest_is_the_word(word, end):
    assert check([row("1", "-2.5", word=word, end=end)], 2).words == [word]


def test_rounding_is_that_of_float_and_then_of_float32():
    # Just above the middle of two float32 values: float64 rounds to the middle, then float32 to even.
    twice = [
        "1.00000005960464477539",
        "1.0000000596046448",
        "1.000000178813934",
        "0.50000002980232239",
        "16777217.0000001",
    ]
    rng = np.random.default_rng(0)
    singles = rng.integers(0, 1 << 32, 4000, dtype=np.uint32).view(np.float32)
    doubles = rng.integers(0, 1 << 64, 500, dtype=np.uint64).view(np.float64)
    halfway = np.nextafter(rng.normal(size=500).astype(np.float32), np.float32(9)).astype(np.float64) + 2.0**-26
    values = [*map(str, singles[np.isfinite(singles)]), *map(repr, doubles[np.isfinite(doubles)].tolist())]
    values += [*map(repr, halfway.tolist()), *(f"{x:.15f}" for x in halfway.tolist()), *twice]
    found = check([row(v) for v in values], 1)
    with np.errstate(over="ignore"):
        assert len(found.odd) == np.sum(~np.isfinite(np.array(values, np.float64).astype(np.float32)))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("rows", "dimension"), [(700, 1), (400, 2), (30, 300), (1, 300), (1, 1)])
def test_widths(form, rows, dimension):
    values = np.random.default_rng(1).normal(0, 0.1, (rows, dimension)).astype(np.float32)
    lines = [row(*(form % x for x in vector), word=b"w%d" % i) for i, vector in enumerate(values.tolist())]
    assert check(lines, dimension).words == [b"w%d" % i for i in range(rows)]


@pytest.mark.parametrize("piece", [1, 20, 64])
def test_results_do_not_depend_on_the_pieces(monkeypatch, piece):
    lines = [b"a 1 2", b"", b"b 1e-05 -3.25 ", b"long" * 9 + b" 0.123456789 nan", b"c .5 5.", b"d 1", b"e 0.3 0.4"]
    block = b"\n".join(lines) + b"\n"
    whole = parse_block(block, 2)
    monkeypatch.setattr(bulk, "_PIECE", piece)
    monkeypatch.setattr(bulk, "_FIELDS", 3)
    parts = parse_block(block, 2)
    assert parts.words == whole.words == [b"a", b"b", b"c", b"e"]
    for one, other in zip(parts[1:], whole[1:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_only_wanted_words_are_read():
    lines = [b"a 1 2", b"b 1 2", b"c x y", b"a b 3 4", b"d nan 1", b"short", b"b 5 6"]
    found = check(lines, 2, {b"b", b"a b", b"d"})
    assert found.words == [b"b", b"a b", b"b"]
    assert found.lines.tolist() == [1, 3, 6]
    assert found.odd.tolist() == [4, 5]  # the vector of d, and a line without a word
    assert parse_block(b"a 1 2\n", 2, set()).words == []


def test_nothing_in_nothing_out():
    found = check([], 3)
    assert found.words == []
    assert found.vectors.shape == (0, 3)
    assert len(found.odd) == 0


@pytest.mark.parametrize(
    ("line", "dimension"), [(b"word" + b" 0.123456" * 100, 100), (b"w" + b" 1" * 50, 50), (b"w 1", 1)]
)
def test_memory_is_a_small_multiple_of_the_block(line, dimension):
    block = (line + b"\n") * ((1 << 20) // len(line))
    parse_block(block[: len(line) + 1], dimension)
    tracemalloc.start()
    try:
        found = parse_block(block, dimension)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.odd) == 0
    assert peak - kept < 6 * len(block)
