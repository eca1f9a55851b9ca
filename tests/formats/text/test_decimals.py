"""Strict numbers: what C prints is read as Python reads it, all else is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab.formats.text.decimals import RowError, _parse_field_by_field, parse_number, parse_row


@given(st.floats(allow_nan=False), st.sampled_from(["%r", "%.17g", "%e", "%.6f", "%+.3E"]))
def test_printed_floats_read_as_python_reads_them(value, form):
    text = form % value
    assert parse_number(text.encode()) == float(text)


@pytest.mark.parametrize("field", [b"nan", b"-nan", b"NaN", b"-nan(ind)", b"nan(0x8000)", b"-1.#IND", b"1.#QNAN0"])
def test_nan_spellings(field):
    assert math.isnan(parse_number(field))


@pytest.mark.parametrize("field", [b"", b".", b"+", b"e5", b"1_0", b"1f", b"0x1p3", b"\xef\xbc\x91", b" 1", b"1\x0b"])
def test_everything_else_is_refused(field):
    with pytest.raises(RowError, match="not a number"):
        parse_number(field)


@given(st.binary(min_size=1, max_size=60), st.integers(1, 4))
def test_fast_and_careful_parsing_agree(row, dimension):
    if not row.strip(b" \t"):
        return
    try:
        careful = _parse_field_by_field(row, dimension)
    except RowError:
        with pytest.raises(RowError):
            parse_row(row, dimension)
    else:
        assert repr(parse_row(row, dimension)) == repr(careful)


@given(st.text(" \t1.2e-a", min_size=1, max_size=30), st.integers(1, 4))
def test_fast_and_careful_parsing_agree_near_numbers(text, dimension):
    test_fast_and_careful_parsing_agree.hypothesis.inner_test(text.encode(), dimension)


@pytest.mark.parametrize(
    ("row", "word", "values"),
    [
        (b"a  1 2", b"a", [1, 2]),
        (b"a \t1\t 2 \t", b"a", [1, 2]),
        (b"a  b 1 2", b"a  b", [1, 2]),
        (b"a\tb 1 2", b"a\tb", [1, 2]),
        (b" 1 2", b"", [1, 2]),
        (b" a 1 2", b"", [1, 2]),
    ],
)
def test_where_the_word_ends(row, word, values):
    assert parse_row(row, 2) == (word, values)
